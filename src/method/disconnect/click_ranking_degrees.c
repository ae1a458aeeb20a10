/* SPDX-License-Identifier: Apache-2.0 */
/* click_ranking_degrees.c - the hub degree of a set of hubs and the other degree of a class.
 *
 * The hub degree is computed by inclusion and exclusion: the live queries of each hub, minus those
 * of each two, plus those of each three, and so on.  Hubs that occur together in no other set need
 * no count of their own: that of the set is the same. */
#include "method/disconnect/click_ranking_internal.h"
#include "core/mem.h"
#include <stdlib.h>

static uint32_t n_hubs_of(const lethe_ranking *d, uint32_t set)
{
    return (uint32_t)(d->sets->url_start[set + 1] - d->sets->url_start[set]);
}

static const uint32_t *hubs_of(const lethe_ranking *d, uint32_t set)
{
    return d->sets->url + d->sets->url_start[set];
}

/* --- classes with more hubs than their set --- */

static bool has_more_hubs(const lethe_ranking *d, uint32_t c)
{
    const lethe_click_graph *g = d->graph;
    uint32_t n = 0;
    if (g->url_start[c + 1] - g->url_start[c] <= LETHE_RANKING_HUBS_MAX) return false;
    for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++)
        n += d->url[g->url[i]].hub != LETHE_NONE;
    return n > LETHE_RANKING_HUBS_MAX;
}

static void mark_hubs(lethe_ranking *d, uint32_t c, bool on)
{
    const lethe_click_graph *g = d->graph;
    uint32_t set = d->sets->class_of[c];
    for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++)
        if (d->url[g->url[i]].hub != LETHE_NONE) d->hub_met[d->url[g->url[i]].hub] = on;
    for (uint32_t i = 0; i < LETHE_RANKING_HUBS_MAX && on; i++)
        d->hub_met[hubs_of(d, set)[i]] = 2;
}

/* Does the marked class have all of these, and its set not? */
static bool only_class_has(const lethe_ranking *d, uint32_t hub, const lethe_ranking_joint *t)
{
    uint8_t all = d->hub_met[hub];
    for (uint32_t i = 0; i < LETHE_RANKING_HUBS_MAX - 1 && t->other[i] != LETHE_NONE && all > 0;
         i++)
        all = LETHE_MIN(all, d->hub_met[t->other[i]]);
    return all == 1;
}

/* --- hubs that occur together --- */

/* Some hubs of a set: the current one and others after it. */
typedef struct combination {
    lethe_ranking_joint it;
    uint32_t set;
    uint32_t
        n; /* at the first of equal ones: sets with these hubs, + classes that alone have them */
} combination;

typedef struct hub_joiner {
    lethe_ranking *d;
    uint64_t *class_start; /* n_hubs + 1 */
    uint32_t *class;       /* of each hub: those with more hubs than their set */
    combination *of;       /* the current hub */
    size_t n_of, cap_of;
    size_t n_together, cap_together;
    struct found {
        uint32_t set, term;
    } * found;
    size_t n_found, cap_found;
} hub_joiner;

static void *grown(void *p, size_t *cap, size_t n, size_t size)
{
    if (p && n <= *cap) return p;
    size_t more = LETHE_MAX(2 * *cap, n);
    void *q = lethe_realloc(p, more, size);
    if (q) *cap = more;
    return q;
}

/* Lists all combinations of the set's hubs after this one. */
static void list_combinations(hub_joiner *j, uint32_t hub, uint32_t set)
{
    const uint32_t *h = hubs_of(j->d, set);
    uint32_t n = n_hubs_of(j->d, set);
    while (*h != hub)
        h++, n--;
    for (uint32_t bits = 1; bits < 1u << (n - 1); bits++) {
        combination *s = &j->of[j->n_of++];
        *s = (combination){.it.live = j->d->set_live[set], .set = set};
        memset(s->it.other, 0xff, sizeof s->it.other); // LETHE_NONE
        for (uint32_t i = 1, k = 0; i < n; i++)
            if (bits >> (i - 1) & 1) s->it.other[k++] = h[i];
    }
}

static int by_hubs(const void *a, const void *b)
{
    const combination *x = a, *y = b;
    for (uint32_t i = 0; i < LETHE_RANKING_HUBS_MAX - 1; i++)
        if (x->it.other[i] != y->it.other[i]) return x->it.other[i] < y->it.other[i] ? -1 : 1;
    return (x->set > y->set) - (x->set < y->set);
}

/* Gives the first of each run of equal combinations its length and its live queries. */
static void find_runs(hub_joiner *j, uint32_t hub)
{
    for (size_t i = 0, first = 0; i < j->n_of; i++) {
        const uint32_t *other = j->of[i].it.other;
        if (memcmp(other, j->of[first].it.other, sizeof j->of[i].it.other) != 0) first = i;
        if (i > first) j->of[first].it.live += j->of[i].it.live;
        j->of[first].n++;
    }
    for (uint64_t k = j->class_start[hub]; k < j->class_start[hub + 1]; k++) {
        uint32_t c = j->class[k];
        mark_hubs(j->d, c, true);
        for (size_t i = 0; i < j->n_of; i++) {
            combination *s = &j->of[i];
            if (s->n == 0 || !only_class_has(j->d, hub, &s->it)) continue;
            s->it.live += j->d->seen[c].live;
            s->n++;
        }
        mark_hubs(j->d, c, false);
    }
}

/* Keeps the combinations that another set, or a class with more hubs, has too. */
static lethe_err keep_shared(hub_joiner *j)
{
    lethe_ranking *d = j->d;
    struct found *found = grown(j->found, &j->cap_found, j->n_found + j->n_of, sizeof *found);
    if (found) j->found = found;
    lethe_ranking_joint *t =
        grown(d->together, &j->cap_together, j->n_together + j->n_of, sizeof *t);
    if (t) d->together = t;
    if (!found || !t) return LETHE_ENOMEM;
    for (size_t i = 0, n = 0; i < j->n_of; i++) {
        const combination *s = &j->of[i];
        if (s->n > 0) {
            n = s->n;
            t[j->n_together] = s->it;
            j->n_together += n > 1;
        }
        bool odd = true; // the hub itself
        for (uint32_t k = 0; k < LETHE_RANKING_HUBS_MAX - 1; k++)
            odd ^= s->it.other[k] != LETHE_NONE;
        if (n > 1)
            found[j->n_found++] = (struct found){s->set, 2 * (uint32_t)(j->n_together - 1) + odd};
    }
    return LETHE_OK;
}

static lethe_err join_hub(hub_joiner *j, uint32_t hub)
{
    const lethe_click_graph *g = j->d->sets;
    uint64_t first = g->class_start[hub], end = g->class_start[hub + 1];
    combination *of =
        grown(j->of, &j->cap_of, (end - first) << (LETHE_RANKING_HUBS_MAX - 1), sizeof *of);
    if (!of) return LETHE_ENOMEM;
    j->of = of;
    j->n_of = 0;
    for (uint64_t i = first; i < end; i++)
        list_combinations(j, hub, g->class_of_url[i]);
    if (j->n_of > 1) qsort(of, j->n_of, sizeof *of, by_hubs);
    find_runs(j, hub);
    return keep_shared(j);
}

static lethe_err list_terms(const hub_joiner *j)
{
    lethe_ranking *d = j->d;
    uint32_t n = lethe_ranking_n_sets(d);
    d->term_start = lethe_alloc_zero((size_t)n + 1, sizeof *d->term_start);
    d->term = lethe_alloc(j->n_found, sizeof *d->term);
    if (!d->term_start || !d->term) return LETHE_ENOMEM;
    for (size_t i = 0; i < j->n_found; i++)
        d->term_start[j->found[i].set + 1]++;
    for (uint32_t s = 0; s < n; s++)
        d->term_start[s + 1] += d->term_start[s];
    for (size_t i = 0; i < j->n_found; i++)
        d->term[d->term_start[j->found[i].set]++] = j->found[i].term;
    memmove(d->term_start + 1, d->term_start, n * sizeof *d->term_start);
    d->term_start[0] = 0;
    return LETHE_OK;
}

/* Lists the classes with more hubs than their set, by hub: first counts them, then fills the list.
 */
static lethe_err list_classes(hub_joiner *j)
{
    const lethe_click_graph *g = j->d->graph;
    uint32_t n = j->d->n_hubs;
    j->class_start = lethe_alloc_zero((size_t)n + 1, sizeof *j->class_start);
    if (!j->class_start) return LETHE_ENOMEM;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t c = 0; c < g->n_classes; c++) {
            if (!has_more_hubs(j->d, c)) continue;
            for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++) {
                uint32_t hub = j->d->url[g->url[i]].hub;
                if (hub == LETHE_NONE) continue;
                if (pass == 0)
                    j->class_start[hub + 1]++;
                else
                    j->class[j->class_start[hub]++] = c;
            }
        }
        if (pass == 1) break;
        for (uint32_t h = 0; h < n; h++)
            j->class_start[h + 1] += j->class_start[h];
        j->class = lethe_alloc(j->class_start[n], sizeof *j->class);
        if (!j->class) return LETHE_ENOMEM;
    }
    memmove(j->class_start + 1, j->class_start, n * sizeof *j->class_start);
    j->class_start[0] = 0;
    return LETHE_OK;
}

static lethe_err join_hubs(hub_joiner *j)
{
    lethe_ranking *d = j->d;
    d->set_live = lethe_alloc_zero(lethe_ranking_n_sets(d), sizeof *d->set_live);
    d->together_start = lethe_alloc_zero((size_t)d->n_hubs + 1, sizeof *d->together_start);
    d->hub_met = lethe_alloc_zero(d->n_hubs, sizeof *d->hub_met);
    if (!d->set_live || !d->together_start || !d->hub_met) return LETHE_ENOMEM;
    for (uint32_t c = 0; c < d->graph->n_classes; c++)
        d->set_live[d->sets->class_of[c]] += d->seen[c].live;
    LETHE_TRY(list_classes(j));
    for (uint32_t h = 0; h < d->n_hubs; h++) {
        LETHE_TRY(join_hub(j, h));
        d->together_start[h + 1] = j->n_together;
    }
    return list_terms(j);
}

lethe_err lethe_ranking_hubs_init(lethe_ranking *d)
{
    hub_joiner j = {.d = d};
    lethe_err e = join_hubs(&j);
    lethe_free(j.class_start);
    lethe_free(j.class);
    lethe_free(j.of);
    lethe_free(j.found);
    return e;
}

/* --- degrees --- */

uint32_t lethe_ranking_hub_degree(const lethe_ranking *d, uint32_t group)
{
    if (group >= lethe_ranking_n_sets(d))
        return d->url[d->group_url[group - lethe_ranking_n_sets(d)]].live;
    const uint32_t *hub = hubs_of(d, group);
    uint32_t n = n_hubs_of(d, group), sum = 0, alone = 1 - n; // modulo 2^32, like the sum
    for (uint32_t i = 0; i < n; i++)
        sum += d->url[d->hub[hub[i]]].live;
    if (n < 2) return sum;
    for (uint64_t i = d->term_start[group]; i < d->term_start[group + 1]; i++) {
        bool odd = d->term[i] & 1;
        uint32_t live = d->together[d->term[i] / 2].live;
        sum += odd ? live : 0 - live;
        alone += odd ? UINT32_MAX : 1;
    }
    return sum + alone * d->set_live[group];
}

/* --- other degrees --- */

/* The URLs of a group's set. */
typedef struct few_urls {
    uint32_t url[LETHE_RANKING_HUBS_MAX], n, group;
} few_urls;

static few_urls urls_of(const lethe_ranking *d, uint32_t group)
{
    few_urls f = {.n = 1, .group = group};
    if (group >= lethe_ranking_n_sets(d)) {
        f.url[0] = d->group_url[group - lethe_ranking_n_sets(d)];
        return f;
    }
    f.n = n_hubs_of(d, group);
    for (uint32_t i = 0; i < f.n; i++)
        f.url[i] = d->hub[hubs_of(d, group)[i]];
    return f;
}

static bool is_one_of(const few_urls *f, uint32_t u)
{
    bool is = false;
    for (uint32_t i = 0; i < f->n; i++)
        is |= f->url[i] == u;
    return is;
}

static bool has_one_of(const lethe_ranking *d, uint32_t c, const few_urls *f)
{
    const lethe_click_graph *g = d->graph;
    uint32_t own = d->seen[c].group;
    if (own == f->group) return true;
    if (own >= lethe_ranking_n_sets(d) && f->group < lethe_ranking_n_sets(d))
        return false; // it has no hubs
    for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++)
        if (is_one_of(f, g->url[i])) return true;
    return false;
}

/* Sets the bit; was it set before? */
static inline bool mark(uint64_t *bits, uint32_t i)
{
    uint64_t bit = (uint64_t)1 << i % 64, old = bits[i / 64];
    bits[i / 64] = old | bit;
    return (old & bit) != 0;
}

static inline void unmark(uint64_t *bits, uint32_t i) { bits[i / 64] = 0; }

/* Lists are walked to find what is on lists outside the set and on none of the set: either those of
 * the set are walked too, or each element is asked, whichever is less work. */
static bool walks_set(uint64_t of_set, uint64_t of_others)
{
    enum { ASKING = 8 }; /* steps along a list take as long */
    return of_set / ASKING <= of_others;
}

/* --- other degrees at first --- */

/* Nearly all classes have one query: a byte a class stays in the processor's cache. */
static uint32_t live_of(const lethe_ranking *d, uint32_t c)
{
    return d->first_live[c] < UINT8_MAX ? d->first_live[c] : d->seen[c].live;
}

static uint32_t count_url(const lethe_ranking *d, uint32_t u, const few_urls *ask, uint64_t *bits)
{
    const uint32_t *of = d->graph->class_of_url + d->graph->class_start[u];
    uint32_t sum = 0;
    for (uint64_t i = 0, n = lethe_ranking_n_classes_of(d->graph, u); i < n; i++) {
        if (mark(bits, of[i]) || (ask && has_one_of(d, of[i], ask))) continue;
        sum += live_of(d, of[i]);
    }
    return sum;
}

static void mark_url(const lethe_click_graph *g, uint32_t u, uint64_t *bits)
{
    const uint32_t *of = g->class_of_url + g->class_start[u];
    for (uint64_t i = 0, n = lethe_ranking_n_classes_of(g, u); i < n; i++)
        (void)mark(bits, of[i]);
}

static void unmark_url(const lethe_click_graph *g, uint32_t u, uint64_t *bits)
{
    const uint32_t *of = g->class_of_url + g->class_start[u];
    for (uint64_t i = 0, n = lethe_ranking_n_classes_of(g, u); i < n; i++)
        unmark(bits, of[i]);
}

uint32_t lethe_ranking_count_others(const lethe_ranking *d, uint32_t c, uint64_t *bits)
{
    const lethe_click_graph *g = d->graph;
    if (g->url_start[c] == g->url_start[c + 1]) return 0;
    const few_urls f = urls_of(d, d->seen[c].group);
    uint64_t first = g->url_start[c], end = g->url_start[c + 1], n[2] = {0};
    uint32_t sum = 0;
    if (end - first == f.n) return 0;
    for (uint64_t i = first; i < end; i++)
        n[is_one_of(&f, g->url[i])] += lethe_ranking_n_classes_of(g, g->url[i]);
    bool walks = walks_set(n[1], n[0]);
    for (uint32_t i = 0; i < f.n && walks; i++)
        mark_url(g, f.url[i], bits);
    for (uint64_t i = first; i < end; i++)
        if (!is_one_of(&f, g->url[i])) sum += count_url(d, g->url[i], walks ? NULL : &f, bits);
    for (uint64_t i = first; i < end; i++)
        if (walks || !is_one_of(&f, g->url[i])) unmark_url(g, g->url[i], bits);
    return sum;
}

/* --- other degrees now --- */

/* The removals of a class's i-th URL that it has not read. */
typedef struct news {
    const uint32_t *at;
    uint32_t n;
} news;

static news news_of(const lethe_ranking *d, uint64_t i)
{
    const lethe_ranking_url *u = &d->url[d->graph->url[i]];
    return (news){d->gone + u->gone + d->read[i], u->n_gone - d->read[i]};
}

uint32_t lethe_ranking_other_degree(lethe_ranking *d, const lethe_ranking_batch *b, uint32_t c,
                                    uint64_t *bits)
{
    const lethe_click_graph *g = d->graph;
    const few_urls f = urls_of(d, d->seen[c].group);
    uint64_t first = g->url_start[c], end = g->url_start[c + 1], n[2] = {0};
    uint32_t since = d->seen[c].since, sum = 0;
    if (end - first == f.n) return 0;
    for (uint64_t i = first; i < end; i++)
        n[is_one_of(&f, g->url[i])] += news_of(d, i).n;
    if (n[0] == 0) return d->seen[c].other;
    bool walks = walks_set(n[1], n[0]);
    for (uint64_t i = first; i < end && walks; i++) {
        if (!is_one_of(&f, g->url[i])) continue;
        news of = news_of(d, i);
        for (uint32_t k = 0; k < of.n; k++)
            (void)mark(bits, of.at[k] - since);
    }
    for (uint64_t i = first; i < end; i++) {
        if (is_one_of(&f, g->url[i])) continue;
        news of = news_of(d, i);
        for (uint32_t k = 0; k < of.n; k++) {
            if (mark(bits, of.at[k] - since)) continue;
            sum += walks || !has_one_of(d, g->class_of[d->removed[b->out + of.at[k]]], &f);
        }
    }
    for (uint64_t i = first; i < end; i++) {
        news of = news_of(d, i);
        d->read[i] += of.n;
        if (!walks && is_one_of(&f, g->url[i])) continue;
        for (uint32_t k = 0; k < of.n; k++)
            unmark(bits, of.at[k] - since);
    }
    d->seen[c].since = b->n_removed;
    return d->seen[c].other -= sum;
}

/* --- removal --- */

void lethe_ranking_remove_query(lethe_ranking *d, uint32_t c, uint32_t removal)
{
    const lethe_click_graph *g = d->graph;
    uint32_t set = d->sets->class_of[c];
    if (has_more_hubs(d, c)) { // the combinations that its set lacks
        mark_hubs(d, c, true);
        for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++) {
            uint32_t h = d->url[g->url[i]].hub;
            if (h == LETHE_NONE) continue;
            for (uint64_t k = d->together_start[h]; k < d->together_start[h + 1]; k++)
                d->together[k].live -= only_class_has(d, h, &d->together[k]);
        }
        mark_hubs(d, c, false);
    }
    d->seen[c].live--;
    if (n_hubs_of(d, set) > 1) d->set_live[set]--; // the empty set belongs to many components
    for (uint64_t i = g->url_start[c]; i < g->url_start[c + 1]; i++) {
        lethe_ranking_url *u = &d->url[g->url[i]];
        u->live--;
        d->gone[u->gone + u->n_gone++] = removal;
    }
    for (uint64_t i = d->term_start[set]; i < d->term_start[set + 1]; i++)
        d->together[d->term[i] / 2].live--;
}
