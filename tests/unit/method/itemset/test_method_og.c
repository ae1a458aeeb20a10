/* SPDX-License-Identifier: Apache-2.0 */
/* og and mog by themselves: options, claims, figures, bad input, limits, lack of memory. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sets_release_harness.h"

static const char TREE[] = "milk\tdairy\nbutter\tdairy\napple\tfruit\npear\tfruit\n"
                           "dairy\tfood\nfruit\tfood\n";
static const lethe_method *const both[] = {&lethe_method_og, &lethe_method_mog};

static int begin(void **state)
{
    static ground g;
    g_begin(&g);
    *state = &g;
    return 0;
}

static int end(void **state)
{
    g_end(*state);
    return 0;
}

/* --- options --- */

static lethe_err try_value(const lethe_method *m, const char *name, const char *text)
{
    lethe_value at[RR_OPTIONS];
    lethe_values v;
    size_t i = 0;
    lethe_values_init(&v, m->options, at);
    while (m->options[i].name && strcmp(m->options[i].name, name) != 0)
        i++;
    if (!m->options[i].name) fail_msg("no option %s", name);
    return lethe_values_set(&v, i, text, NULL);
}

static void options_are_as_designed(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        bool ok;
    } cases[] = {
        {"k", "1", true},           {"k", "0", false},        {"k", "-1", false},
        {"k", "2000000000", false}, {"k", "x", false},        {"l", "1", true},
        {"l", "3.5", true},         {"l", "0.9", false},      {"l", "nan", false},
        {"m", "0", false},          {"m", "-1", false},       {"m", "1000000", false},
        {"n", "3", true},           {"n", "-1", false},       {"time-limit", "90s", true},
        {"time-limit", "0", false}, {"max-cuts", "0", false}, {"alpha", "-0.1", false},
        {"top-h", "0", false},      {"top-h", "1001", false}, {"persons", "record", true},
    };
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        for (size_t i = 0; i < LETHE_COUNT(cases); i++)
            if ((try_value(both[m], cases[i].name, cases[i].text) == LETHE_OK) != cases[i].ok)
                fail_msg("%s --%s %s", both[m]->name, cases[i].name, cases[i].text);
        lethe_value at[RR_OPTIONS];
        lethe_values v;
        lethe_values_init(&v, both[m]->options, at);
        assert_int_equal(lethe_values_check(&v, "og", NULL), LETHE_EUSAGE); // no -k, no -m
        assert_int_equal(lethe_count_of(&v, "n"), 0);
        assert_int_equal(lethe_count_of(&v, "top-h"), 1);
        assert_true(lethe_value_of(&v, "l")->real == 1);
    }
}

static void what_makes_no_sense_is_bad_usage(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk\nmilk\n", NULL);
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        sr_refuses(g, both[m], "k=1 m=1", LETHE_EUSAGE, "-k 1 protects nobody");
        sr_refuses(g, both[m], "k=2 m=1 l=2", LETHE_EUSAGE, "needs the list of sensitive items");
    }
}

/* --- infeasible --- */

static void fewer_than_k_persons_are_refused(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "a\tmilk\na\tpear\nb\tmilk\n", NULL);
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        sr_refuses(g, both[m], "k=3 m=1", LETHE_ANSWER_NO,
                   "the input has 2 persons, fewer than -k 3");
        sr_refuses(g, both[m], "k=4 m=1 persons=record", LETHE_ANSWER_NO,
                   "the input has 3 records, fewer than -k 4");
    }
}

static void a_sensitive_item_that_is_too_common_is_named(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk hiv\nmilk hiv\nmilk flu\n", "hiv\nflu\n");
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        sr_refuses(g, both[m], "k=1 m=1 l=2", LETHE_ANSWER_NO,
                   "no cut is valid: sensitive item 'hiv' is in 66.7 % of the sets, and -l allows "
                   "50.0 %");
        sr_gives(g, both[m], "k=1 m=1 l=1.5", "flu milk\nhiv milk\nhiv milk\n");
    }
}

/* One set of three has an item: even to show that is too much. */
static void no_cut_is_valid_where_the_root_is_not(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk\nhiv\nhiv\n", "hiv\n");
    for (size_t m = 0; m < LETHE_COUNT(both); m++)
        sr_refuses(g, both[m], "k=2 m=1", LETHE_ANSWER_NO,
                   "no cut is valid: 1 of 3 sets have an item at all");
}

static void nothing_is_left_of_empty_sets(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "\n\n\n", NULL);
    for (size_t m = 0; m < LETHE_COUNT(both); m++)
        sr_refuses(g, both[m], "k=2 m=2 n=1", LETHE_ANSWER_NO, "nothing is left to publish");
    sr_files(g, TREE, "hiv\n\nhiv\n", "hiv\n");
    for (size_t m = 0; m < LETHE_COUNT(both); m++)
        sr_gives(g, both[m], "k=2 m=2", "\nhiv\nhiv\n");
}

/* --- sensitive items --- */

static void sensitive_items_are_no_nodes(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk pear\nmilk\n", "pear\n");
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        made out = sr_make(g, both[m], "k=2 m=1 l=2");
        assert_int_equal(out.e, LETHE_EINPUT); // it is in the taxonomy
        assert_int_equal(access(g->out, F_OK), -1);
        rr_free(&out);
    }
    sr_files(g, TREE, "milk\nmilk\n", "hiv\n");
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        sr_gives(g, both[m], "k=2 m=1 l=2", "milk\nmilk\n");
        assert_non_null(strstr(g->said, "in no record"));
    }
}

static void sensitive_items_are_protected(void **state)
{
    ground *g = *state;
    // milk goes with hiv; dairy does in half of its sets
    sr_files(g, TREE, "milk hiv\nbutter\nbutter flu\nmilk hiv\n", "hiv\nflu\n");
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        sr_gives(g, both[m], "k=1 l=2 m=1", "dairy\ndairy flu\ndairy hiv\ndairy hiv\n");
        sr_is(g, "sensitive.txt", "flu\nhiv\n");
        sr_is(g, "taxonomy.tsv", "food\t\t4\ndairy\tfood\t2\n");
        sr_gives(g, both[m], "k=2 m=1", "butter\nbutter flu\nhiv milk\nhiv milk\n");
    }
}

/* That milk is missing names one of three. */
static void what_is_missing_is_knowledge(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk pear\nmilk pear\npear\n", NULL);
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        sr_gives(g, both[m], "k=2 m=1", "milk pear\nmilk pear\npear\n");
        sr_gives(g, both[m], "k=2 m=1 n=1", "dairy pear\ndairy pear\npear\n"); // two leaves: n = 2
        sr_gives(g, both[m], "k=2 m=1 n=2", "food\nfood\nfood\n");
    }
}

/* --- records --- */

static void records_of_a_person_are_one_set(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "a\tmilk milk\nb\tpear milk\na\tpear pear milk\n", NULL);
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        sr_gives(g, both[m], "k=2 m=2", "milk pear\nmilk pear\n");
        sr_gives(g, both[m], "k=2 m=2 persons=record", "milk\nmilk pear\nmilk pear\n");
        char *manifest = sr_text(g, "manifest.json");
        assert_non_null(strstr(manifest, "\"persons\": \"record\""));
        free(manifest);
    }
}

/* An item that is an inner node has a leaf of its own below it. */
static void items_that_are_inner_nodes_are_taken(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "dairy\ndairy\nmilk\nmilk\n", NULL);
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        sr_gives(g, both[m], "k=2 m=1", "=dairy\n=dairy\nmilk\nmilk\n");
        sr_gives(g, both[m], "k=3 m=1", "dairy\ndairy\ndairy\ndairy\n");
    }
}

static void unknown_items_are_dropped_and_told(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk gold\nmilk\nmilk pear\npear\n", NULL);
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        sr_gives(g, both[m], "k=2 m=1", "milk\nmilk\nmilk pear\npear\n");
        assert_int_not_equal(strlen(g->said), 0);
    }
}

/* --- claims, figures, limits --- */

static void the_claim_follows_from_the_options(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk hiv\nmilk\nmilk\n", "hiv\n");
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        made out = sr_make(g, both[m], "k=2 l=2.5 m=3 n=1 strict");
        assert_int_equal(out.e, LETHE_OK);
        char *manifest = sr_text(g, "manifest.json");
        static const char *const parts[] = {
            "\"notion\": \"kl-privacy\"", "\"k\": 2", "\"l\": 2.5", "\"m\": 3", "\"n\": 1",
            "\"strict\": true",
        };
        for (size_t i = 0; i < LETHE_COUNT(parts); i++)
            if (!strstr(manifest, parts[i])) fail_msg("no %s in %s", parts[i], manifest);
        free(manifest);
        rr_free(&out);
    }
}

static void every_figure_is_set(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk\nmilk\nbutter\n", NULL);
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        made out = sr_make(g, both[m], "k=2 m=1");
        assert_int_equal(out.e, LETHE_OK);
        for (const lethe_figure *f = both[m]->figures; f->name; f++)
            (void)sr_figure(&out, f->name);
        assert_true(sr_real(&out, "cost") == 1); // three times (2 - 1) / (4 - 1)
        assert_true(sr_real(&out, "ncp") == 1.0 / 3);
        assert_int_equal(lethe_json_count(sr_figure(&out, "cut")), 1);
        rr_free(&out);
    }
}

static void limits_leave_what_is_valid(void **state)
{
    ground *g = *state;
    static const char *const limits[] = {"max-cuts=1", "time-limit=1s", "alpha=0.5", "top-h=1000"};
    sr_files(g, TREE, "milk pear\nbutter pear\napple\nmilk apple\n", NULL);
    for (size_t m = 0; m < LETHE_COUNT(both); m++)
        for (size_t i = 0; i < LETHE_COUNT(limits); i++) {
            char options[64];
            snprintf(options, sizeof options, "k=2 m=2 n=1 %s", limits[i]);
            made out = sr_make(g, both[m], options);
            if (out.e != LETHE_OK) fail_msg("%s: %s", options, g->said);
            assert_int_equal(rr_verify(g), LETHE_OK);
            rr_free(&out);
        }
}

static void mog_is_optimal_in_one_round_only(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk\nmilk\nbutter\n", NULL);
    made one = sr_make(g, &lethe_method_mog, "k=2 m=1"), two = {0};
    assert_true(lethe_json_bool(sr_figure(&one, "optimal")));
    two = sr_make(g, &lethe_method_mog, "k=2 m=2");
    assert_false(lethe_json_bool(sr_figure(&two, "optimal")));
    rr_free(&one);
    rr_free(&two);
}

/* --- lack of memory --- */

static void every_failing_allocation_leaves_nothing(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk pear\nbutter pear hiv\napple\nmilk apple\n", "hiv\n");
    for (size_t m = 0; m < LETHE_COUNT(both); m++) {
        uint64_t n = 0;
        for (bool out_of_memory = true; out_of_memory;) {
            made out = sr_make_as(g, both[m], "k=2 l=2 m=2 n=1", (sr_how){.fail_at = ++n});
            out_of_memory = out.e == LETHE_ENOMEM;
            if (!out_of_memory && out.e != LETHE_OK)
                fail_msg("allocation %llu: %s: %s", (unsigned long long)n, lethe_err_name(out.e),
                         g->said);
            if (out_of_memory && access(g->out, F_OK) == 0)
                fail_msg("allocation %llu: there is a release", (unsigned long long)n);
            rr_free(&out);
        }
        assert_true(n > 100);
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(options_are_as_designed),
        T(what_makes_no_sense_is_bad_usage),
        T(fewer_than_k_persons_are_refused),
        T(a_sensitive_item_that_is_too_common_is_named),
        T(no_cut_is_valid_where_the_root_is_not),
        T(nothing_is_left_of_empty_sets),
        T(sensitive_items_are_no_nodes),
        T(sensitive_items_are_protected),
        T(what_is_missing_is_knowledge),
        T(records_of_a_person_are_one_set),
        T(items_that_are_inner_nodes_are_taken),
        T(unknown_items_are_dropped_and_told),
        T(the_claim_follows_from_the_options),
        T(every_figure_is_set),
        T(limits_leave_what_is_valid),
        T(mog_is_optimal_in_one_round_only),
        T(every_failing_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
