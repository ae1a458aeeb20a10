/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a metric: what is taken, and what is refused, with its place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/mem.h"
#include "io/read/blocks.h"
#include "model/tree/edges.h"

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

static const char *shown(const lethe_edges *e)
{
    static char text[512];
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < e->n; i++) {
        lethe_str a = lethe_dict_at(e->names, e->at[i].a), b = lethe_dict_at(e->names, e->at[i].b);
        at += (size_t)snprintf(text + at, sizeof text - at, "%.*s-%.*s:%u ", (int)a.n, a.at,
                               (int)b.n, b.at, e->at[i].weight);
    }
    return text;
}

static const char *taken(lethe_str bytes, lethe_naming naming)
{
    lethe_edges *e = NULL;
    assert_int_equal(lethe_edges_memory(ctx, bytes, naming, &e), LETHE_OK);
    const char *text = shown(e);
    lethe_edges_free(e);
    return text;
}

static void lines_become_edges(void **state)
{
    (void)state;
    static const char bytes[] = "\xef\xbb\xbf"
                                "wine\tvino\t2\r\n"
                                "\n"
                                "milk\twine\t0.5\n"
                                "vino\tmilk\t0\n"
                                "vino\twine\t2.000000\n"
                                "wine\twine\t0\n"
                                "beer\tvino\t4294.967294";
    assert_string_equal(taken((lethe_str){bytes, sizeof bytes - 1}, LETHE_NAMES_RAW),
                        "wine-vino:2000000 wine-milk:500000 vino-milk:0 vino-beer:4294967294 ");
}

static void names_are_taken_as_told(void **state)
{
    (void)state;
    lethe_str bytes = LETHE_LIT("New York\tParis\t1\n");
    assert_string_equal(taken(bytes, LETHE_NAMES_RAW), "New York-Paris:1000000 ");
    assert_string_equal(taken(bytes, LETHE_NAMES_ITEMS), "New_York-Paris:1000000 ");
    assert_string_equal(taken(bytes, LETHE_NAMES_TERMS), "new_york-paris:1000000 ");
    assert_string_equal(taken(LETHE_LIT("a\tb\t1\nA\tB\t1\n"), LETHE_NAMES_TERMS), "a-b:1000000 ");
}

static void weights_are_decimals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *fault;
        uint32_t value;
    } cases[] = {
        {"0", NULL, 0},
        {"7", NULL, 7000000},
        {"007.10", NULL, 7100000},
        {"0.000001", NULL, 1},
        {"4294.967294", NULL, UINT32_MAX - 1},
        {"", "missing", 0},
        {"-1", "negative", 0},
        {"-0", "negative", 0},
        {"-0.5", "negative", 0},
        {"-", "not a decimal number", 0},
        {"--1", "not a decimal number", 0},
        {"-5000", "negative", 0},
        {"-0.0000001", "negative", 0},
        {"-.5", "not a decimal number", 0},
        {"-5.", "not a decimal number", 0},
        {"-nan", "not a decimal number", 0},
        {"nan", "not a decimal number", 0},
        {"NaN", "not a decimal number", 0},
        {"inf", "not a decimal number", 0},
        {"1e3", "not a decimal number", 0},
        {"0x10", "not a decimal number", 0},
        {"+1", "not a decimal number", 0},
        {" 1", "not a decimal number", 0},
        {"1 ", "not a decimal number", 0},
        {"1,5", "not a decimal number", 0},
        {"1.2.3", "not a decimal number", 0},
        {".5", "not a decimal number", 0},
        {"5.", "not a decimal number", 0},
        {".", "not a decimal number", 0},
        {"0.0000001", "finer than a millionth", 0},
        {"1.0000000", "finer than a millionth", 0},
        {"4294.967295", "over 4294.967294", 0},
        {"4295", "over 4294.967294", 0},
        {"99999999999999999999999999999", "over 4294.967294", 0},
        {"18446744073709551616", "over 4294.967294", 0},
        {"4294967296", "over 4294.967294", 0},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        uint32_t value = 77;
        const char *fault = lethe_edge_weight(lethe_str_of(cases[i].text), &value);
        if (cases[i].fault)
            assert_string_equal(fault ? fault : cases[i].text, cases[i].fault);
        else
            assert_null(fault);
        assert_int_equal(value, cases[i].fault ? 77 : cases[i].value);
    }
    uint32_t value = 77;
    assert_non_null(lethe_edge_weight((lethe_str){"1\0", 2}, &value));
    assert_int_equal(value, 77);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    const struct {
        lethe_str bytes;
        uint64_t line;
        uint32_t column;
        const char *text;
    } cases[] = {
        {{"", 0}, 1, 0, "no edge between two terms in it"},
        {LETHE_LIT("\n\r\n"), 1, 0, "no edge between two terms in it"},
        {LETHE_LIT("a\ta\t0\n"), 1, 0, "no edge between two terms in it"},
        {LETHE_LIT("a\tb\t1\nword\n"), 2, 1, "1 column: expected two terms and a weight"},
        {LETHE_LIT("a\tb\t1\t\n"), 1, 4, "4 columns: expected two terms and a weight"},
        {LETHE_LIT("a\tb\t1\n\na\tc\n"), 3, 3, "the weight is missing"},
        {LETHE_LIT("a\tb\t\n"), 1, 3, "the weight is missing"},
        {LETHE_LIT("a\tb\t-2\n"), 1, 3, "the weight is negative"},
        {LETHE_LIT("a\tb\tnan\n"), 1, 3, "the weight is not a decimal number"},
        {LETHE_LIT("a\tb\t1\r\r\n"), 1, 3, "the weight is not a decimal number"},
        {LETHE_LIT("a\tb\t5000\n"), 1, 3, "the weight is over 4294.967294"},
        {LETHE_LIT("\tb\t1\n"), 1, 1, "an empty name"},
        {LETHE_LIT("a\t\t1\n"), 1, 2, "an empty name"},
        {LETHE_LIT("a\t \t1\n"), 1, 2, "an empty name"},
        {LETHE_LIT("a\tb\0c\t1\n"), 1, 2, "a NUL in a name"},
        {LETHE_LIT("a\rb\tc\t1\n"), 1, 1, "a line end in a name"},
        {LETHE_LIT("a\t\xff\t1\n"), 1, 2, "a name is not valid utf-8"},
        {LETHE_LIT("a\ta\t1\n"), 1, 3, "a term at a distance from itself"},
        {LETHE_LIT("a\tA\t1\n"), 1, 3, "a term at a distance from itself"},
        {LETHE_LIT("a\tb\t1\nc\td\t1\nb\ta\t2\nd\tc\t3\n"), 3, 3,
         "another weight than line 1 gives the same two terms"},
        {LETHE_LIT("c\td\t1\na\tb\t1\na\tb\t1\nb\ta\t2\nd\tc\t3\n"), 4, 3,
         "another weight than line 2 gives the same two terms"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_edges *e = NULL;
        said[0] = '\0';
        assert_int_equal(lethe_edges_memory(ctx, cases[i].bytes, LETHE_NAMES_TERMS, &e),
                         LETHE_EINPUT);
        assert_null(e);
        assert_string_equal(said, cases[i].text);
        assert_int_equal(last.line, cases[i].line);
        assert_int_equal(last.column, cases[i].column);
    }
}

static void a_huge_line_is_refused(void **state)
{
    (void)state;
    size_t n = LETHE_LINE_MAX + 10;
    char *bytes = malloc(n);
    lethe_edges *e = NULL;
    memset(bytes, 'x', n);
    memcpy(bytes, "a\tb\t1\n", 6);
    assert_int_equal(lethe_edges_memory(ctx, (lethe_str){bytes, n}, LETHE_NAMES_RAW, &e),
                     LETHE_EINPUT);
    assert_int_equal(last.line, 2);
    free(bytes);
}

/* As long as a line may be, and nothing but signs: no stack may grow with it. */
static void many_signs_are_no_number(void **state)
{
    (void)state;
    char *bytes = malloc(LETHE_LINE_MAX);
    lethe_edges *e = NULL;
    memset(bytes, '-', LETHE_LINE_MAX);
    memcpy(bytes, "a\tb\t", 4);
    assert_int_equal(
        lethe_edges_memory(ctx, (lethe_str){bytes, LETHE_LINE_MAX}, LETHE_NAMES_RAW, &e),
        LETHE_EINPUT);
    assert_string_equal(said, "the weight is not a decimal number");
    assert_int_equal(last.line, 1);
    assert_int_equal(last.column, 3);
    free(bytes);
}

static void files_are_read(void **state)
{
    (void)state;
    char path[] = "/tmp/lethe-edges-XXXXXX";
    int fd = mkstemp(path);
    lethe_edges *e = NULL;
    assert_true(fd >= 0 && write(fd, "a\tb\t1\nb\tc\tx\n", 12) == 12);
    assert_int_equal(lethe_edges_read(ctx, path, LETHE_NAMES_RAW, &e), LETHE_EINPUT);
    assert_string_equal(in_file, path);
    assert_int_equal(last.line, 2);
    assert_int_equal(ftruncate(fd, 6), 0);
    assert_int_equal(lethe_edges_read(ctx, path, LETHE_NAMES_RAW, &e), LETHE_OK);
    assert_string_equal(shown(e), "a-b:1000000 ");
    lethe_edges_free(e);
    close(fd);
    unlink(path);
    e = NULL;
    assert_int_equal(lethe_edges_read(ctx, path, LETHE_NAMES_RAW, &e), LETHE_EIO);
    assert_null(e);
    lethe_edges_free(NULL);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    lethe_str bytes = LETHE_LIT("New York\tPAris\t1\nb\tc d\t2\n");
    for (uint64_t n = 1;; n++) {
        lethe_edges *e = NULL;
        said[0] = '\0';
        lethe_alloc_fail_at(n);
        lethe_err err = lethe_edges_memory(ctx, bytes, LETHE_NAMES_TERMS, &e);
        lethe_alloc_fail_at(0);
        if (err == LETHE_OK) {
            assert_true(n > 5);
            lethe_edges_free(e);
            return;
        }
        assert_int_equal(err, LETHE_ENOMEM);
        assert_null(e);
        assert_true(said[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_become_edges),     cmocka_unit_test(names_are_taken_as_told),
        cmocka_unit_test(weights_are_decimals),   cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(a_huge_line_is_refused), cmocka_unit_test(many_signs_are_no_number),
        cmocka_unit_test(files_are_read),         cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
