/* SPDX-License-Identifier: Apache-2.0 */
/* verify_internal.h - a release that is being verified: what the files of verify/ share. */
#ifndef LETHE_RELEASE_VERIFY_VERIFY_INTERNAL_H
#define LETHE_RELEASE_VERIFY_VERIFY_INTERNAL_H
#include "release/shape_ops.h"

enum { LETHE_LEAVES_TEXT = 240 };

struct lethe_verification {
    lethe_published *p;
    const lethe_shape_ops *ops;
    const lethe_json *files, *last_step; /* of the manifest */
    lethe_json_doc *doc;                 /* of the report */
    uint64_t published, suppressed;      /* lines of the input, as the manifest counts them */
    lethe_log_form form;                 /* of a log: how coarse the manifest says it is */
    lethe_keep keep;                     /* and which further columns it has */
    uint64_t n_items;                    /* of counts */
    lethe_json *verdict;
    bool needs;          /* no claim is broken, but some could not be decided without a file */
    lethe_json *caveats; /* those that this version knows; NULL: all of the manifest's */
    lethe_json *why;     /* the first reason to say no; NULL: none yet */
    lethe_json
        *unchecked;       /* an array of sentences: what the manifest says and nobody could check */
    const char *taxonomy; /* a copy that the verifier has: a file, or "wordnet"; NULL: none */
    char leaves_unchecked[LETHE_LEAVES_TEXT]; /* what of taxonomy.tsv could not be checked */
    uint32_t *least_leaves; /* by its nodes: those that the copy has; NULL: not known, or all.  Ours
                             */
};

/* A release that was unpacked into a folder of its own. */
typedef struct lethe_archive {
    int fd;
    char folder[4096];
} lethe_archive;
/* Is it a file, not a folder? */
bool lethe_is_archive(const char *path);
/* From tar, packed or not.  LETHE_EINPUT: not one, or with what no release has (io/read/tar.h);
 * nothing is left then. */
LETHE_MUST_CHECK lethe_err lethe_archive_unpack(lethe_ctx *ctx, const char *path, lethe_archive *a);
void lethe_archive_remove(lethe_archive *a);

/* LETHE_ANSWER_NO: `text` is said and becomes the reason. */
LETHE_MUST_CHECK lethe_err lethe_verify_refuse(lethe_verification *v, const char *text);
/* Adds a sentence about a statement of the manifest that could not be checked: it is counted and
 * printed, and the release is not refused for it. */
void lethe_verify_unchecked(lethe_verification *v, const char *text);
/* Are the figures of the manifest those of its steps, and true as far as the published files tell?
 * After ops->verify and the claims. */
LETHE_MUST_CHECK lethe_err lethe_verify_figures(lethe_verification *v);
/* The manifest's entry of a file; NULL: it names none of that name. */
const lethe_json *lethe_verify_file(const lethe_verification *v, const char *name);
/* Of records with a taxonomy: is taxonomy.tsv a part of the verifier's copy, or of the installed
 * WordNet where that has the digest of the manifest?  LETHE_ANSWER_NO: it is not, and the reason
 * names the node.  What could not be compared is in v->leaves_unchecked.  LETHE_EINPUT, LETHE_EIO:
 * the copy cannot be read. */
LETHE_MUST_CHECK lethe_err lethe_verify_taxonomy(lethe_verification *v);
/* After the claims, which hold: where they do not hold with the leaves of the copy alone, adds that
 * to `unchecked`, and to each check that depends on it the member `if`. */
LETHE_MUST_CHECK lethe_err lethe_verify_leaves_say(lethe_verification *v);
/* After the claims, which hold: of exact counts, adds to `unchecked` and to the check (`if`) that
 * nobody sees who was counted. */
void lethe_verify_counts_say(lethe_verification *v);
/* Do leaf counts of taxonomy.tsv decide a claim, or any of several? */
bool lethe_claim_counts_leaves(const lethe_json *claim);
bool lethe_claims_count_leaves(const lethe_json *claims);

#endif
