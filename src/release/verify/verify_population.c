/* SPDX-License-Identifier: Apache-2.0 */
/* verify_population.c - the population table and the hierarchies that a claim of k-map is checked
 * with. */
#include "check/claim.h"
#include "release/release.h"

const lethe_json *lethe_claims_k_map(const lethe_json *claims)
{
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        if (lethe_claim_is(lethe_json_get(lethe_json_at(claims, i), "notion"), "k-map"))
            return lethe_json_at(claims, i);
    return NULL;
}

/* The claim's columns; 0: it is malformed, as its check will say. */
static size_t columns_of(const lethe_json *claim, lethe_str column[LETHE_QI_MAX])
{
    const lethe_json *qi = lethe_json_get(claim, "qi");
    size_t n = lethe_json_kind(qi) == LETHE_JSON_ARRAY ? lethe_json_count(qi) : 0;
    if (n > LETHE_QI_MAX) return 0;
    for (size_t i = 0; i < n; i++) {
        column[i] = lethe_json_text(lethe_json_at(qi, i));
        if (column[i].n == 0) return 0;
        for (size_t k = 0; k < i; k++)
            if (lethe_str_eq(column[k], column[i])) return 0;
    }
    return n;
}

lethe_err lethe_population_open(lethe_ctx *ctx, const lethe_json *claims, const char *path,
                                const char *hierarchies, lethe_population_given *out)
{
    lethe_str column[LETHE_QI_MAX];
    size_t n = columns_of(lethe_claims_k_map(claims), column);
    *out = (lethe_population_given){.given = false};
    if (!path || n == 0) return LETHE_OK;
    lethe_err e = LETHE_OK;
    if (hierarchies) e = lethe_hierarchies_read(ctx, hierarchies, column, n, &out->hierarchies);
    if (e == LETHE_OK)
        e = lethe_population_read(ctx, path, column, n, hierarchies ? out->hierarchies.at : NULL,
                                  &out->table);
    if (e == LETHE_OK)
        out->given = true;
    else
        lethe_population_close(out);
    return e;
}

void lethe_population_close(lethe_population_given *p)
{
    lethe_population_free(&p->table);
    lethe_hierarchies_free(&p->hierarchies);
    p->given = false;
}
