/* SPDX-License-Identifier: Apache-2.0 */
/* classify.c - looks terms up in the directory, in batches on all threads, and counts categories by
 * user. */
#include "method/microagg/classify.h"
#include "text/words.h"
#include "core/sort.h"
#include <stdlib.h>

enum {
    TERMS_AT_ONCE = 256,  /* looked up by one worker as a batch */
    CATEGORIES_FIRST = 64 /* initial room for the categories of a term */
};

/* --- terms --- */

static lethe_err read_terms(lethe_classes *c, const lethe_dict *texts, lethe_dict *dict)
{
    lethe_buf terms = {0};
    lethe_err err = LETHE_OK;
    lethe_word word;
    uint32_t id;
    c->term_start = lethe_alloc((size_t)c->n_texts + 1, sizeof *c->term_start);
    if (!c->term_start) return LETHE_ENOMEM;
    c->term_start[0] = 0;
    for (uint32_t i = 0; i < c->n_texts && err == LETHE_OK; i++) {
        lethe_words words = lethe_words_of(lethe_dict_at(texts, i));
        while (err == LETHE_OK && lethe_words_next(&words, &word)) {
            if (word.mask) continue;
            err = lethe_dict_add(dict, word.text, &id);
            if (err == LETHE_OK) err = lethe_buf_put(&terms, &id, sizeof id);
        }
        c->term_start[i + 1] = terms.n / sizeof *c->term;
    }
    c->term = (uint32_t *)(void *)terms.at; // freed with `c`, also after a failure
    c->n_terms = lethe_dict_count(dict);
    return err;
}

/* --- categories of terms --- */

struct batch {
    uint32_t *category;
    uint32_t n[TERMS_AT_ONCE]; /* of each term */
    size_t all;
};

struct lookup {
    lethe_ctx *ctx;
    lethe_classes *c;
    const lethe_dict *terms;
    size_t most;
    struct batch *batches;
    lethe_buf *found; /* of each worker */
};

/* Looks up one batch of terms. */
static lethe_err look_up_batch(void *arg, size_t i, unsigned w)
{
    struct lookup *l = arg;
    struct batch *b = &l->batches[i];
    lethe_buf *buf = &l->found[w];
    size_t first = i * TERMS_AT_ONCE, end = LETHE_MIN(first + TERMS_AT_ONCE, l->c->n_terms);
    for (size_t term = first; term < end; term++) {
        lethe_str text = lethe_dict_at(l->terms, (uint32_t)term);
        uint32_t *found;
        size_t n, room = LETHE_MIN(l->most, CATEGORIES_FIRST);
        for (;; room = LETHE_MIN(l->most, 2 * room)) { // double the room until all fit
            buf->n = 0;
            LETHE_TRY(lethe_buf_reserve(buf, room * sizeof *found));
            found = (uint32_t *)(void *)buf->at;
            n = lethe_directory_find(l->c->dir, text, room, found);
            if (n < room || room == l->most) break;
        }
        b->n[term - first] = (uint32_t)n;
        if (n == 0) continue;
        uint32_t *more = lethe_realloc(b->category, b->all + n, sizeof *more);
        if (!more) return LETHE_ENOMEM;
        memcpy(more + b->all, found, n * sizeof *more);
        b->category = more;
        b->all += n;
        for (size_t k = 0; k < n; k++) {
            uint32_t level = lethe_directory_level(l->c->dir, found[k]);
            l->c->depth[term] = LETHE_MAX(l->c->depth[term], level);
        }
    }
    lethe_ctx_advance(l->ctx, end - first);
    return LETHE_OK;
}

static lethe_err look_up_terms(lethe_ctx *ctx, lethe_classes *c, const lethe_dict *terms,
                               uint32_t most)
{
    size_t n = ((size_t)c->n_terms + TERMS_AT_ONCE - 1) / TERMS_AT_ONCE;
    unsigned n_workers = lethe_ctx_threads(ctx);
    struct lookup l = {.ctx = ctx, .c = c, .terms = terms};
    l.most = most ? most : LETHE_MAX(lethe_directory_categories(c->dir), 1);
    l.batches = lethe_alloc_zero(n, sizeof *l.batches);
    l.found = lethe_alloc_zero(n_workers, sizeof *l.found);
    c->depth = lethe_alloc_zero(c->n_terms, sizeof *c->depth);
    lethe_err err = l.batches && l.found && c->depth ? LETHE_OK : LETHE_ENOMEM;
    lethe_ctx_phase(ctx, "terms", c->n_terms);
    if (err == LETHE_OK) err = lethe_pool_for(ctx, n, look_up_batch, &l);
    size_t all = 0;
    for (size_t i = 0; err == LETHE_OK && i < n; i++)
        all += l.batches[i].all;
    if (err == LETHE_OK) {
        c->category = lethe_alloc(all, sizeof *c->category);
        c->category_start = lethe_alloc_zero((size_t)c->n_terms + 1, sizeof *c->category_start);
        if (!c->category || !c->category_start) err = LETHE_ENOMEM;
    }
    for (size_t term = 0; err == LETHE_OK && term < c->n_terms; term++)
        c->category_start[term + 1] =
            c->category_start[term] + l.batches[term / TERMS_AT_ONCE].n[term % TERMS_AT_ONCE];
    for (size_t i = 0; err == LETHE_OK && i < n; i++)
        if (l.batches[i].all > 0)
            memcpy(c->category + c->category_start[i * TERMS_AT_ONCE], l.batches[i].category,
                   l.batches[i].all * sizeof *c->category);
    for (size_t i = 0; l.batches && i < n; i++)
        lethe_free(l.batches[i].category);
    for (unsigned w = 0; l.found && w < n_workers; w++)
        lethe_buf_free(&l.found[w]);
    lethe_free(l.batches);
    lethe_free(l.found);
    return err;
}

lethe_err lethe_classes_new(lethe_ctx *ctx, const lethe_directory *dir, const lethe_dict *texts,
                            uint32_t most, lethe_classes **out)
{
    lethe_classes *c = lethe_alloc_zero(1, sizeof *c);
    lethe_dict *terms = lethe_dict_new();
    lethe_err err = c && terms ? LETHE_OK : LETHE_ENOMEM;
    if (err == LETHE_OK) {
        c->dir = dir;
        c->n_texts = lethe_dict_count(texts);
        err = read_terms(c, texts, terms);
    }
    if (err == LETHE_OK) err = look_up_terms(ctx, c, terms, most);
    if (terms) lethe_dict_free(terms);
    if (err == LETHE_OK)
        *out = c;
    else
        lethe_classes_free(c);
    return err == LETHE_ENOMEM ? lethe_no_memory(ctx) : err;
}

void lethe_classes_free(lethe_classes *c)
{
    if (!c) return;
    lethe_free(c->term_start);
    lethe_free(c->term);
    lethe_free(c->category_start);
    lethe_free(c->category);
    lethe_free(c->depth);
    lethe_free(c);
}

/* --- levels --- */

lethe_err lethe_classes_reach(const lethe_classes *c, const lethe_user_texts *u, uint32_t levels,
                              lethe_classes_share *out)
{
    lethe_classes_share r = {.words = lethe_alloc_zero(levels, sizeof *r.words),
                             .queries = lethe_alloc_zero(levels, sizeof *r.queries)};
    if (!r.words || !r.queries) {
        lethe_classes_share_free(&r);
        return LETHE_ENOMEM;
    }
    for (uint64_t i = 0; i < u->start[u->n]; i++) {
        uint32_t text = u->text[i], deepest = 0;
        for (uint64_t t = c->term_start[text]; t < c->term_start[text + 1]; t++) {
            uint32_t depth = LETHE_MIN(c->depth[c->term[t]], levels);
            r.all_words += u->queries[i];
            if (depth > 0) r.words[depth - 1] += u->queries[i];
            deepest = LETHE_MAX(deepest, depth);
        }
        r.all_queries += u->queries[i];
        if (deepest > 0) r.queries[deepest - 1] += u->queries[i];
    }
    for (uint32_t l = levels; l > 1; l--) { // what reaches deeper reaches here too
        r.words[l - 2] += r.words[l - 1];
        r.queries[l - 2] += r.queries[l - 1];
    }
    *out = r;
    return LETHE_OK;
}

void lethe_classes_share_free(lethe_classes_share *r)
{
    lethe_free(r->words);
    lethe_free(r->queries);
    *r = (lethe_classes_share){0};
}

lethe_err lethe_classes_levels(const lethe_classes *c, const lethe_user_texts *u, uint32_t most,
                               uint32_t *levels)
{
    lethe_classes_share r;
    LETHE_TRY(lethe_classes_reach(c, u, most, &r));
    *levels = 1;
    while (*levels < most && r.queries[*levels] > 0 &&
           r.queries[*levels] >= r.all_queries - r.queries[*levels])
        ++*levels;
    lethe_classes_share_free(&r);
    return LETHE_OK;
}

void lethe_classes_cut(lethe_classes *c, uint32_t levels)
{
    for (uint64_t i = 0; i < c->category_start[c->n_terms]; i++) {
        uint32_t at = c->category[i];
        while (lethe_directory_level(c->dir, at) > levels)
            at = lethe_directory_parent(c->dir, at);
        c->category[i] = at;
    }
}

/* --- counts of categories --- */

lethe_err lethe_microagg_tally_new(const lethe_directory *dir, lethe_microagg_tally *out)
{
    size_t n = lethe_directory_categories(dir);
    lethe_microagg_tally t = {.dir = dir,
                              .count = lethe_alloc_zero(n, sizeof *t.count),
                              .touched = lethe_alloc(n, sizeof *t.touched)};
    if (t.count && t.touched) {
        *out = t;
        return LETHE_OK;
    }
    lethe_microagg_tally_free(&t);
    return LETHE_ENOMEM;
}

void lethe_microagg_tally_free(lethe_microagg_tally *t)
{
    lethe_free(t->count);
    lethe_free(t->touched);
    *t = (lethe_microagg_tally){0};
}

void lethe_microagg_tally_clear(lethe_microagg_tally *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        t->count[t->touched[i]] = 0;
    t->n = 0;
}

void lethe_microagg_tally_add(lethe_microagg_tally *t, const lethe_classes *c, uint32_t text,
                              uint64_t times, bool best)
{
    if (times == 0) return;
    for (uint64_t i = c->term_start[text]; i < c->term_start[text + 1]; i++) {
        const uint64_t *start = c->category_start + c->term[i];
        uint64_t end = best ? LETHE_MIN(start[0] + 1, start[1]) : start[1];
        for (uint64_t k = start[0]; k < end; k++)
            for (uint32_t at = c->category[k]; at != LETHE_NONE;
                 at = lethe_directory_parent(t->dir, at)) {
                if (t->count[at] == 0) t->touched[t->n++] = at;
                t->count[at] += times;
            }
    }
}

void lethe_microagg_tally_sort(lethe_microagg_tally *t)
{
    qsort(t->touched, t->n, sizeof *t->touched, lethe_u32_cmp);
}

/* --- users --- */

struct interests_work {
    lethe_ctx *ctx;
    const lethe_classes *c;
    const lethe_user_texts *u;
    lethe_user_interests *out;
    lethe_microagg_tally *tallies; /* of each worker */
};

static lethe_microagg_tally *tally_user(struct interests_work *m, size_t user, unsigned w)
{
    lethe_microagg_tally *t = &m->tallies[w];
    lethe_microagg_tally_clear(t);
    for (uint64_t i = m->u->start[user]; i < m->u->start[user + 1]; i++)
        lethe_microagg_tally_add(t, m->c, m->u->text[i], m->u->queries[i], false);
    return t;
}

/* All users are counted twice, so that nothing has to be held twice. */
static lethe_err count_user(void *arg, size_t user, unsigned w)
{
    struct interests_work *m = arg;
    m->out->start[user + 1] = tally_user(m, user, w)->n;
    return LETHE_OK;
}

static lethe_err write_user(void *arg, size_t user, unsigned w)
{
    struct interests_work *m = arg;
    lethe_microagg_tally *t = tally_user(m, user, w);
    uint64_t at = m->out->start[user];
    lethe_microagg_tally_sort(t);
    for (uint32_t i = 0; i < t->n; i++) {
        uint64_t count = t->count[t->touched[i]];
        if (count > UINT32_MAX)
            return lethe_fail(m->ctx, LETHE_EINPUT,
                              "a user has more than %lu words of one category",
                              (unsigned long)UINT32_MAX);
        m->out->category[at + i] = t->touched[i];
        m->out->count[at + i] = (uint32_t)count;
    }
    return LETHE_OK;
}

static lethe_err fill_interests(struct interests_work *m, unsigned n_workers)
{
    lethe_user_interests *o = m->out;
    uint32_t n = m->u->n;
    o->start = lethe_alloc((size_t)n + 1, sizeof *o->start);
    m->tallies = lethe_alloc_zero(n_workers, sizeof *m->tallies);
    if (!o->start || !m->tallies) return LETHE_ENOMEM;
    for (unsigned w = 0; w < n_workers; w++)
        LETHE_TRY(lethe_microagg_tally_new(m->c->dir, &m->tallies[w]));
    o->start[0] = 0;
    LETHE_TRY(lethe_pool_for(m->ctx, n, count_user, m));
    for (uint32_t i = 0; i < n; i++)
        o->start[i + 1] += o->start[i];
    o->category = lethe_alloc(o->start[n], sizeof *o->category);
    o->count = lethe_alloc(o->start[n], sizeof *o->count);
    if (!o->category || !o->count) return LETHE_ENOMEM;
    return lethe_pool_for(m->ctx, n, write_user, m);
}

lethe_err lethe_user_interests_new(lethe_ctx *ctx, const lethe_classes *c,
                                   const lethe_user_texts *u, lethe_user_interests *out)
{
    lethe_user_interests made = {0};
    struct interests_work m = {.ctx = ctx, .c = c, .u = u, .out = &made};
    unsigned n_workers = lethe_ctx_threads(ctx);
    lethe_ctx_phase(ctx, "interests", 0);
    lethe_err err = fill_interests(&m, n_workers);
    for (unsigned w = 0; m.tallies && w < n_workers; w++)
        lethe_microagg_tally_free(&m.tallies[w]);
    lethe_free(m.tallies);
    if (err != LETHE_OK) {
        lethe_user_interests_free(&made);
        return err == LETHE_ENOMEM ? lethe_no_memory(ctx) : err;
    }
    made.of = (lethe_microagg_interests){.n = u->n,
                                         .n_categories = lethe_directory_categories(c->dir),
                                         .start = made.start,
                                         .category = made.category,
                                         .count = made.count};
    *out = made;
    return LETHE_OK;
}

void lethe_user_interests_free(lethe_user_interests *i)
{
    lethe_free(i->start);
    lethe_free(i->category);
    lethe_free(i->count);
    *i = (lethe_user_interests){0};
}
