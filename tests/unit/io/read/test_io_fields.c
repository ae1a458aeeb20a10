/* SPDX-License-Identifier: Apache-2.0 */
/* Fields: TSV, CSV, the guess of a delimiter, the count of lines. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "io/read/fields.h"
#include <stdio.h>
#include <stdlib.h>

static const lethe_simd levels[] = {LETHE_SIMD_NONE, LETHE_SIMD_SSE2, LETHE_SIMD_AVX2};

/* Lines as "[a|b]" with their fields, in one text, so that a table can say what is wanted. */
enum { SHOWN = 4096, MAX_FIELDS = 8 };

static void show(char *out, const char *open, const lethe_str *f, uint32_t n, const char *close)
{
    size_t at = strlen(out);
    at += (size_t)snprintf(out + at, SHOWN - at, "%s", open);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) out[at++] = '|';
        for (size_t j = 0; j < f[i].n && at < SHOWN - 16; j++) {
            char c = f[i].at[j];
            if (c == '\r' || c == '\n' || c == 0) {
                out[at++] = '\\';
                c = c == '\r' ? 'r' : c == '\n' ? 'n' : '0';
            }
            out[at++] = c;
        }
    }
    out[at] = 0;
    snprintf(out + at, SHOWN - at, "%s", close);
}

/* --- TSV --- */

typedef struct tsv_case {
    const char *in;
    size_t n;
    const char *want;
} tsv_case;
#define TSV(in, want)                                                                              \
    {                                                                                              \
        in, sizeof(in) - 1, want                                                                   \
    }

static const tsv_case tsv_cases[] = {
    TSV("", ""),
    TSV("\n", "[]"),
    TSV("\n\n", "[][]"),
    TSV("\r\n", "[]"),
    TSV("\r\n\r\n", "[][]"),
    TSV("\r", "[\\r]"),
    TSV("\r\r\n", "[\\r]"),
    TSV("a", "[a]"),
    TSV("a\n", "[a]"),
    TSV("a\tb", "[a|b]"),
    TSV("a\tb\n", "[a|b]"),
    TSV("a\tb\r\n", "[a|b]"),
    TSV("a\tb\r", "[a|b\\r]"),
    TSV("a\t\r\n", "[a|]"),
    TSV("a\r\tb\n", "[a\\r|b]"),
    TSV("\t", "[|]"),
    TSV("\t\t\n\t\n", "[||][|]"),
    TSV("a\0b\t\0\n\0", "[a\\0b|\\0][\\0]"),
    TSV("\"a\tb\"\n", "[\"a|b\"]"),
    TSV("x\ny", "[x][y]"),
    TSV("\xff\t\x80\n", "[\xff|\x80]"),
};

static void tsv_lines_and_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(tsv_cases); i++)
        for (size_t l = 0; l < LETHE_COUNT(levels); l++) {
            // A copy of its exact size, so that a sanitizer sees a byte read too many.
            char *copy = malloc(tsv_cases[i].n + 1), got[SHOWN] = "";
            memcpy(copy + 1, tsv_cases[i].in, tsv_cases[i].n);
            lethe_tsv t =
                lethe_tsv_begin_with((lethe_str){copy + 1, tsv_cases[i].n}, '\t', levels[l]);
            lethe_str f[MAX_FIELDS], line;
            uint32_t n;
            while (lethe_tsv_next(&t, f, MAX_FIELDS, &n, &line)) {
                show(got, "[", f, n, "]");
                assert_ptr_equal(line.at, f[0].at);
                assert_ptr_equal(line.at + line.n, f[n - 1].at + f[n - 1].n);
            }
            assert_string_equal(got, tsv_cases[i].want);
            assert_false(lethe_tsv_next(&t, f, MAX_FIELDS, &n, &line)); // and so it stays
            free(copy);
        }
}

static void an_empty_text_may_be_no_text(void **state)
{
    (void)state;
    lethe_str f[1], line;
    uint32_t n;
    lethe_tsv t = lethe_tsv_begin((lethe_str){NULL, 0}, '\t');
    assert_false(lethe_tsv_next(&t, f, 1, &n, &line));
    assert_int_equal(lethe_count_lines((lethe_str){NULL, 0}), 0);
    assert_int_equal(lethe_guess_delimiter((lethe_str){NULL, 0}), 0);
}

static void fields_past_the_room_are_counted(void **state)
{
    (void)state;
    for (size_t l = 0; l < LETHE_COUNT(levels); l++) {
        lethe_tsv t = lethe_tsv_begin_with(LETHE_LIT("a,b,c,d\r\ne,f\n,,,"), ',', levels[l]);
        lethe_str f[3] = {{0}}, line = {0};
        uint32_t n;
        assert_true(lethe_tsv_next(&t, f, 2, &n, &line));
        assert_int_equal(n, 4);
        assert_true(lethe_str_eq(f[1], LETHE_LIT("b")));
        assert_null(f[2].at);
        assert_true(lethe_str_eq(line, LETHE_LIT("a,b,c,d")));
        assert_true(lethe_tsv_next(&t, NULL, 0, &n, &line));
        assert_int_equal(n, 2);
        assert_true(lethe_str_eq(line, LETHE_LIT("e,f")));
        assert_true(lethe_tsv_next(&t, f, 1, &n, &line));
        assert_int_equal(n, 4);
        assert_false(lethe_tsv_next(&t, f, 1, &n, &line));
    }
}

/* A walker may be copied midway: it holds no pointer to itself. */
static void a_walker_can_be_copied(void **state)
{
    (void)state;
    lethe_tsv t = lethe_tsv_begin(LETHE_LIT("a\tb\nc\td\ne\tf\n"), '\t'), u;
    lethe_str f[2] = {{0}}, line = {0};
    uint32_t n;
    assert_true(lethe_tsv_next(&t, f, 2, &n, &line));
    u = t;
    memset(&t, 0, sizeof t);
    assert_true(lethe_tsv_next(&u, f, 2, &n, &line));
    assert_true(lethe_str_eq(line, LETHE_LIT("c\td")));
    assert_true(lethe_str_eq(f[1], LETHE_LIT("d")));
}

/* A line longer than many stretches, with one field and with nothing but delimiters. */
static void long_lines_are_split(void **state)
{
    (void)state;
    size_t n_text = 10 * LETHE_TSV_STRETCH + 7;
    char *text = malloc(n_text);
    for (size_t l = 0; l < LETHE_COUNT(levels); l++)
        for (int c = 0; c < 2; c++) {
            memset(text, c ? '\t' : 'x', n_text);
            text[n_text - 2] = '\n';
            lethe_tsv t = lethe_tsv_begin_with((lethe_str){text, n_text}, '\t', levels[l]);
            lethe_str f[200], line;
            uint32_t n;
            assert_true(lethe_tsv_next(&t, f, 200, &n, &line));
            assert_int_equal(n, c ? n_text - 1 : 1);
            for (size_t i = 0; i < n && i < LETHE_COUNT(f); i++)
                assert_ptr_equal(f[i].at, text + i);
            assert_int_equal(line.n, n_text - 2);
            assert_int_equal(f[0].n, c ? 0 : n_text - 2);
            assert_true(lethe_tsv_next(&t, f, 200, &n, &line));
            assert_int_equal(n, 1 + c);
            assert_false(lethe_tsv_next(&t, f, 200, &n, &line));
        }
    free(text);
}

static void lines_are_counted(void **state)
{
    (void)state;
    // Enough for a lane of eight bits to overflow, were it let.
    size_t cap = 70000;
    char *text = malloc(cap);
    for (size_t l = 0; l < LETHE_COUNT(levels); l++)
        for (size_t n = 0; n <= cap; n = n < 300 ? n + 1 : n * 2 - 13) {
            memset(text, '\n', n);
            assert_int_equal(lethe_count_lines_with((lethe_str){text, n}, levels[l]), n);
            memset(text, '\n' + 1, n);
            assert_int_equal(lethe_count_lines_with((lethe_str){text, n}, levels[l]), 0);
            if (n > 0) text[n - 1] = '\n';
            assert_int_equal(lethe_count_lines_with((lethe_str){text, n}, levels[l]), n > 0);
        }
    free(text);
}

/* --- CSV --- */

/* A record as [a|b], with its lines after it where they are not one; a fault as <a|b open> or
 * <a|b after> with the fields before it. */
static void show_csv(lethe_str text, char delimiter, uint32_t max, char got[SHOWN])
{
    lethe_csv c = lethe_csv_begin(text, delimiter);
    lethe_buf scratch = {0};
    lethe_str f[MAX_FIELDS], record;
    uint32_t n, used;
    lethe_csv_fault fault;
    bool more;
    const char *at = text.at;
    got[0] = 0;
    for (;;) {
        assert_int_equal(lethe_csv_next(&c, &scratch, f, max, &n, &record, &used, &fault, &more),
                         LETHE_OK);
        if (!more) break;
        assert_ptr_equal(record.at, at);
        at = c.p;
        char end[32] = "]";
        if (used != 1) snprintf(end, sizeof end, "]%u", used);
        if (fault != LETHE_CSV_OK)
            snprintf(end, sizeof end, " %s>", fault == LETHE_CSV_OPEN_QUOTE ? "open" : "after");
        show(got, fault == LETHE_CSV_OK ? "[" : "<", f, LETHE_MIN(n, max), end);
    }
    lethe_buf_free(&scratch);
}

static const tsv_case csv_cases[] = {
    TSV("", ""),
    TSV("\n", "[]"),
    TSV("\r\n\n", "[][]"),
    TSV("a", "[a]"),
    TSV("a,b\n", "[a|b]"),
    TSV("a,b\r\nc,d\r\n", "[a|b][c|d]"),
    TSV("a,\n,b\n,\n", "[a|][|b][|]"),
    TSV("a,b\r", "[a|b\\r]"),
    TSV("\"a\",\"b\"\n", "[a|b]"),
    TSV("\"a\",\"b\"\r\n", "[a|b]"),
    TSV("\"a\",\"b\"", "[a|b]"),
    TSV("\"\",\"\"\n", "[|]"),
    TSV("\"a,b\",c\n", "[a,b|c]"),
    TSV("\"a\nb\",c\nd\n", "[a\\nb|c]2[d]"),
    TSV("\"a\r\n\r\nb\"\n", "[a\\r\\n\\r\\nb]3"),
    TSV("\"a\"\"b\"\n", "[a\"b]"),
    TSV("\"\"\"\"\n", "[\"]"),
    TSV("\"\"\"a\"\"\",\"\"\"b\"\"\"\n", "[\"a\"|\"b\"]"),
    TSV("\"x\"\"\"\"y\",\"z\"\n", "[x\"\"y|z]"),
    TSV("a\"b\"c,d\"\n", "[a\"b\"c|d\"]"), // a quote inside a field stands for itself
    TSV(" \"a\nb\n", "[ \"a][b]"),
    TSV("a,\"\"\"\n\"\"\"\n", "[a|\"\\n\"]2"),
    TSV("\0,\"\0\"\n", "[\\0|\\0]"),
    TSV("a,\"b\nc\n", "<a open>"),
    TSV("\"", "< open>"),
    TSV("\"a\"\"", "< open>"),
    TSV("a\n\"\"\"\n", "[a]< open>"),
    TSV("a,\"b\"c,d\ne\n", "<a after>[e]"),
    TSV("\"a\" ,b\nc\n", "< after>[c]"),
    TSV("\"a\"\rb\nc\n", "< after>[c]"),
    TSV("\"a\"\r", "< after>"),
    TSV("\"a\"b,\"c\nd\",e\nf\n", "< after>[f]"), // and the quotes after it still count
};

static void csv_records_and_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(csv_cases); i++) {
        char *copy = malloc(csv_cases[i].n + 1), got[SHOWN];
        memcpy(copy + 1, csv_cases[i].in, csv_cases[i].n);
        show_csv((lethe_str){copy + 1, csv_cases[i].n}, ',', MAX_FIELDS, got);
        if (strcmp(got, csv_cases[i].want) != 0)
            fail_msg("case %zu: got %s, want %s", i, got, csv_cases[i].want);
        free(copy);
    }
}

static void csv_takes_other_delimiters_and_little_room(void **state)
{
    (void)state;
    char got[SHOWN];
    show_csv(LETHE_LIT("\"a;b\";c,d\n"), ';', MAX_FIELDS, got);
    assert_string_equal(got, "[a;b|c,d]");
    show_csv(LETHE_LIT("\"a\"\"\",\"b\"\"\",c\n"), ',', 1, got);
    assert_string_equal(got, "[a\"]");
    show_csv(LETHE_LIT("\"a\"\"\",b\nc\n"), ',', 0, got);
    assert_string_equal(got, "[][]");
}

static void a_fault_still_says_record_and_lines(void **state)
{
    (void)state;
    static const struct {
        const char *in, *record;
        uint32_t n, used;
    } cases[] = {
        {"a,b,\"c\nd\n\ne", "a,b,\"c\nd\n\ne", 2, 4},
        {"a,b,\"c\nd\n", "a,b,\"c\nd\n", 2, 2},
        {"a,\"b\nc\"d,\"e\"\r\nf", "a,\"b\nc\"d,\"e\"", 1, 2},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_csv c = lethe_csv_begin(lethe_str_of(cases[i].in), ',');
        lethe_buf scratch = {0};
        lethe_str f[4], record;
        uint32_t n, used;
        lethe_csv_fault fault;
        bool more;
        assert_int_equal(lethe_csv_next(&c, &scratch, f, 4, &n, &record, &used, &fault, &more),
                         LETHE_OK);
        assert_true(more && fault != LETHE_CSV_OK);
        assert_int_equal(n, cases[i].n);
        assert_int_equal(used, cases[i].used);
        assert_true(lethe_str_eq(record, lethe_str_of(cases[i].record)));
        lethe_buf_free(&scratch);
    }
}

static void a_record_ends_alike_in_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(csv_cases); i++) {
        const char *p = csv_cases[i].in;
        size_t n = csv_cases[i].n;
        lethe_csv_state whole = {0};
        size_t want = lethe_csv_scan(&whole, ',', p, n);
        for (size_t cut = 0; cut <= n; cut++)
            for (size_t again = cut; again <= n; again++) {
                lethe_csv_state st = {0};
                size_t at = lethe_csv_scan(&st, ',', p, cut);
                if (at == cut) at += lethe_csv_scan(&st, ',', p + cut, again - cut);
                if (at == again) at += lethe_csv_scan(&st, ',', p + again, n - again);
                assert_int_equal(at, want);
            }
    }
}

static void fields_are_quoted_where_they_must_be(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"", ""},         {"a", "a"},         {" a ", " a "},         {"a,b", "\"a,b\""},
        {"a;b", "a;b"},   {"\"", "\"\"\"\""}, {"a\"b", "\"a\"\"b\""}, {"a\nb", "\"a\nb\""},
        {"\r", "\"\r\""}, {"a\tb", "a\tb"},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++) {
        lethe_buf b = {0};
        assert_int_equal(lethe_buf_put(&b, ">", 1), LETHE_OK);
        assert_int_equal(lethe_csv_put(&b, lethe_str_of(cases[i].in), ','), LETHE_OK);
        assert_int_equal(b.n, strlen(cases[i].out) + 1);
        assert_memory_equal(b.at + 1, cases[i].out, b.n - 1);
        lethe_buf_free(&b);
    }
    lethe_buf b = {0};
    assert_int_equal(lethe_csv_put(&b, (lethe_str){NULL, 0}, ','), LETHE_OK);
    assert_int_equal(b.n, 0);
    lethe_buf_free(&b);
}

static void no_memory_leaves_things_as_they_were(void **state)
{
    (void)state;
    lethe_csv c = lethe_csv_begin(LETHE_LIT("\"a\"\"b\",c\n"), ',');
    lethe_buf scratch = {0}, out = {0};
    lethe_str f[2], record;
    uint32_t n, used;
    lethe_csv_fault fault;
    bool more = true;
    lethe_alloc_fail_at(1);
    assert_int_equal(lethe_csv_next(&c, &scratch, f, 2, &n, &record, &used, &fault, &more),
                     LETHE_ENOMEM);
    assert_false(more);
    assert_int_equal(lethe_csv_put(&out, LETHE_LIT("a,b"), ','), LETHE_ENOMEM);
    assert_int_equal(out.n, 0);
    lethe_alloc_fail_at(0);
    assert_int_equal(lethe_csv_next(&c, &scratch, f, 2, &n, &record, &used, &fault, &more),
                     LETHE_OK);
    assert_true(more && n == 2 && lethe_str_eq(f[0], LETHE_LIT("a\"b")));
    lethe_buf_free(&scratch);
    lethe_buf_free(&out);
}

/* --- guessing --- */

static void delimiters_are_guessed(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        char want;
    } cases[] = {
        {"", 0},
        {"\n\n", 0},
        {"word\nword\n", 0},
        {"a\tb\tc\n1\t2\t3\n", '\t'},
        {"a,b,c\n1,2,3\n", ','},
        {"a;b;c\n1,5;2;3\n2;3,5;4\n", ';'},
        {"a|b\n1|2\n", '|'},
        {"a,b;c\n", ','}, // of equals, in order
        {"a\tb,c\nd\te,f\n", '\t'},
        {"x,y,z\tq\n\tw, a, b\nr\ts\n", '\t'},      // one tab a line, commas as they come
        {"\"a;b;c\",d\n\"e\",f\n\"g;h\",i\n", ','}, // outside quotes
        {"\"a\n;;\",b\n\"c\",d\n", ','},
        {"a;b\n\n\nc;d\n", ';'},    // empty lines do not count
        {"a,b\nc,d\ne,f,g,h", ','}, // nor does an unfinished last one
        {"a,b", ','},               // unless it is alone
        {"a,b\r\nc,d\r\n", ','},
    };
    for (size_t i = 0; i < LETHE_COUNT(cases); i++)
        if (lethe_guess_delimiter(lethe_str_of(cases[i].in)) != cases[i].want)
            fail_msg("case %zu", i);
}

static void only_the_first_lines_decide(void **state)
{
    (void)state;
    lethe_buf text = {0};
    for (int i = 0; i < 20; i++)
        assert_int_equal(lethe_buf_str(&text, LETHE_LIT("a;b\n")), LETHE_OK);
    for (int i = 0; i < 100; i++)
        assert_int_equal(lethe_buf_str(&text, LETHE_LIT("a,b,c\n")), LETHE_OK);
    assert_int_equal(lethe_guess_delimiter((lethe_str){(char *)text.at, text.n}), ';');
    lethe_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tsv_lines_and_fields),
        cmocka_unit_test(an_empty_text_may_be_no_text),
        cmocka_unit_test(fields_past_the_room_are_counted),
        cmocka_unit_test(a_walker_can_be_copied),
        cmocka_unit_test(long_lines_are_split),
        cmocka_unit_test(lines_are_counted),
        cmocka_unit_test(csv_records_and_fields),
        cmocka_unit_test(csv_takes_other_delimiters_and_little_room),
        cmocka_unit_test(a_fault_still_says_record_and_lines),
        cmocka_unit_test(a_record_ends_alike_in_pieces),
        cmocka_unit_test(fields_are_quoted_where_they_must_be),
        cmocka_unit_test(no_memory_leaves_things_as_they_were),
        cmocka_unit_test(delimiters_are_guessed),
        cmocka_unit_test(only_the_first_lines_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
