/* SPDX-License-Identifier: Apache-2.0 */
/* item_view.c - bit matrices of sets by columns, with weights in bit planes. */
#include "check/item_search_internal.h"
#include "io/read/fields.h"
#include "io/read/scan.h"

enum { WORD = 64, ROW_BYTES = 8 };

/* --- weighing --- */

/* The same sums for any machine; where it counts bits by itself, faster. */
static inline __attribute__((always_inline)) uint64_t
weigh_any(const lethe_item_view *v, const uint64_t *a, const uint64_t *b, const uint64_t *c)
{
    const uint64_t *plane = (const uint64_t *)(const void *)v->planes.at;
    uint64_t sum = 0;
    for (unsigned p = 0; p < v->n_planes; p++, plane += v->words) {
        uint64_t count = 0;
        for (size_t i = 0; i < v->plane_words[p]; i++)
            count +=
                (uint64_t)__builtin_popcountll(a[i] & b[i] & plane[i] & (c ? c[i] : ~UINT64_C(0)));
        sum += count << p;
    }
    return sum;
}

#if defined(__x86_64__)
LETHE_AVX2 static uint64_t weigh_wide(const lethe_item_view *v, const uint64_t *a,
                                      const uint64_t *b)
{
    return weigh_any(v, a, b, NULL);
}
LETHE_AVX2 static uint64_t weigh3_wide(const lethe_item_view *v, const uint64_t *a,
                                       const uint64_t *b, const uint64_t *c)
{
    return weigh_any(v, a, b, c);
}
#else
#define weigh_wide(v, a, b) weigh_any(v, a, b, NULL)
#define weigh3_wide(v, a, b, c) weigh_any(v, a, b, c)
#endif

uint64_t lethe_view_weigh(const lethe_item_view *v, const uint64_t *a, const uint64_t *b)
{
    return v->wide ? weigh_wide(v, a, b) : weigh_any(v, a, b, NULL);
}

uint64_t lethe_view_weigh3(const lethe_item_view *v, const uint64_t *a, const uint64_t *b,
                           const uint64_t *c)
{
    return v->wide ? weigh3_wide(v, a, b, c) : weigh_any(v, a, b, c);
}

/* --- filling --- */

lethe_err lethe_room_take(lethe_ctx *ctx, uint64_t *room, uint64_t bytes)
{
    if (bytes > *room) return lethe_ctx_over_memory(ctx);
    *room -= bytes;
    return LETHE_OK;
}

lethe_err lethe_view_sets(lethe_item_view *v, uint32_t n)
{
    if (n > v->cap) {
        LETHE_TRY(lethe_room_take(v->ctx, v->room, (n - v->cap) * sizeof *v->set));
        uint32_t *set = lethe_realloc(v->set, n, sizeof *set);
        if (!set) return LETHE_ENOMEM;
        v->set = set;
        v->cap = n;
    }
    v->n = n;
    v->words = ((size_t)n + WORD - 1) / WORD;
    return LETHE_OK;
}

/* Room for one more row of zeros, which is *out. */
static lethe_err row_add(lethe_item_view *v, lethe_buf *b, uint64_t **out)
{
    size_t bytes = v->words * ROW_BYTES, before = b->cap;
    if (bytes > before - b->n && bytes > *v->room) return lethe_ctx_over_memory(v->ctx);
    LETHE_TRY(lethe_buf_reserve(b, bytes));
    *v->room -= LETHE_MIN(*v->room, b->cap - before);
    *out = (uint64_t *)(void *)(b->at + b->n);
    memset(*out, 0, bytes);
    b->n += bytes;
    return LETHE_OK;
}

static lethe_err bit_set(lethe_item_view *v, uint32_t shown, uint32_t i)
{
    uint64_t *row;
    if (v->row[shown] == LETHE_NONE) {
        LETHE_TRY(row_add(v, &v->bits, &row));
        v->shown[v->n_rows] = shown;
        v->row[shown] = v->n_rows++;
    }
    row = (uint64_t *)(void *)v->bits.at + v->row[shown] * v->words;
    row[i / WORD] |= UINT64_C(1) << i % WORD;
    return LETHE_OK;
}

lethe_err lethe_view_fill(lethe_item_view *v, const lethe_item_clues *c, uint32_t after,
                          const uint64_t *wanted, uint64_t stamp)
{
    const lethe_item_sets *s = c->sets;
    v->wide = lethe_simd_best() >= LETHE_SIMD_AVX2;
    uint32_t n_shown = c->n_columns + s->n_marks;
    if (!v->row) {
        LETHE_TRY(lethe_room_take(v->ctx, v->room, ((uint64_t)n_shown + 1) * 2 * sizeof *v->row));
        v->row = lethe_alloc((size_t)n_shown + 1, sizeof *v->row);
        v->shown = lethe_alloc((size_t)n_shown + 1, sizeof *v->shown);
        if (!v->row || !v->shown) return LETHE_ENOMEM;
        memset(v->row, 0xff, ((size_t)n_shown + 1) * sizeof *v->row);
        v->n_rows = 0;
    }
    while (v->n_rows > 0)
        v->row[v->shown[--v->n_rows]] = LETHE_NONE;
    v->bits.n = 0;
    uint64_t most = v->n > 0 ? s->weight[v->set[0]] : 0; // the heaviest is the first
    v->planes.n = 0;
    for (v->n_planes = 0; most >> v->n_planes; v->n_planes++) {
        uint64_t *plane;
        uint32_t i = 0;
        LETHE_TRY(row_add(v, &v->planes, &plane));
        for (; i < v->n && s->weight[v->set[i]] >> v->n_planes; i++)
            plane[i / WORD] |= (s->weight[v->set[i]] >> v->n_planes & 1) << i % WORD;
        v->plane_words[v->n_planes] = ((size_t)i + WORD - 1) / WORD;
        if (v->n_planes == WORD - 1) {
            v->n_planes++;
            break;
        }
    }
    for (uint32_t i = 0; i < v->n; i++) {
        uint32_t set = v->set[i];
        if (i % 4096 == 0 && lethe_ctx_cancelled(v->ctx)) return LETHE_ECANCEL;
        for (uint64_t at = c->start[set]; at < c->start[set + 1]; at++) {
            uint32_t k = c->column[at];
            bool want = after == LETHE_NONE ? wanted[k] == stamp : k > after || c->beside[k];
            if (want) LETHE_TRY(bit_set(v, k, i));
        }
        for (uint64_t at = s->mark_start[set]; c->tells && at < s->mark_start[set + 1]; at++)
            LETHE_TRY(bit_set(v, c->n_columns + s->mark[at], i));
    }
    return LETHE_OK;
}

void lethe_view_free(lethe_item_view *v)
{
    lethe_free(v->set);
    lethe_free(v->row);
    lethe_free(v->shown);
    lethe_buf_free(&v->planes);
    lethe_buf_free(&v->bits);
}
