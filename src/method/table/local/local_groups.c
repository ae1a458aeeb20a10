/* SPDX-License-Identifier: Apache-2.0 */
/* local_groups.c - local recoding from the table to groups: rows become items, items are grouped,
 * and groups are written in the terms of the caller, with the loss by its own weights. */
#include "method/table/local/local_groups.h"
#include "method/table/local/local_internal.h"
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum {
    SMALL_BLOCKS = 2, /* a table of so many blocks is worth more steps */
    SMALL_EFFORT = 6,
    FIRST_EFFORT = 2, /* of larger ones, and the second time */
    SECOND_EFFORT = 1
};

typedef struct local_run {
    lethe_ctx *ctx;
    const lethe_tuples *t;
    const lethe_local_column *column;
    const lethe_local_demand *d;
    lethe_arena *a, *tmp;
    local_space space;
    local_judge judge;
    local_parts parts;
} local_run;

/* --- items --- */

/* Rows of a kind that may go their own ways, and how many of them stay together: all that could
 * form a group by themselves do, except for some that they can spare. */
static uint32_t loose_rows(const local_run *r, uint32_t kind)
{
    uint64_t rows = r->space.rows[kind], k = r->judge.k, loose;
    if (r->judge.rows_only)
        loose = rows < k ? rows : LETHE_MIN(rows - k, k);
    else
        loose = LETHE_MIN(rows, 2 * k);
    return (uint32_t)loose;
}

static uint64_t granule(const local_run *r) { return LETHE_MAX(r->judge.k / 64, 1); }

static lethe_err make_items(local_run *r)
{
    uint64_t by = granule(r);
    size_t n = 0;
    for (uint32_t i = 0; i < r->space.n_kinds; i++) {
        uint32_t loose = loose_rows(r, i);
        n += (size_t)((loose + by - 1) / by) + (loose < r->space.rows[i]);
    }
    local_item *item = r->parts.item = lethe_new(r->tmp, local_item, n);
    r->parts.start = lethe_new(r->tmp, size_t, n + 1);
    if (!item || !r->parts.start) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < r->space.n_kinds; i++) {
        uint32_t loose = loose_rows(r, i);
        if (loose < r->space.rows[i]) *item++ = (local_item){i, r->space.rows[i] - loose};
        for (uint32_t rows; loose > 0; loose -= rows) {
            rows = (uint32_t)LETHE_MIN(loose, by);
            *item++ = (local_item){i, rows};
        }
    }
    r->parts.n_items = r->parts.n_kept = n;
    r->parts.start[1] = n;
    r->parts.n = 1;
    return LETHE_OK;
}

/* Are all rows valid as one group?  `published`: by the population that falls under what it
 * publishes, and not only by that which is like its rows. */
static bool all_valid(local_run *r, bool published)
{
    for (size_t i = 0; i < r->parts.n_items; i++)
        lethe_local_judge_add(&r->judge, r->parts.item[i]);
    if (published && r->d->population) r->judge.n_population = r->d->population_all;
    return lethe_local_judge_valid(&r->judge);
}

/* --- what groups publish --- */

typedef struct described {
    size_t part;
    const uint32_t *low, *high;
    size_t n_qi;
    size_t turn; /* the column that is compared first */
} described;

static int compare_published(const described *x, const described *y)
{
    int c = 0;
    for (size_t i = 0; c == 0 && i < x->n_qi; i++) {
        size_t q = (i + x->turn) % x->n_qi;
        c = (x->low[q] > y->low[q]) - (x->low[q] < y->low[q]);
    }
    for (size_t i = 0; c == 0 && i < x->n_qi; i++) {
        size_t q = (i + x->turn) % x->n_qi;
        c = (x->high[q] > y->high[q]) - (x->high[q] < y->high[q]);
    }
    return c;
}

static int by_published(const void *a, const void *b)
{
    const described *x = a, *y = b;
    int c = compare_published(x, y);
    return c != 0 ? c : (x->part > y->part) - (x->part < y->part);
}

/* What a set of items publishes. */
static void describe(const local_run *r, const local_item *item, size_t n, uint32_t *state,
                     uint32_t *low, uint32_t *high)
{
    const local_space *s = &r->space;
    lethe_local_state_of(s, item[0].kind, state);
    for (size_t i = 1; i < n; i++)
        lethe_local_join(s, item[i].kind, state);
    for (size_t x = 0; x < s->n_axes; x++) {
        const local_axis *axis = &s->axis[x];
        size_t q = axis->column;
        if (axis->kind == LOCAL_NODE)
            low[q] = high[q] = state[x];
        else
            *(axis->kind == LOCAL_HIGH ? &high[q] : &low[q]) = axis->leaf[state[x]];
    }
}

/* The parts in the order of what they publish. */
static lethe_err describe_parts(local_run *r, size_t turn, described **out)
{
    size_t n = r->parts.n, n_qi = r->t->n_qi;
    described *all = lethe_new(r->tmp, described, n);
    uint32_t *low = lethe_new(r->tmp, uint32_t, n * n_qi),
             *high = lethe_new(r->tmp, uint32_t, n * n_qi);
    uint32_t *state = lethe_new(r->tmp, uint32_t, r->space.n_axes);
    if (!all || !low || !high || !state) return LETHE_ENOMEM;
    for (size_t g = 0; g < n; g++) {
        size_t from = r->parts.start[g];
        describe(r, r->parts.item + from, r->parts.start[g + 1] - from, state, low + g * n_qi,
                 high + g * n_qi);
        all[g] = (described){g, low + g * n_qi, high + g * n_qi, n_qi, turn};
    }
    qsort(all, n, sizeof *all, by_published);
    *out = all;
    return LETHE_OK;
}

/* --- blocks --- */

/* Groups that are searched together: the work of one thread at a time. */
typedef struct block {
    size_t from, to;       /* items */
    size_t first_group, n; /* groups before the search, and after it how many */
    size_t *start;         /* of the groups after it; n + 1 */
    size_t n_kept;
    uint64_t max_deleted;
} block;

typedef struct block_run {
    local_run *r;
    block *block;
    size_t n;
    bool first; /* the first time */
    uint32_t effort;
} block_run;

/* Blocks of consecutive groups, each as large as may be. */
static lethe_err cut_blocks(local_run *r, block_run *b)
{
    const local_parts *p = &r->parts;
    size_t most = lethe_local_block_max(&r->space);
    if (r->d->block_items > 0) most = LETHE_MIN(most, r->d->block_items);
    b->n = 0;
    b->block = lethe_new(r->tmp, block, p->n);
    if (!b->block) return LETHE_ENOMEM;
    for (size_t g = 0, end; g < p->n; g = end) {
        for (end = g + 1; end < p->n && p->start[end + 1] - p->start[g] <= most; end++)
            ;
        b->block[b->n++] =
            (block){.from = p->start[g], .to = p->start[end], .first_group = g, .n = end - g};
    }
    return LETHE_OK;
}

/* Rows that may be deleted are shared out by the rows of the blocks. */
static void share_deletions(const local_run *r, block_run *b)
{
    for (size_t i = 0; i < b->n; i++) {
        uint64_t rows = 0;
        for (size_t k = b->block[i].from; k < b->block[i].to; k++)
            rows += r->parts.item[k].rows;
        uint64_t most = LETHE_MIN(r->d->max_deleted, r->t->rows);
        b->block[i].max_deleted = (uint64_t)((wide)most * rows / r->t->rows);
    }
}

static lethe_err search_block(void *arg, size_t i, unsigned worker)
{
    block_run *b = arg;
    local_run *r = b->r;
    block *x = &b->block[i];
    (void)worker;
    local_judge judge;
    local_task task = {.start = b->first,
                       .effort = b->effort,
                       .granule = granule(r),
                       .max_deleted = x->max_deleted};
    lethe_arena *tmp = lethe_arena_new();
    if (!tmp) return LETHE_ENOMEM;
    size_t *start = lethe_new(tmp, size_t, x->to - x->from + 1);
    local_parts p = {
        .item = r->parts.item + x->from, .n_items = x->to - x->from, .start = start, .n = x->n};
    lethe_err e = start ? lethe_local_judge_make(&r->space, r->d, tmp, &judge) : LETHE_ENOMEM;
    if (e == LETHE_OK) {
        memcpy(start, r->parts.start + x->first_group, (x->n + 1) * sizeof *start);
        e = lethe_local_improve(r->ctx, &r->space, &judge, &task, tmp, &p);
    }
    if (e == LETHE_OK) {
        x->start = lethe_alloc(p.n + 1, sizeof *x->start);
        if (!x->start) e = LETHE_ENOMEM;
    }
    if (e == LETHE_OK) {
        memcpy(x->start, p.start, (p.n + 1) * sizeof *x->start);
        x->n = p.n;
        x->n_kept = p.n_kept;
        lethe_ctx_advance(r->ctx, p.n_items);
    }
    lethe_arena_free(tmp);
    return e;
}

/* The groups of all blocks one after the other; what is deleted moves to the end of the items. */
static lethe_err join_blocks(local_run *r, block_run *b)
{
    local_parts *p = &r->parts;
    local_item *gone = lethe_new(r->tmp, local_item, p->n_items);
    size_t n = 0, n_gone = 0;
    if (!gone) return LETHE_ENOMEM;
    p->n = 0;
    for (size_t i = 0; i < b->n; i++) {
        const block *x = &b->block[i];
        for (size_t g = 0; g < x->n; g++)
            p->start[p->n++] = x->start[g] - x->from + n;
        size_t lost = x->to - x->from - x->n_kept;
        memcpy(gone + n_gone, p->item + x->from + x->n_kept, lost * sizeof *gone);
        memmove(p->item + n, p->item + x->from, x->n_kept * sizeof *gone);
        n += x->n_kept;
        n_gone += lost;
    }
    p->start[p->n] = p->n_kept = n;
    memcpy(p->item + n, gone, n_gone * sizeof *gone);
    return LETHE_OK;
}

static lethe_err run_blocks(block_run *b)
{
    lethe_err e = lethe_pool_for(b->r->ctx, b->n, search_block, b);
    if (e == LETHE_OK) e = join_blocks(b->r, b);
    for (size_t i = 0; i < b->n; i++)
        lethe_free(b->block[i].start);
    return e;
}

/* The groups in another order, that of their values from another column on, so that blocks of them
 * hold groups that were in different ones. */
static lethe_err reorder_groups(local_run *r)
{
    local_parts *p = &r->parts;
    described *all;
    LETHE_TRY(describe_parts(r, r->t->n_qi / 2, &all));
    local_item *item = lethe_new(r->tmp, local_item, p->n_items);
    size_t *start = lethe_new(r->tmp, size_t, p->n_items + 1), n = 0;
    if (!item || !start) return LETHE_ENOMEM;
    for (size_t g = 0; g < p->n; g++) {
        size_t from = p->start[all[g].part], to = p->start[all[g].part + 1];
        start[g] = n;
        memcpy(item + n, p->item + from, (to - from) * sizeof *item);
        n += to - from;
    }
    start[p->n] = n;
    memcpy(item + n, p->item + n, (p->n_items - n) * sizeof *item);
    p->item = item;
    p->start = start;
    return LETHE_OK;
}

/* Blocks as the division left them, in which rows near each other mostly are together; where there
 * are several, once more with others. */
static lethe_err improve_blocks(local_run *r)
{
    block_run b = {.r = r, .first = true, .effort = FIRST_EFFORT};
    LETHE_TRY(cut_blocks(r, &b));
    share_deletions(r, &b);
    if (b.n <= SMALL_BLOCKS) b.effort = SMALL_EFFORT;
    lethe_ctx_phase(r->ctx, "search", (b.n > 1 ? 2 : 1) * r->parts.n_items);
    LETHE_TRY(run_blocks(&b));
    if (b.n == 1 || r->parts.n < 2) return LETHE_OK;
    // deletions are used up, and what was deleted stays so
    size_t n_items = r->parts.n_items;
    block_run again = {.r = r, .effort = SECOND_EFFORT};
    LETHE_TRY(reorder_groups(r));
    LETHE_TRY(cut_blocks(r, &again));
    size_t n_kept = r->parts.n_kept;
    r->parts.n_items = n_kept;
    lethe_err e = run_blocks(&again);
    r->parts.n_items = n_items;
    return e;
}

/* --- result --- */

static uint64_t loss_of_row(const local_run *r, const uint32_t *low, const uint32_t *high)
{
    uint64_t sum = 0;
    for (size_t q = 0; q < r->t->n_qi; q++) {
        const lethe_local_column *c = &r->column[q];
        sum += c->at ? c->at[high[q]] - c->at[low[q]] : c->weight[low[q]];
    }
    return sum;
}

static int by_kind(const void *a, const void *b)
{
    const local_item *x = a, *y = b;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

/* Hands out rows of tuples: those of a kind in the order in which they are asked for. */
typedef struct dealer {
    const local_run *r;
    uint32_t *tuple; /* by kind: the next one that has rows left */
    uint32_t *given; /* and how many of its are gone */
    lethe_local_member *member;
    size_t n;
} dealer;

static void deal(dealer *d, uint32_t kind, uint32_t rows)
{
    while (rows > 0) {
        uint32_t tuple = d->tuple[kind], left = d->r->t->count[tuple] - d->given[kind];
        uint32_t take = LETHE_MIN(rows, left);
        d->member[d->n++] = (lethe_local_member){tuple, take};
        d->given[kind] += take;
        rows -= take;
        if (take == left) {
            d->tuple[kind]++;
            d->given[kind] = 0;
        }
    }
}

static uint64_t deal_items(dealer *d, local_item *item, size_t n)
{
    uint64_t rows = 0;
    qsort(item, n, sizeof *item, by_kind);
    for (size_t i = 0, end; i < n; i = end) {
        uint32_t of_kind = 0;
        for (end = i; end < n && item[end].kind == item[i].kind; end++)
            of_kind += item[end].rows;
        deal(d, item[i].kind, of_kind);
        rows += of_kind;
    }
    return rows;
}

static lethe_err make_dealer(const local_run *r, dealer *d)
{
    *d = (dealer){.r = r};
    d->tuple = lethe_new(r->tmp, uint32_t, r->space.n_kinds);
    d->given = lethe_new(r->tmp, uint32_t, r->space.n_kinds);
    d->member = lethe_new(r->a, lethe_local_member, r->parts.n_items + r->t->n);
    if (!d->tuple || !d->given || !d->member) return LETHE_ENOMEM;
    memcpy(d->tuple, r->space.first, r->space.n_kinds * sizeof *d->tuple);
    return LETHE_OK;
}

/* Parts that publish the same become one group: nobody could tell them apart. */
static lethe_err write_groups(local_run *r, lethe_local_groups *out)
{
    described *all;
    dealer deals;
    size_t n = r->parts.n, n_qi = r->t->n_qi;
    LETHE_TRY(describe_parts(r, 0, &all));
    LETHE_TRY(make_dealer(r, &deals));
    local_item *item = lethe_new(r->tmp, local_item, r->parts.n_items);
    lethe_local_groups g = {.start = lethe_new(r->a, size_t, n + 1),
                            .member = deals.member,
                            .low = lethe_new(r->a, uint32_t, n * n_qi),
                            .high = lethe_new(r->a, uint32_t, n * n_qi)};
    if (!item || !g.start || !g.low || !g.high) return LETHE_ENOMEM;
    for (size_t i = 0, end; i < n; i = end) {
        size_t n_items = 0;
        for (end = i; end < n && compare_published(&all[i], &all[end]) == 0; end++)
            for (size_t k = r->parts.start[all[end].part]; k < r->parts.start[all[end].part + 1];
                 k++)
                item[n_items++] = r->parts.item[k];
        memcpy(g.low + g.n * n_qi, all[i].low, n_qi * sizeof *g.low);
        memcpy(g.high + g.n * n_qi, all[i].high, n_qi * sizeof *g.high);
        uint64_t rows = deal_items(&deals, item, n_items);
        g.loss += rows * loss_of_row(r, all[i].low, all[i].high);
        g.start[++g.n] = deals.n;
    }
    g.deleted = deals.member + deals.n;
    g.deleted_rows =
        deal_items(&deals, r->parts.item + r->parts.n_kept, r->parts.n_items - r->parts.n_kept);
    g.n_deleted = deals.n - g.start[g.n];
    g.loss += g.deleted_rows * r->d->deletion_price;
    *out = g;
    return LETHE_OK;
}

/* What the search has kept valid step by step is judged once more as a whole. */
static lethe_err check_parts(local_run *r)
{
    const local_parts *p = &r->parts;
    for (size_t g = 0; g < p->n; g++) {
        for (size_t i = p->start[g]; i < p->start[g + 1]; i++)
            lethe_local_judge_add(&r->judge, p->item[i]);
        if (!lethe_local_judge_valid(&r->judge))
            return lethe_fail(r->ctx, LETHE_EINTERNAL, "local: a group is not valid");
    }
    return LETHE_OK;
}

static lethe_err run(local_run *r, lethe_local_groups *out)
{
    LETHE_TRY(lethe_local_space_make(r->t, r->column, r->d, r->tmp, &r->space));
    LETHE_TRY(lethe_local_judge_make(&r->space, r->d, r->tmp, &r->judge));
    LETHE_TRY(make_items(r));
    if (!all_valid(r, false)) // then no smaller set is
        return all_valid(r, true) ? write_groups(r, out) : LETHE_ANSWER_NO;
    lethe_ctx_phase(r->ctx, "groups", r->parts.n_items);
    LETHE_TRY(lethe_local_divide(r->ctx, &r->space, &r->judge, r->tmp, &r->parts));
    LETHE_TRY(improve_blocks(r));
    LETHE_TRY(check_parts(r));
    return write_groups(r, out);
}

lethe_err lethe_local_group(lethe_ctx *ctx, const lethe_tuples *t, const lethe_local_column *column,
                            const lethe_local_demand *d, lethe_arena *a, lethe_local_groups *out)
{
    local_run r = {.ctx = ctx, .t = t, .column = column, .d = d, .a = a, .tmp = lethe_arena_new()};
    lethe_err e = r.tmp ? run(&r, out) : LETHE_ENOMEM;
    lethe_arena_free(r.tmp);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}
