/* SPDX-License-Identifier: Apache-2.0 */
/* TSV and CSV text of any kind.  First byte: the delimiter.  Second: where the edge of a block
 * falls in the text, which is the rest. */
#include "io/read/blocks.h"
#include "io/read/fields.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX_FIELDS = 32, BLOCK = 64 << 10 };

#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what)) abort();                                                                      \
    } while (0)

/* --- TSV --- */

/* The lines follow one another, the fields of each fill it, and every way to look at bytes finds
 * the same. */
static void check_tsv(lethe_str text, char delimiter)
{
    lethe_tsv t[LETHE_SIMD_AVX2 + 1];
    lethe_str f[2][MAX_FIELDS], line[2];
    uint32_t n[2];
    const char *p = text.at;
    for (int level = 0; level <= LETHE_SIMD_AVX2; level++)
        t[level] = lethe_tsv_begin_with(text, delimiter, (lethe_simd)level);
    while (lethe_tsv_next(&t[0], f[0], MAX_FIELDS, &n[0], &line[0])) {
        size_t sum = n[0] - 1;
        REQUIRE(n[0] > 0 && line[0].at == p && !(line[0].n && memchr(p, '\n', line[0].n)));
        for (uint32_t i = 0; i < n[0] && i < MAX_FIELDS; i++) {
            REQUIRE(!(f[0][i].n && memchr(f[0][i].at, delimiter, f[0][i].n)));
            sum += f[0][i].n;
        }
        if (n[0] <= MAX_FIELDS) REQUIRE(sum == line[0].n);
        p += line[0].n;
        p += p < text.at + text.n && *p == '\r' && p + 1 < text.at + text.n && p[1] == '\n';
        if (p < text.at + text.n) REQUIRE(*p++ == '\n');
        for (int level = 1; level <= LETHE_SIMD_AVX2; level++) {
            REQUIRE(lethe_tsv_next(&t[level], f[1], MAX_FIELDS, &n[1], &line[1]));
            REQUIRE(n[0] == n[1] && line[0].at == line[1].at && line[0].n == line[1].n);
            for (uint32_t i = 0; i < n[0] && i < MAX_FIELDS; i++)
                REQUIRE(f[0][i].at == f[1][i].at && f[0][i].n == f[1][i].n);
        }
    }
    REQUIRE(p == text.at + text.n);
    for (int level = 1; level <= LETHE_SIMD_AVX2; level++)
        REQUIRE(!lethe_tsv_next(&t[level], f[1], MAX_FIELDS, &n[1], &line[1]));
}

/* --- CSV --- */

typedef struct record {
    lethe_str f[MAX_FIELDS], text;
    uint32_t n, used;
    lethe_csv_fault fault;
} record;

static bool next_record(lethe_csv *c, lethe_buf *scratch, record *r)
{
    bool more;
    REQUIRE(lethe_csv_next(c, scratch, r->f, MAX_FIELDS, &r->n, &r->text, &r->used, &r->fault,
                           &more) == LETHE_OK);
    return more;
}

static void require_same(const record *a, const record *b)
{
    REQUIRE(a->n == b->n && a->fault == b->fault && a->used == b->used);
    for (uint32_t i = 0; i < a->n && i < MAX_FIELDS; i++)
        REQUIRE(lethe_str_eq(a->f[i], b->f[i]));
}

/* A record that was read, written again and read again is the same. */
static void check_round_trip(const record *r, char delimiter)
{
    lethe_buf out = {0}, scratch = {0};
    for (uint32_t i = 0; i < r->n; i++) {
        if (i > 0) REQUIRE(lethe_buf_put(&out, &delimiter, 1) == LETHE_OK);
        REQUIRE(lethe_csv_put(&out, r->f[i], delimiter) == LETHE_OK);
    }
    REQUIRE(lethe_buf_put(&out, "\n", 1) == LETHE_OK);
    lethe_csv c = lethe_csv_begin((lethe_str){(char *)out.at, out.n}, delimiter);
    record again;
    REQUIRE(next_record(&c, &scratch, &again) && again.fault == LETHE_CSV_OK && again.n == r->n);
    for (uint32_t i = 0; i < r->n; i++)
        REQUIRE(lethe_str_eq(again.f[i], r->f[i]));
    REQUIRE(!next_record(&c, &scratch, &again));
    lethe_buf_free(&out);
    lethe_buf_free(&scratch);
}

static void check_csv(lethe_str text, char delimiter)
{
    lethe_csv c = lethe_csv_begin(text, delimiter);
    lethe_buf scratch = {0};
    record r;
    uint64_t lines = 0;
    while (next_record(&c, &scratch, &r)) {
        if (r.fault == LETHE_CSV_OK && r.n <= MAX_FIELDS) check_round_trip(&r, delimiter);
        if (r.fault == LETHE_CSV_OPEN_QUOTE) REQUIRE(c.p == c.end);
        lines += r.used;
    }
    uint64_t unended = text.n > 0 && text.at[text.n - 1] != '\n';
    REQUIRE(lines == lethe_count_lines(text) + unended);
    lethe_buf_free(&scratch);
}

/* The text behind a filler, so that a block ends amid it: cut into blocks it has the same records.
 */
static void check_blocks(lethe_str text, char delimiter, size_t before_edge)
{
    lethe_buf all = {0}, scratch[2] = {{0}, {0}};
    REQUIRE(lethe_buf_reserve(&all, BLOCK + text.n) == LETHE_OK);
    all.n = BLOCK - 1 - before_edge;
    memset(all.at, delimiter == 'x' ? 'y' : 'x', all.n);
    all.at[all.n++] = '\n';
    REQUIRE(lethe_buf_str(&all, text) == LETHE_OK);
    lethe_str whole = {(char *)all.at, all.n};
    lethe_csv one_pass = lethe_csv_begin(whole, delimiter);
    lethe_source *s;
    lethe_blocks *b;
    REQUIRE(lethe_source_memory(NULL, whole, &s) == LETHE_OK);
    REQUIRE(lethe_blocks_new(NULL, s, LETHE_CUT_CSV, delimiter, BLOCK, &b) == LETHE_OK);
    lethe_block block = {0};
    record x, y;
    uint64_t line = 1;
    bool more;
    while (lethe_blocks_next(b, &block, &more) == LETHE_OK && more) {
        REQUIRE(!block.too_long && block.first_line == line);
        lethe_csv c = lethe_csv_begin(block.text, delimiter);
        while (next_record(&c, &scratch[0], &x)) {
            REQUIRE(next_record(&one_pass, &scratch[1], &y));
            require_same(&x, &y);
            line += x.used;
        }
        REQUIRE(block.first_line + block.n_lines == line);
    }
    REQUIRE(!more && !next_record(&one_pass, &scratch[1], &y));
    lethe_block_free(&block);
    lethe_blocks_free(b);
    lethe_buf_free(&all);
    lethe_buf_free(&scratch[0]);
    lethe_buf_free(&scratch[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 2) return 0;
    char delimiter = (char)data[0];
    if (delimiter == '\n' || delimiter == '\r' || delimiter == '"') return 0;
    lethe_str text = {(const char *)data + 2, n - 2};
    check_tsv(text, delimiter);
    check_csv(text, delimiter);
    check_blocks(text, delimiter, data[1]);
    char guess = lethe_guess_delimiter(text);
    REQUIRE(guess == 0 || (strchr("\t,;|", guess) && memchr(text.at, guess, text.n)));
    return 0;
}
