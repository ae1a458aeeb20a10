/* SPDX-License-Identifier: Apache-2.0 */
/* aa and mm by themselves: options, claims, figures, bad input, lack of memory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sets_release_harness.h"

static const char TREE[] = "milk\tdairy\nbutter\tdairy\napple\tfruit\npear\tfruit\n"
                           "dairy\tfood\nfruit\tfood\n";
static const lethe_method *const aa = &lethe_method_aa, *const mm = &lethe_method_mm;

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

static const lethe_option *option(const lethe_method *m, const char *name)
{
    for (const lethe_option *o = m->options; o->name; o++)
        if (strcmp(o->name, name) == 0) return o;
    return NULL;
}

static lethe_err try_value(const lethe_method *m, const char *name, const char *text)
{
    lethe_value at[RR_OPTIONS];
    lethe_values v;
    lethe_values_init(&v, m->options, at);
    assert_non_null(option(m, name));
    return lethe_values_set(&v, (size_t)(option(m, name) - m->options), text, NULL);
}

static void options_are_as_designed(void **state)
{
    (void)state;
    static const struct {
        const lethe_method *m;
        const char *name, *text;
        bool ok;
    } cases[] = {
        {&lethe_method_aa, "k", "2", true},     {&lethe_method_aa, "k", "1", false},
        {&lethe_method_aa, "k", "0", false},    {&lethe_method_aa, "k", "-2", false},
        {&lethe_method_aa, "m", "1", true},     {&lethe_method_aa, "m", "0", false},
        {&lethe_method_aa, "m", "1001", false}, {&lethe_method_mm, "k", "1", true},
        {&lethe_method_mm, "k", "0", false},    {&lethe_method_mm, "p", "0", false},
        {&lethe_method_mm, "p", "1", true},     {&lethe_method_mm, "h", "0", true},
        {&lethe_method_mm, "h", "1", true},     {&lethe_method_mm, "h", "0.4", true},
        {&lethe_method_mm, "h", "1.1", false},  {&lethe_method_mm, "h", "-0.1", false},
        {&lethe_method_mm, "h", "nan", false},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        if ((try_value(cases[i].m, cases[i].name, cases[i].text) == LETHE_OK) != cases[i].ok)
            fail_msg("%s --%s %s", cases[i].m->name, cases[i].name, cases[i].text);
    assert_null(option(aa, "sensitive"));
    assert_null(option(mm, "taxonomy"));
    assert_true(option(aa, "m")->required && option(mm, "p")->required);
    assert_true(option(aa, "k")->required && option(mm, "k")->required);
    assert_string_equal(option(mm, "h")->fallback, "1");
}

static void what_makes_no_sense_is_bad_usage(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk\nmilk\n", NULL);
    sr_refuses(g, mm, "k=1 p=1", LETHE_EUSAGE, "-k 1 protects nobody");
    sr_refuses(g, mm, "k=2 p=1 h=0.5", LETHE_EUSAGE, "needs the list of sensitive items");
    sr_refuses(g, mm, "k=1 p=1 h=0.5", LETHE_EUSAGE, "needs the list of sensitive items");
    sr_files(g, TREE, "milk\nmilk\n", "hiv\n");
    sr_refuses(g, mm, "k=1 p=1", LETHE_EUSAGE, "-k 1 protects nobody");
    sr_files(g, NULL, "milk\nmilk\n", NULL);
    sr_refuses(g, aa, "k=2 m=1", LETHE_EUSAGE, "records need --taxonomy");
}

/* --- infeasible, and nothing --- */

static void fewer_than_k_persons_are_refused(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "a\tmilk\na\tpear\nb\tmilk\n", NULL);
    sr_refuses(g, aa, "k=3 m=1", LETHE_ANSWER_NO, "the input has 2 persons, fewer than -k 3");
    sr_refuses(g, mm, "k=3 p=1", LETHE_ANSWER_NO, "the input has 2 persons, fewer than -k 3");
    sr_refuses(g, mm, "k=4 p=1 persons=record", LETHE_ANSWER_NO,
               "the input has 3 records, fewer than -k 4");
}

static void aa_has_no_cut_where_the_root_is_too_much(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "milk\n\n\n", NULL);
    sr_refuses(g, aa, "k=2 m=1", LETHE_ANSWER_NO,
               "no cut is valid: 1 of 3 sets have an item at all");
}

static void mm_names_what_is_too_common(void **state)
{
    ground *g = *state;
    sr_files(g, NULL, "milk hiv\nmilk hiv\nmilk flu\n", "hiv\nflu\n");
    sr_refuses(g, mm, "k=1 p=1 h=0.6", LETHE_ANSWER_NO,
               "removing items does not help: sensitive item 'hiv' is in 66.7 % of the sets, "
               "and --h allows 60.0 %");
    sr_gives(g, mm, "k=1 p=1 h=0.67", "flu milk\nhiv milk\nhiv milk\n");
}

static void nothing_left_is_said(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "\n\n\n", NULL);
    sr_refuses(g, aa, "k=2 m=2", LETHE_ANSWER_NO, "nothing is left to publish");
    sr_refuses(g, mm, "k=2 p=2", LETHE_ANSWER_NO, "nothing is left to publish");
    sr_files(g, NULL, "milk\npear\n", NULL);
    sr_refuses(g, mm, "k=2 p=2", LETHE_ANSWER_NO, "nothing is left to publish");
    sr_files(g, NULL, "milk\npear hiv\n", "hiv\n"); // who has no item left has the sensitive ones
    sr_gives(g, mm, "k=2 p=2", "\nhiv\n");
}

/* --- what is published --- */

/* Pairs of milk and apple are in one set: the cheapest way out is the fruit, since there are fewer.
 */
static void aa_takes_the_cheapest(void **state)
{
    ground *g = *state;
    sr_files(g, TREE,
             "milk apple\nmilk pear\nmilk\nmilk\nbutter pear\nbutter\napple\nbutter pear\n", NULL);
    made out = sr_make(g, aa, "k=2 m=2");
    assert_int_equal(out.e, LETHE_OK);
    sr_is(g, "data.txt",
          "butter\nbutter fruit\nbutter fruit\nfruit\nfruit milk\nfruit milk\nmilk\nmilk\n");
    sr_is(g, "taxonomy.tsv",
          "food\t\t4\nbutter\tdairy\t1\ndairy\tfood\t2\nfruit\tfood\t2\nmilk\tdairy\t1\n");
    assert_true(sr_real(&out, "cost") == 5.0 / 3); // of twelve items, each (2 - 1) / (4 - 1)
    assert_true(sr_real(&out, "ncp") == 5.0 / 3 / 12);
    for (const lethe_figure *f = aa->figures; f->name; f++)
        (void)sr_figure(&out, f->name);
    char *manifest = sr_text(g, "manifest.json");
    assert_non_null(strstr(manifest, "\"notion\": \"kl-privacy\""));
    assert_non_null(strstr(manifest, "\"n\": 0"));
    assert_null(strstr(manifest, "strict"));
    free(manifest);
    assert_int_equal(rr_verify(g), LETHE_OK);
    rr_free(&out);
    sr_gives(g, aa, "k=2 m=1",
             "apple\napple milk\nbutter\nbutter pear\nbutter pear\nmilk\nmilk\n"
             "milk pear\n");
}

static void aa_takes_items_that_are_inner_nodes(void **state)
{
    ground *g = *state;
    sr_files(g, TREE, "dairy dairy\ndairy\nmilk\nmilk\n", NULL);
    sr_gives(g, aa, "k=2 m=1", "=dairy\n=dairy\nmilk\nmilk\n");
    sr_gives(g, aa, "k=3 m=1", "dairy\ndairy\ndairy\ndairy\n");
}

static void mm_leaves_out_what_is_rare(void **state)
{
    ground *g = *state;
    // gold is alone; wine goes once with bread and once with y, and has two moles in three sets
    sr_files(g, NULL, "bread wine gold\nbread\nbread bread\nwine\nx\ty\nx\twine\nz\ty\n", NULL);
    made out = sr_make(g, mm, "k=2 p=2");
    assert_int_equal(out.e, LETHE_OK);
    assert_int_equal(sr_real(&out, "distinct_items_removed"), 2);
    assert_true(sr_real(&out, "ncp") == 4.0 / 9);
    for (const lethe_figure *f = mm->figures; f->name; f++)
        (void)sr_figure(&out, f->name);
    sr_is(g, "data.txt", "\nbread\nbread\nbread\ny\ny\n");
    sr_is(g, "taxonomy.tsv", NULL);
    assert_int_equal(rr_verify(g), LETHE_OK);
    char *manifest = sr_text(g, "manifest.json");
    static const char *const parts[] = {"\"notion\": \"coherence\"", "\"k\": 2", "\"p\": 2",
                                        "\"h\": 1"};
    for (size_t i = 0; i < LETHE_COUNT(parts); i++)
        if (!strstr(manifest, parts[i])) fail_msg("no %s in %s", parts[i], manifest);
    free(manifest);
    rr_free(&out);
}

static void mm_protects_sensitive_items(void **state)
{
    ground *g = *state;
    sr_files(g, NULL, "bread hiv\nbread hiv\nbread\nwine hiv\nwine\nwine\nwine\n", "hiv\n");
    sr_gives(g, mm, "k=1 p=1 h=0.5", "\nhiv\nhiv\nhiv wine\nwine\nwine\nwine\n");
    sr_is(g, "sensitive.txt", "hiv\n");
    sr_gives(g, mm, "k=2 p=1 h=0.67", "bread\nbread hiv\nbread hiv\nhiv wine\nwine\nwine\nwine\n");
}

/* --- lack of memory --- */

static void every_failing_allocation_leaves_nothing(void **state)
{
    ground *g = *state;
    static const struct {
        const lethe_method *m;
        const char *options;
    } runs[] = {{&lethe_method_aa, "k=2 m=2"}, {&lethe_method_mm, "k=2 p=2 h=0.6"}};
    for (size_t i = 0; i < LETHE_COUNT(runs); i++) {
        uint64_t n = 0;
        sr_files(g, TREE, "milk pear\nbutter pear\napple\nmilk apple\nmilk pear hiv\n",
                 i == 1 ? "hiv\n" : NULL);
        if (i == 0) sr_files(g, TREE, "milk pear\nbutter pear\napple\nmilk apple\n", NULL);
        for (bool out_of_memory = true; out_of_memory;) {
            made out = sr_make_as(g, runs[i].m, runs[i].options, (sr_how){.fail_at = ++n});
            out_of_memory = out.e == LETHE_ENOMEM;
            if (!out_of_memory && out.e != LETHE_OK)
                fail_msg("%s, allocation %llu: %s: %s", runs[i].m->name, (unsigned long long)n,
                         lethe_err_name(out.e), g->said);
            if (out_of_memory && access(g->out, F_OK) == 0)
                fail_msg("allocation %llu: there is a release", (unsigned long long)n);
            rr_free(&out);
        }
        assert_true(n > 60);
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(options_are_as_designed),
        T(what_makes_no_sense_is_bad_usage),
        T(fewer_than_k_persons_are_refused),
        T(aa_has_no_cut_where_the_root_is_too_much),
        T(mm_names_what_is_too_common),
        T(nothing_left_is_said),
        T(aa_takes_the_cheapest),
        T(aa_takes_items_that_are_inner_nodes),
        T(mm_leaves_out_what_is_rare),
        T(mm_protects_sensitive_items),
        T(every_failing_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
