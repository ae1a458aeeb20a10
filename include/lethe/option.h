/* SPDX-License-Identifier: Apache-2.0 */
/* option.h - tables of options.  Parsing, help, manual pages and manifests are all made from them.
 */
#ifndef LETHE_OPTION_H
#define LETHE_OPTION_H
#include "lethe/json.h"
LETHE_API_BEGIN

typedef enum lethe_option_type {
    LETHE_OPT_FLAG,
    LETHE_OPT_COUNT,    /* a whole number within min..max */
    LETHE_OPT_REAL,     /* a number within min..max, "0.25" or "1/3" */
    LETHE_OPT_CHOICE,   /* one of the words in `arg`, such as "users|queries|rows" */
    LETHE_OPT_TEXT,     /* anything */
    LETHE_OPT_PATH,     /* a file name; never written to a manifest */
    LETHE_OPT_DURATION, /* 90s, 60m, 1h, 2d; stored in seconds */
    LETHE_OPT_SIZE,     /* 200M, 16G; stored in bytes */
    LETHE_OPT_SET,      /* some of the words in `arg`, separated by commas; stored as bits */
} lethe_option_type;

typedef struct lethe_option {
    const char *name; /* long name without dashes; NULL ends a table */
    char letter;      /* short name, or 0 */
    lethe_option_type type;
    const char *arg;      /* name of the value in the help; the words of a CHOICE or SET */
    const char *fallback; /* the default, as a user would type it; NULL: none */
    double min, max;      /* range of numbers; both 0: any */
    const char *help;     /* one line, without the default and without a full stop */
    const char *word; /* words accepted besides a number, duration or file: "all", "auto|none"; they
                         are written to a manifest, unlike file names */
    bool required;
    bool secret; /* never written to a manifest (seeds, keys) */
    bool told;   /* of a PATH: a manifest says `true` if it was given; read back from there, the
                    value is given and has no text */
    char unit;   /* of a REAL: a letter that may follow the number (6l); `count` is then 1 */
} lethe_option;

typedef struct lethe_value {
    bool given;    /* by the user */
    bool present;  /* given, or has a default */
    bool word;     /* it is one of the option's words; `count` is the number of the word */
    int64_t count; /* COUNT, DURATION, SIZE; FLAG: 1; CHOICE: number of the word; SET: bits; REAL:
                      1 if its unit follows */
    double real;
    const char *text; /* as typed, borrowed from the caller or the table; NULL if read from a
                         manifest that only says that a file was given */
} lethe_value;

/* A table and one value per option. */
typedef struct lethe_values {
    const lethe_option *table;
    lethe_value *at;
    size_t n;
} lethe_values;

size_t lethe_option_count(const lethe_option *table); /* 0 for NULL */
/* Sets all values to their defaults.  `at` is borrowed and has room for lethe_option_count()
 * values. */
void lethe_values_init(lethe_values *v, const lethe_option *table, lethe_value *at);
/* Sets the i-th value; LETHE_EUSAGE with a message if the text does not match the type or range.
 * The text is borrowed. */
LETHE_MUST_CHECK lethe_err lethe_values_set(lethe_values *v, size_t i, const char *text,
                                            lethe_diag *d);
/* LETHE_EUSAGE with a message if a required value is missing; `command` is used in the message. */
LETHE_MUST_CHECK lethe_err lethe_values_check(const lethe_values *v, const char *command,
                                              lethe_diag *d);

/* The value of an option; NULL if the table has no such option. */
const lethe_value *lethe_value_find(const lethe_values *v, const char *name);
/* The same for an option that must be in the table. */
const lethe_value *lethe_value_of(const lethe_values *v, const char *name);
static inline int64_t lethe_count_of(const lethe_values *v, const char *name)
{
    return lethe_value_of(v, name)->count;
}

/* The values as an object for a manifest: without secrets and file names (see `told`). */
lethe_json *lethe_values_json(lethe_json_doc *doc, const lethe_values *v);

LETHE_API_END
#endif
