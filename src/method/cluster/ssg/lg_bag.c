/* SPDX-License-Identifier: Apache-2.0 */
/* lg_bag.c - the groups that LG(bag) makes, and what it loses (climb.h; partition.c publishes it).
 */
#include "method/cluster/partition/topdown.h"
#include "method/cluster/ssg/climb.h"

/* bLM of a part: each node is published as often as the member with the fewest items below it has
 * some, and stands for all different items that members have there. */
static uint64_t loss_of(const lethe_induced_tree *p, const lethe_topdown_part *part,
                        const lethe_records *r, uint64_t scale, uint32_t mark, uint32_t *seen)
{
    uint64_t lost = 0;
    for (size_t m = 0; m < part->n_members; m++)
        lost += lethe_record_size(r, part->member[m]) * scale;
    for (size_t k = 0; k < part->n_nodes; k++) {
        uint64_t fewest = UINT64_MAX, distinct = 0, n = 0;
        for (size_t m = 0; m < part->n_members; m++) {
            const uint32_t *item = lethe_induced_tree_below(p, part->member[m], part->node[k], &n);
            fewest = LETHE_MIN(fewest, n);
            for (uint64_t j = 0; j < n; j++) {
                distinct += seen[item[j]] != mark;
                seen[item[j]] = mark;
            }
        }
        lost -= part->n_members * fewest * (scale - (distinct - 1));
    }
    return lost;
}

static lethe_err make_groups(const lethe_topdown_parts *parts, const lethe_records *r,
                             lethe_ssg_groups *out)
{
    uint32_t at = 0;
    out->n = (uint32_t)parts->n;
    out->group = lethe_alloc(r->n, sizeof *out->group);
    out->first = lethe_alloc(parts->n + 1, sizeof *out->first);
    out->member = lethe_alloc(r->n, sizeof *out->member);
    out->hyper = lethe_alloc_zero(parts->n, sizeof *out->hyper);
    if (!out->group || !out->first || !out->member || !out->hyper) return LETHE_ENOMEM;
    for (uint32_t g = 0; g < out->n; g++) {
        const lethe_topdown_part *part = &parts->at[g];
        out->first[g] = at;
        out->hyper[g].n_records = (uint32_t)part->n_members;
        for (size_t m = 0; m < part->n_members; m++) {
            out->hyper[g].items += lethe_record_size(r, part->member[m]);
            out->group[part->member[m]] = g;
            out->member[at++] = part->member[m];
        }
    }
    out->first[out->n] = at;
    return LETHE_OK;
}

lethe_err lethe_ssg_lg_bag(lethe_ctx *ctx, const lethe_ssg_options *how, const lethe_tree *t,
                           uint64_t scale, lethe_ssg_groups *out, uint64_t *lost)
{
    const lethe_records *r = how->records;
    lethe_induced_tree *p = NULL;
    lethe_topdown_parts parts = {0};
    lethe_ssg_groups made = {0};
    uint32_t *seen = NULL;
    LETHE_TRY(lethe_induced_tree_new(ctx, t, r, &p));
    lethe_topdown_options top = {.records = p,
                                 .n = r->n,
                                 .owner = how->each ? NULL : r->owner,
                                 .n_owners = how->each ? (uint32_t)r->n : r->n_owners,
                                 .k = how->k};
    lethe_err err = lethe_topdown_run(ctx, &top, &parts);
    if (err == LETHE_OK) seen = lethe_alloc_zero(p->n, sizeof *seen);
    if (err == LETHE_OK) err = seen ? make_groups(&parts, r, &made) : LETHE_ENOMEM;
    *lost = 0;
    for (uint32_t i = 0; err == LETHE_OK && i < parts.n; i++)
        *lost += loss_of(p, &parts.at[i], r, scale, i + 1, seen);
    lethe_free(seen);
    lethe_topdown_parts_free(&parts);
    lethe_induced_tree_free(p);
    if (err != LETHE_OK) {
        lethe_ssg_groups_free(&made);
        return err;
    }
    *out = made;
    return LETHE_OK;
}
