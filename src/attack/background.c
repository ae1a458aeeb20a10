/* SPDX-License-Identifier: Apache-2.0 */
/* background.c - an adversary who knows a few items of a person and looks for the rest.
 *
 * He knows M items of one of a person's records, drawn at random (all of them, where it has no
 * more), and the release.  How many records are left for him to choose from, before and after?
 *
 * Before, he has the records as they were: a candidate is one that holds what he knows, copy for
 * copy.  He chooses among all of these, among the shortest (what he knows is likeliest there), or,
 * where he knows the size of the record as below, among those of that size; `before` is the best
 * of the three, so that it is comparable with `success`.
 *
 * After, nothing can be excluded for certain.  A published record generalizes the person's own
 * (Milani Fard & Wang 2010, Definition 1): each of its items stands for another item at or below
 * it, and any number of items may have been suppressed.  So as far as logic goes, what he knows of
 * a person may belong to any record.  He goes by what is likely, in one of three ways:
 *
 *   compatible  records in which every known item has a published item at or above it; where there
 *               is no such record, those in which most have one.  `candidates_after` counts
 *               these.
 *   likeliest   records under which what he knows is likeliest.  A known item is a random one of
 *               the record: behind each of the published items with the same chance, or behind none
 *               (one more, of which nothing is known, stands for all that are suppressed).  Behind
 *               a published item v it is x with chance f(x) / f(v), f counting items at or below a
 *               node: how often people ask for what is common knowledge, as from any other log, and
 *               taken from the original.  So P(x | t') is f(x) / (|t'| + 1) times the sum of
 *               1 / f(v) over the items v of t' at or above x, and over the root once more; known
 *               items count as drawn independently.
 *   by_size     he also knows how many items the person's record has, n.  Then some records can be
 *               excluded: all but n - M of the published items must stand for known ones, each for
 *               another.  Of the records for which that is possible, those under which it is
 *               likeliest in the best of all assignments: a known item behind v, which nothing else
 *               is behind, with chance f(x) / f(v), and a suppressed one with f(x) / f(root).
 *               Where M is not below n he knows all there is to know.
 *
 * A sensitive item is an item like any other, and published as it is: nothing but itself is above
 * it, and the root of f(root) is above it and the taxonomy.
 *
 * A bag is at or above what is at or below any of its members, and its f is the sum of theirs: any
 * item there is as likely behind it as it is frequent.
 *
 * That another record looks better than the person's own does happen, by its other items; then he
 * is misled.  He chooses among the candidates at random, and succeeds where the record is the
 * person's.  `success` is that of the way which does best over all persons, and no less than what
 * a choice among all records gives: who is safe from one adversary need not be from another.
 * Without a map the person's records, as far as there is room, are taken to be among the
 * candidates: then it is a bound for these three.  Which items go together, and how the method
 * groups records, he does not use.
 *
 * Up to 1000 persons are drawn, by the stream of --seed, or by a fixed one: the same for the same
 * original.  The index holds the items that they are known by and, of the release, the nodes above
 * those: 12 bytes for each time such a one stands in a record.  A person costs as many steps as
 * there are different published records and entries of the nodes above what is known; for records
 * with a bag, up to M times as many. */
#include "attack/attack.h"
#include "algo/match/spans.h"
#include "core/rng.h"
#include "model/published/published_items.h"
#include "model/published/published_records.h"
#include "model/records/record_map.h"
#include "core/sort.h"
#include <math.h>
#include <stdlib.h>

enum { SAMPLE = 1000 };
#define SEED UINT64_C(20060301)

/* A set (a record, or equal published ones) in which a node stands `count` times, by itself or as a
 * member of this bag. */
struct posting {
    uint32_t set, item, count;
};

/* By node: at[start[v]] .. at[end[v] - 1], sets ascending. */
struct index {
    uint64_t *start, *end;
    struct posting *at;
};

/* How many candidates, and how many of them are the person's own. */
struct found {
    uint64_t candidates, own;
};

/* Ways to choose among published records; and among the original ones. */
enum { COMPATIBLE, LIKELIEST, BY_SIZE, WAYS };
enum { HOLDING, SHORTEST, OF_SIZE, WAYS_BEFORE };

struct person {
    uint32_t owner;
    size_t first, n; /* their records: `records` of the search, from `first` on */
    uint32_t *known; /* nodes, ascending */
    size_t n_known;
    uint64_t size; /* of the record that they are known of */
    struct found before[WAYS_BEFORE], after[WAYS];
};

/* A node above what is known that stands in a published record, by itself or in a bag. */
struct entry {
    uint32_t node, item, count;
    uint32_t first, end; /* what is known at or below it: known[first] .. known[end - 1] */
    uint32_t next;       /* the same record's entry before; LETHE_NONE: none */
};

/* A subtree, and how many of its published items can stand for known ones, each for another. */
struct matched {
    uint32_t node;
    uint64_t n;
};

struct worker {
    uint32_t *head;    /* by published record: its last entry, which has the highest node */
    double *fit[WAYS]; /* by published record: the higher, the better */
    lethe_buf entries; /* struct entry each */
    lethe_buf nodes;   /* uint32_t each: those above what is known */
    lethe_buf stack;   /* struct matched each */
    lethe_buf sums;    /* double each: of 1 / f over what is above each known item */
    lethe_spans spans;
};

struct background_search {
    lethe_comparison *c;
    lethe_arena *arena;
    const lethe_records *original;
    const lethe_tree *tree;
    lethe_published_records *published;
    lethe_published_items items;
    uint64_t *line;       /* by record: the line it became; NULL: there is no map */
    uint64_t *often;      /* f: by node, items of the original at or below it */
    double *share, *bits; /* by published item: 1 / f, and log2 of f(root) / f */
    uint64_t known;       /* M */
    struct person *persons;
    size_t n_persons;
    uint64_t n_eligible;
    size_t *records;     /* of the persons drawn, one after the other */
    struct index before; /* of the original's records */
    struct index after;  /* of published ones */
    struct worker *workers;
    unsigned n_workers;
};

/* --- who is sought, and what is known --- */

/* Which records are whose.  `place` is room for a number a person of the original. */
static lethe_err records_assign(struct background_search *a, uint32_t *place)
{
    const lethe_records *o = a->original;
    size_t all = 0;
    memset(place, 0xff, o->n_owners * sizeof *place); // LETHE_NONE
    for (size_t i = 0; i < a->n_persons; i++)
        place[a->persons[i].owner] = (uint32_t)i;
    for (size_t i = 0; i < o->n; i++)
        if (place[o->owner[i]] != LETHE_NONE) a->persons[place[o->owner[i]]].n++;
    for (size_t i = 0; i < a->n_persons; i++) {
        a->persons[i].first = all;
        all += a->persons[i].n;
        a->persons[i].n = 0;
    }
    a->records = lethe_new(a->arena, size_t, all + 1);
    if (!a->records) return LETHE_ENOMEM;
    for (size_t i = 0; i < o->n; i++) {
        if (place[o->owner[i]] == LETHE_NONE) continue;
        struct person *p = &a->persons[place[o->owner[i]]];
        a->records[p->first + p->n++] = i;
    }
    return LETHE_OK;
}

/* Draws persons who have an item; of each, one of the records that have items, and M of its items,
 * each as likely as any other.  `list` is room for a number per person of the original. */
static lethe_err sample_draw(struct background_search *a, const lethe_secret *s, uint32_t *list)
{
    const lethe_records *o = a->original;
    memset(list, 0, o->n_owners * sizeof *list);
    for (size_t i = 0; i < o->n; i++)
        if (lethe_record_size(o, i) > 0) list[o->owner[i]] = 1;
    for (uint32_t owner = 0; owner < o->n_owners; owner++)
        if (list[owner]) list[a->n_eligible++] = owner;
    a->n_persons = (size_t)LETHE_MIN(a->n_eligible, SAMPLE);
    a->persons = lethe_new(a->arena, struct person, a->n_persons + 1);
    if (!a->persons) return LETHE_ENOMEM;
    lethe_rng rng = lethe_rng_stream(s, "background persons", 0);
    for (size_t i = 0; i < a->n_persons; i++) { // without putting back
        size_t j = i + (size_t)lethe_rng_below(&rng, a->n_eligible - i);
        a->persons[i].owner = list[j];
        list[j] = list[i];
    }
    lethe_rng_wipe(&rng);
    LETHE_TRY(records_assign(a, list));
    for (struct person *p = a->persons; p < a->persons + a->n_persons; p++) {
        uint64_t n_full = 0;
        size_t record = 0;
        rng = lethe_rng_stream(s, "background items", p->owner);
        for (size_t i = 0; i < p->n; i++) {
            if (lethe_record_size(o, a->records[p->first + i]) == 0) continue;
            if (lethe_rng_below(&rng, ++n_full) == 0) record = a->records[p->first + i];
        }
        p->size = lethe_record_size(o, record);
        uint64_t wanted = LETHE_MIN(p->size, a->known);
        p->known = lethe_new(a->arena, uint32_t, wanted);
        for (uint64_t i = 0; p->known && p->n_known < wanted; i++)
            if (lethe_rng_below(&rng, p->size - i) < wanted - p->n_known)
                p->known[p->n_known++] = o->item[o->start[record] + i];
        lethe_rng_wipe(&rng);
        if (!p->known) return LETHE_ENOMEM;
        qsort(p->known, p->n_known, sizeof *p->known, lethe_u32_cmp);
    }
    return LETHE_OK;
}

static lethe_err sample(struct background_search *a)
{
    lethe_secret *s = NULL;
    uint64_t seed = a->c->has_seed ? a->c->seed : SEED;
    uint32_t *list = lethe_alloc(a->original->n_owners, sizeof *list);
    lethe_err e = list ? lethe_secret_from_seed(seed, &s) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = sample_draw(a, s, list);
    lethe_secret_free(s);
    lethe_free(list);
    return e == LETHE_ENOMEM ? lethe_no_memory(a->c->ctx) : e;
}

/* --- indices --- */

/* Sets of items, and the nodes that items are; NULL: they are nodes. */
struct sets {
    size_t n;
    const uint64_t *start;
    const uint32_t *item;
    const lethe_published_items *items;
};

/* The nodes of one item; how many. */
static size_t nodes_at(const struct sets *s, const uint32_t *item, const uint32_t **node)
{
    *node = s->items ? s->items->node + s->items->first[*item] : item;
    return s->items ? (size_t)lethe_item_size(s->items, *item) : 1;
}

static lethe_err index_build(struct background_search *a, const struct sets *s, const bool *wanted,
                             struct index *x)
{
    size_t n = a->tree->n;
    uint64_t all = 0;
    x->start = lethe_new(a->arena, uint64_t, n + 1);
    x->end = lethe_new(a->arena, uint64_t, n + 1);
    if (!x->start || !x->end) return lethe_no_memory(a->c->ctx);
    for (uint64_t i = 0; i < s->start[s->n]; i++) {
        const uint32_t *node;
        for (size_t k = nodes_at(s, &s->item[i], &node); k > 0; k--, node++)
            x->end[*node] += wanted[*node];
    }
    for (size_t v = 0; v < n; v++) {
        x->start[v] = all;
        all += x->end[v];
        x->end[v] = x->start[v];
    }
    if (s->n >= UINT32_MAX || all >= SIZE_MAX / sizeof(struct posting))
        return lethe_fail(a->c->ctx, LETHE_EINPUT, "too many records for this adversary");
    x->at = lethe_new(a->arena, struct posting, (size_t)all + 1);
    if (!x->at) return lethe_no_memory(a->c->ctx);
    for (uint32_t set = 0; set < s->n; set++)
        for (uint64_t i = s->start[set]; i < s->start[set + 1]; i++) {
            const uint32_t *node;
            for (size_t k = nodes_at(s, &s->item[i], &node); k > 0; k--, node++) {
                if (!wanted[*node]) continue;
                // equal items of a set follow each other, or are nodes
                uint64_t *end = &x->end[*node];
                struct posting *last = *end > x->start[*node] ? &x->at[*end - 1] : NULL;
                if (last && last->set == set && last->item == s->item[i])
                    last->count++;
                else
                    x->at[(*end)++] = (struct posting){set, s->item[i], 1};
            }
        }
    return LETHE_OK;
}

static lethe_err indices_build(struct background_search *a)
{
    const lethe_records *o = a->original;
    const lethe_published_records *p = a->published;
    const lethe_tree *t = a->tree;
    bool *items = lethe_new(a->arena, bool, t->n), *above = lethe_new(a->arena, bool, t->n);
    if (!items || !above) return lethe_no_memory(a->c->ctx);
    above[0] = true; // where climbing ends: the root is above everything
    for (size_t i = 0; i < a->n_persons; i++) {
        for (size_t k = 0; k < a->persons[i].n_known; k++) {
            items[a->persons[i].known[k]] = true;
            for (uint32_t v = a->persons[i].known[k]; !above[v]; v = t->parent[v])
                above[v] = true;
        }
    }
    struct sets before = {o->n, o->start, o->item, NULL};
    struct sets after = {p->n, p->start, p->item, &a->items};
    LETHE_TRY(index_build(a, &before, items, &a->before));
    return index_build(a, &after, above, &a->after);
}

/* How often what is at or below each node stands in the original; and what that makes of each
 * published item, where one that nothing is below is never asked for. */
static lethe_err frequencies_count(struct background_search *a)
{
    const lethe_records *o = a->original;
    const lethe_published_items *t = &a->items;
    a->often = lethe_new(a->arena, uint64_t, a->tree->n);
    a->share = lethe_new(a->arena, double, (size_t)t->n + 1);
    a->bits = lethe_new(a->arena, double, (size_t)t->n + 1);
    if (!a->often || !a->share || !a->bits) return lethe_no_memory(a->c->ctx);
    for (uint64_t i = 0; i < o->start[o->n]; i++)
        a->often[o->item[i]]++;
    for (uint32_t v = a->tree->n; v-- > 1;) // a parent comes before its children
        a->often[a->tree->parent[v]] += a->often[v];
    for (uint32_t i = 0; i < t->n; i++) {
        uint64_t f = 0;
        for (uint64_t k = t->first[i]; k < t->first[i + 1]; k++)
            f += a->often[t->node[k]];
        if (f == 0) continue;
        a->share[i] = 1 / (double)f;
        a->bits[i] = log2((double)a->often[0] / (double)f);
    }
    return LETHE_OK;
}

/* --- before --- */

/* How often node v stands in `set`. */
static uint32_t count_in(const struct index *x, uint32_t v, uint32_t set)
{
    uint64_t low = x->start[v], high = x->end[v];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (x->at[middle].set < set)
            low = middle + 1;
        else
            high = middle;
    }
    return low < x->end[v] && x->at[low].set == set ? x->at[low].count : 0;
}

/* Does the record hold all that is known, copy for copy? */
static bool holds(const struct index *x, const struct person *p, uint32_t record)
{
    for (size_t k = 0, n; k < p->n_known; k += n) {
        for (n = 1; k + n < p->n_known && p->known[k + n] == p->known[k];)
            n++;
        if (count_in(x, p->known[k], record) < n) return false;
    }
    return true;
}

static void search_before(const struct background_search *a, struct person *p)
{
    const struct index *x = &a->before;
    uint64_t shortest = UINT64_MAX;
    uint32_t rarest = p->known[0];
    for (size_t i = 1; i < p->n_known; i++) {
        uint32_t v = p->known[i];
        if (x->end[v] - x->start[v] < x->end[rarest] - x->start[rarest]) rarest = v;
    }
    for (uint64_t i = x->start[rarest]; i < x->end[rarest]; i++) {
        uint32_t record = x->at[i].set;
        if (!holds(x, p, record)) continue;
        uint64_t size = lethe_record_size(a->original, record);
        if (size < shortest) p->before[SHORTEST] = (struct found){0, 0};
        shortest = LETHE_MIN(shortest, size);
        bool own = a->original->owner[record] == p->owner;
        const bool chosen[WAYS_BEFORE] = {true, size == shortest, size == p->size};
        for (int way = 0; way < WAYS_BEFORE; way++) {
            p->before[way].candidates += chosen[way];
            p->before[way].own += chosen[way] && own;
        }
    }
}

/* --- after --- */

/* How many items of a published record can stand for known ones, each for another, and the bits by
 * which they explain these.  Without bags.  From below: a node's items stand for what is known
 * below it and not yet taken; what is lower can stand for less, and has more bits, so that is the
 * most there can be of both. */
static lethe_err match_nodes(const struct background_search *a, struct worker *w, size_t set,
                             uint64_t *n, double *bits)
{
    const struct entry *e = (const struct entry *)(const void *)w->entries.at;
    w->stack.n = 0;
    *n = 0;
    *bits = 0;
    for (uint32_t i = w->head[set]; i != LETHE_NONE; i = e[i].next) {
        struct matched here = {e[i].node, 0};
        while (w->stack.n > 0) {
            const struct matched *top =
                (const struct matched *)(const void *)(w->stack.at + w->stack.n) - 1;
            if (top->node >= a->tree->end[e[i].node]) break;
            here.n += top->n;
            w->stack.n -= sizeof *top;
        }
        uint64_t more = LETHE_MIN(e[i].count, e[i].end - e[i].first - here.n);
        here.n += more;
        *n += more;
        *bits += (double)more * a->bits[e[i].item];
        LETHE_TRY(lethe_buf_put(&w->stack, &here, sizeof here));
    }
    return LETHE_OK;
}

/* The same for any record: subtrees of bags may overlap in part. */
static lethe_err match(const struct background_search *a, const struct person *p, struct worker *w,
                       size_t set, uint64_t *n, double *bits)
{
    const struct entry *e = (const struct entry *)(const void *)w->entries.at;
    bool has_bag = false;
    for (uint32_t i = w->head[set]; i != LETHE_NONE && !has_bag; i = e[i].next)
        has_bag = lethe_item_size(&a->items, e[i].item) > 1;
    if (!has_bag) return match_nodes(a, w, set, n, bits);
    lethe_spans_begin(&w->spans);
    for (uint32_t i = w->head[set]; i != LETHE_NONE; i = e[i].next) {
        lethe_item_span span = {e[i].item, e[i].count, e[i].first, e[i].end, a->bits[e[i].item]};
        LETHE_TRY(lethe_spans_put(&w->spans, &span));
    }
    return lethe_spans_match(&w->spans, (uint32_t)p->n_known, n, bits);
}

/* How well a published record fits, in each way: known items that have an item at or above them, or
 * the binary logarithm of how likely they are, short of what is the same for all records. */
static lethe_err fit_set(const struct background_search *a, const struct person *p,
                         struct worker *w, size_t set)
{
    const struct entry *e = (const struct entry *)(const void *)w->entries.at;
    double *sum = (double *)(void *)w->sums.at, least = 1 / (double)a->often[0], product = 1;
    uint64_t size = a->published->start[set + 1] - a->published->start[set], matched;
    double items = (double)size + 1, covered = 0, bits = 0, matched_bits;
    LETHE_TRY(match(a, p, w, set, &matched, &matched_bits));
    for (size_t k = 0; k < p->n_known; k++)
        sum[k] = least;
    for (uint32_t i = w->head[set]; i != LETHE_NONE; i = e[i].next)
        for (uint32_t k = e[i].first; k < e[i].end; k++)
            sum[k] += e[i].count * a->share[e[i].item];
    for (size_t k = 0; k < p->n_known; k++) {
        covered += sum[k] > least;
        product *= sum[k] / items;
        if (product > 1e-200) continue; // a logarithm is dear, and few will do
        bits += log2(product);
        product = 1;
    }
    w->fit[COMPATIBLE][set] = covered;
    bits += log2(product);
    w->fit[LIKELIEST][set] = bits;
    w->fit[BY_SIZE][set] = size - matched <= p->size - p->n_known ? matched_bits : -INFINITY;
    return LETHE_OK;
}

/* Without a map: as many as the person can have among them. */
static void own_at_most(const struct background_search *a, const struct person *p, struct found *f)
{
    if (!a->line) f->own = LETHE_MIN(p->n, f->candidates);
}

/* Every record is as good. */
static struct found anybody(const struct background_search *a, const struct person *p)
{
    struct found f = {a->published->n_records, 0};
    for (size_t i = 0; a->line && i < p->n; i++)
        f.own += a->line[a->records[p->first + i]] != LETHE_NOT_PUBLISHED;
    own_at_most(a, p, &f);
    return f;
}

/* Those that fit best, in one of the ways.  What differs by no more than rounding can make is
 * equal. */
static struct found best_of(const struct background_search *a, const struct person *p,
                            const double *fit)
{
    struct found f = {0, 0};
    double most = -INFINITY, rounding = 1e-9 * (double)p->n_known;
    for (size_t i = 0; i < a->published->n; i++)
        most = LETHE_MAX(most, fit[i]);
    for (uint32_t i = 0; i < a->published->n; i++) {
        if (fit[i] < most - rounding) continue;
        f.candidates += a->published->first[i + 1] - a->published->first[i];
        for (size_t k = 0; a->line && k < p->n; k++) {
            uint64_t line = a->line[a->records[p->first + k]];
            f.own += line != LETHE_NOT_PUBLISHED && line >= a->published->first[i] &&
                     line < a->published->first[i + 1];
        }
    }
    own_at_most(a, p, &f);
    return f;
}

static lethe_err search_after(const struct background_search *a, struct person *p, struct worker *w)
{
    w->nodes.n = w->entries.n = w->sums.n = 0;
    memset(w->head, 0xff, a->published->n * sizeof *w->head); // LETHE_NONE
    LETHE_TRY(lethe_buf_reserve(&w->sums, p->n_known * sizeof(double)));
    // nodes above what is known, ascending, each once
    const lethe_tree *t = a->tree;
    LETHE_TRY(lethe_buf_put(&w->nodes, &(uint32_t){0}, sizeof(uint32_t)));
    for (size_t i = 0; i < p->n_known; i++) {
        for (uint32_t v = p->known[i]; v != 0; v = t->parent[v]) {
            // known items ascend: what is above the one before has been put with it
            if (i > 0 && lethe_tree_covers(t, v, p->known[i - 1])) break;
            LETHE_TRY(lethe_buf_put(&w->nodes, &v, sizeof v));
        }
    }
    size_t n_nodes = w->nodes.n / sizeof(uint32_t);
    qsort(w->nodes.at, n_nodes, sizeof(uint32_t), lethe_u32_cmp);
    // the entries of each record, in one order whatever the threads: sums of reals depend on it
    const struct index *x = &a->after;
    for (size_t i = 0; i < n_nodes; i++) {
        uint32_t v = ((const uint32_t *)(const void *)w->nodes.at)[i];
        struct entry e = {.node = v,
                          .first = (uint32_t)lethe_gallop(p->known, p->n_known, v),
                          .end = (uint32_t)lethe_gallop(p->known, p->n_known, t->end[v])};
        for (uint64_t k = x->start[v]; k < x->end[v]; k++) {
            uint32_t set = x->at[k].set, at = (uint32_t)(w->entries.n / sizeof e);
            if (at == LETHE_NONE) return LETHE_ENOMEM;
            e.item = x->at[k].item;
            e.count = x->at[k].count;
            e.next = w->head[set];
            LETHE_TRY(lethe_buf_put(&w->entries, &e, sizeof e));
            w->head[set] = at;
        }
    }
    for (size_t i = 0; i < a->published->n; i++)
        LETHE_TRY(fit_set(a, p, w, i));
    for (int way = 0; way < WAYS; way++)
        p->after[way] = best_of(a, p, w->fit[way]);
    return LETHE_OK;
}

static lethe_err search_one(void *arg, size_t i, unsigned number)
{
    struct background_search *a = arg;
    struct person *p = &a->persons[i];
    search_before(a, p);
    lethe_err e = search_after(a, p, &a->workers[number]);
    lethe_ctx_advance(a->c->ctx, 1);
    return e == LETHE_OK ? LETHE_OK : lethe_no_memory(a->c->ctx);
}

/* --- the answer --- */

/* Over the persons drawn. */
struct summary {
    double median, under_k, among, success;
};

/* What else can be summarized: the blind choice, and each way to search before. */
enum { BLIND = WAYS, BEFORE };

/* `size` is room for a number a person. */
static struct summary summarize(const struct background_search *a, int way, uint64_t k,
                                uint64_t *size)
{
    size_t n = a->n_persons, under = 0, among = 0;
    struct summary s = {0};
    if (n == 0) return s;
    for (size_t i = 0; i < n; i++) {
        const struct person *p = &a->persons[i];
        struct found f = way >= BEFORE  ? p->before[way - BEFORE]
                         : way == BLIND ? anybody(a, p)
                                        : p->after[way];
        size[i] = f.candidates;
        under += f.candidates < k;
        among += f.own > 0;
        s.success += (double)f.own / (double)f.candidates;
    }
    qsort(size, n, sizeof *size, lethe_u64_cmp);
    size_t low = (n - 1) / 2, high = n / 2;
    s.median = ((double)size[low] + (double)size[high]) / 2;
    s.under_k = (double)under / (double)n;
    s.among = (double)among / (double)n;
    s.success /= (double)n;
    return s;
}

static void summary_set(lethe_json_doc *doc, lethe_json *out, const char *name,
                        const struct summary *s, bool confirmed)
{
    lethe_json *o = lethe_json_object(doc);
    lethe_set_real(doc, o, "median", s->median);
    lethe_set_real(doc, o, "under_k", s->under_k);
    lethe_set_real(doc, o, "success", s->success);
    if (confirmed) lethe_set_real(doc, o, "among", s->among);
    lethe_json_set(doc, out, name, o);
}

/* --- the whole --- */

static lethe_err attack_run(struct background_search *a, lethe_json_doc *doc, lethe_json *out)
{
    static const char *const names[WAYS] = {"candidates_after", "likeliest", "by_size"};
    a->arena = lethe_arena_new();
    if (!a->arena) return lethe_no_memory(a->c->ctx);
    LETHE_TRY(lethe_attack_records(a->c, a->arena, &a->published, &a->line));
    if (lethe_published_items_read(a->tree, a->published->items, a->arena, &a->items) != LETHE_OK)
        return lethe_no_memory(a->c->ctx);
    LETHE_TRY(sample(a));
    LETHE_TRY(indices_build(a));
    LETHE_TRY(frequencies_count(a));
    a->n_workers = lethe_ctx_threads(a->c->ctx);
    a->workers = lethe_new(a->arena, struct worker, a->n_workers);
    if (!a->workers) return lethe_no_memory(a->c->ctx);
    for (struct worker *w = a->workers; w < a->workers + a->n_workers; w++) {
        w->head = lethe_new(a->arena, uint32_t, a->published->n);
        bool full = !w->head;
        for (int way = 0; way < WAYS; way++) {
            w->fit[way] = lethe_new(a->arena, double, a->published->n);
            full |= !w->fit[way];
        }
        if (full) return lethe_no_memory(a->c->ctx);
    }
    lethe_ctx_phase(a->c->ctx, "looking for persons", a->n_persons);
    LETHE_TRY(lethe_pool_for(a->c->ctx, a->n_persons, search_one, a));
    // the k that is claimed, or 2: to be alone is what an anonymity of one means
    const lethe_json *claims = lethe_json_get(a->c->published->manifest, "claims");
    int64_t claimed = 2;
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        claimed = LETHE_MAX(claimed, lethe_json_int(lethe_json_get(lethe_json_at(claims, i), "k")));
    uint64_t k = (uint64_t)claimed, *size = lethe_new(a->arena, uint64_t, a->n_persons + 1);
    if (!size) return lethe_no_memory(a->c->ctx);
    struct summary before = summarize(a, BEFORE, k, size), blind = summarize(a, BLIND, k, size);
    struct summary after[WAYS];
    double success = blind.success, success_before = before.success;
    for (int way = 1; way < WAYS_BEFORE; way++)
        success_before = LETHE_MAX(success_before, summarize(a, BEFORE + way, k, size).success);
    for (int way = 0; way < WAYS; way++) {
        after[way] = summarize(a, way, k, size);
        success = LETHE_MAX(success, after[way].success);
    }
    lethe_set_real(doc, out, "success", success);
    lethe_set_real(doc, out, "before", success_before);
    lethe_set_real(doc, out, "baseline", blind.success);
    lethe_set_count(doc, out, "persons", a->n_persons);
    lethe_set_count(doc, out, "known", a->known);
    lethe_set_count(doc, out, "k", k);
    lethe_json_set(doc, out, "confirmed", lethe_json_new_bool(doc, a->line != NULL));
    summary_set(doc, out, "candidates_before", &before, false);
    for (int way = 0; way < WAYS; way++)
        summary_set(doc, out, names[way], &after[way], a->line != NULL);
    lethe_set_text(doc, out, "meaning", lethe_adversary_background.meaning);
    return LETHE_OK;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct background_search a = {.c = c,
                                  .original = c->original.records,
                                  .tree = c->original.tree,
                                  .known = (uint64_t)lethe_count_of(c->values, "known")};
    lethe_err e = attack_run(&a, doc, out);
    for (unsigned w = 0; w < a.n_workers && a.workers; w++) {
        struct worker *k = &a.workers[w];
        lethe_buf *const bufs[] = {&k->entries, &k->nodes, &k->stack, &k->sums};
        for (size_t i = 0; i < LETHE_COUNT(bufs); i++)
            lethe_buf_free(bufs[i]);
        lethe_spans_free(&a.workers[w].spans);
    }
    lethe_published_records_free(a.published);
    lethe_arena_free(a.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(c->ctx);
    return e;
}

static const lethe_option options[] = {
    LETHE_ATTACK_KNOWN("how many items of a person are known"),
    {.name = NULL},
};

const lethe_adversary lethe_adversary_background = {
    .name = "background",
    .summary = "how many records fit the known items of a person?",
    .threat = LETHE_THREAT_SINGLING_OUT,
    .trials = "persons",
    .shapes = LETHE_SHAPE_RECORDS,
    .options = options,
    .meaning = "chance of choosing a person's record when a few of their items are known, by the "
               "best of three ways (without --map: if all of the person's records are among those "
               "that fit); before: among the original records that hold those items, by the "
               "best of three ways; baseline: a published record chosen at random",
    .run = run,
};
