/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary.c - Algorithm 5.1: groups of k filled with the nearest vocabulary, then the rest
 * placed (vocabulary.h). */
#include "method/cluster/ssg/vocabulary.h"
#include "method/cluster/clump/ancestors.h"
#include "method/cluster/ssg/vocabulary_search.h"
#include "core/sort.h"
#include <stdlib.h>

enum { CHANGED = 64 }; /* centres that may change until the search is built anew */

struct group {
    uint32_t *centre;
    uint32_t n, room;
    uint32_t last; /* the record that joined last; the others by h->before */
    bool changed;  /* its centre has changed since the search was built */
};

struct work {
    lethe_ctx *ctx;
    const lethe_ssg_options *how;
    lethe_ssg_groups *out;
    lethe_hyper_work *match; /* one for each thread */
    unsigned n_threads;
    lethe_ssg_neighbourhoods *neighbours;
    lethe_ssg_search *search;
    bool several;     /* a person has several records */
    uint32_t *order;  /* records by size */
    uint32_t *before; /* of each record, the one that joined before it; LETHE_NONE: none */
    uint32_t *met;    /* of each person: 1 + the number of the last group it joined */
    struct group *group;
    uint32_t n_most;       /* most groups */
    const uint32_t **term; /* candidates of the search */
    uint32_t *size, *person;
    uint32_t changed[CHANGED];
    uint32_t n_changed;
};

/* --- records --- */

lethe_err lethe_ssg_terms(const lethe_records *r, uint32_t **out, size_t *n)
{
    size_t n_items = r->n ? r->start[r->n] : 0, n_terms = 0;
    uint32_t *term = lethe_alloc(n_items, sizeof *term);
    if (!term) return LETHE_ENOMEM;
    if (n_items > 0) {
        memcpy(term, r->item, n_items * sizeof *term);
        qsort(term, n_items, sizeof *term, lethe_u32_cmp);
    }
    for (size_t i = 0; i < n_items; i++)
        if (i == 0 || term[i] != term[n_terms - 1]) term[n_terms++] = term[i];
    *out = term;
    *n = n_terms;
    return LETHE_OK;
}

static const uint32_t *terms_of(const struct work *h, uint32_t record)
{
    return h->how->records->item + h->how->records->start[record];
}

static uint32_t size_of(const struct work *h, uint32_t record)
{
    return (uint32_t)lethe_record_size(h->how->records, record);
}

/* --- groups --- */

static lethe_err join(struct work *h, uint32_t g, uint32_t record)
{
    lethe_hyper *hyper = &h->out->hyper[g];
    struct group *group = &h->group[g];
    bool same = hyper->n_records > 0;
    LETHE_TRY(lethe_hyper_join(hyper, &h->match[0], terms_of(h, record), size_of(h, record)));
    if (hyper->n > group->room) { // only the first: a centre does not grow
        group->centre = lethe_alloc(hyper->n, sizeof *group->centre);
        if (!group->centre) return LETHE_ENOMEM;
        group->room = hyper->n;
    }
    same = same && group->n == hyper->n;
    group->n = hyper->n;
    for (uint32_t i = 0; i < hyper->n; i++) {
        uint32_t term = lethe_hyper_elect(hyper, i);
        same = same && group->centre[i] == term;
        group->centre[i] = term;
    }
    h->before[record] = group->last;
    group->last = record;
    group->changed = group->changed || !same;
    h->out->group[record] = g;
    if (h->several) h->met[h->how->records->owner[record]] = g + 1;
    lethe_ctx_advance(h->ctx, 1);
    return LETHE_OK;
}

/* Algorithm 5.1, lines 2 to 6.  *full: it holds k persons. */
static lethe_err fill_group(struct work *h, uint32_t g, size_t *n_left, bool *full)
{
    uint32_t next = lethe_ssg_search_first(h->search);
    lethe_assign_cost price;
    for (uint64_t n = 0; n < h->how->k && next != LETHE_NONE; n++) {
        lethe_ssg_search_remove(h->search, next);
        LETHE_TRY(join(h, g, h->order[next]));
        --*n_left;
        *full = n + 1 == h->how->k;
        if (*full) break;
        lethe_ssg_query q = {.term = h->group[g].centre,
                             .n = h->group[g].n,
                             .met = h->several ? h->met : NULL,
                             .now = g + 1,
                             .hyper = h->how->by_members ? &h->out->hyper[g] : NULL};
        LETHE_TRY(lethe_ssg_search_nearest(h->search, &q, &next, &price, &h->out->pairs));
        h->out->pairs_all += *n_left;
    }
    return LETHE_OK;
}

static lethe_err make_groups(struct work *h)
{
    const lethe_records *r = h->how->records;
    size_t n_left = r->n;
    for (size_t i = 0; i < r->n; i++) {
        h->term[i] = terms_of(h, h->order[i]);
        h->size[i] = size_of(h, h->order[i]);
        h->person[i] = r->owner[h->order[i]];
    }
    lethe_ssg_candidates c = {r->n, h->term, h->size, h->several ? h->person : NULL};
    LETHE_TRY(lethe_ssg_search_new(h->ctx, h->match, h->neighbours, &c, &h->search));
    for (bool full = true; full && h->out->n < h->n_most;) {
        uint32_t g = h->out->n;
        full = false;
        LETHE_TRY(fill_group(h, g, &n_left, &full));
        h->out->n += full;
        if (full && lethe_ctx_cancelled(h->ctx)) return LETHE_ECANCEL;
        if (full) continue;
        for (uint32_t i = h->group[g].last; i != LETHE_NONE; i = h->before[i])
            h->out->group[i] = LETHE_NONE; // dissolved
        lethe_free(h->group[g].centre);
        lethe_hyper_free(&h->out->hyper[g]);
        h->group[g] = (struct group){.last = LETHE_NONE};
    }
    lethe_ssg_search_free(h->search);
    h->search = NULL;
    return LETHE_OK;
}

/* --- what is left --- */

/* Lines 9 and 10. */
static lethe_err place_record(struct work *h, uint32_t record)
{
    uint32_t g = LETHE_NONE, size = size_of(h, record);
    lethe_assign_cost best = LETHE_ASSIGN_COST_ANY, price;
    lethe_assign_omega omega = h->how->matcher.omega;
    lethe_ssg_query q = {.term = terms_of(h, record), .n = size, .is_record = true};
    if (!h->search || h->n_changed == CHANGED) {
        lethe_ssg_search_free(h->search);
        h->search = NULL;
        h->n_changed = 0;
        for (uint32_t i = 0; i < h->out->n; i++) {
            h->term[i] = h->group[i].centre;
            h->size[i] = h->group[i].n;
            h->group[i].changed = false;
        }
        lethe_ssg_candidates c = {h->out->n, h->term, h->size, NULL};
        LETHE_TRY(lethe_ssg_search_new(h->ctx, h->match, h->neighbours, &c, &h->search));
    }
    LETHE_TRY(lethe_ssg_search_nearest(h->search, &q, &g, &best, &h->out->pairs));
    // groups whose centres have changed since the search was built are examined one by one
    for (uint32_t i = 0; i < h->n_changed; i++) {
        uint32_t other = h->changed[i];
        const struct group *group = &h->group[other];
        uint64_t gap = size > group->n ? size - group->n : group->n - size;
        bool within = false;
        bool dearer =
            omega.kind == LETHE_ASSIGN_OMEGA_OVER // any centre of that size
                ? gap > best.unmatched
                : omega.kind != LETHE_ASSIGN_OMEGA_NONE && gap * omega.value > best.weight;
        if (dearer) continue;
        LETHE_TRY(lethe_hyper_bag_price(&h->match[0], group->centre, group->n, q.term, size, best,
                                        &price, &within));
        h->out->pairs++;
        int c = within ? lethe_assign_cost_cmp(price, best) : 1;
        if (c > 0 || (c == 0 && other > g)) continue;
        best = price;
        g = other;
    }
    h->out->pairs_all += h->out->n;
    bool known = h->group[g].changed;
    LETHE_TRY(join(h, g, record));
    if (h->group[g].changed && !known) {
        lethe_ssg_search_remove(h->search, g);
        h->changed[h->n_changed++] = g;
    }
    return lethe_ctx_cancelled(h->ctx) ? LETHE_ECANCEL : LETHE_OK;
}

/* --- all of it --- */

static lethe_err reserve(struct work *h)
{
    const lethe_records *r = h->how->records;
    h->n_threads = lethe_ctx_threads(h->ctx);
    h->match = lethe_alloc_zero(h->n_threads, sizeof *h->match);
    h->group = lethe_alloc_zero(h->n_most, sizeof *h->group);
    h->out->hyper = lethe_alloc_zero(h->n_most, sizeof *h->out->hyper);
    h->term = lethe_alloc(r->n, sizeof *h->term);
    h->met = lethe_alloc_zero(r->n_owners, sizeof *h->met);
    uint32_t **const arrays[] = {&h->order, &h->before, &h->size, &h->person, &h->out->group};
    for (size_t i = 0; i < LETHE_COUNT(arrays); i++) {
        *arrays[i] = lethe_alloc(r->n, sizeof **arrays[i]);
        if (!*arrays[i]) return LETHE_ENOMEM;
    }
    if (!h->match || !h->group || !h->out->hyper || !h->term || !h->met) return LETHE_ENOMEM;
    for (size_t i = 0; i < r->n; i++)
        h->out->group[i] = LETHE_NONE;
    for (uint32_t g = 0; g < h->n_most; g++)
        h->group[g].last = LETHE_NONE;
    for (unsigned w = 0; w < h->n_threads; w++)
        LETHE_TRY(lethe_hyper_work_begin(&h->match[w], &h->how->matcher));
    return LETHE_OK;
}

static lethe_err run_phases(struct work *h)
{
    const lethe_records *r = h->how->records;
    uint32_t *terms = NULL;
    size_t n_terms = 0;
    h->several = !h->how->each && r->n_owners < r->n;
    h->n_most = (uint32_t)(r->n / h->how->k);
    if (h->several) {
        uint64_t *records_of = lethe_alloc_zero(r->n_owners, sizeof *records_of);
        if (!records_of) return LETHE_ENOMEM;
        for (size_t i = 0; i < r->n; i++)
            records_of[r->owner[i]]++;
        h->n_most = (uint32_t)lethe_clump_most_groups(records_of, r->n_owners, h->how->k);
        lethe_free(records_of);
    }
    LETHE_TRY(reserve(h));
    LETHE_TRY(lethe_ssg_terms(r, &terms, &n_terms));
    lethe_err err =
        lethe_ssg_neighbourhoods_new(h->how->matcher.meaning, terms, n_terms, &h->neighbours);
    lethe_free(terms);
    uint64_t *key = err == LETHE_OK ? lethe_alloc(r->n, sizeof *key) : NULL;
    if (!key) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < r->n; i++)
        key[i] = (uint64_t)size_of(h, i) << 32 | i;
    if (r->n > 0) qsort(key, r->n, sizeof *key, lethe_u64_cmp);
    for (size_t i = 0; i < r->n; i++)
        h->order[i] = (uint32_t)key[i];
    lethe_free(key);
    lethe_ctx_phase(h->ctx, "clusters", r->n);
    LETHE_TRY(make_groups(h));
    h->several = false; // all groups are full: persons do not matter any more
    for (size_t i = 0; i < r->n; i++)
        if (h->out->group[h->order[i]] == LETHE_NONE) LETHE_TRY(place_record(h, h->order[i]));
    // the members of each group: they are chained from the last to the first
    lethe_ssg_groups *out = h->out;
    uint32_t at = 0;
    out->first = lethe_alloc((size_t)out->n + 1, sizeof *out->first);
    out->member = lethe_alloc(r->n, sizeof *out->member);
    if (!out->first || !out->member) return LETHE_ENOMEM;
    for (uint32_t g = 0; g < out->n; g++) {
        out->first[g] = at;
        at += out->hyper[g].n_records;
        uint32_t end = at;
        for (uint32_t i = h->group[g].last; i != LETHE_NONE; i = h->before[i])
            out->member[--end] = i;
    }
    out->first[out->n] = at;
    return LETHE_OK;
}

lethe_err lethe_ssg_run(lethe_ctx *ctx, const lethe_ssg_options *how, lethe_ssg_groups *out)
{
    lethe_ssg_groups made = {0};
    struct work h = {.ctx = ctx, .how = how, .out = &made};
    lethe_err err = run_phases(&h);
    for (unsigned w = 0; h.match && w < h.n_threads; w++)
        lethe_hyper_work_end(&h.match[w]);
    for (uint32_t g = 0; h.group && g < h.n_most; g++)
        lethe_free(h.group[g].centre);
    for (uint32_t g = made.n; made.hyper && g < h.n_most; g++)
        lethe_hyper_free(&made.hyper[g]); // one that was being filled on failure
    void *const all[] = {h.match, h.group, h.order, h.before, h.met, h.term, h.size, h.person};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    lethe_ssg_search_free(h.search);
    lethe_ssg_neighbourhoods_free(h.neighbours);
    if (err == LETHE_OK) {
        *out = made;
        return LETHE_OK;
    }
    lethe_ssg_groups_free(&made);
    lethe_diag *d = lethe_ctx_diag(ctx);
    if (err == LETHE_ENOMEM) return lethe_no_memory(d);
    if (err == LETHE_EINPUT)
        return lethe_fail(d, err, "two vocabularies have too many pairs of terms to be matched");
    return err;
}

void lethe_ssg_groups_free(lethe_ssg_groups *g)
{
    for (uint32_t i = 0; g->hyper && i < g->n; i++)
        lethe_hyper_free(&g->hyper[i]);
    lethe_free(g->group);
    lethe_free(g->first);
    lethe_free(g->member);
    lethe_free(g->hyper);
    *g = (lethe_ssg_groups){0};
}
