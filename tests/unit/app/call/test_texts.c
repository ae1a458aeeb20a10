/* SPDX-License-Identifier: Apache-2.0 */
/* Single texts through the public functions. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "lethe/text.h"

typedef lethe_err (*text_fn)(lethe_texts *t, lethe_str in, lethe_str *out);

static lethe_ctx *ctx_new(void)
{
    lethe_ctx *ctx;
    lethe_settings settings = {
        .size = sizeof settings, .n_threads = 1, .style = LETHE_OPTIONS_KEYWORDS};
    assert_int_equal(lethe_ctx_new(&settings, &ctx), LETHE_OK);
    return ctx;
}

static void is(lethe_texts *t, text_fn fn, const char *in, const char *want)
{
    lethe_str out;
    assert_int_equal(fn(t, (lethe_str){in, strlen(in)}, &out), LETHE_OK);
    if (out.n != strlen(want) || memcmp(out.at, want, out.n) != 0)
        fail_msg("'%s' became '%.*s', not '%s'", in, (int)out.n, out.at, want);
}

static void texts_become_what_methods_make_of_them(void **state)
{
    lethe_ctx *ctx = ctx_new();
    lethe_texts *t;
    (void)state;
    assert_int_equal(lethe_texts_new(ctx, NULL, NULL, &t), LETHE_OK);
    is(t, lethe_texts_normal, "  Caf\xc3\xa9\t AU  lait ", "caf\xc3\xa9 au lait");
    is(t, lethe_texts_normal,
       "a\xff"
       "b",
       "a\xef\xbf\xbd"
       "b");
    is(t, lethe_texts_scrub, "Call 212-555-0187 or joe@aol.com", "call [phone] or [email]");
    is(t, lethe_texts_scrub, "nothing here", "nothing here");
    is(t, lethe_texts_scrub, "john smith", "john smith"); // names only where they are asked for
    is(t, lethe_texts_scrub, "", "");
    is(t, lethe_texts_host, "http://Joe@www.CDC.gov:80/lyme?x=1", "www.cdc.gov");
    is(t, lethe_texts_host, "no host", "");
    is(t, lethe_texts_host, "http://abcdefghijklmnop/", ""); // would pass for an identifier
    lethe_texts_free(t);
    lethe_ctx_free(ctx);
}

static void kinds_are_those_of_scrub(void **state)
{
    lethe_ctx *ctx = ctx_new();
    lethe_texts *t = NULL;
    (void)state;
    assert_int_equal(lethe_texts_new(ctx, "email", NULL, &t), LETHE_OK);
    is(t, lethe_texts_scrub, "212-555-0187 joe@aol.com", "212-555-0187 [email]");
    lethe_texts_free(t);
    t = NULL;
    assert_int_equal(lethe_texts_new(ctx, "emial", NULL, &t), LETHE_EUSAGE);
    assert_null(t);
    assert_string_equal(lethe_ctx_error(ctx)->option, "kinds");
    assert_int_equal(lethe_texts_new(ctx, NULL, "/nonexistent/list", &t), LETHE_EIO);
    assert_null(t);
    lethe_ctx_free(ctx);
}

static void keys_are_words_in_order(void **state)
{
    lethe_ctx *ctx = ctx_new();
    lethe_texts *t;
    lethe_str out;
    (void)state;
    assert_int_equal(lethe_texts_new(ctx, NULL, NULL, &t), LETHE_OK);
    lethe_err e = lethe_texts_words_key(t, (lethe_str){"x", 1}, &out);
    if (e == LETHE_OK) { // else WordNet is not installed
        is(t, lethe_texts_words_key, "Bus Timetables", "bus timetable");
        is(t, lethe_texts_words_key, "timetable for BUSES", "bus for timetable");
        is(t, lethe_texts_words_key, "?!", "?!");
    } else {
        assert_int_equal(e, LETHE_EIO);
    }
    lethe_texts_free(t);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_what_methods_make_of_them),
        cmocka_unit_test(kinds_are_those_of_scrub),
        cmocka_unit_test(keys_are_words_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
