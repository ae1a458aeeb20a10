/* SPDX-License-Identifier: Apache-2.0 */
/* The file of weights: what is taken, and what is refused, with its place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/mem.h"
#include "model/knowledge/weights.h"

static lethe_ctx *ctx;
static lethe_message last;
static char said[256], in_file[256];

static void keep_message(void *arg, const lethe_message *m)
{
    (void)arg;
    last = *m;
    snprintf(said, sizeof said, "%s", m->text);
    snprintf(in_file, sizeof in_file, "%s", m->file ? m->file : "");
}

static int begin(void **state)
{
    (void)state;
    lethe_settings s = {.n_threads = 1, .on_message = keep_message};
    return lethe_ctx_new(&s, &ctx) == LETHE_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    return 0;
}

static lethe_query_weights *taken(const char *bytes, size_t n)
{
    lethe_query_weights *w = NULL;
    assert_int_equal(lethe_query_weights_memory(ctx, (lethe_str){bytes, n}, &w), LETHE_OK);
    return w;
}

static uint64_t of(const lethe_query_weights *w, const char *query)
{
    return lethe_query_weights_of(w, lethe_str_of(query));
}

static void weights_are_millionths(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t millionths;
    } good[] = {
        {"1", 1000000},
        {"0.000001", 1},
        {"2.5", 2500000},
        {"007", 7000000},
        {"00000000000000000000000000000000000001.100000", 1100000},
        {"3.141592", 3141592},
        {"999999999.999999", 999999999999999},
        {"1000000000", 1000000000000000},
        {"1000000000.0", 1000000000000000},
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        char line[128];
        int n = snprintf(line, sizeof line, "q\t%s", good[i].text);
        lethe_query_weights *w = taken(line, (size_t)n);
        assert_int_equal(of(w, "q"), good[i].millionths);
        assert_int_equal(lethe_query_weights_count(w), 1);
        lethe_query_weights_free(w);
    }
}

static void queries_are_normalised(void **state)
{
    (void)state;
    static const char text[] =
        "\xEF\xBB\xBF  Red   CARS \t3\r\nnews\t0.5\nred cars\t3.0\nNEWS\t0.500000\r\nz\t9";
    lethe_query_weights *w = taken(text, sizeof text - 1);
    assert_int_equal(lethe_query_weights_count(w), 3);
    assert_int_equal(of(w, "red cars"), 3000000);
    assert_int_equal(of(w, "news"), 500000);
    assert_int_equal(of(w, "z"), 9000000);
    assert_int_equal(of(w, "Red CARS"), 0);
    assert_int_equal(of(w, ""), 0);
    assert_true(lethe_str_eq(lethe_query_weights_query(w, 1), LETHE_LIT("news")));
    assert_int_equal(lethe_query_weights_at(w, 1), 500000);
    lethe_query_weights_free(w);
    lethe_query_weights_free(NULL);
}

#define NO_TAB "no tab: expected a query and a weight"
#define NO_NUMBER "the weight is not a decimal number"
#define NOT_ABOVE "the weight is not above 0"
#define TOO_FINE "the weight has more than 6 digits after the point"
#define TOO_MUCH "the weight is over 1000000000"
#define ANOTHER "the query has another weight in an earlier line"

static void what_is_no_line_of_weights_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        uint64_t line;
        uint32_t column;
        const char *cause;
    } bad[] = {
        {"", 0, 1, 0, "empty: no weights in it"},
        {"q\t1\nq", 5, 2, 0, NO_TAB},
        {"q\t1\n\nr\t2\n", 9, 2, 0, NO_TAB},
        {"q 1\n", 4, 1, 0, NO_TAB},
        {"\t1\n", 3, 1, 1, "no query"},
        {" \t1\n", 4, 1, 1, "no query"},
        {"q\xFF\t1\n", 5, 1, 1, "invalid UTF-8 in the query"},
        {"q\0r\t1\n", 6, 1, 1, "a NUL or CR in the query"},
        {"q\rr\t1\n", 6, 1, 1, "a NUL or CR in the query"},
        {"q\t\n", 3, 1, 2, "no weight"},
        {"q\t1\t\n", 5, 1, 3, "more than a query and a weight"},
        {"q\t1\t2\n", 6, 1, 3, "more than a query and a weight"},
        {"q\t0\n", 4, 1, 2, NOT_ABOVE},
        {"q\t0.000000\n", 11, 1, 2, NOT_ABOVE},
        {"q\t-1\n", 5, 1, 2, NOT_ABOVE},
        {"q\t-0.5\n", 7, 1, 2, NOT_ABOVE},
        {"q\t-1.12345678\n", 14, 1, 2, NOT_ABOVE},
        {"q\t1.\n", 5, 1, 2, NO_NUMBER},
        {"q\t.5\n", 5, 1, 2, NO_NUMBER},
        {"q\t.\n", 4, 1, 2, NO_NUMBER},
        {"q\t-\n", 4, 1, 2, NO_NUMBER},
        {"q\t+1\n", 5, 1, 2, NO_NUMBER},
        {"q\t1e3\n", 6, 1, 2, NO_NUMBER},
        {"q\t1,5\n", 6, 1, 2, NO_NUMBER},
        {"q\t1.5.1\n", 8, 1, 2, NO_NUMBER},
        {"q\t 1\n", 5, 1, 2, NO_NUMBER},
        {"q\t1 \n", 5, 1, 2, NO_NUMBER},
        {"q\tnan\n", 6, 1, 2, NO_NUMBER},
        {"q\tinf\n", 6, 1, 2, NO_NUMBER},
        {"q\t1\0\n", 5, 1, 2, NO_NUMBER},
        {"q\t1\r1\n", 6, 1, 2, NO_NUMBER},
        {"q\t1\xFF\n", 5, 1, 2, NO_NUMBER},
        {"q\t0.0000001\n", 12, 1, 2, TOO_FINE},
        {"q\t1.0000000\n", 12, 1, 2, TOO_FINE},
        {"q\t1000000000.000001\n", 20, 1, 2, TOO_MUCH},
        {"q\t1000000001\n", 13, 1, 2, TOO_MUCH},
        {"q\t18446744073709551617\n", 23, 1, 2, TOO_MUCH},
        {"q\t99999999999999999999999999999999999999999\n", 44, 1, 2, TOO_MUCH},
        {"q\t1\nr\t1\nQ\t2\n", 12, 3, 2, ANOTHER},
        {"q\t1\nq\t1.000001\n", 15, 2, 2, ANOTHER},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_query_weights *w = NULL;
        said[0] = '\0';
        assert_int_equal(lethe_query_weights_memory(ctx, (lethe_str){bad[i].text, bad[i].n}, &w),
                         LETHE_EINPUT);
        assert_null(w);
        if (strcmp(said, bad[i].cause) != 0) fail_msg("%zu: %s", i, said);
        assert_int_equal(last.line, bad[i].line);
        assert_int_equal(last.column, bad[i].column);
    }
}

static void a_huge_line_is_refused_and_named(void **state)
{
    (void)state;
    size_t n = ((size_t)1 << 20) + 100;
    char path[] = "/tmp/lethe-weights-XXXXXX", *text = malloc(n);
    int fd = mkstemp(path);
    lethe_query_weights *w = NULL;
    assert_true(fd >= 0 && text);
    memset(text, 'q', n);
    memcpy(text, "q\t1\n", 4);
    assert_int_equal(write(fd, text, n), n);
    close(fd);
    assert_int_equal(lethe_query_weights_read(ctx, path, &w), LETHE_EINPUT);
    assert_string_equal(in_file, path);
    assert_int_equal(last.line, 2);
    unlink(path);
    assert_int_equal(lethe_query_weights_read(ctx, path, &w), LETHE_EIO);
    assert_null(w);
    free(text);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static const char text[] = "Maps\t1\nmaps\t1\n\xC3\x89t\xC3\xA9\t2\n";
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e != LETHE_OK) {
        lethe_query_weights *w = NULL;
        lethe_alloc_fail_at(++n);
        said[0] = '\0';
        e = lethe_query_weights_memory(ctx, (lethe_str){text, sizeof text - 1}, &w);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || (e == LETHE_ENOMEM && said[0]));
        assert_true((e == LETHE_OK) == (w != NULL));
        lethe_query_weights_free(w);
    }
    assert_true(n > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_millionths),
        cmocka_unit_test(queries_are_normalised),
        cmocka_unit_test(what_is_no_line_of_weights_is_refused),
        cmocka_unit_test(a_huge_line_is_refused_and_named),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
