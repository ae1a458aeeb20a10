/* SPDX-License-Identifier: Apache-2.0 */
/* ssg_harness.h - the method ssg run by itself; and what it should do, the slow way: Algorithm 5.1
 * to the letter, every candidate matched by trying all matchings, the distance of two terms by
 * walking up the tree, bags kept as they are. */
#ifndef LETHE_TESTS_SSG_HARNESS_H
#define LETHE_TESTS_SSG_HARNESS_H
#include "clump_harness.h"
#include "method/cluster/ssg/vocabulary.h"
#include "matching_oracle.h"
#include <math.h>

extern const lethe_method lethe_method_ssg, lethe_method_partition;

/* --- the slow way --- */

enum { S_TERMS = 6, S_RECORDS = 32 };

typedef struct s_setting {
    uint64_t k, min_owners; /* min_owners 0: the default */
    uint32_t epsilon;
    lethe_assign_omega omega;
    bool each, greedy, by_members; /* line 4 by all members in place of the centre */
    bool of_log, climb;            /* --owners log, --unmatched climb */
    const char *centre, *refine, *metric, *epsilon_text, *omega_text;
    unsigned threads;
} s_setting;

static inline uint32_t s_level(const lethe_tree *t, uint32_t v)
{
    uint32_t n = 0;
    for (; t->parent[v] != LETHE_NONE; v = t->parent[v])
        n++;
    return n;
}

static inline uint32_t s_distance(const lethe_tree *t, uint32_t u, uint32_t v)
{
    uint32_t n = 0, lu = s_level(t, u), lv = s_level(t, v);
    while (u != v) {
        if (lu >= lv)
            u = t->parent[u], lu--;
        else
            v = t->parent[v], lv--;
        n++;
    }
    return n;
}

/* --epsilon auto: the least distance within which a quarter of all pairs of terms are. */
static inline uint32_t s_auto(const lethe_tree *t, const c_records *c)
{
    uint64_t items = c->start[c->r.n], pairs = 0;
    for (uint32_t epsilon = 0;; epsilon++) {
        uint64_t near = 0;
        pairs = 0;
        for (uint32_t u = 0; u < t->n; u++)
            for (uint32_t v = 0; v < u; v++) {
                bool has_u = false, has_v = false;
                for (uint64_t i = 0; i < items; i++) {
                    has_u = has_u || c->r.item[i] == u;
                    has_v = has_v || c->r.item[i] == v;
                }
                pairs += has_u && has_v;
                near += has_u && has_v && s_distance(t, u, v) <= epsilon;
            }
        if (4 * near >= pairs) return epsilon;
    }
}

/* A group: its members in the order they joined, its hyper-terms as bags in that order. */
typedef struct s_group {
    uint32_t member[S_RECORDS], n;
    uint32_t bag[S_TERMS][S_RECORDS], n_bags; /* each of n terms */
} s_group;

static inline uint32_t s_elect(const lethe_tree *t, const s_group *g, uint32_t b)
{
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < g->n; i++) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < g->n; k++)
            sum += s_distance(t, g->bag[b][i], g->bag[b][k]);
        if (sum < least) least = sum, best = i;
    }
    return g->bag[b][best];
}

/* Pairs by weight, left, right, while both are free. */
static inline mo_best s_greedy(const mo_problem *p, lethe_assign_omega omega)
{
    mo_best b = {.p = p, .omega = omega};
    bool left[MO_SIDE] = {false};
    for (uint32_t l = 0; l < MO_SIDE; l++)
        b.now[l] = LETHE_NONE;
    for (;;) {
        int64_t least = INT64_MAX;
        uint32_t at_l = 0, at_r = 0;
        for (uint32_t l = 0; l < p->n_left; l++)
            for (uint32_t r = 0; r < p->n_right; r++)
                if (!left[l] && !b.taken[r] && p->weight[l][r] != MO_NO && p->weight[l][r] < least)
                    least = p->weight[l][r], at_l = l, at_r = r;
        if (least == INT64_MAX) break;
        left[at_l] = b.taken[at_r] = true;
        b.now[at_l] = at_r;
    }
    mo_try(&b);
    return b;
}

static inline mo_best s_solve(mo_problem *p, const s_setting *how)
{
    mo_list(p);
    mo_best b = how->greedy ? s_greedy(p, how->omega) : mo_solve(p, how->omega);
    if (how->omega.kind == LETHE_ASSIGN_OMEGA_NONE) b.unmatched = 0;
    return b;
}

/* The price of a centre and a record. */
static inline mo_best s_price(const lethe_tree *t, const s_setting *how, const uint32_t *left,
                              uint32_t n_left, const uint32_t *right, uint32_t n_right)
{
    static mo_problem p;
    p.n_left = n_left;
    p.n_right = n_right;
    for (uint32_t l = 0; l < n_left; l++)
        for (uint32_t r = 0; r < n_right; r++) {
            uint32_t d = s_distance(t, left[l], right[r]);
            p.weight[l][r] = d <= how->epsilon ? (int64_t)d : MO_NO;
        }
    return s_solve(&p, how);
}

/* The matching of a group and a record: relevant is what is to all members, at the sum. */
static inline mo_best s_match(const lethe_tree *t, const s_setting *how, const s_group *g,
                              c_bag record)
{
    static mo_problem p;
    p.n_left = g->n_bags;
    p.n_right = (uint32_t)record.n;
    for (uint32_t l = 0; l < g->n_bags; l++)
        for (uint32_t r = 0; r < record.n; r++) {
            p.weight[l][r] = 0;
            for (uint32_t k = 0; k < g->n; k++) {
                uint32_t d = s_distance(t, g->bag[l][k], record.item[r]);
                if (d > how->epsilon) {
                    p.weight[l][r] = MO_NO;
                    break;
                }
                p.weight[l][r] += d;
            }
        }
    return s_solve(&p, how);
}

static inline bool s_is_less(const mo_best *a, const mo_best *b)
{
    return a->unmatched < b->unmatched || (a->unmatched == b->unmatched && a->weight < b->weight);
}

static inline void s_join(const lethe_tree *t, const c_records *c, const s_setting *how, s_group *g,
                          uint32_t i)
{
    c_bag record = c_record(c, i);
    uint32_t n_bags = 0;
    if (g->n == 0) {
        for (uint32_t k = 0; k < record.n; k++)
            g->bag[k][0] = record.item[k];
        g->n_bags = (uint32_t)record.n;
        g->member[g->n++] = i;
        return;
    }
    mo_best b = s_match(t, how, g, record);
    for (uint32_t l = 0; l < g->n_bags; l++) {
        if (b.to[l] == LETHE_NONE) continue;
        memmove(g->bag[n_bags], g->bag[l], sizeof g->bag[l]);
        g->bag[n_bags++][g->n] = record.item[b.to[l]];
    }
    g->n_bags = n_bags;
    g->member[g->n++] = i;
}

static inline uint32_t s_centre(const lethe_tree *t, const s_group *g, uint32_t *out)
{
    for (uint32_t b = 0; b < g->n_bags; b++)
        out[b] = s_elect(t, g, b);
    return g->n_bags;
}

static inline bool s_has(const c_records *c, const s_setting *how, const s_group *g, uint32_t i)
{
    for (uint32_t k = 0; k < g->n; k++)
        if (!how->each && c->owner[g->member[k]] == c->owner[i]) return true;
    return false;
}

/* Algorithm 5.1.  How many groups. */
static inline uint32_t s_ssg(const lethe_tree *t, const c_records *c, const s_setting *how,
                             s_group *g)
{
    uint32_t n = (uint32_t)c->r.n, order[S_RECORDS], centre[S_TERMS], n_out = 0;
    bool gone[S_RECORDS] = {false};
    c_setting counting = {.k = how->k, .each = how->each};
    size_t most = c_most_groups(c, &counting);
    c_order(c, false, order); // longest first; so the shortest, each size in order of input:
    for (uint32_t i = 0, at = 0, size = 0; at < n; size++)
        for (i = 0; i < n; i++)
            if (c_record(c, i).n == size) order[at++] = i;
    while (n_out < most) {
        s_group *now = &g[n_out];
        uint32_t next = 0;
        *now = (s_group){0};
        while (next < n && gone[order[next]])
            next++;
        while (next < n) {
            gone[order[next]] = true;
            s_join(t, c, how, now, order[next]);
            if (now->n == how->k) break;
            mo_best best = {0};
            uint32_t n_centre = s_centre(t, now, centre), found = n;
            for (uint32_t k = 0; k < n; k++) {
                uint32_t i = order[k];
                if (gone[i] || s_has(c, how, now, i)) continue;
                mo_best p = how->by_members ? s_match(t, how, now, c_record(c, i))
                                            : s_price(t, how, centre, n_centre, c_record(c, i).item,
                                                      (uint32_t)c_record(c, i).n);
                if (found == n || s_is_less(&p, &best)) best = p, found = k;
            }
            next = found;
        }
        if (now->n == how->k) {
            n_out++;
            continue;
        }
        for (uint32_t k = 0; k < now->n; k++)
            gone[now->member[k]] = false;
        break;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = order[k], found = LETHE_NONE;
        mo_best best = {0};
        if (gone[i]) continue;
        for (uint32_t j = 0; j < n_out; j++) {
            uint32_t n_centre = s_centre(t, &g[j], centre);
            mo_best p =
                s_price(t, how, centre, n_centre, c_record(c, i).item, (uint32_t)c_record(c, i).n);
            if (found == LETHE_NONE || s_is_less(&p, &best)) best = p, found = j;
        }
        s_join(t, c, how, &g[found], i);
    }
    return n_out;
}

/* Persons of the group who have an item at or below v. */
static inline uint64_t s_owners(const lethe_tree *t, const c_records *c, const s_setting *how,
                                const s_group *g, uint32_t v)
{
    uint64_t n = 0;
    s_group seen = {0};
    for (uint32_t k = 0; k < g->n; k++) {
        c_bag record = c_record(c, g->member[k]);
        bool has = false;
        for (size_t m = 0; m < record.n; m++)
            for (uint32_t u = record.item[m]; u != LETHE_NONE; u = t->parent[u])
                has = has || u == v;
        if (!has || s_has(c, how, &seen, g->member[k])) continue;
        seen.member[seen.n++] = g->member[k];
        n++;
    }
    return n;
}

static inline bool s_above(const lethe_tree *t, uint32_t u, uint32_t v)
{
    while (v != u && v != LETHE_NONE)
        v = t->parent[v];
    return v == u;
}

/* Did enough persons use a term at or below v? */
static inline bool s_shown(const lethe_tree *t, const c_records *c, const s_setting *how,
                           const s_group *g, uint32_t v)
{
    uint64_t least = how->min_owners ? how->min_owners : !how->of_log ? 2 : how->k > 5 ? how->k : 5;
    s_group all = {0};
    s_setting persons = *how;
    persons.each = false; // of the log, persons are counted whatever is grouped
    if (!how->of_log) return s_owners(t, c, how, g, v) >= least;
    while (all.n < c->r.n) {
        all.member[all.n] = all.n;
        all.n++;
    }
    return s_owners(t, c, &persons, &all, v) >= least;
}

static inline uint32_t s_lowest_shown(const lethe_tree *t, const c_records *c, const s_setting *how,
                                      const s_group *g, uint32_t v)
{
    while (v != LETHE_NONE && !s_shown(t, c, how, g, v))
        v = t->parent[v];
    return v;
}

/* The nodes that stand for hyper-term b, ascending; how many. */
static inline uint32_t s_nodes(const lethe_tree *t, const c_records *c, const s_setting *how,
                               const s_group *g, uint32_t b, uint32_t *node)
{
    uint32_t n = 0, v = s_elect(t, g, b);
    if (how->centre && strcmp(how->centre, "bag") == 0) {
        bool *is_lowest = calloc(t->n, 1);
        for (uint32_t k = 0; k < g->n; k++) {
            v = s_lowest_shown(t, c, how, g, g->bag[b][k]);
            if (v != LETHE_NONE) is_lowest[v] = true;
        }
        for (v = 0; v < t->n; v++) {
            bool is_below = false;
            for (uint32_t u = 0; u < t->n; u++)
                is_below = is_below || (u != v && is_lowest[u] && s_above(t, u, v));
            if (is_lowest[v] && !is_below) node[n++] = v;
        }
        free(is_lowest);
        return n;
    }
    if (how->centre && strcmp(how->centre, "ancestor") == 0) {
        for (uint32_t k = 0; k < g->n; k++)
            while (!s_above(t, v, g->bag[b][k]))
                v = t->parent[v];
    } else { // of those that may be shown, the one elected
        uint64_t least = UINT64_MAX;
        for (uint32_t i = 0; i < g->n; i++) {
            uint64_t sum = 0;
            for (uint32_t k = 0; k < g->n; k++)
                sum += s_distance(t, g->bag[b][i], g->bag[b][k]);
            if (sum < least && s_shown(t, c, how, g, g->bag[b][i])) {
                least = sum;
                v = g->bag[b][i];
            }
        }
    }
    node[0] = s_lowest_shown(t, c, how, g, v);
    return node[0] != LETHE_NONE;
}

/* What a term loses by its distance from these nodes. */
static inline double s_far(const lethe_tree *t, uint32_t term, const uint32_t *node, uint32_t n)
{
    double least = s_level(t, term);
    for (uint32_t i = 0; i < n; i++)
        if (s_distance(t, term, node[i]) < least) least = s_distance(t, term, node[i]);
    return s_level(t, term) ? least / s_level(t, term) : 0;
}

/* What a group publishes and loses. */
typedef struct s_published {
    uint32_t item[S_TERMS], n;
    uint64_t lost, words; /* lost: scaled bLM */
    double far;           /* distance_loss, of all its items */
} s_published;

/* Terms that are in no bag climb: the deepest nodes first, a copy while each member has a term
 * below it that is left; the first one in the order of the taxonomy is taken. */
static inline void s_climb(const lethe_tree *t, const c_records *c, const s_setting *how,
                           const s_group *g, uint64_t scale, s_published *out)
{
    uint32_t left[S_RECORDS][S_TERMS], n_left[S_RECORDS];
    for (uint32_t k = 0; k < g->n; k++) {
        c_bag record = c_record(c, g->member[k]);
        bool gone[S_TERMS] = {false};
        for (uint32_t b = 0; b < g->n_bags; b++) {
            uint32_t i = 0;
            while (gone[i] || record.item[i] != g->bag[b][k])
                i++;
            gone[i] = true;
        }
        n_left[k] = 0;
        for (uint32_t i = 0; i < record.n; i++)
            if (!gone[i]) left[k][n_left[k]++] = record.item[i];
        qsort(left[k], n_left[k], sizeof(uint32_t), c_cmp);
    }
    for (uint32_t level = t->height + 1; level-- > 0;)
        for (uint32_t v = 0; v < t->n; v++) {
            uint32_t distinct = 0;
            if (s_level(t, v) != level) continue;
            for (uint32_t u = 0; u < t->n; u++) {
                bool is_left = false;
                for (uint32_t k = 0; k < g->n; k++)
                    for (uint32_t i = 0; i < n_left[k]; i++)
                        is_left = is_left || (left[k][i] == u && s_above(t, v, u));
                distinct += is_left;
            }
            for (;;) {
                uint32_t first[S_RECORDS], fit = 0, shown = s_lowest_shown(t, c, how, g, v);
                for (uint32_t k = 0; k < g->n; k++)
                    for (uint32_t i = n_left[k]; i-- > 0;)
                        if (s_above(t, v, left[k][i])) first[k] = i;
                for (uint32_t k = 0; k < g->n; k++) {
                    bool fits = false;
                    for (uint32_t i = 0; i < n_left[k]; i++)
                        fits = fits || s_above(t, v, left[k][i]);
                    fit += fits;
                }
                if (fit < g->n) break;
                for (uint32_t k = 0; k < g->n; k++) {
                    if (shown != LETHE_NONE) out->far += s_far(t, left[k][first[k]], &shown, 1) - 1;
                    memmove(&left[k][first[k]], &left[k][first[k] + 1],
                            (--n_left[k] - first[k]) * sizeof(uint32_t));
                }
                if (shown == LETHE_NONE) continue;
                out->item[out->n++] = shown;
                out->words += t->end[shown] == shown + 1 ? g->n : 0;
                out->lost -= g->n * (scale - (distinct - 1));
            }
        }
}

/* What the group publishes, ascending.  `h`: the run that has numbered the bags; one that it lacks
 * is LETHE_NONE - 1. */
static inline s_published s_publish(const lethe_tree *t, const c_records *c, const s_setting *how,
                                    const s_group *g, const c_run *h)
{
    uint64_t scale = t->leaves[0] > 1 ? t->leaves[0] - 1 : 1;
    s_published out = {0};
    for (uint32_t k = 0; k < g->n; k++)
        out.lost += c_record(c, g->member[k]).n * scale;
    out.far = (double)(out.lost / scale);
    for (uint32_t b = 0; b < g->n_bags; b++) {
        uint32_t node[S_RECORDS], distinct = 0, n = s_nodes(t, c, how, g, b, node);
        if (n == 0) continue;
        for (uint32_t k = 0; k < g->n; k++) {
            bool is_new = true;
            for (uint32_t j = 0; j < k; j++)
                is_new = is_new && g->bag[b][j] != g->bag[b][k];
            distinct += is_new;
            out.far += s_far(t, g->bag[b][k], node, n) - 1;
        }
        out.lost -= g->n * (scale - (distinct - 1));
        out.words += n == 1 && t->end[node[0]] == node[0] + 1 ? g->n : 0;
        out.item[out.n] = n == 1 ? node[0] : c_joined(h, node, n);
        if (out.item[out.n] == LETHE_NONE) out.item[out.n]--;
        out.n++;
    }
    if (how->climb) s_climb(t, c, how, g, scale, &out);
    qsort(out.item, out.n, sizeof *out.item, c_cmp);
    return out;
}

/* --- the method --- */

static inline lethe_err s_run_with(c_run *h, lethe_ctx *ctx, const lethe_tree *t,
                                   const lethe_method *m, const lethe_values *v)
{
    lethe_secret *key = NULL;
    lethe_err err = lethe_secret_from_seed(1, &key);
    if (err != LETHE_OK) return err;
    lethe_run run = {.ctx = ctx, .values = v, .random = key, .key = key, .memory_bytes = 1 << 26};
    lethe_result out = {.pipeline = h,
                        .record = c_on_record,
                        .bag = c_on_bag,
                        .doc = h->doc,
                        .metrics = h->metrics,
                        .caveats = h->caveats};
    lethe_data data = {.shape = LETHE_SHAPE_RECORDS, .records = &h->in->r, .tree = t};
    err = m->run(&run, &data, &out);
    m->claims(v, h->doc, h->claims);
    const char *warned[LETHE_WARNS_MAX];
    for (size_t i = m->warns(v, warned); i > 0; i--)
        lethe_json_push(h->doc, h->caveats,
                        lethe_json_new_text(h->doc, lethe_str_of(warned[i - 1])));
    lethe_secret_free(key);
    return err;
}

/* bLM of LG(bag) at the same k and persons; infinite where it publishes nothing. */
static inline double s_lg_bag(const lethe_tree *t, const c_records *c, const s_setting *how)
{
    lethe_value at[32];
    lethe_values v;
    char k[24];
    c_run h;
    lethe_values_init(&v, lethe_method_partition.options, at);
    snprintf(k, sizeof k, "%llu", (unsigned long long)how->k);
    c_set(&v, "k", k);
    c_set(&v, "bag", "");
    c_set(&v, "persons", how->each ? "record" : "person");
    c_run_begin(&h, c);
    lethe_ctx *ctx = c_ctx(&h, 1);
    lethe_err err = s_run_with(&h, ctx, t, &lethe_method_partition, &v);
    double blm = err == LETHE_OK ? c_real(&h, "blm") : (double)INFINITY;
    lethe_ctx_free(ctx);
    c_run_end(&h);
    return blm;
}

/* `h` was begun. */
static inline lethe_err s_run_in(c_run *h, lethe_ctx *ctx, const lethe_tree *t,
                                 const s_setting *how)
{
    lethe_value at[32];
    lethe_values v;
    char k[24], owners[24], epsilon[24], omega[24];
    lethe_values_init(&v, lethe_method_ssg.options, at);
    snprintf(k, sizeof k, "%llu", (unsigned long long)how->k);
    snprintf(owners, sizeof owners, "%llu", (unsigned long long)how->min_owners);
    snprintf(epsilon, sizeof epsilon, "%u", how->epsilon);
    snprintf(omega, sizeof omega, "%llu", (unsigned long long)how->omega.value);
    c_set(&v, "k", k);
    c_set(&v, "epsilon", how->epsilon_text ? how->epsilon_text : epsilon);
    c_set(&v, "omega",
          how->omega_text                              ? how->omega_text
          : how->omega.kind == LETHE_ASSIGN_OMEGA_NONE ? "none"
          : how->omega.kind == LETHE_ASSIGN_OMEGA_IS   ? omega
                                                       : NULL);
    c_set(&v, "min-owners", how->min_owners ? owners : NULL);
    c_set(&v, "owners", how->of_log ? "log" : "group");
    c_set(&v, "unmatched", how->climb ? "climb" : "drop");
    c_set(&v, "matching", how->greedy ? "greedy" : NULL);
    c_set(&v, "persons", how->each ? "record" : "person");
    c_set(&v, "centre", how->centre);
    c_set(&v, "refine", how->refine);
    if (how->refine && strcmp(how->refine, "0") == 0) // else the method's own choice
        c_set(&v, "nearest", how->by_members ? "members" : "centre");
    c_set(&v, "metric", how->metric);
    return s_run_with(h, ctx, t, &lethe_method_ssg, &v);
}

static inline lethe_err s_run_method(c_run *h, const lethe_tree *t, const c_records *in,
                                     const s_setting *how)
{
    c_run_begin(h, in);
    lethe_ctx *ctx = c_ctx(h, how->threads);
    lethe_err err = s_run_in(h, ctx, t, how);
    lethe_ctx_free(ctx);
    return err;
}

/* Algorithm 5.1 alone, by the library. */
static inline lethe_err s_fast(const lethe_tree *t, const c_records *c, const s_setting *how,
                               lethe_ssg_groups *out)
{
    lethe_ctx *ctx = c_ctx(NULL, how->threads);
    lethe_meaning *meaning = NULL;
    uint32_t *term = NULL;
    size_t n = 0;
    lethe_err err = lethe_ssg_terms(&c->r, &term, &n);
    if (err == LETHE_OK)
        err = lethe_meaning_tree(ctx, t, &(lethe_meaning_terms){.at = term, .n = n}, how->epsilon,
                                 &meaning);
    lethe_ssg_options ssg = {.records = &c->r,
                             .matcher = {meaning, how->omega, how->greedy},
                             .each = how->each,
                             .by_members = how->by_members,
                             .k = how->k};
    if (err == LETHE_OK) err = lethe_ssg_run(ctx, &ssg, out);
    lethe_free(term);
    lethe_meaning_free(meaning);
    lethe_ctx_free(ctx);
    return err;
}

#endif
