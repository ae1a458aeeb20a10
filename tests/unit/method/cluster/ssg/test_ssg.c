/* SPDX-License-Identifier: Apache-2.0 */
/* The method ssg by itself: options, claims, figures, bad input, lack of memory, cancellation. */
#include "ssg_harness.h"
#include "sanitized.h"
#include <math.h>
#include <time.h>
#include <unistd.h>

/* 0 -> 1 (leaves 2, 3, 4), 5 (leaves 6, 7): within 1 and 5 distances are 2, between them 4. */
static lethe_tree *two_kinds(void)
{
    return c_tree((uint32_t[]){LETHE_NONE, 0, 1, 1, 1, 0, 5, 5}, 8);
}

static bool is_about(double a, double b) { return fabs(a - b) < 1e-12; }

static const lethe_option *option(const char *name)
{
    for (const lethe_option *o = lethe_method_ssg.options; o->name; o++)
        if (strcmp(o->name, name) == 0) return o;
    fail_msg("no option %s", name);
    return NULL;
}

static lethe_err try_value(const char *name, const char *text)
{
    lethe_value at[32];
    lethe_values v;
    lethe_values_init(&v, lethe_method_ssg.options, at);
    return lethe_values_set(&v, (size_t)(option(name) - lethe_method_ssg.options), text, NULL);
}

static void options_are_as_designed(void **state)
{
    (void)state;
    assert_true(option("k")->required && option("k")->letter == 'k');
    assert_string_equal(option("epsilon")->fallback, "auto");
    assert_null(option("omega")->fallback);
    assert_string_equal(option("matching")->fallback, "exact");
    assert_string_equal(option("centre")->fallback, "vote");
    assert_null(option("min-owners")->fallback);
    assert_string_equal(option("unmatched")->fallback, "climb");
    assert_string_equal(option("metric")->fallback, "tree");
    static const struct {
        const char *name, *text;
        bool ok;
    } cases[] = {
        {"k", "2", true},
        {"k", "1", false},
        {"k", "0", false},
        {"k", "-3", false},
        {"epsilon", "auto", true},
        {"epsilon", "2.5", true},
        {"epsilon", "6l", true},
        {"epsilon", "l", false},
        {"epsilon", "6e", false},
        {"epsilon", "-1l", false},
        {"epsilon", "-1", false},
        {"epsilon", "none", false},
        {"omega", "none", true},
        {"omega", "100", true},
        {"omega", "2l", false},
        {"omega", "-2", false},
        {"omega", "auto", false},
        {"matching", "best", false},
        {"matching", "greedy", true},
        {"centre", "bag", true},
        {"centre", "mean", false},
        {"min-owners", "0", false},
        {"min-owners", "3", true},
        {"metric", "network", true},
        {"metric", "a.tsv", true},
        {"refine", "0", true},
        {"refine", "-1", false},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        if ((try_value(cases[i].name, cases[i].text) == LETHE_OK) != cases[i].ok)
            fail_msg("--%s %s", cases[i].name, cases[i].text);
}

static void every_figure_is_set_and_the_claim_made(void **state)
{
    (void)state;
    lethe_tree *t = two_kinds();
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; i < 4; i++)
        c_add(&c, i, (uint32_t[]){2, 6}, 2);
    for (int each = 0; each < 2; each++) {
        c_run h;
        assert_int_equal(s_run_method(&h, t, &c, &(s_setting){.k = 2, .each = each != 0}),
                         LETHE_OK);
        size_t n = 0;
        for (const lethe_figure *f = lethe_method_ssg.figures; f->name; f++, n++)
            if (!lethe_json_get(h.metrics, f->name)) fail_msg("no figure %s", f->name);
        assert_int_equal(lethe_json_count(h.metrics), n);
        const lethe_json *claim = lethe_json_at(h.claims, 0);
        assert_true(lethe_str_eq(lethe_json_text(lethe_json_get(claim, "notion")),
                                 LETHE_LIT("record-k-anonymity")));
        assert_int_equal(lethe_json_int(lethe_json_get(claim, "k")), 2);
        assert_int_equal(lethe_json_get(claim, "persons") != NULL, each);
        assert_int_equal(lethe_json_count(h.caveats), 1 + !each); // substitution, IDs as persons
        assert_true(is_about(c_real(&h, "blm"), 0));
        assert_true(is_about(c_real(&h, "distinct_terms_share"), 1));
        assert_true(is_about(c_real(&h, "avg_size_share"), 1));
        c_run_end(&h);
    }
    c_free(&c);
    lethe_tree_free(t);
}

static void owners_are_of_the_log_where_k_is_large(void **state)
{
    (void)state;
    static const struct {
        const char *k, *owners, *min_owners;
        int64_t claimed; /* 0: nothing */
    } cases[] = {{"4", NULL, NULL, 0}, {"5", NULL, NULL, 5},    {"7", NULL, NULL, 7},
                 {"5", NULL, "3", 0},  {"5", "group", NULL, 0}, {"2", "log", NULL, 5},
                 {"2", "log", "3", 3}};
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_value at[32];
        lethe_values v;
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *claims = lethe_json_array(doc);
        lethe_values_init(&v, lethe_method_ssg.options, at);
        c_set(&v, "k", cases[i].k);
        c_set(&v, "owners", cases[i].owners);
        c_set(&v, "min-owners", cases[i].min_owners);
        lethe_method_ssg.claims(&v, doc, claims);
        const lethe_json *said = lethe_json_get(lethe_json_at(claims, 0), "term-persons");
        assert_int_equal(said ? lethe_json_int(said) : 0, cases[i].claimed);
        lethe_json_doc_free(doc);
    }
}

/* <2, 6> and <3, 6, 7>: {2, 3} and {6, 6}; 7 is suppressed.  2 and 3 have one owner each. */
static c_records a_pair(void)
{
    c_records c;
    c_begin(&c);
    c_add(&c, 0, (uint32_t[]){2, 6}, 2);
    c_add(&c, 1, (uint32_t[]){3, 6, 7}, 3);
    return c;
}

static void terms_of_one_owner_are_not_published(void **state)
{
    (void)state;
    static const struct {
        uint64_t owners;
        const char *centre;
        uint32_t node[2], n;
        double lost; /* of the scale, 4 */
    } cases[] = {
        {1, "vote", {2, 6}, 2, 2 + 4},
        {2, "vote", {1, 6}, 2, 2 + 4},
        {1, "ancestor", {1, 6}, 2, 2 + 4},
        {2, "ancestor", {1, 6}, 2, 2 + 4},
    };
    lethe_tree *t = two_kinds();
    c_records c = a_pair();
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        s_setting how = {
            .k = 2, .epsilon = 2, .min_owners = cases[i].owners, .centre = cases[i].centre};
        c_run h;
        assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(h.bag[k].n, cases[i].n);
            assert_memory_equal(h.bag[k].item, cases[i].node, cases[i].n * sizeof(uint32_t));
        }
        assert_true(is_about(c_real(&h, "blm"), cases[i].lost / (4 * 5)));
        assert_int_equal(c_int(&h, "empty"), 0);
        bool vote = strcmp(cases[i].centre, "vote") == 0;
        assert_int_equal(lethe_json_count(h.caveats), 1 + vote + (vote && cases[i].owners == 1));
        c_run_end(&h);
    }
    c_run h;
    assert_int_equal(s_run_method(&h, t, &c, &(s_setting){.k = 2, .epsilon = 2, .min_owners = 3}),
                     LETHE_ANSWER_NO); // two persons: nothing can be used by three
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

/* What is published for the first record: names of nodes, bags joined. */
static const char *published(const c_run *h)
{
    static char text[256];
    size_t at = 0;
    text[0] = 0;
    for (size_t i = 0; i < h->bag[0].n; i++) {
        uint32_t item = h->bag[0].item[i];
        c_bag one = {&item, 1}, *b = item >= C_JOINED ? &h->joined[item - C_JOINED] : &one;
        for (size_t k = 0; k < b->n; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%u",
                                   k > 0 ? "|"
                                   : i   ? " "
                                         : "",
                                   b->item[k]);
    }
    return text;
}

/* Section 5.4.2, the second method: all terms that were matched, as far as enough persons used each
 * of them; else what is above. */
static void bags_hold_what_enough_persons_used(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t owners;
        uint32_t term[4]; /* a record each */
        const char *want;
        unsigned terms; /* published */
    } cases[] = {
        {"all of them", 1, {2, 3, 4, 2}, "2|3|4", 3},
        {"each of two", 2, {2, 3, 2, 3}, "2|3", 2},
        {"one that is one person's is not shown, nor what is not it", 2, {2, 2, 2, 3}, "1", 1},
        {"one term is no bag", 2, {2, 2, 2, 2}, "2", 1},
        {"nor is one term of one person", 1, {2, 2, 2, 2}, "2", 1},
        {"of two kinds", 2, {2, 2, 6, 6}, "2|6", 2},
        {"of two kinds, one more general", 2, {2, 2, 6, 7}, "2|5", 2},
        {"both more general", 2, {2, 3, 6, 7}, "1|5", 2},
        {"one kind is one person's", 2, {2, 3, 4, 6}, "0", 1},
        {"all of them must have it", 4, {2, 2, 2, 3}, "1", 1},
        {"all of them, of all kinds", 3, {2, 2, 6, 6}, "0", 1},
    };
    lethe_tree *t = two_kinds();
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        c_records c;
        c_begin(&c);
        for (uint32_t k = 0; k < 4; k++)
            c_add(&c, k, &cases[i].term[k], 1);
        s_setting how = {.k = 4, .epsilon = 4, .min_owners = cases[i].owners, .centre = "bag"};
        c_run h;
        assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
        if (strcmp(published(&h), cases[i].want) != 0)
            fail_msg("%s: %s, not %s", cases[i].name, published(&h), cases[i].want);
        for (size_t k = 1; k < 4; k++)
            assert_true(h.bag[k].n == 1 && h.bag[k].item[0] == h.bag[0].item[0]);
        unsigned distinct = 0;
        for (uint32_t v = 0; v < t->n; v++)
            for (size_t k = 0; k < 4; k++)
                if (cases[i].term[k] == v) {
                    distinct++;
                    break;
                }
        // bLM is of what was matched, whatever is shown of it
        assert_true(is_about(c_real(&h, "blm"), (distinct - 1) / 4.0));
        assert_true(is_about(c_real(&h, "avg_size_share"), 1));
        assert_true(
            is_about(c_real(&h, "distinct_terms_share"), cases[i].terms / (double)distinct));
        assert_int_equal(lethe_json_count(h.caveats), 3 + (cases[i].owners == 1));
        c_run_end(&h);
        c_free(&c);
    }
    lethe_tree_free(t);
}

/* A bag that two groups have is one item, and so is one that a group has twice. */
static void equal_bags_are_one_item(void **state)
{
    (void)state;
    lethe_tree *t = two_kinds();
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; i < 4; i++)
        c_add(&c, i, i % 2 ? (uint32_t[]){3, 3} : (uint32_t[]){2, 2}, 2);
    c_run h;
    s_setting how = {
        .k = 4, .epsilon = 2, .min_owners = 1, .centre = "bag", .refine = "0", .threads = 2};
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
    assert_string_equal(published(&h), "2|3 2|3");
    assert_int_equal(h.n_joined, 1);
    assert_true(is_about(c_real(&h, "distinct_terms_share"), 1));
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

/* A person's own records do not let a term into a bag. */
static void terms_of_bags_are_of_persons(void **state)
{
    (void)state;
    lethe_tree *t = two_kinds();
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; i < 3; i++)
        c_add(&c, 0, (uint32_t[]){3}, 1);
    c_add(&c, 1, (uint32_t[]){2}, 1);
    c_add(&c, 2, (uint32_t[]){2}, 1);
    c_run h;
    s_setting how = {.k = 3, .epsilon = 2, .centre = "bag", .refine = "0"};
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
    assert_string_equal(published(&h), "1"); // not 2|3
    c_run_end(&h);
    how = (s_setting){.k = 5, .epsilon = 2, .centre = "bag", .refine = "0", .each = true};
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
    assert_string_equal(published(&h), "2|3");
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

static lethe_err refuse_bag(lethe_result *out, const uint32_t *node, size_t n, uint32_t *item)
{
    (void)out, (void)node, (void)n, (void)item;
    return LETHE_EINPUT;
}

static void a_bag_that_is_refused_ends_the_run(void **state)
{
    (void)state;
    lethe_tree *t = two_kinds();
    c_records c = a_pair();
    lethe_value at[32];
    lethe_values v;
    c_run h;
    c_run_begin(&h, &c);
    lethe_ctx *ctx = c_ctx(&h, 1);
    lethe_values_init(&v, lethe_method_ssg.options, at);
    c_set(&v, "k", "2");
    c_set(&v, "centre", "bag");
    c_set(&v, "min-owners", "1");
    lethe_run run = {.ctx = ctx, .values = &v};
    lethe_result out = {.pipeline = &h,
                        .record = c_on_record,
                        .bag = refuse_bag,
                        .doc = h.doc,
                        .metrics = h.metrics};
    lethe_data data = {.shape = LETHE_SHAPE_RECORDS, .records = &c.r, .tree = t};
    assert_int_equal(lethe_method_ssg.run(&run, &data, &out), LETHE_EINPUT);
    assert_int_equal(h.n_groups, 0);
    lethe_ctx_free(ctx);
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

/* Records of one person do not make several owners. */
static void owners_are_persons(void **state)
{
    (void)state;
    lethe_tree *t = two_kinds();
    c_records c;
    c_begin(&c);
    c_add(&c, 0, (uint32_t[]){2}, 1);
    c_add(&c, 0, (uint32_t[]){2}, 1);
    c_add(&c, 1, (uint32_t[]){3}, 1);
    c_run h;
    s_setting how = {.k = 2, .epsilon = 2, .refine = "0"};
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
    for (size_t i = 0; i < 3; i++)
        assert_true(h.bag[i].n == 1 && h.bag[i].item[0] == 1); // not 2: only person 0 has it
    c_run_end(&h);
    how.each = true;
    how.k = 3;
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
    assert_true(h.bag[0].n == 1 && h.bag[0].item[0] == 2);
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

static void fewer_than_k_persons_are_refused(void **state)
{
    (void)state;
    lethe_tree *t = two_kinds();
    c_records none, two;
    c_begin(&none);
    c_begin(&two);
    for (uint32_t i = 0; i < 11; i++)
        c_add(&two, i == 10, &(uint32_t){2 + i % 3}, 1);
    c_run h;
    assert_int_equal(s_run_method(&h, t, &none, &(s_setting){.k = 2}), LETHE_ANSWER_NO);
    c_run_end(&h);
    assert_int_equal(s_run_method(&h, t, &two, &(s_setting){.k = 3}), LETHE_ANSWER_NO);
    assert_string_equal(h.message, "fewer than k persons: there are 2, and k is 3");
    c_run_end(&h);
    assert_int_equal(s_run_method(&h, t, &two, &(s_setting){.k = 12, .each = true}),
                     LETHE_ANSWER_NO);
    assert_string_equal(h.message, "fewer than k records: there are 11, and k is 12");
    c_run_end(&h);
    c_free(&none);
    c_free(&two);
    lethe_tree_free(t);
}

static void empty_vocabularies_are_counted(void **state)
{
    (void)state;
    lethe_tree *t = two_kinds();
    c_records c, only;
    c_begin(&c);
    c_begin(&only);
    for (uint32_t i = 0; i < 3; i++) {
        c_add(&c, i, NULL, 0);
        c_add(&only, i, NULL, 0);
    }
    for (uint32_t i = 3; i < 5; i++)
        c_add(&c, i, (uint32_t[]){2, 7}, 2);
    c_run h; // <>, <>; <>, <2, 7>; the last joins the first or the second: all empty but none
    assert_int_equal(s_run_method(&h, t, &c, &(s_setting){.k = 2, .refine = "0"}), LETHE_ANSWER_NO);
    c_run_end(&h);
    c_add(&c, 5, (uint32_t[]){2, 7}, 2);
    assert_int_equal(s_run_method(&h, t, &c, &(s_setting){.k = 2, .refine = "0"}), LETHE_OK);
    assert_int_equal(c_int(&h, "empty"), 4);
    assert_string_equal(h.message, "4 of 6 records are published empty: their groups have nothing "
                                   "in common");
    c_run_end(&h);
    static const char *const epsilons[] = {"6", "auto"};
    for (size_t i = 0; i < 2; i++) {
        s_setting how = {.k = 2, .epsilon_text = epsilons[i]};
        assert_int_equal(s_run_method(&h, t, &only, &how), LETHE_ANSWER_NO); // nothing to publish
        c_run_end(&h);
    }
    c_free(&c);
    c_free(&only);
    lethe_tree_free(t);
}

static void disjoint_vocabularies_have_empty_centres(void **state)
{
    (void)state;
    lethe_tree *t = two_kinds();
    c_records c;
    c_begin(&c);
    c_add(&c, 0, (uint32_t[]){2}, 1);
    c_add(&c, 1, (uint32_t[]){6}, 1);
    c_run h;
    assert_int_equal(s_run_method(&h, t, &c, &(s_setting){.k = 2, .epsilon = 2}), LETHE_ANSWER_NO);
    c_run_end(&h);
    assert_int_equal(s_run_method(&h, t, &c, &(s_setting){.k = 2, .epsilon = 4}), LETHE_OK);
    assert_true(h.bag[0].n == 1 && h.bag[0].item[0] == 0); // the root alone has two owners
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

static void identical_vocabularies_lose_nothing(void **state)
{
    (void)state;
    lethe_tree *t = two_kinds();
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; i < 3000; i++)
        c_add(&c, i, i % 2 ? (uint32_t[]){2, 7, 3} : (uint32_t[]){7, 3, 2}, 3);
    c_run h;
    assert_int_equal(s_run_method(&h, t, &c, &(s_setting){.k = 7, .epsilon = 6}), LETHE_OK);
    assert_true(is_about(c_real(&h, "blm"), 0));
    assert_true(c_int(&h, "pairs") < 10); // equal ones are found without matching
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

static void a_vocabulary_of_100000_terms(void **state)
{
    (void)state;
    enum { LARGE = 100000 };
    lethe_tree *t = two_kinds();
    uint32_t *item = malloc(LARGE * sizeof *item);
    static const uint32_t leaf[] = {2, 3, 4, 6, 7};
    for (size_t i = 0; i < LARGE; i++)
        item[i] = leaf[i % 5];
    c_records c;
    c_begin(&c);
    c_add(&c, 0, item, LARGE);
    for (uint32_t i = 1; i < 8; i++)
        c_add(&c, i, (uint32_t[]){2, 6}, 1 + i % 2);
    c_run h;
    s_setting how = {.k = 2, .epsilon = 2, .refine = "0"};
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
    assert_true(h.group[0] != SIZE_MAX && h.bag[0].n > 0);
    c_run_end(&h);
    /* two of them have 4 * 10^9 pairs and more: refused, not tried */
    c_records two;
    c_begin(&two);
    c_add(&two, 0, item, LARGE);
    c_add(&two, 1, item, LARGE);
    assert_int_equal(s_run_method(&h, t, &two, &how), LETHE_EINPUT);
    assert_non_null(strstr(h.message, "too many pairs"));
    c_run_end(&h);
    c_free(&two);
    c_free(&c);
    free(item);
    lethe_tree_free(t);
}

static void distances_fit_the_metric(void **state)
{
    (void)state;
    lethe_tree *t = two_kinds();
    c_records c = a_pair();
    char path[] = "/tmp/lethe-metric-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    static const char text[] = "n2\tn3\t0.5\nn6\tn7\t1.25\n";
    assert_int_equal(write(fd, text, sizeof text - 1), (ssize_t)(sizeof text - 1));
    close(fd);
    c_run h;
    s_setting how = {.k = 2, .metric = path, .epsilon_text = "0.5", .min_owners = 1};
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
    assert_int_equal(h.bag[0].n, 2); // {2, 3} and {6, 6}
    c_run_end(&h);
    how.epsilon_text = "0.4";
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
    assert_int_equal(h.bag[0].n, 1);
    c_run_end(&h);
    how.omega_text = "0.25";
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
    c_run_end(&h);
    how.omega_text = NULL;
    how.epsilon_text = "auto";
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_EUSAGE);
    c_run_end(&h);
    how = (s_setting){.k = 2, .epsilon = 2, .omega_text = "2.5"};
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_EUSAGE);
    c_run_end(&h);
    how = (s_setting){.k = 2, .metric = "/nowhere/at/all"};
    assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_EIO);
    c_run_end(&h);
    unlink(path);
    c_free(&c);
    lethe_tree_free(t);
}

/* 2, 3, 6: distances 2, 4, 4.  A quarter of three pairs is less than the first. */
static void epsilon_is_of_edges_or_levels_or_the_terms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double edges;
    } cases[] = {{"auto", 2}, {"3", 3}, {"3.9", 3}, {"1l", 2}, {"1.5l", 3}, {"2l", 4}};
    lethe_tree *t = two_kinds();
    c_records c;
    c_begin(&c);
    c_add(&c, 0, (uint32_t[]){2, 6}, 2);
    c_add(&c, 1, (uint32_t[]){3, 6}, 2);
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        c_run h;
        s_setting how = {.k = 2, .epsilon_text = cases[i].text, .min_owners = 1};
        assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_OK);
        assert_true(is_about(c_real(&h, "epsilon"), cases[i].edges));
        assert_true(h.bag[0].n == 2 && h.bag[0].item[0] == 2);
        c_run_end(&h);
        how.metric = "network";
        if (strchr(how.epsilon_text, 'l')) {
            assert_int_equal(s_run_method(&h, t, &c, &how), LETHE_EUSAGE);
            c_run_end(&h);
        }
    }
    c_free(&c);
    lethe_tree_free(t);
}

static void a_tree_of_one_leaf(void **state)
{
    (void)state;
    lethe_tree *t = c_tree((uint32_t[]){LETHE_NONE, 0}, 2);
    c_records c;
    c_begin(&c);
    for (uint32_t i = 0; i < 4; i++)
        c_add(&c, i, (uint32_t[]){1, 1, 1}, 1 + i % 3);
    c_run h;
    assert_int_equal(s_run_method(&h, t, &c, &(s_setting){.k = 4, .epsilon = 1}), LETHE_OK);
    assert_true(is_about(c_real(&h, "blm"), 3.0 / 7)); // 7 items, 4 of them published
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

/* Sanitizers make a run many times as dear: fewer of the later allocations fail then. */
enum { FAIL_EVERY = SANITIZED ? 8 : 40 };

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    uint64_t s = 3;
    lethe_tree *t = c_random_tree(&s, 40);
    c_records c;
    c_random_records(&c, t, &s, 40, 5, 15);
    for (int refine = 0; refine < 2; refine++) {
        s_setting how = {
            .k = 2, .epsilon_text = refine ? "4" : "auto", .refine = refine ? "2" : "0"};
        how.centre = refine ? "bag" : "vote";
        how.min_owners = 1;
        how.climb = true;
        how.of_log = refine;
        bool done = false;
        for (uint64_t n = 1; !done; n += 1 + n / FAIL_EVERY) {
            c_run h;
            c_run_begin(&h, &c);
            lethe_ctx *ctx = c_ctx(&h, 2);
            lethe_alloc_fail_at(n);
            lethe_err err = s_run_in(&h, ctx, t, &how);
            lethe_alloc_fail_at(0);
            lethe_ctx_free(ctx);
            done = err == LETHE_OK;
            if (!done && err != LETHE_ENOMEM)
                fail_msg("allocation %llu: error %d", (unsigned long long)n, (int)err);
            c_run_end(&h);
            assert_true(n < 1000000);
        }
    }
    c_free(&c);
    lethe_tree_free(t);
}

static void a_cancelled_run_ends(void **state)
{
    (void)state;
    uint64_t s = 9;
    lethe_tree *t = c_random_tree(&s, 100);
    c_records c;
    c_random_records(&c, t, &s, 300, 6, 0);
    c_run h;
    c_run_begin(&h, &c);
    lethe_ctx *ctx = c_ctx(&h, 2);
    lethe_ctx_cancel(ctx);
    assert_int_equal(s_run_in(&h, ctx, t, &(s_setting){.k = 3, .epsilon = 4}), LETHE_ECANCEL);
    assert_int_equal(h.n_groups, 0);
    lethe_ctx_free(ctx);
    c_run_end(&h);
    c_free(&c);
    lethe_tree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_as_designed),
        cmocka_unit_test(every_figure_is_set_and_the_claim_made),
        cmocka_unit_test(owners_are_of_the_log_where_k_is_large),
        cmocka_unit_test(terms_of_one_owner_are_not_published),
        cmocka_unit_test(bags_hold_what_enough_persons_used),
        cmocka_unit_test(equal_bags_are_one_item),
        cmocka_unit_test(terms_of_bags_are_of_persons),
        cmocka_unit_test(a_bag_that_is_refused_ends_the_run),
        cmocka_unit_test(owners_are_persons),
        cmocka_unit_test(fewer_than_k_persons_are_refused),
        cmocka_unit_test(empty_vocabularies_are_counted),
        cmocka_unit_test(disjoint_vocabularies_have_empty_centres),
        cmocka_unit_test(identical_vocabularies_lose_nothing),
        cmocka_unit_test(a_vocabulary_of_100000_terms),
        cmocka_unit_test(distances_fit_the_metric),
        cmocka_unit_test(epsilon_is_of_edges_or_levels_or_the_terms),
        cmocka_unit_test(a_tree_of_one_leaf),
        cmocka_unit_test(lack_of_memory_is_said),
        cmocka_unit_test(a_cancelled_run_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
