/* SPDX-License-Identifier: Apache-2.0 */
/* item_search.c - depth first through sets of clues, in the order of clues, a first clue a task.
 *
 * At a set X of clues, all clues c that may follow are tried: how many records satisfy X and c, and
 * how many of these have each sensitive item.  Clues that no record, or every one, of X satisfies
 * are left out below X.  Sets of the same size are met in their order, so the first that is found
 * in a task is its least; sizes, and among equal ones tasks, are compared through one word. */
#include "check/bounds.h"
#include "check/item_search_internal.h"
#include "core/sort.h"
#include <stdatomic.h>
#include <stdlib.h>

/* How many clues are tried, or passed over, between two looks at whether the work is to end. */
enum { EXPAND_LOOKS = 64, LOOKS = 1 << 16 };
static const uint64_t ahead = 16; // sets

/* A set of clues on the way down. */
struct level {
    const lethe_item_view *view; /* `own`, or that of a level before */
    lethe_item_view own;
    uint64_t *mask; /* the sets of the view that satisfy the clues */
    size_t mask_cap;
    uint64_t support; /* records that they are */
    uint32_t clue;    /* the last one */
    uint32_t positive;
    uint64_t leaves;
    bool joined;    /* is one of several among the clues? */
    uint32_t *next; /* clues that may follow */
    uint32_t n_next, next_cap, at;
    uint32_t *mark; /* sensitive items that may still be told, ascending; and of how many records */
    uint64_t *mark_n;
    uint32_t n_marks;
};

struct worker {
    struct level **level; /* those that were ever needed */
    uint32_t n_levels, depth;
    uint64_t *wanted; /* by column */
    uint64_t stamp;
    uint64_t *pair;   /* by column: records that have it and the first; 0 in between */
    uint32_t *paired; /* columns where it is not 0 */
    uint64_t *join;   /* room for a row */
    size_t join_cap;
    uint64_t room; /* bytes that its levels may still take */
    uint64_t best; /* of its finding */
    lethe_item_finding finding;
    char apart[64]; /* workers do not share a cache line */
};

struct search {
    lethe_ctx *ctx;
    const lethe_item_question *q;
    lethe_item_clues clues;
    struct worker *worker;
    unsigned n_workers;
    _Atomic uint64_t best; /* size * tasks + task of the best finding so far */
};

/* --- the definition --- */

static bool tells(const lethe_item_question *q, uint64_t with, uint64_t of)
{
    return q->by_share ? lethe_is_over_share(with, of, q->h)
                       : lethe_is_over_part(with, of, q->kl.l);
}

/* Of records that stay at least k, could more of those with this item than are allowed be left? */
static bool may_tell(const lethe_item_question *q, uint64_t with)
{
    return with > 0 && tells(q, with, LETHE_MAX(q->kl.k, 1));
}

/* --- findings --- */

static uint64_t rank_of(const struct search *s, uint32_t task, uint32_t size)
{
    return (uint64_t)size * ((uint64_t)s->clues.n + 1) + task;
}

static bool could_be_better(struct search *s, uint32_t task, uint32_t size)
{
    return rank_of(s, task, size) < atomic_load_explicit(&s->best, memory_order_relaxed);
}

/* The clues of all levels, and `last`, are a counterexample, better than all before. */
static lethe_err finding_put(struct search *s, struct worker *w, uint32_t task, uint32_t last,
                             lethe_item_finding what)
{
    lethe_item_finding *f = &w->finding;
    uint32_t n = w->depth + (last != LETHE_NONE);
    lethe_clue *clue = lethe_realloc(f->clue, (size_t)n + 1, sizeof *clue);
    if (!clue) return LETHE_ENOMEM;
    f->clue = clue;
    f->n = n;
    for (uint32_t i = 0; i < w->depth; i++)
        clue[i] = lethe_clue_named(&s->clues, w->level[i]->clue);
    if (last != LETHE_NONE) clue[w->depth] = lethe_clue_named(&s->clues, last);
    what.clue = w->finding.clue;
    what.n = w->finding.n;
    what.found = true;
    w->finding = what;
    w->best = rank_of(s, task, what.n);
    uint64_t best = atomic_load_explicit(&s->best, memory_order_relaxed);
    while (w->best < best &&
           !atomic_compare_exchange_weak_explicit(&s->best, &best, w->best, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
    return LETHE_OK;
}

/* --- levels --- */

static void level_free(struct level *l)
{
    if (!l) return;
    lethe_view_free(&l->own);
    lethe_free(l->mask);
    lethe_free(l->next);
    lethe_free(l->mark);
    lethe_free(l->mark_n);
    lethe_free(l);
}

/* The level at w->depth, with room for clues and sensitive items. */
static struct level *level_get(const struct search *s, struct worker *w)
{
    if (w->depth == w->n_levels) {
        struct level **level = lethe_realloc(w->level, (size_t)w->depth + 1, sizeof *level);
        if (!level) return NULL;
        w->level = level;
        struct level *l = lethe_alloc_zero(1, sizeof *l);
        if (!l) return NULL;
        w->level[w->n_levels++] = l;
        l->own.ctx = s->ctx;
        l->own.room = &w->room;
        l->mark = lethe_alloc((size_t)s->clues.sets->n_marks + 1, sizeof *l->mark);
        l->mark_n = lethe_alloc((size_t)s->clues.sets->n_marks + 1, sizeof *l->mark_n);
    }
    struct level *l = w->level[w->depth];
    return l->mark && l->mark_n ? l : NULL;
}

static lethe_err words_reserve(const struct search *s, struct worker *w, uint64_t **p, size_t *cap,
                               size_t words)
{
    if (words <= *cap) return LETHE_OK;
    LETHE_TRY(lethe_room_take(s->ctx, &w->room, (words - *cap) * sizeof **p));
    uint64_t *more = lethe_realloc(*p, words, sizeof *more);
    if (!more) return LETHE_ENOMEM;
    *p = more;
    *cap = words;
    return LETHE_OK;
}

/* The mask of a view's sets, all of them. */
static lethe_err mask_all(const struct search *s, struct worker *w, struct level *l,
                          const lethe_item_view *v)
{
    LETHE_TRY(words_reserve(s, w, &l->mask, &l->mask_cap, v->words));
    memset(l->mask, 0xff, v->words * sizeof *l->mask);
    if (v->n % 64) l->mask[v->words - 1] = (UINT64_C(1) << v->n % 64) - 1;
    return LETHE_OK;
}

static lethe_err next_reserve(const struct search *s, struct worker *w, struct level *l, uint32_t n)
{
    if (n <= l->next_cap) return LETHE_OK;
    LETHE_TRY(lethe_room_take(s->ctx, &w->room, (n - l->next_cap) * sizeof *l->next));
    uint32_t *next = lethe_realloc(l->next, n, sizeof *next);
    if (!next) return LETHE_ENOMEM;
    l->next = next;
    l->next_cap = n;
    return LETHE_OK;
}

/* Who in the view satisfies the clue, but for its sign; NULL: nobody. */
static lethe_err clue_row(const struct search *s, struct worker *w, const lethe_item_view *v,
                          uint32_t clue, const uint64_t **out)
{
    uint32_t column[LETHE_CLUE_ITEMS], n = lethe_clue_columns(&s->clues, clue, column);
    *out = lethe_view_row(v, column[0]);
    if (n == 1) return LETHE_OK;
    LETHE_TRY(words_reserve(s, w, &w->join, &w->join_cap, v->words));
    memset(w->join, 0, v->words * sizeof *w->join);
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t *row = lethe_view_row(v, column[k]);
        for (size_t i = 0; row && i < v->words; i++)
            w->join[i] |= row[i];
    }
    *out = w->join;
    return LETHE_OK;
}

static bool within(const struct search *s, const struct level *l, uint32_t clue)
{
    bool absent = lethe_clue_is_absent(&s->clues, clue);
    return lethe_is_within_power(&s->q->kl, l->positive + !absent,
                                 l->leaves + lethe_clue_leaves(&s->clues, clue));
}

/* May `clue` follow the last clue of the level?  i- says what j- below it says; and without strict,
 * i+ and j- below it do not stand together. */
static bool fits(const struct search *s, const struct level *l, uint32_t clue)
{
    const lethe_item_clues *c = &s->clues;
    if (!within(s, l, clue)) return false;
    if (!lethe_clue_is_absent(c, clue)) return true;
    uint32_t item = lethe_clue_named(c, clue).item[0], last = lethe_clue_named(c, l->clue).item[0];
    if (lethe_clue_is_absent(c, l->clue)) return !lethe_tree_covers(c->sets->tree, item, last);
    return s->q->kl.strict || !lethe_tree_covers(c->sets->tree, last, item);
}

/* Are persons at stake below these clues?  (One of several: see item_clues.c.) */
static bool names_somebody(const struct search *s, const struct level *l)
{
    return s->q->kl.k > 1 && !l->joined;
}

/* --- one more clue --- */

/* How many of the records of the level that satisfy a clue have a sensitive item. */
static uint64_t with_mark(const struct search *s, const struct level *l, uint32_t i,
                          const uint64_t *row, bool absent)
{
    const uint64_t *marked = lethe_view_row(l->view, s->clues.n_columns + l->mark[i]);
    uint64_t present = row && marked ? lethe_view_weigh3(l->view, l->mask, row, marked) : 0;
    return absent ? l->mark_n[i] - present : present;
}

/* Looks at the clues of the level and one more, which `support` records satisfy.  *what.found: they
 * are a counterexample. */
static void try(const struct search *s, const struct level *l, const uint64_t *row, bool absent,
                uint64_t support, lethe_item_finding *what)
{
    *what = (lethe_item_finding){.support = support, .mark = LETHE_NONE};
    what->found = lethe_is_naming(&s->q->kl, support);
    for (uint32_t i = 0; i < l->n_marks && !what->found; i++) {
        if (!tells(s->q, l->mark_n[i], support)) continue; // these are all there are
        uint64_t with = with_mark(s, l, i, row, absent);
        if (!tells(s->q, with, support)) continue;
        what->found = true;
        what->mark = l->mark[i];
        what->with = with;
    }
}

/* Tries every clue that may follow; what is left of them are those that some records of the level
 * satisfy, but not all. */
static lethe_err expand(struct search *s, struct worker *w, uint32_t task)
{
    struct level *l = w->level[w->depth - 1];
    uint32_t n = l->n_next;
    l->n_next = l->at = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *row;
        uint32_t clue = l->next[i];
        bool absent = lethe_clue_is_absent(&s->clues, clue);
        lethe_item_finding what;
        if (i % EXPAND_LOOKS == 0 && lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(clue_row(s, w, l->view, clue, &row));
        uint64_t present = row ? lethe_view_weigh(l->view, l->mask, row) : 0;
        if (present == 0 || present == l->support) continue;
        try(s, l, row, absent, absent ? l->support - present : present, &what);
        if (what.found) { // what is below has more clues
            l->n_next = 0;
            return finding_put(s, w, task, clue, what);
        }
        l->next[l->n_next++] = clue;
    }
    return LETHE_OK;
}

/* --- down --- */

/* Where those of the level's clues begin that may follow by the power that is left to `l`: none
 * that is present where there are m of them.  With very many clues no other look at these is in
 * time. */
static uint32_t next_from(const struct search *s, const struct level *l, const struct level *up,
                          uint32_t at)
{
    uint32_t from = at + 1, end = up->n_next;
    if (lethe_is_within_power(&s->q->kl, l->positive + 1, l->leaves)) return from;
    while (from < end) { // absent ones are the last
        uint32_t mid = from + (end - from) / 2;
        if (lethe_clue_is_absent(&s->clues, up->next[mid]))
            end = mid;
        else
            from = mid + 1;
    }
    return from;
}

static void marks_take(const struct search *s, struct level *l, const struct level *up)
{
    l->n_marks = 0;
    for (uint32_t i = 0; i < up->n_marks; i++) {
        const uint64_t *row = lethe_view_row(l->view, s->clues.n_columns + up->mark[i]);
        uint64_t with = row ? lethe_view_weigh(l->view, l->mask, row) : 0;
        if (!may_tell(s->q, with)) continue;
        l->mark[l->n_marks] = up->mark[i];
        l->mark_n[l->n_marks++] = with;
    }
}

/* Where few of a view's sets are left, a view of these alone is worth making. */
static lethe_err view_narrow(struct search *s, struct worker *w, struct level *l)
{
    enum { LARGE = 8, FEW = 8 };
    const lethe_item_view *v = l->view;
    size_t n = 0, used = 0;
    if (v->words < LARGE || l->n_next < FEW) return LETHE_OK;
    for (size_t i = 0; i < v->words; i++)
        n += (size_t)__builtin_popcountll(l->mask[i]);
    if (n > v->words * (64 / 4)) return LETHE_OK;
    LETHE_TRY(lethe_view_sets(&l->own, (uint32_t)n));
    for (size_t i = 0; i < v->words; i++)
        for (uint64_t left = l->mask[i]; left; left &= left - 1)
            l->own.set[used++] = v->set[i * 64 + (size_t)__builtin_ctzll(left)];
    w->stamp++;
    for (uint32_t i = 0; i < l->n_next; i++) {
        uint32_t column[LETHE_CLUE_ITEMS];
        for (uint32_t k = lethe_clue_columns(&s->clues, l->next[i], column); k-- > 0;)
            w->wanted[column[k]] = w->stamp;
    }
    LETHE_TRY(lethe_view_fill(&l->own, &s->clues, LETHE_NONE, w->wanted, w->stamp));
    l->view = &l->own;
    return mask_all(s, w, l, l->view);
}

/* To the set of clues with number `at` of those that may follow the deepest; the depth stays as it
 * is where nothing can follow that. */
static lethe_err descend(struct search *s, struct worker *w, uint32_t task, uint32_t at)
{
    const uint64_t *row;
    struct level *l = level_get(s, w);
    if (!l) return LETHE_ENOMEM;
    struct level *up = w->level[w->depth - 1];
    uint32_t clue = up->next[at];
    bool absent = lethe_clue_is_absent(&s->clues, clue);
    l->clue = clue;
    l->positive = up->positive + !absent;
    l->leaves = up->leaves + lethe_clue_leaves(&s->clues, clue);
    l->joined = up->joined || lethe_clue_is_joined(&s->clues, clue);
    l->view = up->view;
    /* The clues after number `at` of the level above that may follow here too. */
    uint32_t from = next_from(s, l, up, at);
    LETHE_TRY(next_reserve(s, w, l, up->n_next - from));
    l->n_next = 0;
    for (uint32_t i = from; i < up->n_next; i++) {
        if (i % LOOKS == 0 && lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        if (fits(s, l, up->next[i])) l->next[l->n_next++] = up->next[i];
    }
    if (l->n_next == 0) return LETHE_OK;
    LETHE_TRY(words_reserve(s, w, &l->mask, &l->mask_cap, up->view->words));
    LETHE_TRY(clue_row(s, w, up->view, clue, &row));
    for (size_t i = 0; i < up->view->words; i++)
        l->mask[i] = up->mask[i] & (absent ? ~row[i] : row[i]);
    marks_take(s, l, up);
    if (!names_somebody(s, l) && l->n_marks == 0) return LETHE_OK;
    l->support = lethe_view_weigh(l->view, l->mask, l->mask);
    LETHE_TRY(view_narrow(s, w, l));
    w->depth++;
    return expand(s, w, task);
}

/* All sets of clues that begin with those of the first level. */
static lethe_err go_through(struct search *s, struct worker *w, uint32_t task)
{
    LETHE_TRY(expand(s, w, task));
    while (w->depth > 0) {
        struct level *l = w->level[w->depth - 1];
        if (lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        // one more clue was tried; two more must be worth it
        if (l->at == l->n_next || !could_be_better(s, task, w->depth + 2))
            w->depth--;
        else
            LETHE_TRY(descend(s, w, task, l->at++));
    }
    return LETHE_OK;
}

/* --- the first clue --- */

/* All later clues within the power; of columns and of absent ones those alone that are seen. */
static lethe_err first_next(const struct search *s, struct worker *w, struct level *l)
{
    const lethe_item_clues *c = &s->clues;
    uint32_t joined_end = c->n_columns + c->n_joined;
    bool more = lethe_is_within_power(&s->q->kl, l->positive + 1, l->leaves);
    LETHE_TRY(next_reserve(s, w, l, c->n + 1));
    l->n_next = 0;
    for (uint32_t i = 0; more && i < l->own.n_rows; i++) {
        uint32_t clue = l->own.shown[i];
        if (clue < c->n_columns && clue > l->clue && fits(s, l, clue)) l->next[l->n_next++] = clue;
    }
    qsort(l->next, l->n_next, sizeof *l->next, lethe_u32_cmp);
    for (uint32_t clue = LETHE_MAX(c->n_columns, l->clue + 1); more && clue < joined_end; clue++) {
        if (clue % LOOKS == 0 && lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
        if (fits(s, l, clue)) l->next[l->n_next++] = clue;
    }
    for (uint32_t clue = LETHE_MAX(joined_end, l->clue + 1); clue < c->n; clue++) {
        bool seen = l->own.row[c->absent[clue - joined_end]] != LETHE_NONE;
        if (seen && fits(s, l, clue)) l->next[l->n_next++] = clue;
    }
    return LETHE_OK;
}

/* The columns that may follow the first clue; where it takes all the power, none. */
static lethe_err first_columns(const struct search *s, struct worker *w, struct level *l)
{
    const lethe_item_clues *c = &s->clues;
    bool more = lethe_is_within_power(&s->q->kl, l->positive + 1, l->leaves) ||
                lethe_is_within_power(&s->q->kl, l->positive, l->leaves + 1);
    if (more) return lethe_view_fill(&l->own, c, LETHE_MIN(l->clue, c->n_columns), NULL, 0);
    return lethe_view_fill(&l->own, c, LETHE_NONE, w->wanted, ++w->stamp);
}

static lethe_err first_level(const struct search *s, struct worker *w, uint32_t clue,
                             struct level *l)
{
    const lethe_item_clues *c = &s->clues;
    l->view = &l->own;
    l->clue = clue;
    l->positive = !lethe_clue_is_absent(c, clue);
    l->leaves = lethe_clue_leaves(c, clue);
    /* The sets that satisfy it, ascending. */
    uint32_t column[LETHE_CLUE_ITEMS], n_columns = lethe_clue_columns(c, clue, column), n = 0;
    uint64_t at[LETHE_CLUE_ITEMS], most = 0;
    bool absent = lethe_clue_is_absent(c, clue);
    for (uint32_t k = 0; k < n_columns; k++) {
        at[k] = c->holders[column[k]];
        most += c->holders[column[k] + 1] - at[k];
    }
    LETHE_TRY(
        lethe_view_sets(&l->own, absent ? c->sets->n : (uint32_t)LETHE_MIN(most, c->sets->n)));
    for (uint32_t from = 0, next; from < c->sets->n; from = next + 1) {
        next = c->sets->n; // the next that has one of the columns
        for (uint32_t k = 0; k < n_columns; k++)
            if (at[k] < c->holders[column[k] + 1]) next = LETHE_MIN(next, c->holder[at[k]]);
        for (uint32_t k = 0; k < n_columns; k++)
            at[k] += at[k] < c->holders[column[k] + 1] && c->holder[at[k]] == next;
        for (uint32_t i = from; absent && i < next; i++)
            l->own.set[n++] = i;
        if (!absent && next < c->sets->n) l->own.set[n++] = next;
    }
    LETHE_TRY(lethe_view_sets(&l->own, n));
    LETHE_TRY(first_columns(s, w, l));
    LETHE_TRY(mask_all(s, w, l, &l->own));
    l->joined = lethe_clue_is_joined(c, clue);
    l->support = l->n_marks = 0;
    for (uint32_t i = 0; i < l->own.n; i++)
        l->support += c->sets->weight[l->own.set[i]];
    for (uint32_t mark = 0; mark < c->sets->n_marks; mark++) {
        const uint64_t *row = lethe_view_row(&l->own, c->n_columns + mark);
        if (!row) continue;
        l->mark[l->n_marks] = mark;
        l->mark_n[l->n_marks++] = lethe_view_weigh(&l->own, l->mask, row);
    }
    return LETHE_OK;
}

/* --- two items at most --- */

/* Are two items that are there all that may be known, and is nothing told but who it is?  Then
 * records are counted, and no views are needed. */
static bool only_pairs(const struct search *s)
{
    const lethe_item_clues *c = &s->clues;
    return !c->tells && c->n == c->n_columns && !lethe_is_within_power(&s->q->kl, 3, 0);
}

/* w->pair of all later columns in the sets that have this one; w->paired, ascending, are those that
 * are in any.  Returns how many these are. */
static uint32_t pairs_count(const struct search *s, struct worker *w, uint32_t first)
{
    const lethe_item_clues *c = &s->clues;
    uint32_t n = 0;
    uint64_t end = c->holders[first + 1];
    for (uint64_t at = c->holders[first]; at < end; at++) {
        uint32_t set = c->holder[at];
        // sets are far apart: their columns are asked for before they are needed
        if (at + 2 * ahead < end) __builtin_prefetch(c->start + c->holder[at + 2 * ahead]);
        if (at + ahead < end) __builtin_prefetch(c->column + c->start[c->holder[at + ahead]]);
        uint64_t weight = c->sets->weight[set];
        for (uint64_t k = c->start[set + 1]; c->column[k - 1] > first; k--) {
            uint32_t column = c->column[k - 1];
            if (w->pair[column] == 0) w->paired[n++] = column;
            w->pair[column] += weight;
        }
    }
    lethe_sort_u32(w->paired, n);
    return n;
}

static lethe_err task_pairs(struct search *s, struct worker *w, uint32_t first, struct level *l)
{
    const lethe_item_clues *c = &s->clues;
    lethe_item_finding what, found = {.found = false};
    uint32_t with = LETHE_NONE;
    l->clue = first;
    l->positive = 1;
    l->leaves = l->support = l->n_marks = 0;
    l->joined = false;
    for (uint64_t at = c->holders[first]; at < c->holders[first + 1]; at++)
        l->support += c->sets->weight[c->holder[at]];
    w->depth = 1;
    try(s, l, NULL, false, l->support, &what);
    if (what.found) return finding_put(s, w, first, LETHE_NONE, what);
    if (!names_somebody(s, l) || !lethe_is_within_power(&s->q->kl, 2, 0)) return LETHE_OK;
    if (!could_be_better(s, first, 2)) return LETHE_OK;
    for (uint32_t n = pairs_count(s, w, first), i = 0; i < n; i++) {
        uint64_t *support = &w->pair[w->paired[i]];
        if (!found.found && *support < l->support) {
            try(s, l, NULL, false, *support, &found);
            with = w->paired[i];
        }
        *support = 0;
    }
    return found.found ? finding_put(s, w, first, with, found) : LETHE_OK;
}

/* The first clue by itself: all records of the level have the mask. */
static lethe_err task_run(void *arg, size_t i, unsigned who)
{
    struct search *s = arg;
    struct worker *w = &s->worker[who];
    uint32_t task = (uint32_t)i;
    lethe_item_finding what;
    lethe_ctx_advance(s->ctx, 1);
    if (!could_be_better(s, task, 1)) return LETHE_OK;
    w->depth = 0;
    struct level *l = level_get(s, w);
    if (!l) return LETHE_ENOMEM;
    if (lethe_ctx_cancelled(s->ctx)) return LETHE_ECANCEL;
    if (only_pairs(s)) return task_pairs(s, w, task, l);
    LETHE_TRY(first_level(s, w, task, l));
    if (l->support == 0 || l->support == s->clues.sets->n_records) return LETHE_OK;
    w->depth = 1;
    try(s, l, l->mask, false, l->support, &what);
    if (what.found) return finding_put(s, w, task, LETHE_NONE, what);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < l->n_marks; k++) {
        if (!may_tell(s->q, l->mark_n[k])) continue;
        l->mark[kept] = l->mark[k];
        l->mark_n[kept++] = l->mark_n[k];
    }
    l->n_marks = kept;
    if (!names_somebody(s, l) && l->n_marks == 0) return LETHE_OK;
    if (!could_be_better(s, task, 2)) return LETHE_OK;
    LETHE_TRY(first_next(s, w, l));
    return go_through(s, w, task);
}

/* --- all of them --- */

static lethe_err search_all(struct search *s, lethe_item_finding *out)
{
    /* No clue at all. */
    const lethe_item_sets *sets = s->clues.sets;
    uint64_t *with = lethe_alloc_zero((size_t)sets->n_marks + 1, sizeof *with);
    if (!with) return LETHE_ENOMEM;
    *out = (lethe_item_finding){.support = sets->n_records, .mark = LETHE_NONE};
    out->found = lethe_is_naming(&s->q->kl, sets->n_records);
    for (uint32_t i = 0; i < sets->n; i++)
        for (uint64_t at = sets->mark_start[i]; at < sets->mark_start[i + 1]; at++)
            with[sets->mark[at]] += sets->weight[i];
    for (uint32_t mark = 0; mark < sets->n_marks && !out->found; mark++) {
        if (!tells(s->q, with[mark], sets->n_records)) continue;
        out->found = true;
        out->mark = mark;
        out->with = with[mark];
    }
    lethe_free(with);
    if (out->found) return LETHE_OK;
    s->worker = lethe_alloc_zero(s->n_workers, sizeof *s->worker);
    if (!s->worker) return LETHE_ENOMEM;
    for (unsigned i = 0; i < s->n_workers; i++) {
        s->worker[i].best = UINT64_MAX;
        s->worker[i].room = lethe_ctx_memory(s->ctx) / s->n_workers;
        s->worker[i].wanted =
            lethe_alloc_zero((size_t)s->clues.n_columns + 1, sizeof *s->worker[i].wanted);
        s->worker[i].pair =
            lethe_alloc_zero((size_t)s->clues.n_columns + 1, sizeof *s->worker[i].pair);
        s->worker[i].paired =
            lethe_alloc((size_t)s->clues.n_columns + 1, sizeof *s->worker[i].paired);
        if (!s->worker[i].wanted || !s->worker[i].pair || !s->worker[i].paired) return LETHE_ENOMEM;
    }
    lethe_ctx_phase(s->ctx, "checking", s->clues.n);
    LETHE_TRY(lethe_pool_for(s->ctx, s->clues.n, task_run, s));
    struct worker *best = &s->worker[0];
    for (unsigned i = 1; i < s->n_workers; i++)
        if (s->worker[i].best < best->best) best = &s->worker[i];
    if (!best->finding.found) return LETHE_OK;
    *out = best->finding;
    best->finding.clue = NULL;
    return LETHE_OK;
}

lethe_err lethe_item_search(lethe_ctx *ctx, const lethe_item_sets *sets,
                            const lethe_item_question *q, lethe_item_finding *out)
{
    struct search s = {.ctx = ctx, .q = q, .n_workers = lethe_ctx_threads(ctx)};
    lethe_item_finding found = {.found = false};
    atomic_init(&s.best, UINT64_MAX);
    lethe_err e = lethe_item_clues_make(ctx, sets, q, &s.clues);
    if (e == LETHE_OK) {
        e = search_all(&s, &found);
        if (e == LETHE_ENOMEM) e = lethe_no_memory(ctx);
    }
    for (unsigned i = 0; s.worker && i < s.n_workers; i++) {
        struct worker *w = &s.worker[i];
        for (uint32_t k = 0; k < w->n_levels; k++)
            level_free(w->level[k]);
        lethe_free(w->level);
        lethe_free(w->wanted);
        lethe_free(w->pair);
        lethe_free(w->paired);
        lethe_free(w->join);
        lethe_free(w->finding.clue);
    }
    lethe_free(s.worker);
    lethe_item_clues_free(&s.clues);
    if (e == LETHE_OK) *out = found;
    return e;
}
