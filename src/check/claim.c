/* SPDX-License-Identifier: Apache-2.0 */
/* claim.c - reads the parameters of a claim by the table of its notion, and says what is wrong with
 * those that it refuses. */
#include "check/claim.h"
#include <stdio.h>

#define MALFORMED "malformed claim: "

uint32_t lethe_claim_choice(const lethe_json *v, const char *const *choices, uint32_t n)
{
    if (lethe_json_kind(v) != LETHE_JSON_TEXT) return LETHE_NONE;
    for (uint32_t i = 0; i < n; i++)
        if (lethe_str_eq(lethe_json_text(v), lethe_str_of(choices[i]))) return i;
    return LETHE_NONE;
}

/* --- values --- */

static int64_t most_of(const lethe_claim_field *f)
{
    if (f->max > 0) return f->max;
    return f->type == LETHE_CLAIM_U32 ? UINT32_MAX : INT64_MAX;
}

static bool number_read(const lethe_claim_field *f, const lethe_json *v, void *to)
{
    lethe_json_type kind = lethe_json_kind(v);
    if (f->type == LETHE_CLAIM_REAL) {
        double x = lethe_json_real(v);
        *(double *)to = x;
        return (kind == LETHE_JSON_REAL || kind == LETHE_JSON_INT) && x >= (double)f->min &&
               (f->max == 0 || x <= (double)f->max);
    }
    int64_t i = lethe_json_int(v);
    if (kind != LETHE_JSON_INT || i < f->min || i > most_of(f)) return false;
    if (f->type == LETHE_CLAIM_U32)
        *(uint32_t *)to = (uint32_t)i;
    else
        *(uint64_t *)to = (uint64_t)i;
    return true;
}

static bool subset_read(const lethe_claim_field *f, const lethe_json *v, unsigned *bits)
{
    size_t n = lethe_json_kind(v) == LETHE_JSON_ARRAY ? lethe_json_count(v) : 0;
    *bits = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t choice = lethe_claim_choice(lethe_json_at(v, i), f->choices, f->n_choices);
        if (choice == LETHE_NONE || *bits >> choice != 0) return false;
        *bits |= 1u << choice;
    }
    return n > 0;
}

static bool column_read(const lethe_json *v, lethe_str *out)
{
    *out = lethe_json_text(v);
    return lethe_json_kind(v) == LETHE_JSON_TEXT && out->n > 0;
}

/* taxonomy.tsv writes `COLUMN=value`, so a name with that sign could be read in two ways. */
static bool columns_read(const lethe_claim_field *f, const lethe_json *v, lethe_claim_columns *out)
{
    size_t n = lethe_json_kind(v) == LETHE_JSON_ARRAY ? lethe_json_count(v) : 0,
           most = f->max > 0 ? (size_t)f->max : LETHE_QI_MAX;
    bool in_tree = f->type == LETHE_CLAIM_COLUMNS;
    if (n == 0 || n > most) return false;
    for (out->n = 0; out->n < n; out->n++) {
        lethe_str *name = &out->at[out->n];
        if (!column_read(lethe_json_at(v, out->n), name) ||
            (in_tree && memchr(name->at, '=', name->n)) || memchr(name->at, '\t', name->n))
            return false;
        for (size_t i = 0; i < out->n; i++)
            if (lethe_str_eq(out->at[i], *name)) return false;
    }
    return true;
}

static bool value_read(const lethe_claim_field *f, const lethe_json *v, void *to)
{
    lethe_json_type kind = lethe_json_kind(v);
    switch (f->type) {
    case LETHE_CLAIM_U32:
    case LETHE_CLAIM_U64:
    case LETHE_CLAIM_REAL:
        return number_read(f, v, to);
    case LETHE_CLAIM_BOOL:
        *(bool *)to = lethe_json_bool(v);
        return kind == LETHE_JSON_BOOL;
    case LETHE_CLAIM_TEXT:
        *(lethe_str *)to = lethe_json_text(v);
        return kind == LETHE_JSON_TEXT;
    case LETHE_CLAIM_WORD:
        return *(bool *)to = lethe_claim_is(v, f->choices[0]);
    case LETHE_CLAIM_CHOICE:
        *(unsigned *)to = lethe_claim_choice(v, f->choices, f->n_choices);
        return *(unsigned *)to != LETHE_NONE;
    case LETHE_CLAIM_SUBSET:
        return subset_read(f, v, to);
    case LETHE_CLAIM_COLUMN:
        return column_read(v, to);
    case LETHE_CLAIM_COLUMNS:
    case LETHE_CLAIM_NAMES:
        return columns_read(f, v, to);
    }
    return false;
}

/* --- messages --- */

/* What the field must be, for a message. */
static void wanted_write(const lethe_claim_field *f, char *out, size_t cap)
{
    static const char *const kinds[] = {[LETHE_CLAIM_U32] = "a whole number",
                                        [LETHE_CLAIM_U64] = "a whole number",
                                        [LETHE_CLAIM_REAL] = "a number",
                                        [LETHE_CLAIM_BOOL] = "true or false",
                                        [LETHE_CLAIM_TEXT] = "a text",
                                        [LETHE_CLAIM_WORD] = "the text",
                                        [LETHE_CLAIM_CHOICE] = "one of",
                                        [LETHE_CLAIM_SUBSET] = "a list, in this order, of some of",
                                        [LETHE_CLAIM_COLUMN] = "the name of a column"};
    if (f->type == LETHE_CLAIM_COLUMNS) {
        snprintf(out, cap, "a list of 1 to %d different names of columns, without '=' and tabs",
                 LETHE_QI_MAX);
        return;
    }
    if (f->type == LETHE_CLAIM_NAMES) {
        snprintf(out, cap, "a list of 1 to %lld different names of columns, without tabs",
                 (long long)f->max);
        return;
    }
    size_t n = (size_t)snprintf(out, cap, "%s", kinds[f->type]);
    for (uint32_t i = 0; i < f->n_choices && n < cap; i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%s", i > 0 ? ", " : " ", f->choices[i]);
    if (f->type > LETHE_CLAIM_REAL) return;
    if (most_of(f) == INT64_MAX)
        snprintf(out + n, cap - n, " of at least %lld", (long long)f->min);
    else
        snprintf(out + n, cap - n, " from %lld to %lld", (long long)f->min, (long long)most_of(f));
}

static lethe_err unknown_refuse(lethe_diag *d, const char *notion, lethe_str name,
                                const lethe_claim_field *fields, size_t n)
{
    char shown[40], known[160];
    size_t used = 0;
    for (size_t i = 0; i < n && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                                 fields[i].name);
    lethe_show(shown, sizeof shown, name);
    return lethe_fail(d, LETHE_EINPUT, MALFORMED "%s has no parameter '%s': it takes %s", notion,
                      shown, known);
}

lethe_err lethe_claim_read(lethe_diag *d, const lethe_json *claim, const char *notion,
                           const lethe_claim_field *fields, size_t n, void *out)
{
    char wanted[256];
    if (lethe_json_kind(claim) != LETHE_JSON_OBJECT)
        return lethe_fail(d, LETHE_EINPUT, MALFORMED "not an object");
    if (!lethe_claim_is(lethe_json_get(claim, "notion"), notion))
        return lethe_fail(d, LETHE_EINPUT, MALFORMED "its notion is not %s", notion);
    for (size_t i = 0; i < lethe_json_count(claim); i++) {
        lethe_str name = lethe_json_name(claim, i);
        bool known = lethe_str_eq(name, LETHE_LIT("notion"));
        for (size_t k = 0; k < n && !known; k++)
            known = lethe_str_eq(name, lethe_str_of(fields[k].name));
        if (!known) return unknown_refuse(d, notion, name, fields, n);
    }
    for (const lethe_claim_field *f = fields; f < fields + n; f++) {
        const lethe_json *v = lethe_json_get(claim, f->name);
        if (!v && f->optional) continue;
        if (!v) return lethe_fail(d, LETHE_EINPUT, MALFORMED "%s is missing", f->name);
        if (value_read(f, v, (char *)out + f->offset)) continue;
        wanted_write(f, wanted, sizeof wanted);
        return lethe_fail(d, LETHE_EINPUT, MALFORMED "%s must be %s", f->name, wanted);
    }
    return LETHE_OK;
}

/* --- claims that promise nothing --- */

static bool is_number(const lethe_json *v)
{
    return lethe_json_kind(v) == LETHE_JSON_INT || lethe_json_kind(v) == LETHE_JSON_REAL;
}

bool lethe_claim_at_most(const lethe_json *claim, const char *name, double most)
{
    const lethe_json *v = lethe_json_get(claim, name);
    return is_number(v) && lethe_json_real(v) <= most;
}

bool lethe_claim_at_least(const lethe_json *claim, const char *name, double least)
{
    const lethe_json *v = lethe_json_get(claim, name);
    return is_number(v) && lethe_json_real(v) >= least;
}
