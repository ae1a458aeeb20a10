/* SPDX-License-Identifier: Apache-2.0 */
/* table_search_tidy.c - cells that no cut of the subtree tells apart stand together, and become one
 * where there are many: what is fixed need not be looked at again and again. */
#include "method/table/search/table_search_internal.h"

#define HASH UINT64_C(0x9e3779b97f4a7c15)

/* The number of a cell's group among those met, by what the masks leave of its key. */
static uint32_t find_group(lethe_table_parts *s, const uint64_t *key, size_t slots,
                           uint32_t *n_groups)
{
    size_t words = s->c->words;
    uint64_t hash = 0;
    for (size_t w = 0; w < words; w++) {
        hash = (hash ^ (key[w] & s->group_mask[w])) * HASH;
        hash ^= hash >> 29;
    }
    for (size_t at = hash & (slots - 1);; at = (at + 1) & (slots - 1)) {
        uint32_t g = s->slot[at];
        uint64_t *known = s->group_key + (g == 0 ? *n_groups : g - 1) * words;
        if (g == 0) {
            for (size_t w = 0; w < words; w++)
                known[w] = key[w] & s->group_mask[w];
            s->slot[at] = ++*n_groups;
            return *n_groups - 1;
        }
        bool same = true;
        for (size_t w = 0; w < words && same; w++)
            same = (key[w] & s->group_mask[w]) == known[w];
        if (same) return g - 1;
    }
}

/* The same where a key is one word, as most are.  Cells that are equal often follow each other, and
 * slots are fetched ahead of their use: most of the time goes into waiting for them. */
static uint32_t number_words(lethe_table_parts *s, const uint64_t *key, uint32_t n, size_t slots)
{
    enum { AHEAD = 8 };
    uint64_t mask = s->group_mask[0], *known = s->group_key;
    uint32_t n_groups = 0, *slot = s->slot, shift = 64 - (uint32_t)__builtin_ctzll(slots);
    for (uint32_t i = 0; i < n; i++) {
        if (i + AHEAD < n) __builtin_prefetch(&slot[((key[i + AHEAD] & mask) * HASH) >> shift]);
        uint64_t k = key[i] & mask;
        if (i > 0 && k == (key[i - 1] & mask)) {
            s->moved_to[i] = s->moved_to[i - 1];
            continue;
        }
        size_t at = (k * HASH) >> shift;
        while (slot[at] != 0 && known[slot[at] - 1] != k)
            at = (at + 1) & (slots - 1);
        if (slot[at] == 0) {
            known[n_groups] = k;
            slot[at] = ++n_groups;
        }
        s->moved_to[i] = slot[at] - 1;
    }
    return n_groups;
}

/* moved_to: the group of each cell.  Returns how many there are. */
static uint32_t number_groups(lethe_table_parts *s, const lethe_table_part *p)
{
    uint32_t n = p->end - p->begin, n_groups = 0;
    size_t words = s->c->words;
    const uint64_t *key = s->key + p->begin * words;
    size_t slots = 16;
    while (slots < 2 * (size_t)n)
        slots *= 2;
    memset(s->slot, 0, slots * sizeof *s->slot);
    s->work += n;
    if (words == 1) return number_words(s, key, n, slots);
    for (uint32_t i = 0; i < n; i++)
        s->moved_to[i] = find_group(s, key + i * words, slots, &n_groups);
    return n_groups;
}

/* --- one of many --- */

static void append_cell(lethe_table_parts *s, const uint64_t *key, lethe_table_tally t,
                        uint32_t class, uint32_t population)
{
    size_t at = s->n_cells++;
    memcpy(s->key + at * s->c->words, key, s->c->words * sizeof *key);
    s->tally[at] = t;
    if (s->class) s->class[at] = class;
    if (s->population) s->population[at] = population;
}

/* The cells begin .. end of the sorted ones are a group: one each for sensitive value and class. */
static void append_group(lethe_table_parts *s, uint32_t group, uint32_t begin, uint32_t end)
{
    const uint64_t *key = s->group_key + group * s->c->words;
    uint32_t n = 0, n_class = s->c->n_class, *dense = s->dense_class, *touched = s->pairs;
    uint32_t population = 0; // that of the first cell, or of one of no rows
    for (uint32_t i = begin; i < end; i++) {
        lethe_table_tally t = s->moved_tally[i];
        if (s->population) population += s->moved_population[i];
        if (t.count == 0) continue;
        uint32_t pair = s->class ? t.sa * n_class + s->moved_class[i] : t.sa;
        if (dense[pair] == 0) touched[n++] = pair;
        dense[pair] += t.count;
    }
    if (n == 0) append_cell(s, key, (lethe_table_tally){0}, 0, population);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t pair = touched[i];
        append_cell(s, key, (lethe_table_tally){pair / n_class, dense[pair]}, pair % n_class,
                    i == 0 ? population : 0);
        dense[pair] = 0;
    }
}

/* --- all --- */

static void set_masks(lethe_table_parts *s, uint64_t qis)
{
    const lethe_table_cells *c = s->c;
    memset(s->group_mask, 0, c->words * sizeof *s->group_mask);
    for (; qis; qis &= qis - 1) {
        size_t q = (size_t)__builtin_ctzll(qis);
        s->group_mask[c->word[q]] |= c->mask[q];
    }
}

lethe_err lethe_table_part_tidy(lethe_table_parts *s, uint32_t number)
{
    lethe_table_part *p = &s->part[number];
    uint32_t n = p->end - p->begin, *start = s->group_start;
    set_masks(s, p->open);
    uint32_t n_groups = number_groups(s, p);
    p->tidy = p->open;
    if (n_groups == n) return LETHE_OK; // in any order
    memset(start, 0, ((size_t)n_groups + 1) * sizeof *start);
    for (uint32_t i = 0; i < n; i++)
        start[s->moved_to[i] + 1]++;
    for (uint32_t g = 1; g <= n_groups; g++)
        start[g] += start[g - 1];
    lethe_table_parts_scatter(s, p->begin, n, start); // start[g]: where g ends
    if (n_groups > n / 2) {
        lethe_table_parts_put_back(s, p->begin, n);
        return LETHE_OK;
    }
    LETHE_TRY(lethe_table_parts_room(s, n));
    p->begin = (uint32_t)s->n_cells;
    for (uint32_t g = 0; g < n_groups; g++)
        append_group(s, g, g == 0 ? 0 : start[g - 1], start[g]);
    p->end = (uint32_t)s->n_cells;
    p->varies &= p->open; // what the masks took is gone
    return LETHE_OK;
}
