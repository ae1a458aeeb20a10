/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of counts.tsv takes what lethe writes, and refuses everything else with its line. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "core/mem.h"
#include "model/published/published_counts.h"

typedef struct heard {
    char text[256];
    uint64_t line;
} heard;

static void hear(void *user, const lethe_message *m)
{
    heard *h = user;
    snprintf(h->text, sizeof h->text, "%s", m->text);
    h->line = m->line;
}

static lethe_err write_item(void *arg, lethe_str item, uint64_t count)
{
    char *to = arg;
    sprintf(to + strlen(to), "%.*s=%llu;", (int)item.n, item.at, (unsigned long long)count);
    return LETHE_OK;
}

static lethe_err read_text(lethe_str text, unsigned threads, char *out, heard *h)
{
    lethe_ctx *ctx = NULL;
    lethe_settings s = {.n_threads = threads, .on_message = hear, .user = h};
    *h = (heard){0};
    if (out) out[0] = '\0';
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    lethe_err e = lethe_counts_memory(ctx, text, out ? write_item : NULL, out);
    lethe_ctx_free(ctx);
    return e;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    char out[256];
    heard h;
    static const char text[] = LETHE_COUNTS_HEADER "b\t12\na b\t7\na c\t7\n\xc3\xa9t\xc3\xa9\t1\n";
    assert_int_equal(read_text(lethe_str_of(text), 1, out, &h), LETHE_OK);
    assert_string_equal(out, "b=12;a b=7;a c=7;\xc3\xa9t\xc3\xa9=1;");
    assert_int_equal(read_text(lethe_str_of(text), 7, NULL, &h), LETHE_OK);
}

static void everything_else_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t line;
    } cases[] = {
        {"", 1},
        {LETHE_COUNTS_HEADER, 1},
        {"Item\tCounts\na\t1\n", 1},
        {"item\tcount\na\t1\n", 1},
        {"a\t1\n", 1},
        {LETHE_COUNTS_HEADER "a\t1", 2},
        {LETHE_COUNTS_HEADER "a 1\n", 2},
        {LETHE_COUNTS_HEADER "\n", 2},
        {LETHE_COUNTS_HEADER "\t1\n", 2},
        {LETHE_COUNTS_HEADER "a\t\n", 2},
        {LETHE_COUNTS_HEADER "a\t0\n", 2},
        {LETHE_COUNTS_HEADER "a\t01\n", 2},
        {LETHE_COUNTS_HEADER "a\t+1\n", 2},
        {LETHE_COUNTS_HEADER "a\t-1\n", 2},
        {LETHE_COUNTS_HEADER "a\t1.0\n", 2},
        {LETHE_COUNTS_HEADER "a\t1 \n", 2},
        {LETHE_COUNTS_HEADER "a\t1e3\n", 2},
        {LETHE_COUNTS_HEADER "a\t9223372036854775808\n", 2},
        {LETHE_COUNTS_HEADER "a\t1\t2\n", 2},
        {LETHE_COUNTS_HEADER "A\t1\n", 2},
        {LETHE_COUNTS_HEADER " a\t1\n", 2},
        {LETHE_COUNTS_HEADER "a  b\t1\n", 2},
        {LETHE_COUNTS_HEADER "\xef\xac\x81ve\t1\n", 2}, // a ligature
        {LETHE_COUNTS_HEADER "\xff\t1\n", 2},
        {LETHE_COUNTS_HEADER "a\t1\r\n", 2},
        {LETHE_COUNTS_HEADER "a\t1\nb\t2\n", 3},
        {LETHE_COUNTS_HEADER "b\t1\na\t1\n", 3},
        {LETHE_COUNTS_HEADER "a\t1\na\t1\n", 3},
        {LETHE_COUNTS_HEADER "a\t3\nb\t2\na\t1\n", 4},
    };
    heard h;
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        for (unsigned threads = 1; threads < 4; threads += 2) {
            lethe_err e = read_text(lethe_str_of(cases[i].text), threads, NULL, &h);
            if (e != LETHE_EINPUT || h.line != cases[i].line || !h.text[0])
                fail_msg("case %zu: %d, line %d: %s", i, e, (int)h.line, h.text);
        }
    assert_int_equal(read_text((lethe_str){LETHE_COUNTS_HEADER "a\0b\t1\n", 18}, 1, NULL, &h),
                     LETHE_EINPUT);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    heard h;
    static const char text[] = LETHE_COUNTS_HEADER "\xc3\xa9\t7\na\t7\n";
    static const char ordered[] = LETHE_COUNTS_HEADER "a\t7\n\xc3\xa9\t7\n";
    assert_int_equal(read_text(lethe_str_of(text), 1, NULL, &h), LETHE_EINPUT);
    lethe_ctx *ctx = NULL;
    lethe_settings s = {.n_threads = 1};
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    lethe_err e = LETHE_ENOMEM;
    for (unsigned n = 1; e == LETHE_ENOMEM; n++) {
        assert_true(n < 1000);
        lethe_alloc_fail_at(n);
        e = lethe_counts_memory(ctx, lethe_str_of(ordered), NULL, NULL);
        lethe_alloc_fail_at(0);
    }
    assert_int_equal(e, LETHE_OK);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(everything_else_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
