/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - a table of persons: one row each, quasi-identifiers, sensitive values, a class
 * (docs/formats.md).
 *
 * Columns are coded by dictionaries; a quasi-identifier's values are leaves of its hierarchy. */
#ifndef LETHE_MODEL_TABLE_TABLE_H
#define LETHE_MODEL_TABLE_TABLE_H
#include "core/ctx.h"
#include "core/dict.h"
#include "core/need.h"
#include "model/tree/tree.h"

#define LETHE_QI_MAX 64
#define LETHE_MISSING "?" /* how a missing value is published: the input has it so, or empty */
#define LETHE_STARRED "*" /* a sensitive value that is not published */

/* Which columns are used, and their roles.  Lists are separated by commas; a name with a comma in
 * it is quoted as in CSV.  The class is taken as it is.  Spaces around a name are not part of it.
 */
typedef struct lethe_roles {
    const char *qi;    /* a list, at least one */
    const char *sa;    /* a list; NULL: none */
    const char *class; /* NULL: none */
    const char *keep;  /* NULL: none */
    bool no_qi;        /* there need not be one */
} lethe_roles;

/* A quasi-identifier: values are nodes of `tree`. */
typedef struct lethe_qi {
    lethe_str name;
    lethe_tree *tree;
    const uint32_t *leaf; /* by row */
    bool ordered;         /* made by --ranges: leaves stand in the order of numbers */
    /* --ranges COLUMN=values: a group publishes the range of the numbers in it.  The tree has a
     * root, named as the range of all numbers, and the numbers present as leaves 1, 2, ... rising
     * (or the root alone, where there is one number).  By node of it, for leaves: (number - least)
     * / (greatest - least), so that LM of a range is position[high] - position[low].  NULL: the
     * tree's nodes are published. */
    const double *position;
} lethe_qi;

/* Another column that is published. */
typedef struct lethe_column {
    lethe_str name;
    lethe_dict *values;
    const uint32_t *code; /* by row: a number in `values`, in order of first appearance */
    lethe_tree *tree;     /* of a sensitive column that was read with a hierarchy; else NULL */
    const uint32_t *leaf; /* by value: its leaf there */
} lethe_column;

typedef struct lethe_table {
    size_t n; /* rows */
    size_t n_qi, n_sa, n_keep;
    lethe_qi *qi;          /* in the order of --qi */
    lethe_column *sa;      /* in the order of --sa; NULL: none */
    lethe_column *class;   /* NULL: none */
    lethe_column *keep;    /* in the order of the header */
    const uint32_t *order; /* the published columns as the input's header has them: i < n_qi: qi[i];
                              then sa[i], class (also where there is none), keep[i] */
    size_t n_order;
    bool lacks_hierarchies; /* its owner's: those that are made from values stand in for them */
    const uint64_t *origin; /* by row: its number among the input's rows from 0, header aside and
                               those counted that were rejected or dropped: as counts.read counts */
    struct {
        uint64_t read;         /* rows of the input: header aside, a row over several lines is one,
                                  but one whose quotes are wrong or that is too long counts for all of
                                  them: it may have taken others in */
        uint64_t rejected;     /* did not parse, or has a value that its hierarchy lacks */
        uint64_t missing;      /* left out for a missing value (--missing drop), otherwise good */
        uint64_t invalid_utf8; /* rows, not rejected, with bytes replaced by U+FFFD in a column that
                                  is used */
    } counts;
    uint64_t text_bytes; /* of all values, each with a separator */
    lethe_arena *arena;  /* this and all of the above lives there, or is freed with it */
} lethe_table;

void lethe_table_free(lethe_table *t);               /* NULL is fine */
lethe_sizes lethe_table_sizes(const lethe_table *t); /* how much there is, with its hierarchies */

/* How to read one. */
typedef struct lethe_table_read_options {
    lethe_roles roles;
    char delimiter; /* 0: guessed from the header; a comma where that has none */
    bool strict;
    const char *encoding;   /* as iconv names it; NULL: guessed */
    const char *null_texts; /* as in lethe_read_options; NULL: none */
    bool drop_missing; /* leave out rows with a missing value in a column that is used, for whatever
                          role; else it is a value `?`: of a quasi-identifier whose hierarchy lacks
                          it, a leaf of its own below the root, behind all others */
    /* Hierarchies by quasi-identifier, in their order; NULL where there is none: then ranges[i], or
     * if that is NULL too all values stand below one root `*`, in the order of their bytes.  They
     * are the caller's; the table has copies (a value that names an inner node gets a leaf of its
     * own, as lethe_tree_grow makes it).  Either array may be NULL: there are none. */
    const lethe_tree *const *hierarchy;
    const struct lethe_ranges *const *ranges;
    const lethe_tree *const
        *sensitive; /* likewise by sensitive column; NULL where none is needed */
    /* Called once, when all columns are known and those of the roles are among them, before the
     * hierarchies are looked at: it may still set them.  What it fails with, it reports. */
    lethe_err (*columns_seen)(void *ctx, const lethe_str *column, size_t n);
    void *seen_ctx;
} lethe_table_read_options;

/* --ranges: "age=5,10,20,40" makes of a column of numbers a hierarchy: leaves, intervals of each
 * width in turn, each a multiple of the one before, aligned to multiples of it, all below `*`.
 * "age=17-90:5,10" says the domain: the leaves are its whole numbers, and a value outside it is
 * rejected.  Without: from the least to the greatest value present, whole numbers (a million at
 * most; beyond that, and where a value has decimals, the values present are the leaves).  Several
 * columns are separated by semicolons.  An interval is called "20-24" (whole numbers, both ends
 * within; cut to the domain), of decimals "[20,25)".  An interval with one child is that child.
 *
 * "age=values" has no fixed ranges: each group publishes the least and the greatest of its numbers
 * (lethe_qi.position).  Each value must be a number; one that is not, or is missing, is
 * LETHE_EINPUT with its line and text.
 *
 * A number is of digits, perhaps after a minus, perhaps with at most nine decimals, from -10^15 to
 * 10^15; one number is one leaf, however it is written ("007", "7.0"), called as it is written
 * shortest.  A domain has a million numbers at most. */
typedef struct lethe_ranges {
    lethe_str column;
    bool has_domain;
    int64_t least, greatest;
    size_t n;
    const uint64_t *width; /* rising, each a multiple of the one before */
    bool values;           /* "age=values": no widths, but ranges of the values present */
} lethe_ranges;
/* In `a`.  LETHE_EUSAGE with what is wrong, a column twice too.  NULL is an empty list. */
LETHE_MUST_CHECK lethe_err lethe_ranges_parse(lethe_diag *d, lethe_arena *a, const char *text,
                                              lethe_ranges **out, size_t *n);
/* Is there a column with ranges of values in the option?  false where it cannot be parsed, too. */
bool lethe_ranges_have_values(const char *text);
/* --weights: "age=2,zip=0.5", a weight from 0.001 to 1000 with at most three decimals for some of
 * these columns, in thousandths to weight[0] .. weight[n - 1]; 1000 for the others.  NULL is an
 * empty list.  LETHE_EUSAGE with what is wrong: another column, one twice, no such number. */
LETHE_MUST_CHECK lethe_err lethe_weights_parse(lethe_diag *d, const char *text,
                                               const lethe_str *column, size_t n, uint32_t *weight);
/* A list of column names, as in lethe_roles; views in `a`.  LETHE_EUSAGE: an empty name, or a name
 * twice.  NULL is an empty list. */
LETHE_MUST_CHECK lethe_err lethe_names_parse(lethe_diag *d, lethe_arena *a, const char *text,
                                             lethe_str **out, size_t *n);
/* --- names of columns in messages --- */

enum { LETHE_NAMES_SHOWN = 320 };
/* "age, sex, zip", cut with dots where it gets long. */
void lethe_names_show(char out[LETHE_NAMES_SHOWN], const lethe_str *name, size_t n);
/* The name nearest to what was typed, without regard to case; *out = n: none is near.  Does not
 * report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_column_nearest(lethe_str typed, const lethe_str *name, size_t n,
                                                size_t *out);
/* Where a column was asked for that is not there. */
typedef struct lethe_column_asked {
    lethe_err err;      /* LETHE_EUSAGE or LETHE_EINPUT */
    const char *file;   /* whose columns they are, and the line of its header; NULL: none */
    uint64_t line;      /* of the header */
    const char *option; /* that names the column; NULL: not said */
    const char *among;  /* which ones are listed; NULL: "the columns" */
} lethe_column_asked;
/* Reports `unknown column 'Age': the columns are age, sex (did you mean 'age'?)`; asked->err. */
LETHE_MUST_CHECK lethe_err lethe_column_unknown(lethe_diag *d, const lethe_column_asked *asked,
                                                lethe_str typed, const lethe_str *name, size_t n);

/* Do the roles fit each other?  LETHE_EUSAGE: no quasi-identifier, over LETHE_QI_MAX of them, a
 * column with two roles. */
LETHE_MUST_CHECK lethe_err lethe_roles_check(lethe_diag *d, const lethe_roles *r);

/* Files of CSV with a header, read one after the other (the headers must be the same); "-":
 * standard input, once.  Quotes as in RFC 4180; spaces around a field are not part of it; CRLF, a
 * missing last LF, a byte order mark, compression are fine; blank lines are skipped.
 *
 * Rejected, counted and named as records are (records.h), by column name where there is one:
 * another number of fields than the header, a field (also of a column that is not used) with a TAB,
 * CR, LF or NUL, an open quote or text after a closing one, a value that begins with a quote behind
 * a space (which CSV takes for text), a row over 1 MiB, a value that the hierarchy lacks, a number
 * that is none or outside its domain, a sensitive value `*`.  LETHE_EINPUT: the first of them with
 * `strict`; more than a tenth of all rows; no header; a header that has a name twice or an empty
 * one, or one that is not UTF-8 or has a TAB, CR, LF or NUL in it; another header than the first
 * file's; a column of the roles that is not there; no row at all, or none without a missing value
 * where these are dropped.  LETHE_EUSAGE: what lethe_roles_check refuses; a delimiter that is a
 * quote or a line end; standard input twice.  More than 2^32 - 2 rows: LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_table_read(lethe_ctx *ctx, const char *const *paths, size_t n,
                                            const lethe_table_read_options *how, lethe_table **out);
LETHE_MUST_CHECK lethe_err lethe_table_memory(lethe_ctx *ctx, lethe_str bytes,
                                              const lethe_table_read_options *how,
                                              lethe_table **out);

#endif
