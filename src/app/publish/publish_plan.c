/* SPDX-License-Identifier: Apache-2.0 */
/* publish_plan.c - which candidates are tried for a goal, over which settings. */
#include "app/publish/publish.h"

lethe_err lethe_publish_plan(lethe_diag *d, lethe_arena *a, const lethe_publication *p,
                             lethe_plan *out)
{
    // among five an adversary is right once in five at most; eleven is what the risk bound of 9 %
    // comes to, and twenty what is left of it where groups differ in what they hide
    static const char *const sizes[] = {"5", "11", "20"};
    const lethe_setting_values each = {sizes, LETHE_COUNT(sizes)};
    lethe_candidate_choice choice = {
        .shape = p->shape, .given = p->asked->values, .facts = &p->facts, .k = each, .t = each};
    for (lethe_goal g = 0; g < LETHE_N_GOALS; g++)
        if (!lethe_goal_lacks(p, g)) choice.goals |= p->goals & 1U << g;
    return lethe_candidates_plan(d, a, &choice, out);
}
