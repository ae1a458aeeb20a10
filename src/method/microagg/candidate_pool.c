/* SPDX-License-Identifier: Apache-2.0 */
/* candidate_pool.c - the users that are left, by mass, and the sketches that bound what two of them
 * have in common. */
#include "method/microagg/group_search_internal.h"
#include "io/read/fields.h" /* lethe_simd_best */
#include <stdlib.h>

/* --- what rows of bytes have in common --- */

/* Of `a` with n rows of `width` bytes, one after the other.  Both ways give the same sums. */
static void common_portable(const uint8_t *a, const uint8_t *row, uint32_t n, uint32_t width,
                            uint32_t *out)
{
    for (uint32_t r = 0; r < n; r++, row += width) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < width; i++)
            sum += LETHE_MIN(a[i], row[i]);
        out[r] = sum;
    }
}

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i common_lanes(__m256i sum, const uint8_t *a, const uint8_t *b)
{
    __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)a);
    __m256i y = _mm256_loadu_si256((const __m256i *)(const void *)b);
    return _mm256_add_epi64(sum, _mm256_sad_epu8(_mm256_min_epu8(x, y), _mm256_setzero_si256()));
}

AVX2 static void common_avx2(const uint8_t *a, const uint8_t *row, uint32_t n, uint32_t width,
                             uint32_t *out)
{
    for (uint32_t r = 0; r < n; r++, row += width) {
        __m256i even = _mm256_setzero_si256(), odd = even;
        for (uint32_t i = 0; i < width; i += 64) {
            even = common_lanes(even, a + i, row + i);
            odd = common_lanes(odd, a + i + 32, row + i + 32);
        }
        even = _mm256_add_epi64(even, odd);
        __m128i sum =
            _mm_add_epi64(_mm256_castsi256_si128(even), _mm256_extracti128_si256(even, 1));
        out[r] = (uint32_t)_mm_cvtsi128_si64(_mm_add_epi64(sum, _mm_srli_si128(sum, 8)));
    }
}
#endif

static void common(const lethe_microagg_pool *c, const uint8_t *a, const uint8_t *row, uint32_t n,
                   uint32_t width, uint32_t *out)
{
#if defined(__x86_64__)
    if (c->avx2) {
        common_avx2(a, row, n, width, out);
        return;
    }
#endif
    (void)c;
    common_portable(a, row, n, width, out);
}

lethe_microagg_sketch lethe_microagg_pool_sketch(const lethe_microagg_pool *c, uint32_t slot)
{
    return (lethe_microagg_sketch){c->coarse + (size_t)slot * LETHE_MICROAGG_COARSE,
                                   c->fine + (size_t)slot * LETHE_MICROAGG_FINE,
                                   c->coarse_surplus[slot], c->fine_surplus[slot]};
}

void lethe_microagg_pool_coarse(const lethe_microagg_pool *c, const lethe_microagg_sketch *x,
                                uint32_t from, uint32_t n, uint64_t *out)
{
    uint32_t sum[LETHE_MICROAGG_TILE];
    assert(n <= LETHE_MICROAGG_TILE);
    common(c, x->coarse, c->coarse + (size_t)from * LETHE_MICROAGG_COARSE, n, LETHE_MICROAGG_COARSE,
           sum);
    for (uint32_t i = 0; i < n; i++)
        out[i] = ((uint64_t)sum[i] << c->shift) +
                 LETHE_MIN(x->coarse_surplus, c->coarse_surplus[from + i]);
}

uint64_t lethe_microagg_pool_fine(const lethe_microagg_pool *c, const lethe_microagg_sketch *x,
                                  uint32_t slot)
{
    uint32_t sum;
    common(c, x->fine, c->fine + (size_t)slot * LETHE_MICROAGG_FINE, 1, LETHE_MICROAGG_FINE, &sum);
    return ((uint64_t)sum << c->shift) + LETHE_MIN(x->fine_surplus, c->fine_surplus[slot]);
}

/* --- bins of categories --- */

typedef struct weighed {
    uint64_t weight;
    uint32_t number;
} weighed;

/* The heaviest first, ties by number. */
static int by_weight(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

typedef struct sketcher {
    lethe_microagg_pool *c;
    uint16_t *coarse, *fine; /* the bin of each category */
    uint8_t *shift;          /* of each slot: of the unit in which its coarse bins fit */
} sketcher;

/* The heaviest categories get half of the bins, one each; all others share the other half. */
static void deal_bins(const weighed *order, uint32_t n, uint32_t bins, uint16_t *bin)
{
    uint32_t own = bins / 2;
    for (uint32_t i = 0; i < n; i++)
        bin[order[i].number] = (uint16_t)(i < bins ? i : own + (i - own) % (bins - own));
}

static lethe_err assign_bins(sketcher *d)
{
    const lethe_microagg_interests *of = d->c->of;
    weighed *order = lethe_alloc(of->n_categories, sizeof *order);
    d->coarse = lethe_alloc(of->n_categories, sizeof *d->coarse);
    d->fine = lethe_alloc(of->n_categories, sizeof *d->fine);
    if (!order || !d->coarse || !d->fine) {
        lethe_free(order);
        return LETHE_ENOMEM;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < of->n_categories; i++)
        order[i] = (weighed){0, i};
    for (uint64_t i = 0; i < of->start[of->n]; i++)
        order[of->category[i]].weight += of->count[i];
    for (uint32_t i = 0; i < of->n_categories; i++)
        if (order[i].weight > 0) order[n++] = order[i];
    if (n > 1) qsort(order, n, sizeof *order, by_weight);
    deal_bins(order, n, LETHE_MICROAGG_COARSE, d->coarse);
    deal_bins(order, n, LETHE_MICROAGG_FINE, d->fine);
    lethe_free(order);
    return LETHE_OK;
}

static void fill_bins(const lethe_microagg_interests *of, uint32_t u, const uint16_t *bin,
                      uint32_t n, uint64_t *sum)
{
    memset(sum, 0, n * sizeof *sum);
    for (uint64_t i = of->start[u]; i < of->start[u + 1]; i++)
        sum[bin[of->category[i]]] += of->count[i];
}

/* --- sketches --- */

enum { USERS = 256 }; /* per piece of work */

static lethe_err find_shifts(void *arg, size_t piece, unsigned w)
{
    sketcher *d = arg;
    uint64_t sum[LETHE_MICROAGG_COARSE];
    uint32_t end = (uint32_t)LETHE_MIN((uint64_t)d->c->n, (uint64_t)(piece + 1) * USERS);
    (void)w;
    for (uint32_t s = (uint32_t)piece * USERS; s < end; s++) {
        uint64_t most = 0;
        fill_bins(d->c->of, d->c->user[s], d->coarse, LETHE_MICROAGG_COARSE, sum);
        for (uint32_t b = 0; b < LETHE_MICROAGG_COARSE; b++)
            most = LETHE_MAX(most, sum[b]);
        while (most > (UINT64_C(255) << d->shift[s]))
            d->shift[s]++;
    }
    return LETHE_OK;
}

/* In units of 1 << shift, rounded up.  Returns the surplus. */
static uint64_t pack_bins(const uint64_t *sum, uint32_t n, unsigned shift, uint8_t *to)
{
    const uint64_t most = UINT64_C(255) << shift, up = (UINT64_C(1) << shift) - 1;
    uint64_t over = 0;
    for (uint32_t b = 0; b < n; b++) {
        uint64_t within = LETHE_MIN(sum[b], most);
        over += sum[b] - within;
        to[b] = (uint8_t)((within + up) >> shift);
    }
    return over;
}

static lethe_err sketch_users(void *arg, size_t piece, unsigned w)
{
    sketcher *d = arg;
    lethe_microagg_pool *c = d->c;
    uint64_t sum[LETHE_MICROAGG_FINE];
    uint32_t end = (uint32_t)LETHE_MIN((uint64_t)c->n, (uint64_t)(piece + 1) * USERS);
    (void)w;
    for (uint32_t s = (uint32_t)piece * USERS; s < end; s++) {
        fill_bins(c->of, c->user[s], d->coarse, LETHE_MICROAGG_COARSE, sum);
        c->coarse_surplus[s] = pack_bins(sum, LETHE_MICROAGG_COARSE, c->shift,
                                         c->coarse + (size_t)s * LETHE_MICROAGG_COARSE);
        fill_bins(c->of, c->user[s], d->fine, LETHE_MICROAGG_FINE, sum);
        c->fine_surplus[s] = pack_bins(sum, LETHE_MICROAGG_FINE, c->shift,
                                       c->fine + (size_t)s * LETHE_MICROAGG_FINE);
    }
    return LETHE_OK;
}

static lethe_err make_sketches(lethe_ctx *ctx, lethe_microagg_pool *c)
{
    sketcher d = {.c = c};
    size_t pieces = ((size_t)c->n + USERS - 1) / USERS;
    lethe_err e = assign_bins(&d);
    d.shift = lethe_alloc_zero(c->n, sizeof *d.shift);
    if (e == LETHE_OK && !d.shift) e = LETHE_ENOMEM;
    if (e == LETHE_OK) e = lethe_pool_for(ctx, pieces, find_shifts, &d);
    if (e == LETHE_OK) {
        // the smallest unit in which at most an eighth of the users have a surplus
        uint32_t with[64] = {0}, over = c->n;
        for (uint32_t s = 0; s < c->n; s++)
            with[d.shift[s]]++;
        while (c->shift < 63 && (over -= with[c->shift]) > c->n / 8)
            c->shift++;
        e = lethe_pool_for(ctx, pieces, sketch_users, &d);
    }
    lethe_free(d.coarse);
    lethe_free(d.fine);
    lethe_free(d.shift);
    return e;
}

/* --- the pool --- */

static void set_least(lethe_microagg_pool *c, uint32_t from, uint32_t end)
{
    uint32_t least = end < c->n ? c->least[end] : LETHE_NONE;
    for (uint32_t s = end; s-- > from;) {
        least = LETHE_MIN(least, c->user[s]);
        c->least[s] = least;
    }
}

static lethe_err sort_by_mass(lethe_microagg_pool *c)
{
    const lethe_microagg_interests *of = c->of;
    weighed *order = lethe_alloc(c->n, sizeof *order);
    if (!order) return LETHE_ENOMEM;
    for (uint32_t u = 0; u < c->n; u++) {
        order[u] = (weighed){0, u};
        for (uint64_t i = of->start[u]; i < of->start[u + 1]; i++)
            order[u].weight += of->count[i];
    }
    if (c->n > 1) qsort(order, c->n, sizeof *order, by_weight);
    for (uint32_t s = 0; s < c->n; s++) {
        c->user[s] = order[s].number;
        c->slot[order[s].number] = s;
        c->mass[s] = c->most[s] = order[s].weight;
    }
    lethe_free(order);
    set_least(c, 0, c->n);
    return LETHE_OK;
}

lethe_err lethe_microagg_pool_new(lethe_ctx *ctx, const lethe_microagg_interests *of,
                                  lethe_microagg_pool *out)
{
    lethe_microagg_pool c = {.of = of,
                             .n = of->n,
                             .n_left = of->n,
                             .least_open = of->n,
                             .avx2 = lethe_simd_best() >= LETHE_SIMD_AVX2};
    size_t n = c.n;
    c.user = lethe_alloc(n, sizeof *c.user);
    c.slot = lethe_alloc(n, sizeof *c.slot);
    c.least = lethe_alloc(n, sizeof *c.least);
    c.mass = lethe_alloc(n, sizeof *c.mass);
    c.open = lethe_alloc_zero(n / 64 + 1, sizeof *c.open);
    c.most = lethe_alloc(n, sizeof *c.most);
    c.coarse_surplus = lethe_alloc(n, sizeof *c.coarse_surplus);
    c.fine_surplus = lethe_alloc(n, sizeof *c.fine_surplus);
    c.coarse = lethe_alloc(n, LETHE_MICROAGG_COARSE);
    c.fine = lethe_alloc(n, LETHE_MICROAGG_FINE);
    bool ok = c.user && c.open && c.slot && c.least && c.mass && c.most && c.coarse_surplus &&
              c.fine_surplus && c.coarse && c.fine;
    lethe_err e = ok ? sort_by_mass(&c) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = make_sketches(ctx, &c);
    if (e == LETHE_OK)
        *out = c;
    else
        lethe_microagg_pool_free(&c);
    return e;
}

void lethe_microagg_pool_free(lethe_microagg_pool *c)
{
    void *const all[] = {c->user, c->slot,           c->least,        c->mass,   c->open,
                         c->most, c->coarse_surplus, c->fine_surplus, c->coarse, c->fine};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    *c = (lethe_microagg_pool){0};
}

void lethe_microagg_pool_remove(lethe_microagg_pool *c, uint32_t user)
{
    assert(c->slot[user] != LETHE_NONE);
    if (c->slot[user] < c->n_counted) c->n_gone++;
    c->user[c->slot[user]] = LETHE_NONE;
    c->slot[user] = LETHE_NONE;
    c->open[user / 64] &= ~(UINT64_C(1) << user % 64);
    c->n_left--;
    while (c->least_left < c->of->n && c->slot[c->least_left] == LETHE_NONE)
        c->least_left++;
}

void lethe_microagg_pool_open(lethe_microagg_pool *c)
{
    uint32_t user = c->user[c->n_open++];
    if (user == LETHE_NONE) return;
    c->open[user / 64] |= UINT64_C(1) << user % 64;
    c->least_open = LETHE_MIN(c->least_open, user);
}

uint32_t lethe_microagg_pool_least_open(lethe_microagg_pool *c)
{
    for (uint32_t i = c->least_open / 64; i <= c->of->n / 64; i++) {
        if (c->open[i] == 0) continue;
        c->least_open = i * 64 + (uint32_t)__builtin_ctzll(c->open[i]);
        return c->least_open;
    }
    c->least_open = c->of->n;
    return LETHE_NONE;
}

static void move(lethe_microagg_pool *c, uint32_t from, uint32_t to)
{
    c->user[to] = c->user[from];
    c->slot[c->user[to]] = to;
    c->mass[to] = c->mass[from];
    c->most[to] = c->most[from];
    c->coarse_surplus[to] = c->coarse_surplus[from];
    c->fine_surplus[to] = c->fine_surplus[from];
    memcpy(c->coarse + (size_t)to * LETHE_MICROAGG_COARSE,
           c->coarse + (size_t)from * LETHE_MICROAGG_COARSE, LETHE_MICROAGG_COARSE);
    memcpy(c->fine + (size_t)to * LETHE_MICROAGG_FINE, c->fine + (size_t)from * LETHE_MICROAGG_FINE,
           LETHE_MICROAGG_FINE);
}

void lethe_microagg_pool_compact(lethe_microagg_pool *c)
{
    enum { FEW = 32, SHARE = 16 };
    uint32_t to = c->n_open, gone = 0;
    for (; c->n_counted < c->n_open; c->n_counted++)
        c->n_gone += c->user[c->n_counted] == LETHE_NONE;
    if (c->n_gone < FEW + (c->n_open - c->first) / SHARE) return;
    for (uint32_t s = c->n_open; s-- > c->first;) {
        if (c->user[s] == LETHE_NONE)
            gone++;
        else if (s != --to)
            move(c, s, to);
    }
    assert(gone == c->n_gone);
    c->first = to;
    c->n_gone = 0;
    set_least(c, to, c->n_open);
}
