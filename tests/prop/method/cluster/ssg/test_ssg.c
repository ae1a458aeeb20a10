/* SPDX-License-Identifier: Apache-2.0 */
/* SSG against Algorithm 5.1 to the letter: groups, the order in which they were joined, hyper-terms
 * as bags, what is published, bLM; persons, omega, greedy matching, min-owners; any number of
 * threads; and the nearest vocabulary against a full scan. */
#include "ssg_harness.h"
#include "seeds.h"
#include "check/persons.h"
#include "method/cluster/ssg/meaning_internal.h"
#include "method/cluster/ssg/vocabulary_internal.h"
#include <math.h>

static uint64_t from_env(const char *name, uint64_t other)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : other;
}

static s_setting draw_setting(uint64_t *s, const lethe_tree *t, const c_records *c)
{
    s_setting how = {.k = 2 + c_below(s, 3), .epsilon = c_below(s, 8), .refine = "0"};
    static const char *const levels[] = {"0l", "1l", "2l", "3l"};
    if (how.epsilon % 2 == 0 && c_below(s, 2)) how.epsilon_text = levels[how.epsilon / 2];
    if (c_below(s, 8) == 0) {
        how.epsilon = s_auto(t, c);
        how.epsilon_text = "auto";
    }
    how.each = c_below(s, 3) == 0;
    how.greedy = c_below(s, 4) == 0;
    how.by_members = c_below(s, 2);
    how.min_owners = c_below(s, 4);
    how.of_log = c_below(s, 3) == 0;
    how.climb = c_below(s, 2);
    static const char *const centres[] = {"vote", "vote", "ancestor", "bag", "bag"};
    how.centre = centres[c_below(s, LETHE_COUNT(centres))];
    if (strcmp(how.centre, "bag") == 0 && c_below(s, 2)) how.min_owners = 1; // else bags are rare
    how.omega.kind = (lethe_assign_omega_kind)(c_below(s, 4) % 3);
    if (how.omega.kind == LETHE_ASSIGN_OMEGA_IS) how.omega.value = c_below(s, 9);
    uint64_t persons = how.each ? c->r.n : c->r.n_owners;
    if (how.k > persons) how.k = persons;
    return how;
}

/* Is hyper-term b of the slow way the library's i-th? */
static bool is_bag(const lethe_hyper *h, uint32_t i, const s_group *g)
{
    uint32_t left = g->n;
    for (uint32_t k = h->start[i]; k < h->start[i + 1]; k++) {
        uint32_t n = 0, first = 0;
        for (uint32_t j = g->n; j-- > 0;)
            if (g->bag[i][j] == h->voter[k].term) n++, first = j;
        if (n != h->voter[k].count) return false;
        if (k > h->start[i]) { // in the order in which they came
            uint32_t before = 0;
            while (g->bag[i][before] != h->voter[k - 1].term)
                before++;
            if (before > first) return false;
        }
        left -= n;
    }
    return left == 0;
}

static void check_groups(uint64_t seed, const lethe_ssg_groups *got, const s_group *want,
                         uint32_t n)
{
    if (got->n != n) fail_msg("seed %llu: %u groups, not %u", (unsigned long long)seed, got->n, n);
    for (uint32_t g = 0; g < n; g++) {
        if (got->first[g + 1] - got->first[g] != want[g].n ||
            memcmp(got->member + got->first[g], want[g].member, want[g].n * sizeof(uint32_t)) != 0)
            fail_msg("seed %llu: group %u has others", (unsigned long long)seed, g);
        if (got->hyper[g].n != want[g].n_bags || got->hyper[g].n_records != want[g].n)
            fail_msg("seed %llu: group %u has other hyper-terms", (unsigned long long)seed, g);
        for (uint32_t i = 0; i < want[g].n_bags; i++)
            if (!is_bag(&got->hyper[g], i, &want[g]))
                fail_msg("seed %llu: hyper-term %u of group %u", (unsigned long long)seed, i, g);
    }
}

/* By the definition, apart from how it is found: some term of each record stands for each of its
 * items, each for another.  Terms and items are few: all ways are tried. */
static bool is_true(const lethe_tree *t, const c_run *h, const c_bag *items, size_t at,
                    const c_bag *record, uint32_t used)
{
    if (at == items->n) return true;
    c_bag one = {&items->item[at], 1};
    const c_bag *nodes =
        items->item[at] >= C_JOINED ? &h->joined[items->item[at] - C_JOINED] : &one;
    for (uint32_t k = 0; k < record->n; k++)
        for (size_t m = 0; m < nodes->n && !(used >> k & 1); m++)
            if (s_above(t, nodes->item[m], record->item[k]) &&
                is_true(t, h, items, at + 1, record, used | 1u << k))
                return true;
    return false;
}

/* Every node that is shown was used by enough persons, as the caveat says; and one of an item's is
 * true of each record. */
static void check_bags(uint64_t seed, const lethe_tree *t, const c_records *c, const s_setting *how,
                       const s_group *g, const c_run *h)
{
    const c_bag *items = &h->bag[g->member[0]];
    for (size_t i = 0; i < items->n; i++) {
        if (items->item[i] < C_JOINED) continue;
        const c_bag *b = &h->joined[items->item[i] - C_JOINED];
        for (size_t k = 0; k < b->n; k++) {
            if (!s_shown(t, c, how, g, b->item[k]))
                fail_msg("seed %llu: a term of too few", (unsigned long long)seed);
            for (size_t j = 0; j < b->n; j++)
                if (j != k && s_above(t, b->item[j], b->item[k]))
                    fail_msg("seed %llu: a term below another", (unsigned long long)seed);
        }
    }
    for (uint32_t k = 0; k < g->n; k++) {
        c_bag record = c_record(c, g->member[k]);
        if (!is_true(t, h, items, 0, &record, 0))
            fail_msg("seed %llu: not true of record %u", (unsigned long long)seed, g->member[k]);
    }
}

static uint64_t n_bags, n_climbed, n_of_lg; /* of all runs */

/* Groups of LG(bag): k persons each, published alike, and true. */
static void check_lg_groups(uint64_t seed, const lethe_tree *t, const c_records *c,
                            const s_setting *how, const c_run *h)
{
    for (size_t g = 0; g < h->n_groups; g++) {
        s_group members = {0};
        uint64_t persons = 0;
        for (uint32_t i = 0; i < c->r.n; i++) {
            if (h->group[i] != g) continue;
            persons += !s_has(c, how, &members, i);
            members.member[members.n++] = i;
            c_bag record = c_record(c, i);
            const c_bag *first = &h->bag[members.member[0]];
            if (!is_true(t, h, &h->bag[i], 0, &record, 0) || first->n != h->bag[i].n ||
                memcmp(first->item, h->bag[i].item, first->n * sizeof(uint32_t)) != 0)
                fail_msg("seed %llu: record %u of LG(bag)'s", (unsigned long long)seed, i);
        }
        if (persons < how->k) fail_msg("seed %llu: group %zu", (unsigned long long)seed, g);
    }
}

static bool any_empty(const c_records *c)
{
    for (size_t i = 0; i < c->r.n; i++)
        if (c_record(c, i).n == 0) return true;
    return false;
}

static void check_published(uint64_t seed, const lethe_tree *t, const c_records *c,
                            const s_setting *how, const s_group *want, uint32_t n)
{
    uint64_t lost = 0, published = 0, words = 0, items = c->start[c->r.n], empty = 0, dropped = 0;
    uint64_t scale = t->leaves[0] > 1 ? t->leaves[0] - 1 : 1;
    double far = 0, all = (double)items * (double)scale;
    s_published group[S_RECORDS];
    s_setting drop = *how;
    c_run h;
    lethe_err err = s_run_method(&h, t, c, how);
    drop.climb = false;
    for (uint32_t g = 0; g < n; g++) {
        group[g] = s_publish(t, c, how, &want[g], &h);
        lost += group[g].lost;
        dropped += s_publish(t, c, &drop, &want[g], &h).lost;
        far += group[g].far;
        words += group[g].words;
        published += group[g].n * want[g].n;
        empty += group[g].n == 0 ? want[g].n : 0;
    }
    if ((err == LETHE_ANSWER_NO) != (published == 0) || (err != LETHE_OK && err != LETHE_ANSWER_NO))
        fail_msg("seed %llu: error %d", (unsigned long long)seed, (int)err);
    n_bags += h.n_joined;
    n_climbed += lost < dropped;
    bool by_lg = how->climb && !any_empty(c) && (how->of_log || how->min_owners <= how->k);
    double lg = by_lg && err == LETHE_OK ? s_lg_bag(t, c, how) : (double)INFINITY;
    double blm = err == LETHE_OK ? c_real(&h, "blm") : 0;
    if (lost > dropped || blm > lg + 1e-12 || blm > (double)dropped / all + 1e-12)
        fail_msg("seed %llu: a loss above that of SSG or of LG(bag)", (unsigned long long)seed);
    if (lg < (double)lost / all - 1e-12) {
        n_of_lg++;
        check_lg_groups(seed, t, c, how, &h);
        c_run_end(&h);
        return;
    }
    for (uint32_t g = 0; g < n && err == LETHE_OK; g++) {
        for (uint32_t k = 0; k < want[g].n; k++) {
            uint32_t i = want[g].member[k];
            if (h.group[i] != g || h.bag[i].n != group[g].n ||
                memcmp(h.bag[i].item, group[g].item, group[g].n * sizeof(uint32_t)) != 0)
                fail_msg("seed %llu: record %u is published otherwise", (unsigned long long)seed,
                         i);
        }
        if (strcmp(how->centre, "vote") != 0) check_bags(seed, t, c, how, &want[g], &h);
    }
    if (err == LETHE_OK &&
        (fabs(blm - (double)lost / all) > 1e-12 || c_int(&h, "empty") != (int64_t)empty ||
         fabs(c_real(&h, "distance_loss") - far / (double)items) > 1e-12 ||
         fabs(c_real(&h, "words_share") - (double)words / (double)published) > 1e-12 ||
         c_int(&h, "clusters") != n || c_real(&h, "epsilon") != how->epsilon))
        fail_msg("seed %llu: figures", (unsigned long long)seed);
    c_run_end(&h);
}

static void groups_are_those_of_the_algorithm(void **state)
{
    (void)state;
    static s_group want[S_RECORDS];
    uint64_t first = from_env("SSG_SEED", 1), n_seeds = from_env("SSG_N", seeds(4000)), n_left = 0;
    for (uint64_t seed = first; seed < first + n_seeds; seed++) {
        uint64_t s = seed;
        lethe_tree *t = c_random_tree(&s, 2 + c_below(&s, 40));
        c_records c;
        uint32_t n = 2 + c_below(&s, S_RECORDS - 8);
        c_random_records(&c, t, &s, n, c_below(&s, S_TERMS - 1),
                         c_below(&s, 2) ? 2 + c_below(&s, n) : 0);
        s_setting how = draw_setting(&s, t, &c);
        lethe_ssg_groups got = {0};
        uint32_t n_groups = s_ssg(t, &c, &how, want);
        n_left += n_groups * how.k < n;
        assert_int_equal(s_fast(t, &c, &how, &got), LETHE_OK);
        check_groups(seed, &got, want, n_groups);
        assert_true(got.pairs <= got.pairs_all);
        lethe_ssg_groups_free(&got);
        if (how.k >= 2) check_published(seed, t, &c, &how, want, n_groups);
        c_free(&c);
        lethe_tree_free(t);
    }
    if (n_seeds < seeds(4000)) return;
    assert_true(n_left > n_seeds / 4); // there was a second phase
    assert_true(n_bags > n_seeds / 16);
    assert_true(n_climbed > n_seeds / 20);
}

/* --- larger ones --- */

static void threads_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t s = seed * 77;
        lethe_tree *t = c_random_tree(&s, 300);
        c_records c;
        c_random_records(&c, t, &s, 240, seed == 3 ? 40 : 9, seed % 2 ? 60 : 0);
        c_run one, other;
        s_setting how = {.k = 4, .epsilon = 4, .threads = 1, .refine = seed % 3 ? "3" : "0"};
        how.centre = seed > 2 ? "bag" : "vote";
        how.climb = seed != 2;
        how.of_log = seed == 1;
        assert_int_equal(s_run_method(&one, t, &c, &how), LETHE_OK);
        for (unsigned threads = 2; threads <= 7; threads += 5) {
            how.threads = threads;
            assert_int_equal(s_run_method(&other, t, &c, &how), LETHE_OK);
            assert_memory_equal(one.group, other.group, c.r.n * sizeof *one.group);
            for (size_t i = 0; i < c.r.n; i++) {
                assert_int_equal(one.bag[i].n, other.bag[i].n);
                assert_memory_equal(one.bag[i].item, other.bag[i].item, one.bag[i].n * 4);
            }
            assert_int_equal(one.n_joined, other.n_joined);
            assert_int_equal(c_int(&one, "pairs"), c_int(&other, "pairs"));
            assert_true(c_real(&one, "blm") == c_real(&other, "blm"));
            c_run_end(&other);
        }
        c_run_end(&one);
        c_free(&c);
        lethe_tree_free(t);
    }
}

/* bLM never grows by refining, and groups keep their persons. */
static void refining_loses_no_more(void **state)
{
    (void)state;
    uint64_t n_better = 0;
    for (uint64_t seed = 1; seed <= seeds(150); seed++) {
        uint64_t s = seed * 31;
        lethe_tree *t = c_random_tree(&s, 60);
        c_records c;
        c_random_records(&c, t, &s, 8 + c_below(&s, 60), 5, seed % 2 ? 20 : 0);
        s_setting how = {.k = 2 + c_below(&s, 2), .epsilon = 2 + c_below(&s, 4), .refine = "0"};
        how.min_owners = 1;
        how.by_members = true; // as what is refined begins
        c_run paper, refined;
        lethe_err err = s_run_method(&paper, t, &c, &how);
        how.refine = "20";
        assert_int_equal(s_run_method(&refined, t, &c, &how) == LETHE_OK, err == LETHE_OK);
        if (err == LETHE_OK) {
            if (c_real(&refined, "blm") > c_real(&paper, "blm") + 1e-12)
                fail_msg("seed %llu: refined, it loses more", (unsigned long long)seed);
            n_better += c_real(&refined, "blm") < c_real(&paper, "blm");
            for (size_t g = 0; g < refined.n_groups; g++) {
                s_group members = {0};
                uint64_t persons = 0;
                for (uint32_t i = 0; i < c.r.n && members.n < S_RECORDS; i++)
                    if (refined.group[i] == g) {
                        persons += !s_has(&c, &how, &members, i);
                        members.member[members.n++] = i;
                    }
                assert_true(persons >= how.k);
            }
        }
        c_run_end(&paper);
        c_run_end(&refined);
        c_free(&c);
        lethe_tree_free(t);
    }
    assert_true(n_better > seeds(150) / 5);
}

/* What climbs loses no more than what drops, refined alike, nor than LG(bag); by seed 3 of 7, a
 * person has several records. */
static void climbing_loses_no_more(void **state)
{
    (void)state;
    uint64_t n_below_ssg = 0, n_lg_below_ssg = 0;
    for (uint64_t seed = 1; seed <= seeds(600); seed++) {
        uint64_t s = seed * 53;
        lethe_tree *t = c_random_tree(&s, 20 + c_below(&s, 60));
        c_records c;
        uint32_t n = 8 + c_below(&s, 40), n_owners = seed % 7 < 3 ? 8 + c_below(&s, 8) : n;
        c_begin(&c);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t item[6], size = 1 + c_below(&s, 6);
            for (uint32_t k = 0; k < size; k++)
                item[k] = c_random_leaf(t, &s);
            c_add(&c, i % n_owners, item, size);
        }
        s_setting how = {.k = 2 + c_below(&s, 4), .epsilon = c_below(&s, 5)};
        how.refine = c_below(&s, 2) ? "0" : "5";
        how.min_owners = 1 + c_below(&s, 2);
        how.of_log = c_below(&s, 3) == 0;
        c_run drop, climb;
        double lg = s_lg_bag(t, &c, &how), ssg = 1;
        if (s_run_method(&drop, t, &c, &how) == LETHE_OK) ssg = c_real(&drop, "blm");
        how.climb = true;
        assert_int_equal(s_run_method(&climb, t, &c, &how), LETHE_OK);
        double blm = c_real(&climb, "blm");
        if (blm > ssg + 1e-12 || blm > lg + 1e-12)
            fail_msg("seed %llu: %g, not %g nor %g", (unsigned long long)seed, blm, ssg, lg);
        n_below_ssg += blm < ssg;
        n_lg_below_ssg += lg < ssg;
        c_run_end(&drop);
        c_run_end(&climb);
        c_free(&c);
        lethe_tree_free(t);
    }
    assert_true(n_below_ssg > seeds(600) / 2);
    assert_true(n_lg_below_ssg > seeds(600) / 4);
}

/* That is rare, and less so among few short records. */
static void where_lg_bag_loses_less_its_groups_are_taken(void **state)
{
    (void)state;
    uint64_t n_taken = 0;
    for (uint64_t seed = 1; seed <= 400 && n_taken < 3; seed++) {
        uint64_t s = seed * 101;
        lethe_tree *t = c_random_tree(&s, 12);
        c_records c;
        c_begin(&c);
        for (uint32_t i = 0; i < 5; i++) {
            uint32_t item[5], size = 1 + c_below(&s, 5);
            for (uint32_t k = 0; k < size; k++)
                item[k] = c_random_leaf(t, &s);
            c_add(&c, i, item, size);
        }
        static s_group want[S_RECORDS];
        s_setting how = {.k = 2, .refine = "0", .climb = true, .centre = "vote"};
        uint64_t before = n_of_lg;
        uint32_t n_groups = s_ssg(t, &c, &how, want);
        check_published(seed, t, &c, &how, want, n_groups);
        n_taken += n_of_lg - before;
        c_free(&c);
        lethe_tree_free(t);
    }
    assert_int_equal(n_taken, 3);
}

/* Persons who used a term at or below each node, as the pipeline counts them. */
static void persons_of_terms_are_counted(void **state)
{
    (void)state;
    lethe_ctx *ctx = c_ctx(NULL, 1);
    for (uint64_t seed = 1; seed <= seeds(60); seed++) {
        uint64_t s = seed * 7;
        lethe_tree *t = c_random_tree(&s, 2 + c_below(&s, 40));
        c_records c;
        c_random_records(&c, t, &s, 2 + c_below(&s, S_RECORDS - 4), 5, seed % 2 ? 8 : 0);
        s_setting how = {0};
        s_group all = {0};
        for (; all.n < c.r.n; all.n++)
            all.member[all.n] = all.n;
        for (uint32_t v = 0; v < t->n; v++) {
            uint64_t want = s_owners(t, &c, &how, &all, v);
            lethe_u32s node = {.at = &v, .n = 1};
            bool enough = false, more = true;
            assert_int_equal(lethe_persons_of_terms(ctx, &c.r, t, &node, want, &enough), LETHE_OK);
            assert_int_equal(lethe_persons_of_terms(ctx, &c.r, t, &node, want + 1, &more),
                             LETHE_OK);
            if (!enough || more) fail_msg("seed %llu, node %u", (unsigned long long)seed, v);
        }
        c_free(&c);
        lethe_tree_free(t);
    }
    lethe_ctx_free(ctx);
}

/* --- the nearest --- */

static lethe_assign_cost price_of(lethe_hyper_work *w, const c_bag *a, const c_bag *b)
{
    lethe_assign_cost p = {0};
    bool within = false;
    assert_int_equal(
        lethe_hyper_bag_price(w, a->item, a->n, b->item, b->n, LETHE_ASSIGN_COST_ANY, &p, &within),
        LETHE_OK);
    assert_true(within);
    return p;
}

/* The same for a group, by all its members. */
static lethe_assign_cost price_of_group(lethe_hyper_work *w, const lethe_hyper *h, const c_bag *b)
{
    lethe_assign_cost p = {0};
    bool within = false;
    size_t n = 0;
    uint64_t d = 0;
    for (uint32_t l = 0; l < h->n; l++)
        for (uint32_t r = 0; r < b->n; r++)
            if (lethe_hyper_distance(h, w, l, b->item[r], &d))
                assert_int_equal(lethe_hyper_pair_put(w, n++, l, r, d), LETHE_OK);
    assert_int_equal(lethe_hyper_pairs_price(w, h->n, b->n, n, LETHE_ASSIGN_COST_ANY, &p, &within),
                     LETHE_OK);
    assert_true(within);
    return p;
}

/* Makes the query a group of `n` records, elected terms and all. */
static void make_group(lethe_hyper_work *w, const c_records *c, uint64_t *s, uint32_t n,
                       lethe_hyper *h, c_bag *query, uint32_t *elected)
{
    lethe_hyper_clear(h);
    assert_int_equal(lethe_hyper_join(h, w, query->item, query->n), LETHE_OK);
    for (uint32_t i = 1; i < n; i++) {
        c_bag other = c_record(c, c_below(s, (uint32_t)c->r.n));
        assert_int_equal(lethe_hyper_join(h, w, other.item, other.n), LETHE_OK);
    }
    *query = (c_bag){elected, h->n};
    for (uint32_t i = 0; i < h->n; i++)
        elected[i] = lethe_hyper_elect(h, i);
}

/* Candidates go one by one; queries that are among them and others; persons that are passed over.
 * Larger than what the slow way can do. */
static void the_nearest_is_that_of_a_full_scan(void **state)
{
    (void)state;
    lethe_ctx *ctx = c_ctx(NULL, 2);
    uint64_t pairs = 0, scanned = 0;
    for (uint64_t seed = 1; seed <= seeds(120); seed++) {
        uint64_t s = seed * 1009;
        lethe_tree *t = c_random_tree(&s, 400);
        c_records c;
        uint32_t n = 20 + c_below(&s, 200), now = 0;
        c_random_records(&c, t, &s, n, 3 + c_below(&s, 9), 30);
        for (uint32_t i = 0; i < (seed % 10 ? 0 : 30); i++, n++) { // more than a mark tells apart
            uint32_t item[100], size = 55 + c_below(&s, 45);
            for (uint32_t k = 0; k < size; k++)
                item[k] = c_random_leaf(t, &s);
            c_add(&c, c_below(&s, c.r.n_owners), item, size);
        }
        lethe_assign_omega omega = {(lethe_assign_omega_kind)(c_below(&s, 5) % 3), c_below(&s, 12)};
        lethe_meaning *meaning = NULL;
        lethe_hyper_matcher how = {NULL, omega, c_below(&s, 4) == 0};
        uint32_t *term = NULL, *met = calloc(c.r.n_owners, sizeof *met);
        const uint32_t **at = malloc(n * sizeof *at);
        uint32_t *size = malloc(n * sizeof *size);
        bool *gone = calloc(n, 1);
        size_t n_terms = 0;
        assert_int_equal(lethe_ssg_terms(&c.r, &term, &n_terms), LETHE_OK);
        lethe_meaning_terms terms = {.at = term, .n = n_terms};
        uint32_t epsilon = c_below(&s, seed % 5 ? 9 : 25);
        assert_int_equal(lethe_meaning_tree(ctx, t, &terms, epsilon, &meaning), LETHE_OK);
        if (seed % 4 == 1) { // as in a graph: distances are expensive, and marks made all at once
            lethe_free(meaning->place);
            meaning->place = NULL;
        }
        how.meaning = meaning;
        lethe_hyper_work work[2];
        lethe_hyper group = {0};
        lethe_ssg_neighbourhoods *neighbours = NULL;
        lethe_ssg_search *search = NULL;
        for (int w = 0; w < 2; w++)
            assert_int_equal(lethe_hyper_work_begin(&work[w], &how), LETHE_OK);
        assert_int_equal(lethe_ssg_neighbourhoods_new(meaning, term, n_terms, &neighbours),
                         LETHE_OK);
        if (seed % 3 == 0)
            neighbours->room_whole = 40, neighbours->room = 200 * (seed % 2),
            neighbours->nearest = 3;
        for (uint32_t i = 0; i < n; i++) {
            at[i] = c_record(&c, i).item;
            size[i] = (uint32_t)c_record(&c, i).n;
        }
        lethe_ssg_candidates all = {n, at, size, c.owner};
        assert_int_equal(lethe_ssg_search_new(ctx, work, neighbours, &all, &search), LETHE_OK);
        if (seed % 7 == 2) search->room_near = seed % 2 * n_terms / 2; // as if rows were too large
        for (uint32_t q = 0; q < n; q++) {
            uint32_t got = 0, want = LETHE_NONE, from = c_below(&s, n);
            c_bag query = c_record(&c, from);
            lethe_assign_cost price = {0}, best = LETHE_ASSIGN_COST_ANY;
            uint32_t shorter = query.n ? c_below(&s, query.n + 1) : 0;
            if (c_below(&s, 3) == 0) query.n = shorter;
            met[c.owner[from]] = ++now;
            met[c_below(&s, c.r.n_owners)] = now;
            uint32_t elected[100];
            lethe_ssg_query of = {
                .met = c_below(&s, 3) ? met : NULL, .now = now, .is_record = c_below(&s, 2) == 0};
            if (!of.is_record && c_below(&s, 2)) {
                make_group(work, &c, &s, 1 + c_below(&s, 4), &group, &query, elected);
                of.hyper = &group;
            }
            of.term = query.item;
            of.n = query.n;
            assert_int_equal(lethe_ssg_search_nearest(search, &of, &got, &price, &pairs), LETHE_OK);
            for (uint32_t i = 0; i < n; i++) {
                if (gone[i] || (of.met && met[c.owner[i]] == now)) continue;
                c_bag other = c_record(&c, i);
                lethe_assign_cost p = of.hyper       ? price_of_group(work, &group, &other)
                                      : of.is_record ? price_of(work, &other, &query)
                                                     : price_of(work, &query, &other);
                scanned++;
                if (want == LETHE_NONE || lethe_assign_cost_cmp(p, best) < 0) best = p, want = i;
            }
            if (got != want || (want != LETHE_NONE && lethe_assign_cost_cmp(price, best) != 0))
                fail_msg("seed %llu, query %u: %u, not %u", (unsigned long long)seed, q, got, want);
            if (got != LETHE_NONE && c_below(&s, 2)) {
                gone[got] = true;
                lethe_ssg_search_remove(search, got);
            }
        }
        lethe_hyper_free(&group);
        lethe_ssg_search_free(search);
        lethe_ssg_neighbourhoods_free(neighbours);
        lethe_hyper_work_end(&work[0]);
        lethe_hyper_work_end(&work[1]);
        lethe_meaning_free(meaning);
        lethe_free(term);
        free(met);
        free(at);
        free(size);
        free(gone);
        c_free(&c);
        lethe_tree_free(t);
    }
    assert_true(pairs < scanned / 2);
    lethe_ctx_free(ctx);
}

/* Members that are leaves of a star are farther from the elected one than from its hub: before the
 * first ring, nothing says that a term is as far as the elected one is. */
static void hubs_are_nearer_than_the_elected(void **state)
{
    (void)state;
    enum { STARS = 3, LEAVES = 4, EACH = LEAVES + 2 };
    lethe_ctx *ctx = c_ctx(NULL, 1);
    uint32_t parent[1 + STARS * EACH] = {LETHE_NONE}, item[STARS], *term = NULL;
    for (uint32_t i = 1; i <= STARS * EACH; i++) // the root, and below: a node, a hub, leaves
        parent[i] = (i - 1) % EACH == 0 ? 0 : (i - 1) / EACH * EACH + ((i - 1) % EACH > 1) + 1;
    lethe_tree *t = c_tree(parent, LETHE_COUNT(parent));
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; i < LEAVES; i++) { // the group
        for (uint32_t k = 0; k < STARS; k++)
            item[k] = k * EACH + 3 + i;
        c_add(&c, i, item, STARS);
    }
    for (uint32_t i = 0; i <= STARS; i++) { // one elected leaf, the others hubs; all hubs
        for (uint32_t k = 0; k < STARS; k++)
            item[k] = k * EACH + 2 + (k == i);
        c_add(&c, LEAVES + i, item, STARS);
    }
    enum { N = LEAVES + STARS + 1 };
    size_t n_terms = 0;
    lethe_meaning *meaning = NULL;
    lethe_hyper_work work;
    lethe_hyper group = {0};
    lethe_ssg_neighbourhoods *neighbours = NULL;
    lethe_ssg_search *search = NULL;
    assert_int_equal(lethe_ssg_terms(&c.r, &term, &n_terms), LETHE_OK);
    lethe_meaning_terms terms = {.at = term, .n = n_terms};
    assert_int_equal(lethe_meaning_tree(ctx, t, &terms, 3, &meaning), LETHE_OK);
    lethe_hyper_matcher how = {meaning, {LETHE_ASSIGN_OMEGA_OVER, 0}, false};
    assert_int_equal(lethe_hyper_work_begin(&work, &how), LETHE_OK);
    assert_int_equal(lethe_ssg_neighbourhoods_new(meaning, term, n_terms, &neighbours), LETHE_OK);
    const uint32_t *at[N];
    uint32_t size[N], elected[STARS], got = 0;
    for (uint32_t i = 0; i < N; i++) {
        at[i] = c_record(&c, i).item;
        size[i] = STARS;
    }
    lethe_ssg_candidates all = {N, at, size, NULL};
    assert_int_equal(lethe_ssg_search_new(ctx, &work, neighbours, &all, &search), LETHE_OK);
    for (uint32_t i = 0; i < LEAVES; i++) {
        assert_int_equal(lethe_hyper_join(&group, &work, at[i], STARS), LETHE_OK);
        lethe_ssg_search_remove(search, i);
    }
    for (uint32_t i = 0; i < STARS; i++)
        elected[i] = lethe_hyper_elect(&group, i);
    uint64_t pairs = 0;
    lethe_assign_cost price;
    lethe_ssg_query q = {.term = elected, .n = STARS, .hyper = &group};
    assert_int_equal(lethe_ssg_search_nearest(search, &q, &got, &price, &pairs), LETHE_OK);
    assert_int_equal(got, N - 1);
    assert_int_equal(price.unmatched, 0);
    assert_int_equal(price.weight, STARS * LEAVES);
    lethe_hyper_free(&group);
    lethe_ssg_search_free(search);
    lethe_ssg_neighbourhoods_free(neighbours);
    lethe_hyper_work_end(&work);
    lethe_meaning_free(meaning);
    lethe_free(term);
    c_free(&c);
    lethe_tree_free(t);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_those_of_the_algorithm),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(refining_loses_no_more),
        cmocka_unit_test(climbing_loses_no_more),
        cmocka_unit_test(persons_of_terms_are_counted),
        cmocka_unit_test(where_lg_bag_loses_less_its_groups_are_taken),
        cmocka_unit_test(the_nearest_is_that_of_a_full_scan),
        cmocka_unit_test(hubs_are_nearer_than_the_elected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
