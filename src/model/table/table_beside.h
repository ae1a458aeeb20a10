/* SPDX-License-Identifier: Apache-2.0 */
/* table_beside.h - a published table beside its original: which published values stand at or above
 * each value of the original, and its groups of equal rows.
 *
 * Groups overlap where a claim says so ("groups": "overlap"): then a published value may stand
 * above another, and a person may fit several groups.
 *
 * Where the original's hierarchies are not at hand (lethe_table.lacks_hierarchies), a value is
 * placed by what the release shows: it is published as it is, or names a listed node.  What other
 * published values may hold is in doubt, until a map tells.  The names
 * of nodes are not taken for what they seem to say: `20-39` of ARX's hierarchy of ages holds the
 * numbers from 21 to 40. */
#ifndef LETHE_MODEL_TABLE_TABLE_BESIDE_H
#define LETHE_MODEL_TABLE_TABLE_BESIDE_H
#include "model/data.h"
#include "model/published/published_table.h"

typedef enum lethe_beside_kind {
    LETHE_BESIDE_TREE,  /* the hierarchy of the original is known */
    LETHE_BESIDE_SPANS, /* ranges of values (--ranges COLUMN=values), which may overlap */
    LETHE_BESIDE_PLACED /* the hierarchy is not known, and values are placed */
} lethe_beside_kind;

/* A quasi-identifier of both. */
typedef struct lethe_beside_qi {
    const lethe_published_column *column;
    lethe_beside_kind kind;
    const uint32_t *node; /* TREE: by published value, its node in the original's tree; else NULL */
    const double *lm; /* by published value: its LM, as taxonomy.tsv says; of ranges their width by
                         that of the root; 0 where all values are one */
    /* By node of the original's tree (but for TREE, leaves alone), the lowest published value at or
     * above it; by published value, the next above that.  LETHE_NONE: there is none.  Of SPANS
     * both are NULL. */
    const uint32_t *lowest, *next;
    /* SPANS: leaves in the order of their numbers.  By node of the original's tree its place; by
     * published value the places low .. high - 1. */
    const uint32_t *place, *low, *high;
    uint32_t n_places;
    /* PLACED: */
    const lethe_published_hierarchy *listed;
    const uint32_t *at; /* by published value: its node in `listed` */
    const bool *closed; /* by published value: it is a leaf for certain, and holds no other value */
    const bool *open;   /* by node of `listed`: a published value that is not closed is below it */
    uint32_t *known;    /* by leaf of the original: the lowest node in `listed` that is known to be
                           at or above it */
    bool *doubt;        /* by leaf: other published values may be above it too */
    uint32_t n_doubts;
    uint32_t doubtful; /* a leaf in doubt that a row of the original has; LETHE_NONE: none is */
    const uint64_t *perhaps; /* by published value: rows of the original in doubt that may be below
                                it */
} lethe_beside_qi;

typedef struct lethe_table_beside {
    const lethe_table *original;
    lethe_published_table *published;
    lethe_beside_qi *qi;                 /* as the original has them */
    size_t n_sa;                         /* sensitive columns, as in the original: */
    const lethe_published_column **sa;   /* n_sa */
    uint32_t *starred;                   /* n_sa: the number of `*` there; LETHE_NONE: not there */
    const lethe_published_column *class; /* NULL: none, as in the original */
    const lethe_published_column **keep; /* n_keep of the original; NULL: one is not published */
    bool overlap;                        /* groups may */
    uint32_t n_groups;                   /* rows with equal quasi-identifiers: */
    const uint32_t *group;               /* by published row, numbered as they appear */
    const uint32_t *size;                /* by group: rows */
    uint64_t n_deleted;                  /* rows of the original that are not published */
    lethe_dict *keys;                    /* groups by the numbers of their values */
    lethe_published_hierarchies *hierarchies;
    lethe_arena *arena;
} lethe_table_beside;

/* Reads data.csv and taxonomy.tsv.  LETHE_EINPUT, with file and cause: what their readers refuse; a
 * quasi-identifier, sensitive column or class that is not there; a value that taxonomy.tsv lacks;
 * one that stands above another, unless groups overlap; a hierarchy that is not the original's,
 * parents and leaves alike; a range of values that is none; more rows than the original has.
 * `original` is borrowed. */
LETHE_MUST_CHECK lethe_err lethe_table_beside_open(const lethe_published *p,
                                                   const lethe_table *original,
                                                   lethe_table_beside **out);
void lethe_table_beside_free(lethe_table_beside *b); /* NULL is fine */

/* Learns from a map where values in doubt are; `row` is by row of the original, as
 * lethe_table_map_read has it.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_beside_learn(lethe_table_beside *b, const uint64_t *row);
/* The first quasi-identifier with a value in doubt; LETHE_NONE: there is none. */
uint32_t lethe_beside_doubt(const lethe_table_beside *b);
/* Rows of the original of which it is not known whether they are below the published value. */
uint64_t lethe_beside_perhaps(const lethe_beside_qi *qi, uint32_t value);

/* Does the published value stand at or above the leaf, as far as is known? */
bool lethe_beside_covers(const lethe_beside_qi *qi, uint32_t value, uint32_t leaf);

/* The group that a person with these leaves would be found in; LETHE_NONE: there is none.  A leaf
 * may be LETHE_NONE.  Any thread; no allocation.  Not where groups overlap. */
uint32_t lethe_beside_group(const lethe_table_beside *b, const uint32_t *leaf);
/* The same for a row of the original. */
uint32_t lethe_beside_group_of(const lethe_table_beside *b, size_t row);

/* The leaf that a value of a quasi-identifier is, as an input would have it: spaces around it cut
 * off, `?` where it is empty, a number in any form; LETHE_NONE: the hierarchy lacks it. */
uint32_t lethe_qi_leaf(const lethe_qi *qi, lethe_str value);

/* --- groups that a person fits --- */

/* An index of the groups by their values, column by column, which finds all groups that a person
 * fits without looking at the others.  What two persons in a row have in common, in the columns of
 * `order`, is looked up once: persons are best asked for in that order. */
typedef struct lethe_beside_fits lethe_beside_fits;
LETHE_MUST_CHECK lethe_err lethe_beside_fits_new(const lethe_table_beside *b,
                                                 lethe_beside_fits **out);
void lethe_beside_fits_free(lethe_beside_fits *f);                 /* NULL is fine */
const size_t *lethe_beside_fits_order(const lethe_beside_fits *f); /* n_qi columns */
/* The groups of a person with these leaves, of which any may be LETHE_NONE; they live until the
 * next call.  Neither function reports LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_beside_fit(lethe_beside_fits *f, const uint32_t *leaf,
                                            const uint32_t **group, size_t *n);

/* --- groups of equal rows --- */

/* Numbers rows by what they have in columns of numbers: (*of)[row], from 0 in the order of first
 * appearance, in `a`; returns through *n how many there are.  `keys` has one key per number: the
 * columns' numbers one after the other.  Does not report LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_rows_group(lethe_arena *a, lethe_dict *keys, size_t n_rows,
                                            const uint32_t *const *column, size_t n_columns,
                                            uint32_t **of, uint32_t *n);
/* By number in `to`, what it is in `from`; LETHE_NONE: not there.  In `a`; NULL: no memory. */
uint32_t *lethe_dict_translate(lethe_arena *a, const lethe_dict *from, const lethe_dict *to);

#endif
