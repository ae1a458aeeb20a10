/* SPDX-License-Identifier: Apache-2.0 */
/* Fields against splitters that look at one byte after another, on thousands of small texts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "io/read/fields.h"
#include <stdlib.h>

enum { ROUNDS = 4000, MAX_FIELDS = 64, MAX_TEXT = 5000, MAX_RECORDS = 40 };

static uint64_t next_random(uint64_t *x)
{
    uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t below(uint64_t *x, uint64_t n) { return next_random(x) % n; }

#define REQUIRE(seed, what)                                                                        \
    do {                                                                                           \
        if (!(what)) fail_msg("seed %llu: %s", (unsigned long long)(seed), #what);                 \
    } while (0)

/* Bytes of `alphabet`, the rarer the further back they stand, in a block of their exact size. */
static lethe_str random_text(uint64_t *x, size_t max, const char *alphabet, size_t n_alphabet)
{
    size_t n = below(x, 3) ? below(x, 200) : below(x, max);
    uint64_t plain = below(x, 40); // letters to so many of the others
    char *p = malloc(n ? n : 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t r = below(x, n_alphabet + plain);
        p[i] = r < n_alphabet ? alphabet[r] : (char)('a' + r % 26);
    }
    return (lethe_str){p, n};
}

/* --- TSV --- */

/* The line at *p; its fields; how many. */
static uint32_t naive_line(const char **p, const char *end, char delimiter, lethe_str *f,
                           lethe_str *line)
{
    const char *stop = *p;
    while (stop < end && *stop != '\n')
        stop++;
    const char *next = stop < end ? stop + 1 : end;
    if (stop < end && stop > *p && stop[-1] == '\r') stop--;
    uint32_t n = 0;
    *line = (lethe_str){*p, (size_t)(stop - *p)};
    const char *from = *p;
    for (const char *at = *p; at <= stop; at++)
        if (at == stop || *at == delimiter) {
            if (n < MAX_FIELDS) f[n] = (lethe_str){from, (size_t)(at - from)};
            n++;
            from = at + 1;
        }
    *p = next;
    return n;
}

static bool same(lethe_str a, lethe_str b) { return a.at == b.at && a.n == b.n; }

static void check_tsv(uint64_t seed, lethe_str text, char delimiter, lethe_simd level, uint32_t max)
{
    lethe_tsv t = lethe_tsv_begin_with(text, delimiter, level);
    lethe_str f[MAX_FIELDS], line, want[MAX_FIELDS], want_line;
    const char *p = text.at, *end = text.at + text.n;
    uint32_t n;
    while (lethe_tsv_next(&t, f, max, &n, &line)) {
        REQUIRE(seed, p < end);
        uint32_t want_n = naive_line(&p, end, delimiter, want, &want_line);
        REQUIRE(seed, n == want_n);
        REQUIRE(seed, same(line, want_line));
        for (uint32_t i = 0; i < n && i < max; i++)
            REQUIRE(seed, same(f[i], want[i]));
    }
    REQUIRE(seed, p == end);
}

static void tsv_splits_as_one_byte_after_another(void **state)
{
    (void)state;
    static const char delimiters[] = {'\t', ',', ';', '|', ' ', 0, (char)0x80, (char)0xff, 'a'};
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        uint64_t x = seed;
        char delimiter = delimiters[below(&x, sizeof delimiters)];
        const char alphabet[] = {'\n',     delimiter, '\r', 0, (char)(delimiter ^ (char)0x80),
                                 '\n' + 1, (char)0x8a};
        // One text in four is hardly anything but delimiters and line ends.
        size_t n_alphabet = below(&x, 4) ? sizeof alphabet : 2;
        lethe_str text = random_text(&x, MAX_TEXT, alphabet, n_alphabet);
        uint32_t max = below(&x, 4) ? MAX_FIELDS : (uint32_t)below(&x, MAX_FIELDS);
        for (int level = LETHE_SIMD_NONE; level <= LETHE_SIMD_AVX2; level++)
            check_tsv(seed, text, delimiter, (lethe_simd)level, max);
        free((char *)(uintptr_t)text.at);
    }
}

static void lines_are_counted_as_one_byte_after_another(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        uint64_t x = seed, want = 0;
        lethe_str text = random_text(&x, MAX_TEXT, "\n\x0b\x8a\x09", 4);
        for (size_t i = 0; i < text.n; i++)
            want += text.at[i] == '\n';
        for (int level = LETHE_SIMD_NONE; level <= LETHE_SIMD_AVX2; level++)
            REQUIRE(seed, lethe_count_lines_with(text, (lethe_simd)level) == want);
        REQUIRE(seed, lethe_count_lines(text) == want);
        free((char *)(uintptr_t)text.at);
    }
}

/* --- CSV --- */

/* What is written field by field comes back so, whatever is in the fields. */
static void csv_comes_back_as_it_was_put(void **state)
{
    (void)state;
    static const char delimiters[] = {',', ';', '\t', '|'};
    lethe_buf scratch = {0};
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        uint64_t x = seed;
        char delimiter = delimiters[below(&x, sizeof delimiters)];
        size_t n_records = 1 + below(&x, MAX_RECORDS);
        lethe_str put[MAX_RECORDS][4];
        uint32_t n_put[MAX_RECORDS];
        lethe_buf out = {0};
        for (size_t r = 0; r < n_records; r++) {
            n_put[r] = 1 + (uint32_t)below(&x, 4);
            for (uint32_t i = 0; i < n_put[r]; i++) {
                const char alphabet[] = {'"', delimiter, '\n', '\r', 0};
                put[r][i] = random_text(&x, 30, alphabet, sizeof alphabet);
                if (i > 0) assert_int_equal(lethe_buf_put(&out, &delimiter, 1), LETHE_OK);
                assert_int_equal(lethe_csv_put(&out, put[r][i], delimiter), LETHE_OK);
            }
            assert_int_equal(lethe_buf_put(&out, &"\r\n"[below(&x, 2)], 1), LETHE_OK);
            if (out.at[out.n - 1] == '\r') assert_int_equal(lethe_buf_put(&out, "\n", 1), LETHE_OK);
        }
        lethe_csv c = lethe_csv_begin((lethe_str){(char *)out.at, out.n}, delimiter);
        uint64_t lines = 0;
        for (size_t r = 0; r <= n_records; r++) {
            lethe_str f[4], record;
            uint32_t n, used;
            lethe_csv_fault fault;
            bool more;
            REQUIRE(seed, lethe_csv_next(&c, &scratch, f, 4, &n, &record, &used, &fault, &more) ==
                              LETHE_OK);
            REQUIRE(seed, more == (r < n_records));
            if (!more) break;
            REQUIRE(seed, fault == LETHE_CSV_OK && n == n_put[r]);
            for (uint32_t i = 0; i < n; i++) {
                REQUIRE(seed, lethe_str_eq(f[i], put[r][i]));
                free((char *)(uintptr_t)put[r][i].at);
            }
            lines += used;
        }
        REQUIRE(seed, lines == lethe_count_lines((lethe_str){(char *)out.at, out.n}));
        lethe_buf_free(&out);
    }
    lethe_buf_free(&scratch);
}

typedef struct naive {
    lethe_buf bytes; /* the fields, one after another */
    size_t ends[MAX_TEXT + 1];
    uint32_t n;
    lethe_csv_fault fault;
    size_t taken; /* of the text, line end included */
} naive;

static void naive_byte(naive *r, char c)
{
    assert_int_equal(lethe_buf_put(&r->bytes, &c, 1), LETHE_OK);
}

/* One record by the automaton of RFC 4180's grammar; after a fault only its end is looked for. */
static void naive_record(const char *p, size_t n, char delimiter, naive *r)
{
    enum { START, PLAIN, QUOTED, CLOSED } at = START;
    r->bytes.n = r->n = 0;
    r->fault = LETHE_CSV_OK;
    size_t i = 0;
    for (; i < n; i++) {
        char c = p[i];
        bool lf = c == '\n', crlf = c == '\r' && i + 1 < n && p[i + 1] == '\n';
        if (at == QUOTED) {
            if (c != '"')
                naive_byte(r, c);
            else
                at = CLOSED;
        } else if (at == CLOSED && c == '"') {
            naive_byte(r, c);
            at = QUOTED;
        } else if (lf) {
            break;
        } else if (crlf) {
            continue;
        } else if (c == delimiter) {
            if (r->fault == LETHE_CSV_OK) r->ends[r->n++] = r->bytes.n;
            at = START;
        } else if (at == START && c == '"') {
            at = QUOTED;
        } else {
            if (at == CLOSED && r->fault == LETHE_CSV_OK) r->fault = LETHE_CSV_AFTER_QUOTE;
            naive_byte(r, c);
            at = PLAIN;
        }
    }
    if (at == QUOTED && r->fault == LETHE_CSV_OK) r->fault = LETHE_CSV_OPEN_QUOTE;
    if (r->fault == LETHE_CSV_OK) r->ends[r->n++] = r->bytes.n;
    r->taken = i + (i < n);
}

static void csv_reads_as_the_automaton(void **state)
{
    (void)state;
    static naive want;
    lethe_buf scratch = {0};
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        uint64_t x = seed;
        char delimiter = ",;\t|"[below(&x, 4)];
        const char alphabet[] = {'"', delimiter, '\n', '"', '\r', 0};
        lethe_str text = random_text(&x, MAX_TEXT, alphabet, sizeof alphabet);
        lethe_csv c = lethe_csv_begin(text, delimiter);
        size_t at = 0;
        for (;;) {
            lethe_str f[MAX_FIELDS], record;
            uint32_t n, used;
            lethe_csv_fault fault;
            bool more;
            REQUIRE(seed, lethe_csv_next(&c, &scratch, f, MAX_FIELDS, &n, &record, &used, &fault,
                                         &more) == LETHE_OK);
            REQUIRE(seed, more == (at < text.n));
            if (!more) break;
            naive_record(text.at + at, text.n - at, delimiter, &want);
            REQUIRE(seed, fault == want.fault);
            REQUIRE(seed, n == want.n);
            for (uint32_t i = 0; i < n && i < MAX_FIELDS; i++) {
                size_t from = i ? want.ends[i - 1] : 0;
                REQUIRE(seed, lethe_str_eq(f[i], (lethe_str){(char *)want.bytes.at + from,
                                                             want.ends[i] - from}));
            }
            lethe_str taken = {text.at + at, want.taken};
            REQUIRE(seed, used == lethe_count_lines(taken) + (taken.at[taken.n - 1] != '\n'));
            REQUIRE(seed, record.at == taken.at && record.n <= taken.n && record.n + 2 >= taken.n);
            at += want.taken;
        }
        free((char *)(uintptr_t)text.at);
    }
    lethe_buf_free(&want.bytes);
    lethe_buf_free(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tsv_splits_as_one_byte_after_another),
        cmocka_unit_test(lines_are_counted_as_one_byte_after_another),
        cmocka_unit_test(csv_comes_back_as_it_was_put),
        cmocka_unit_test(csv_reads_as_the_automaton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
