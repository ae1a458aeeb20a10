/* SPDX-License-Identifier: Apache-2.0 */
/* k_map.c - do at least k rows of the population fall under the published values of every group?
 * L. Sweeney, "k-Anonymity: A Model for Protecting Privacy", 2002, section 4 (k-map).
 *
 * Decided from data.csv, taxonomy.tsv and the population table, which is not published: while the
 * release is made it is the step's own, later that of `verify --population`.  The claim has its
 * digest.  Without it, nothing is decided. */
#include "check/check.h"
#include "check/table/population_map.h"

struct inspection {
    lethe_group_claim claim; /* first: its fields are placed by their offsets in it */
    lethe_str digest;
    lethe_groups *groups;
    lethe_published_hierarchies *hierarchies;
    lethe_arena *arena;
};

static bool is_digest(lethe_str text)
{
    bool is = text.n == sizeof((lethe_population_table){0}).digest - 1;
    for (size_t i = 0; i < text.n; i++)
        is = is &&
             ((text.at[i] >= '0' && text.at[i] <= '9') || (text.at[i] >= 'a' && text.at[i] <= 'f'));
    return is;
}

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, struct inspection *c)
{
    static const lethe_claim_field fields[] = {
        LETHE_CLAIM_QI,
        LETHE_CLAIM_ROWS("k"),
        {"population", LETHE_CLAIM_TEXT, .offset = offsetof(struct inspection, digest)},
        LETHE_CLAIM_OVERLAP};
    LETHE_TRY(lethe_claim_read(d, claim, "k-map", fields, LETHE_COUNT(fields), c));
    if (is_digest(c->digest)) return LETHE_OK;
    return lethe_fail(d, LETHE_EINPUT,
                      "malformed claim: population must be a digest of 64 hexadecimal digits");
}

static lethe_err columns_match(lethe_published *p, const struct inspection *c)
{
    const lethe_table *rows = p->population->rows;
    bool same = rows->n_qi == c->claim.qi.n;
    for (size_t i = 0; same && i < rows->n_qi; i++)
        same = lethe_str_eq(rows->qi[i].name, c->claim.qi.at[i]);
    if (same) return LETHE_OK;
    return lethe_fail(p->ctx, LETHE_EINPUT,
                      "malformed claim: its columns are not those of another k-map claim");
}

/* The first group in the file that surely has too few; and if there is none, whether one may. */
static lethe_json *groups_fault(lethe_published *p, const lethe_map_group *group, size_t n,
                                uint64_t k, lethe_json_doc *doc)
{
    const lethe_map_group *first = NULL, *unclear = NULL;
    for (size_t i = 0; i < n; i++) {
        const lethe_map_group **to = group[i].resolved ? &first : &unclear;
        if (group[i].rows < k && (!*to || group[i].first < (*to)->first)) *to = &group[i];
    }
    if (!first && unclear)
        p->needs = "k-map cannot be decided without the hierarchies that the release was made "
                   "with: use --hierarchies DIR";
    if (!first) first = unclear;
    if (!first) return NULL;
    lethe_json *why = lethe_row_fault(doc, first->first,
                                      "too few rows of the population fall under the group's "
                                      "values");
    lethe_set_count(doc, why, "found", first->rows);
    lethe_set_count(doc, why, "needed", k);
    return why;
}

static lethe_err groups_look(lethe_published *p, struct inspection *c, lethe_json_doc *doc,
                             lethe_json **fault)
{
    lethe_map_group *group;
    size_t n;
    if (!p->population) {
        p->needs = "k-map cannot be decided without the population table: use --population FILE";
        *fault = lethe_json_object(doc);
        lethe_set_text(doc, *fault, "reason", p->needs);
        return LETHE_OK;
    }
    if (!lethe_str_eq(lethe_str_of(p->population->digest), c->digest)) {
        *fault = lethe_json_object(doc);
        lethe_set_text(doc, *fault, "reason", "the population table is not the one of the claim");
        lethe_set_text(doc, *fault, "blake2b", p->population->digest);
        return LETHE_OK;
    }
    LETHE_TRY(columns_match(p, c));
    c->arena = lethe_arena_new();
    if (!c->arena) return lethe_no_memory(p->ctx);
    if (!p->table) // whose values stand for themselves
        LETHE_TRY(lethe_published_hierarchies_read(p->ctx, p->dirfd, c->claim.qi.at, c->claim.qi.n,
                                                   &c->hierarchies));
    LETHE_TRY(lethe_population_count(p->ctx, c->arena, c->groups, c->hierarchies, p->population,
                                     c->claim.count, &group, &n));
    *fault = groups_fault(p, group, n, c->claim.count, doc);
    return LETHE_OK;
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.groups = NULL};
    lethe_json *fault = NULL;
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &c));
    LETHE_TRY(lethe_groups_read(p, &c.claim, doc, &fault, &c.groups));
    lethe_err e = c.groups ? groups_look(p, &c, doc, &fault) : LETHE_OK;
    lethe_groups_free(c.groups);
    lethe_published_hierarchies_free(c.hierarchies);
    lethe_arena_free(c.arena);
    return lethe_group_verdict(p, e, doc, fault, holds, why);
}

static const char *nothing(const lethe_json *claim)
{
    return lethe_claim_at_most(claim, "k", 1) ? "k-map with k = 1 promises nothing: a group may "
                                                "stand for one person of the population."
                                              : NULL;
}

const lethe_notion lethe_notion_k_map = {
    .name = "k-map",
    .holds = "at least k rows of the population table fall under the published values of every "
             "group of rows with equal quasi-identifiers, and no published value is above another "
             "unless groups overlap; without --population it is not decided",
    .shapes = LETHE_SHAPE_TABLE,
    .check = check,
    .nothing = nothing,
};
