/* SPDX-License-Identifier: Apache-2.0 */
/* table_groups.h - the common part of the notions about tables: claims, and the published rows in
 * groups with equal quasi-identifiers.
 *
 * An adversary who knows a person's values finds the rows whose published values are at or above
 * these.  They are one group only if no published value of a column is above another: taxonomy.tsv
 * must show that.
 *
 * A claim may say that groups overlap: then this is not demanded, and the rows found are those of
 * several groups.  Whether a row is found depends on nothing but its published quasi-identifiers,
 * which all rows of its group share: so the rows found are a union of whole groups.  Let each of
 * groups G1, G2, .. with n1, n2, .. rows keep a promise; then their union does, which has n1 + n2 +
 * .. rows.  It has at least k rows where one group has.  A value that has at most theta * ni rows
 * of each has at most theta * (n1 + n2 + ..) of all.  It shows at least the values that one of the
 * groups shows.  In general the distribution of the union is a mixture of those of the groups, so
 * whatever is kept by mixtures is kept by it.  A person whose row was deleted, or who is not in the
 * table, finds a union of groups, too, or nothing. */
#ifndef LETHE_CHECK_TABLE_TABLE_GROUPS_H
#define LETHE_CHECK_TABLE_TABLE_GROUPS_H
#include "check/claim.h"
#include "io/json/json.h"
#include "model/data.h"
#include "model/published/published_table.h"
#include "model/table/table.h"

/* --- claims --- */

typedef struct lethe_group_claim {
    lethe_claim_columns qi;
    lethe_str sa;   /* n is 0: the notion asks for none */
    uint64_t count; /* k or l */
    bool overlap;   /* a published value may be above another */
} lethe_group_claim;

/* Rows of a notion's table of fields. */
#define LETHE_CLAIM_QI                                                                             \
    {                                                                                              \
        "qi", LETHE_CLAIM_COLUMNS, .offset = offsetof(lethe_group_claim, qi)                       \
    }
#define LETHE_CLAIM_SA                                                                             \
    {                                                                                              \
        "sa", LETHE_CLAIM_COLUMN, .offset = offsetof(lethe_group_claim, sa)                        \
    }
#define LETHE_CLAIM_ROWS(name)                                                                     \
    {                                                                                              \
        name, LETHE_CLAIM_U64, .min = 1, .offset = offsetof(lethe_group_claim, count)              \
    }

/* "groups": "overlap" says that a published value may be above another.  Then a person may fit
 * several groups; each keeps the promise by itself, and so do their rows together. */
#define LETHE_CLAIM_OVERLAP                                                                        \
    {                                                                                              \
        "groups", LETHE_CLAIM_WORD, .optional = true, .choices = lethe_overlap_word,               \
                                    .n_choices = 1, .offset = offsetof(lethe_group_claim, overlap) \
    }
extern const char *const lethe_overlap_word[1];

/* --- groups --- */

typedef struct lethe_groups {
    const lethe_published_table *table;
    lethe_published_table *own; /* it, where it was read here; NULL: it is lethe_published.table,
                                   whose values stand for themselves: no taxonomy is read, and one
                                   may be above another */
    lethe_arena *arena;         /* for the order of rows */
    const lethe_published_column *qi[LETHE_QI_MAX];
    size_t n_qi;
    const lethe_published_column *sa; /* NULL: none */
    uint32_t starred;                 /* the number of `*` there; LETHE_NONE: none is starred */
    /* All rows: those of a group stand together, in it those with the same sensitive value, and
     * these in the order of the file. */
    const uint32_t *row;
} lethe_groups;

/* Reads data.csv and taxonomy.tsv.  A release whose groups cannot be judged by themselves (a value
 * that taxonomy.tsv lacks, one above another unless groups overlap, a lowest node that is not
 * published) makes *fault a
 * counterexample, in `doc`, and leaves *out alone.  LETHE_EINPUT: the files are malformed, or the
 * claim names a column that is not there. */
LETHE_MUST_CHECK lethe_err lethe_groups_read(lethe_published *p, const lethe_group_claim *claim,
                                             lethe_json_doc *doc, lethe_json **fault,
                                             lethe_groups **out);
void lethe_groups_free(lethe_groups *g); /* NULL is fine */

/* Rows row[from] .. row[end - 1]. */
typedef struct lethe_stretch {
    size_t from, end;
} lethe_stretch;
/* The stretch after *s (at first {0, 0}) that is a group; false: there is none. */
bool lethe_group_next(const lethe_groups *g, lethe_stretch *s);
/* The same of rows with one sensitive value, inside `group`; at first {group.from, group.from}. */
bool lethe_group_value_next(const lethe_groups *g, lethe_stretch group, lethe_stretch *s);
/* The first row of the stretch in the order of the file. */
uint32_t lethe_group_first(const lethe_groups *g, lethe_stretch s);

/* --- counterexamples --- */

/* {"line": N}: where the row, from 0, stands in data.csv. */
lethe_json *lethe_row_fault(lethe_json_doc *doc, uint32_t row, const char *reason);
/* The same for the first row with the column's value number `code`. */
lethe_json *lethe_value_fault(lethe_json_doc *doc, const lethe_groups *g,
                              const lethe_published_column *c, uint32_t code, const char *reason);
/* Sets the answer.  Reports LETHE_ENOMEM of `doc`. */
LETHE_MUST_CHECK lethe_err lethe_group_verdict(lethe_published *p, lethe_err e, lethe_json_doc *doc,
                                               lethe_json *fault, bool *holds, lethe_json **why);

#endif
