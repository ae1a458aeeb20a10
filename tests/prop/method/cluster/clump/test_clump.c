/* SPDX-License-Identifier: Apache-2.0 */
/* Clump against Algorithm 1 done to the letter over the whole taxonomy: the same clusters, ties
 * included, for every option (-r all, which goes by an index, against a scan); persons; threads;
 * and what must hold of every release, refined or not. */
/* suite: threads */
#include "clump_harness.h"
#include "seeds.h"

/* --- what must hold --- */

static const char *release_fault(const lethe_tree *t, const c_run *h, const c_setting *how)
{
    const c_records *c = h->in;
    for (size_t i = 0; i < c->r.n; i++) {
        if (h->group[i] == SIZE_MAX) return "a record is not published";
        c_bag r = c_record(c, i);
        uint32_t *own = c_counts(t, r.item, r.n), *out = c_counts(t, h->bag[i].item, h->bag[i].n);
        bool truthful = true;
        for (uint32_t v = 0; v < t->n; v++)
            truthful = truthful && out[v] <= own[v];
        free(own);
        free(out);
        if (!truthful) return "what is published is not true";
    }
    for (size_t g = 0; g < h->n_groups; g++) {
        size_t *member = malloc((c->r.n + 1) * sizeof *member), n = 0;
        for (size_t i = 0; i < c->r.n; i++)
            if (h->group[i] == g) member[n++] = i;
        c_group group = {.member = member, .n = n};
        bool enough = c_persons(c, &group, how) >= how->k, same = true;
        for (size_t i = 1; i < n; i++) {
            const c_bag *a = &h->bag[member[0]], *b = &h->bag[member[i]];
            same = same && a->n == b->n && memcmp(a->item, b->item, a->n * sizeof *a->item) == 0;
        }
        free(member);
        if (!enough) return "a group has fewer than k persons";
        if (!same) return "a group is not published alike";
    }
    return NULL;
}

static uint64_t total_ggd(const lethe_tree *t, const c_run *h)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < h->in->r.n; i++)
        sum += c_ggd(t, &h->bag[i], 1, c_record(h->in, i).n);
    return sum;
}

static void drop_copies(c_bag *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        if (i == 0 || b->item[i] != b->item[i - 1]) b->item[n++] = b->item[i];
    b->n = n;
}

/* The same groups, published as the slow way has them? */
static const char *oracle_fault(const lethe_tree *t, const c_run *h, const c_setting *how)
{
    const c_records *c = h->in;
    uint32_t *order = malloc((c->r.n + 1) * sizeof *order);
    size_t *group = malloc((c->r.n + 1) * sizeof *group);
    c_bag *result = calloc(c->r.n + 1, sizeof *result);
    const char *fault = NULL;
    c_order(c, strcmp(how->order, "ascending") == 0, order);
    size_t n = c_clump(t, c, how, order, group, result);
    if (n != h->n_groups) fault = "another number of groups";
    for (size_t g = 0; g < n && how->unique; g++)
        drop_copies(&result[g]);
    for (size_t i = 0; i < c->r.n && !fault; i++) {
        const c_bag *a = &h->bag[i], *b = &result[group[i]];
        if (h->group[i] != group[i]) fault = "another group";
        if (a->n != b->n || memcmp(a->item, b->item, a->n * sizeof *a->item) != 0)
            fault = fault ? fault : "another record";
    }
    for (size_t g = 0; g < n; g++)
        free(result[g].item);
    free(result);
    free(group);
    free(order);
    return fault;
}

/* --- cases --- */

static c_setting random_setting(uint64_t *s, size_t n)
{
    static const uint64_t rs[] = {0, 1, 2, 3, 10, 0};
    static const char *const orders[] = {"descending", "ascending"};
    return (c_setting){.k = 2 + c_below(s, n < 4 ? 1 : LETHE_MIN(n / 2, 6)),
                       .r = rs[c_below(s, LETHE_COUNT(rs))],
                       .order = orders[c_below(s, 4) == 0],
                       .each = c_below(s, 3) == 0,
                       .increase = c_below(s, 3) == 0,
                       .buig = c_below(s, 4) == 0,
                       .unique = c_below(s, 6) == 0,
                       .refine = "0"};
}

static bool is_feasible(const c_records *c, const c_setting *how)
{
    return (how->each ? c->r.n : c->r.n_owners) >= how->k;
}

static void run_case(uint64_t seed, uint32_t most_nodes, size_t n, uint32_t longest)
{
    uint64_t s = seed;
    lethe_tree *t = c_random_tree(&s, most_nodes);
    c_records c;
    c_random_records(&c, t, &s, n, longest, c_below(&s, 2) ? 0 : 1 + c_below(&s, n));
    c_setting how = random_setting(&s, n);
    c_run h;
    lethe_err err = c_run_method(&h, t, &c, &how);
    const char *fault = NULL;
    if (!is_feasible(&c, &how))
        fault = err == LETHE_ANSWER_NO && h.n_groups == 0 ? NULL : "not refused";
    else if (err != LETHE_OK)
        fault = "failed";
    if (!fault && err == LETHE_OK) fault = oracle_fault(t, &h, &how);
    if (!fault && err == LETHE_OK) fault = release_fault(t, &h, &how);
    if (fault)
        fail_msg("seed %llu (%zu records, k %llu, r %llu%s%s%s%s): %s", (unsigned long long)seed, n,
                 (unsigned long long)how.k, (unsigned long long)how.r, how.each ? ", each" : "",
                 how.increase ? ", delta" : "", how.buig ? ", buig" : "",
                 how.unique ? ", unique" : "", fault);
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

static void small_cases_are_as_the_paper_has_them(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(4000); seed++)
        run_case(seed, 14, 1 + seed % 23, 5);
}

static void larger_cases_are_as_the_paper_has_them(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        run_case(seed * 1000003, 160, 40 + seed * 2, 12);
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        static const unsigned threads[] = {1, 2, 7};
        uint64_t s = seed * 104729;
        lethe_tree *t = c_random_tree(&s, 200);
        c_records c;
        c_random_records(&c, t, &s, 400, 15, seed % 2 ? 0 : 120);
        c_run h[3];
        for (size_t i = 0; i < 3; i++) {
            c_setting how = {.k = 3,
                             .r = seed % 3 ? 10 : 0,
                             .order = seed % 4 ? "descending" : "random",
                             .refine = "5",
                             .start = seed % 3 ? "clump" : "nearest",
                             .threads = threads[i]};
            assert_int_equal(c_run_method(&h[i], t, &c, &how), LETHE_OK);
            assert_memory_equal(h[i].group, h[0].group, c.r.n * sizeof *h[0].group);
        }
        for (size_t i = 0; i < 3; i++)
            c_run_end(&h[i]);
        c_free(&c);
        lethe_tree_free(t);
    }
}

static void refining_keeps_persons_and_never_loses(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(600); seed++) {
        uint64_t s = seed * 15485863;
        lethe_tree *t = c_random_tree(&s, 40);
        c_records c;
        size_t n = 6 + c_below(&s, 60);
        c_random_records(&c, t, &s, n, 8, c_below(&s, 2) ? 0 : 1 + c_below(&s, n));
        c_setting how = random_setting(&s, n), plain;
        how.buig = how.unique = false; // its groups are not refined; copies are dropped afterwards
        if (c_below(&s, 4) == 0) how.order = "random";
        how.start = c_below(&s, 2) ? "clump" : "nearest";
        how.refine = "10";
        plain = how;
        plain.refine = "0";
        c_run a, b;
        lethe_err err = c_run_method(&a, t, &c, &plain);
        assert_int_equal(c_run_method(&b, t, &c, &how), err);
        const char *fault = NULL;
        if (err == LETHE_OK) {
            fault = release_fault(t, &a, &how);
            if (!fault) fault = release_fault(t, &b, &how);
            if (!fault && total_ggd(t, &b) > total_ggd(t, &a)) fault = "refining lost something";
        }
        if (fault) fail_msg("seed %llu: %s", (unsigned long long)seed, fault);
        c_run_end(&a);
        c_run_end(&b);
        c_free(&c);
        lethe_tree_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_cases_are_as_the_paper_has_them),
        cmocka_unit_test(larger_cases_are_as_the_paper_has_them),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(refining_keeps_persons_and_never_loses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
