/* SPDX-License-Identifier: Apache-2.0 */
/* release.h - what a release says of itself and what checks it: the manifest, the claims. */
#ifndef LETHE_RELEASE_RELEASE_H
#define LETHE_RELEASE_RELEASE_H
#include "release/commands.h"
#include "core/rng.h"
#include "io/json/json.h"
#include "io/read/parts.h"
#include "io/write/sink.h"
#include "lexicon/hierarchies.h"
#include "method/method.h"
#include "model/table/population.h"
#include <limits.h>

#define LETHE_LOG_HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

/* --- the manifest --- */

#define LETHE_MANIFEST "manifest.json"
#define LETHE_MANIFEST_MAX ((size_t)64 << 20)

/* The name of the data file of a shape: data.tsv, data.txt, data.csv or counts.tsv.  In place of
 * the first three a release may have parts (io/read/parts.h), which readers see as this file. */
const char *lethe_data_name(lethe_shape shape);

typedef struct lethe_counts {
    uint64_t read, published, suppressed, rejected;
} lethe_counts;
lethe_json *lethe_counts_json(lethe_json_doc *doc, const lethe_counts *c);

/* Steps with every parameter except keys, seeds and paths; the first one also says how the log was
 * read, the last one how it is published.  `of_records`: records were read, so parameters that
 * apply to logs alone are left out. */
lethe_json *lethe_steps_json(lethe_json_doc *doc, const lethe_release_job *job, bool of_records);
/* Adds a parameter to the last of these steps. */
void lethe_steps_set_text(lethe_json_doc *doc, lethe_json *steps, const char *name,
                          const char *text);
/* A parameter: clicked objects that are no URLs are published as keyed identifiers. */
#define LETHE_OBJECTS "objects"
/* Parameter of the first step of records: "items" where a line is an item, so that a record is made
 * of several lines. */
#define LETHE_LINES "lines"
/* Parameters of the last step: the columns that are kept, as they were asked for, and how many
 * persons a value of them has at least. */
#define LETHE_KEEP "keep"
#define LETHE_KEEP_MIN_OPTION "keep-min"
/* A parameter: the digest of the taxonomy (lethe_tree_digest), if a promise counts its leaves. */
#define LETHE_TAXONOMY_DIGEST "taxonomy-blake2b"
/* Was the release made from records?  Decided from its single step. */
bool lethe_manifest_of_records(const lethe_json *manifest);
/* Are its rows drawn at random, not lines of the input?  Decided from its last step. */
bool lethe_manifest_samples(const lethe_json *manifest);
/* What a step produces; of a manifest's step, NONE: it does not say. */
lethe_shape lethe_step_shape(const lethe_step *step);
lethe_shape lethe_step_shape_said(const lethe_json *step);
/* Shapes that a method after this step may take; 0: it must be the last one. */
unsigned lethe_shape_after(const lethe_step *step);
/* The shape that a first step reads: a table, or a log (which may be given as records). */
unsigned lethe_shape_before(const lethe_method *m);
/* Are the options of a step complete, and do they fit each other?  LETHE_EUSAGE with a message. */
LETHE_MUST_CHECK lethe_err lethe_step_check(lethe_diag *d, const lethe_step *step);
/* A chain has no more steps: each makes a promise that is checked by itself, and a manifest must
 * not keep `verify` busy by their number. */
enum { LETHE_STEPS_MAX = 64 };
LETHE_MUST_CHECK lethe_err lethe_step_count_check(lethe_diag *d, size_t n);
/* May these steps follow each other?  Judges jobs and manifests alike; LETHE_EUSAGE with a message.
 */
LETHE_MUST_CHECK lethe_err lethe_chain_check(lethe_diag *d, const lethe_step *steps, size_t n);
/* Can what a step promises be checked on what the last one gives?  If not, the step is run, but
 * its promise is not claimed, and the manifest says so (LETHE_UNCLAIMED). */
bool lethe_step_is_claimed(const lethe_step *step, const lethe_step *last);
/* A member of a step without a claim: why it has none. */
#define LETHE_UNCLAIMED "unclaimed"
/* Adds the steps without a claim to a report, in words; nothing where there are none. */
void lethe_report_unclaimed(lethe_json_doc *doc, lethe_json *report, const lethe_json *steps);
/* Can a release with these steps have further columns, if any are kept?  Judges jobs and manifests
 * alike; LETHE_EUSAGE with a message. */
LETHE_MUST_CHECK lethe_err lethe_keep_applies(lethe_diag *d, const lethe_release_job *job);
/* How many persons a kept value needs, where the options do not say: what is made on the way, in
 * `doc`. */
void lethe_keep_settle(lethe_json_doc *doc, const lethe_step *steps, size_t n,
                       lethe_publish_options *how);
/* Times and URLs that the last step does not give are not published, whatever was asked for. */
void lethe_publishing_settle(const lethe_step *last, lethe_publish_options *how);
/* What each of the steps promises of its own result. */
lethe_json *lethe_steps_claims(lethe_json_doc *doc, const lethe_step *steps, size_t n);
/* The claims of a release: those of a job, and those that the steps of a manifest make.  They are
 * the claims of the steps, and then that of kept columns. */
lethe_json *lethe_job_claims(lethe_json_doc *doc, const lethe_release_job *job);
LETHE_MUST_CHECK lethe_err lethe_manifest_claims(lethe_diag *d, const lethe_json *manifest,
                                                 lethe_json_doc *doc, lethe_json **out);

/* The method that a step of a manifest names; NULL: it is unknown. */
const lethe_method *lethe_step_method(const lethe_json *step);

/* A step of a manifest, its values in `a`; what is made on the way, in `doc`.  A value that is the
 * default counts as not given.  LETHE_EINPUT: it is none, or one that the program does not run. */
LETHE_MUST_CHECK lethe_err lethe_step_read(lethe_diag *d, lethe_arena *a, const lethe_json *step,
                                           lethe_json_doc *doc, lethe_step *out);

/* The step with every file given that a manifest does not show; its values in `a`. */
LETHE_MUST_CHECK lethe_err lethe_step_unhide(lethe_diag *d, lethe_arena *a,
                                             const lethe_json *parameters, const lethe_step *step,
                                             lethe_step *out);
/* The job that the steps of a manifest describe (steps, reading and publishing; no inputs), in `a`;
 * what is made on the way, in `doc`.  LETHE_EINPUT: the program does not run it, or would have
 * written these steps otherwise. */
LETHE_MUST_CHECK lethe_err lethe_manifest_job(lethe_diag *d, lethe_arena *a,
                                              const lethe_json *manifest, lethe_json_doc *doc,
                                              lethe_release_job *out);

/* What caveats depend on in a chain of steps: its last one, and whether any gives rows other users,
 * wants clicked URLs as identifiers, or promises something of times. */
typedef struct lethe_chain {
    const lethe_step *last;
    bool renames, ids, times;
} lethe_chain;

enum { LETHE_MAX_CAVEATS = 12 }; /* that a shape adds to the methods' own: release/shape_ops.h */
/* Caveats that depend on the run, not on what a manifest shows of it. */
typedef enum lethe_run_caveat {
    LETHE_CAVEAT_SEED,
    LETHE_CAVEAT_OWN_LEAVES,
    LETHE_CAVEAT_KEY_FILE,
    LETHE_CAVEAT_NOTHING_SENSITIVE,
    LETHE_CAVEAT_CHOSEN,
    LETHE_CAVEAT_SERIES,
    LETHE_CAVEAT_JOINED,
    LETHE_N_RUN_CAVEATS
} lethe_run_caveat;
extern const char *const lethe_run_caveats[LETHE_N_RUN_CAVEATS];
/* Do all caveats that follow from its steps stand in the manifest?  *unknown: those of its caveats
 * that this version never writes for such steps, or that come twice; an array in `doc`. */
LETHE_MUST_CHECK lethe_err lethe_manifest_warns(lethe_diag *d, const lethe_json *manifest,
                                                lethe_json_doc *doc, bool *warns,
                                                lethe_json **unknown);
/* Can releases with these steps be joined: does every step promise what holds of all parts together
 * if it holds of each?  NULL: they can; else the first method or notion that stands against it. */
const char *lethe_steps_hinder_joining(const lethe_json *steps, const lethe_json *claims);
/* The number of parts that a release was joined from; 0: it was not. */
uint64_t lethe_manifest_parts(const lethe_json *manifest);
#define LETHE_PARTS "parts" /* that member */
/* Are both written alike? */
LETHE_MUST_CHECK lethe_err lethe_json_same(lethe_diag *d, const lethe_json *a, const lethe_json *b,
                                           bool *same);
/* Is the text one of an array's? */
bool lethe_json_has_text(const lethe_json *array, const char *text);

/* A published file: an array of {name, bytes, blake2b}. */
typedef struct lethe_file_entry {
    const char *name;
    char part[LETHE_PART_NAME]; /* the name, of one of several data files */
    uint64_t bytes;
    char digest[65];
} lethe_file_entry;
lethe_json *lethe_files_json(lethe_json_doc *doc, const lethe_file_entry *at, size_t n);
LETHE_MUST_CHECK lethe_err lethe_manifest_write(lethe_ctx *ctx, lethe_folder *folder,
                                                const lethe_json *manifest);

/* --- figures --- */

/* What a member of `metrics` is by the manifest's steps: a figure of the last step that has one of
 * this name, or else one that the pipeline adds.  NULL: neither.  *last: no later step can have
 * changed what it is about.  `last` may be NULL. */
const lethe_figure *lethe_steps_figure(const lethe_json *steps, lethe_str name, bool *last);
/* Is the value of the figure's kind? */
bool lethe_figure_fits(const lethe_figure *f, const lethe_json *value);
/* Is it computed again from the published files by `verify`?  Otherwise it is the publisher's word.
 */
bool lethe_steps_figure_is_checked(const lethe_json *steps, lethe_str name);
/* The rule for a figure of a joined release with these steps; NULL: it has no such figure. */
const lethe_joint *lethe_steps_joint(const lethe_json *steps, lethe_str name);
/* A copy without the figures of the run. */
lethe_json *lethe_figures_published(lethe_json_doc *doc, const lethe_json *steps,
                                    const lethe_json *metrics);

/* How the log was read, as far as it changes what is counted: members of `o`. */
void lethe_reading_json(lethe_json_doc *doc, lethe_json *o, const lethe_read_options *r);

/* Has a manifest the form of one: the members, their types, the texts, the files?  LETHE_EINPUT
 * otherwise.  What its members say of each other and of the files is for `verify`. */
LETHE_MUST_CHECK lethe_err lethe_manifest_form_check(lethe_diag *d, const lethe_json *m);
/* Can it be the title or date of a release: 1 to 200 bytes of UTF-8, not all blank, without control
 * characters and those that turn the direction of text? */
bool lethe_manifest_text_fits(lethe_str s);
/* Reads the manifest of an open folder and checks its form. */
LETHE_MUST_CHECK lethe_err lethe_manifest_read(lethe_diag *d, int dirfd, lethe_json_doc **doc,
                                               lethe_json **out);
/* keep_users, times, urls and kept columns as the last step has them; false: it does not say, or
 * not so.  The names of columns are views of the manifest. */
bool lethe_manifest_publishing(const lethe_json *manifest, lethe_publish_options *out);
/* Does the last step have any of these parameters? */
bool lethe_manifest_coarsens(const lethe_json *manifest);
/* Opens a release: *p with folder, shape and manifest, which lives in *doc.
 * lethe_release_close() in any case. */
LETHE_MUST_CHECK lethe_err lethe_release_open(lethe_ctx *ctx, const char *folder,
                                              lethe_published *p, lethe_json_doc **doc);
void lethe_release_close(lethe_published *p, lethe_json_doc *doc);
/* Was an option of that name given?  `v` may be NULL, or have no such option. */
bool lethe_is_given(const lethe_values *v, const char *name);
/* Is the file that `path` ("-": standard input, NULL: none) leads to the one of `st`? */
struct stat;
bool lethe_is_same_file(const struct stat *st, const char *path);
/* Spill files go to `dir` until lethe_spill_end(); *before is what it needs. */
LETHE_MUST_CHECK lethe_err lethe_spill_begin(lethe_ctx *ctx, const char *dir, char **before);
void lethe_spill_end(lethe_ctx *ctx, char *before); /* NULL is fine */
/* A file that a later step may or may not look into: better refused now than silently ignored.
 * NULL is fine. */
LETHE_MUST_CHECK lethe_err lethe_readable(lethe_ctx *ctx, const char *path);
/* The least name in the folder that is neither the manifest's own nor in it; empty: there is none.
 * With `but_litter`, a small file that file managers leave behind (.DS_Store, Thumbs.db,
 * desktop.ini, ._NAME) is none. */
LETHE_MUST_CHECK lethe_err lethe_manifest_stranger(lethe_diag *d, int dirfd,
                                                   const lethe_json *manifest, bool but_litter,
                                                   char name[NAME_MAX + 1]);
/* The least name of such a file after `name`, in its place; empty: there is none. */
LETHE_MUST_CHECK lethe_err lethe_manifest_litter(lethe_diag *d, int dirfd,
                                                 const lethe_json *manifest,
                                                 char name[NAME_MAX + 1]);
/* Has a file of a release, finished or not, this name?  For lethe_folder_files. */
bool lethe_is_release_file(const char *name);
/* May a folder be exchanged for a new release?  For lethe_folder_begin. */
lethe_err lethe_manifest_may_replace(lethe_diag *d, const char *path, int dirfd);
/* In how many parts its data is (io/read/parts.h); 0: in one file. */
uint32_t lethe_manifest_data_parts(const lethe_json *manifest);
/* By its data file or the parts of it, and the last step; NONE: no such. */
lethe_shape lethe_manifest_shape(const lethe_json *manifest);

/* --- checks --- */

/* Runs the checker of every claim over the published bytes.  *verdict = {"holds": .., "checks":
 * [..]}, and of a claim that holds but promises nothing {"nothing": why}.  LETHE_ANSWER_NO where
 * one does not hold or did not finish.  `results`: for each claim the file of results that its step
 * was given, which is read for its check; a fault in it is returned, and is no verdict.  NULL:
 * p->results is for all. */
LETHE_MUST_CHECK lethe_err lethe_claims_check(lethe_published *p, const lethe_json *claims,
                                              const char *const *results, lethe_json_doc *doc,
                                              lethe_json **verdict);

/* What a claim of k-map is checked with, for lethe_published.population. */
typedef struct lethe_population_given {
    bool given;
    lethe_population_table table;
    lethe_hierarchies hierarchies;
} lethe_population_given;
/* Reads the population table, with the columns of the first such claim, and the folder of
 * hierarchies (NULL: none).  Nothing is read, and nothing given, where `path` is NULL or there is
 * no such claim.  lethe_population_close() on LETHE_OK. */
LETHE_MUST_CHECK lethe_err lethe_population_open(lethe_ctx *ctx, const lethe_json *claims,
                                                 const char *path, const char *hierarchies,
                                                 lethe_population_given *out);
void lethe_population_close(lethe_population_given *p);         /* of a zero struct is fine */
const lethe_json *lethe_claims_k_map(const lethe_json *claims); /* the first; NULL: none */

/* A verdict for a report: a check that left something undecided says how much, by p->undecided.  No
 * manifest has that, since it depends on the results at hand. */
lethe_json *lethe_verdict_told(lethe_json_doc *doc, const lethe_json *verdict,
                               const lethe_json *undecided);

/* --- the report --- */

/* Copies claims, verdict, caveats and counts of a manifest. */
void lethe_report_quote(lethe_json_doc *doc, lethe_json *report, const lethe_json *manifest);
/* Adds `seconds`, `peak_bytes`. */
void lethe_report_close(lethe_ctx *ctx, lethe_json_doc *doc, lethe_json *report);

#endif
