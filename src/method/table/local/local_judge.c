/* SPDX-License-Identifier: Apache-2.0 */
/* local_judge.c - does a set of rows keep what is asked of a group?  The one place where local
 * recoding looks at sensitive values. */
#include "method/table/local/local_internal.h"
#include "core/sort.h"

lethe_err lethe_local_judge_make(const local_space *s, const lethe_local_demand *d, lethe_arena *a,
                                 local_judge *out)
{
    uint32_t n = LETHE_MAX(d->group->n_sa, 1);
    *out = (local_judge){
        .space = s, .demand = *d->group, .rows_only = d->rows_only, .k = LETHE_MAX(d->group->k, 1)};
    out->demand.suppress = LETHE_SUPPRESS_NONE;
    out->demand.cost = LETHE_COST_LM;
    if (d->rows_only) return LETHE_OK;
    out->with = lethe_new(a, uint32_t, n);
    out->value = lethe_new(a, uint32_t, n);
    out->held = lethe_new(a, uint32_t, n);
    out->cut = lethe_new(a, uint32_t, n);
    out->listed = lethe_new(a, bool, n);
    out->room = lethe_new(a, uint32_t, lethe_group_room(&out->demand) + 1);
    if (!out->with || !out->value || !out->held || !out->cut || !out->listed || !out->room)
        return LETHE_ENOMEM;
    if (!d->population) return LETHE_OK;
    out->population = d->population;
    out->items = lethe_new(a, uint32_t, s->n_kinds + 1);
    out->met = lethe_new(a, uint32_t, s->n_kinds + 1);
    out->is_met = lethe_new(a, bool, s->n_kinds + 1);
    return out->items && out->met && out->is_met ? LETHE_OK : LETHE_ENOMEM;
}

/* The population of a profile counts while the set has an item with it. */
static void count_population(local_judge *j, uint32_t kind, bool more)
{
    uint32_t profile = j->space->profile[kind], rows = j->population[j->space->first[kind]];
    if (!j->is_met[profile]) j->met[j->n_met++] = profile;
    j->is_met[profile] = true;
    if (more && j->items[profile]++ == 0) j->n_population += rows;
    if (!more && --j->items[profile] == 0) j->n_population -= rows;
}

static void clear_population(local_judge *j)
{
    for (uint32_t i = 0; i < j->n_met; i++) {
        j->items[j->met[i]] = 0;
        j->is_met[j->met[i]] = false;
    }
    j->n_met = 0;
    j->n_population = 0;
}

void lethe_local_judge_add(local_judge *j, local_item item)
{
    j->n_rows += item.rows;
    if (j->rows_only) return;
    if (j->population) count_population(j, item.kind, true);
    uint32_t v = j->space->sa[item.kind];
    // a value stays listed when its rows are dropped again, and is skipped when judged
    if (!j->listed[v]) j->value[j->n_values++] = v;
    j->listed[v] = true;
    j->with[v] += item.rows;
}

void lethe_local_judge_drop(local_judge *j, local_item item)
{
    j->n_rows -= item.rows;
    if (j->rows_only) return;
    if (j->population) count_population(j, item.kind, false);
    j->with[j->space->sa[item.kind]] -= item.rows;
}

/* Clears the counts, and leaves the values that are held, ascending, with how many rows. */
static void gather(local_judge *j)
{
    uint32_t n = 0;
    lethe_sort_u32(j->value, j->n_values);
    for (uint32_t i = 0; i < j->n_values; i++) {
        uint32_t v = j->value[i];
        j->listed[v] = false;
        if (j->with[v] == 0) continue;
        j->value[n] = v;
        j->held[n++] = j->with[v];
        j->with[v] = 0;
    }
    j->n_values = n;
}

bool lethe_local_judge_valid(local_judge *j)
{
    uint64_t n = j->n_rows;
    bool valid = n > 0 && n >= j->k;
    j->n_rows = 0;
    if (j->rows_only) return valid;
    gather(j);
    if (valid) {
        lethe_group_counts g = {.n = n,
                                .n_values = j->n_values,
                                .value = j->value,
                                .with = j->held,
                                .population = j->n_population,
                                .room = j->room};
        valid = lethe_group_price_of(&j->demand, &g, j->cut).valid;
    }
    j->n_values = 0;
    clear_population(j);
    return valid;
}
