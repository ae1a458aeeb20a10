/* threats_clauses.c - knowledge that no item says: that one of two or three children of a node is
 * there (strict).  Such a clause is an item of its own, which a set has if it has one of them. */
#include "algo/threats_internal.h"

/* Clauses of one node, while they are made. */
typedef struct family {
    uint32_t node;       /* the item whose children they join */
    uint32_t n;          /* children: kid[] */
    const uint32_t *kid; /* ascending */
    uint64_t *together;  /* n x n bits: does a set have both? */
    uint32_t *pair;      /* n x n: the clause of both, or LETHE_NONE */
} family;

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

static lethe_err kids_make(lethe_arena *tmp, const threats_base *b, kids *k)
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

/* Notes for each set which children of the same node it has together. */
static void note_set(const threats_base *b, const kids *k, uint32_t set, family *of, uint32_t *some)
{
    const uint32_t *item = b->sets.item + b->sets.start[set];
    uint32_t n = (uint32_t)(b->sets.start[set + 1] - b->sets.start[set]);
    for (uint32_t i = 0; i < n; i++) {
        family *f = &of[item[i]];
        uint32_t n_some = 0;
        for (uint32_t x = i + 1; f->n >= 3 && x < n && item[x] < b->end[item[i]]; x++)
            if (b->up[item[x]] == item[i]) some[n_some++] = k->place[item[x]];
        for (uint32_t x = 0; x < n_some; x++) {
            for (uint32_t y = 0; y < n_some; y++) {
                size_t at = (size_t)some[x] * f->n + some[y];
                f->together[at / 64] |= (uint64_t)1 << at % 64;
            }
        }
    }
}

/* --- numbering --- */

/* Calls for each clause of a family; with `out` NULL they are counted only.  Items are numbered as
 * before, and to be shifted. */
static uint64_t family_clauses(const family *f, threats_part *out, uint32_t first)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        for (uint32_t k = i + 1; k < f->n; k++) {
            if (!together(f, i, k)) continue;
            if (out) {
                out[n] = (threats_part){2, {f->kid[i], f->kid[k]}, {0}};
                f->pair[(size_t)i * f->n + k] = first + (uint32_t)n;
            }
            n++;
        }
    }
    for (uint32_t i = 0; f->n > 3 && i < f->n; i++) {
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

static lethe_err families(lethe_arena *tmp, const threats_base *b, const kids *k, family *of)
{
    uint32_t *some = lethe_new(tmp, uint32_t, b->n);
    if (!some) return LETHE_ENOMEM;
    for (uint32_t j = 0; j < b->n; j++) {
        family *f = &of[j];
        *f = (family){.node = j, .n = k->at[j + 1] - k->at[j], .kid = k->kid + k->at[j]};
        if (f->n < 3) continue; // of two, one of them is there if their node is
        f->together = lethe_new(tmp, uint64_t, (size_t)f->n * f->n / 64 + 1);
        f->pair = lethe_new(tmp, uint32_t, (size_t)f->n * f->n);
        if (!f->together || !f->pair) return LETHE_ENOMEM;
        for (size_t i = 0; i < (size_t)f->n * f->n; i++)
            f->pair[i] = LETHE_NONE;
    }
    for (uint32_t set = 0; set < b->sets.n; set++)
        note_set(b, k, set, of, some);
    return LETHE_OK;
}

/* Room for b with clauses; shift[j] is the new number of item j. */
static lethe_err number(lethe_arena *a, const threats_base *b, family *of, uint32_t *shift,
                        threats_base *out)
{
    uint64_t n = 0;
    for (uint32_t j = 0; j < b->n; j++) {
        shift[j] = (uint32_t)n;
        n += 1 + (of[j].n >= 3 ? family_clauses(&of[j], NULL, 0) : 0);
        if (n >= LETHE_NONE) return LETHE_ENOMEM;
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

/* Set i with the clauses that it satisfies; returns how many items that are.  in[] is zero before
 * and after. */
static uint64_t fill_set(const threats_base *b, const threats_base *out, const uint32_t *shift,
                         uint32_t i, uint8_t *in, uint32_t *to)
{
    uint64_t n = 0;
    for (uint64_t x = b->sets.start[i]; x < b->sets.start[i + 1]; x++)
        in[shift[b->sets.item[x]]] = 1;
    for (uint64_t x = b->sets.start[i]; x < b->sets.start[i + 1]; x++) {
        uint32_t at = shift[b->sets.item[x]];
        if (to) to[n] = at;
        n++;
        for (uint32_t c = at + 1; c < out->n && out->node[c] == LETHE_NONE; c++) {
            const threats_part *p = &out->parts[c];
            if (!in[p->item[0]] && !in[p->item[1]] && !(p->n == 3 && in[p->item[2]])) continue;
            if (to) to[n] = c;
            n++;
        }
    }
    for (uint64_t x = b->sets.start[i]; x < b->sets.start[i + 1]; x++)
        in[shift[b->sets.item[x]]] = 0;
    return n;
}

static lethe_err fill(lethe_arena *a, lethe_arena *tmp, const threats_base *b,
                      const uint32_t *shift, threats_base *out)
{
    uint8_t *in = lethe_new(tmp, uint8_t, out->n);
    threats_rows *s = &out->sets;
    s->start = lethe_new(a, uint64_t, (size_t)s->n + 1);
    if (!in || !s->start) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < s->n; i++)
        s->start[i + 1] = s->start[i] + fill_set(b, out, shift, i, in, NULL);
    s->item = lethe_new(a, uint32_t, s->start[s->n]);
    if (!s->item) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < s->n; i++)
        fill_set(b, out, shift, i, in, s->item + s->start[i]);
    return LETHE_OK;
}

static lethe_err join(lethe_arena *a, lethe_arena *tmp, threats_base *b)
{
    kids k;
    threats_base out;
    family *of = lethe_new(tmp, family, b->n);
    uint32_t *shift = lethe_new(tmp, uint32_t, b->n);
    if (!of || !shift) return LETHE_ENOMEM;
    LETHE_TRY(kids_make(tmp, b, &k));
    LETHE_TRY(families(tmp, b, &k, of));
    LETHE_TRY(number(a, b, of, shift, &out));
    if (out.n == b->n) return LETHE_OK; // none matters
    place_items(b, of, shift, &out);
    LETHE_TRY(fill(a, tmp, b, shift, &out));
    *b = out;
    return LETHE_OK;
}

lethe_err lethe_threats_clauses(lethe_arena *a, threats_base *b)
{
    lethe_arena *tmp = lethe_arena_new();
    lethe_err e = tmp ? join(a, tmp, b) : LETHE_ENOMEM;
    lethe_arena_free(tmp);
    return e;
}
