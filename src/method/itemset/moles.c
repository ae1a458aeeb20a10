/* SPDX-License-Identifier: Apache-2.0 */
/* moles.c - MM: finds minimal moles by depth-first search with lists of occurrences, then removes
 * the items that are in many of them and in few sets, one by one. */
#include "method/itemset/moles.h"
#include <xxhash.h>

__extension__ typedef unsigned __int128 wide;

/* A set, and how many of its items come before one that was met. */
typedef struct place {
    uint32_t set, before;
} place;

/* What a combination of so many items can be extended by. */
typedef struct level {
    place *place;
    uint32_t *child; /* items, ascending */
    uint64_t *at;    /* where the places of each begin, and one more; of an unclean one: none */
    uint8_t *clean;  /* by item that is a child: is the combination with it free of moles? */
    uint64_t n, cap_places;
} level;

/* Minimal moles of two items or more, each with its items descending. */
typedef struct store {
    lethe_arena *arena;
    lethe_u32s item;
    lethe_u64s start; /* one more than there are */
    uint64_t *slot;   /* 2^bits: a mole plus one; 0: free */
    unsigned bits;
    uint64_t n;
} store;

struct mole_search {
    lethe_ctx *ctx;
    const lethe_records *r;
    lethe_moles_coherence c;
    uint32_t n_items;
    bool protects;
    lethe_arena *arena;
    store moles;
    uint32_t depth; /* of levels */
    level *level;
    uint32_t *chosen;          /* the combination that is looked at, descending */
    uint32_t *part;            /* of it, while looked up */
    uint64_t *sum;             /* by item: 0 in between */
    uint64_t *bit;             /* by item: was it met? */
    uint64_t *marks;           /* by sensitive item: 0 in between */
    uint64_t *support, *count; /* by item: sets, and minimal moles that are left */
    lethe_moles *out;
};

/* --- moles that are known --- */

static size_t slot_of(const store *s, const uint32_t *item, uint64_t n)
{
    size_t mask = ((size_t)1 << s->bits) - 1, i = XXH3_64bits(item, n * sizeof *item) & mask;
    for (; s->slot[i] != 0; i = (i + 1) & mask) {
        uint64_t m = s->slot[i] - 1, size = s->start.at[m + 1] - s->start.at[m];
        if (size == n && memcmp(s->item.at + s->start.at[m], item, n * sizeof *item) == 0) break;
    }
    return i;
}

static lethe_err store_add(store *s, const uint32_t *item, uint64_t n)
{
    uint64_t end = s->item.n + n;
    if (s->n == 0) LETHE_TRY(lethe_u64s_append(s->arena, &s->start, &(uint64_t){0}, 1));
    if (2 * s->n >= ((uint64_t)1 << s->bits) || s->bits == 0) { // twice the slots
        unsigned bits = s->bits ? s->bits + 1 : 8;
        uint64_t *slot = lethe_alloc_zero((size_t)1 << bits, sizeof *slot);
        if (!slot) return LETHE_ENOMEM;
        lethe_free(s->slot);
        s->slot = slot;
        s->bits = bits;
        for (uint64_t m = 0; m < s->n; m++) {
            const uint32_t *old = s->item.at + s->start.at[m];
            s->slot[slot_of(s, old, s->start.at[m + 1] - s->start.at[m])] = m + 1;
        }
    }
    size_t i = slot_of(s, item, n);
    LETHE_TRY(lethe_u32s_append(s->arena, &s->item, item, n));
    LETHE_TRY(lethe_u64s_append(s->arena, &s->start, &end, 1));
    s->slot[i] = ++s->n;
    return LETHE_OK;
}

/* --- mining --- */

/* Does the combination of the first d with j have a mole in it, besides what it may be itself? What
 * has not both j and the item chosen last was asked before: of the combination without j, and of
 * that without the last. */
static bool has_mole(const struct mole_search *w, uint32_t d, uint32_t j)
{
    if (d == 0) return false;
    if (!w->level[d - 1].clean[j]) return true;
    assert(d < 64); // all 2^d parts were looked at before
    uint64_t others = (uint64_t)1 << (d - 1);
    for (uint64_t which = 0; which + 1 < others; which++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < d - 1; i++)
            if (which >> i & 1) w->part[n++] = w->chosen[i];
        w->part[n++] = w->chosen[d - 1];
        w->part[n++] = j;
        if (w->moles.n > 0 && w->moles.slot[slot_of(&w->moles, w->part, n)] != 0) return true;
    }
    return false;
}

static lethe_err mole_add(struct mole_search *w, uint32_t d, uint32_t j)
{
    w->out->minimal++;
    w->level[d].clean[j] = 0;
    w->chosen[d] = j;
    if (d > 0) return store_add(&w->moles, w->chosen, (uint64_t)d + 1);
    w->out->suppressed[j] = 1;
    return LETHE_OK;
}

/* Counts the items before the places, and lists them. */
static void count_children(struct mole_search *w, uint32_t d, const place *at, uint64_t n)
{
    level *l = &w->level[d];
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t *item = w->r->item + w->r->start[at[i].set];
        for (uint32_t k = 0; k < at[i].before; k++) {
            w->sum[item[k]]++;
            w->bit[item[k] / 64] |= (uint64_t)1 << item[k] % 64;
        }
    }
    l->n = 0;
    uint32_t end = d > 0 ? w->chosen[d - 1] : w->n_items;
    for (size_t i = 0; i < ((size_t)end + 63) / 64; i++)
        for (; w->bit[i] != 0; w->bit[i] &= w->bit[i] - 1)
            l->child[l->n++] = (uint32_t)(64 * i + (size_t)__builtin_ctzll(w->bit[i]));
}

/* Items in too few sets are moles; the others are clean so far, and get room for their places. */
static lethe_err find_rare_children(struct mole_search *w, uint32_t d)
{
    level *l = &w->level[d];
    uint64_t all = 0;
    for (uint64_t i = 0; i < l->n; i++) {
        uint32_t j = l->child[i];
        uint64_t sets = w->sum[j];
        l->at[i] = all;
        l->clean[j] = !has_mole(w, d, j);
        w->sum[j] = UINT64_MAX; // no place is wanted
        if (d == 0) w->support[j] = sets;
        if (l->clean[j] && sets < w->c.k) LETHE_TRY(mole_add(w, d, j));
        if (!l->clean[j]) continue;
        w->sum[j] = all;
        all += sets;
    }
    l->at[l->n] = all;
    if (all <= l->cap_places) return LETHE_OK;
    place *more = lethe_realloc(l->place, all + all / 4, sizeof *more);
    if (!more) return LETHE_ENOMEM;
    l->place = more;
    l->cap_places = all + all / 4;
    return LETHE_OK;
}

/* Do these sets tell too much of a sensitive item? */
static bool reveals_sensitive(struct mole_search *w, const place *at, uint64_t n)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = w->r->mark_start[at[i].set]; k < w->r->mark_start[at[i].set + 1]; k++) {
            uint64_t with = ++w->marks[w->r->mark[k]];
            most = LETHE_MAX(most, with);
        }
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = w->r->mark_start[at[i].set]; k < w->r->mark_start[at[i].set + 1]; k++)
            w->marks[w->r->mark[k]] = 0;
    return lethe_moles_tells(&w->c, most, n);
}

/* Combinations that have the d that are chosen and further, lower items.  By going through lower
 * ones in ascending order, every part of a combination is come to before it is. */
static lethe_err mine_below(struct mole_search *w, uint32_t d, const place *at, uint64_t n)
{
    level *l = &w->level[d];
    bool deeper = d + 1 < w->depth;
    count_children(w, d, at, n);
    LETHE_TRY(find_rare_children(w, d));
    for (uint64_t i = 0; (deeper || w->protects) && i < n; i++) {
        const uint32_t *item = w->r->item + w->r->start[at[i].set];
        for (uint32_t k = 0; k < at[i].before; k++)
            if (w->sum[item[k]] != UINT64_MAX) l->place[w->sum[item[k]]++] = (place){at[i].set, k};
    }
    for (uint64_t i = 0; i < l->n; i++) {
        uint32_t j = l->child[i];
        w->sum[j] = 0;
        if (w->protects && l->clean[j] &&
            reveals_sensitive(w, l->place + l->at[i], l->at[i + 1] - l->at[i]))
            LETHE_TRY(mole_add(w, d, j));
    }
    for (uint64_t i = 0; deeper && i < l->n; i++) {
        if (!l->clean[l->child[i]]) continue;
        if (d <= 1 && lethe_ctx_cancelled(w->ctx)) return LETHE_ECANCEL;
        w->chosen[d] = l->child[i];
        LETHE_TRY(mine_below(w, d + 1, l->place + l->at[i], l->at[i + 1] - l->at[i]));
    }
    return LETHE_OK;
}

/* --- removing items --- */

/* Is item a removed before item b? */
static bool is_removed_before(const struct mole_search *w, const uint64_t *key, uint32_t a,
                              uint32_t b)
{
    wide x = (wide)key[a] * w->support[b], y = (wide)key[b] * w->support[a];
    return x != y ? x > y : a < b;
}

/* A heap of items, the next to remove on top, by keys that may be too large by now: they only fall,
 * and are checked again on top. */
typedef struct heap {
    uint32_t *item, n;
    uint64_t *key; /* by item */
} heap;

static void sift_down(const struct mole_search *w, heap *h, uint32_t at)
{
    for (uint32_t low; (low = 2 * at + 1) < h->n; at = low) {
        if (low + 1 < h->n && is_removed_before(w, h->key, h->item[low + 1], h->item[low])) low++;
        if (!is_removed_before(w, h->key, h->item[low], h->item[at])) return;
        uint32_t swap = h->item[at];
        h->item[at] = h->item[low];
        h->item[low] = swap;
    }
}

static lethe_err remove_items(struct mole_search *w)
{
    const store *s = &w->moles;
    uint8_t *dead = lethe_new(w->arena, uint8_t, s->n);
    uint64_t *first = lethe_new(w->arena, uint64_t, (size_t)w->n_items + 2);
    uint64_t *mole = lethe_new(w->arena, uint64_t, s->item.n); // those of item j: mole[first[j]] ..
    heap h = {.item = lethe_new(w->arena, uint32_t, w->n_items),
              .key = lethe_new(w->arena, uint64_t, w->n_items)};
    if (!dead || !first || !mole || !h.item || !h.key) return LETHE_ENOMEM;
    uint64_t *at = first + 1; // one ahead, so that they end up where the lists begin
    for (uint64_t i = 0; i < s->item.n; i++) {
        w->count[s->item.at[i]]++;
        at[s->item.at[i] + 1]++;
    }
    for (uint32_t j = 0; j < w->n_items; j++)
        at[j + 1] += at[j];
    for (uint64_t m = 0; m < s->n; m++)
        for (uint64_t i = s->start.at[m]; i < s->start.at[m + 1]; i++)
            mole[at[s->item.at[i]]++] = m;
    for (uint32_t j = 0; j < w->n_items; j++) {
        h.key[j] = w->count[j];
        if (w->count[j] > 0) h.item[h.n++] = j;
    }
    for (uint32_t i = h.n; i-- > 0;)
        sift_down(w, &h, i);
    while (h.n > 0) {
        uint32_t j = h.item[0];
        bool stale = h.key[j] != w->count[j]; // others have taken some of its moles along
        h.key[j] = w->count[j];
        if (!stale || h.key[j] == 0) h.item[0] = h.item[--h.n];
        sift_down(w, &h, 0);
        if (stale) continue;
        w->out->suppressed[j] = 1;
        for (uint64_t i = first[j]; i < first[j + 1]; i++) {
            uint64_t m = mole[i];
            if (dead[m]) continue;
            dead[m] = 1;
            for (uint64_t k = s->start.at[m]; k < s->start.at[m + 1]; k++)
                w->count[s->item.at[k]]--;
        }
    }
    return LETHE_OK;
}

/* --- memory --- */

/* Does the set have the item, and after how many others? */
static bool set_has(const lethe_records *r, size_t i, uint32_t item, uint64_t *at)
{
    uint64_t low = r->start[i], high = r->start[i + 1], end = high;
    while (low < high) {
        uint64_t mid = low + (high - low) / 2;
        if (r->item[mid] < item)
            low = mid + 1;
        else
            high = mid;
    }
    *at = low;
    return low < end && r->item[low] == item;
}

/* Rare pairs of which `item` is the higher; `sum` is 0 for each item before and after. */
static uint64_t count_rare_pairs(const lethe_records *r, const uint64_t *support, uint64_t k,
                                 uint32_t item, uint64_t *sum)
{
    uint64_t n = 0, at;
    for (size_t i = 0; i < r->n; i++)
        if (set_has(r, i, item, &at))
            while (at-- > r->start[i])
                sum[r->item[at]] += support[r->item[at]] >= k;
    for (uint32_t j = 0; j < item; j++) {
        n += sum[j] > 0 && sum[j] < k;
        sum[j] = 0;
    }
    return n;
}

enum { SAMPLED = 48 };

/* How many pairs of items that are no moles are in some but fewer than k sets.  Of the places of
 * all pairs, by the higher item, every one of SAMPLED equal shares names an item; the rare pairs
 * among its places stand for those of the share. */
static uint64_t estimate_rare_pairs(const lethe_records *r, uint32_t n_items, uint64_t k,
                                    uint64_t *support, uint64_t *pairs, uint64_t *sum)
{
    uint64_t all = 0, before = 0, live = 0;
    double rare = 0;
    for (uint64_t i = 0; i < r->start[r->n]; i++)
        support[r->item[i]]++;
    for (size_t i = 0; i < r->n; i++, live = 0)
        for (uint64_t at = r->start[i]; at < r->start[i + 1]; at++)
            if (support[r->item[at]] >= k) {
                all += live;
                pairs[r->item[at]] += live++;
            }
    uint64_t step = LETHE_MAX(all / SAMPLED, 1);
    for (uint32_t j = 0; j < n_items; before += pairs[j++]) {
        uint64_t times = (before + pairs[j] + step / 2) / step - (before + step / 2) / step;
        if (times > 0)
            rare += (double)(times * step) / (double)pairs[j] *
                    (double)count_rare_pairs(r, support, k, j, sum);
    }
    return (uint64_t)rare;
}

uint64_t lethe_moles_need(const lethe_records *sets, uint32_t n_items,
                          const lethe_moles_coherence *c, const lethe_sizes *s)
{
    uint64_t levels = LETHE_MAX(c->p, 2) - 1, moles = 0, n = sets ? n_items : s->distinct;
    lethe_arena *a = sets && c->p > 1 ? lethe_arena_new() : NULL;
    uint64_t *support = a ? lethe_new(a, uint64_t, n_items) : NULL,
             *pairs = a ? lethe_new(a, uint64_t, n_items) : NULL,
             *sum = a ? lethe_new(a, uint64_t, n_items) : NULL;
    if (support && pairs && sum) // otherwise memory will lack, and that will be said
        moles = estimate_rare_pairs(sets, n_items, c->k, support, pairs, sum);
    lethe_arena_free(a);
    return 8 * levels * s->parts + (45 + 13 * (uint64_t)c->p) * n + 60 * moles;
}

/* --- all of it --- */

static lethe_err mine_all(struct mole_search *w)
{
    uint64_t longest = 0; // no combination is larger than a set
    for (size_t i = 0; i < w->r->n; i++)
        longest = LETHE_MAX(longest, lethe_record_size(w->r, i));
    w->depth = (uint32_t)LETHE_MAX(LETHE_MIN(longest, w->c.p), 1);
    place *all = lethe_new(w->arena, place, w->r->n);
    w->level = lethe_new(w->arena, level, w->depth);
    w->chosen = lethe_new(w->arena, uint32_t, w->depth);
    w->part = lethe_new(w->arena, uint32_t, w->depth);
    w->sum = lethe_new(w->arena, uint64_t, w->n_items);
    w->bit = lethe_new(w->arena, uint64_t, (size_t)w->n_items / 64 + 1);
    w->support = lethe_new(w->arena, uint64_t, w->n_items);
    w->count = lethe_new(w->arena, uint64_t, w->n_items);
    if (!all || !w->level || !w->chosen || !w->part || !w->sum || !w->bit || !w->support ||
        !w->count)
        return LETHE_ENOMEM;
    for (uint32_t d = 0; d < w->depth; d++) {
        level *l = &w->level[d];
        l->child = lethe_new(w->arena, uint32_t, w->n_items);
        l->at = lethe_new(w->arena, uint64_t, (size_t)w->n_items + 1);
        l->clean = lethe_new(w->arena, uint8_t, w->n_items);
        if (!l->child || !l->at || !l->clean) return LETHE_ENOMEM;
    }
    for (uint32_t i = 0; i < w->r->n; i++)
        all[i] = (place){i, (uint32_t)lethe_record_size(w->r, i)};
    lethe_err e = mine_below(w, 0, all, w->r->n);
    for (uint32_t d = 0; d < w->depth; d++)
        lethe_free(w->level[d].place);
    return e;
}

static lethe_err find_suppressed(struct mole_search *w, lethe_arena *a)
{
    const lethe_records *r = w->r;
    lethe_moles *o = w->out;
    uint32_t n_marks = r->marks ? lethe_dict_count(r->marks) : 0;
    o->suppressed = lethe_new(a, uint8_t, w->n_items);
    w->marks = lethe_new(w->arena, uint64_t, n_marks);
    if (!o->suppressed || !w->marks) return LETHE_ENOMEM;
    o->few = r->n < w->c.k; // the combination of no items first
    for (uint64_t i = 0; n_marks > 0 && i < r->mark_start[r->n]; i++)
        w->marks[r->mark[i]]++;
    for (uint32_t s = 0; s < n_marks; s++) {
        if (lethe_moles_tells(&w->c, w->marks[s], r->n) && w->marks[s] > o->common_n) {
            o->common = s;
            o->common_n = w->marks[s];
        }
        w->marks[s] = 0;
    }
    if (o->few || o->common != LETHE_NONE) return LETHE_OK;
    w->protects = n_marks > 0 && w->c.h < 1;
    LETHE_TRY(mine_all(w));
    LETHE_TRY(remove_items(w));
    for (uint32_t j = 0; j < w->n_items; j++)
        if (o->suppressed[j]) {
            o->n_suppressed++;
            o->occurrences += w->support[j];
        }
    return LETHE_OK;
}

lethe_err lethe_moles_suppress(lethe_ctx *ctx, const lethe_records *sets, uint32_t n_items,
                               const lethe_moles_coherence *c, lethe_arena *a, lethe_moles *out)
{
    *out = (lethe_moles){.common = LETHE_NONE};
    struct mole_search w = {.ctx = ctx, .r = sets, .c = *c, .n_items = n_items, .out = out};
    if (sets->n >= UINT32_MAX)
        return lethe_fail(ctx, LETHE_EUSAGE, "too many sets: the limit is %u", UINT32_MAX - 1);
    w.arena = lethe_arena_new();
    w.moles.arena = lethe_arena_new();
    lethe_err e = w.arena && w.moles.arena ? find_suppressed(&w, a) : LETHE_ENOMEM;
    lethe_free(w.moles.slot);
    lethe_arena_free(w.moles.arena);
    lethe_arena_free(w.arena);
    return e == LETHE_ENOMEM ? lethe_no_memory(ctx) : e;
}
