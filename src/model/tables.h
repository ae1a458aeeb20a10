/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - the methods, privacy notions, measures and adversaries of lethe, one row each.  The
 * command line, help, manual pages, `lethe methods` and reports are made from these tables.
 *
 * A program needs only the names, options and texts; the functions in the rows are for the library.
 */
#ifndef LETHE_MODEL_TABLES_H
#define LETHE_MODEL_TABLES_H
#include "lethe/command.h"

/* What the count of a published item counts. */
typedef enum lethe_counted {
    LETHE_COUNTED_USERS,
    LETHE_COUNTED_QUERIES, /* distinct users and times, as they were read */
    LETHE_COUNTED_ROWS,
    LETHE_N_COUNTED
} lethe_counted;

/* The purpose of a release. */
typedef enum lethe_goal {
    LETHE_GOAL_PATTERNS, /* find what occurs together */
    LETHE_GOAL_SESSIONS, /* follow what one person searches for in a session */
    LETHE_GOAL_CLICKS,   /* learn which results are clicked for a query */
    LETHE_GOAL_COUNTS,   /* count how often something occurs */
    LETHE_N_GOALS
} lethe_goal;

typedef struct lethe_run lethe_run;       /* src/method/method.h */
typedef struct lethe_data lethe_data;     /* src/model/data.h */
typedef struct lethe_result lethe_result; /* src/method/method.h */
typedef lethe_err (*lethe_method_fn)(lethe_run *run, const lethe_data *in, lethe_result *out);

/* A method that handles each row by itself has these functions instead of `run`.  A chain of such
 * methods streams: it needs constant memory and keeps the order of the input. */
struct lethe_row; /* src/model/log/log.h */
typedef struct lethe_row_method {
    lethe_err (*begin)(lethe_run *run, void **state);
    /* Changes *row; new strings live until the next call of worker `w`.  To leave the row out, sets
     * *dropped to the reason, a static string. */
    lethe_err (*row)(void *state, unsigned w, struct lethe_row *row, const char **dropped);
    lethe_err (*end)(void *state, lethe_result *out); /* sets the figures, after the last row */
    void (*free)(void *state);                        /* always called if `begin` succeeded */
} lethe_row_method;

#define LETHE_HEAD_MAX 256 /* bytes of a file's first lines */
#define LETHE_WARNS_MAX 12 /* caveats that depend on options */

/* How much there is of what a method holds in memory. */
typedef struct lethe_sizes lethe_sizes; /* src/core/need.h */

/* How a figure of a release that was joined from parts follows from theirs.  One that only all of
 * the input tells has no rule, and a joined release does not have it. */
typedef enum lethe_joint_rule {
    LETHE_JOINT_SUM, /* of numbers, or member by member */
    LETHE_JOINT_GREATEST,
    /* Means, weighted by what they are means of: */
    LETHE_JOINT_PER_RECORD,     /* the figure `records` */
    LETHE_JOINT_PER_ITEM,       /* published items: avg_length * records */
    LETHE_JOINT_PER_INPUT_ITEM, /* density * records; the taxonomy has as many leaves in all */
} lethe_joint_rule;
typedef struct lethe_joint {
    const char *figure; /* NULL ends a table */
    lethe_joint_rule rule;
} lethe_joint;

typedef struct lethe_method {
    const char *name;
    const char *summary;
    const char *description; /* paragraphs for the manual page, separated by blank lines */
    const char *paper;       /* the paper it implements, and the section */
    unsigned in, out;        /* what it accepts and produces: lethe_shape bits.  Of several that it
                                can produce, its option `as` names one: lethe_method_shape() */
    const lethe_option *options;
    lethe_err (*validate)(const lethe_values *v,
                          lethe_diag *d); /* checks combinations of options; may be NULL */
    const char *knowledge; /* what it needs besides the input: "taxonomy", "directory", or NULL */
    const lethe_figure *figures;
    const lethe_joint *joint; /* those of a joined release; NULL: releases are not joined */
    const char *notion;       /* the privacy notion it promises */
    /* Adds the claims that follow from the options.  `verify` calls it with the options of the
     * manifest, so that a manifest cannot claim less than its steps promise. */
    void (*claims)(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims);
    bool carries; /* its rows are those of the input, with the kept columns that these have (--keep)
                   */
    bool renames; /* gives rows another user; persons are then counted before the release is written
                   */
    bool sets;    /* gets sets instead of records: one per person, unless --persons is record */
    bool substitutes; /* a published record need not be true of its original: see its caveats */
    /* Publishes rows that do not correspond to input lines: users and queries only, without times
     * and clicks.  It must be the last step; it reports the lines it used (lethe_result.keep), and
     * the number of rows in its figure `rows_out`. */
    bool samples;
    bool whole_persons;  /* groups persons: it cannot follow a step that renames */
    bool ids;            /* clicked URLs become keyed identifiers by default */
    const char *sweep;   /* the option that `compare` varies; NULL: none */
    const char *compare; /* further options that `compare` sets if the user does not: "m=2 n=0" */
    unsigned char good_for[LETHE_N_GOALS]; /* 0: not suitable, to 3: as suitable as any */
    const char *keeps;                     /* what is kept of the input: one line, no full stop */
    const char *const
        *caveats; /* what it never protects against, most important first; ends with NULL */
    /* What it does not protect against with these options; returns the number.  NULL: nothing more.
     * `verify` calls it too, so that a manifest cannot omit a caveat. */
    size_t (*warns)(const lethe_values *v, const char *out[LETHE_WARNS_MAX]);
    /* What it may find out only while it runs, and then adds to the caveats; ends with NULL.  NULL:
     * nothing.  `verify` accepts no other. */
    const char *const *found;
    const char *example; /* a command line for the manual page */
    lethe_method_fn run;
    const lethe_row_method *rows; /* instead of `run` */
    /* For lines that are not those of a log: writes the first lines of the file (NUL-terminated),
     * and whether ranks and URLs are published.  The query of a row then holds all columns between
     * user and time, separated by tabs.  May be NULL. */
    void (*head)(const lethe_values *v, char out[LETHE_HEAD_MAX], bool *clicks);
    /* How much memory it needs at most, in bytes, besides what `s` holds and the pipeline adds.
     * `in` is NULL while the data is still being read.  NULL: nothing that grows with it. */
    uint64_t (*need)(const lethe_values *v, const lethe_data *in, const lethe_sizes *s);
} lethe_method;

/* The published files of a release, as checkers, measures and adversaries see them. */
typedef struct lethe_published lethe_published; /* src/model/data.h */

/* A privacy notion: what a release can promise. */
typedef struct lethe_notion {
    const char *name;
    const char *holds; /* when the promise holds, in one sentence */
    unsigned shapes;
    /* Decides a claim from the published files.  `claim` has "notion" and the parameters.  On
     * LETHE_OK *holds is set; if false, *why is the first counterexample, an object in `doc`.  If
     * the check cannot be completed, it returns an error and the promise counts as broken. */
    lethe_err (*check)(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why);
    /* How many persons must have issued a published query; 0: any number.  Checked before writing
     * if a step gave rows another user, because the published files do not show persons then. NULL:
     * the notion does not count persons. */
    uint64_t (*persons)(const lethe_json *claim, lethe_str query);
    bool of_values; /* `persons` is about the values of kept columns, not about queries */
    /* With parameters such as t = 1 a claim holds of any data.  Then it returns a static sentence,
     * "NOTION with PARAMETERS promises nothing: WHY." or "... promises next to nothing: WHY."; NULL
     * for all others.  The sentence is the first caveat of a release, and `verify` demands it. */
    const char *(*nothing)(const lethe_json *claim);
    /* Of counts: what they count, where they are exact: a lethe_counted.  While a release is made,
     * they are counted again from the rows behind them, because the files do not show these.
     * LETHE_N_COUNTED: the claim is malformed.  NULL: the counts are not exact. */
    lethe_counted (*counted)(const lethe_json *claim);
    /* If it holds of releases of parts of an input, no person of which is in two parts, does it
     * hold of all their lines in one release? */
    bool joins;
} lethe_notion;

/* A release and its original, as measures and adversaries see them. */
typedef struct lethe_comparison lethe_comparison; /* src/model/data.h */
typedef lethe_err (*lethe_compare_fn)(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out);

/* A measure of how useful a release still is. */
typedef struct lethe_measure {
    const char *name;
    const char *summary;
    unsigned shapes;
    const lethe_option *options;
    const lethe_figure *figures;
    lethe_compare_fn run; /* adds its figures to `out` */
} lethe_measure;

/* What an adversary is after, as in Opinion 05/2014 of the Article 29 Working Party. */
typedef enum lethe_threat {
    LETHE_THREAT_SINGLING_OUT, /* finding what belongs to a certain person */
    LETHE_THREAT_LINKING,      /* telling that two things belong to the same person */
    LETHE_THREAT_INFERENCE,    /* learning something that the release does not say of the person */
    LETHE_N_THREATS
} lethe_threat;
/* "singling-out", "linking", "inference". */
const char *lethe_threat_name(lethe_threat threat);

/* An adversary: what can still be learned from a release. */
typedef struct lethe_adversary {
    const char *name;
    const char *summary;
    lethe_threat threat; /* `linking` guesses values too, where there is a sensitive column */
    const char *trials;  /* the figure that says how often it tried: "persons" */
    bool active;         /* takes part: has people issue queries, or issues some itself */
    unsigned shapes;
    const lethe_option *options;
    const char *needs;   /* an option without which it does not apply; NULL: none */
    const char *meaning; /* of `success`, in one sentence */
    /* Sets in `out`: `success`; `baseline`, the success of a random choice; where there is one,
     * `before`, the success on the original; and `meaning`. */
    lethe_compare_fn run;
    /* Why it does not apply to a release of one of its shapes, as the end of a sentence; NULL: it
     * does.  May itself be NULL: it applies to all. */
    const char *(*lacks)(const lethe_comparison *c);
} lethe_adversary;

const lethe_method *const *lethe_methods(void);          /* ends with NULL */
const lethe_notion *const *lethe_notions(void);          /* ends with NULL */
const lethe_measure *const *lethe_measures(void);        /* ends with NULL */
const lethe_adversary *const *lethe_adversaries(void);   /* ends with NULL */
const lethe_method *lethe_method_find(const char *name); /* NULL if there is none */
/* What the method produces with these options. */
lethe_shape lethe_method_shape(const lethe_method *m, const lethe_values *v);

#endif
