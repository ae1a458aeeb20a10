/* SPDX-License-Identifier: Apache-2.0 */
/* command.h - what can be asked of lethe_call(), to be read: names, options, figures and texts of
 * all commands and methods.  The command line, help, manual pages and bindings are made from these.
 */
#ifndef LETHE_COMMAND_H
#define LETHE_COMMAND_H
#include "lethe/option.h"
LETHE_API_BEGIN

/* The kinds of data. */
typedef enum lethe_shape {
    LETHE_SHAPE_NONE = 0,
    LETHE_SHAPE_LOG = 1,
    LETHE_SHAPE_RECORDS = 2,
    LETHE_SHAPE_TABLE = 4,
    LETHE_SHAPE_SEALED = 8,  /* a log with locked queries: lethe-sealed(5) */
    LETHE_SHAPE_COUNTS = 16, /* items and how often each was counted, no users: lethe-release(5) */
} lethe_shape;               /* bits, so that several can be combined */

/* What a figure of a release is computed from. */
typedef enum lethe_figure_source {
    LETHE_FIGURE_ORIGINAL, /* the original too: it is the publisher's word, and `verify` checks no
                              more than whether it can be true of the published files */
    LETHE_FIGURE_RELEASE,  /* the published files: `verify` computes it again, provided that it is
                              a figure of the last step */
    LETHE_FIGURE_RUN, /* the run: seconds, and whatever depends on the number of threads.  It is in
                         the report of the run, but not in the manifest */
} lethe_figure_source;

typedef enum lethe_figure_kind {
    LETHE_FIGURE_COUNT,    /* a whole number, 0 or more */
    LETHE_FIGURE_NUMBER,   /* a number, 0 or more */
    LETHE_FIGURE_SHARE,    /* a number from 0 to 1 */
    LETHE_FIGURE_FLAG,     /* true or false */
    LETHE_FIGURE_COUNTS,   /* an object of counts */
    LETHE_FIGURE_SHARES,   /* an array of shares; null: there is none */
    LETHE_FIGURE_NAMES,    /* an array of texts */
    LETHE_FIGURE_NAMES_BY, /* an object of such arrays */
} lethe_figure_kind;

/* A figure in the `metrics` of a report. */
typedef struct lethe_figure {
    const char *name; /* NULL ends a table */
    const char *meaning;
    int better; /* +1: higher is better, -1: lower is better, 0: neither */
    /* Of a method's figures: */
    unsigned char source; /* lethe_figure_source */
    unsigned char kind;   /* lethe_figure_kind */
    bool optional;        /* depends on options or data whether there is one */
    /* For a person at a terminal: */
    bool detail;       /* shown only if everything is asked for (--explain) */
    const char *label; /* two to six words; NULL: the name, with spaces */
    const char *unit;  /* "per item, 0 to 1"; NULL: the label tells, and shares are in percent */
} lethe_figure;

/* Which of the options that commands share one accepts. */
enum {
    LETHE_TAKES_READING = 1,    /* from, columns, ... */
    LETHE_TAKES_PUBLISHING = 2, /* output, key-file, map, ... */
    LETHE_TAKES_FORCE = 4,
    LETHE_TAKES_COARSENING = 8, /* time, urls: it publishes rows of the input log */
    LETHE_TAKES_USERS = 16,     /* keep-users: it publishes a log */
    LETHE_TAKES_COLUMNS = 64,   /* keep, keep-min: it publishes further columns of a log */
    LETHE_TAKES_EXPLAIN = 32,   /* its report can be shown in part: the most important first */
};

/* A command, or a method, which is a step of the command `release`.  Its texts and tables belong to
 * the library and are constant. */
typedef struct lethe_command {
    size_t size; /* sizeof(lethe_command), set by the caller: members may be added at the end */
    const char *name;
    const char *group;           /* heading in an overview */
    const char *summary;         /* one line */
    const char *operands;        /* on a command line: "LOG...", "RELEASE", "" */
    const lethe_option *options; /* its own; NULL: none */
    unsigned takes;              /* of those that are shared: bits LETHE_TAKES_... */
    const char *description;     /* paragraphs for a manual, separated by blank lines */
    const lethe_figure
        *figures;        /* in `metrics` of the report; NULL: none, or those of the method */
    const char *example; /* a command line */
    /* Of methods; NULL, 0 and false for others. */
    const char *paper;     /* what it implements, and the section */
    const char *notion;    /* the privacy notion it promises */
    const char *knowledge; /* what it needs besides the input: "taxonomy", "directory", or NULL */
    const char *sweep;     /* the option that `compare` varies, or NULL */
    unsigned in, out;      /* kinds of data it accepts and produces: lethe_shape bits */
    bool chains;           /* a further step may follow */
} lethe_command;

/* The i-th of them, and one by its name; false: there is none.  First come commands, then methods.
 */
bool lethe_command_at(size_t i, lethe_command *out);
bool lethe_command_find(const char *name, lethe_command *out);
/* The options that commands share; ends with a NULL name. */
const lethe_option *lethe_common_options(void);
bool lethe_common_applies(const lethe_option *o, const lethe_command *c);

/* Hands out what releases of a method do not protect against, most important first; what depends on
 * an option says so ("With --suppress vioSA: ..."). */
void lethe_caveats_each(const char *method, void (*each)(void *user, const char *text), void *user);

/* What a method produces with these values of its options. */
lethe_shape lethe_command_shape(const lethe_command *method, const lethe_values *v);
/* Figures that releases of a shape have besides those of their methods; NULL: none. */
const lethe_figure *lethe_shape_figures(lethe_shape shape);
/* The figure of that name in a table; NULL: there is none, or `table` is NULL. */
const lethe_figure *lethe_figure_find(const lethe_figure *table, lethe_str name);
/* The figures of the i-th measure, and the shapes of releases it applies to; NULL: there are fewer.
 */
const lethe_figure *lethe_measure_figures(size_t i, unsigned *shapes);
/* Can this version check claims of that notion? */
bool lethe_notion_known(const char *name);
/* "log", "records", "table", "sealed" or "counts"; NULL for anything but one shape. */
const char *lethe_shape_name(unsigned shape);

LETHE_API_END
#endif
