/* SPDX-License-Identifier: Apache-2.0 */
/* group_price.h - what a group of rows costs: generalized, and as far as too many have one value,
 * suppressed.  J. Liu, 2010, sections 3.1.3 and 3.5.
 *
 * Prices are whole numbers.  LM is scaled: a quasi-identifier at its root costs `scale`. */
#ifndef LETHE_METHOD_TABLE_GROUP_PRICE_H
#define LETHE_METHOD_TABLE_GROUP_PRICE_H
#include "method/table/group_columns.h"

/* Is the value violated: of n rows, are `with` more than the share?  Rows up to 2^32.  The checker
 * has a function of its own (check/bounds.h). */
static inline bool lethe_theta_violated(lethe_theta t, uint64_t with, uint64_t n)
{
    return (lethe_theta_product)with * t.den > (lethe_theta_product)t.num * n;
}

/* In the order of the choices of --suppress and --cost. */
typedef enum lethe_group_suppress {
    LETHE_SUPPRESS_NONE,
    LETHE_SUPPRESS_VIO_SA,
    LETHE_SUPPRESS_ALL_SA,
    LETHE_SUPPRESS_VIO_REC,
    LETHE_SUPPRESS_ALL_REC,
    LETHE_SUPPRESS_EVEN_SA
} lethe_group_suppress;

/* Does the scheme star values, and keep all rows? */
static inline bool lethe_suppress_stars(lethe_group_suppress s)
{
    return s == LETHE_SUPPRESS_VIO_SA || s == LETHE_SUPPRESS_ALL_SA || s == LETHE_SUPPRESS_EVEN_SA;
}

typedef enum lethe_group_cost { LETHE_COST_LM, LETHE_COST_DM, LETHE_COST_CM } lethe_group_cost;

/* What is asked of every group, and how it is priced. */
typedef struct lethe_group_demand {
    lethe_group_suppress suppress;
    lethe_group_cost cost;
    const lethe_theta *theta; /* by sensitive value; NULL: none has a threshold */
    uint32_t n_sa;            /* sensitive values; 0: there are none, and no column */
    uint64_t k;               /* rows of a group at least; 1: any number */
    uint32_t distinct;        /* different sensitive values at least; 1: any number */
    uint32_t n_class;         /* CM: classes, at least 1 */
    uint64_t rows;            /* |T| */
    uint32_t n_qi;
    uint64_t scale;
    uint64_t deletion; /* LM of a deleted row, scaled: at least that of one at the roots, n_qi *
                          scale; 0: twice that */
    const uint64_t
        *price; /* LM of suppressing one row, or value, by sensitive value, scaled: each at
                   least n_qi * scale; NULL: of a row `deletion`, of a value n_qi * scale */
    /* What else is asked of sensitive columns, not with schemes that star; t-closeness with none
     * but LETHE_SUPPRESS_NONE.  Where there are several columns, `theta` is NULL and `distinct` 1;
     * with theta of several columns, vioRec is not defined. */
    const lethe_group_column *column;
    uint32_t n_columns;
    uint64_t k_map; /* rows of the population in a group at least; 0: any number */
} lethe_group_demand;

/* How many numbers lethe_group_counts.room has room for: three for each value or place. */
size_t lethe_group_room(const lethe_group_demand *d);

static inline uint64_t lethe_group_deletion(const lethe_group_demand *d)
{
    return d->deletion ? d->deletion : 2 * (uint64_t)d->n_qi * d->scale;
}

/* LM of suppressing one row, or value, that has the sensitive value (c_i of section 3.3). */
static inline uint64_t lethe_suppression_price(const lethe_group_demand *d, uint32_t value)
{
    if (d->price) return d->price[value];
    return lethe_suppress_stars(d->suppress) ? (uint64_t)d->n_qi * d->scale
                                             : lethe_group_deletion(d);
}

/* The sensitive values that the rows of a group have, ascending, with how many rows; where the
 * table has no such column, one value 0.  For CM also how many of each class: n_class counts a
 * value. */
typedef struct lethe_group_counts {
    uint64_t n; /* rows; 0: a group of the population alone, which costs nothing */
    uint32_t n_values;
    const uint32_t *value;
    const uint32_t *with;
    const uint32_t *of_class; /* CM only */
    uint64_t general;         /* LM of one row, scaled */
    uint64_t population;      /* rows of the population, where the demand has k_map */
    uint32_t *room; /* lethe_group_room() numbers, all 0 between uses; NULL: none needed */
} lethe_group_counts;

typedef struct lethe_group_price {
    bool valid;       /* false: no release may hold this group, and suppression may not mend it */
    uint64_t cost;    /* where valid */
    uint64_t deleted; /* rows */
    uint64_t starred; /* sensitive values */
    uint32_t class;   /* CM: the class that is kept: the one with most rows left, of equals the
                         smallest; rows of the others are deleted first */
} lethe_group_price;

/* The price of a group.  With the schemes that delete, cut[i] is how many rows of value[i] go; with
 * those that star, how many are starred: with[i] or 0, but with evenSA any number; else 0.  `cut`
 * has room for n_values numbers.
 *
 * evenSA: the commonest values are starred down to equal counts, so that in a fixed cut counting
 * does not tell which of them was too common (docs/lplus.md); all of a group that is too little
 * diverse for that is starred.  It needs one theta for all values.
 *
 * vioRec: the least numbers of rows to delete so that no value is violated in what is left (the
 * least fixpoint of Lemma 3.3).  k: a group under k rows (vioRec: left) violates, and so does one
 * that shows a sensitive value and fewer than `distinct` of them; allRec and vioRec delete all of
 * it, allSA stars all of it where only `distinct` is violated, otherwise it is not valid.  So it is
 * with k_map and what is asked of columns: vioRec deletes all of a group that does not keep it
 * after theta's deletions.  With suppress NONE, `valid` tells whether the group keeps all demands.
 */
lethe_group_price lethe_group_price_of(const lethe_group_demand *d, const lethe_group_counts *g,
                                       uint32_t *cut);

/* The price of a group that is starred or deleted as a whole, as the scheme does; not with NONE. */
lethe_group_price lethe_group_price_whole(const lethe_group_demand *d, const lethe_group_counts *g,
                                          uint32_t *cut);

/* How many of each value at least are starred, whichever way the group is split; returns the sum.
 * vioSA and allSA: Lemma 3.3, not iterated; theta = 1 is never violated.  evenSA: no group shows
 * more than its share. */
uint64_t lethe_group_least_starred(const lethe_group_demand *d, const lethe_group_counts *g,
                                   uint32_t *cut);

/* What suppressing cut[i] of each value costs by LM. */
uint64_t lethe_group_suppressed_cost(const lethe_group_demand *d, const lethe_group_counts *g,
                                     const uint32_t *cut);

/* So many rows at least are deleted by vioRec and allRec, whichever way the group is split.  `cut`
 * has room for n_values numbers. */
uint64_t lethe_group_least_deleted(const lethe_group_demand *d, const lethe_group_counts *g,
                                   uint32_t *cut);

#endif
