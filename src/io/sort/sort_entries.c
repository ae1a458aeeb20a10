/* SPDX-License-Identifier: Apache-2.0 */
/* sort_entries.c - the sort in memory: numbers by radix, then what they leave equal by the next
 * bytes.
 *
 * Every round looks at seven bytes of each record of a run, behind all that the run has in common,
 * so that long equal beginnings cost one reading and not one round each seven bytes. */
#include "io/sort/sorter_internal.h"

enum {
    FEW = 16,      /* insertion sort up to here */
    MAX_BITS = 10, /* buckets of one pass: their ends stay in the nearest cache */
    AHEAD = 8,     /* records are scattered: ask for them early */
};

/* --- by key --- */

static void insert_by_key(lethe_entry *e, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        lethe_entry x = e[i];
        size_t j = i;
        for (; j > 0 && e[j - 1].key > x.key; j--)
            e[j] = e[j - 1];
        e[j] = x;
    }
}

static unsigned bits_for(size_t n)
{
    unsigned bits = 63 - (unsigned)__builtin_clzll(n);
    return LETHE_MIN(bits, (unsigned)MAX_BITS);
}

/* One pass over the highest bits that differ; every pass leaves fewer to look at. */
static void sort_by_key(lethe_entry *e, size_t n, lethe_entry *tmp)
{
    if (n <= FEW) {
        insert_by_key(e, n);
        return;
    }
    uint64_t differ = 0;
    for (size_t i = 1; i < n; i++)
        differ |= e[i].key ^ e[0].key;
    if (differ == 0) return;
    unsigned top = 64 - (unsigned)__builtin_clzll(differ);
    unsigned bits = LETHE_MIN(bits_for(n), top), shift = top - bits;
    size_t n_buckets = (size_t)1 << bits, mask = n_buckets - 1;
    size_t end[1 << MAX_BITS];
    memset(end, 0, n_buckets * sizeof *end);
    for (size_t i = 0; i < n; i++)
        end[(e[i].key >> shift) & mask]++;
    for (size_t b = 0, sum = 0; b < n_buckets; b++) {
        size_t k = end[b];
        end[b] = sum;
        sum += k;
    }
    for (size_t i = 0; i < n; i++)
        tmp[end[(e[i].key >> shift) & mask]++] = e[i];
    memcpy(e, tmp, n * sizeof *e);
    if (shift == 0) return;
    for (size_t b = 0, from = 0; b < n_buckets; from = end[b++])
        if (end[b] - from > 1) sort_by_key(e + from, end[b] - from, tmp);
}

/* --- by bytes --- */

static int compare_from(const uint8_t *a, const uint8_t *b, size_t depth)
{
    size_t n_a, n_b;
    const uint8_t *p = lethe_rec_get(a, &n_a), *q = lethe_rec_get(b, &n_b);
    int c = memcmp(p + depth, q + depth, LETHE_MIN(n_a, n_b) - depth);
    return c ? c : (n_a > n_b) - (n_a < n_b);
}

/* Is a record with key x at `depth` after the one of `e`? */
static bool comes_after(const lethe_entry *e, const lethe_entry *x, size_t depth)
{
    if (e->key != x->key) return e->key > x->key;
    if ((x->key & 0xff) != LETHE_KEY_OPEN) return false;
    return compare_from(e->rec, x->rec, depth + LETHE_KEY_BYTES) > 0;
}

static void insert_by_bytes(lethe_entry *e, size_t n, size_t depth)
{
    for (size_t i = 1; i < n; i++) {
        lethe_entry x = e[i];
        size_t j = i;
        for (; j > 0 && comes_after(&e[j - 1], &x, depth); j--)
            e[j] = e[j - 1];
        e[j] = x;
    }
}

static size_t common_bytes(const uint8_t *a, const uint8_t *b, size_t from, size_t to)
{
    for (; from + 8 <= to; from += 8) {
        uint64_t x = lethe_be64_get(a + from) ^ lethe_be64_get(b + from);
        if (x) return from + (size_t)__builtin_clzll(x) / 8;
    }
    while (from < to && a[from] == b[from])
        from++;
    return from;
}

/* How many first bytes all have in common, `depth` of them known. */
static size_t common_of_all(const lethe_entry *e, size_t n, size_t depth)
{
    size_t n_first, n_other;
    const uint8_t *first = lethe_rec_get(e[0].rec, &n_first);
    size_t common = n_first;
    for (size_t i = 1; i < n && common > depth; i++) {
        if (i + AHEAD < n) __builtin_prefetch(e[i + AHEAD].rec + depth);
        const uint8_t *other = lethe_rec_get(e[i].rec, &n_other);
        common = common_bytes(first, other, depth, LETHE_MIN(common, n_other));
    }
    return common;
}

static void set_keys(lethe_entry *e, size_t n, size_t depth)
{
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) __builtin_prefetch(e[i + AHEAD].rec + depth);
        size_t n_bytes;
        const uint8_t *bytes = lethe_rec_get(e[i].rec, &n_bytes);
        e[i].key = lethe_bytes_key(bytes, n_bytes, depth);
    }
}

/* The run of equal keys at e[0], which is not the end. */
static size_t run_length(const lethe_entry *e, const lethe_entry *end)
{
    size_t n = 1;
    while (e + n < end && e[n].key == e[0].key)
        n++;
    return n;
}

/* Sorts records that are equal in their first `depth` bytes.  Runs that stay equal are refined one
 * by one, the longest last and without recursion: the others have at most half the records. */
static void sort_by_bytes(lethe_entry *e, size_t n, lethe_entry *tmp, size_t depth)
{
    while (n > 1) {
        if (n == 2) {
            if (compare_from(e[0].rec, e[1].rec, depth) > 0) {
                lethe_entry x = e[0];
                e[0] = e[1];
                e[1] = x;
            }
            return;
        }
        depth = common_of_all(e, n, depth);
        set_keys(e, n, depth);
        if (n <= FEW) {
            insert_by_bytes(e, n, depth);
            return;
        }
        sort_by_key(e, n, tmp);
        depth += LETHE_KEY_BYTES;
        lethe_entry *longest = e, *end = e + n;
        size_t n_longest = 0;
        for (lethe_entry *p = e; p < end;) {
            size_t k = run_length(p, end);
            lethe_entry *run = p;
            size_t n_run = k;
            p += k;
            if (k < 2 || (run->key & 0xff) != LETHE_KEY_OPEN) continue;
            if (k > n_longest) {
                run = longest;
                n_run = n_longest;
                longest = p - k;
                n_longest = k;
            }
            if (n_run > 1) sort_by_bytes(run, n_run, tmp, depth);
        }
        e = longest;
        n = n_longest;
    }
}

/* Records with equal keys share their hash.  Among those, order of bytes keeps equal keys together
 * even if two keys share it: a record has key K if and only if it is K or begins with K NUL, and
 * these are all the strings from K up to, not including, K followed by the byte 1. */
static void sort_groups(lethe_entry *e, size_t n, lethe_entry *tmp)
{
    sort_by_key(e, n, tmp);
    for (lethe_entry *p = e, *end = e + n; p < end;) {
        size_t k = run_length(p, end);
        if (k > 1) sort_by_bytes(p, k, tmp, 0);
        p += k;
    }
}

void lethe_entries_sort(lethe_entry *e, size_t n, lethe_entry *tmp, lethe_order order)
{
    if (n < 2) return;
    if (order == LETHE_ORDER_GROUP)
        sort_groups(e, n, tmp);
    else
        sort_by_bytes(e, n, tmp, 0);
}
