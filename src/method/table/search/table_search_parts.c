/* SPDX-License-Identifier: Apache-2.0 */
/* table_search_parts.c - the groups of a cut, refined in place and taken back. */
#include "method/table/search/table_search_internal.h"

enum { TIDY_MIN = 16 /* cells of a group that is worth it for its splits */ };

/* --- life --- */

static bool make_scratch(lethe_table_parts *s)
{
    const lethe_table_cells *c = s->c;
    lethe_arena *a = s->arena;
    size_t n_sa = c->n_sa, by_class = n_sa * c->n_class;
    size_t slots = 16; // of the hash table: twice the cells, a power of two
    while (slots < 2 * c->n)
        slots *= 2;
    s->moved_key = lethe_new(a, uint64_t, c->n * c->words);
    s->moved_tally = lethe_new(a, lethe_table_tally, c->n);
    s->moved_class = lethe_new(a, uint32_t, c->class ? c->n : 1);
    s->moved_population = lethe_new(a, uint32_t, c->t->population ? c->n : 1);
    s->moved_to = lethe_new(a, uint32_t, c->n);
    s->child_of = lethe_new(a, uint32_t, c->n_values);
    s->count = lethe_new(a, uint32_t, c->n_values + 1);
    s->dense = lethe_new(a, uint32_t, n_sa);
    s->dense_class = lethe_new(a, uint32_t, by_class);
    s->touched = lethe_new(a, uint32_t, n_sa + 1);
    s->with = lethe_new(a, uint32_t, n_sa);
    s->cut = lethe_new(a, uint32_t, n_sa);
    s->of_class = lethe_new(a, uint32_t, by_class);
    s->pairs = lethe_new(a, uint32_t, by_class);
    s->room = lethe_new(a, uint32_t, lethe_group_room(c->d));
    s->group_mask = lethe_new(a, uint64_t, c->words);
    s->group_key = lethe_new(a, uint64_t, c->n * c->words);
    s->group_start = lethe_new(a, uint32_t, c->n + 1);
    s->slot = lethe_new(a, uint32_t, slots);
    s->with_class = lethe_new(a, uint32_t, c->n_class);
    return s->moved_population && s->room && s->moved_key && s->moved_tally && s->moved_class &&
           s->moved_to && s->child_of && s->count && s->dense && s->dense_class && s->touched &&
           s->with && s->cut && s->of_class && s->pairs && s->group_mask && s->group_key &&
           s->group_start && s->slot && s->with_class;
}

static lethe_err grow(lethe_table_parts *s, uint32_t more)
{
    if (more <= s->cap - s->n) return LETHE_OK;
    size_t cap = (size_t)s->cap + s->cap / 2 + more, n_qi = s->c->n_qi;
    if (cap > UINT32_MAX - 1) return LETHE_ENOMEM;
    lethe_table_part *part = lethe_realloc(s->part, cap, sizeof *part);
    if (!part) return LETHE_ENOMEM;
    s->part = part;
    uint32_t *node = lethe_realloc(s->node, cap * n_qi, sizeof *node);
    if (!node) return LETHE_ENOMEM;
    s->node = node;
    uint32_t *next = lethe_realloc(s->next, cap * n_qi, sizeof *next);
    if (!next) return LETHE_ENOMEM;
    s->next = next;
    s->cap = (uint32_t)cap;
    return LETHE_OK;
}

lethe_err lethe_table_parts_room(lethe_table_parts *s, size_t more)
{
    if (more <= s->cap_cells - s->n_cells) return LETHE_OK;
    size_t cap = s->cap_cells + s->cap_cells / 2 + more, words = s->c->words;
    if (cap > UINT32_MAX - 1) return LETHE_ENOMEM;
    uint64_t *key = lethe_realloc(s->key, cap * words, sizeof *key);
    if (!key) return LETHE_ENOMEM;
    s->key = key;
    lethe_table_tally *tally = lethe_realloc(s->tally, cap, sizeof *tally);
    if (!tally) return LETHE_ENOMEM;
    s->tally = tally;
    if (s->c->class) {
        uint32_t *class = lethe_realloc(s->class, cap, sizeof *class);
        if (!class) return LETHE_ENOMEM;
        s->class = class;
    }
    if (s->c->t->population) {
        uint32_t *population = lethe_realloc(s->population, cap, sizeof *population);
        if (!population) return LETHE_ENOMEM;
        s->population = population;
    }
    s->cap_cells = cap;
    return LETHE_OK;
}

static void set_open(lethe_table_parts *s, uint32_t value, bool open)
{
    uint32_t r = s->c->rank[value];
    if (r == LETHE_NONE || (open && s->closed[value])) return;
    uint64_t bit = UINT64_C(1) << (r % 64);
    if (open)
        s->open[r / 64] |= bit;
    else
        s->open[r / 64] &= ~bit;
}

static bool is_open(const lethe_table_parts *s, uint32_t value)
{
    uint32_t r = s->c->rank[value];
    return r != LETHE_NONE && (s->open[r / 64] >> (r % 64) & 1);
}

uint32_t lethe_table_parts_open(const lethe_table_parts *s, uint32_t rank)
{
    uint32_t n = s->c->n_inner;
    if (rank >= n) return LETHE_NONE;
    uint64_t word = s->open[rank / 64] & (UINT64_MAX << (rank % 64));
    for (uint32_t i = rank / 64;; word = s->open[i]) {
        if (word) return 64 * i + (uint32_t)__builtin_ctzll(word);
        if (++i > (n - 1) / 64) return LETHE_NONE;
    }
}

/* --- groups --- */

static void add_to(lethe_table_part_sum *sum, const lethe_table_part *p)
{
    sum->cost += lethe_table_part_cost(p);
    sum->n_invalid += !p->valid;
    sum->n_lost += p->lost;
    sum->bound += p->lost ? 0 : p->bound;
}

static void take_from(lethe_table_part_sum *sum, const lethe_table_part *p)
{
    sum->cost -= lethe_table_part_cost(p);
    sum->n_invalid -= !p->valid;
    sum->n_lost -= p->lost;
    sum->bound -= p->lost ? 0 : p->bound;
}

/* What hangs on the values: open, now, spec. */
static void weigh(const lethe_table_parts *s, lethe_table_part *p, const uint32_t *node)
{
    p->open = p->now = p->spec = 0;
    for (size_t q = 0; q < s->c->n_qi; q++) {
        uint64_t weight = s->c->weight[node[q]];
        p->now += weight;
        if (is_open(s, node[q]))
            p->open |= UINT64_C(1) << q;
        else
            p->spec += weight;
    }
}

/* --- settled groups --- */

/* A group that is never split, or all of which is suppressed in whichever way it is split: its
 * suppression is known, and what its rows' LM still becomes is the sum over open values.  So it is
 * not looked at any more until the step that settled it is taken back. */
static bool is_settled(const lethe_table_part *p)
{
    return p->gone || lethe_table_part_homogeneous(p);
}

/* Rows of a cell, by the values above its leaves up to those of the group. */
static void settle_cell(lethe_table_parts *s, size_t cell, const uint32_t *node, uint64_t open,
                        uint64_t rows)
{
    for (; open; open &= open - 1) {
        uint32_t qi = (uint32_t)__builtin_ctzll(open), base = s->c->base[qi];
        const uint32_t *parent = s->c->t->tree[qi]->parent;
        uint32_t v = lethe_table_cells_leaf(s->c, s->key + cell * s->c->words, qi),
                 end = node[qi] - base;
        for (; v != end; v = parent[v])
            s->settled[base + v] += rows;
        s->settled[base + end] += rows;
    }
}

/* `sign` 1, or -1 to take it back; numbers wrap. */
static void settle(lethe_table_parts *s, uint32_t number, uint64_t sign)
{
    const lethe_table_part *p = &s->part[number];
    const uint32_t *node = s->node + (size_t)number * s->c->n_qi;
    if (s->c->d->cost != LETHE_COST_LM || p->rows == p->deleted) return;
    if (lethe_table_part_homogeneous(p)) {
        settle_cell(s, p->begin, node, p->open, sign * (p->rows - p->deleted));
        return;
    }
    for (uint32_t i = p->begin; i < p->end; i++)
        settle_cell(s, i, node, p->open, sign * s->tally[i].count);
}

/* --- making groups --- */

/* Into the lists, or settled. */
static void enter_part(lethe_table_parts *s, uint32_t p)
{
    s->part[p].settled = is_settled(&s->part[p]);
    if (s->part[p].settled) {
        settle(s, p, 1);
        return;
    }
    for (size_t q = 0, at = (size_t)p * s->c->n_qi; q < s->c->n_qi; q++) {
        uint32_t *head = &s->head[s->node[at + q]];
        s->next[at + q] = *head;
        *head = p;
    }
}

static lethe_err spread_tidily(lethe_table_parts *s, uint32_t number)
{
    const lethe_table_part *p = &s->part[number];
    if (s->c->d->cost != LETHE_COST_LM && !lethe_table_part_homogeneous(p) &&
        !lethe_table_part_is_tidy(p))
        LETHE_TRY(lethe_table_part_tidy(s, number));
    lethe_table_part_spread(s, &s->part[number]);
    return LETHE_OK;
}

/* A group of the cells begin .. end, like `parent` but for one value; the only one if all its
 * cells are the parent's. */
static lethe_err add_part(lethe_table_parts *s, uint32_t parent, uint32_t value, uint32_t begin,
                          uint32_t end)
{
    uint32_t n = s->n++, qi = s->c->qi[value];
    const lethe_table_part *from = &s->part[parent];
    lethe_table_part *p = &s->part[n];
    uint32_t *node = s->node + (size_t)n * s->c->n_qi, old;
    bool whole = begin == from->begin && end == from->end;
    memcpy(node, s->node + (size_t)parent * s->c->n_qi, s->c->n_qi * sizeof *node);
    old = node[qi];
    node[qi] = value;
    *p = *from;
    p->begin = begin;
    p->end = end;
    p->parent = parent;
    p->alive = true;
    if (s->frozen) { // locks leave groups as they are: what the parent has is out of date
        weigh(s, p, node);
    } else {
        p->now += s->c->weight[value] - s->c->weight[old];
        if (!is_open(s, value)) { // as the old one was
            p->open &= ~(UINT64_C(1) << qi);
            p->spec += s->c->weight[value];
        }
    }
    if (!whole) lethe_table_part_measure(s, p);
    if (!whole || ((p->open ^ from->open) & p->varies)) LETHE_TRY(spread_tidily(s, n));
    lethe_table_part_bound(s, p);
    add_to(&s->sum, p);
    enter_part(s, n);
    return LETHE_OK;
}

static lethe_err first_part(lethe_table_parts *s)
{
    const lethe_table_cells *c = s->c;
    LETHE_TRY(grow(s, 64));
    LETHE_TRY(lethe_table_parts_room(s, c->n));
    memcpy(s->key, c->key, c->n * c->words * sizeof *s->key);
    memcpy(s->tally, c->tally, c->n * sizeof *s->tally);
    if (c->class) memcpy(s->class, c->class, c->n * sizeof *s->class);
    if (c->t->population) memcpy(s->population, c->t->population, c->n * sizeof *s->population);
    s->n_cells = c->n;
    for (uint32_t v = 0; v < s->c->n_values; v++)
        s->head[v] = LETHE_NONE;
    for (size_t q = 0; q < s->c->n_qi; q++) {
        s->node[q] = s->c->base[q];
        set_open(s, s->node[q], true);
    }
    lethe_table_part *p = &s->part[0];
    *p = (lethe_table_part){.end = (uint32_t)s->c->n, .parent = LETHE_NONE, .alive = true};
    s->n = 1;
    weigh(s, p, s->node);
    p->tidy = p->open; // tuples are in order; an open value stands for all its leaves
    lethe_table_part_measure(s, p);
    LETHE_TRY(spread_tidily(s, 0));
    lethe_table_part_bound(s, p);
    add_to(&s->sum, p);
    enter_part(s, 0);
    return LETHE_OK;
}

lethe_err lethe_table_parts_new(const lethe_table_cells *c, const uint8_t *closed, bool frozen,
                                lethe_table_parts **out)
{
    lethe_arena *a = lethe_arena_new();
    lethe_table_parts *s = a ? lethe_new(a, lethe_table_parts, 1) : NULL;
    if (!s) {
        lethe_arena_free(a);
        return LETHE_ENOMEM;
    }
    *s = (lethe_table_parts){.c = c, .closed = closed, .frozen = frozen, .arena = a};
    s->head = lethe_new(a, uint32_t, c->n_values);
    s->split = lethe_new(a, uint8_t, c->n_values);
    s->open = lethe_new(a, uint64_t, (size_t)c->n_inner / 64 + 1);
    s->settled = lethe_new(a, uint64_t, c->n_values);
    bool ok = s->head && s->split && s->open && s->settled && make_scratch(s);
    if (!ok || first_part(s) != LETHE_OK) {
        lethe_table_parts_free(s);
        return LETHE_ENOMEM;
    }
    *out = s;
    return LETHE_OK;
}

void lethe_table_parts_free(lethe_table_parts *s)
{
    if (!s) return;
    lethe_free(s->key);
    lethe_free(s->tally);
    lethe_free(s->class);
    lethe_free(s->population);
    lethe_free(s->part);
    lethe_free(s->node);
    lethe_free(s->next);
    lethe_free(s->log);
    lethe_arena_free(s->arena);
}

/* --- what is taken back --- */

static lethe_err note(lethe_table_parts *s, uint32_t p, bool locked)
{
    const lethe_table_part *x = &s->part[p];
    if (s->n_log == s->cap_log) {
        size_t cap = s->cap_log + s->cap_log / 2 + 256;
        lethe_table_part_log *log = lethe_realloc(s->log, cap, sizeof *log);
        if (!log) return LETHE_ENOMEM;
        s->log = log;
        s->cap_log = cap;
    }
    s->log[s->n_log++] = (lethe_table_part_log){p,      x->largest, x->begin,  x->end,    x->lost,
                                                locked, x->bound,   x->spread, x->varies, x->tidy};
    return LETHE_OK;
}

/* Groups as they were before the step, which may have locked its value. */
static void undo_log(lethe_table_parts *s, const lethe_table_part_step *step)
{
    uint32_t qi = s->c->qi[step->value];
    while (s->n_log > step->n_log) {
        const lethe_table_part_log *old = &s->log[--s->n_log];
        lethe_table_part *x = &s->part[old->part];
        if (old->locked) {
            if (x->settled) settle(s, old->part, (uint64_t)-1);
            x->settled = false;
            x->open |= UINT64_C(1) << qi;
            x->spec -= s->c->weight[step->value];
        }
        x->largest = old->largest;
        x->begin = old->begin;
        x->end = old->end;
        x->lost = old->lost;
        x->bound = old->bound;
        x->spread = old->spread;
        x->varies = old->varies;
        x->tidy = old->tidy;
    }
    s->n_cells = step->n_cells;
}

/* --- specializing --- */

void lethe_table_parts_scatter(lethe_table_parts *s, uint32_t begin, uint32_t n, uint32_t *at)
{
    size_t words = s->c->words;
    const uint64_t *key = s->key + begin * words;
    const lethe_table_tally *tally = s->tally + begin;
    if (words == 1 && !s->class && !s->population) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t to = at[s->moved_to[i]]++;
            s->moved_key[to] = key[i];
            s->moved_tally[to] = tally[i];
        }
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = at[s->moved_to[i]]++;
        memcpy(s->moved_key + to * words, key + i * words, words * sizeof *key);
        s->moved_tally[to] = tally[i];
        if (s->class) s->moved_class[to] = s->class[begin + i];
        if (s->population) s->moved_population[to] = s->population[begin + i];
    }
}

void lethe_table_parts_put_back(lethe_table_parts *s, uint32_t begin, uint32_t n)
{
    size_t words = s->c->words;
    memcpy(s->key + begin * words, s->moved_key, n * words * sizeof *s->key);
    memcpy(s->tally + begin, s->moved_tally, n * sizeof *s->tally);
    if (s->class) memcpy(s->class + begin, s->moved_class, n * sizeof *s->class);
    if (s->population)
        memcpy(s->population + begin, s->moved_population, n * sizeof *s->population);
}

/* The cells of a group by child: count[k] .. count[k + 1] - 1. */
static void sort_cells(lethe_table_parts *s, const lethe_table_part *p, uint32_t qi,
                       uint32_t n_children)
{
    const lethe_table_cells *c = s->c;
    size_t words = c->words;
    const uint64_t *key = s->key + p->begin * words + c->word[qi], mask = c->mask[qi];
    uint32_t n = p->end - p->begin, *count = s->count, shift = c->shift[qi];
    memset(count, 0, (n_children + 1) * sizeof *count);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = s->child_of[(key[i * words] & mask) >> shift];
        s->moved_to[i] = k;
        count[k + 1]++;
    }
    for (uint32_t k = 1; k <= n_children; k++)
        count[k] += count[k - 1];
    lethe_table_parts_scatter(s, p->begin, n, count);
    lethe_table_parts_put_back(s, p->begin, n);
    for (uint32_t k = n_children; k > 0; k--)
        count[k] = count[k - 1];
    count[0] = 0;
    s->work += n;
}

static lethe_err split_part(lethe_table_parts *s, uint32_t p, uint32_t value, uint32_t n_children)
{
    uint32_t qi = s->c->qi[value], begin = s->part[p].begin, end = s->part[p].end;
    const lethe_tree *t = s->c->t->tree[qi];
    uint32_t v = value - s->c->base[qi];
    LETHE_TRY(grow(s, LETHE_MIN(n_children, end - begin)));
    s->part[p].alive = false;
    take_from(&s->sum, &s->part[p]);
    s->work++;
    if (!(s->part[p].varies >> qi & 1)) { // all in one child: nothing moves
        uint32_t leaf = lethe_table_cells_leaf(s->c, s->key + begin * s->c->words, qi),
                 c = lethe_tree_first(t, v);
        while (!lethe_tree_covers(t, c, leaf))
            c = t->end[c];
        return add_part(s, p, s->c->base[qi] + c, begin, end);
    }
    sort_cells(s, &s->part[p], qi, n_children);
    uint32_t k = 0;
    for (uint32_t c = lethe_tree_first(t, v); c < t->end[v]; c = t->end[c], k++)
        if (s->count[k + 1] > s->count[k])
            LETHE_TRY(
                add_part(s, p, s->c->base[qi] + c, begin + s->count[k], begin + s->count[k + 1]));
    return LETHE_OK;
}

static void open_children(lethe_table_parts *s, uint32_t value, bool open)
{
    uint32_t base = s->c->base[s->c->qi[value]], v = value - base;
    const lethe_tree *t = lethe_table_cells_tree(s->c, value);
    for (uint32_t c = lethe_tree_first(t, v); c < t->end[v]; c = t->end[c])
        set_open(s, base + c, open);
}

/* Groups that are about to be split, and will be so again in the subtree, as short as may be.  It
 * belongs to the step before. */
static lethe_err tidy_parts(lethe_table_parts *s, uint32_t value)
{
    uint32_t qi = s->c->qi[value];
    for (uint32_t p = s->head[value]; p != LETHE_NONE; p = s->next[(size_t)p * s->c->n_qi + qi]) {
        const lethe_table_part *x = &s->part[p];
        if (!x->alive || x->settled || x->end - x->begin < TIDY_MIN) continue;
        if (lethe_table_part_is_tidy(x)) continue;
        LETHE_TRY(note(s, p, false));
        LETHE_TRY(lethe_table_part_tidy(s, p));
    }
    return LETHE_OK;
}

lethe_err lethe_table_parts_specialize(lethe_table_parts *s, uint32_t value,
                                       lethe_table_part_step *step)
{
    assert(is_open(s, value));
    LETHE_TRY(tidy_parts(s, value));
    *step = (lethe_table_part_step){value, s->n, s->sum, s->n_log, s->n_cells};
    set_open(s, value, false);
    open_children(s, value, true);
    s->split[value] = 1;
    size_t qi = s->c->qi[value], n_qi = s->c->n_qi;
    const lethe_tree *t = s->c->t->tree[qi];
    uint32_t base = s->c->base[qi], v = value - base, n_children = 0;
    // Settled groups cost what v's children weigh in its place; their bounds stay, since open
    // values weigh nothing there, and leaves never do.
    s->sum.cost -= s->c->weight[value] * s->settled[value];
    for (uint32_t c = lethe_tree_first(t, v); c < t->end[v]; c = t->end[c], n_children++) {
        s->sum.cost += s->c->weight[base + c] * s->settled[base + c];
        for (uint32_t u = c; u < t->end[c]; u++)
            s->child_of[u] = n_children;
    }
    for (uint32_t p = s->head[value]; p != LETHE_NONE; p = s->next[(size_t)p * n_qi + qi])
        if (s->part[p].alive && !s->part[p].settled) LETHE_TRY(split_part(s, p, value, n_children));
    return LETHE_OK;
}

void lethe_table_parts_merge(lethe_table_parts *s, const lethe_table_part_step *step, bool open)
{
    while (s->n > step->n_parts) {
        uint32_t p = --s->n;
        size_t at = (size_t)p * s->c->n_qi;
        if (s->part[p].settled) settle(s, p, (uint64_t)-1);
        for (size_t q = 0; !s->part[p].settled && q < s->c->n_qi; q++) // it was linked last
            s->head[s->node[at + q]] = s->next[at + q];
        s->part[s->part[p].parent].alive = true;
    }
    undo_log(s, step);
    s->split[step->value] = 0;
    open_children(s, step->value, false);
    if (open) set_open(s, step->value, true);
    s->sum = step->sum;
}

/* --- locking --- */

static lethe_err lock_part(lethe_table_parts *s, uint32_t p, uint32_t qi, uint64_t weight)
{
    lethe_table_part *x = &s->part[p];
    LETHE_TRY(note(s, p, true));
    take_from(&s->sum, x);
    x->open &= ~(UINT64_C(1) << qi);
    x->spec += weight;
    if (x->varies >> qi & 1) LETHE_TRY(spread_tidily(s, p));
    lethe_table_part_bound(s, x);
    add_to(&s->sum, x);
    x->settled = is_settled(x);
    if (x->settled) settle(s, p, 1);
    s->work++;
    return LETHE_OK;
}

lethe_err lethe_table_parts_lock(lethe_table_parts *s, uint32_t value, lethe_table_part_step *step)
{
    uint32_t qi = s->c->qi[value];
    *step = (lethe_table_part_step){value, s->n, s->sum, s->n_log, s->n_cells};
    set_open(s, value, false);
    if (s->frozen) return LETHE_OK;
    s->sum.bound += s->c->weight[value] * s->settled[value];
    for (uint32_t p = s->head[value]; p != LETHE_NONE; p = s->next[(size_t)p * s->c->n_qi + qi])
        if (s->part[p].alive && !s->part[p].settled)
            LETHE_TRY(lock_part(s, p, qi, s->c->weight[value]));
    return LETHE_OK;
}

void lethe_table_parts_unlock(lethe_table_parts *s, const lethe_table_part_step *step)
{
    undo_log(s, step);
    set_open(s, step->value, true);
    s->sum = step->sum;
}
