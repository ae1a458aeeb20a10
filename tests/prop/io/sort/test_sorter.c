/* SPDX-License-Identifier: Apache-2.0 */
/* test_sorter.c - the sorter against qsort: small multisets of every shape, and ones that spill. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/sort/sorter.h"
#include "core/mem.h"
#include "seeds.h"

enum { PARTS = 256, N_CTX = 3 };

typedef struct string {
    size_t n;
    unsigned char *at;
} string;

typedef struct strings {
    string *at;
    size_t n, cap;
} strings;

static void add(strings *v, const void *p, size_t n)
{
    if (v->n == v->cap) {
        v->cap = v->cap ? 2 * v->cap : 16;
        v->at = realloc(v->at, v->cap * sizeof *v->at);
        assert_non_null(v->at);
    }
    string s = {n, malloc(n ? n : 1)};
    assert_non_null(s.at);
    if (n > 0) memcpy(s.at, p, n);
    v->at[v->n++] = s;
}

static void drop(strings *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->at[i].at);
    free(v->at);
    *v = (strings){0};
}

/* Byte by byte, as the contract has it; nothing of the library's. */
static int compare(const string *a, const string *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (a->at[i] != b->at[i]) return a->at[i] < b->at[i] ? -1 : 1;
    return a->n < b->n ? -1 : a->n > b->n;
}

static int compare_for_qsort(const void *a, const void *b) { return compare(a, b); }

static string key_of(const string *s)
{
    size_t n = 0;
    while (n < s->n && s->at[n] != 0)
        n++;
    return (string){n, s->at};
}

/* --- random multisets --- */

static uint64_t seed_now, state;

static uint64_t draw(void)
{
    uint64_t x = (state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static size_t below(size_t n) { return (size_t)(draw() % n); }

typedef enum shape { TINY, TEXT, KEYED, EQUAL, PREFIXES, ZEROS, ANY, SORTED, LONG, N_SHAPES } shape;

static size_t make_record(unsigned char *to, size_t cap, shape sh, size_t i)
{
    size_t n = 0;
    switch (sh) {
    case TINY: // few distinct ones, empty among them
        for (n = 0; n < below(4); n++)
            to[n] = (unsigned char)"\0a\xff"[below(3)];
        return n;
    case TEXT:
        for (n = 0; n < 1 + below(40); n++)
            to[n] = (unsigned char)('a' + below(4));
        return n;
    case KEYED: // skewed keys, a NUL, a tail with NULs
        n = (size_t)sprintf((char *)to, "k%zu", below(1 + below(1 + below(50))));
        if (below(8) == 0) return n;
        to[n++] = 0;
        for (size_t k = below(20); k > 0; k--)
            to[n++] = (unsigned char)below(3);
        return n;
    case EQUAL:
        memcpy(to, "all the same", 12);
        return 12;
    case PREFIXES: // each begins with the shorter ones
        n = below(60);
        memset(to, 'p', n);
        return n;
    case ZEROS:
        n = below(30);
        memset(to, 0, n);
        if (n > 0 && below(3) == 0) to[below(n)] = 1;
        return n;
    case ANY:
        n = below(300);
        for (size_t k = 0; k < n; k++)
            to[k] = (unsigned char)draw();
        return n;
    case SORTED:
        return (size_t)sprintf((char *)to, "http://www.example.org/%012zu", i);
    default: // long common beginnings, lengths around 255 and far over a chunk's
        n = below(20) == 0 ? below(cap) : 200 + below(100);
        memset(to, 'x', n);
        if (n > 0 && below(2) == 0) to[n - 1 - below(n < 9 ? n : 9)] = (unsigned char)below(256);
        if (n > 0 && below(4) == 0) to[below(n)] = 0;
        return n;
    }
}

static void make_input(strings *in, size_t n, shape sh, size_t cap)
{
    unsigned char *room = malloc(cap + 400);
    assert_non_null(room);
    for (size_t i = 0; i < n; i++) {
        shape one = sh == N_SHAPES ? (shape)below(LONG) : sh;
        add(in, room, make_record(room, cap, one, i));
    }
    free(room);
}

/* --- through the sorter --- */

typedef struct run {
    lethe_sorter *s;
    const strings *in;
    strings out[PARTS];
    size_t calls[PARTS];
    bool marks;
} run;

static lethe_err put_one(void *arg, size_t i, unsigned w)
{
    run *r = arg;
    return lethe_sorter_put(r->s, w, r->in->at[i].at, r->in->at[i].n);
}

/* Now and then a stretch is read again, and must be the same. */
static lethe_err reread(lethe_sorted *it, strings *out, uint64_t *dice)
{
    size_t from = out->n - 1, n = (size_t)(*dice >> 33) % 40;
    lethe_str r;
    lethe_sorted_mark(it);
    for (size_t i = 0; i < n && lethe_sorted_next(it, &r); i++)
        add(out, r.at, r.n);
    LETHE_TRY(lethe_sorted_rewind(it));
    for (size_t i = from; i < out->n; i++) {
        if (!lethe_sorted_next(it, &r) || r.n != out->at[i].n) return LETHE_EINPUT;
        if (r.n > 0 && memcmp(r.at, out->at[i].at, r.n) != 0) return LETHE_EINPUT;
    }
    return lethe_sorted_err(it);
}

static lethe_err collect(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    (void)w;
    run *r = arg;
    if (part >= PARTS) return LETHE_EINPUT;
    strings *out = &r->out[part];
    r->calls[part]++;
    uint64_t dice = seed_now + part;
    lethe_str rec, before = {0};
    while (lethe_sorted_next(it, &rec)) {
        // The view handed out by the call before must still stand.
        if (before.n > 0 && memcmp(before.at, out->at[out->n - 1].at, before.n) != 0)
            return LETHE_EINPUT;
        before = rec;
        add(out, rec.at, rec.n);
        dice = dice * 6364136223846793005u + 1442695040888963407u;
        if (r->marks && (dice >> 60) == 0) {
            LETHE_TRY(reread(it, out, &dice));
            before = (lethe_str){0};
        }
    }
    return lethe_sorted_err(it);
}

static void check_sizes(run *r)
{
    uint64_t n = 0, bytes = 0;
    for (size_t i = 0; i < r->in->n; i++)
        bytes += r->in->at[i].n;
    assert_int_equal(lethe_sorter_count(r->s), r->in->n);
    assert_int_equal(lethe_sorter_bytes(r->s), bytes);
    for (size_t p = 0; p < lethe_sorter_parts(r->s); p++) {
        uint64_t records, size, got = 0;
        lethe_sorter_part_size(r->s, p, &records, &size);
        assert_int_equal(r->calls[p], 1);
        assert_int_equal(records, r->out[p].n);
        for (size_t i = 0; i < r->out[p].n; i++)
            got += r->out[p].at[i].n;
        assert_int_equal(size, got);
        n += records;
    }
    assert_int_equal(n, r->in->n);
}

/* All parts one after the other are the sorted input. */
static void check_bytes(const run *r, const strings *sorted)
{
    size_t at = 0;
    for (size_t p = 0; p < PARTS; p++)
        for (size_t i = 0; i < r->out[p].n; i++)
            assert_int_equal(compare(&r->out[p].at[i], &sorted->at[at++]), 0);
    assert_int_equal(at, sorted->n);
}

typedef struct group {
    const string *first;
    size_t n;
} group;

static int by_first(const void *a, const void *b)
{
    return compare(((const group *)a)->first, ((const group *)b)->first);
}

/* Every group stands in one piece and is sorted inside; put in order of keys, the groups are the
 * sorted input, since equal keys stand together there too. */
static void check_groups(const run *r, const strings *sorted)
{
    group *groups = calloc(sorted->n + 1, sizeof *groups);
    size_t n_groups = 0, at = 0;
    assert_non_null(groups);
    for (size_t p = 0; p < PARTS; p++) {
        for (size_t i = 0; i < r->out[p].n; i++) {
            const string *s = &r->out[p].at[i];
            string key = key_of(s);
            string last = i > 0 ? key_of(s - 1) : (string){0};
            if (i == 0 || compare(&last, &key) != 0) groups[n_groups++].first = s;
            groups[n_groups - 1].n++;
        }
    }
    qsort(groups, n_groups, sizeof *groups, by_first);
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = 0; i < groups[g].n; i++)
            assert_int_equal(compare(&groups[g].first[i], &sorted->at[at++]), 0);
    assert_int_equal(at, sorted->n);
    size_t n_keys = 0;
    for (size_t i = 0; i < sorted->n; i++) {
        string key = key_of(&sorted->at[i]), last = i ? key_of(&sorted->at[i - 1]) : (string){0};
        n_keys += i == 0 || compare(&key, &last) != 0;
    }
    assert_int_equal(n_groups, n_keys); // none in two pieces
    free(groups);
}

static void check_one(lethe_ctx *ctx, lethe_order order, uint64_t cap, const strings *in,
                      const strings *sorted, bool marks, bool must_spill)
{
    run *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->in = in;
    r->marks = marks;
    assert_int_equal(lethe_sorter_new(ctx, order, cap, &r->s), LETHE_OK);
    assert_int_equal(lethe_pool_for(ctx, in->n, put_one, r), LETHE_OK);
    assert_int_equal(lethe_sorter_each(r->s, collect, r), LETHE_OK);
    if (must_spill) assert_true(lethe_sorter_spilled(r->s) > 0);
    check_sizes(r);
    if (order == LETHE_ORDER_BYTES)
        check_bytes(r, sorted);
    else
        check_groups(r, sorted);
    lethe_sorter_free(r->s);
    for (size_t p = 0; p < PARTS; p++)
        drop(&r->out[p]);
    free(r);
}

static void sorted_copy(strings *to, const strings *from)
{
    for (size_t i = 0; i < from->n; i++)
        add(to, from->at[i].at, from->at[i].n);
    if (to->n > 0) qsort(to->at, to->n, sizeof *to->at, compare_for_qsort);
}

static lethe_ctx *contexts[N_CTX];

static int open_contexts(void **st)
{
    (void)st;
    static const unsigned threads[N_CTX] = {1, 2, 7};
    for (int i = 0; i < N_CTX; i++)
        if (lethe_ctx_new(&(lethe_settings){.n_threads = threads[i]}, &contexts[i])) return 1;
    return 0;
}

static int close_contexts(void **st)
{
    (void)st;
    for (int i = 0; i < N_CTX; i++)
        lethe_ctx_free(contexts[i]);
    return 0;
}

static bool underway;

static void begin(uint64_t seed)
{
    seed_now = state = seed;
    underway = true;
}

/* A failed assertion leaves the test in the middle of a seed. */
static int tell_seed(void **st)
{
    (void)st;
    if (underway) print_message("failed with seed %llu\n", (unsigned long long)seed_now);
    underway = false;
    return 0;
}

/* --- the properties --- */

static void small_multisets(void **st)
{
    (void)st;
    for (uint64_t seed = 1; seed <= seeds(2000); seed++) {
        begin(seed);
        strings in = {0}, sorted = {0};
        size_t n = below(4) == 0 ? below(4) : below(1 + below(400));
        make_input(&in, n, (shape)below(LONG + 2), 3000);
        sorted_copy(&sorted, &in);
        uint64_t cap = below(2) ? 1 << 20 : (uint64_t)64 << 20;
        check_one(contexts[below(N_CTX)], below(2) ? LETHE_ORDER_BYTES : LETHE_ORDER_GROUP, cap,
                  &in, &sorted, below(2), false);
        drop(&in);
        drop(&sorted);
        underway = false;
    }
}

/* Enough that the sample is left behind and, at the least budget, most of it is on disk. */
static void large_multisets(void **st)
{
    (void)st;
    static const struct {
        size_t n;
        shape shape;
        size_t cap_record;
    } cases[] = {{60000, KEYED, 0},    {60000, SORTED, 0},  {60000, EQUAL, 0},
                 {60000, N_SHAPES, 0}, {3000, LONG, 99000}, {60000, TINY, 0}};
    for (size_t c = 0; c < LETHE_COUNT(cases); c++) {
        begin(100000 + c);
        strings in = {0}, sorted = {0};
        make_input(&in, cases[c].n, cases[c].shape, cases[c].cap_record);
        sorted_copy(&sorted, &in);
        for (int t = 0; t < N_CTX; t++) {
            lethe_order order = (c + (size_t)t) % 2 ? LETHE_ORDER_BYTES : LETHE_ORDER_GROUP;
            bool spills = cases[c].shape == SORTED || cases[c].shape == LONG;
            check_one(contexts[t], order, 1 << 20, &in, &sorted, true, spills);
            check_one(contexts[t], order, (uint64_t)256 << 20, &in, &sorted, false, false);
        }
        drop(&in);
        drop(&sorted);
        underway = false;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(small_multisets, tell_seed),
        cmocka_unit_test_teardown(large_multisets, tell_seed),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
