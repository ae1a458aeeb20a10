/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.h - sensitive values that a table does not show, guessed by who knows how many persons
 * each group has, and how the method suppresses.
 *
 * Who knows everybody's quasi-identifiers knows the size N of each group; what is starred there, or
 * missing, is hidden: h rows.  How they were chosen tells which values these may have
 * (docs/lplus.md, "What counting reveals"):
 *
 * - vioRec deletes no more than it must: values that stand at their threshold, floor(theta n) of
 * the n rows that are left;
 * - vioSA stars a value in all rows of a group or in none: values that the group does not show; and
 *   so it is with allSA;
 * - evenSA stars the commonest values of a group to equal counts: those that it shows most often,
 * or where it shows none any.
 *
 * Of several candidates each is as likely as it is common in the published table.  So value v has
 * the share (shown + h w) / N of the group's persons, where w is its weight among the candidates, 0
 * of others.  The guess is the value with the greatest; of equals the one that is commoner in the
 * published table, then the one whose name comes first.
 *
 * Who knows the class of each person as well does so in each class of a group by itself. */
#ifndef LETHE_ATTACK_HIDDEN_H
#define LETHE_ATTACK_HIDDEN_H
#include "model/table/table_beside.h"
#include "model/table/theta.h"

typedef enum lethe_hidden_scheme {
    LETHE_HIDDEN_ANY,      /* nothing is known of hidden values */
    LETHE_HIDDEN_AT_THETA, /* vioRec */
    LETHE_HIDDEN_UNSEEN,   /* vioSA, allSA */
    LETHE_HIDDEN_MOST      /* evenSA */
} lethe_hidden_scheme;

/* Groups do not overlap. */
typedef struct lethe_hidden {
    const lethe_table_beside *b;
    size_t sa; /* the column that is guessed */
    lethe_hidden_scheme scheme;
    const lethe_theta *theta; /* by the published column's numbers; NULL: there is none, and the
                                 scheme is not AT_THETA */
    bool by_class;            /* both tables have one */
} lethe_hidden;

typedef struct lethe_hidden_found {
    uint64_t persons; /* rows of the original that a published group is for */
    uint64_t right;   /* of these, how many have the value that is guessed of them */
    uint64_t above;   /* have a value, guessed or not, with a share above its threshold */
    uint64_t hidden;  /* are not shown with their value */
    uint64_t named;   /* of these, have the commonest candidate of their group; */
    uint64_t groups;  /* with hidden rows; */
    uint64_t single;  /* of which there is one candidate alone; */
    uint64_t exact;   /* and where all hidden rows have it: the original counts are known */
} lethe_hidden_found;

/* Memory is of `a`.  LETHE_ENOMEM is not reported. */
LETHE_MUST_CHECK lethe_err lethe_hidden_guess(const lethe_hidden *h, lethe_arena *a,
                                              lethe_hidden_found *out);

#endif
