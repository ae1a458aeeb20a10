/* SPDX-License-Identifier: Apache-2.0 */
/* Does no combination of public items name anyone or tell anything?  Claims, counterexamples, and
 * files that cannot be trusted. */
/* suite: threads */
#include "item_check_harness.h"

static const lethe_notion *const coherence = &lethe_notion_coherence;

#define CLAIM(h, k, p) "{\"notion\":\"coherence\",\"h\":" #h ",\"k\":" #k ",\"p\":" #p "}"

static void combinations_are_counted(void **state)
{
    (void)state;
    ic_files data = {"a b\na b\na c\na c\nb c\nb c\n", NULL, NULL};
    ic_holds(coherence, CLAIM(1, 2, 5), data);
    ic_holds(coherence, CLAIM(0, 2, 5), data);
    ic_broken(coherence, CLAIM(1, 3, 2), data,
              "{\"items\":[\"a\",\"b\"],\"support\":2,\"needed\":3}");
    ic_holds(coherence, CLAIM(1, 4, 1), data);
    ic_broken(coherence, CLAIM(1, 5, 1), data, "{\"items\":[\"a\"],\"support\":4,\"needed\":5}");
    ic_broken(coherence, CLAIM(1, 7, 1), data, "{\"items\":[],\"support\":6,\"needed\":7}");
    data.data = "a b\na b\na b c\na c\na c\nb c\nb c\n";
    ic_holds(coherence, CLAIM(1, 2, 2), data);
    ic_broken(coherence, CLAIM(1, 2, 3), data,
              "{\"items\":[\"a\",\"b\",\"c\"],\"support\":1,\"needed\":2}");
    ic_holds(coherence, CLAIM(1, 2, 3), (ic_files){"\n\n", NULL, NULL});
    ic_broken(coherence, CLAIM(1, 2, 3), (ic_files){"a\na a\n", NULL, NULL},
              "{\"line\":2,\"item\":\"a\",\"reason\":\"the item is twice in one set\"}");
}

/* The share is what it was read as: 29 of 100 are not more than 0.29. */
static void shares_are_exact(void **state)
{
    (void)state;
    char data[1024], *to = data;
    for (int i = 0; i < 100; i++)
        to += sprintf(to, "%s", i < 29 ? "S a\n" : "a\n");
    ic_files f = {data, NULL, "S\n"};
    ic_holds(coherence, CLAIM(0.29, 2, 2), f);
    ic_broken(coherence, CLAIM(0.28, 2, 2), f,
              "{\"items\":[],\"sensitive\":\"S\",\"with\":29,\"of\":100}");
    ic_holds(coherence, CLAIM(1, 2, 2), f);
    ic_broken(coherence, CLAIM(0, 2, 2), f,
              "{\"items\":[],\"sensitive\":\"S\",\"with\":29,\"of\":100}");
}

static void sensitive_items_are_not_known_but_told(void **state)
{
    (void)state;
    // S and T are alone in their records, and that is no fault
    ic_holds(coherence, CLAIM(0.5, 2, 2), (ic_files){"S a\nT a\na\na\n", NULL, "S\nT\n"});
    // without sensitive.txt they are items as any
    ic_broken(coherence, CLAIM(0.5, 2, 2), (ic_files){"S a\nT a\na\na\n", NULL, NULL},
              "{\"items\":[\"S\"],\"support\":1,\"needed\":2}");
    ic_broken(coherence, CLAIM(0.5, 2, 1), (ic_files){"S T a\nS T a\na\nb\nb\nb\n", NULL, "S\nT\n"},
              "{\"items\":[\"a\"],\"sensitive\":\"S\",\"with\":2,\"of\":3}");
    ic_broken(coherence, CLAIM(0.5, 2, 1), (ic_files){"a\na\n", NULL, "S\n"},
              "{\"name\":\"S\",\"reason\":\"sensitive.txt lists an item that is not published\"}");
    ic_holds(coherence, CLAIM(0.5, 2, 1), (ic_files){"\nS\n", NULL, "S\n"});
}

/* A taxonomy says nothing about combinations, but may not show more than is there. */
static void a_taxonomy_lists_what_is_published(void **state)
{
    (void)state;
    static const char tree[] = "r\t\t9\na\tr\t1\nb\tr\t3\n";
    ic_holds(coherence, CLAIM(1, 2, 2), (ic_files){"a b\na b\n", tree, NULL});
    ic_holds(coherence, CLAIM(1, 2, 2), (ic_files){"a|b\na|b\n", tree, NULL});
    ic_holds(coherence, CLAIM(1, 2, 2), (ic_files){"a b r\na b r\n", tree, NULL});
    ic_holds(coherence, CLAIM(1, 1, 2), (ic_files){"S a b\na b\n", tree, "S\n"});
    ic_broken(coherence, CLAIM(1, 2, 2), (ic_files){"a\na\n", tree, NULL},
              "{\"name\":\"b\",\"reason\":\"the taxonomy lists a node that is not published\"}");
    ic_broken(coherence, CLAIM(1, 2, 2), (ic_files){"a b c\na b c\n", tree, NULL},
              "{\"line\":1,\"item\":\"c\",\"reason\":\"the item is neither in the taxonomy nor "
              "sensitive\"}");
    ic_broken(coherence, CLAIM(1, 2, 2), (ic_files){"a b\na b\n", tree, "a\n"},
              "{\"line\":1,\"item\":\"a\",\"reason\":\"the item is sensitive and in the "
              "taxonomy\"}");
}

static void malformed_claims_are_bad_input(void **state)
{
    (void)state;
    static const char *const bad[] = {
        CLAIM(-0.1, 2, 1),
        CLAIM(1.1, 2, 1),
        CLAIM("1", 2, 1),
        CLAIM(null, 2, 1),
        CLAIM(1, 0, 1),
        CLAIM(1, 2.5, 1),
        CLAIM(1, "2", 1),
        CLAIM(1, 2, 0),
        CLAIM(1, 2, -1),
        CLAIM(1, 2, 0.5),
        CLAIM(1, 2, 4294967296),
        "[1]",
        "{}",
        "{\"notion\":\"coherence\",\"k\":2,\"p\":1}",
        "{\"notion\":\"coherence\",\"h\":1,\"p\":1}",
        "{\"notion\":\"coherence\",\"h\":1,\"k\":2}",
        "{\"notion\":\"coherence\",\"h\":1,\"k\":2,\"p\":1,\"n\":0}",
        "{\"notion\":\"coherence\",\"h\":1,\"k\":2,\"p\":1,\"persons\":\"all\"}",
        "{\"notion\":\"coherence\",\"h\":1,\"k\":2,\"p\":1,\"persons\":null}",
    };
    ic_files good = {"a\na\n", NULL, NULL};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        ic_refused(coherence, bad[i], good, LETHE_EINPUT);
    ic_holds(coherence, "{\"notion\":\"coherence\",\"h\":1,\"k\":2,\"p\":1,\"persons\":\"record\"}",
             good);
    ic_holds(coherence, CLAIM(1, 2, 4294967295), good);
}

static void what_cannot_be_read_is_not_kept(void **state)
{
    (void)state;
    static const struct {
        ic_files f;
        lethe_err err;
    } bad[] = {
        {{NULL, NULL, NULL}, LETHE_EIO},       {{"", NULL, NULL}, LETHE_EINPUT},
        {{"a\na", NULL, NULL}, LETHE_EINPUT},  {{"b\na\n", NULL, NULL}, LETHE_EINPUT},
        {{"b a\n", NULL, NULL}, LETHE_EINPUT}, {{"\xff\n", NULL, NULL}, LETHE_EINPUT},
        {{"a\na\n", NULL, "a"}, LETHE_EINPUT}, {{"a b\n", NULL, "b\na\n"}, LETHE_EINPUT},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        ic_refused(coherence, CLAIM(1, 1, 1), bad[i].f, bad[i].err);
}

static void a_cancelled_check_decides_nothing(void **state)
{
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 2);
    ic_files f = {"a b\na c\nb c\n", NULL, NULL};
    (void)state;
    lethe_ctx_cancel(ctx);
    ic_verdict v = ic_check_with(ctx, coherence, CLAIM(1, 1, 3), &f);
    assert_int_equal(v.err, LETHE_ECANCEL);
    assert_false(v.holds);
    lethe_ctx_free(ctx);
}

static void lack_of_memory_decides_nothing(void **state)
{
    (void)state;
    ic_lacks_memory(coherence, CLAIM(0.5, 2, 3),
                    (ic_files){"S a b\na b\na c\na c\nb c\nb c\n", NULL, "S\n"}, true);
    ic_lacks_memory(coherence, CLAIM(0.5, 2, 3),
                    (ic_files){"a b\na b\na b c\na c\na c\nb c\nb c\n", NULL, NULL}, false);
    ic_lacks_memory(coherence, CLAIM(0.4, 2, 1),
                    (ic_files){"S a|b\na|b\na|b\n", "r\t\t9\na\tr\t1\nb\tr\t1\n", "S\n"}, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combinations_are_counted),
        cmocka_unit_test(shares_are_exact),
        cmocka_unit_test(sensitive_items_are_not_known_but_told),
        cmocka_unit_test(a_taxonomy_lists_what_is_published),
        cmocka_unit_test(malformed_claims_are_bad_input),
        cmocka_unit_test(what_cannot_be_read_is_not_kept),
        cmocka_unit_test(a_cancelled_check_decides_nothing),
        cmocka_unit_test(lack_of_memory_decides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
