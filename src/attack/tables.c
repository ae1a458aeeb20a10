/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the adversaries: one line each; and what those on records have in common. */
#include "attack/attack.h"
#include "model/published/published_tree.h"
#include "model/records/record_map.h"

// clang-format off
static const lethe_adversary *const adversaries[] = {
    &lethe_adversary_background,
    &lethe_adversary_competitor,
    &lethe_adversary_frequency,
    &lethe_adversary_homogeneity,
    &lethe_adversary_identity,
    &lethe_adversary_known_terms,
    &lethe_adversary_linkage,
    &lethe_adversary_linking,
    &lethe_adversary_marking,
    &lethe_adversary_presence_absence,
    &lethe_adversary_replay,
    NULL,
};
// clang-format on

const lethe_adversary *const *lethe_adversaries(void) { return adversaries; }

lethe_err lethe_attack_records(lethe_comparison *c, lethe_arena *a, lethe_published_records **out,
                               uint64_t **line)
{
    const lethe_published *from = c->published;
    // steps before the last may have changed the items that the tree was bound to
    bool exact = lethe_json_count(lethe_json_get(from->manifest, "steps")) == 1;
    const lethe_tree *taxonomy = c->taxonomy ? c->taxonomy : c->original.tree;
    LETHE_TRY(lethe_published_tree_match(c->ctx, from->dirfd, taxonomy, exact));
    LETHE_TRY(lethe_published_records_read(c->ctx, from->dirfd, out));
    if (c->line) {
        *line = c->line;
        return LETHE_OK;
    }
    if (!c->map) return LETHE_OK;
    return lethe_record_map_read(c->ctx, c->map, c->map_digest, c->original.records,
                                 (*out)->n_records, a, line);
}
