/* tables.h - what lethe knows: methods, notions, measures, adversaries.  One row each.
 * Command line, help, manual, `methods` and the reports are made from these. */
#ifndef LETHE_TABLES_H
#define LETHE_TABLES_H
#include "lethe/option.h"
LETHE_API_BEGIN

typedef enum lethe_shape {
    LETHE_SHAPE_NONE = 0,
    LETHE_SHAPE_LOG = 1,
    LETHE_SHAPE_RECORDS = 2,
    LETHE_SHAPE_TABLE = 4,
    LETHE_SHAPE_SEALED = 8, /* a log whose queries are locked: lethe-sealed(5) */
} lethe_shape;              /* as bits where several will do */

/* What the receiver of a release wants to do with it. */
typedef enum lethe_goal {
    LETHE_GOAL_PATTERNS, /* find what occurs together */
    LETHE_GOAL_SESSIONS, /* follow what one person asks in a sitting */
    LETHE_GOAL_CLICKS,   /* learn which results are clicked for a query */
    LETHE_GOAL_COUNTS,   /* count how often something occurs */
    LETHE_N_GOALS
} lethe_goal;

/* A figure in `metrics`. */
typedef struct lethe_figure {
    const char *name; /* ends a table when NULL */
    const char *meaning;
    int better; /* +1: more is better, -1: less is, 0: neither */
} lethe_figure;

typedef struct lethe_run lethe_run;       /* src/method/method.h */
typedef struct lethe_data lethe_data;     /* src/model/data.h */
typedef struct lethe_result lethe_result; /* src/method/method.h */
typedef lethe_err (*lethe_method_fn)(lethe_run *run, const lethe_data *in, lethe_result *out);

/* A method that looks at one row at a time gives these in place of `run`, and then a chain of such
 * methods streams: constant memory, the input's order. */
struct lethe_row; /* src/model/log.h */
typedef struct lethe_row_method {
    lethe_err (*begin)(lethe_run *run, void **state);
    /* Changes *row; new strings live until the worker's next call.  *dropped = why the row is left
     * out (a static text), or stays NULL. */
    lethe_err (*row)(void *state, unsigned w, struct lethe_row *row, const char **dropped);
    lethe_err (*end)(void *state, lethe_result *out); /* sets figures; rows are no longer taken */
    void (*free)(void *state);                        /* called in any case once begun */
} lethe_row_method;

#define LETHE_HEAD_MAX 256
#define LETHE_WARNS_MAX 12

typedef struct lethe_method {
    const char *name;
    const char *summary;
    const char *description; /* paragraphs for the manual, parted by blank lines */
    const char *paper;       /* where it comes from, and the section */
    unsigned in, out;        /* lethe_shape bits */
    const lethe_option *options;
    lethe_err (*validate)(const lethe_values *v, lethe_diag *d); /* across options; may be NULL */
    const char *knowledge; /* "taxonomy", "directory", or NULL */
    const lethe_figure *figures;
    const char *notion; /* the claim it makes */
    /* Pushes the claims that follow from the options.  `verify` calls it too, with the options of
     * the manifest, so that a manifest cannot claim less than its steps promise. */
    void (*claims)(const lethe_values *v, lethe_json_doc *doc, lethe_json *claims);
    bool renames; /* gives rows another user: persons are then checked apart, before writing */
    bool sets; /* of records: is given sets, a person's records as one unless --persons is record */
    bool substitutes; /* what it publishes of a record need not be true of it: see its caveats */
    /* Draws rows that are no lines of the input, one for one: users and queries alone, without time
     * and click.  It is the last step, says which lines stand behind them (lethe_result.keep), and
     * counts them in its figure `rows_out`. */
    bool samples;
    bool ids;            /* clicked URLs become keyed identifiers unless --urls says otherwise */
    const char *sweep;   /* the option that `compare` varies */
    const char *compare; /* what it sets besides, where nobody says otherwise, so that all that is
                            required has a value: "m=2 n=0"; NULL: nothing */
    unsigned char good_for[LETHE_N_GOALS]; /* 0: not at all, to 3: as good as any */
    const char *keeps;                     /* what of the input, in one line, no full stop */
    const char *const *caveats;            /* what it does not protect against; ends with NULL */
    /* What it does not protect against with these options; returns how many.  NULL: nothing more.
     * `verify` calls it too, so that a manifest cannot keep quiet about it. */
    size_t (*warns)(const lethe_values *v, const char *out[LETHE_WARNS_MAX]);
    const char *example; /* a command line for the manual */
    lethe_method_fn run;
    const lethe_row_method *rows; /* in place of `run` */
    /* Where the lines are not a log's: the first lines of the file, ended by NUL, and whether ranks
     * and URLs are published.  A row's query is then all that stands between user and time, with
     * tabs. */
    void (*head)(const lethe_values *v, char out[LETHE_HEAD_MAX], bool *clicks);
} lethe_method;

/* The published files of a release, as checkers, measures and adversaries see them. */
typedef struct lethe_published lethe_published; /* src/model/data.h */

typedef struct lethe_notion {
    const char *name;
    const char *holds; /* when, in one sentence */
    unsigned shapes;
    /* Decides from the published bytes.  `claim` is the claim's object ("notion" and parameters).
     * LETHE_OK and *holds; where it does not hold, *why is an object with the first counterexample,
     * in `doc`.  Any failure to decide is an error, and the promise counts as broken. */
    lethe_err (*check)(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why);
    /* How many persons must stand behind the published rows with this query; 0: any number will do.
     * Asked before writing, where a step gave rows other users: the bytes alone cannot show
     * persons. NULL: the notion counts none. */
    uint64_t (*persons)(const lethe_json *claim, lethe_str query);
} lethe_notion;

/* What a release is still worth, and what it still gives away. */
typedef struct lethe_comparison lethe_comparison; /* src/model/data.h */
typedef lethe_err (*lethe_compare_fn)(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out);

typedef struct lethe_measure {
    const char *name;
    const char *summary;
    unsigned shapes;
    const lethe_option *options;
    const lethe_figure *figures;
    lethe_compare_fn run; /* adds its figures to `out` */
} lethe_measure;

typedef struct lethe_adversary {
    const char *name;
    const char *summary;
    unsigned shapes;
    const lethe_option *options;
    const char *needs;   /* an option without which it does not apply; NULL: none */
    const char *meaning; /* of `success`, in one sentence */
    /* Sets in `out`: `success`; `baseline`, the success of a random choice; where there is one,
     * `before`, the success on the original; and `meaning`. */
    lethe_compare_fn run;
} lethe_adversary;

const lethe_method *const *lethe_methods(void);          /* ends with NULL */
const lethe_notion *const *lethe_notions(void);          /* ends with NULL */
const lethe_measure *const *lethe_measures(void);        /* ends with NULL */
const lethe_adversary *const *lethe_adversaries(void);   /* ends with NULL */
const lethe_method *lethe_method_find(const char *name); /* NULL: no such */

LETHE_API_END
#endif
