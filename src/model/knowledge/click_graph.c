/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the graph of queries and clicked URLs, and its classes of queries with the same URLs, by
 * partition refinement. */
#include "model/knowledge/click_graph.h"
#include "core/mem.h"

/* A graph as it is made: the same arrays, to be written, and what is needed meanwhile. */
typedef struct builder {
    lethe_click_graph g; /* first: what callers see is this */
    lethe_arena *arena;  /* holds all of g's arrays */
    uint64_t *url_start, *class_start, *member_start;
    uint32_t *url, *class_of_url, *class_of, *member;
    uint64_t *start; /* n_urls + 1: into `query` */
    uint32_t *query; /* of each click, URL by URL */
} builder;

/* Sizes at [i + 1] become starts at [i]. */
static void add_up(uint64_t *start, size_t n)
{
    for (size_t i = 0; i < n; i++)
        start[i + 1] += start[i];
}

/* What scattering moved on to each list's end goes back to its start. */
static void move_back(uint64_t *start, size_t n)
{
    memmove(start + 1, start, n * sizeof *start);
    start[0] = 0;
}

/* --- classes --- */

/* Classes by refinement: at first all queries are one class; each URL parts those of a class that
 * have it from those that do not.  No hashing, so nothing depends on how the numbers fall. */
typedef struct refiner {
    struct part {
        uint32_t size;
        uint32_t url; /* the last that split it, + 1 */
        uint32_t to;  /* where its queries with that URL went */
    } * part;         /* n + 1: a part may empty only after its last query has got a new one */
    uint32_t *unused; /* emptied parts, for use again */
    size_t n_parts, n_unused;
    uint32_t *seen; /* the last URL of each query, + 1: clicks come more than once */
    uint32_t *of;   /* the part of each query */
} refiner;

static lethe_err find_classes(builder *b)
{
    size_t n = b->g.n;
    b->class_of = lethe_new(b->arena, uint32_t, n);
    refiner r = {.of = b->class_of,
                 .part = lethe_alloc(n + 1, sizeof *r.part),
                 .unused = lethe_alloc(n + 1, sizeof *r.unused),
                 .seen = lethe_alloc_zero(n, sizeof *r.seen)};
    bool ok = r.of && r.part && r.unused && r.seen;
    if (ok) {
        r.part[0] = (struct part){.size = b->g.n};
        r.n_parts = 1;
        for (uint32_t u = 0; u < b->g.n_urls; u++) {
            for (uint64_t i = b->start[u]; i < b->start[u + 1]; i++) {
                uint32_t q = b->query[i];
                if (r.seen[q] == u + 1) continue;
                r.seen[q] = u + 1;
                struct part *from = &r.part[r.of[q]];
                if (from->url != u + 1) {
                    from->url = u + 1;
                    from->to = r.n_unused > 0 ? r.unused[--r.n_unused] : (uint32_t)r.n_parts++;
                    r.part[from->to] = (struct part){0};
                }
                uint32_t to = from->to;
                r.part[to].size++;
                if (--from->size == 0) r.unused[r.n_unused++] = r.of[q];
                r.of[q] = to;
            }
        }
        // Parts get numbers in the order of their first queries; `to` holds them, + 1.
        for (size_t p = 0; p < r.n_parts; p++)
            r.part[p].to = 0;
        for (uint32_t q = 0; q < b->g.n; q++) {
            struct part *p = &r.part[r.of[q]];
            if (p->to == 0) p->to = ++b->g.n_classes;
            r.of[q] = p->to - 1;
        }
    }
    lethe_free_all(r.part, r.unused, r.seen);
    return ok ? LETHE_OK : LETHE_ENOMEM;
}

/* --- classes and URLs --- */

/* Each class's first query stands for it.  With url NULL URLs are counted at [class + 1], else
 * written, url_start moving on.  `last` of each class: the last URL, + 1. */
static void walk_urls(builder *b, uint32_t *last)
{
    memset(last, 0, b->g.n_classes * sizeof *last);
    for (uint32_t u = 0; u < b->g.n_urls; u++) {
        for (uint64_t i = b->start[u]; i < b->start[u + 1]; i++) {
            uint32_t q = b->query[i], c = b->class_of[q];
            if (b->member[b->member_start[c]] != q || last[c] == u + 1) continue;
            last[c] = u + 1;
            if (b->url)
                b->url[b->url_start[c]++] = u;
            else
                b->url_start[c + 1]++;
        }
    }
}

static lethe_err list_urls(builder *b)
{
    uint32_t *last = lethe_alloc(b->g.n_classes, sizeof *last);
    b->url_start = lethe_new(b->arena, uint64_t, (size_t)b->g.n_classes + 1);
    if (last && b->url_start) {
        walk_urls(b, last);
        add_up(b->url_start, b->g.n_classes);
        b->url = lethe_new(b->arena, uint32_t, b->url_start[b->g.n_classes]);
        if (b->url) {
            walk_urls(b, last);
            move_back(b->url_start, b->g.n_classes);
        }
    }
    lethe_free(last);
    return b->url ? LETHE_OK : LETHE_ENOMEM;
}

/* --- all --- */

static void forget_clicks(builder *b)
{
    lethe_free_all(b->query, b->start);
    b->query = NULL;
    b->start = NULL;
}

static lethe_err build(builder *b, const lethe_click *click, size_t n_clicks)
{
    // the clicks' queries, URL by URL
    b->start = lethe_alloc_zero((size_t)b->g.n_urls + 1, sizeof *b->start);
    b->query = lethe_alloc(n_clicks, sizeof *b->query);
    if (!b->start || !b->query) return LETHE_ENOMEM;
    for (size_t i = 0; i < n_clicks; i++) {
        assert(click[i].query < b->g.n && click[i].url < b->g.n_urls);
        b->start[click[i].url + 1]++;
    }
    add_up(b->start, b->g.n_urls);
    for (size_t i = 0; i < n_clicks; i++)
        b->query[b->start[click[i].url]++] = click[i].query;
    move_back(b->start, b->g.n_urls);
    LETHE_TRY(find_classes(b));
    // the queries of each class
    b->member_start = lethe_new(b->arena, uint64_t, (size_t)b->g.n_classes + 1);
    b->member = lethe_new(b->arena, uint32_t, b->g.n);
    if (!b->member_start || !b->member) return LETHE_ENOMEM;
    for (uint32_t q = 0; q < b->g.n; q++)
        b->member_start[b->class_of[q] + 1]++;
    add_up(b->member_start, b->g.n_classes);
    for (uint32_t q = 0; q < b->g.n; q++)
        b->member[b->member_start[b->class_of[q]]++] = q;
    move_back(b->member_start, b->g.n_classes);
    LETHE_TRY(list_urls(b));
    forget_clicks(b);
    // the classes of each URL
    uint64_t n = b->url_start[b->g.n_classes];
    b->class_start = lethe_new(b->arena, uint64_t, (size_t)b->g.n_urls + 1);
    b->class_of_url = lethe_new(b->arena, uint32_t, n);
    if (!b->class_start || !b->class_of_url) return LETHE_ENOMEM;
    for (uint64_t i = 0; i < n; i++)
        b->class_start[b->url[i] + 1]++;
    add_up(b->class_start, b->g.n_urls);
    for (uint32_t c = 0; c < b->g.n_classes; c++)
        for (uint64_t i = b->url_start[c]; i < b->url_start[c + 1]; i++)
            b->class_of_url[b->class_start[b->url[i]]++] = c;
    move_back(b->class_start, b->g.n_urls);
    return LETHE_OK;
}

lethe_err lethe_click_graph_new(const lethe_click *click, size_t n_clicks, uint32_t n_queries,
                                uint32_t n_urls, lethe_click_graph **out)
{
    builder *b = lethe_alloc_zero(1, sizeof *b);
    if (!b) return LETHE_ENOMEM;
    b->g.n = n_queries;
    b->g.n_urls = n_urls;
    b->arena = lethe_arena_new();
    lethe_err e = b->arena ? build(b, click, n_clicks) : LETHE_ENOMEM;
    forget_clicks(b);
    if (e != LETHE_OK) {
        lethe_click_graph_free(&b->g);
        return e;
    }
    b->g.url_start = b->url_start;
    b->g.url = b->url;
    b->g.class_start = b->class_start;
    b->g.class_of_url = b->class_of_url;
    b->g.class_of = b->class_of;
    b->g.member_start = b->member_start;
    b->g.member = b->member;
    *out = &b->g;
    return LETHE_OK;
}

void lethe_click_graph_free(lethe_click_graph *g)
{
    if (!g) return;
    builder *b = (builder *)(void *)g;
    lethe_arena_free(b->arena);
    lethe_free(b);
}
