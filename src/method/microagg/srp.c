/* SPDX-License-Identifier: Apache-2.0 */
/* srp.c - sums of the semantic remain percentage, by level. */
#include "method/microagg/srp.h"

lethe_err lethe_srp_new(uint32_t levels, lethe_srp *out)
{
    lethe_srp r = {.levels = levels,
                   .level = lethe_alloc_zero(levels, sizeof *r.level),
                   .so_far = lethe_alloc_zero(levels, sizeof *r.so_far),
                   .users = lethe_alloc_zero(levels, sizeof *r.users),
                   .users_so_far = lethe_alloc_zero(levels, sizeof *r.users_so_far),
                   .common = lethe_alloc_zero(levels, sizeof *r.common),
                   .original = lethe_alloc_zero(levels, sizeof *r.original),
                   .all_common = lethe_alloc_zero(levels, sizeof *r.all_common),
                   .all_original = lethe_alloc_zero(levels, sizeof *r.all_original)};
    if (r.level && r.so_far && r.users && r.users_so_far && r.common && r.original &&
        r.all_common && r.all_original) {
        *out = r;
        return LETHE_OK;
    }
    lethe_srp_free(&r);
    return LETHE_ENOMEM;
}

void lethe_srp_free(lethe_srp *r)
{
    lethe_free(r->level);
    lethe_free(r->so_far);
    lethe_free(r->users);
    lethe_free(r->users_so_far);
    lethe_free(r->common);
    lethe_free(r->original);
    lethe_free(r->all_common);
    lethe_free(r->all_original);
    *r = (lethe_srp){0};
}

void lethe_srp_add(lethe_srp *r, const lethe_microagg_interests *of, uint32_t user,
                   const lethe_microagg_tally *published)
{
    uint64_t common = 0, original = 0;
    memset(r->common, 0, r->levels * sizeof *r->common);
    memset(r->original, 0, r->levels * sizeof *r->original);
    for (uint64_t i = of->start[user]; i < of->start[user + 1]; i++) {
        uint32_t l = lethe_directory_level(published->dir, of->category[i]) - 1;
        uint64_t there = published->count[of->category[i]];
        assert(l < r->levels);
        r->original[l] += of->count[i];
        r->common[l] += LETHE_MIN(of->count[i], there);
    }
    for (uint32_t l = 0; l < r->levels; l++) {
        common += r->common[l];
        original += r->original[l];
        r->all_common[l] += r->common[l];
        r->all_original[l] += r->original[l];
        if (r->original[l] > 0) {
            r->level[l] += (double)r->common[l] / (double)r->original[l];
            r->users[l]++;
        }
        if (original > 0) {
            r->so_far[l] += (double)common / (double)original;
            r->users_so_far[l]++;
        }
    }
}

void lethe_srp_join(lethe_srp *r, const lethe_srp *other)
{
    assert(r->levels == other->levels);
    for (uint32_t l = 0; l < r->levels; l++) {
        r->level[l] += other->level[l];
        r->so_far[l] += other->so_far[l];
        r->users[l] += other->users[l];
        r->users_so_far[l] += other->users_so_far[l];
        r->all_common[l] += other->all_common[l];
        r->all_original[l] += other->all_original[l];
    }
}
