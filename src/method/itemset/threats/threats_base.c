/* SPDX-License-Identifier: Apache-2.0 */
/* threats_base.c - the sets made small: items numbered, equal sets merged, ancestors added. */
#include "method/itemset/threats/threats_internal.h"
#include <xxhash.h>

/* --- items --- */

lethe_err lethe_threats_items(lethe_arena *a, const lethe_tree *t, const uint32_t *node, uint32_t n,
                              threats_base *b)
{
    *b = (threats_base){.n = n,
                        .node = lethe_new(a, uint32_t, n),
                        .up = lethe_new(a, uint32_t, n),
                        .end = lethe_new(a, uint32_t, n),
                        .level = lethe_new(a, uint32_t, n),
                        .leaves = lethe_new(a, uint64_t, n),
                        .lowest = lethe_new(a, uint8_t, n)};
    if (!b->node || !b->up || !b->end || !b->level || !b->leaves || !b->lowest) return LETHE_ENOMEM;
    uint32_t above = LETHE_NONE;
    for (uint32_t j = 0; j < n; j++) {
        while (above != LETHE_NONE && !lethe_tree_covers(t, node[above], node[j]))
            above = b->up[above];
        b->node[j] = node[j];
        b->leaves[j] = t->leaves[node[j]];
        b->up[j] = above;
        b->level[j] = above == LETHE_NONE ? 0 : b->level[above] + 1;
        b->lowest[j] = 1;
        if (above != LETHE_NONE) b->lowest[above] = 0;
        b->end[j] = j + 1;
        above = j;
    }
    for (uint32_t j = n; j-- > 0;)
        if (b->up[j] != LETHE_NONE) b->end[b->up[j]] = LETHE_MAX(b->end[b->up[j]], b->end[j]);
    return LETHE_OK;
}

/* --- equal rows --- */

static bool rows_equal(const threats_rows *r, uint32_t i, uint32_t k)
{
    uint64_t n = r->start[i + 1] - r->start[i];
    return n == r->start[k + 1] - r->start[k] &&
           memcmp(r->item + r->start[i], r->item + r->start[k], n * sizeof *r->item) == 0;
}

/* class[i] is the number of row i among the distinct ones, in order of their first; first[c] is
 * that row. */
static lethe_err classify(const threats_rows *in, uint32_t *class, uint32_t *first, uint32_t *n_out)
{
    unsigned bits = 4;
    while (((size_t)1 << bits) < 2 * (size_t)in->n)
        bits++;
    size_t mask = ((size_t)1 << bits) - 1;
    uint32_t *slot = lethe_alloc_zero(mask + 1, sizeof *slot), n = 0; // a class plus one
    if (!slot) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < in->n; i++) {
        uint64_t size = in->start[i + 1] - in->start[i];
        size_t k = XXH3_64bits(in->item + in->start[i], size * sizeof *in->item) & mask;
        while (slot[k] != 0 && !rows_equal(in, first[slot[k] - 1], i))
            k = (k + 1) & mask;
        if (slot[k] == 0) {
            first[n] = i;
            slot[k] = ++n;
        }
        class[i] = slot[k] - 1;
    }
    lethe_free(slot);
    *n_out = n;
    return LETHE_OK;
}

/* The sensitive items of a class, each once, in the order first met. */
static uint64_t merge_marks(const threats_rows *in, const uint32_t *row, uint64_t n,
                            uint32_t *place, threats_count *out)
{
    uint64_t n_out = 0;
    for (uint64_t i = 0; i < n; i++) {
        for (uint64_t k = in->mark_start[row[i]]; k < in->mark_start[row[i] + 1]; k++) {
            threats_count c = in->mark[k];
            if (place[c.mark] == 0) {
                out[n_out] = (threats_count){c.mark, 0};
                place[c.mark] = (uint32_t)++n_out;
            }
            out[place[c.mark] - 1].n += c.n;
        }
    }
    for (uint64_t i = 0; i < n_out; i++)
        place[out[i].mark] = 0;
    return n_out;
}

static lethe_err merge_into(lethe_arena *a, lethe_arena *tmp, const threats_rows *in,
                            uint32_t n_marks, const uint32_t *class, const uint32_t *first,
                            threats_rows *out)
{
    /* Rows in order of their classes, and within one in their own: row[at[c]] .. */
    uint64_t *at = lethe_new(tmp, uint64_t, (size_t)out->n + 2), items = 0, marks = 0;
    uint32_t *row = lethe_new(tmp, uint32_t, in->n), *place = lethe_new(tmp, uint32_t, n_marks);
    if (!place || !at || !row) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < in->n; i++)
        at[class[i] + 2]++;
    for (uint32_t c = 0; c < out->n; c++)
        at[c + 2] += at[c + 1];
    for (uint32_t i = 0; i < in->n; i++)
        row[at[class[i] + 1]++] = i;
    for (uint32_t c = 0; c < out->n; c++)
        items += in->start[first[c] + 1] - in->start[first[c]];
    out->start = lethe_new(a, uint64_t, (size_t)out->n + 1);
    out->weight = lethe_new(a, uint32_t, out->n);
    out->mark_start = lethe_new(a, uint64_t, (size_t)out->n + 1);
    out->item = lethe_new(a, uint32_t, items);
    out->mark = lethe_new(a, threats_count, in->mark_start[in->n]); // at most
    if (!out->start || !out->weight || !out->mark_start || !out->item || !out->mark)
        return LETHE_ENOMEM;
    for (uint32_t c = 0; c < out->n; c++) {
        uint64_t n = in->start[first[c] + 1] - in->start[first[c]];
        if (n > 0)
            memcpy(out->item + out->start[c], in->item + in->start[first[c]], n * sizeof *in->item);
        out->start[c + 1] = out->start[c] + n;
        for (uint64_t i = at[c]; i < at[c + 1]; i++)
            out->weight[c] += in->weight[row[i]];
        marks += merge_marks(in, row + at[c], at[c + 1] - at[c], place, out->mark + marks);
        out->mark_start[c + 1] = marks;
    }
    return LETHE_OK;
}

lethe_err lethe_threats_merge(lethe_arena *a, const threats_rows *in, uint32_t n_marks,
                              threats_rows *out)
{
    lethe_arena *tmp = lethe_arena_new();
    uint32_t *class = tmp ? lethe_new(tmp, uint32_t, in->n) : NULL;
    uint32_t *first = tmp ? lethe_new(tmp, uint32_t, in->n) : NULL;
    threats_rows merged = {0};
    lethe_err e = class && first ? classify(in, class, first, &merged.n) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = merge_into(a, tmp, in, n_marks, class, first, &merged);
    lethe_arena_free(tmp);
    if (e == LETHE_OK) *out = merged;
    return e;
}

/* --- all above --- */

/* The items of a row and all above them, ascending; returns how many.  Of an item those above are
 * new that are not above the item before it, and these come after that. */
static uint64_t add_above(const threats_base *b, const uint32_t *item, uint64_t n, uint32_t *out)
{
    uint64_t n_out = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t begin = n_out;
        for (uint32_t j = item[i]; j != LETHE_NONE; j = b->up[j]) {
            if (i > 0 && threats_covers(b, j, item[i - 1])) break;
            if (out) out[n_out] = j;
            n_out++;
        }
        for (uint64_t k = begin, l = n_out; out && k + 1 < l; k++, l--) {
            uint32_t swap = out[k];
            out[k] = out[l - 1];
            out[l - 1] = swap;
        }
    }
    return n_out;
}

lethe_err lethe_threats_expand(lethe_arena *a, const threats_rows *rows, threats_base *b)
{
    threats_rows *s = &b->sets;
    *s = *rows;
    s->start = lethe_new(a, uint64_t, (size_t)rows->n + 1);
    if (!s->start) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < rows->n; i++)
        s->start[i + 1] = s->start[i] + add_above(b, rows->item + rows->start[i],
                                                  rows->start[i + 1] - rows->start[i], NULL);
    s->item = lethe_new(a, uint32_t, s->start[rows->n]);
    if (!s->item) return LETHE_ENOMEM;
    b->total = 0;
    for (uint32_t i = 0; i < rows->n; i++) {
        add_above(b, rows->item + rows->start[i], rows->start[i + 1] - rows->start[i],
                  s->item + s->start[i]);
        b->total += rows->weight[i];
    }
    return LETHE_OK;
}
