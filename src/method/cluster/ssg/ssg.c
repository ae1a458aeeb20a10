/* SPDX-License-Identifier: Apache-2.0 */
/* ssg.c - groups of k persons with vocabularies of similar meaning, each published as the typical
 * vocabulary of its group.  J. Liu, "Enhancing Utility in Privacy Preserving Data Publishing",
 * Simon Fraser University, 2010, chapter 5: Algorithm 5.1 (vocabulary.h), semantic distance
 * (meaning.h), the centre of a group (hyper.h) and bLM (section 5.5.1.2).  Beyond the thesis:
 * persons,
 * --min-owners, and groups refined while bLM falls (refine_blm.h). */
#include "method/method.h"
#include "algo/generalized.h"
#include "method/cluster/refine/refine_blm.h"
#include "method/cluster/partition/topdown.h"
#include "io/json/json.h"
#include "core/sort.h"
#include <stdlib.h>

enum centre { CENTRE_VOTE, CENTRE_ANCESTOR, CENTRE_BAG }; /* as the choices of --centre */
enum nearest { NEAREST_CENTRE, NEAREST_MEMBERS };         /* as those of --nearest */
enum metric { METRIC_TREE, METRIC_NETWORK, METRIC_FILE }; /* the words of --metric, and a file */

/* An item and who has it. */
struct use {
    uint32_t person, item;
};

struct ssg {
    lethe_run *run;
    lethe_result *out;
    const lethe_tree *t;
    const lethe_records *r;
    enum centre centre;
    enum metric metric;
    uint64_t min_owners;
    uint32_t epsilon; /* of a file of distances: millionths */
    lethe_meaning *meaning;
    lethe_ssg_options how;
    lethe_ssg_groups groups;

    lethe_arena *arena;
    uint32_t **item; /* what each group publishes: nodes and bags */
    uint32_t *n_items;
    struct use *use; /* of the group at hand, by person and item */
    size_t n_uses, room_uses;
    uint32_t *used; /* the items of these, ascending */
    uint32_t *meet; /* what two that follow each other are below, of each person; ascending */
    size_t n_meets;
    uint32_t *bag;  /* the terms of the hyper-term at hand */
    uint8_t *shown; /* of each node: is it published, or in a bag? */
    uint64_t lost;  /* scaled */
    uint64_t empty, published, distinct, distinct_before;
};

static lethe_diag *diag(const struct ssg *h) { return lethe_ctx_diag(h->run->ctx); }
static lethe_err with_message(const struct ssg *h, lethe_err err)
{
    if (err == LETHE_ENOMEM) return lethe_no_memory(diag(h));
    if (err == LETHE_EINPUT)
        return lethe_fail(diag(h), err, "two vocabularies have too many pairs of terms to match");
    return err;
}

/* In a tree of one leaf nothing is ambiguous, and loss is what is not published. */
static uint64_t scale(const struct ssg *h) { return LETHE_MAX(lethe_tree_scale(h->t), 1); }

/* --- epsilon and omega --- */

enum { EPSILON_TERMS = 2048 }; /* whose distances decide about --epsilon auto: all, if so few */

/* The lower quartile of the distances, in edges, of two different terms: a term may stand for the
 * nearest quarter of the others.  On nouns of search logs that is 12 to 14, the thesis' 6 taken as
 * levels, each an edge up and one down.  Of more terms than EPSILON_TERMS, evenly spaced ones are
 * asked. */
static lethe_err epsilon_auto(const struct ssg *h, const uint32_t *term, size_t n, uint32_t *out)
{
    size_t n_asked = LETHE_MIN(n, EPSILON_TERMS), distances = 2 * (size_t)h->t->height + 1;
    uint64_t n_pairs = n_asked ? n_asked * (n_asked - 1) / 2 : 0;
    uint64_t *pairs = lethe_alloc_zero(distances, sizeof *pairs); // at each distance
    if (!pairs) return lethe_no_memory(diag(h));
    for (size_t i = 0; i < n_asked; i++)
        for (size_t k = 0; k < i; k++)
            pairs[lethe_tree_distance(h->t, term[i * n / n_asked], term[k * n / n_asked])]++;
    *out = 0;
    for (uint64_t nearer = pairs[0]; 4 * nearer < n_pairs; nearer += pairs[*out])
        ++*out;
    lethe_free(pairs);
    return LETHE_OK;
}

/* A number of edges or links or, with a file of distances, of millionths. */
static lethe_err read_distance(const struct ssg *h, const char *option, const lethe_value *v,
                               bool round, uint64_t *out)
{
    if (h->metric == METRIC_FILE) {
        uint32_t weight = 0;
        const char *fault = lethe_edge_weight(lethe_str_of(v->text), &weight);
        if (fault) return lethe_fail(diag(h), LETHE_EUSAGE, "--%s: %s", option, fault);
        *out = weight;
        return LETHE_OK;
    }
    uint64_t whole = (uint64_t)(v->count ? 2 * v->real : v->real); // a level is two edges
    if (!round && (double)whole < v->real)
        return lethe_fail(diag(h), LETHE_EUSAGE,
                          "--%s: distances are whole numbers with this metric", option);
    *out = whole;
    return LETHE_OK;
}

static lethe_err read_epsilon(const struct ssg *h, const uint32_t *term, size_t n, uint32_t *out)
{
    const lethe_value *v = lethe_value_of(h->run->values, "epsilon");
    uint64_t epsilon = 0;
    if (h->metric == METRIC_FILE && v->word)
        return lethe_fail(diag(h), LETHE_EUSAGE,
                          "--epsilon auto does not work with a file of distances: it counts "
                          "edges of the taxonomy; give a number");
    if (h->metric != METRIC_TREE && !v->word && v->count)
        return lethe_fail(diag(h), LETHE_EUSAGE,
                          "--epsilon: levels are those of the taxonomy; with this metric, give a "
                          "distance");
    if (v->word) return epsilon_auto(h, term, n, out);
    LETHE_TRY(read_distance(h, "epsilon", v, true, &epsilon));
    *out = (uint32_t)LETHE_MIN(epsilon, UINT32_MAX - 1);
    return LETHE_OK;
}

/* --- meaning --- */

static lethe_err open_meaning(struct ssg *h)
{
    lethe_ctx *ctx = h->run->ctx;
    uint32_t *term = NULL;
    size_t n = 0;
    lethe_wordnet *wn = NULL;
    lethe_edges *edges = NULL;
    lethe_err err;
    const lethe_value *v = lethe_value_of(h->run->values, "omega");
    lethe_assign_omega *omega = &h->how.matcher.omega;
    omega->kind = !v->present ? LETHE_ASSIGN_OMEGA_OVER
                  : v->word   ? LETHE_ASSIGN_OMEGA_NONE
                              : LETHE_ASSIGN_OMEGA_IS;
    if (omega->kind == LETHE_ASSIGN_OMEGA_IS)
        LETHE_TRY(read_distance(h, "omega", v, false, &omega->value));
    LETHE_TRY(with_message(h, lethe_ssg_terms(h->r, &term, &n)));
    h->distinct_before = n;
    err = read_epsilon(h, term, n, &h->epsilon);
    lethe_meaning_terms terms = {.at = term, .n = n, .name = lethe_meaning_tree_name, .arg = h->t};
    lethe_ctx_phase(ctx, "meaning", 0);
    if (err != LETHE_OK) {
        // said already
    } else if (h->metric == METRIC_TREE) {
        err = lethe_meaning_tree(ctx, h->t, &terms, h->epsilon, &h->meaning);
    } else if (h->metric == METRIC_NETWORK) {
        err = lethe_wordnet_open(ctx, NULL, &wn);
        if (err == LETHE_OK) err = lethe_meaning_network(ctx, wn, &terms, h->epsilon, &h->meaning);
        lethe_wordnet_free(wn);
    } else {
        const char *path = lethe_value_of(h->run->values, "metric")->text;
        lethe_naming naming =
            h->r->lines ? LETHE_NAMES_TERMS : LETHE_NAMES_ITEMS; // as the records'
        err = lethe_edges_read(ctx, path, naming, &edges);
        if (err == LETHE_OK) err = lethe_meaning_edges(ctx, edges, &terms, h->epsilon, &h->meaning);
        lethe_edges_free(edges);
    }
    lethe_free(term);
    h->how.matcher.meaning = h->meaning;
    return err;
}

/* --- what a group publishes --- */

static int by_person(const void *a, const void *b)
{
    const struct use *x = a, *y = b;
    if (x->person != y->person) return x->person > y->person ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

/* Who of the group uses what; *persons: how many use anything. */
static lethe_err list_uses(struct ssg *h, uint32_t g, uint64_t *persons)
{
    const lethe_ssg_groups *all = &h->groups;
    size_t n = 0, room = (size_t)all->hyper[g].items;
    if (room > h->room_uses) {
        struct use *use = lethe_realloc(h->use, room, sizeof *use);
        if (use) h->use = use;
        uint32_t *used = lethe_realloc(h->used, room, sizeof *used);
        if (used) h->used = used;
        uint32_t *meet = lethe_realloc(h->meet, room, sizeof *meet);
        if (meet) h->meet = meet;
        if (!use || !used || !meet) return lethe_no_memory(diag(h));
        h->room_uses = room;
    }
    for (uint32_t i = all->first[g]; i < all->first[g + 1]; i++) {
        uint32_t record = all->member[i], person = h->how.each ? record : h->r->owner[record];
        for (uint64_t k = h->r->start[record]; k < h->r->start[record + 1]; k++)
            h->use[n++] = (struct use){person, h->r->item[k]};
    }
    if (n > 0) qsort(h->use, n, sizeof *h->use, by_person);
    h->n_uses = n;
    h->n_meets = 0;
    for (size_t i = 0; i < n; i++) {
        h->used[i] = h->use[i].item;
        if (i > 0 && h->use[i].person == h->use[i - 1].person)
            h->meet[h->n_meets++] = lethe_tree_lca(h->t, h->use[i - 1].item, h->use[i].item);
    }
    *persons = n - h->n_meets;
    if (n > 0) qsort(h->used, n, sizeof *h->used, lethe_u32_cmp);
    if (h->n_meets > 0) qsort(h->meet, h->n_meets, sizeof *h->meet, lethe_u32_cmp);
    return LETHE_OK;
}

/* The lowest node at or above v such that enough persons of the group used a term at or below it;
 * LETHE_NONE: none is.  A person's terms there follow each other in preorder, and the lowest common
 * ancestors of neighbours are there, too: one fewer than the terms, so that the difference counts
 * the person once. */
static uint32_t climb(const struct ssg *h, uint32_t v)
{
    for (; v != LETHE_NONE; v = h->t->parent[v]) {
        uint32_t end = h->t->end[v];
        size_t terms = lethe_gallop(h->used, h->n_uses, end) - lethe_gallop(h->used, h->n_uses, v);
        size_t meets =
            lethe_gallop(h->meet, h->n_meets, end) - lethe_gallop(h->meet, h->n_meets, v);
        if (terms - meets >= h->min_owners) break;
    }
    return v;
}

/* What is published for hyper-term i; LETHE_NONE: nothing.  Section 5.4.2: the elected term, the
 * lowest common ancestor of all members (the third method), or all members (the second method), in
 * ascending order without those below another one, which would say nothing more; each replaced by
 * the ancestor that enough persons used. */
static lethe_err choose_item(struct ssg *h, const lethe_hyper *y, uint32_t i, uint32_t *item)
{
    size_t n = 0, kept = 0;
    if (h->centre != CENTRE_BAG) {
        uint32_t v = lethe_hyper_elect(y, i);
        for (uint32_t k = y->start[i]; h->centre == CENTRE_ANCESTOR && k < y->start[i + 1]; k++)
            v = lethe_tree_lca(h->t, v, y->voter[k].term);
        h->bag[0] = v = climb(h, v);
        kept = v != LETHE_NONE;
    } else {
        for (uint32_t k = y->start[i]; k < y->start[i + 1]; k++) {
            h->bag[n] = climb(h, y->voter[k].term);
            if (h->bag[n] != LETHE_NONE) n++;
        }
        if (n > 0) qsort(h->bag, n, sizeof *h->bag, lethe_u32_cmp);
        for (size_t k = 0; k < n; k++)
            if (kept == 0 || !lethe_tree_covers(h->t, h->bag[kept - 1], h->bag[k]))
                h->bag[kept++] = h->bag[k];
    }
    for (size_t k = 0; k < kept; k++) {
        h->distinct += !h->shown[h->bag[k]];
        h->shown[h->bag[k]] = 1;
    }
    *item = kept > 0 ? h->bag[0] : LETHE_NONE;
    return kept > 1 ? h->out->bag(h->out, h->bag, kept, item) : LETHE_OK;
}

static lethe_err prepare_group(struct ssg *h, uint32_t g)
{
    const lethe_hyper *y = &h->groups.hyper[g];
    uint64_t persons = 0;
    LETHE_TRY(list_uses(h, g, &persons));
    h->item[g] = lethe_new(h->arena, uint32_t, y->n);
    if (!h->item[g]) return lethe_no_memory(diag(h));
    h->lost += lethe_hyper_loss(y, scale(h));
    for (uint32_t i = 0; i < y->n; i++) {
        uint32_t item = LETHE_NONE;
        if (persons >= h->min_owners) LETHE_TRY(choose_item(h, y, i, &item));
        if (item != LETHE_NONE)
            h->item[g][h->n_items[g]++] = item;
        else // all its members are lost, not only which of them it is
            h->lost += y->n_records * (scale(h) - (y->start[i + 1] - y->start[i] - 1));
    }
    h->published += (uint64_t)h->n_items[g] * y->n_records;
    if (h->n_items[g] == 0) h->empty += y->n_records;
    return LETHE_OK;
}

static lethe_err prepare(struct ssg *h)
{
    uint32_t n = h->groups.n, largest = 1;
    for (uint32_t g = 0; g < n; g++) // a hyper-term has a member of each record
        largest = LETHE_MAX(largest, h->groups.hyper[g].n_records);
    h->item = lethe_new(h->arena, uint32_t *, n);
    h->n_items = lethe_new(h->arena, uint32_t, n);
    h->shown = lethe_new(h->arena, uint8_t, h->t->n);
    h->bag = lethe_new(h->arena, uint32_t, largest);
    if (!h->item || !h->n_items || !h->shown || !h->bag) return lethe_no_memory(diag(h));
    for (uint32_t g = 0; g < h->groups.n; g++) {
        LETHE_TRY(prepare_group(h, g));
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
    }
    if (h->published == 0)
        return lethe_fail(diag(h), LETHE_ANSWER_NO,
                          "nothing to publish: no group has a term in common that enough of its "
                          "members used");
    if (h->empty > 0)
        lethe_warn(diag(h),
                   "%llu of %zu records are published empty: their groups have nothing in common",
                   (unsigned long long)h->empty, h->r->n);
    return LETHE_OK;
}

/* --- the method --- */

static double share(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static lethe_err run_phases(struct ssg *h)
{
    int64_t rounds = lethe_count_of(h->run->values, "refine");
    uint64_t n = h->how.each ? h->r->n : h->r->n_owners;
    if (n < h->how.k)
        return lethe_fail(diag(h), LETHE_ANSWER_NO,
                          "fewer than k %s: there are %llu, and k is %llu",
                          h->how.each ? "records" : "persons", (unsigned long long)n,
                          (unsigned long long)h->how.k);
    LETHE_TRY(lethe_generalized_fits(diag(h), h->r, h->t));
    h->arena = lethe_arena_new();
    if (!h->arena) return lethe_no_memory(diag(h));
    LETHE_TRY(open_meaning(h));
    LETHE_TRY(lethe_ssg_run(h->run->ctx, &h->how, &h->groups));
    if (rounds > 0)
        LETHE_TRY(with_message(
            h, lethe_refine_blm(h->run->ctx, &h->how, scale(h), (uint64_t)rounds, &h->groups)));
    LETHE_TRY(prepare(h));
    const lethe_ssg_groups *all = &h->groups;
    for (uint32_t g = 0; g < all->n; g++) {
        for (uint32_t i = all->first[g]; i < all->first[g + 1]; i++)
            LETHE_TRY(h->out->record(h->out, all->member[i], g, h->item[g], h->n_items[g]));
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
    }
    lethe_json_doc *doc = h->out->doc;
    lethe_json *m = h->out->metrics;
    uint64_t items = h->r->start[h->r->n];
    lethe_set_real(doc, m, "blm", share(h->lost, items) / (double)scale(h));
    lethe_set_real(doc, m, "epsilon", h->epsilon / (h->metric == METRIC_FILE ? 1e6 : 1));
    lethe_set_count(doc, m, "clusters", all->n);
    lethe_set_real(doc, m, "distinct_terms_share", share(h->distinct, h->distinct_before));
    lethe_set_real(doc, m, "avg_size_share", share(h->published, items));
    lethe_set_count(doc, m, "empty", h->empty);
    lethe_set_count(doc, m, "pairs", all->pairs);
    lethe_set_real(doc, m, "pairs_share", share(all->pairs, all->pairs_all));
    return lethe_json_failed(doc) ? lethe_no_memory(diag(h)) : LETHE_OK;
}

/* The thesis' own is the centre; with --centre bag that is what all members have. */
static bool by_members(const lethe_values *v)
{
    const lethe_value *nearest = lethe_value_of(v, "nearest");
    if (nearest->present) return nearest->count == NEAREST_MEMBERS;
    return lethe_count_of(v, "refine") > 0 || lethe_count_of(v, "centre") == CENTRE_BAG;
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    const lethe_values *v = run->values;
    const lethe_value *metric = lethe_value_of(v, "metric");
    struct ssg h = {
        .run = run,
        .out = out,
        .t = in->tree,
        .r = in->records,
        .centre = (enum centre)lethe_count_of(v, "centre"),
        .metric = !metric->word        ? METRIC_FILE
                  : metric->count == 0 ? METRIC_TREE
                                       : METRIC_NETWORK,
        .min_owners = (uint64_t)lethe_count_of(v, "min-owners"),
        .how = {.records = in->records,
                .matcher = {.greedy = lethe_count_of(v, "matching") == 1},
                .each = lethe_count_of(v, "persons") == 1,
                .by_members = by_members(v),
                .k = (uint64_t)lethe_count_of(v, "k")},
    };
    lethe_err err = run_phases(&h);
    lethe_ssg_groups_free(&h.groups);
    lethe_meaning_free(h.meaning);
    lethe_free(h.use);
    lethe_free(h.used);
    lethe_free(h.meet);
    lethe_arena_free(h.arena);
    return err;
}

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    int64_t centre = lethe_count_of(v, "centre");
    size_t n = 0;
    if (lethe_count_of(v, "min-owners") < 2 && centre != CENTRE_ANCESTOR)
        out[n++] = "--min-owners 1: a published term may have been used by a single person of the "
                   "group, exactly as published.";
    if (centre != CENTRE_ANCESTOR)
        out[n++] = "What is published for a record is typical of its group and need not be true of "
                   "the record: terms are replaced by others of similar meaning.";
    if (centre == CENTRE_BAG)
        out[n++] = "--centre bag: an item lists every term that its group used in this place, or "
                   "its ancestor. This tells more about the group than one typical term: at least "
                   "--min-owners persons used each of the others, too.";
    return n + lethe_record_warns(v, out + n);
}

/* --- memory --- */

enum { SAMPLED = 64, NEAR_WHOLE = 12 << 20, NEAR_MOST = 16 << 20 }; /* as in neighbourhoods.c */

/* How many pairs of terms are near each other, from some of them. */
static uint64_t near_pairs(const lethe_values *v, const lethe_data *in)
{
    const lethe_value *epsilon = lethe_value_of(v, "epsilon");
    const lethe_tree *t = in->tree;
    const lethe_records *r = in->records;
    uint64_t n = 0, near = 0, asked = 0, n_items = r->start[r->n];
    // auto, about a quarter of all pairs, is found later: 12 to 14 edges on a log (docs/ssg.md)
    double edges = epsilon->word ? 14 : epsilon->count ? 2 * epsilon->real : epsilon->real;
    double most = lethe_value_of(v, "metric")->word ? edges : 1e9;
    uint8_t *seen = lethe_alloc_zero(t->n, 1);
    if (!seen || n_items == 0) {
        lethe_free(seen);
        return 0; // the method will lack memory, and say so
    }
    for (uint64_t i = 0; i < n_items; i++) {
        n += !seen[r->item[i]];
        seen[r->item[i]] = 1;
    }
    lethe_free(seen);
    for (uint64_t i = 0; i < SAMPLED; i++)
        for (uint64_t k = 0; k < SAMPLED; k++, asked++) {
            uint32_t a = r->item[i * (n_items / SAMPLED) % n_items],
                     b = r->item[(k * (n_items / SAMPLED) + n_items / SAMPLED / 2) % n_items];
            uint32_t above = lethe_tree_lca(t, a, b);
            near += t->level[a] + t->level[b] - 2.0 * t->level[above] <= most;
        }
    return (uint64_t)((double)near / (double)asked * (double)n * (double)n);
}

/* Terms near each term, 8 bytes each (neighbourhoods.c); the index of candidates, 12 bytes per item
 * and 60 per record (vocabulary_search.h); the vocabularies of groups and, to refine these, of
 * their members without each one, 4 bytes per item and person (refine_blm.h). */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    uint64_t near = in ? near_pairs(v, in) : 0, k = (uint64_t)lethe_count_of(v, "k");
    if (s->expected) // the taxonomy is not there yet: all may be near
        near = LETHE_MIN(s->distinct, UINT32_MAX) * LETHE_MIN(s->distinct, UINT32_MAX);
    if (near > NEAR_WHOLE) near = LETHE_MIN(near, NEAR_WHOLE + NEAR_WHOLE / 20);
    return 8 * near + 100 * s->n + (16 + 4 * LETHE_MIN(k, 32)) * s->parts;
}

/* --- the descriptor --- */

static const lethe_option options[] = {
    LETHE_RECORD_OPTIONS,
    LETHE_K_OPTION,
    {.name = "epsilon",
     .type = LETHE_OPT_REAL,
     .arg = "X|Xl|auto",
     .word = "auto",
     .unit = 'l',
     .fallback = "auto",
     .min = 0,
     .max = 2e9,
     .help = "greatest distance of two terms that may stand for each other: edges of the taxonomy "
             "between them, or levels (6l is 12 edges); auto: the distance "
             "within which a quarter of all pairs of terms are"},
    {.name = "omega",
     .type = LETHE_OPT_REAL,
     .arg = "X|none",
     .word = "none",
     .min = 0,
     .max = 4e9,
     .help = "cost of an unmatched term; none: no cost [default: more than any distance]"},
    {.name = "matching",
     .type = LETHE_OPT_CHOICE,
     .arg = "exact|greedy",
     .fallback = "exact",
     .help = "how terms are matched: at the least total cost, or the nearest pair first, as the "
             "thesis' program does"},
    {.name = "centre",
     .type = LETHE_OPT_CHOICE,
     .arg = "vote|ancestor|bag",
     .fallback = "vote",
     .help = "what is published for matched terms: the one nearest to all, their lowest common "
             "ancestor, or all of them"},
    {.name = "nearest",
     .type = LETHE_OPT_CHOICE,
     .arg = "centre|members",
     .help = "what the next record of a group is compared with: the terms elected so far, as in "
             "the thesis, or all matched terms [default: members; centre with --refine 0 unless "
             "--centre is bag]"},
    {.name = "min-owners",
     .type = LETHE_OPT_COUNT,
     .arg = "T",
     .fallback = "2",
     .min = 1,
     .max = 1e9,
     .help = "persons of a group who must have used a published term; a term that fewer used is "
             "replaced by its lowest ancestor for which that holds, or by nothing"},
    {.name = "metric",
     .type = LETHE_OPT_PATH,
     .arg = "tree|network|FILE",
     .word = "tree|network",
     .fallback = "tree",
     .help = "how distances are measured: in edges of the taxonomy, in links of WordNet, or by a "
             "file of term, term and distance"},
    {.name = "refine",
     .type = LETHE_OPT_COUNT,
     .arg = "ROUNDS",
     .fallback = "20",
     .min = 0,
     .max = 1e6,
     .help = "maximum rounds in which records change groups to lower bLM; 0 gives the thesis' "
             "result"},
    {0},
};

static const lethe_figure figures[] = {
    {"blm",
     "mean loss per item: for a published one the other terms that it may stand for, as a share of "
     "the taxonomy's leaves, and 1 for a suppressed one",
     -1, .kind = LETHE_FIGURE_SHARE},
    {"epsilon",
     "greatest distance of two terms that were matched: edges of the taxonomy, or what --metric "
     "counts",
     0, .kind = LETHE_FIGURE_NUMBER},
    {"clusters", "groups of equal published records", .better = 0},
    {"distinct_terms_share", "distinct terms published, as a share of those of the input", 1,
     .kind = LETHE_FIGURE_NUMBER},
    {"avg_size_share", "mean size of a published record, as a share of that of the input", 1,
     .kind = LETHE_FIGURE_NUMBER},
    {"empty", "records published empty because their group has nothing in common", -1,
     .source = LETHE_FIGURE_RELEASE},
    {"pairs", "pairs of a record and a group that were matched to find the nearest", .better = 0},
    {"pairs_share", "the same as a share of the pairs that a full scan would match", 0,
     .kind = LETHE_FIGURE_NUMBER},
    {0},
};

static const char *const caveats[] = {
    "A term that at least --min-owners persons of a group used is published as they typed it. "
    "Anyone who knows that a person is in a group knows that the person used something close to "
    "each of its terms: groups need not be diverse.",
    "Releases of the same or of overlapping data are not protected together: groups that differ "
    "can be intersected.",
    "The length of a published record shows the least number of terms that each member of its "
    "group has.",
    NULL,
};

const lethe_method lethe_method_ssg = {
    .name = "ssg",
    .summary = "publish the typical record of each group of k persons, grouped by meaning",
    .description =
        "Puts vocabularies (records of terms) of similar meaning into groups of at least k "
        "persons, and publishes each as the typical vocabulary of its group. Terms of two "
        "vocabularies are matched one to one, as many as possible at the least sum of "
        "distances; terms further apart than --epsilon are not matched. Terms that are matched "
        "throughout a group are published as one of them, by default the one nearest to all; "
        "the others are suppressed. The loss is bLM: a published term that stands for d "
        "distinct terms loses (d - 1) / (M - 1), with M leaves in the taxonomy, and a "
        "suppressed one loses 1.\n"
        "\n"
        "The thesis' algorithm sorts vocabularies by size; the first begins a group, and the "
        "nearest of the others joins it until there are k, and so on while there are enough; "
        "the rest join the nearest group. The nearest is found exactly, by bounds that leave "
        "out most pairs. --refine 0 --min-owners 1 --persons record gives this result. By "
        "default, the nearest is the one that would be matched best with all members of the "
        "group, not with the terms elected so far (--nearest), and then records change groups, "
        "in rounds, while bLM falls and every group keeps its k persons.\n"
        "\n"
        "A term that fewer than --min-owners persons of a group used is not published, but its "
        "lowest ancestor in the taxonomy below which enough of them used a term. With --centre "
        "ancestor the lowest common ancestor of all matched terms is published, which is true "
        "of all members. With --centre bag all matched terms, or their ancestors, are "
        "published: names joined by `|`, one of which is true of each member.\n"
        "\n"
        "A person with several records counts once per group. A group that cannot be filled is "
        "dissolved, and its records join the nearest other groups. --persons record counts "
        "records, as the thesis does.",
    .paper = "J. Liu, \"Enhancing Utility in Privacy Preserving Data Publishing\", PhD thesis, "
             "Simon Fraser University, 2010, chapter 5",
    .in = LETHE_SHAPE_LOG | LETHE_SHAPE_RECORDS,
    .out = LETHE_SHAPE_RECORDS,
    .options = options,
    .knowledge = "taxonomy",
    .figures = figures,
    .notion = "record-k-anonymity",
    .substitutes = true,
    .claims = lethe_record_claims,
    .sweep = "k",
    .good_for = {[LETHE_GOAL_PATTERNS] = 3, [LETHE_GOAL_SESSIONS] = 2},
    .keeps = "a typical record for each of a group, mostly in words that were used",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe ssg log.tsv.gz -k 5 --gap 1h -o release/",
    .run = run,
    .need = need,
};
