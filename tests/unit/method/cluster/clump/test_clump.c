/* SPDX-License-Identifier: Apache-2.0 */
/* The method clump by itself: options, claims, figures, bad input, lack of memory. */
/* suite: threads */
#include "clump_harness.h"
#include <math.h>
#include <time.h>

/* Three leaves below the root: 1, 2, 3. */
static lethe_tree *three_leaves(void) { return c_tree((uint32_t[]){LETHE_NONE, 0, 0, 0}, 4); }

static c_records leaves(const char *text)
{
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; text[i]; i++)
        c_add(&c, i, &(uint32_t){(uint32_t)(text[i] - '0')}, 1);
    return c;
}

static bool is_about(double a, double b) { return fabs(a - b) < 1e-12; }

/* --- the descriptor --- */

static const lethe_option *option(const char *name)
{
    for (const lethe_option *o = lethe_method_clump.options; o->name; o++)
        if (strcmp(o->name, name) == 0) return o;
    fail_msg("no option %s", name);
    return NULL;
}

static lethe_err try_value(const char *name, const char *text)
{
    lethe_value at[32];
    lethe_values v;
    lethe_values_init(&v, lethe_method_clump.options, at);
    return lethe_values_set(&v, (size_t)(option(name) - lethe_method_clump.options), text, NULL);
}

static void options_are_as_designed(void **state)
{
    (void)state;
    assert_true(option("k")->required && option("k")->letter == 'k');
    assert_string_equal(option("r")->fallback, "10");
    assert_string_equal(option("order")->fallback, "descending");
    assert_string_equal(option("score")->fallback, "total");
    assert_non_null(option("persons"));
    static const struct {
        const char *name, *text;
        bool ok;
    } cases[] = {
        {"k", "2", true},        {"k", "1", false},          {"k", "0", false},
        {"k", "-3", false},      {"k", "2000000000", false}, {"r", "all", true},
        {"r", "0", false},       {"r", "none", false},       {"order", "random", true},
        {"order", "up", false},  {"score", "delta", true},   {"refine", "0", true},
        {"refine", "-1", false},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        assert_int_equal(try_value(cases[i].name, cases[i].text) == LETHE_OK, cases[i].ok);
    lethe_value at[32];
    lethe_values v;
    lethe_values_init(&v, lethe_method_clump.options, at);
    assert_int_equal(lethe_values_check(&v, "clump", NULL), LETHE_EUSAGE); // no -k
}

static void the_claim_follows_from_the_options(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records c = leaves("1122");
    for (int each = 0; each < 2; each++) {
        c_run h;
        c_setting how = {.k = 2, .each = each != 0};
        assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
        assert_int_equal(lethe_json_count(h.claims), 1);
        const lethe_json *claim = lethe_json_at(h.claims, 0);
        assert_true(lethe_str_eq(lethe_json_text(lethe_json_get(claim, "notion")),
                                 LETHE_LIT("record-k-anonymity")));
        assert_int_equal(lethe_json_int(lethe_json_get(claim, "k")), 2);
        assert_int_equal(lethe_json_get(claim, "persons") != NULL, each);
        c_run_end(&h);
    }
    c_free(&c);
    lethe_tree_free(t);
}

static void every_figure_is_set(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records c = leaves("1122");
    c_run h;
    assert_int_equal(c_run_method(&h, t, &c, &(c_setting){.k = 2}), LETHE_OK);
    size_t n = 0;
    for (const lethe_figure *f = lethe_method_clump.figures; f->name; f++, n++)
        if (!lethe_json_get(h.metrics, f->name)) fail_msg("no figure %s", f->name);
    assert_int_equal(lethe_json_count(h.metrics), n);
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

/* --- figures --- */

static void figures_are_by_their_meaning(void **state)
{
    (void)state;
    /* 0 -> 1 (leaves 2, 3), 4 (leaf): scale 2, LM(1) = 1/2 */
    lethe_tree *t = c_tree((uint32_t[]){LETHE_NONE, 0, 1, 1, 0}, 5);
    c_records c;
    c_begin(&c);
    c_add(&c, 0, (uint32_t[]){2, 3, 4}, 3);
    c_add(&c, 1, (uint32_t[]){2, 2}, 2); // LCG with the first: <1, 2>
    c_setting how = {.k = 2, .refine = "0"};
    c_run h;
    assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
    assert_int_equal(h.bag[0].n, 2);
    assert_memory_equal(h.bag[0].item, ((uint32_t[]){1, 2}), sizeof(uint32_t[2]));
    assert_true(is_about(c_real(&h, "ggd"), 2 * 0.5 + 1));
    assert_int_equal(c_int(&h, "clusters"), 1);
    assert_int_equal(c_int(&h, "items_suppressed"), 1);
    assert_true(is_about(c_real(&h, "avg_length"), 2));
    assert_true(is_about(c_real(&h, "avg_level"), 2.5)); // the root's is 1
    assert_true(is_about(c_real(&h, "density"), 5.0 / (2 * 3)));
    assert_true(is_about(c_real(&h, "shared_rare"), 1)); // item 2 has 2 persons, fewer than 4
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

static void unique_counts_copies_as_suppressed(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records c;
    c_begin(&c);
    c_add(&c, 0, (uint32_t[]){1, 1, 2}, 3);
    c_add(&c, 1, (uint32_t[]){1, 1, 1}, 3); // <1, 1, root>
    c_setting how = {.k = 2, .unique = true};
    c_run h;
    assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
    assert_int_equal(h.bag[0].n, 2);
    assert_memory_equal(h.bag[1].item, ((uint32_t[]){0, 1}), sizeof(uint32_t[2]));
    assert_int_equal(c_int(&h, "items_suppressed"), 2);
    assert_true(is_about(c_real(&h, "ggd"), 2 * 1 + 2));
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

static void an_item_is_rare_below_twice_k_persons(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records c = leaves("11112233");
    c_setting how = {.k = 2, .refine = "0"};
    c_run h;
    assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
    assert_int_equal(c_int(&h, "clusters"), 4);
    assert_true(is_about(c_real(&h, "shared_rare"), 0.5)); // 2 and 3 are, 1 is not
    assert_true(is_about(c_real(&h, "ggd"), 0));
    c_run_end(&h);
    c_free(&c);
    /* four records have leaf 1, but only three persons: rare; by records it is not */
    c_begin(&c);
    static const uint32_t owner[] = {0, 1, 2, 0};
    for (size_t i = 0; i < 4; i++)
        c_add(&c, owner[i], &(uint32_t){1}, 1);
    assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
    assert_true(is_about(c_real(&h, "shared_rare"), 1));
    c_run_end(&h);
    how.each = true;
    assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
    assert_true(is_about(c_real(&h, "shared_rare"), 0));
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

static void the_share_of_groups_scored(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records c = leaves("123123");
    c_run h;
    /* records 0, 2 and 4 begin; with r = 1, one of 3, of 2 and of 1 is looked at */
    c_setting how = {.k = 2, .r = 1, .refine = "0"};
    assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
    assert_true(is_about(c_real(&h, "scored_share"), 3.0 / (3 + 2 + 1)));
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

/* --- the order --- */

static void a_random_order_is_drawn_from_the_run(void **state)
{
    (void)state;
    uint64_t s = 5;
    lethe_tree *t = c_random_tree(&s, 60);
    c_records c;
    c_random_records(&c, t, &s, 200, 6, 0);
    c_setting how = {.k = 3, .order = "random", .refine = "0"}, other = {.k = 3, .refine = "0"};
    c_run a, b, d;
    assert_int_equal(c_run_method(&a, t, &c, &how), LETHE_OK);
    assert_int_equal(c_run_method(&b, t, &c, &how), LETHE_OK);
    assert_int_equal(c_run_method(&d, t, &c, &other), LETHE_OK);
    assert_memory_equal(a.group, b.group, c.r.n * sizeof *a.group);
    assert_memory_not_equal(a.group, d.group, c.r.n * sizeof *a.group);
    c_run_end(&a);
    c_run_end(&b);
    c_run_end(&d);
    c_free(&c);
    lethe_tree_free(t);
}

/* --- bad input --- */

static void fewer_than_k_persons_are_refused(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records none, one;
    c_begin(&none);
    c_begin(&one); // ten records of one person, and one of another
    for (uint32_t i = 0; i < 11; i++)
        c_add(&one, i == 10, &(uint32_t){1 + i % 3}, 1);
    c_run h;
    assert_int_equal(c_run_method(&h, t, &none, &(c_setting){.k = 2}), LETHE_ANSWER_NO);
    assert_string_equal(h.message, "fewer than k persons: there are 0, and k is 2");
    c_run_end(&h);
    assert_int_equal(c_run_method(&h, t, &one, &(c_setting){.k = 3}), LETHE_ANSWER_NO);
    assert_string_equal(h.message, "fewer than k persons: there are 2, and k is 3");
    assert_int_equal(h.n_groups, 0);
    c_run_end(&h);
    assert_int_equal(c_run_method(&h, t, &one, &(c_setting){.k = 12, .each = true}),
                     LETHE_ANSWER_NO);
    assert_string_equal(h.message, "fewer than k records: there are 11, and k is 12");
    c_run_end(&h);
    assert_int_equal(c_run_method(&h, t, &one, &(c_setting){.k = 11, .each = true}), LETHE_OK);
    c_run_end(&h);
    c_free(&none);
    c_free(&one);
    lethe_tree_free(t);
}

static void k_over_half_of_the_data_makes_one_group(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records c = leaves("1231231");
    for (uint64_t k = 4; k <= 7; k++) {
        c_run h;
        assert_int_equal(c_run_method(&h, t, &c, &(c_setting){.k = k}), LETHE_OK);
        assert_int_equal(c_int(&h, "clusters"), 1);
        for (size_t i = 0; i < c.r.n; i++)
            assert_true(h.group[i] == 0 && h.bag[i].n == 1 && h.bag[i].item[0] == 0);
        c_run_end(&h);
    }
    c_free(&c);
    lethe_tree_free(t);
}

static void identical_records_lose_nothing(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; i < 1000; i++)
        c_add(&c, i, (uint32_t[]){3, 1, 1}, 3);
    for (uint64_t r = 0; r <= 1; r++) {
        c_run h;
        assert_int_equal(c_run_method(&h, t, &c, &(c_setting){.k = 7, .r = r}), LETHE_OK);
        assert_true(is_about(c_real(&h, "ggd"), 0));
        assert_int_equal(c_int(&h, "items_suppressed"), 0);
        c_run_end(&h);
    }
    c_free(&c);
    lethe_tree_free(t);
}

static void empty_records_are_published_empty(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; i < 4; i++)
        c_add(&c, i, NULL, 0);
    c_add(&c, 4, (uint32_t[]){1, 2}, 2);
    c_run h;
    assert_int_equal(c_run_method(&h, t, &c, &(c_setting){.k = 2}), LETHE_OK);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(h.bag[i].n, 0);
    assert_true(is_about(c_real(&h, "ggd"), 2));
    assert_true(is_about(c_real(&h, "avg_length"), 0));
    assert_true(is_about(c_real(&h, "avg_level"), 0));
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

/* One leaf: LM is 0/0.  Nothing can be generalized, only suppressed. */
static void a_tree_of_one_leaf(void **state)
{
    (void)state;
    static const uint32_t nodes[] = {1, 3};
    for (size_t i = 0; i < 2; i++) {
        lethe_tree *t = c_tree((uint32_t[]){LETHE_NONE, 0, 1}, nodes[i]);
        uint32_t leaf = nodes[i] - 1, item[] = {leaf, leaf, leaf};
        c_records c;
        c_begin(&c);
        for (uint32_t k = 0; k < 5; k++)
            c_add(&c, k, item, 1 + k % 3);
        for (int buig = 0; buig < 2; buig++) {
            c_run h;
            c_setting how = {.k = 2, .buig = buig != 0};
            assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
            for (size_t k = 0; k < 5; k++)
                for (size_t m = 0; m < h.bag[k].n; m++)
                    assert_int_equal(h.bag[k].item[m], leaf);
            assert_true(is_about(c_real(&h, "ggd"), (double)c_int(&h, "items_suppressed")));
            c_run_end(&h);
        }
        c_free(&c);
        lethe_tree_free(t);
    }
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One person in most records: in every group at most once while it fills, and no walk over all
 * groups for each of its records. */
static void one_person_owns_most_records(void **state)
{
    (void)state;
    enum { MANY = 20000, OTHERS = 4000 };
    uint64_t s = 3;
    lethe_tree *t = c_random_tree(&s, 200);
    for (int all = 0; all < 2; all++) {
        size_t n = all ? MANY / 20 : MANY, others = all ? OTHERS / 20 : OTHERS;
        c_records c = {0};
        c_begin(&c);
        for (uint32_t i = 0; i < n + others; i++) {
            uint32_t item[] = {c_random_leaf(t, &s), c_random_leaf(t, &s)};
            c_add(&c, i < n ? 0 : i - (uint32_t)n + 1, item, 1 + i % 2);
        }
        c_setting how = {.k = 3, .r = all ? 0 : 10, .refine = "0"};
        c_run h;
        double start = cpu_s();
        assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
        assert_true(cpu_s() - start < 60);
        // the others and this one in each make 3 n
        assert_true(h.n_groups <= others / 2);
        uint8_t *persons = calloc(h.n_groups, 1), *has = calloc(h.n_groups, 1);
        for (size_t i = 0; i < c.r.n; i++) {
            if (c.owner[i] == 0)
                has[h.group[i]] = 1;
            else if (persons[h.group[i]] < 9)
                persons[h.group[i]]++;
        }
        for (size_t g = 0; g < h.n_groups; g++)
            assert_true(persons[g] + has[g] >= 3);
        free(persons);
        free(has);
        c_run_end(&h);
        c_free(&c);
    }
    lethe_tree_free(t);
}

/* Its length times the scale is more than 32 bits hold. */
static void a_record_of_a_million_items(void **state)
{
    (void)state;
    enum { LEAVES = 6000, MANY = 1000000 };
    uint32_t *parent = malloc((LEAVES + 101) * sizeof *parent), *item = malloc(MANY * sizeof *item);
    uint64_t s = 11;
    for (uint32_t i = 0; i < LEAVES + 101; i++)
        parent[i] = i == 0 ? LETHE_NONE : i <= 100 ? 0 : 1 + i % 100;
    lethe_tree *t = c_tree(parent, LEAVES + 101);
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; i < 40; i++) {
        size_t n = i == 20 || i == 30 ? MANY : 5;
        for (size_t k = 0; k < n; k++)
            item[k] = c_random_leaf(t, &s);
        c_add(&c, i, item, n);
    }
    for (int r = 0; r < 2; r++) {
        c_run h;
        double start = cpu_s();
        c_setting how = {.k = 2, .r = r ? 10 : 0};
        assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
        assert_true(cpu_s() - start < 60);
        assert_int_equal(h.group[20], h.group[30]); // nobody else is near
        assert_int_equal(h.bag[20].n, MANY);
        c_run_end(&h);
    }
    free(item);
    free(parent);
    c_free(&c);
    lethe_tree_free(t);
}

/* A long record is compared with every short one while its group is open: that must not cost its
 * length each time, nor where BUIG makes the results. */
static void a_long_record_does_not_cost_every_short_one(void **state)
{
    (void)state;
    enum { LEAVES = 100000, SHORT = 3000 };
    uint32_t *parent = calloc(LEAVES + 1, sizeof *parent), *item = malloc(LEAVES * sizeof *item);
    uint64_t s = 3;
    parent[0] = LETHE_NONE;
    for (uint32_t i = 0; i < LEAVES; i++)
        item[i] = i + 1;
    lethe_tree *t = c_tree(parent, LEAVES + 1);
    c_records c;
    c_begin(&c);
    c_add(&c, 0, item, LEAVES);
    for (uint32_t i = 1; i <= SHORT; i++)
        c_add(&c, i, (uint32_t[]){1 + c_below(&s, 100), 1 + c_below(&s, 100)}, 2);
    for (int buig = 0; buig < 2; buig++) {
        c_run h;
        double start = cpu_s();
        c_setting how = {.k = 3, .r = 10, .refine = "0", .buig = buig != 0};
        assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
        assert_true(cpu_s() - start < 4);
        c_run_end(&h);
    }
    free(item);
    free(parent);
    c_free(&c);
    lethe_tree_free(t);
}

static double cpu_of(const lethe_tree *t, const c_records *c, bool each)
{
    c_run h;
    double start = cpu_s();
    c_setting how = {.k = 3, .r = 10, .refine = "0", .each = each};
    assert_int_equal(c_run_method(&h, t, c, &how), LETHE_OK);
    c_run_end(&h);
    return cpu_s() - start;
}

/* The first groups, of other items, never attract a person who is in all the open ones behind them;
 * those must be passed over at once, and not one by one for each of the person's records. */
static void a_person_in_many_open_groups_costs_no_more(void **state)
{
    (void)state;
    enum { N = 90000 };
    lethe_tree *t = three_leaves();
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; i < 27; i++)
        c_add(&c, i, (uint32_t[]){3, 3, 3, 3, 3, 3, 3, 3}, 8);
    for (uint32_t i = 27; i < N; i++)
        c_add(&c, i < N / 3 ? 27 : i - N / 3 + 28, (uint32_t[]){1, 2}, 2);
    double plain = cpu_of(t, &c, true);
    assert_true(cpu_of(t, &c, false) < 8 * plain + 0.3);
    c_free(&c);
    lethe_tree_free(t);
}

/* --- where groups begin --- */

/* Which algorithm runs shows in what only the paper's has to say: groups scored. */
static bool is_papers(const lethe_tree *t, const c_records *c, const char *const (*set)[2],
                      size_t n)
{
    c_run h;
    c_run_begin(&h, c);
    lethe_ctx *ctx = c_ctx(&h, 1);
    lethe_value at[32];
    lethe_values v;
    lethe_secret *key = NULL;
    lethe_values_init(&v, lethe_method_clump.options, at);
    c_set(&v, "k", "2");
    for (size_t i = 0; i < n; i++)
        c_set(&v, set[i][0], set[i][1]);
    assert_int_equal(lethe_secret_from_seed(1, &key), LETHE_OK);
    lethe_run run = {.ctx = ctx, .values = &v, .random = key};
    lethe_result out = {.pipeline = &h, .record = c_on_record, .doc = h.doc, .metrics = h.metrics};
    lethe_data data = {.shape = LETHE_SHAPE_RECORDS, .records = &c->r, .tree = t};
    assert_int_equal(lethe_method_clump.run(&run, &data, &out), LETHE_OK);
    bool scored = c_real(&h, "scored_share") > 0;
    lethe_secret_free(key);
    lethe_ctx_free(ctx);
    c_run_end(&h);
    return scored;
}

static void groups_begin_as_the_options_say(void **state)
{
    (void)state;
    static const char *const none[][2] = {{"refine", "3"}};
    static const char *const paper[][2] = {{"refine", "0"},     {"r", "10"},
                                           {"order", "random"}, {"score", "delta"},
                                           {"start", "clump"},  {"as-published", ""}};
    static const char *const both[][2] = {{"start", "nearest"}, {"refine", "0"}, {"r", "3"}};
    lethe_tree *t = three_leaves();
    c_records c = leaves("12312312");
    assert_false(is_papers(t, &c, NULL, 0));
    assert_false(is_papers(t, &c, none, 1));
    for (size_t i = 0; i < LETHE_COUNT(paper); i++)
        assert_true(is_papers(t, &c, paper + i, 1));
    assert_false(is_papers(t, &c, both, 3)); // what is said outright counts
    c_free(&c);
    lethe_tree_free(t);
}

/* --- as published --- */

static void as_published_is_not_refined(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records c = leaves("11223");
    c_run h;
    assert_int_equal(c_run_method(&h, t, &c, &(c_setting){.k = 2, .buig = true}), LETHE_OK);
    assert_string_equal(h.message, "");
    c_run_end(&h);
    c_setting how = {.k = 2, .buig = true, .refine = "3"};
    assert_int_equal(c_run_method(&h, t, &c, &how), LETHE_OK);
    assert_string_equal(h.message, "groups made with --as-published are not refined");
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

/* --- failures --- */

static void a_cancelled_run_publishes_nothing(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records c = leaves("1122");
    c_run h;
    c_run_begin(&h, &c);
    lethe_ctx *ctx = c_ctx(&h, 1);
    lethe_ctx_cancel(ctx);
    assert_int_equal(c_run_in(&h, ctx, t, &(c_setting){.k = 2}), LETHE_ECANCEL);
    assert_int_equal(h.n_groups, 0);
    lethe_ctx_free(ctx);
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

static lethe_err refuse_record(lethe_result *out, size_t from, uint32_t group, const uint32_t *node,
                               size_t n)
{
    (void)out, (void)from, (void)group, (void)node, (void)n;
    return LETHE_EIO;
}

static void a_failure_of_the_pipeline_is_passed_on(void **state)
{
    (void)state;
    lethe_tree *t = three_leaves();
    c_records c = leaves("1122");
    c_run h;
    c_run_begin(&h, &c);
    lethe_ctx *ctx = c_ctx(&h, 1);
    lethe_value at[32];
    lethe_values v;
    lethe_values_init(&v, lethe_method_clump.options, at);
    c_set(&v, "k", "2");
    lethe_run run = {.ctx = ctx, .values = &v};
    lethe_result out = {.record = refuse_record, .doc = h.doc, .metrics = h.metrics};
    lethe_data data = {.shape = LETHE_SHAPE_RECORDS, .records = &c.r, .tree = t};
    assert_int_equal(lethe_method_clump.run(&run, &data, &out), LETHE_EIO);
    lethe_ctx_free(ctx);
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

/* Every n-th allocation fails: no memory, and nothing is leaked (the sanitizer sees to that). */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const c_setting settings[] = {
        {.k = 2, .r = 0},
        {.k = 2, .start = "nearest", .refine = "2"},
        {.k = 2, .r = 2, .unique = true},
        {.k = 2, .r = 1, .buig = true},
        {.k = 3, .r = 0, .buig = true, .increase = true},
        {.k = 2, .r = 10, .each = true, .refine = "0"},
    };
    uint64_t s = 99;
    lethe_tree *t = c_random_tree(&s, 20);
    c_records c;
    c_random_records(&c, t, &s, 24, 4, 9);
    for (size_t i = 0; i < LETHE_COUNT(settings); i++) {
        lethe_err err = LETHE_ENOMEM;
        uint64_t n = 1;
        for (; err != LETHE_OK && n < 5000; n++) {
            c_run h;
            c_run_begin(&h, &c);
            lethe_ctx *ctx = c_ctx(&h, 1);
            lethe_alloc_fail_at(n);
            err = c_run_in(&h, ctx, t, &settings[i]);
            lethe_alloc_fail_at(0);
            if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
            lethe_ctx_free(ctx);
            c_run_end(&h);
        }
        assert_int_equal(err, LETHE_OK);
        assert_true(n > 20);
    }
    c_free(&c);
    lethe_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_as_designed),
        cmocka_unit_test(the_claim_follows_from_the_options),
        cmocka_unit_test(every_figure_is_set),
        cmocka_unit_test(figures_are_by_their_meaning),
        cmocka_unit_test(unique_counts_copies_as_suppressed),
        cmocka_unit_test(an_item_is_rare_below_twice_k_persons),
        cmocka_unit_test(the_share_of_groups_scored),
        cmocka_unit_test(a_random_order_is_drawn_from_the_run),
        cmocka_unit_test(fewer_than_k_persons_are_refused),
        cmocka_unit_test(k_over_half_of_the_data_makes_one_group),
        cmocka_unit_test(identical_records_lose_nothing),
        cmocka_unit_test(empty_records_are_published_empty),
        cmocka_unit_test(a_tree_of_one_leaf),
        cmocka_unit_test(one_person_owns_most_records),
        cmocka_unit_test(a_record_of_a_million_items),
        cmocka_unit_test(a_long_record_does_not_cost_every_short_one),
        cmocka_unit_test(a_person_in_many_open_groups_costs_no_more),
        cmocka_unit_test(groups_begin_as_the_options_say),
        cmocka_unit_test(as_published_is_not_refined),
        cmocka_unit_test(a_cancelled_run_publishes_nothing),
        cmocka_unit_test(a_failure_of_the_pipeline_is_passed_on),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
