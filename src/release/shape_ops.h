/* SPDX-License-Identifier: Apache-2.0 */
/* shape_ops.h - what differs between a release of a log, a sealed log, records, a table and counts:
 * one row of functions per shape.  The pipeline, the manifest and the verification are the same for
 * all. */
#ifndef LETHE_RELEASE_SHAPE_OPS_H
#define LETHE_RELEASE_SHAPE_OPS_H
#include "release/release.h"

typedef struct lethe_pipeline lethe_pipeline;         /* release/make/pipeline.h */
typedef struct lethe_verification lethe_verification; /* release/verify/verify_internal.h */

/* A file of the release folder. */
typedef struct lethe_release_file {
    const char *name; /* ends a table when NULL */
    lethe_err (*write)(void *publisher, lethe_sink *to);
    bool (*applies)(const lethe_pipeline *p); /* NULL: every release of this shape has the file */
} lethe_release_file;

typedef struct lethe_shape_ops {
    lethe_shape shape;
    const char *noun;  /* "a sealed log" */
    const char *title; /* of its page: "A sealed search log" */
    bool shows_users;  /* rows have users, times and URLs: lethe_publish_options apply */
    const char
        *person_of; /* persons are counted behind each "query" or "group"; NULL: not at all */
    const lethe_release_file *files; /* the first holds the data */
    const lethe_figure *adds;        /* figures besides those of the steps; NULL: none */
    const lethe_joint *joint;        /* as of a method, of those */
    /* What must be warned of besides the methods' own caveats; returns how many. */
    size_t (*caveats)(const lethe_chain *c, const lethe_publish_options *how,
                      const char *out[LETHE_MAX_CAVEATS]);

    /* Making a release, in this order. */
    lethe_err (*begin)(lethe_pipeline *p); /* before anything is read; NULL: nothing to do */
    lethe_err (*run)(lethe_pipeline *p);   /* reads the input, runs all steps */
    lethe_err (*finish)(void *publisher);  /* sorts what will be published */
    void (*count)(lethe_pipeline *p);      /* lines published and suppressed; after failures too */
    lethe_err (*check)(lethe_pipeline *p); /* LETHE_ANSWER_NO: nothing is left to publish */
    void (*figures)(lethe_pipeline *p);    /* sets those of `adds`; NULL: nothing */
    /* All files are in the folder: do they agree with each other?  NULL: the claims see to it. */
    lethe_err (*written)(lethe_pipeline *p);
    void (*tell)(const lethe_pipeline *p); /* warns, when all has been checked; NULL: of nothing */
    /* Was there a list of sensitive items, and none of them is published?  NULL: never. */
    bool (*nothing_sensitive)(const lethe_pipeline *p);
    lethe_err (*map)(void *publisher, lethe_sink *to); /* NULL: there is nothing to map back */
    void (*free)(void *publisher);                     /* NULL is fine */

    /* Verifying one: do the files, the data and the manifest agree?  LETHE_ANSWER_NO with a reason
     * where they do not. */
    lethe_err (*verify)(lethe_verification *v);
    lethe_err (*verify_figures)(lethe_verification *v); /* after the claims; NULL: nothing */
} lethe_shape_ops;

const lethe_shape_ops *lethe_shape_ops_of(lethe_shape shape); /* NULL: no such shape */
/* All rows; ends with NULL. */
const lethe_shape_ops *const *lethe_shapes(void);
/* The least of several shapes, in words: "a log". */
const char *lethe_shape_noun(unsigned shapes);

/* Rows of the table: release/make/make_*.c. */
extern const lethe_shape_ops lethe_log_ops, lethe_sealed_ops, lethe_records_ops, lethe_table_ops,
    lethe_counts_ops;
/* Their last functions: release/verify/verify_shapes.c. */
LETHE_MUST_CHECK lethe_err lethe_verify_log(lethe_verification *v);
LETHE_MUST_CHECK lethe_err lethe_verify_log_figures(lethe_verification *v);
LETHE_MUST_CHECK lethe_err lethe_verify_sealed(lethe_verification *v);
LETHE_MUST_CHECK lethe_err lethe_verify_sealed_figures(lethe_verification *v);
LETHE_MUST_CHECK lethe_err lethe_verify_records(lethe_verification *v);
LETHE_MUST_CHECK lethe_err lethe_verify_table(lethe_verification *v);
LETHE_MUST_CHECK lethe_err lethe_verify_counts(lethe_verification *v);

#endif
