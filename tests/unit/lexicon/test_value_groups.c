/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of groups: what they say, and what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "lexicon/value_groups.h"
#include "table_text.h"

/* "flu<viral<infection cold<*", the values in order; what is said, if it is refused. */
static void assert_groups(const char *bytes, size_t n, const char *want)
{
    outcome o;
    text got = {0};
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    lethe_value_groups g = {0};
    lethe_err e = lethe_value_groups_memory(ctx, (lethe_str){bytes, n}, &g);
    for (uint32_t i = 0; e == LETHE_OK && i < lethe_dict_count(g.names); i++) {
        if (!g.is_value[i]) continue;
        if (got.n > 0) text_put(&got, " ", 1);
        for (uint32_t at = i; at != LETHE_NONE; at = g.parent[at]) {
            str_text(&got, lethe_dict_at(g.names, at));
            text_put(&got, "<", 1);
        }
        text_put(&got, "*", 1);
    }
    assert_int_equal(e, want[0] == 'E' ? LETHE_EINPUT : LETHE_OK);
    assert_string_equal(e == LETHE_OK ? got.at : o.messages.at, want);
    lethe_value_groups_free(&g);
    free(got.at);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}
#define GROUPS(s, want) assert_groups(s, sizeof(s) - 1, want)

static void lists_are_forests(void **state)
{
    (void)state;
    GROUPS("flu\tviral\n", "flu<viral<*");
    GROUPS("\xEF\xBB\xBF"
           "flu \t viral\tinfection\r\n\r\nhiv\tviral\nflu\tviral",
           "flu<viral<infection<* hiv<viral<infection<*");
    GROUPS("hiv\tviral\nflu\tviral\tinfection\n", // the group above is learned later
           "hiv<viral<infection<* flu<viral<infection<*");
    GROUPS("cold\t*\nflu\tviral\t*\n", "cold<* flu<viral<*");
    GROUPS("flu\tviral\nviral\tinfection\n", "flu<viral<infection<* viral<infection<*");
}

static void bad_lines_are_named(void **state)
{
    (void)state;
    GROUPS("", "E memory:1:0 empty: no groups in it\n");
    GROUPS("flu viral\n", "E memory:1:0 no tab: expected a value and a group\n");
    GROUPS("flu\tviral\n\tx\n", "E memory:2:1 a name is empty\n");
    GROUPS("flu\t \n", "E memory:1:2 a name is empty\n");
    GROUPS("flu\tviral\t\n", "E memory:1:3 a name is empty\n");
    GROUPS("a\tb\n\na\tc\n", "E memory:3:2 'a' is in 'b' already, by line 1\n");
    GROUPS("a\tb\nx\tb\tc\ny\tb\td\n", "E memory:3:3 'b' is in 'c' already, by line 2\n");
    GROUPS("a\t*\na\tb\n", "E memory:2:2 'a' is in '*' already, by line 1\n");
    GROUPS("a\ta\n", "E memory:1:2 a name is above itself\n");
    GROUPS("a\tb\tc\nc\ta\n", "E memory:1:0 a name is above itself\n");
    GROUPS("a\t*\tb\n", "E memory:1:3 something stands above '*'\n");
    GROUPS("*\ta\n", "E memory:1:1 something stands above '*'\n");
    GROUPS("a\t\xFF\n", "E memory:1:2 a name is not valid utf-8\n");
    GROUPS("a\tb\0c\n", "E memory:1:2 a NUL in a name\n");
    GROUPS("a\rb\tc\n", "E memory:1:1 a carriage return in a name\n");
}

static void lack_of_memory_is_survived(void **state)
{
    (void)state;
    static const char bytes[] = "flu\tviral\tinfection\nhiv\tviral\n";
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        outcome o;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        lethe_value_groups g = {0};
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_value_groups_memory(ctx, (lethe_str){bytes, sizeof bytes - 1}, &g);
        lethe_alloc_fail_at(0);
        done = e == LETHE_OK;
        if (!done) assert_int_equal(e, LETHE_ENOMEM);
        if (!done) assert_string_equal(o.messages.at, "E out of memory\n");
        assert_true(done == (g.names != NULL) && (!done || n > 5));
        lethe_value_groups_free(&g);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_forests),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(lack_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
