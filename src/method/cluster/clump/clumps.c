/* SPDX-License-Identifier: Apache-2.0 */
/* clumps.c - the greedy grouping of Algorithm 1, phase by phase (clumps.h). */
#include "method/cluster/clump/clumps.h"
#include "method/cluster/clump/buig.h"
#include "method/cluster/clump/nearest.h"

enum {
    STEP = 256,   /* records between two checks for cancellation */
    LOPSIDED = 8, /* ratio of entries from which they are searched one by one in the other bag */
};

struct group {
    lethe_ancestors_min least; /* counts of its result: M, or of what BUIG made */
    uint64_t items, n;         /* of its records; how many */
    uint64_t mass;             /* of `least` */
    uint32_t last;             /* the record that came last; the others by h->before */
};

/* That a person is in a group. */
struct pair {
    uint64_t key;  /* 0: free; no key is 0 */
    uint32_t next; /* all open groups between this pair's and that one have the person, too */
};

struct work {
    lethe_ctx *ctx;
    const lethe_clump_options *how;
    lethe_clump_groups *out;
    uint64_t scale;
    struct group *groups;
    uint32_t n;       /* groups */
    uint32_t n_open;  /* with fewer than k persons */
    uint32_t *next;   /* of each group, and of n: itself while it is open, then a later one */
    bool several;     /* somebody has several records */
    uint32_t *before; /* of each record, the one before it in its group; LETHE_NONE: none */
    lethe_ancestors_dense *laid; /* the record at hand */
    uint32_t record;
    uint64_t mass; /* its */
    lethe_clump_nearest *nearest;
    lethe_arena *scratch; /* BUIG's */

    /* Of persons with several records; NULL where nobody has.  Open addressing. */
    struct pair *pairs;
    uint64_t pairs_mask;
    uint64_t *records_of;
    uint32_t *open_with; /* open groups that they are in */
};

/* --- persons --- */

static uint32_t person(const struct work *h, uint32_t record)
{
    return h->how->records->owner[record];
}

static bool has_several(const struct work *h, uint32_t record)
{
    return h->several && h->records_of[person(h, record)] > 1;
}

static uint64_t key_of(uint32_t group, uint32_t who) { return ((uint64_t)group << 32 | who) + 1; }

/* Where a pair is, or would be. */
static struct pair *pair_at(const struct work *h, uint32_t group, uint32_t who)
{
    uint64_t key = key_of(group, who), x = key * UINT64_C(0x9E3779B97F4A7C15);
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    uint64_t i = (x ^ x >> 32) & h->pairs_mask;
    while (h->pairs[i].key != 0 && h->pairs[i].key != key)
        i = (i + 1) & h->pairs_mask;
    return &h->pairs[i];
}

/* Is the person of the record at hand not in the group? */
static bool lacks(void *arg, uint32_t group)
{
    const struct work *h = arg;
    return pair_at(h, group, person(h, h->record))->key == 0;
}

/* --- what a group costs with the record at hand --- */

/* BUIG of the group's result and the record at hand, in the scratch. */
static lethe_err generalize(struct work *h, const struct group *g, lethe_ancestors *out)
{
    lethe_ancestors two[] = {lethe_ancestors_min_view(&g->least), h->how->vector[h->record]};
    lethe_arena_reset(h->scratch);
    return lethe_clump_buig(h->how->t, two, 2, h->scratch, out) == LETHE_OK
               ? LETHE_OK
               : lethe_no_memory(h->ctx);
}

/* The cost if the result has that mass: Definition 3 by the closed form of ancestors.h.  It falls
 * as the mass grows. */
static uint64_t cost_at(const struct work *h, const struct group *g, uint64_t mass)
{
    uint64_t size = h->how->vector[h->record].size;
    uint64_t cost = lethe_ancestors_ggd(h->how->t, g->items + size, g->n + 1, mass);
    return h->how->increase ? cost - lethe_ancestors_ggd(h->how->t, g->items, g->n, g->mass) : cost;
}

static lethe_err cost_with(void *arg, uint32_t group, uint64_t *out)
{
    struct work *h = arg;
    const struct group *g = &h->groups[group];
    const lethe_tree *t = h->how->t;
    lethe_ancestors m = lethe_ancestors_min_view(&g->least), result;
    const lethe_ancestors *v = &h->how->vector[h->record];
    uint64_t mass;
    if (h->how->buig) {
        LETHE_TRY(generalize(h, g, &result));
        mass = lethe_ancestors_mass(t, &result);
    } else { // a group of long records must not cost each short one its own length
        mass = m.n / LOPSIDED > v->n ? lethe_ancestors_overlap(t, &m, v)
                                     : lethe_ancestors_dense_overlap(h->laid, &m);
    }
    *out = cost_at(h, g, mass);
    return LETHE_OK;
}

/* --- groups --- */

/* The first open group from g on; n: none.  What is passed over is remembered. */
static uint32_t open_from(struct work *h, uint32_t g)
{
    uint32_t end = g;
    while (h->next[end] != end)
        end = h->next[end];
    while (h->next[g] != end) {
        uint32_t up = h->next[g];
        h->next[g] = end;
        g = up;
    }
    return end;
}

static void set_record(struct work *h, uint32_t record)
{
    h->record = record;
    h->mass = lethe_ancestors_mass(h->how->t, &h->how->vector[record]);
    lethe_ancestors_dense_set(h->laid, &h->how->vector[record]);
}

/* Lines 9-10, 15-16: the record at hand joins the group. */
static lethe_err join(struct work *h, uint32_t group)
{
    struct group *g = &h->groups[group];
    lethe_ancestors result = h->how->vector[h->record];
    g->items += result.size;
    if (g->n > 0 && !h->how->buig) {
        lethe_ancestors_min_meet(&g->least, &result);
    } else {
        if (g->n > 0) LETHE_TRY(generalize(h, g, &result));
        if (lethe_ancestors_min_set(&g->least, &result) != LETHE_OK) return lethe_no_memory(h->ctx);
    }
    lethe_ancestors m = lethe_ancestors_min_view(&g->least);
    g->mass = lethe_ancestors_mass(h->how->t, &m);
    g->n++;
    h->out->group[h->record] = group;
    h->before[h->record] = g->last;
    g->last = h->record;
    if (h->nearest) lethe_clump_nearest_put(h->nearest, group, g->items, g->n, &m);
    return LETHE_OK;
}

/* The same while groups fill up: then each record of a group is another person's. */
static lethe_err join_open(struct work *h, uint32_t group)
{
    uint32_t who = person(h, h->record);
    LETHE_TRY(join(h, group));
    if (has_several(h, h->record)) {
        *pair_at(h, group, who) = (struct pair){key_of(group, who), group + 1};
        h->open_with[who]++;
    }
    if (h->groups[group].n < h->how->k) return LETHE_OK;
    h->next[group] = group + 1; // it is full, and closed
    h->n_open--;
    if (h->nearest) lethe_clump_nearest_remove(h->nearest, group);
    for (uint32_t i = h->groups[group].last; h->several && i != LETHE_NONE; i = h->before[i])
        if (has_several(h, i)) h->open_with[person(h, i)]--;
    return LETHE_OK;
}

/* --- searching --- */

/* The first open group from g on that lacks the person of the record at hand; n: none.  What is
 * passed over is remembered: groups only close, and persons only join. */
static uint32_t may_from(struct work *h, uint32_t g)
{
    uint32_t who = person(h, h->record), first = open_from(h, g), end = first;
    if (!has_several(h, h->record)) return first;
    for (const struct pair *p; end < h->n && (p = pair_at(h, end, who))->key != 0;)
        end = open_from(h, p->next);
    while (first < end) {
        struct pair *p = pair_at(h, first, who);
        first = open_from(h, p->next);
        p->next = end;
    }
    return end;
}

/* The best of the first r open groups that lack the record's person; LETHE_NONE: none does. */
static lethe_err find_among_first(struct work *h, uint32_t *out)
{
    uint64_t best = UINT64_MAX, cost, found = 0;
    *out = LETHE_NONE;
    for (uint32_t g = may_from(h, 0); g < h->n && found < h->how->r; g = may_from(h, g + 1)) {
        found++;
        // no result is better than both that it comes from
        uint64_t most = LETHE_MIN(h->mass, h->groups[g].mass);
        if (*out != LETHE_NONE && cost_at(h, &h->groups[g], most) >= best) continue;
        LETHE_TRY(cost_with(h, g, &cost));
        h->out->scored++;
        if (*out == LETHE_NONE || cost < best) {
            best = cost;
            *out = g;
        }
    }
    return LETHE_OK;
}

static lethe_err find_nearest(struct work *h, bool lacking, uint32_t *out)
{
    lethe_clump_nearest_query ask = {
        .arg = h, .may = lacking && has_several(h, h->record) ? lacks : NULL, .cost = cost_with};
    return lethe_clump_nearest_find(h->nearest, &h->how->vector[h->record], &ask, out,
                                    &h->out->scored);
}

/* --- the phases --- */

static lethe_err make_index(struct work *h)
{
    const lethe_clump_options *how = h->how;
    if (h->nearest) return LETHE_OK;
    return lethe_clump_nearest_new(how->t, how->vector, how->records->n, h->n, how->increase,
                                   &h->nearest) == LETHE_OK
               ? LETHE_OK
               : lethe_no_memory(h->ctx);
}

/* Lines 6-12. */
static lethe_err fill_groups(struct work *h)
{
    for (size_t i = 0; i < h->how->records->n && h->n_open > 0; i++) {
        uint32_t record = h->how->order[i], group;
        if (i % STEP == 0) {
            lethe_ctx_advance(h->ctx, LETHE_MIN(STEP, h->how->records->n - i));
            if (lethe_ctx_cancelled(h->ctx)) return LETHE_ECANCEL;
        }
        if (h->out->group[record] != LETHE_NONE) continue;
        if (has_several(h, record) && h->open_with[person(h, record)] == h->n_open) continue;
        set_record(h, record);
        h->out->open += h->n_open;
        LETHE_TRY(h->nearest ? find_nearest(h, true, &group) : find_among_first(h, &group));
        assert(group != LETHE_NONE); // an open group lacks the person
        LETHE_TRY(join_open(h, group));
    }
    return LETHE_OK;
}

/* Lines 13-17. */
static lethe_err place_rest(struct work *h)
{
    bool indexed = false;
    for (size_t i = 0; i < h->how->records->n; i++) {
        uint32_t record = h->how->order[i], group;
        if (i % STEP == 0 && lethe_ctx_cancelled(h->ctx)) return LETHE_ECANCEL;
        if (h->out->group[record] != LETHE_NONE) continue;
        if (!indexed) LETHE_TRY(make_index(h));
        for (uint32_t k = 0; !indexed && k < h->n; k++) {
            const struct group *g = &h->groups[k];
            lethe_ancestors m = lethe_ancestors_min_view(&g->least);
            if (g->n > 0) lethe_clump_nearest_put(h->nearest, k, g->items, g->n, &m);
        }
        indexed = true;
        set_record(h, record);
        h->out->open += lethe_clump_nearest_count(h->nearest);
        LETHE_TRY(find_nearest(h, false, &group));
        LETHE_TRY(join(h, group));
    }
    return LETHE_OK;
}

/* --- the result --- */

/* Numbers groups anew, without those that were dissolved. */
static lethe_err number_groups(struct work *h, lethe_arena *a)
{
    uint32_t *number = h->next, n = 0;
    for (uint32_t g = 0; g < h->n; g++)
        number[g] = h->groups[g].n > 0 ? n++ : LETHE_NONE;
    for (size_t i = 0; i < h->how->records->n; i++)
        h->out->group[i] = number[h->out->group[i]];
    h->out->n = n;
    if (!h->how->buig) return LETHE_OK;
    h->out->result = lethe_new(a, lethe_clump_bag, n);
    if (!h->out->result) return lethe_no_memory(h->ctx);
    for (uint32_t g = 0; g < h->n; g++) {
        const struct group *from = &h->groups[g];
        if (from->n == 0) continue;
        lethe_ancestors counts = lethe_ancestors_min_view(&from->least);
        uint32_t *item;
        size_t n_items;
        if (lethe_ancestors_items(h->how->t, &counts, a, &item, &n_items) != LETHE_OK)
            return lethe_no_memory(h->ctx);
        h->out->result[number[g]] = (lethe_clump_bag){item, n_items};
    }
    return LETHE_OK;
}

static lethe_err open_work(struct work *h, lethe_arena *a)
{
    const lethe_clump_options *how = h->how;
    const lethe_records *r = how->records;
    size_t n_records = r->n;
    if (!how->each && r->n_owners != r->n) {
        uint64_t n_pairs = 0, room = 16;
        h->several = true;
        h->records_of = lethe_alloc_zero(r->n_owners, sizeof *h->records_of);
        h->open_with = lethe_alloc_zero(r->n_owners, sizeof *h->open_with);
        if (!h->records_of || !h->open_with) return lethe_no_memory(h->ctx);
        for (size_t i = 0; i < r->n; i++)
            h->records_of[r->owner[i]]++;
        for (uint32_t p = 0; p < r->n_owners; p++)
            if (h->records_of[p] > 1) n_pairs += h->records_of[p];
        while (room < 2 * n_pairs)
            room *= 2;
        h->pairs = lethe_alloc_zero(room, sizeof *h->pairs);
        h->pairs_mask = room - 1;
        if (!h->pairs) return lethe_no_memory(h->ctx);
    }
    h->n = h->n_open =
        (uint32_t)(h->several ? lethe_clump_most_groups(h->records_of, r->n_owners, how->k)
                              : n_records / how->k);
    assert(h->n > 0);
    h->scale = lethe_tree_scale(how->t);
    h->groups = lethe_alloc_zero(h->n, sizeof *h->groups);
    h->next = lethe_alloc((size_t)h->n + 1, sizeof *h->next);
    h->before = lethe_alloc(n_records, sizeof *h->before);
    h->laid = lethe_ancestors_dense_new(how->t);
    h->scratch = lethe_arena_new();
    h->out->group = lethe_new(a, uint32_t, n_records);
    if (!h->groups || !h->next || !h->before || !h->laid || !h->scratch || !h->out->group)
        return lethe_no_memory(h->ctx);
    for (uint32_t g = 0; g <= h->n; g++) {
        h->next[g] = g;
        if (g < h->n) h->groups[g].last = LETHE_NONE;
    }
    for (size_t i = 0; i < n_records; i++)
        h->out->group[i] = LETHE_NONE;
    return LETHE_OK;
}

static lethe_err run_phases(struct work *h, lethe_arena *a)
{
    uint64_t n = h->how->records->n;
    lethe_ctx_phase(h->ctx, "clusters", n);
    LETHE_TRY(open_work(h, a));
    if (h->how->r >= h->n) LETHE_TRY(make_index(h));
    for (uint32_t i = 0; i < h->n; i++) { // lines 3-5
        set_record(h, h->how->order[h->several ? i * n / h->n : i * h->how->k]);
        LETHE_TRY(join_open(h, i));
    }
    LETHE_TRY(fill_groups(h));
    // the records of groups that cannot be filled are left
    assert(h->n_open < h->n); // see clumps.h
    for (uint32_t group = open_from(h, 0); group < h->n; group = open_from(h, group + 1)) {
        struct group *g = &h->groups[group];
        for (uint32_t i = g->last; i != LETHE_NONE; i = h->before[i])
            h->out->group[i] = LETHE_NONE;
        lethe_ancestors_min_free(&g->least);
        *g = (struct group){.last = LETHE_NONE};
        if (h->nearest) lethe_clump_nearest_remove(h->nearest, group);
    }
    LETHE_TRY(place_rest(h));
    return number_groups(h, a);
}

lethe_err lethe_clump_run(lethe_ctx *ctx, const lethe_clump_options *how, lethe_arena *a,
                          lethe_clump_groups *out)
{
    lethe_clump_groups clumps = {0};
    struct work h = {.ctx = ctx, .how = how, .out = &clumps};
    lethe_err err = run_phases(&h, a);
    for (uint32_t g = 0; h.groups && g < h.n; g++)
        lethe_ancestors_min_free(&h.groups[g].least);
    lethe_ancestors_dense_free(h.laid);
    lethe_clump_nearest_free(h.nearest);
    lethe_arena_free(h.scratch);
    void *const all[] = {h.groups, h.next, h.before, h.pairs, h.records_of, h.open_with};
    for (size_t i = 0; i < LETHE_COUNT(all); i++)
        lethe_free(all[i]);
    if (err == LETHE_OK) *out = clumps;
    return err;
}
