/* SPDX-License-Identifier: Apache-2.0 */
/* refine_groups.c - members and persons of a group, and its best cut in two (refine_groups.h). */
#include "method/cluster/refine/refine_groups.h"
#include "core/sort.h"
#include <stdlib.h>

/* --- members --- */

static lethe_err reserve(uint32_t **at, uint32_t *room, size_t n)
{
    if (n <= *room) return LETHE_OK;
    size_t more = LETHE_MAX(n, *room + (size_t)*room / 2);
    uint32_t *p = lethe_realloc(*at, more, sizeof *p);
    if (!p) return LETHE_ENOMEM;
    *at = p;
    *room = (uint32_t)LETHE_MIN(more, UINT32_MAX);
    return LETHE_OK;
}

lethe_err lethe_refine_members_reserve(lethe_refine_members *m, size_t n)
{
    return reserve(&m->record, &m->room, n);
}

void lethe_refine_members_take(lethe_refine_members *m, uint32_t r)
{
    uint32_t i = (uint32_t)lethe_gallop(m->record, m->n, r);
    assert(i < m->n && m->record[i] == r);
    memmove(m->record + i, m->record + i + 1, (m->n - i - 1) * sizeof *m->record);
    m->n--;
}

lethe_err lethe_refine_members_put(lethe_refine_members *m, uint32_t r)
{
    LETHE_TRY(lethe_refine_members_reserve(m, (size_t)m->n + 1));
    uint32_t i = (uint32_t)lethe_gallop(m->record, m->n, r);
    memmove(m->record + i + 1, m->record + i, (m->n - i) * sizeof *m->record);
    m->record[i] = r;
    m->n++;
    return LETHE_OK;
}

void lethe_refine_members_free(lethe_refine_members *m)
{
    lethe_free(m->record);
    lethe_free(m->person);
}

/* --- persons --- */

bool lethe_refine_members_have(const lethe_refine_members *m, uint32_t person)
{
    uint32_t i = (uint32_t)lethe_gallop(m->person, m->n, person);
    return i < m->n && m->person[i] == person;
}

lethe_err lethe_refine_members_count(lethe_refine_members *m, const uint32_t *owner, uint8_t *alone)
{
    m->n_persons = m->n;
    if (!owner) {
        for (uint32_t i = 0; i < m->n; i++)
            alone[m->record[i]] = 1;
        return LETHE_OK;
    }
    LETHE_TRY(reserve(&m->person, &m->room_person, m->n));
    for (uint32_t i = 0; i < m->n; i++)
        m->person[i] = owner[m->record[i]];
    lethe_sort_u32(m->person, m->n);
    for (uint32_t i = 1; i < m->n; i++)
        m->n_persons -= m->person[i] == m->person[i - 1];
    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t p = owner[m->record[i]], at = (uint32_t)lethe_gallop(m->person, m->n, p);
        alone[m->record[i]] = at + 1 == m->n || m->person[at + 1] != p;
    }
    return LETHE_OK;
}

/* --- records by a number --- */

static int compare_ranked(const void *p, const void *q)
{
    const lethe_refine_ranked *a = p, *b = q;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

void lethe_refine_rank(lethe_refine_ranked *at, size_t n)
{
    if (n > 1) qsort(at, n, sizeof *at, compare_ranked);
}

/* --- cutting --- */

enum { CUTS_MOST = 64, CUTS_LEAST = 8, CUTS_TIMES_MEMBERS = 65536 };

/* The members of a group that may be cut, on a line between two that are far apart. */
struct line {
    lethe_ctx *ctx;
    const lethe_refine_model *model;
    const lethe_refine_grouping *g;
    const lethe_refine_members *m;
    uint32_t *line;           /* members from one end to the other */
    uint32_t *sorted;         /* room for them */
    lethe_refine_ranked *key; /* likewise */
    uint32_t cut;             /* the best; 0: none */
    uint64_t cost;            /* of the parts; or of the whole */
};

static lethe_err pair_cost(const struct line *p, uint32_t a, uint32_t b, int64_t *out)
{
    uint32_t pair[2] = {LETHE_MIN(a, b), LETHE_MAX(a, b)};
    uint64_t cost;
    LETHE_TRY(p->model->cost(p->model->arg, 0, pair, a == b ? 1 : 2, &cost));
    *out = (int64_t)cost;
    return LETHE_OK;
}

/* The member that costs most together with `a`. */
static lethe_err farthest(const struct line *p, uint32_t a, uint32_t *out)
{
    int64_t most = -1, cost;
    for (uint32_t i = 0; i < p->m->n; i++) {
        uint32_t r = p->m->record[i];
        if (r == a) continue;
        LETHE_TRY(pair_cost(p, a, r, &cost));
        if (cost <= most) continue;
        most = cost;
        *out = r;
    }
    return LETHE_OK;
}

static lethe_err line_up(struct line *p)
{
    const lethe_refine_members *m = p->m;
    uint32_t a = m->record[0], b = a;
    int64_t to_a, to_b;
    LETHE_TRY(farthest(p, m->record[0], &a));
    LETHE_TRY(farthest(p, a, &b));
    for (uint32_t i = 0; i < m->n; i++) {
        LETHE_TRY(pair_cost(p, a, m->record[i], &to_a));
        LETHE_TRY(pair_cost(p, b, m->record[i], &to_b));
        p->key[i] = (lethe_refine_ranked){to_a - to_b, m->record[i]};
    }
    lethe_refine_rank(p->key, m->n);
    for (uint32_t i = 0; i < m->n; i++)
        p->line[i] = p->key[i].record;
    return LETHE_OK;
}

/* The least numbers of members on either side of a cut that have k persons: a person counts where
 * it appears first or, from the other end, last. */
static void count_sides(struct line *p, uint32_t *left, uint32_t *right)
{
    enum { FIRST = 1, LAST = 2 };
    uint32_t n = p->m->n, *is = p->sorted;
    uint64_t persons = 0;
    for (uint32_t i = 0; i < n; i++)
        p->key[i] = (lethe_refine_ranked){p->g->owner ? p->g->owner[p->line[i]] : p->line[i], i};
    lethe_refine_rank(p->key, n);
    for (uint32_t i = 0; i < n; i++) {
        bool first = i == 0 || p->key[i].key != p->key[i - 1].key;
        bool last = i + 1 == n || p->key[i].key != p->key[i + 1].key;
        is[p->key[i].record] = (first ? FIRST : 0u) | (last ? LAST : 0u);
    }
    for (*left = 0; *left < n && persons < p->g->k; ++*left)
        persons += (is[*left] & FIRST) != 0;
    persons = 0;
    for (*right = 0; *right < n && persons < p->g->k; ++*right)
        persons += (is[n - 1 - *right] & LAST) != 0;
}

static lethe_err part_cost(struct line *p, uint32_t from, uint32_t to, uint64_t *out)
{
    memcpy(p->sorted, p->line + from, (to - from) * sizeof *p->sorted);
    lethe_sort_u32(p->sorted, to - from);
    return p->model->cost(p->model->arg, 0, p->sorted, to - from, out);
}

static lethe_err try_cuts(struct line *p)
{
    uint32_t n = p->m->n, left, right, cuts = CUTS_TIMES_MEMBERS / n;
    cuts = LETHE_MAX(CUTS_LEAST, LETHE_MIN(cuts, CUTS_MOST));
    LETHE_TRY(line_up(p));
    count_sides(p, &left, &right);
    uint32_t step = 1 + (n - 1) / cuts;
    for (uint64_t at = step; at + right <= n; at += step) {
        uint32_t cut = (uint32_t)at;
        uint64_t one, other;
        if (cut < left) continue;
        if (lethe_ctx_cancelled(p->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(part_cost(p, 0, cut, &one));
        LETHE_TRY(part_cost(p, cut, n, &other));
        if (one + other >= p->cost) continue;
        p->cost = one + other;
        p->cut = cut;
    }
    return LETHE_OK;
}

lethe_err lethe_refine_cut_find(lethe_ctx *ctx, const lethe_refine_model *model,
                                const lethe_refine_grouping *g, const lethe_refine_members *m,
                                uint64_t cost, lethe_refine_cut *out)
{
    struct line p = {.ctx = ctx, .model = model, .g = g, .m = m, .cost = cost};
    p.line = lethe_alloc(m->n, sizeof *p.line);
    p.sorted = lethe_alloc(m->n, sizeof *p.sorted);
    p.key = lethe_alloc(m->n, sizeof *p.key);
    lethe_err e = p.line && p.sorted && p.key ? try_cuts(&p) : LETHE_ENOMEM;
    lethe_free(p.sorted);
    lethe_free(p.key);
    if (e != LETHE_OK) {
        lethe_free(p.line);
        return e;
    }
    lethe_sort_u32(p.line, p.cut);
    lethe_sort_u32(p.line + p.cut, m->n - p.cut);
    *out = (lethe_refine_cut){p.line, m->n, p.cut};
    return LETHE_OK;
}
