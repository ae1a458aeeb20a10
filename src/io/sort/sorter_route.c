/* SPDX-License-Identifier: Apache-2.0 */
/* sorter_route.c - which part a record belongs to in LETHE_ORDER_BYTES.
 *
 * The first records are held back as a sample.  When it is full, strings that cut it into equal
 * shares become the splitters, for good: a sorter whose later records are all different is as right
 * as any, only slower. */
#include "io/sort/sorter_internal.h"

enum {
    COMMON_MAX = 4 << 10, /* of a splitter; any string is a valid one, so they may be cut short */
    REST_MAX = 64,
    ENTRY_COST = 2 * sizeof(lethe_entry), /* of a record, besides its bytes */
};

/* --- finding --- */

static uint64_t padded_key(const uint8_t *p, size_t n)
{
    if (n >= 8) return lethe_be64_get(p);
    uint8_t room[8] = {0};
    if (n > 0) memcpy(room, p, n);
    return lethe_be64_get(room);
}

/* How many of keys[0..n) are below `key`; no branch depends on the data. */
static size_t count_below(const uint64_t *keys, size_t n, uint64_t key)
{
    const uint64_t *at = keys;
    while (n > 0) {
        size_t half = n / 2;
        bool up = at[half] < key;
        at += up ? half + 1 : 0;
        n = up ? n - half - 1 : half;
    }
    return (size_t)(at - keys);
}

/* Padding with zeros keeps the order but for ties, which whole strings decide. */
size_t lethe_router_find(const lethe_router *r, const uint8_t *record, size_t n)
{
    if (r->n == 0) return 0;
    size_t m = LETHE_MIN(n, r->n_common);
    int c = m > 0 ? memcmp(record, r->common, m) : 0;
    if (c < 0 || (c == 0 && n < r->n_common)) return 0;
    if (c > 0) return r->n;
    lethe_str rest = {(const char *)record + m, n - m};
    uint64_t key = padded_key((const uint8_t *)rest.at, rest.n);
    size_t lo = count_below(r->keys, r->n, key);
    if (lo == r->n || r->keys[lo] != key) return lo;
    size_t hi = key == UINT64_MAX ? r->n : count_below(r->keys, r->n, key + 1);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (lethe_str_cmp(r->rest[mid], rest) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void lethe_router_free(lethe_router *r) { lethe_free_all(r->common, r->keys, r->rest, r->bytes); }

/* --- choosing --- */

static lethe_str view(const lethe_entry *e)
{
    size_t n;
    const uint8_t *bytes = lethe_rec_get(e->rec, &n);
    return (lethe_str){(const char *)bytes, n};
}

static bool router_alloc(lethe_router *r, size_t n, size_t n_common)
{
    r->common = lethe_alloc(n_common, 1);
    r->keys = lethe_alloc(n, sizeof *r->keys);
    r->rest = lethe_alloc(n, sizeof *r->rest);
    r->bytes = lethe_alloc(n, REST_MAX);
    return r->common && r->keys && r->rest && r->bytes;
}

/* Splitters from n sorted entries: every n/n_parts-th, cut short, each once. */
static lethe_err router_make(lethe_router *r, const lethe_entry *e, size_t n, size_t n_parts)
{
    size_t wanted = n < 2 ? 0 : LETHE_MIN(n_parts, n) - 1;
    if (wanted == 0) return LETHE_OK;
    size_t step_n = n, step_d = wanted + 1;
    lethe_str first = view(&e[step_n / step_d]), last = view(&e[wanted * step_n / step_d]);
    // What the first and the last of a sorted row have in common, all in between have too.
    size_t most = LETHE_MIN(LETHE_MIN(first.n, last.n), (size_t)COMMON_MAX), n_common = 0;
    while (n_common < most && first.at[n_common] == last.at[n_common])
        n_common++;
    if (!router_alloc(r, wanted, n_common)) return LETHE_ENOMEM;
    if (n_common > 0) memcpy(r->common, first.at, n_common);
    r->n_common = n_common;
    for (size_t i = 1; i <= wanted; i++) {
        lethe_str s = view(&e[i * step_n / step_d]);
        lethe_str rest = {s.at + n_common, LETHE_MIN(s.n - n_common, (size_t)REST_MAX)};
        if (r->n > 0 && lethe_str_eq(r->rest[r->n - 1], rest)) continue;
        uint8_t *to = r->bytes + r->n * REST_MAX;
        if (rest.n > 0) memcpy(to, rest.at, rest.n);
        r->rest[r->n] = (lethe_str){(const char *)to, rest.n};
        r->keys[r->n++] = padded_key(to, rest.n);
    }
    return LETHE_OK;
}

/* --- the sample --- */

static lethe_err route_sample(lethe_sorter *s, lethe_slot *slot, size_t n)
{
    lethe_entry *e = lethe_alloc(2 * n, sizeof *e);
    if (!e) return LETHE_ENOMEM;
    size_t k = 0;
    for (lethe_chunk *c = slot->full; c; c = c->next)
        k += lethe_sorter_entries(s, lethe_chunk_data(c), c->used - sizeof *c, e + k);
    assert(k == n);
    lethe_entries_sort(e, n, e + n, LETHE_ORDER_BYTES);
    lethe_err err = router_make(&s->router, e, n, s->n_parts_max);
    lethe_free(e);
    return err;
}

/* Ends the sample: makes the router and lets worker w put what was held back. */
static lethe_err end_sample(lethe_sorter *s, unsigned w)
{
    lethe_putter *held = &s->putters[s->n_threads];
    lethe_cursor *cur = &held->cursors[0];
    lethe_slot *slot = &held->slots[0];
    lethe_chunk *open = lethe_putter_close(held, 0);
    if (open) lethe_slot_keep(slot, open);
    if (route_sample(s, slot, cur->records) != LETHE_OK) return lethe_no_memory(s->ctx);
    *cur = (lethe_cursor){0};
    while (slot->full) {
        lethe_chunk *c = slot->full;
        const uint8_t *p = lethe_chunk_data(c), *end = (uint8_t *)c + c->used;
        while (p < end) {
            size_t n;
            const uint8_t *bytes = lethe_rec_get(p, &n);
            LETHE_TRY(lethe_sorter_append(s, &s->putters[w],
                                          lethe_router_find(&s->router, bytes, n), bytes, n));
            p = bytes + n;
        }
        slot->full = c->next;
        lethe_free(c);
    }
    atomic_store_explicit(&s->routed, true, memory_order_release);
    return LETHE_OK;
}

lethe_err lethe_sorter_sample(lethe_sorter *s, unsigned w, const void *record, size_t n)
{
    lethe_err e = LETHE_OK;
    bool held = false;
    pthread_mutex_lock(&s->sample_lock);
    if (atomic_load(&s->failed) != LETHE_OK) {
        e = (lethe_err)atomic_load(&s->failed);
    } else if (!atomic_load(&s->routed)) {
        s->sample_cost += lethe_rec_size(n) + ENTRY_COST;
        held = s->sample_cost <= s->sample_cap;
        if (held)
            e = lethe_sorter_append(s, &s->putters[s->n_threads], 0, record, n);
        else
            e = end_sample(s, w);
        if (e != LETHE_OK) atomic_store(&s->failed, (int)e);
    }
    pthread_mutex_unlock(&s->sample_lock);
    if (held || e != LETHE_OK) return e;
    return lethe_sorter_append(s, &s->putters[w], lethe_router_find(&s->router, record, n), record,
                               n);
}
