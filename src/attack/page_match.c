/* SPDX-License-Identifier: Apache-2.0 */
/* page_match.c - compares the published clicks of a text with the original's clicks page by page,
 * those with the most clicks first. */
#include "attack/page_match.h"
#include "model/log/log.h"
#include <stdlib.h>

struct seen {
    lethe_page_site page;
    uint32_t rank;
    uint64_t n;
};

/* A page: from there on in `seen`. */
struct group {
    size_t from;
    uint64_t n;
};

struct ranked {
    uint32_t rank;
    uint64_t n;
};

static struct seen *seen_of(const lethe_buf *b) { return (struct seen *)(void *)b->at; }
static size_t n_seen(const lethe_buf *b) { return b->n / sizeof(struct seen); }
static struct group *groups_of(const lethe_page_match *f)
{
    return (struct group *)(void *)f->groups.at;
}
static size_t n_groups(const lethe_page_match *f) { return f->groups.n / sizeof(struct group); }
static struct ranked *clicks_of(const lethe_page_match *f)
{
    return (struct ranked *)(void *)f->clicks.at;
}
static size_t n_clicks(const lethe_page_match *f) { return f->clicks.n / sizeof(struct ranked); }
static size_t n_fits(const lethe_page_match *f) { return f->fits.n / sizeof(lethe_page_site); }

/* --- the clicks --- */

void lethe_page_match_begin(lethe_page_match *f, bool whole)
{
    f->whole = whole;
    f->seen.n = f->groups.n = f->ranks.n = f->clicks.n = 0;
}

lethe_err lethe_page_match_original(lethe_page_match *f, lethe_page_site page, uint32_t rank,
                                    uint64_t n)
{
    struct seen s = {page, rank, n};
    size_t before = n_seen(&f->seen);
    struct seen *last = before ? seen_of(&f->seen) + before - 1 : NULL;
    if (!last || last->page.page != page.page || last->rank != rank)
        return lethe_buf_put(&f->seen, &s, sizeof s);
    last->n += n;
    return LETHE_OK;
}

lethe_err lethe_page_match_click(lethe_page_match *f, uint32_t rank)
{
    struct ranked r = {rank, 1}, *last = n_clicks(f) ? clicks_of(f) + n_clicks(f) - 1 : NULL;
    if (!last || last->rank != rank) return lethe_buf_put(&f->clicks, &r, sizeof r);
    last->n++;
    return LETHE_OK;
}

static int by_most(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->from > y->from) - (x->from < y->from);
}

static int by_rank(const void *a, const void *b)
{
    const struct seen *x = a, *y = b;
    if (x->rank != y->rank) return (x->rank > y->rank) - (x->rank < y->rank);
    if (x->n != y->n) return (x->n < y->n) - (x->n > y->n);
    return (x->page.page > y->page.page) - (x->page.page < y->page.page);
}

static int by_page(const void *a, const void *b)
{
    uint32_t x = ((const lethe_page_site *)a)->page, y = ((const lethe_page_site *)b)->page;
    return (x > y) - (x < y);
}

/* Puts the original's clicks in order, once for a text. */
static lethe_err seen_settle(lethe_page_match *f)
{
    const struct seen *s = seen_of(&f->seen);
    size_t n = n_seen(&f->seen);
    if (f->groups.n > 0) return LETHE_OK;
    for (size_t i = 0; i < n; i++) {
        struct group g = {i, s[i].n}, *last = n_groups(f) ? groups_of(f) + n_groups(f) - 1 : NULL;
        if (last && s[last->from].page.page == s[i].page.page) {
            last->n += s[i].n;
        } else {
            LETHE_TRY(lethe_buf_put(&f->groups, &g, sizeof g));
        }
    }
    qsort(f->groups.at, n_groups(f), sizeof(struct group), by_most);
    LETHE_TRY(lethe_buf_put(&f->ranks, s, n * sizeof *s));
    qsort(f->ranks.at, n, sizeof *s, by_rank);
    return LETHE_OK;
}

/* --- what fits --- */

/* Where in `ranks` those with more than `n` clicks at the rank end. */
static size_t ranks_find(const lethe_page_match *f, uint32_t rank, uint64_t n)
{
    const struct seen *s = seen_of(&f->ranks);
    size_t low = 0, high = n_seen(&f->ranks);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s[middle].rank < rank || (s[middle].rank == rank && s[middle].n > n))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Those of `ranks` with as many clicks at a rank: [from, to). */
struct range {
    size_t from, to;
};

static struct range range_of(const lethe_page_match *f, const struct ranked *r)
{
    return (struct range){ranks_find(f, r->rank, UINT64_MAX), ranks_find(f, r->rank, r->n - 1)};
}

/* The first of `seen` of a page. */
static size_t seen_find(const lethe_page_match *f, uint32_t page)
{
    const struct seen *s = seen_of(&f->seen);
    size_t low = 0, high = n_seen(&f->seen);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s[middle].page.page < page)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool page_fits(const lethe_page_match *f, uint32_t page, uint64_t total)
{
    const struct seen *s = seen_of(&f->seen) + seen_find(f, page),
                      *end = seen_of(&f->seen) + n_seen(&f->seen);
    const struct ranked *r = clicks_of(f), *last = r + n_clicks(f);
    uint64_t n = 0;
    for (; s < end && s->page.page == page; s++) {
        n += s->n;
        if (r == last || r->rank == LETHE_NO_RANK || r->rank > s->rank) continue;
        if (r->rank < s->rank || r->n > s->n) return false;
        r++;
    }
    return (f->whole ? n == total : n >= total) && (r == last || r->rank == LETHE_NO_RANK);
}

/* Looks at the pages of the rank that fewest have. */
static lethe_err fits_by_rank(lethe_page_match *f, uint64_t total)
{
    const struct ranked *r = clicks_of(f);
    struct range best = range_of(f, r);
    for (size_t i = 1; i < n_clicks(f) && r[i].rank != LETHE_NO_RANK; i++) {
        struct range other = range_of(f, r + i);
        if (other.to - other.from < best.to - best.from) best = other;
    }
    for (size_t i = best.from; i < best.to && n_fits(f) <= LETHE_PAGE_MATCHES_MAX; i++) {
        const struct seen *s = seen_of(&f->ranks) + i;
        if (page_fits(f, s->page.page, total))
            LETHE_TRY(lethe_buf_put(&f->fits, &s->page, sizeof s->page));
    }
    return LETHE_OK;
}

lethe_err lethe_page_match_find(lethe_page_match *f, const lethe_page_site **fits, size_t *n,
                                bool *says)
{
    uint64_t total = 0;
    *n = f->fits.n = 0;
    *says = false;
    bool any = n_clicks(f) > 0 && n_seen(&f->seen) > 0;
    if (any) {
        for (size_t i = 0; i < n_clicks(f); i++)
            total += clicks_of(f)[i].n;
        LETHE_TRY(seen_settle(f));
        bool ranks = clicks_of(f)[0].rank != LETHE_NO_RANK;
        if (ranks) LETHE_TRY(fits_by_rank(f, total));
        const struct group *g = groups_of(f), *end = g + n_groups(f);
        for (; !ranks && g < end && g->n >= total && n_fits(f) <= LETHE_PAGE_MATCHES_MAX; g++) {
            if (f->whole && g->n > total) continue;
            LETHE_TRY(lethe_buf_put(&f->fits, &seen_of(&f->seen)[g->from].page,
                                    sizeof(lethe_page_site))); // without ranks any click will do
        }
    }
    f->clicks.n = 0;
    if (!any || n_fits(f) > LETHE_PAGE_MATCHES_MAX) return LETHE_OK;
    if (n_fits(f) > 1) qsort(f->fits.at, n_fits(f), sizeof(lethe_page_site), by_page);
    *fits = (const lethe_page_site *)(const void *)f->fits.at;
    *n = n_fits(f);
    *says = true;
    return LETHE_OK;
}

void lethe_page_match_free(lethe_page_match *f)
{
    lethe_buf *const bufs[] = {&f->seen, &f->groups, &f->ranks, &f->clicks, &f->fits};
    for (size_t i = 0; i < LETHE_COUNT(bufs); i++)
        lethe_buf_free(bufs[i]);
}
