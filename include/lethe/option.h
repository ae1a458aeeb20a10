/* option.h - options as tables: parsing, help, manual and manifest are all made from them. */
#ifndef LETHE_OPTION_H
#define LETHE_OPTION_H
#include "lethe/json.h"
LETHE_API_BEGIN

typedef enum lethe_option_type {
    LETHE_OPT_FLAG,
    LETHE_OPT_COUNT,    /* a whole number within min..max */
    LETHE_OPT_REAL,     /* a number within min..max */
    LETHE_OPT_CHOICE,   /* one of `arg`, written "users|queries|rows" */
    LETHE_OPT_TEXT,     /* anything */
    LETHE_OPT_PATH,     /* a file; its name is never written to the manifest */
    LETHE_OPT_DURATION, /* 90s, 60m, 1h, 2d; kept in seconds */
    LETHE_OPT_SIZE,     /* 200M, 16G; kept in bytes */
    LETHE_OPT_SET,      /* some of `arg`, written "ssn|card", parted by commas; kept as bits */
} lethe_option_type;

typedef struct lethe_option {
    const char *name; /* long name without dashes; ends a table when NULL */
    char letter;      /* short name, or 0 */
    lethe_option_type type;
    const char *arg;      /* how the value is called in the help; the choices of a CHOICE */
    const char *fallback; /* as a user would type it; NULL: none */
    double min, max;      /* both 0: any */
    const char *help;     /* one line, no full stop */
    const char *word; /* taken besides a number, duration or file: "all", "auto|none"; of a file,
                         only such a word is written to the manifest */
    bool required;
    bool secret; /* never written to the manifest (seeds, keys) */
    bool told; /* of a file: that one was given is written to the manifest as true, its name never;
                  read from there, it is given and has no text */
} lethe_option;

typedef struct lethe_value {
    bool given;    /* by the user */
    bool present;  /* given, or has a fallback */
    bool word;     /* one of the option's words: count is its number */
    int64_t count; /* COUNT, DURATION, SIZE; FLAG: 1; CHOICE: its number; SET: 1 << number each */
    double real;
    const char *text; /* as typed; borrowed from argv or the table; of a file that a manifest only
                         tells of: NULL */
} lethe_value;

/* A table and a value for each of its rows. */
typedef struct lethe_values {
    const lethe_option *table;
    lethe_value *at;
    size_t n;
} lethe_values;

size_t lethe_option_count(const lethe_option *table);
/* All values at their fallbacks.  `at` has room for lethe_option_count() values. */
void lethe_values_init(lethe_values *v, const lethe_option *table, lethe_value *at);
/* Sets one; LETHE_EUSAGE with a message where the text does not fit type or range. */
LETHE_MUST_CHECK lethe_err lethe_values_set(lethe_values *v, size_t i, const char *text,
                                            lethe_diag *d);
/* LETHE_EUSAGE where a required one is missing. `command` is for the message. */
LETHE_MUST_CHECK lethe_err lethe_values_check(const lethe_values *v, const char *command,
                                              lethe_diag *d);

/* By name; NULL: the table has no such row. */
const lethe_value *lethe_value_find(const lethe_values *v, const char *name);
/* By name; the name must be in the table. */
const lethe_value *lethe_value_of(const lethe_values *v, const char *name);
static inline int64_t lethe_count_of(const lethe_values *v, const char *name)
{
    return lethe_value_of(v, name)->count;
}

/* Every parameter but secrets and paths, as an object; of paths that are told, true. */
lethe_json *lethe_values_json(lethe_json_doc *doc, const lethe_values *v);

LETHE_API_END
#endif
