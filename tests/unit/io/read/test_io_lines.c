/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "io/read/lines.h"

typedef struct said {
    lethe_message last;
    char text[256];
    int n;
} said;

static void hear(void *arg, const lethe_message *m)
{
    said *s = arg;
    s->last = *m;
    s->n++;
    snprintf(s->text, sizeof s->text, "%s", m->text);
}

/* All lines of `in`, each in brackets, and how it ended. */
static lethe_err all(lethe_str in, lethe_diag *d, char *out, size_t cap)
{
    lethe_lines l;
    lethe_str line;
    size_t used = 0;
    uint64_t number = 0;
    lethe_err err = lethe_lines_memory(&l, d, in);
    out[0] = '\0';
    while (err == LETHE_OK && lethe_lines_next(&l, &line)) {
        used += (size_t)snprintf(out + used, cap - used, "[%.*s]", (int)line.n, line.at);
        assert_int_equal(l.number, ++number);
    }
    if (err == LETHE_OK) err = lethe_lines_err(&l);
    lethe_lines_close(&l);
    return err;
}

static void every_line_is_handed_out(void **state)
{
    (void)state;
    static const struct {
        const char *in, *want;
    } cases[] = {
        {"", ""},
        {"\n", "[]"},
        {"a", "[a]"},
        {"a\n", "[a]"},
        {"a\r\nb\r\n", "[a][b]"},
        {"a\nb\n\nc", "[a][b][][c]"},
        {"\xef\xbb\xbf"
         "a\n",
         "[a]"},
        {"\r", "[]"},
        {"a\rb\n", "[a\rb]"},
    };
    char out[256];
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        assert_int_equal(all(lethe_str_of(cases[i].in), NULL, out, sizeof out), LETHE_OK);
        assert_string_equal(out, cases[i].want);
    }
}

/* Blocks are smaller than this text: lines must be counted on over their ends. */
static void lines_go_on_over_blocks(void **state)
{
    (void)state;
    enum { N = 40000 };
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    for (int i = 1; i <= N; i++)
        fprintf(f, "line %d\n", i);
    fclose(f);
    lethe_lines l;
    lethe_str line;
    char want[32];
    uint64_t number = 0;
    assert_int_equal(lethe_lines_memory(&l, NULL, (lethe_str){text, n}), LETHE_OK);
    while (lethe_lines_next(&l, &line)) {
        snprintf(want, sizeof want, "line %llu", (unsigned long long)++number);
        assert_true(lethe_str_eq(line, lethe_str_of(want)));
        assert_int_equal(l.number, number);
    }
    assert_int_equal(lethe_lines_err(&l), LETHE_OK);
    assert_int_equal(number, N);
    lethe_lines_close(&l);
    free(text);
}

static void a_line_that_is_too_long_is_named(void **state)
{
    (void)state;
    said s = {0};
    lethe_diag *d = lethe_diag_new(hear, &s);
    size_t n = LETHE_LINE_MAX + 8;
    char *text = malloc(n), out[64];
    memset(text, 'x', n);
    memcpy(text, "a\n", 2);
    assert_int_equal(all((lethe_str){text, n}, d, out, sizeof out), LETHE_EINPUT);
    assert_string_equal(out, "[a]");
    assert_int_equal(s.n, 1);
    assert_int_equal(s.last.line, 2);
    free(text);
    lethe_diag_free(d);
}

static void a_fault_names_file_line_and_column(void **state)
{
    (void)state;
    said s = {0};
    lethe_diag *d = lethe_diag_new(hear, &s);
    lethe_lines l;
    lethe_str line;
    assert_int_equal(lethe_lines_memory(&l, d, LETHE_LIT("a\nb\n")), LETHE_OK);
    assert_true(lethe_lines_next(&l, &line) && lethe_lines_next(&l, &line));
    assert_int_equal(lethe_lines_fault(&l, 7, "no %s", "good"), LETHE_EINPUT);
    assert_int_equal(s.last.line, 2);
    assert_int_equal(s.last.column, 7);
    assert_string_equal(s.text, "no good");
    lethe_lines_close(&l);
    lethe_diag_free(d);
}

static void what_cannot_be_opened_can_be_closed(void **state)
{
    (void)state;
    lethe_lines l;
    lethe_str line;
    assert_int_equal(lethe_lines_open(&l, NULL, "/nowhere/at/all"), LETHE_EIO);
    assert_false(lethe_lines_next(&l, &line));
    assert_int_equal(lethe_lines_err(&l), LETHE_EIO);
    lethe_lines_close(&l);
}

static void lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    char out[64];
    lethe_err err = LETHE_ENOMEM;
    uint64_t n = 1;
    for (; err != LETHE_OK; n++) {
        lethe_alloc_fail_at(n);
        err = all(LETHE_LIT("a\nb\n"), NULL, out, sizeof out);
        lethe_alloc_fail_at(0);
        if (err != LETHE_OK) assert_int_equal(err, LETHE_ENOMEM);
    }
    assert_true(n > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_is_handed_out),
        cmocka_unit_test(lines_go_on_over_blocks),
        cmocka_unit_test(a_line_that_is_too_long_is_named),
        cmocka_unit_test(a_fault_names_file_line_and_column),
        cmocka_unit_test(what_cannot_be_opened_can_be_closed),
        cmocka_unit_test(lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
