/* SPDX-License-Identifier: Apache-2.0 */
/* threats_clauses.c - knowledge that no item expresses: that one of two or three children of a node
 * is present (--strict).  Such a clause is an item of its own; a set has it if it has one of them.
 */
#include "core/sort.h"
#include "method/itemset/threats/threats_internal.h"

/* Clauses of one node, while they are made. */
typedef struct family {
    lethe_ctx *ctx;
    uint32_t node;       /* the item whose children they join */
    uint32_t n;          /* children: kid[] */
    const uint32_t *kid; /* ascending */
    uint64_t *together;  /* n x n bits: does a set have both? */
    uint32_t *pair;      /* n x n: the clause of both, or LETHE_NONE */
} family;

/* What is made of clauses goes with the third power of a node's children, and then with the sets:
 * what is too much is seen before it is asked for. */
static uint64_t most_numbers(const lethe_ctx *ctx)
{
    enum { BYTES = 32 }; // of an item, of one of a set, and of where that is
    return lethe_ctx_memory(ctx) / BYTES;
}

static bool together(const family *f, uint32_t i, uint32_t k)
{
    size_t at = (size_t)i * f->n + k;
    return f->together[at / 64] >> at % 64 & 1;
}

/* Children of all items, end to end: those of j are kid[at[j]] .. kid[at[j + 1] - 1]; and the place
 * of each among its siblings. */
typedef struct kids {
    uint32_t *at, *kid, *place;
} kids;

static lethe_err list_children(lethe_arena *tmp, const threats_base *b, kids *k)
{
    k->at = lethe_new(tmp, uint32_t, (size_t)b->n + 2);
    k->kid = lethe_new(tmp, uint32_t, b->n);
    k->place = lethe_new(tmp, uint32_t, b->n);
    if (!k->at || !k->kid || !k->place) return LETHE_ENOMEM;
    for (uint32_t j = 0; j < b->n; j++)
        if (b->up[j] != LETHE_NONE) k->at[b->up[j] + 2]++;
    for (uint32_t j = 0; j < b->n; j++)
        k->at[j + 2] += k->at[j + 1];
    for (uint32_t j = 0; j < b->n; j++)
        if (b->up[j] != LETHE_NONE) k->kid[k->at[b->up[j] + 1]++] = j;
    for (uint32_t j = 0; j < b->n; j++) // only now is at[j] where those of j begin
        for (uint32_t i = k->at[j]; i < k->at[j + 1]; i++)
            k->place[k->kid[i]] = i - k->at[j];
    return LETHE_OK;
}

/* --- numbering --- */

/* The clauses of a family, of which there are so many; with `out` NULL they are counted only. Items
 * are numbered as before, and to be shifted.  Cancelled, it ends early. */
static uint64_t family_clauses(const family *f, threats_part *out, uint32_t first)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < f->n && !lethe_ctx_cancelled(f->ctx); i++) {
        for (uint32_t k = i + 1; k < f->n; k++) {
            if (!together(f, i, k)) continue;
            if (out) {
                out[n] = (threats_part){2, {f->kid[i], f->kid[k]}, {0}};
                f->pair[(size_t)i * f->n + k] = first + (uint32_t)n;
            }
            n++;
        }
    }
    for (uint32_t i = 0; f->n > 3 && i < f->n && !lethe_ctx_cancelled(f->ctx); i++) {
        for (uint32_t k = i + 1; k < f->n; k++) {
            for (uint32_t l = k + 1; l < f->n; l++) {
                if (together(f, i, k) + together(f, k, l) + together(f, i, l) < 2) continue;
                if (out)
                    out[n] = (threats_part){3,
                                            {f->kid[i], f->kid[k], f->kid[l]},
                                            {f->pair[(size_t)k * f->n + l],
                                             f->pair[(size_t)i * f->n + l],
                                             f->pair[(size_t)i * f->n + k]}};
                n++;
            }
        }
    }
    return n;
}

/* The families of all items, and which of their children some set has together. */
static lethe_err make_families(lethe_ctx *ctx, lethe_arena *tmp, const threats_base *b,
                               const kids *k, family *of)
{
    uint32_t *some = lethe_new(tmp, uint32_t, b->n);
    if (!some) return LETHE_ENOMEM;
    for (uint32_t j = 0; j < b->n; j++) {
        family *f = &of[j];
        *f =
            (family){.ctx = ctx, .node = j, .n = k->at[j + 1] - k->at[j], .kid = k->kid + k->at[j]};
        if (f->n < 3) continue; // of two, one of them is there if their node is
        if ((uint64_t)f->n * f->n > most_numbers(ctx)) return LETHE_ENOMEM;
        f->together = lethe_new(tmp, uint64_t, (size_t)f->n * f->n / 64 + 1);
        f->pair = lethe_new(tmp, uint32_t, (size_t)f->n * f->n);
        if (!f->together || !f->pair) return LETHE_ENOMEM;
        for (size_t i = 0; i < (size_t)f->n * f->n; i++)
            f->pair[i] = LETHE_NONE;
    }
    for (uint32_t set = 0; set < b->sets.n && !lethe_ctx_cancelled(ctx); set++)
        for (uint64_t i = b->sets.start[set]; i < b->sets.start[set + 1]; i++) {
            const uint32_t *item = b->sets.item;
            family *f = &of[item[i]];
            uint32_t n_some = 0; // children of item[i] that the set has together
            for (uint64_t x = i + 1;
                 f->n >= 3 && x < b->sets.start[set + 1] && item[x] < b->end[item[i]]; x++)
                if (b->up[item[x]] == item[i]) some[n_some++] = k->place[item[x]];
            for (uint32_t x = 0; x < n_some; x++)
                for (uint32_t y = 0; y < n_some; y++) {
                    size_t at = (size_t)some[x] * f->n + some[y];
                    f->together[at / 64] |= (uint64_t)1 << at % 64;
                }
        }
    return lethe_ctx_cancelled(ctx) ? LETHE_ECANCEL : LETHE_OK;
}

/* Room for b with clauses; shift[j] is the new number of item j. */
static lethe_err number_with_clauses(lethe_ctx *ctx, lethe_arena *a, const threats_base *b,
                                     family *of, uint32_t *shift, threats_base *out)
{
    uint64_t n = 0;
    for (uint32_t j = 0; j < b->n; j++) {
        shift[j] = (uint32_t)n;
        n += 1 + (of[j].n >= 3 ? family_clauses(&of[j], NULL, 0) : 0);
        if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
        if (n >= LETHE_NONE || n > most_numbers(ctx)) return LETHE_ENOMEM;
    }
    *out = *b;
    out->n = (uint32_t)n;
    out->node = lethe_new(a, uint32_t, n);
    out->up = lethe_new(a, uint32_t, n);
    out->end = lethe_new(a, uint32_t, n);
    out->level = lethe_new(a, uint32_t, n);
    out->leaves = lethe_new(a, uint64_t, n);
    out->lowest = lethe_new(a, uint8_t, n);
    out->parts = lethe_new(a, threats_part, n);
    return out->node && out->up && out->end && out->level && out->leaves && out->lowest &&
                   out->parts
               ? LETHE_OK
               : LETHE_ENOMEM;
}

static void place_items(const threats_base *b, const family *of, const uint32_t *shift,
                        threats_base *out)
{
    for (uint32_t j = 0; j < b->n; j++) {
        uint32_t at = shift[j], n = 0;
        out->node[at] = b->node[j];
        out->up[at] = b->up[j] == LETHE_NONE ? LETHE_NONE : shift[b->up[j]];
        out->end[at] = b->end[j] == b->n ? out->n : shift[b->end[j]];
        out->level[at] = b->level[j];
        out->leaves[at] = b->leaves[j];
        out->lowest[at] = b->lowest[j];
        out->parts[at] = (threats_part){1, {at}, {0}};
        if (of[j].n >= 3) n = (uint32_t)family_clauses(&of[j], out->parts + at + 1, at + 1);
        for (uint32_t c = at + 1; c <= at + n; c++) {
            out->node[c] = LETHE_NONE;
            out->up[c] = at;
            out->end[c] = c + 1;
            out->level[c] = b->level[j] + 1;
            out->leaves[c] = UINT64_MAX;
            for (uint32_t i = 0; i < out->parts[c].n; i++)
                out->parts[c].item[i] = shift[out->parts[c].item[i]];
        }
    }
}

/* --- sets --- */

/* Which clauses each item is a part of: those of j are clause[at[j]] .. clause[at[j + 1] - 1],
 * ascending. */
typedef struct clause_index {
    const threats_base *b, *out;
    const uint32_t *shift;
    uint64_t *at;
    uint32_t *clause;
    uint32_t *last; /* by clause: the last set that was found to satisfy it, from 1 */
} clause_index;

/* The clauses of item x of set i, which children of it in the set satisfy; returns how many. */
static uint64_t clauses_of(const clause_index *f, uint32_t i, uint64_t x, uint32_t *to)
{
    const threats_base *b = f->b;
    const uint32_t *item = b->sets.item;
    uint64_t n = 0;
    for (uint64_t y = x + 1; y < b->sets.start[i + 1] && item[y] < b->end[item[x]]; y++) {
        if (b->up[item[y]] != item[x]) continue;
        uint32_t child = f->shift[item[y]];
        for (uint64_t k = f->at[child]; k < f->at[child + 1]; k++) {
            uint32_t c = f->clause[k];
            if (f->last[c] == i + 1) continue;
            f->last[c] = i + 1;
            if (to) to[n] = c;
            n++;
        }
    }
    if (to) lethe_sort_u32(to, n);
    return n;
}

/* Set i with the clauses that it satisfies; returns how many items that are. */
static uint64_t fill_set(const clause_index *f, uint32_t i, uint32_t *to)
{
    const threats_base *b = f->b;
    uint64_t n = 0;
    for (uint64_t x = b->sets.start[i]; x < b->sets.start[i + 1]; x++) {
        uint32_t at = f->shift[b->sets.item[x]];
        if (to) to[n] = at;
        n++;
        if (at + 1 < f->out->n && f->out->node[at + 1] == LETHE_NONE)
            n += clauses_of(f, i, x, to ? to + n : NULL);
    }
    return n;
}

static lethe_err fill_sets(lethe_ctx *ctx, lethe_arena *a, lethe_arena *tmp, const threats_base *b,
                           const uint32_t *shift, threats_base *out)
{
    threats_rows *s = &out->sets;
    clause_index f = {.b = b, .out = out, .shift = shift};
    s->start = lethe_new(a, uint64_t, (size_t)s->n + 1);
    if (!s->start) return LETHE_ENOMEM;
    f.at = lethe_new(tmp, uint64_t, (size_t)out->n + 2);
    f.last = lethe_new(tmp, uint32_t, out->n);
    if (!f.at || !f.last) return LETHE_ENOMEM;
    for (uint32_t c = 0; c < out->n; c++)
        for (uint32_t i = 0; out->node[c] == LETHE_NONE && i < out->parts[c].n; i++)
            f.at[out->parts[c].item[i] + 2]++;
    for (uint32_t j = 0; j < out->n; j++)
        f.at[j + 2] += f.at[j + 1];
    f.clause = lethe_new(tmp, uint32_t, f.at[out->n + 1]);
    if (!f.clause) return LETHE_ENOMEM;
    for (uint32_t c = 0; c < out->n; c++)
        for (uint32_t i = 0; out->node[c] == LETHE_NONE && i < out->parts[c].n; i++)
            f.clause[f.at[out->parts[c].item[i] + 1]++] = c;
    for (uint32_t i = 0; i < s->n && !lethe_ctx_cancelled(ctx); i++)
        s->start[i + 1] = s->start[i] + fill_set(&f, i, NULL);
    if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL;
    if (s->start[s->n] > most_numbers(ctx)) return LETHE_ENOMEM;
    s->item = lethe_new(a, uint32_t, s->start[s->n]);
    if (!s->item) return LETHE_ENOMEM;
    memset(f.last, 0, out->n * sizeof *f.last);
    for (uint32_t i = 0; i < s->n && !lethe_ctx_cancelled(ctx); i++)
        fill_set(&f, i, s->item + s->start[i]);
    return lethe_ctx_cancelled(ctx) ? LETHE_ECANCEL : LETHE_OK;
}

static lethe_err add_clauses(lethe_ctx *ctx, lethe_arena *a, lethe_arena *tmp, threats_base *b)
{
    kids k;
    threats_base out;
    family *of = lethe_new(tmp, family, b->n);
    uint32_t *shift = lethe_new(tmp, uint32_t, b->n);
    if (!of || !shift) return LETHE_ENOMEM;
    LETHE_TRY(list_children(tmp, b, &k));
    LETHE_TRY(make_families(ctx, tmp, b, &k, of));
    LETHE_TRY(number_with_clauses(ctx, a, b, of, shift, &out));
    if (out.n == b->n) return LETHE_OK; // none matters
    place_items(b, of, shift, &out);
    if (lethe_ctx_cancelled(ctx)) return LETHE_ECANCEL; // they are not all there
    LETHE_TRY(fill_sets(ctx, a, tmp, b, shift, &out));
    *b = out;
    return LETHE_OK;
}

lethe_err lethe_threats_clauses(lethe_ctx *ctx, lethe_arena *a, threats_base *b)
{
    lethe_arena *tmp = lethe_arena_new();
    lethe_err e = tmp ? add_clauses(ctx, a, tmp, b) : LETHE_ENOMEM;
    lethe_arena_free(tmp);
    return e;
}
