/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds: as they are written, and in files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/mem.h"
#include "method/table/group_price.h"
#include "model/table/theta.h"
#include "records_text.h"

/* --- one threshold --- */

static void thresholds_are_exact_fractions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t num, den;
        const char *printed;
    } good[] = {
        {"0", 0, 1, "0"},
        {"1", 1, 1, "1"},
        {"0.25", 1, 4, "0.25"},
        {".25", 1, 4, "0.25"},
        {"00.250", 1, 4, "0.25"},
        {"1.000000000", 1, 1, "1"},
        {"0.000000000", 0, 1, "0"},
        {"0.333333333", 333333333, 1000000000, "0.333333333"},
        {"0.000000001", 1, 1000000000, "0.000000001"},
        {"0.999999999", 999999999, 1000000000, "0.999999999"},
        {"1/3", 1, 3, "1/3"},
        {"2/6", 1, 3, "1/3"},
        {"3/4", 3, 4, "0.75"},
        {"0/7", 0, 1, "0"},
        {"7/7", 1, 1, "1"},
        {"1/1000000000", 1, 1000000000, "0.000000001"},
        {"999999998/999999999", 999999998, 999999999, "999999998/999999999"},
        {"1/1024", 1, 1024, "1/1024"}, // ten decimals
        {"1/512", 1, 512, "0.001953125"},
        {"0.0009765625", 1, 1024, "1/1024"}, // one form, as before there were ten decimals
        {"0.1234567890", 123456789, 1000000000, "0.123456789"},
        {"0.33333333334", UINT64_C(16666666667), UINT64_C(50000000000), "0.33333333334"},
        {"0.30000000000000004", UINT64_C(7500000000000001), UINT64_C(25000000000000000),
         "0.30000000000000004"},
        {"0.333333333333333333", UINT64_C(333333333333333333), LETHE_THETA_DEN,
         "0.333333333333333333"},
        {"0.000000000000000001", 1, LETHE_THETA_DEN, "0.000000000000000001"},
        {"0.999999999999999999", UINT64_C(999999999999999999), LETHE_THETA_DEN,
         "0.999999999999999999"},
        {"1/1000000000000000000", 1, LETHE_THETA_DEN, "0.000000000000000001"},
        {"1/1000000001", 1, 1000000001, "1/1000000001"},
        {"999999999999999988/999999999999999989", UINT64_C(999999999999999988),
         UINT64_C(999999999999999989), "999999999999999988/999999999999999989"},
        {"0.500000000000000000000000000", 1, 2, "0.5"}, // zeros at the end are no digits
        {"1.000000000000000000000000000", 1, 1, "1"},
    };
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        lethe_theta t = {9, 9}, again;
        char printed[LETHE_THETA_MAX];
        if (!lethe_theta_parse(lethe_str_of(good[i].text), &t)) fail_msg("%s", good[i].text);
        assert_int_equal(t.num, good[i].num);
        assert_int_equal(t.den, good[i].den);
        lethe_theta_print(t, printed);
        assert_string_equal(printed, good[i].printed);
        assert_true(lethe_theta_parse(lethe_str_of(printed), &again));
        assert_true(again.num == t.num && again.den == t.den);
    }
}

static void numbers_are_exact_fractions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t num, den;
        const char *printed;
    } good[] = {
        {"0", 0, 1, "0/1"},
        {"3", 3, 1, "3/1"},
        {"3/1", 3, 1, "3/1"},
        {"2.5", 5, 2, "5/2"},
        {"02.50", 5, 2, "5/2"},
        {".5", 1, 2, "1/2"},
        {"10/4", 5, 2, "5/2"},
        {"1000000", 1000000, 1, "1000000/1"},
        {"1.000000001", 1000000001, 1000000000, "1000000001/1000000000"},
        {"999999.999999999", 999999999999999, 1000000000, "999999999999999/1000000000"},
    };
    static const char *const bad[] = {"",     ".",    "1.",           "-1",        "+1",
                                      " 1",   "1e3",  "1/0",          "/2",        "2/",
                                      "1//2", "1,5",  "1000001",      "nan",       "0x2",
                                      "1/2/", "1. 5", "0.0000000001", "1000000.1", "2/1000000001"};
    for (size_t i = 0; i < LETHE_COUNT(good); i++) {
        lethe_theta x = {9, 9}, again;
        char printed[LETHE_THETA_MAX];
        if (!lethe_decimal_parse(lethe_str_of(good[i].text), &x)) fail_msg("%s", good[i].text);
        assert_int_equal(x.num, good[i].num);
        assert_int_equal(x.den, good[i].den);
        lethe_decimal_print(x, printed);
        assert_string_equal(printed, good[i].printed);
        assert_true(lethe_decimal_parse(lethe_str_of(printed), &again));
        assert_true(again.num == x.num && again.den == x.den);
    }
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_theta x = {9, 9};
        if (lethe_decimal_parse(lethe_str_of(bad[i]), &x)) fail_msg("%s", bad[i]);
        assert_true(x.num == 9 && x.den == 9);
    }
}

static void what_is_no_threshold_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      ".",
                                      "1.",
                                      "-0.5",
                                      "+0.5",
                                      "1.1",
                                      "2",
                                      "0.5 ",
                                      " 0.5",
                                      "0,5",
                                      "1e-1",
                                      "50%",
                                      "1/0",
                                      "0/0",
                                      "4/3",
                                      "1/3/3",
                                      "/3",
                                      "1/",
                                      "-1/3",
                                      "1/-3",
                                      "0.5/1",
                                      "nan",
                                      "inf",
                                      "0x1p-1",
                                      "0.1234567890123456789",
                                      "0.0000000000000000001",
                                      "0.00000000000000000000000000000001",
                                      "0.000000000000000000x",
                                      "1/1000000000000000001",
                                      "1.0000000000000000001",
                                      "..5",
                                      "1.000000001",
                                      "18446744073709551617/18446744073709551617",
                                      "99999999999999999999",
                                      "0.5.5"};
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        lethe_theta t = {7, 8};
        if (lethe_theta_parse(lethe_str_of(bad[i]), &t)) fail_msg("'%s' was taken", bad[i]);
        assert_true(t.num == 7 && t.den == 8);
    }
    lethe_theta t;
    assert_false(lethe_theta_parse((lethe_str){"0.5\0", 4}, &t));
    assert_false(lethe_theta_parse((lethe_str){NULL, 0}, &t));
}

static void a_refusal_has_its_reason(void **state)
{
    (void)state;
    static const char no_share[] = "is not a share between 0 and 1, such as 0.25 or 1/3",
                      too_long[] = "has more than eighteen decimals",
                      too_large[] = "has a denominator of more than 10^18";
    const struct {
        const char *text, *fault;
    } bad[] = {
        {"", no_share},
        {"0,5", no_share},
        {"4/3", no_share},
        {"2/0", no_share},
        {"1.0000000000000000001", no_share},
        {"0.1234567890123456789x", no_share},
        {"0.1234567890123456789", too_long},
        {".1234567890123456789", too_long},
        {"0.3333333333333333333333333333333333333333", too_long},
        {"1/1000000000000000001", too_large},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        assert_string_equal(lethe_theta_fault(lethe_str_of(bad[i].text)), bad[i].fault);
}

static void a_share_that_is_reached_is_not_exceeded(void **state)
{
    (void)state;
    lethe_theta third = {1, 3}, none = {0, 1}, all = {1, 1};
    assert_false(lethe_theta_violated(third, 1, 3));
    assert_true(lethe_theta_violated(third, 2, 5));
    assert_false(lethe_theta_violated(third, 0, 1));
    assert_true(lethe_theta_violated(none, 1, UINT32_MAX));
    assert_false(lethe_theta_violated(none, 0, 5));
    assert_false(lethe_theta_violated(all, UINT32_MAX, UINT32_MAX));
    lethe_theta fine = {999999999, 1000000000};
    assert_true(lethe_theta_violated(fine, UINT64_C(1) << 32, UINT64_C(1) << 32));
    assert_false(lethe_theta_violated(fine, (UINT64_C(1) << 32) - 5, UINT64_C(1) << 32));
    lethe_theta finest = {LETHE_THETA_DEN - 1, LETHE_THETA_DEN};
    assert_true(lethe_theta_violated(finest, UINT64_C(1) << 32, UINT64_C(1) << 32));
    assert_false(lethe_theta_violated(finest, (UINT64_C(1) << 32) - 1, UINT64_C(1) << 32));
}

/* --- files --- */

static lethe_err take(lethe_ctx *ctx, const char *bytes, size_t n, text *out)
{
    lethe_thetas t = {0};
    lethe_err e = lethe_thetas_memory(ctx, (lethe_str){bytes, n}, &t);
    if (e != LETHE_OK) {
        assert_null(t.names);
        return e;
    }
    for (uint32_t i = 0; i < lethe_dict_count(t.names); i++) {
        char printed[LETHE_THETA_MAX];
        lethe_str name = lethe_dict_at(t.names, i);
        lethe_theta_print(t.at[i], printed);
        text_put(out, name.at, name.n);
        text_add(out, "=%s;", printed);
    }
    lethe_thetas_free(&t);
    assert_null(t.names);
    return e;
}
#define TAKE(ctx, s, out) take(ctx, s, sizeof(s) - 1, out)

static void lines_become_thresholds(void **state)
{
    (void)state;
    outcome o;
    text t = {0};
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    assert_int_equal(TAKE(ctx,
                          "\xEF\xBB\xBF"
                          "flu\t0.5\r\n\n  HIV + \t 1/10 \n\r\n?\t1\nb c\t0",
                          &t),
                     LETHE_OK);
    assert_string_equal(t.at, "flu=0.5;HIV +=0.1;?=1;b c=0;");
    assert_string_equal(o.messages.at, "");
    free(t.at);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void bad_lines_are_named(void **state)
{
    (void)state;
#define NO_SHARE "the threshold is not a fraction from 0 to 1\n"
    static const struct {
        const char *text;
        size_t n;
        const char *said;
    } bad[] = {
#define BAD(s) s, sizeof(s) - 1
        {BAD(""), "E memory:1:0 empty: no thresholds in it\n"},
        {BAD("\n\r\n"), "E memory:1:0 empty: no thresholds in it\n"},
        {BAD("flu 0.5\n"), "E memory:1:0 no tab: expected a value and a threshold\n"},
        {BAD("a\t1\nflu\n"), "E memory:2:0 no tab: expected a value and a threshold\n"},
        {BAD("a\t1\t1\n"), "E memory:1:3 more than a value and a threshold\n"},
        {BAD("\t1\n"), "E memory:1:1 the value is empty\n"},
        {BAD("  \t1\n"), "E memory:1:1 the value is empty\n"},
        {BAD("a\t\n"), "E memory:1:2 " NO_SHARE},
        {BAD("a\t1.5\n"), "E memory:1:2 " NO_SHARE},
        {BAD("a\t0.1234567890123456789\n"),
         "E memory:1:2 the threshold has more than eighteen decimals\n"},
        {BAD("a\t-0.1\n"), "E memory:1:2 " NO_SHARE},
        {BAD("a\t1\r\r\n"), "E memory:1:2 " NO_SHARE},
        {BAD("a\t0\0\n"), "E memory:1:2 " NO_SHARE},
        {BAD("a\t1\n\nb\t1\n a\t1\n"), "E memory:4:1 the value has a threshold already\n"},
        {BAD("a\xFF\t1\n"), "E memory:1:1 the value is not valid utf-8\n"},
        {BAD("a\0b\t1\n"), "E memory:1:1 a NUL in the value\n"},
        {BAD("a\rb\t1\n"), "E memory:1:1 a carriage return in the value\n"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o;
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        assert_int_equal(take(ctx, bad[i].text, bad[i].n, NULL), LETHE_EINPUT);
        assert_string_equal(o.messages.at, bad[i].said);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
}

static void a_huge_line_is_refused(void **state)
{
    (void)state;
    outcome o;
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    size_t n = (size_t)2 << 20;
    char *line = malloc(n);
    assert_non_null(line);
    memset(line, 'a', n);
    memcpy(line + n - 3, "\t1\n", 3);
    assert_int_equal(take(ctx, line, n, NULL), LETHE_EINPUT);
    assert_non_null(strstr(o.messages.at, "E memory:1:0 "));
    free(line);
    lethe_ctx_free(ctx);
    outcome_end(&o);
}

static void thetas_survive_lack_of_memory(void **state)
{
    (void)state;
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        outcome o;
        lethe_thetas t = {0};
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_thetas_memory(ctx, LETHE_LIT("a\t1\nb\t1/3\n"), &t);
        lethe_alloc_fail_at(0);
        done = e == LETHE_OK;
        if (!done) assert_int_equal(e, LETHE_ENOMEM);
        if (!done) assert_non_null(strstr(o.messages.at, "E out of memory\n"));
        assert_true(!done || n > 4);
        assert_true(done || !t.names);
        lethe_thetas_free(&t);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
}

/* --- folders --- */

typedef struct folder {
    char path[64];
    int fd;
} folder;

static folder folder_new(void)
{
    folder f = {.path = "/tmp/lethe-theta-XXXXXX"};
    assert_non_null(mkdtemp(f.path));
    f.fd = open(f.path, O_RDONLY | O_DIRECTORY);
    assert_true(f.fd >= 0);
    return f;
}

static void folder_put(const folder *f, const char *name, const char *bytes, size_t n)
{
    int fd = openat(f->fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    close(fd);
}

static void folder_end(folder *f)
{
    unlinkat(f->fd, LETHE_THETA_NAME, 0);
    unlinkat(f->fd, "other", 0);
    close(f->fd);
    assert_int_equal(rmdir(f->path), 0);
}

static void files_and_releases_are_read(void **state)
{
    (void)state;
    static const char lines[] = "a\t0.5\nb\t1/3\n";
    outcome o;
    lethe_thetas t = {0};
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    folder f = folder_new();
    char path[128];
    folder_put(&f, LETHE_THETA_NAME, lines, sizeof lines - 1);
    snprintf(path, sizeof path, "%s/%s", f.path, LETHE_THETA_NAME);
    for (int published = 0; published < 2; published++) {
        lethe_err e =
            published ? lethe_thetas_published(ctx, f.fd, &t) : lethe_thetas_read(ctx, path, &t);
        assert_int_equal(e, LETHE_OK);
        assert_int_equal(lethe_dict_count(t.names), 2);
        assert_true(t.at[1].num == 1 && t.at[1].den == 3);
        lethe_thetas_free(&t);
    }
    assert_int_equal(lethe_thetas_read(ctx, "/nonexistent/theta", &t), LETHE_EIO);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    folder_end(&f);
}

static void a_release_is_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        const char *said;
    } bad[] = {
        {BAD(""), "E theta.tsv:1:0 the file is empty\n"},
        {BAD("a\t1"), "E theta.tsv:1:0 the last line does not end in LF\n"},
        {BAD("a\t1\r\n"), "E theta.tsv:1:4 a CR\n"},
        {BAD("\na\t1\n"), "E theta.tsv:1:0 no tab: expected a value and a threshold\n"},
        {BAD("b\t1\na\t1\n"), "E theta.tsv:2:0 a line out of order\n"},
        {BAD("a\t0.5\na\t1\n"), "E theta.tsv:2:1 the value has a threshold already\n"},
        {BAD("a\t 1\n"), "E theta.tsv:1:2 " NO_SHARE},
        {BAD("\t1\n"), "E theta.tsv:1:1 the value is empty\n"},
        {BAD("a\xFF\t1\n"), "E theta.tsv:1:2 not valid utf-8\n"},
        {BAD("a\0\t1\n"), "E theta.tsv:1:2 a NUL\n"},
        {BAD("\x1F\x8B\x08"), NULL}, // compressed: not looked into
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++) {
        outcome o;
        lethe_thetas t = {0};
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        folder f = folder_new();
        folder_put(&f, LETHE_THETA_NAME, bad[i].text, bad[i].n);
        assert_int_equal(lethe_thetas_published(ctx, f.fd, &t), LETHE_EINPUT);
        assert_null(t.names);
        if (bad[i].said) assert_string_equal(o.messages.at, bad[i].said);
        lethe_ctx_free(ctx);
        outcome_end(&o);
        folder_end(&f);
    }
}

static void links_are_not_followed(void **state)
{
    (void)state;
    outcome o;
    lethe_thetas t = {0};
    lethe_ctx *ctx = records_ctx(&o, 1, 0);
    folder f = folder_new();
    assert_int_equal(lethe_thetas_published(ctx, f.fd, &t), LETHE_EIO);
    folder_put(&f, "other", "a\t1\n", 4);
    assert_int_equal(symlinkat("other", f.fd, LETHE_THETA_NAME), 0);
    assert_int_equal(lethe_thetas_published(ctx, f.fd, &t), LETHE_EIO);
    lethe_ctx_free(ctx);
    outcome_end(&o);
    folder_end(&f);
}

static void a_release_survives_lack_of_memory(void **state)
{
    (void)state;
    folder f = folder_new();
    folder_put(&f, LETHE_THETA_NAME, "a\t1\nb\t1/3\n", 10);
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        outcome o;
        lethe_thetas t = {0};
        lethe_ctx *ctx = records_ctx(&o, 1, 0);
        lethe_alloc_fail_at(n);
        lethe_err e = lethe_thetas_published(ctx, f.fd, &t);
        lethe_alloc_fail_at(0);
        done = e == LETHE_OK;
        if (!done) assert_int_equal(e, LETHE_ENOMEM);
        if (!done) assert_non_null(strstr(o.messages.at, "E out of memory\n"));
        assert_true(!done || n > 4);
        lethe_thetas_free(&t);
        lethe_ctx_free(ctx);
        outcome_end(&o);
    }
    folder_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds_are_exact_fractions),
        cmocka_unit_test(numbers_are_exact_fractions),
        cmocka_unit_test(what_is_no_threshold_is_refused),
        cmocka_unit_test(a_refusal_has_its_reason),
        cmocka_unit_test(a_share_that_is_reached_is_not_exceeded),
        cmocka_unit_test(lines_become_thresholds),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(a_huge_line_is_refused),
        cmocka_unit_test(thetas_survive_lack_of_memory),
        cmocka_unit_test(files_and_releases_are_read),
        cmocka_unit_test(a_release_is_read_strictly),
        cmocka_unit_test(links_are_not_followed),
        cmocka_unit_test(a_release_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
