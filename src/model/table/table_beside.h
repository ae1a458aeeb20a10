/* SPDX-License-Identifier: Apache-2.0 */
/* table_beside.h - a published table beside its original: the nodes of its values in the original's
 * hierarchies, and its groups of equal rows. */
#ifndef LETHE_MODEL_TABLE_TABLE_BESIDE_H
#define LETHE_MODEL_TABLE_TABLE_BESIDE_H
#include "model/data.h"
#include "model/published/published_table.h"

/* A quasi-identifier of both. */
typedef struct lethe_beside_qi {
    const lethe_published_column *column;
    const uint32_t *node;  /* by published value: its node in the original's tree */
    const uint32_t *value; /* by node of that tree: the published value at or above it; LETHE_NONE:
                              there is none */
    const double
        *lm; /* by published value: its LM, as taxonomy.tsv says; 0 in a tree of one leaf */
} lethe_beside_qi;

typedef struct lethe_table_beside {
    const lethe_table *original;
    lethe_published_table *published;
    lethe_beside_qi *qi;                 /* as the original has them */
    const lethe_published_column *sa;    /* NULL: none, */
    const lethe_published_column *class; /* as in the original */
    const lethe_published_column **keep; /* n_keep of the original; NULL: one is not published */
    uint32_t starred;      /* the number of `*` in sa->values; LETHE_NONE: not there */
    uint32_t n_groups;     /* rows with equal quasi-identifiers: */
    const uint32_t *group; /* by published row, numbered as they appear */
    const uint32_t *size;  /* by group: rows */
    uint64_t n_deleted;    /* rows of the original that are not published */
    lethe_dict *keys;      /* groups by the numbers of their values */
    lethe_arena *arena;
} lethe_table_beside;

/* Reads data.csv and taxonomy.tsv.  LETHE_EINPUT, with file and cause: what their readers refuse; a
 * quasi-identifier, sensitive column or class that is not there; a value that taxonomy.tsv lacks;
 * one that stands above another; a hierarchy that is not the original's, parents and leaves alike;
 * more rows than the original has. `original` is borrowed. */
LETHE_MUST_CHECK lethe_err lethe_table_beside_open(const lethe_published *p,
                                                   const lethe_table *original,
                                                   lethe_table_beside **out);
void lethe_table_beside_free(lethe_table_beside *b); /* NULL is fine */

/* The group that a person with these leaves would be found in; LETHE_NONE: there is none.  A leaf
 * may be LETHE_NONE.  Any thread; no allocation. */
uint32_t lethe_beside_group(const lethe_table_beside *b, const uint32_t *leaf);
/* The same for a row of the original. */
uint32_t lethe_beside_group_of(const lethe_table_beside *b, size_t row);

/* The leaf that a value of a quasi-identifier is, as an input would have it: spaces around it cut
 * off, `?` where it is empty, a number in any form; LETHE_NONE: the hierarchy lacks it. */
uint32_t lethe_qi_leaf(const lethe_qi *qi, lethe_str value);

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
