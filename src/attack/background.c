/* background.c - an adversary who knows a few items of a person and looks for the rest.
 *
 * He knows M items of one of a person's records, drawn at random (all of them, where it has no
 * more), and the release.  How many records are left for him to choose from, before and after?
 *
 * Before, he has the records as they were: a candidate is one that holds what he knows, copy for
 * copy.
 *
 * After, nothing can be excluded for certain.  A published record generalizes the person's own
 * (seed 000, Definition 1): each of its items stands for another item at or below it, and any
 * number of items may have been suppressed.  So what he knows of a person may, as far as logic
 * goes, belong to any record.  He goes by what is likely.  A known item shows as a published item
 * at or above it, each for one known item at most, or was suppressed; an item with n of the
 * taxonomy's L leaves below it explains a known one with log2(L / n) bits, a suppressed one is not
 * explained. Candidates are the records that explain most bits: those under which what he knows is
 * likeliest, were all leaves below an item equally so.  That a record explains more than the
 * person's own does happen, by its other items; then he is misled.
 *
 * He chooses among the candidates at random, and succeeds where the record is the person's.  Bits
 * are counted in whole 2^-26ths, and what differs by no more than cutting off can make is equal, so
 * that equal is what is equal.  How items hang together, and how the method groups records, he does
 * not use.
 *
 * Up to 1000 persons are drawn, by a fixed stream: the same for the same original.  The index holds
 * the items that they are known by and, of the release, the nodes above those: 8 bytes for each
 * time such a one stands in a record.  A person costs as many steps as there are entries of the
 * nodes above what is known. */
#include "attack/attack.h"
#include "core/rng.h"
#include "io/json.h"
#include "model/published_records.h"
#include "model/record_map.h"
#include <stdlib.h>

enum { SAMPLE = 1000, BITS = 26 };
#define SEED UINT64_C(20060301)

/* A set (a record, or equal published ones) in which a node stands `count` times. */
struct posting {
    uint32_t set, count;
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

struct person {
    uint32_t owner;
    size_t first, n; /* their records: `records` of the attack, from `first` on */
    uint32_t *known; /* nodes, ascending */
    size_t n_known;
    struct found before, after;
};

/* A node above what is known that stands in a published record. */
struct entry {
    uint32_t node, count;
    uint32_t known; /* how many known items are at or below it */
    uint32_t bits;  /* by which it explains one */
    uint32_t next;  /* the same record's entry at a lower node; LETHE_NONE: none */
};

/* A subtree of which all is explained that can be. */
struct explained {
    uint32_t node;
    uint64_t n;
};

struct worker {
    uint32_t *head;    /* by published record: its entry at the highest node number */
    lethe_buf touched; /* uint32_t each: published records with an entry */
    lethe_buf entries; /* struct entry each */
    lethe_buf nodes;   /* uint32_t each: those above what is known */
    lethe_buf stack;   /* struct explained each */
    lethe_buf bits;    /* uint64_t each: what those touched explain */
};

struct attack {
    lethe_comparison *c;
    lethe_arena *arena;
    const lethe_records *original;
    const lethe_tree *tree;
    lethe_published_records *published;
    uint32_t *node; /* by published item: its node; LETHE_NONE: the tree lacks it */
    uint64_t *line; /* by record: the line it became; NULL: there is no map */
    uint64_t known; /* M */
    struct person *persons;
    size_t n_persons;
    uint64_t n_eligible;
    size_t *records;     /* of the persons drawn, one after the other */
    struct index before; /* of the original's records */
    struct index after;  /* of published ones */
    struct worker *workers;
    unsigned n_workers;
};

static lethe_err no_memory(const struct attack *a)
{
    return lethe_no_memory(lethe_ctx_diag(a->c->ctx));
}

/* --- who is sought, and what is known --- */

/* Persons who have an item at all, in the order of their numbers; how many. */
static uint64_t eligible_list(const struct attack *a, bool *has, uint32_t *list)
{
    uint64_t n = 0;
    for (size_t i = 0; i < a->original->n; i++)
        if (lethe_record_size(a->original, i) > 0) has[a->original->owner[i]] = true;
    for (uint32_t o = 0; o < a->original->n_owners; o++)
        if (has[o]) list[n++] = o;
    return n;
}

/* Draws without putting back; those drawn come first in `list`. */
static void persons_draw(struct attack *a, const lethe_secret *s, uint32_t *list)
{
    lethe_rng rng = lethe_rng_stream(s, "background persons", 0);
    for (size_t i = 0; i < a->n_persons; i++) {
        size_t j = i + (size_t)lethe_rng_below(&rng, a->n_eligible - i);
        uint32_t owner = list[j];
        list[j] = list[i];
        list[i] = owner;
        a->persons[i].owner = owner;
    }
    lethe_rng_wipe(&rng);
}

/* Which records are whose.  `place` is room for a number a person of the original. */
static lethe_err records_assign(struct attack *a, uint32_t *place)
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

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* One of the person's records that have items, and M of its items, each as likely as any other. */
static lethe_err known_draw(struct attack *a, const lethe_secret *s, struct person *p)
{
    const lethe_records *o = a->original;
    lethe_rng rng = lethe_rng_stream(s, "background items", p->owner);
    uint64_t n_full = 0, size;
    size_t record = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (lethe_record_size(o, a->records[p->first + i]) == 0) continue;
        if (lethe_rng_below(&rng, ++n_full) == 0) record = a->records[p->first + i];
    }
    size = lethe_record_size(o, record);
    uint64_t wanted = LETHE_MIN(size, a->known);
    p->known = lethe_new(a->arena, uint32_t, wanted);
    for (uint64_t i = 0; p->known && p->n_known < wanted; i++)
        if (lethe_rng_below(&rng, size - i) < wanted - p->n_known)
            p->known[p->n_known++] = o->item[o->start[record] + i];
    lethe_rng_wipe(&rng);
    if (!p->known) return LETHE_ENOMEM;
    qsort(p->known, p->n_known, sizeof *p->known, by_number);
    return LETHE_OK;
}

static lethe_err sample_with(struct attack *a, const lethe_secret *s, bool *has, uint32_t *list)
{
    a->n_eligible = eligible_list(a, has, list);
    a->n_persons = (size_t)LETHE_MIN(a->n_eligible, SAMPLE);
    a->persons = lethe_new(a->arena, struct person, a->n_persons + 1);
    if (!a->persons) return LETHE_ENOMEM;
    persons_draw(a, s, list);
    LETHE_TRY(records_assign(a, list));
    for (size_t i = 0; i < a->n_persons; i++)
        LETHE_TRY(known_draw(a, s, &a->persons[i]));
    return LETHE_OK;
}

static lethe_err sample(struct attack *a)
{
    lethe_secret *s = NULL;
    bool *has = lethe_alloc_zero(a->original->n_owners, sizeof *has);
    uint32_t *list = lethe_alloc(a->original->n_owners, sizeof *list);
    lethe_err e = has && list ? lethe_secret_from_seed(SEED, &s) : LETHE_ENOMEM;
    if (e == LETHE_OK) e = sample_with(a, s, has, list);
    lethe_secret_free(s);
    lethe_free(has);
    lethe_free(list);
    return e == LETHE_ENOMEM ? no_memory(a) : e;
}

/* --- indices --- */

/* Sets of items, and the nodes that items are; NULL: they are nodes. */
struct sets {
    size_t n;
    const uint64_t *start;
    const uint32_t *item, *node;
};

static uint32_t node_at(const struct sets *s, uint64_t i)
{
    return s->node ? s->node[s->item[i]] : s->item[i];
}

static void index_fill(const struct sets *s, const bool *wanted, struct index *x)
{
    for (size_t set = 0; set < s->n; set++) {
        for (uint64_t i = s->start[set]; i < s->start[set + 1]; i++) {
            uint32_t v = node_at(s, i);
            if (v == LETHE_NONE || !wanted[v]) continue;
            struct posting *last = x->at + x->end[v] - 1;
            if (x->end[v] > x->start[v] && last->set == set)
                last->count++;
            else
                x->at[x->end[v]++] = (struct posting){(uint32_t)set, 1};
        }
    }
}

static lethe_err index_build(struct attack *a, const struct sets *s, const bool *wanted,
                             struct index *x)
{
    size_t n = a->tree->n;
    uint64_t all = 0;
    if (s->n >= UINT32_MAX || s->start[s->n] >= SIZE_MAX / sizeof(struct posting))
        return lethe_fail(lethe_ctx_diag(a->c->ctx), LETHE_EINPUT, "too many records to look in");
    x->start = lethe_new(a->arena, uint64_t, n + 1);
    x->end = lethe_new(a->arena, uint64_t, n + 1);
    if (!x->start || !x->end) return no_memory(a);
    for (uint64_t i = 0; i < s->start[s->n]; i++) {
        uint32_t v = node_at(s, i);
        if (v != LETHE_NONE && wanted[v]) x->end[v]++;
    }
    for (size_t v = 0; v < n; v++) {
        x->start[v] = all;
        all += x->end[v];
        x->end[v] = x->start[v];
    }
    x->at = lethe_new(a->arena, struct posting, (size_t)all + 1);
    if (!x->at) return no_memory(a);
    index_fill(s, wanted, x);
    return LETHE_OK;
}

static lethe_err indices_build(struct attack *a)
{
    const lethe_records *o = a->original;
    const lethe_published_records *p = a->published;
    const lethe_tree *t = a->tree;
    bool *items = lethe_new(a->arena, bool, t->n), *above = lethe_new(a->arena, bool, t->n);
    if (!items || !above) return no_memory(a);
    above[0] = true; // where climbing ends: the root explains nothing, and is left out below
    for (size_t i = 0; i < a->n_persons; i++) {
        for (size_t k = 0; k < a->persons[i].n_known; k++) {
            items[a->persons[i].known[k]] = true;
            for (uint32_t v = a->persons[i].known[k]; !above[v]; v = t->parent[v])
                above[v] = true;
        }
    }
    above[0] = false;
    struct sets before = {o->n, o->start, o->item, NULL};
    struct sets after = {p->n, p->start, p->item, a->node};
    LETHE_TRY(index_build(a, &before, items, &a->before));
    return index_build(a, &after, above, &a->after);
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
static bool holds_all(const struct index *x, const struct person *p, uint32_t record)
{
    for (size_t i = 0, n; i < p->n_known; i += n) {
        for (n = 1; i + n < p->n_known && p->known[i + n] == p->known[i];)
            n++;
        if (count_in(x, p->known[i], record) < n) return false;
    }
    return true;
}

static struct found search_before(const struct attack *a, const struct person *p)
{
    const struct index *x = &a->before;
    struct found f = {0, 0};
    uint32_t rarest = p->known[0];
    for (size_t i = 1; i < p->n_known; i++) {
        uint32_t v = p->known[i];
        if (x->end[v] - x->start[v] < x->end[rarest] - x->start[rarest]) rarest = v;
    }
    for (uint64_t i = x->start[rarest]; i < x->end[rarest]; i++) {
        uint32_t record = x->at[i].set;
        if (!holds_all(x, p, record)) continue;
        f.candidates++;
        f.own += a->original->owner[record] == p->owner;
    }
    return f;
}

/* --- after --- */

/* 2^26 log2(n), n > 0, less what is cut off, at most 1; never falls as n grows.  Squaring a number
 * from 1 to 2 gives the next digit of its logarithm. */
static uint32_t log2_of(uint32_t n)
{
    uint32_t whole = 31 - (uint32_t)__builtin_clz(n), bits = whole;
    uint64_t y = (uint64_t)n << (31 - whole); // 2^31 times a number from 1 to 2
    for (int i = 0; i < BITS; i++) {
        y = (y * y) >> 31;
        bits = bits << 1 | (uint32_t)(y >> 32);
        y >>= y >> 32;
    }
    return bits;
}

/* Nodes above what is known, the root aside, ascending, each once. */
static lethe_err nodes_above(const struct attack *a, const struct person *p, lethe_buf *nodes)
{
    const lethe_tree *t = a->tree;
    for (size_t i = 0; i < p->n_known; i++) {
        for (uint32_t v = p->known[i]; v != 0; v = t->parent[v]) {
            // known items ascend: what is above the one before has been put with it
            if (i > 0 && lethe_tree_covers(t, v, p->known[i - 1])) break;
            LETHE_TRY(lethe_buf_put(nodes, &v, sizeof v));
        }
    }
    if (nodes->n > 0) qsort(nodes->at, nodes->n / sizeof(uint32_t), sizeof(uint32_t), by_number);
    return LETHE_OK;
}

/* How many known items are at or below v. */
static uint32_t known_below(const struct attack *a, const struct person *p, uint32_t v)
{
    uint32_t n = 0;
    for (size_t i = 0; i < p->n_known; i++)
        n += lethe_tree_covers(a->tree, v, p->known[i]);
    return n;
}

static lethe_err node_collect(const struct index *x, struct worker *w, struct entry e)
{
    for (uint64_t k = x->start[e.node]; k < x->end[e.node]; k++) {
        uint32_t set = x->at[k].set, at = (uint32_t)(w->entries.n / sizeof e);
        if (at == LETHE_NONE) return LETHE_ENOMEM;
        e.count = x->at[k].count;
        e.next = w->head[set];
        if (e.next == LETHE_NONE) LETHE_TRY(lethe_buf_put(&w->touched, &set, sizeof set));
        LETHE_TRY(lethe_buf_put(&w->entries, &e, sizeof e));
        w->head[set] = at;
    }
    return LETHE_OK;
}

/* The entries of each published record, highest node number first: so those below a node come
 * before it. */
static lethe_err entries_collect(const struct attack *a, const struct person *p, struct worker *w)
{
    const lethe_tree *t = a->tree;
    uint32_t whole = log2_of(t->leaves[0]);
    for (size_t i = 0; i < w->nodes.n / sizeof(uint32_t); i++) {
        uint32_t v = ((const uint32_t *)(const void *)w->nodes.at)[i];
        struct entry e = {
            .node = v, .known = known_below(a, p, v), .bits = whole - log2_of(t->leaves[v])};
        LETHE_TRY(node_collect(&a->after, w, e));
    }
    return LETHE_OK;
}

/* The bits that a published record explains.  From below: a node's items explain what is known
 * below it and not yet explained.  The lower explains more, so that is the best there is. */
static lethe_err bits_of(const struct attack *a, struct worker *w, uint32_t set, uint64_t *bits)
{
    const struct entry *e = (const struct entry *)(const void *)w->entries.at;
    w->stack.n = 0;
    *bits = 0;
    for (uint32_t i = w->head[set]; i != LETHE_NONE; i = e[i].next) {
        uint64_t below = 0;
        while (w->stack.n > 0) {
            const struct explained *top =
                (const struct explained *)(const void *)(w->stack.at + w->stack.n) - 1;
            if (top->node >= a->tree->end[e[i].node]) break;
            below += top->n;
            w->stack.n -= sizeof *top;
        }
        uint64_t n = LETHE_MIN(e[i].count, e[i].known - below);
        struct explained here = {e[i].node, below + n};
        *bits += n * e[i].bits;
        LETHE_TRY(lethe_buf_put(&w->stack, &here, sizeof here));
    }
    return LETHE_OK;
}

static uint64_t copies(const lethe_published_records *r, size_t set)
{
    return r->first[set + 1] - r->first[set];
}

/* How many of the person's records are published in this one. */
static uint64_t own_in(const struct attack *a, const struct person *p, uint32_t set)
{
    uint64_t n = 0;
    for (size_t i = 0; a->line && i < p->n; i++) {
        uint64_t line = a->line[a->records[p->first + i]];
        n += line != LETHE_NOT_PUBLISHED && line >= a->published->first[set] &&
             line < a->published->first[set + 1];
    }
    return n;
}

/* Nothing explains anything: every record is as good. */
static struct found anybody(const struct attack *a, const struct person *p)
{
    struct found f = {a->published->n_records, 0};
    for (size_t i = 0; a->line && i < p->n; i++)
        f.own += a->line[a->records[p->first + i]] != LETHE_NOT_PUBLISHED;
    return f;
}

static lethe_err best_of(const struct attack *a, const struct person *p, struct worker *w,
                         struct found *out)
{
    const uint32_t *set = (const uint32_t *)(const void *)w->touched.at;
    size_t n = w->touched.n / sizeof *set;
    uint64_t most = 0, bits;
    uint64_t cut = 2 * p->n_known; // what is cut off of two logarithms for each item
    for (size_t i = 0; i < n; i++) {
        LETHE_TRY(bits_of(a, w, set[i], &bits));
        LETHE_TRY(lethe_buf_put(&w->bits, &bits, sizeof bits));
        most = LETHE_MAX(most, bits);
    }
    *out = most > cut ? (struct found){0, 0} : anybody(a, p);
    for (size_t i = 0; most > cut && i < n; i++) {
        if (((const uint64_t *)(const void *)w->bits.at)[i] + cut < most) continue;
        out->candidates += copies(a->published, set[i]);
        out->own += own_in(a, p, set[i]);
    }
    return LETHE_OK;
}

static lethe_err search_one(void *arg, size_t i, unsigned number)
{
    struct attack *a = arg;
    struct person *p = &a->persons[i];
    struct worker *w = &a->workers[number];
    p->before = search_before(a, p);
    w->nodes.n = w->touched.n = w->entries.n = w->bits.n = 0;
    lethe_err e = nodes_above(a, p, &w->nodes);
    if (e == LETHE_OK) e = entries_collect(a, p, w);
    if (e == LETHE_OK) e = best_of(a, p, w, &p->after);
    const uint32_t *set = (const uint32_t *)(const void *)w->touched.at;
    for (size_t k = 0; k < w->touched.n / sizeof *set; k++)
        w->head[set[k]] = LETHE_NONE;
    lethe_ctx_advance(a->c->ctx, 1);
    return e == LETHE_OK ? LETHE_OK : no_memory(a);
}

static lethe_err search_all(struct attack *a)
{
    a->n_workers = lethe_ctx_threads(a->c->ctx);
    a->workers = lethe_new(a->arena, struct worker, a->n_workers);
    if (!a->workers) return no_memory(a);
    for (unsigned w = 0; w < a->n_workers; w++) {
        uint32_t *head = lethe_new(a->arena, uint32_t, a->published->n);
        if (!head) return no_memory(a);
        memset(head, 0xff, a->published->n * sizeof *head); // LETHE_NONE
        a->workers[w].head = head;
    }
    lethe_ctx_phase(a->c->ctx, "looking for persons", a->n_persons);
    return lethe_pool_for(a->c->ctx, a->n_persons, search_one, a);
}

/* --- the answer --- */

/* The k that is claimed, or 2: to be alone is what an anonymity of one means. */
static uint64_t claimed_k(const lethe_json *manifest)
{
    const lethe_json *claims = lethe_json_get(manifest, "claims");
    int64_t k = 2;
    for (size_t i = 0; i < lethe_json_count(claims); i++)
        k = LETHE_MAX(k, lethe_json_int(lethe_json_get(lethe_json_at(claims, i), "k")));
    return (uint64_t)k;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Over the persons drawn. */
struct summary {
    double median, under_k, among, success;
};

/* `size` is room for a number a person.  Without a map the person's own is taken to be among those
 * found. */
static struct summary summarize(const struct attack *a, bool after, uint64_t k, uint64_t *size)
{
    size_t n = a->n_persons, under = 0, among = 0;
    struct summary s = {0};
    if (n == 0) return s;
    for (size_t i = 0; i < n; i++) {
        const struct found *f = after ? &a->persons[i].after : &a->persons[i].before;
        size[i] = f->candidates;
        under += f->candidates < k;
        among += f->own > 0;
        s.success += (after && !a->line ? 1 : (double)f->own) / (double)f->candidates;
    }
    qsort(size, n, sizeof *size, by_size);
    s.median = ((double)size[(n - 1) / 2] + (double)size[n / 2]) / 2;
    s.under_k = (double)under / (double)n;
    s.among = (double)among / (double)n;
    s.success /= (double)n;
    return s;
}

static lethe_json *summary_json(lethe_json_doc *doc, const struct summary *s)
{
    lethe_json *o = lethe_json_object(doc);
    lethe_set_real(doc, o, "median", s->median);
    lethe_set_real(doc, o, "under_k", s->under_k);
    lethe_set_real(doc, o, "success", s->success);
    return o;
}

static lethe_err answer(struct attack *a, lethe_json_doc *doc, lethe_json *out)
{
    uint64_t k = claimed_k(a->c->published->manifest);
    uint64_t *size = lethe_new(a->arena, uint64_t, a->n_persons + 1);
    if (!size) return no_memory(a);
    struct summary before = summarize(a, false, k, size), after = summarize(a, true, k, size);
    lethe_set_real(doc, out, "success", after.success);
    lethe_set_real(doc, out, "baseline", before.success);
    lethe_set_count(doc, out, "persons", a->n_persons);
    lethe_set_count(doc, out, "known", a->known);
    lethe_set_count(doc, out, "k", k);
    lethe_json_set(doc, out, "confirmed", lethe_json_new_bool(doc, a->line != NULL));
    lethe_json_set(doc, out, "before", summary_json(doc, &before));
    lethe_json *o = summary_json(doc, &after);
    if (a->line) lethe_set_real(doc, o, "among", after.among);
    lethe_json_set(doc, out, "after", o);
    lethe_set_text(doc, out, "meaning", lethe_adversary_background.meaning);
    return LETHE_OK;
}

/* --- the whole --- */

static lethe_err published_take(struct attack *a)
{
    LETHE_TRY(lethe_published_records_read(a->c->ctx, a->c->published->dirfd, &a->published));
    uint32_t n = lethe_dict_count(a->published->items);
    a->node = lethe_new(a->arena, uint32_t, (size_t)n + 1);
    if (!a->node) return no_memory(a);
    for (uint32_t i = 0; i < n; i++)
        a->node[i] = lethe_tree_find(a->tree, lethe_dict_at(a->published->items, i));
    if (!a->c->map) return LETHE_OK;
    return lethe_record_map_read(a->c->ctx, a->c->map, a->original, a->published->n_records,
                                 a->arena, &a->line);
}

static lethe_err attack_run(struct attack *a, lethe_json_doc *doc, lethe_json *out)
{
    a->arena = lethe_arena_new();
    if (!a->arena) return no_memory(a);
    LETHE_TRY(published_take(a));
    LETHE_TRY(sample(a));
    LETHE_TRY(indices_build(a));
    LETHE_TRY(search_all(a));
    return answer(a, doc, out);
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct attack a = {.c = c,
                       .original = c->original.records,
                       .tree = c->original.tree,
                       .known = (uint64_t)lethe_count_of(c->values, "known")};
    lethe_err e = attack_run(&a, doc, out);
    for (unsigned w = 0; w < a.n_workers && a.workers; w++) {
        lethe_buf_free(&a.workers[w].touched);
        lethe_buf_free(&a.workers[w].entries);
        lethe_buf_free(&a.workers[w].nodes);
        lethe_buf_free(&a.workers[w].stack);
        lethe_buf_free(&a.workers[w].bits);
    }
    lethe_published_records_free(a.published);
    lethe_arena_free(a.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(lethe_ctx_diag(c->ctx));
    return e;
}

static const lethe_option options[] = {
    {.name = "known",
     .type = LETHE_OPT_COUNT,
     .arg = "M",
     .fallback = "3",
     .min = 1,
     .max = 1000,
     .help = "how many items of a person are known"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_background = {
    .name = "background",
    .summary = "how many records fit what is known of a person?",
    .shapes = LETHE_SHAPE_RECORDS,
    .options = options,
    .meaning =
        "chance to choose a person's record among the published ones that best fit a few items "
        "known "
        "of them (without --map: were it always among these); the baseline is that among the "
        "original records that hold those items",
    .run = run,
};
