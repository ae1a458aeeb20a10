/* SPDX-License-Identifier: Apache-2.0 */
/* The file of results: what is taken, in which order, and what is refused, with its place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/mem.h"
#include "model/knowledge/results.h"

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

static lethe_results *taken(const char *bytes, size_t n)
{
    lethe_results *r = NULL;
    assert_int_equal(lethe_results_memory(ctx, (lethe_str){bytes, n}, &r), LETHE_OK);
    return r;
}

/* URLs, one space between them. */
static const char *joined(const lethe_results *r, const uint32_t *urls, size_t n)
{
    static char out[512];
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        lethe_str url = lethe_results_url(r, urls[i]);
        len += (size_t)sprintf(out + len, "%s%.*s", i ? " " : "", (int)url.n, url.at);
    }
    return out;
}

static const char *of(const lethe_results *r, const char *query)
{
    size_t n;
    const uint32_t *urls = lethe_results_of(r, lethe_str_of(query), &n);
    return joined(r, urls, n);
}

static const char *ranked(const lethe_results *r, const char *query)
{
    size_t n;
    const uint32_t *urls = lethe_results_ranked(r, lethe_str_of(query), &n);
    return joined(r, urls, n);
}

static void urls_come_in_rank_order(void **state)
{
    (void)state;
    static const char text[] = "maps\thttp://b.com/\nnews\tn.com\nmaps\ta.com\nmaps\tn.com\n";
    lethe_results *r = taken(text, sizeof text - 1);
    assert_string_equal(of(r, "maps"), "http://b.com/ a.com n.com");
    assert_string_equal(of(r, "news"), "n.com");
    assert_int_equal(lethe_results_queries(r), 2);
    assert_int_equal(lethe_results_urls(r), 3);
    assert_true(lethe_str_eq(lethe_results_query(r, 1), LETHE_LIT("news")));
    size_t n;
    assert_int_equal(lethe_results_at(r, 1, &n)[0], lethe_results_find_url(r, LETHE_LIT("n.com")));
    assert_int_equal(n, 1);
    assert_int_equal(lethe_results_find_url(r, LETHE_LIT("z.com")), LETHE_NONE);
    lethe_results_free(r);
    lethe_results_free(NULL);
}

static void an_unknown_query_has_none(void **state)
{
    (void)state;
    lethe_results *r = taken("maps\ta.com\n", 11);
    assert_string_equal(of(r, "map"), "");
    assert_string_equal(of(r, ""), "");
    lethe_results_free(r);
}

static void a_repeated_url_counts_once_and_keeps_its_ranks(void **state)
{
    (void)state;
    static const char text[] = "q\ta\nq\tb\nq\ta\nr\tb\nr\tb\nr\ta\nq\tc\ns\tc\n";
    lethe_results *r = taken(text, sizeof text - 1);
    assert_string_equal(of(r, "q"), "a b c");
    assert_string_equal(of(r, "r"), "b a");
    assert_string_equal(ranked(r, "q"), "a b a c");
    assert_string_equal(ranked(r, "r"), "b b a");
    assert_string_equal(ranked(r, "s"), "c");
    assert_string_equal(ranked(r, "t"), "");
    lethe_results_free(r);
}

static void queries_are_normalised_and_urls_are_not(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBF  Red   CARS \thttp://A.com/B C\r\nred cars\tb\xC3\xA9";
    lethe_results *r = taken(text, sizeof text - 1);
    assert_int_equal(lethe_results_queries(r), 1);
    assert_string_equal(of(r, "red cars"), "http://A.com/B C b\xC3\xA9");
    lethe_results_free(r);
}

static void what_is_no_line_of_results_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        uint64_t line;
        uint32_t column;
        const char *cause;
    } bad[] = {
        {"", 0, 1, 0, "empty: no results in it"},
        {"q\ta\nq", 5, 2, 0, "no tab: expected a query and a url"},
        {"q\ta\n\nq\tb\n", 9, 2, 0, "no tab: expected a query and a url"},
        {"\ta\n", 3, 1, 1, "no query"},
        {" \t a\n", 5, 1, 1, "no query"},
        {"q\t\n", 3, 1, 2, "no url"},
        {"q\ta\tb\n", 6, 1, 3, "more than a query and a url"},
        {"q\ta\x01z\n", 6, 1, 2, "a control character in the url"},
        {"q\ta\0z\n", 6, 1, 2, "a control character in the url"},
        {"q\0r\ta\n", 6, 1, 1, "a NUL or CR in the query"},
        {"q\rr\ta\n", 6, 1, 1, "a NUL or CR in the query"},
        {"q\xFF\ta\n", 5, 1, 1, "invalid UTF-8 in the query"},
        {"q\ta\nq\xC3\tb\n", 9, 2, 1, "invalid UTF-8 in the query"},
        {"q\ta\xFF\n", 5, 1, 2, "invalid UTF-8 in the url"},
        {"q\ta\xED\xA0\x80z\n", 8, 1, 2, "invalid UTF-8 in the url"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_results *r = NULL;
        said[0] = '\0';
        assert_int_equal(lethe_results_memory(ctx, (lethe_str){bad[i].text, bad[i].n}, &r),
                         LETHE_EINPUT);
        assert_null(r);
        assert_string_equal(said, bad[i].cause);
        assert_int_equal(last.line, bad[i].line);
        assert_int_equal(last.column, bad[i].column);
    }
}

static void a_huge_line_is_refused_and_named(void **state)
{
    (void)state;
    size_t n = ((size_t)1 << 20) + 100;
    char path[] = "/tmp/lethe-results-XXXXXX", *text = malloc(n);
    int fd = mkstemp(path);
    lethe_results *r = NULL;
    assert_true(fd >= 0 && text);
    memset(text, 'q', n);
    memcpy(text, "q\ta\n", 4);
    assert_int_equal(write(fd, text, n), n);
    close(fd);
    assert_int_equal(lethe_results_read(ctx, path, &r), LETHE_EINPUT);
    assert_string_equal(in_file, path);
    assert_int_equal(last.line, 2);
    unlink(path);
    assert_int_equal(lethe_results_read(ctx, path, &r), LETHE_EIO);
    assert_null(r);
    free(text);
}

static void lack_of_memory_is_said(void **state)
{
    (void)state;
    static const char text[] = "Maps\ta\nmaps\tb\nnews\ta\n";
    lethe_err e = LETHE_ENOMEM;
    uint64_t n = 0;
    while (e != LETHE_OK) {
        lethe_results *r = NULL;
        lethe_alloc_fail_at(++n);
        e = lethe_results_memory(ctx, (lethe_str){text, sizeof text - 1}, &r);
        lethe_alloc_fail_at(0);
        assert_true(e == LETHE_OK || e == LETHE_ENOMEM);
        assert_true((e == LETHE_OK) == (r != NULL));
        lethe_results_free(r);
    }
    assert_true(n > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_come_in_rank_order),
        cmocka_unit_test(an_unknown_query_has_none),
        cmocka_unit_test(a_repeated_url_counts_once_and_keeps_its_ranks),
        cmocka_unit_test(queries_are_normalised_and_urls_are_not),
        cmocka_unit_test(what_is_no_line_of_results_is_refused),
        cmocka_unit_test(a_huge_line_is_refused_and_named),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
