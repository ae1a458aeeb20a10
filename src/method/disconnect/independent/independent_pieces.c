/* SPDX-License-Identifier: Apache-2.0 */
/* independent_pieces.c - cuts the kernel into pieces that have no URL in common. */
#include "method/disconnect/independent/independent_internal.h"
#include <stdlib.h>

/* A set, while its piece is built. */
typedef struct member {
    uint64_t weight;
    uint32_t piece, class_of;
} member;

typedef struct cutter {
    const lethe_independent_kernel *r;
    uint32_t *parent;   /* of each URL: leads to the root of its piece */
    uint32_t *number;   /* of each root its piece; later of each URL its number in the piece */
    member *at;         /* the sets */
    uint32_t *n_urls;   /* of each piece so far */
    uint64_t n_entries; /* URLs of all sets */
} cutter;

static bool is_left(const lethe_independent_kernel *r, uint32_t c)
{
    return r->state[c] == LETHE_INDEPENDENT_OPEN && r->n_live[c] > 0;
}

#define EACH_LIVE(r, c, i)                                                                         \
    for (uint64_t i = (r)->g->url_start[(c)]; (i) < (r)->g->url_start[(c) + 1]; (i)++)             \
        if (lethe_independent_kernel_live((r), (r)->g->url[(i)]))

/* Joins the URLs, and numbers the pieces in the order of their first classes. */
static void join(cutter *k, lethe_independent_pieces *p)
{
    const lethe_independent_kernel *r = k->r;
    for (uint32_t u = 0; u < r->g->n_urls; u++) {
        k->parent[u] = u;
        k->number[u] = LETHE_NONE;
    }
    for (uint32_t c = 0; c < r->g->n_classes; c++) {
        if (!is_left(r, c)) continue;
        uint32_t first = LETHE_NONE;
        EACH_LIVE(r, c, i)
        {
            if (first == LETHE_NONE) first = r->g->url[i];
            lethe_independent_unite(k->parent, first, r->g->url[i]);
        }
        p->n_sets++;
        k->n_entries += r->n_live[c];
    }
}

static void list_sets(cutter *k, lethe_independent_pieces *p)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < k->r->g->n_classes; c++) {
        if (!is_left(k->r, c)) continue;
        uint64_t i = k->r->g->url_start[c];
        while (!lethe_independent_kernel_live(k->r, k->r->g->url[i]))
            i++;
        uint32_t root = lethe_independent_root(k->parent, k->r->g->url[i]);
        if (k->number[root] == LETHE_NONE) k->number[root] = p->n++;
        k->at[n++] = (member){k->r->weight[c], k->number[root], c};
    }
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b; // number of sets, then the piece's number reversed
    return (*x < *y) - (*x > *y);
}

/* Ranks the pieces by size, and fills first_set. */
static lethe_err rank_pieces(const cutter *k, lethe_independent_pieces *p, uint32_t *rank)
{
    uint64_t *size = lethe_alloc_zero(p->n, sizeof *size);
    if (!size) return LETHE_ENOMEM;
    for (uint32_t s = 0; s < p->n_sets; s++)
        size[k->at[s].piece] += (uint64_t)1 << 32;
    for (uint32_t i = 0; i < p->n; i++)
        size[i] |= UINT32_MAX - i;
    qsort(size, p->n, sizeof *size, by_size);
    p->first_set[0] = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        rank[UINT32_MAX - (uint32_t)size[i]] = i;
        p->first_set[i + 1] = p->first_set[i] + (uint32_t)(size[i] >> 32);
    }
    lethe_free(size);
    return LETHE_OK;
}

static int by_piece(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->piece != y->piece) return x->piece < y->piece ? -1 : 1;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->class_of > y->class_of) - (x->class_of < y->class_of);
}

/* Fills the sets in order, with their URLs, numbered within the piece as they come. */
static void fill_sets(cutter *k, lethe_independent_pieces *p)
{
    const lethe_independent_kernel *r = k->r;
    uint64_t n = 0;
    for (uint32_t u = 0; u < r->g->n_urls; u++)
        k->number[u] = LETHE_NONE;
    for (uint32_t s = 0; s < p->n_sets; s++) {
        const member *m = &k->at[s];
        p->class_of[s] = m->class_of;
        p->weight[s] = m->weight;
        p->url_start[s] = n;
        EACH_LIVE(r, m->class_of, i)
        {
            uint32_t u = r->g->url[i];
            if (k->number[u] == LETHE_NONE) k->number[u] = k->n_urls[m->piece]++;
            p->url[n++] = k->number[u];
        }
    }
    p->url_start[p->n_sets] = n;
}

/* Counts the sets of each URL, then fills them in order. */
static void fill_urls(lethe_independent_pieces *p)
{
    for (uint32_t u = 0; u <= p->n_urls; u++)
        p->set_start[u] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < p->n; i++) {
            uint64_t *start = p->set_start + p->first_url[i];
            for (uint32_t s = p->first_set[i]; s < p->first_set[i + 1]; s++) {
                for (uint64_t k = p->url_start[s]; k < p->url_start[s + 1]; k++) {
                    if (pass == 0)
                        start[p->url[k] + 1]++;
                    else
                        p->set[start[p->url[k]]++] = s - p->first_set[i];
                }
            }
        }
        for (uint32_t u = 0; pass == 0 && u < p->n_urls; u++)
            p->set_start[u + 1] += p->set_start[u];
    }
    for (uint32_t u = p->n_urls; u > 0; u--)
        p->set_start[u] = p->set_start[u - 1]; // each has moved to its end
    p->set_start[0] = 0;
}

static lethe_err cut(cutter *k, lethe_independent_pieces *p)
{
    k->at = lethe_alloc(p->n_sets, sizeof *k->at);
    if (!k->at) return LETHE_ENOMEM;
    list_sets(k, p);
    p->first_set = lethe_alloc((size_t)p->n + 1, sizeof *p->first_set);
    p->first_url = lethe_alloc((size_t)p->n + 1, sizeof *p->first_url);
    p->class_of = lethe_alloc(p->n_sets, sizeof *p->class_of);
    p->weight = lethe_alloc(p->n_sets, sizeof *p->weight);
    p->url_start = lethe_alloc((size_t)p->n_sets + 1, sizeof *p->url_start);
    p->url = lethe_alloc(k->n_entries, sizeof *p->url);
    p->set = lethe_alloc(k->n_entries, sizeof *p->set);
    k->n_urls = lethe_alloc_zero(p->n, sizeof *k->n_urls);
    if (!p->first_set || !p->first_url || !p->class_of || !p->weight || !p->url_start || !p->url ||
        !p->set || !k->n_urls)
        return LETHE_ENOMEM;
    LETHE_TRY(rank_pieces(k, p, k->n_urls));
    for (uint32_t s = 0; s < p->n_sets; s++)
        k->at[s].piece = k->n_urls[k->at[s].piece];
    memset(k->n_urls, 0, p->n * sizeof *k->n_urls);
    if (p->n_sets > 0) qsort(k->at, p->n_sets, sizeof *k->at, by_piece);
    fill_sets(k, p);
    p->first_url[0] = 0;
    for (uint32_t i = 0; i < p->n; i++)
        p->first_url[i + 1] = p->first_url[i] + k->n_urls[i];
    p->n_urls = p->first_url[p->n];
    p->set_start = lethe_alloc((size_t)p->n_urls + 1, sizeof *p->set_start);
    if (!p->set_start) return LETHE_ENOMEM;
    fill_urls(p);
    return LETHE_OK;
}

lethe_err lethe_independent_pieces_new(const lethe_independent_kernel *r,
                                       lethe_independent_pieces *out)
{
    lethe_independent_pieces p = {0};
    cutter k = {.r = r,
                .parent = lethe_alloc(r->g->n_urls, sizeof *k.parent),
                .number = lethe_alloc(r->g->n_urls, sizeof *k.number)};
    lethe_err e = k.parent && k.number ? LETHE_OK : LETHE_ENOMEM;
    if (e == LETHE_OK) {
        join(&k, &p);
        e = cut(&k, &p);
    }
    lethe_free(k.parent);
    lethe_free(k.number);
    lethe_free(k.at);
    lethe_free(k.n_urls);
    if (e == LETHE_OK)
        *out = p;
    else
        lethe_independent_pieces_free(&p);
    return e;
}

void lethe_independent_pieces_free(lethe_independent_pieces *p)
{
    void *const all[] = {p->first_set, p->first_url, p->class_of, p->weight,
                         p->url_start, p->set_start, p->url,      p->set};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    *p = (lethe_independent_pieces){0};
}

lethe_independent_piece lethe_independent_piece_at(const lethe_independent_pieces *p, uint32_t i)
{
    uint32_t s = p->first_set[i], u = p->first_url[i];
    return (lethe_independent_piece){.n = p->first_set[i + 1] - s,
                                     .n_urls = p->first_url[i + 1] - u,
                                     .weight = p->weight + s,
                                     .url_start = p->url_start + s,
                                     .url = p->url,
                                     .set_start = p->set_start + u,
                                     .set = p->set};
}
