/* SPDX-License-Identifier: Apache-2.0 */
/* claim.h - reading a claim: the parameters of a notion as a table of fields, and one reader.
 *
 * A claim comes from a manifest, which anyone may have written.  A parameter that the notion does
 * not know would go unchecked, so the reader refuses it. */
#ifndef LETHE_CHECK_CLAIM_H
#define LETHE_CHECK_CLAIM_H
#include "core/diag.h"
#include "lethe/json.h"
#include "model/table/table.h"

typedef enum lethe_claim_type {
    LETHE_CLAIM_U32,     /* a whole number; to a uint32_t */
    LETHE_CLAIM_U64,     /* a whole number; to a uint64_t */
    LETHE_CLAIM_REAL,    /* a number; to a double */
    LETHE_CLAIM_BOOL,    /* to a bool */
    LETHE_CLAIM_TEXT,    /* any text; to a lethe_str, a view of the claim */
    LETHE_CLAIM_WORD,    /* the text choices[0], or absent; to a bool: is it there? */
    LETHE_CLAIM_CHOICE,  /* one of `choices`; its number to an unsigned or an enum */
    LETHE_CLAIM_SUBSET,  /* a list of `choices`, each at most once and in their order, not empty;
                            their bits to an unsigned */
    LETHE_CLAIM_COLUMN,  /* a column's name; to a lethe_str, a view of the claim */
    LETHE_CLAIM_COLUMNS, /* a list of 1 to LETHE_QI_MAX distinct columns that taxonomy.tsv can name;
                           to a lethe_claim_columns */
    LETHE_CLAIM_NAMES    /* a list of 1 to `max` distinct columns, at most LETHE_QI_MAX; to a
                            lethe_claim_columns */
} lethe_claim_type;

typedef struct lethe_claim_columns {
    size_t n;
    lethe_str at[LETHE_QI_MAX]; /* views of the claim */
} lethe_claim_columns;

typedef struct lethe_claim_field {
    const char *name;
    lethe_claim_type type;
    bool optional;              /* where it is absent, its place in the struct stays as it is */
    int64_t min, max;           /* of a number; max = 0: as large as its type holds */
    const char *const *choices; /* n_choices of them */
    uint32_t n_choices;
    size_t offset; /* of its place in the notion's struct */
} lethe_claim_field;

/* Fills the struct `out` from a claim of that notion.  LETHE_EINPUT, with a message, for what is no
 * object or is a claim of another notion, for a field that the table does not list, and for one
 * that is missing, ill-typed or out of its range; `out` is then partly filled.  `d` may be NULL. */
LETHE_MUST_CHECK lethe_err lethe_claim_read(lethe_diag *d, const lethe_json *claim,
                                            const char *notion, const lethe_claim_field *fields,
                                            size_t n, void *out);

/* The number of the text `v` among the choices; LETHE_NONE: it is none of them. */
uint32_t lethe_claim_choice(const lethe_json *v, const char *const *choices, uint32_t n);
static inline bool lethe_claim_is(const lethe_json *v, const char *text)
{
    return lethe_claim_choice(v, &text, 1) == 0;
}

/* Is the parameter a number, and so small or so large?  For lethe_notion.nothing, which may get any
 * claim: one that is not there, or no number, is neither. */
bool lethe_claim_at_most(const lethe_json *claim, const char *name, double most);
bool lethe_claim_at_least(const lethe_json *claim, const char *name, double least);

#endif
