/* SPDX-License-Identifier: Apache-2.0 */
/* Sealed logs as files: walked in parallel, their faults named. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sealed_harness.h"

static const lethe_sealed_form three_of_ten = {.t = 3, .n = 10};

typedef struct heard {
    int n;
    uint64_t line;
    uint32_t column;
    char text[256];
} heard;

static void hear(void *user, const lethe_message *m)
{
    heard *h = user;
    if (h->n++ > 0) return; // the first
    h->line = m->line;
    h->column = m->column;
    snprintf(h->text, sizeof h->text, "%s", m->text);
}

static lethe_ctx *ctx_with(unsigned threads, heard *h)
{
    lethe_ctx *ctx = NULL;
    lethe_settings s = {
        .n_threads = threads, .memory_bytes = 16 << 20, .on_message = hear, .user = h};
    *h = (heard){0};
    assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
    return ctx;
}

#define ID "0123456789abcdef0123456789abcdef"
#define HEX64 ID ID
#define BOX "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" /* 32 bytes */

#define COLS "AnonID\tQueryID\tShare\tBox\tQueryTime"
#define LINE(user, id, share, box, time) user "\t" id "\t" share "\t" box "\t" time
#define GOOD LINE("u", ID, "10:" HEX64, BOX, "2006-03-01")

typedef struct seen {
    uint64_t rows, lines; /* their sum: any order */
    uint64_t fail_at;     /* a line */
} seen;

static lethe_err see(void *arg, unsigned w, const lethe_sealed_row *row)
{
    seen *s = arg;
    (void)w;
    __atomic_fetch_add(&s->rows, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->lines, row->line, __ATOMIC_RELAXED);
    return s->fail_at && row->line >= s->fail_at ? LETHE_ECANCEL : LETHE_OK;
}

static lethe_err walk(lethe_ctx *ctx, lethe_str text, bool strict, bool sorted, seen *s,
                      lethe_sealed_form *form, lethe_rejects *rejects, lethe_sealed_counts *counts)
{
    lethe_source *source = NULL;
    lethe_sealed_walk how = {.strict = strict, .sorted = sorted, .row = see, .arg = s};
    lethe_err e = lethe_source_memory(lethe_ctx_diag(ctx), text, &source);
    *counts = (lethe_sealed_counts){0};
    return e == LETHE_OK ? lethe_sealed_read(ctx, source, &how, form, rejects, counts) : e;
}

static lethe_str of(const lethe_buf *b) { return (lethe_str){(const char *)b->at, b->n}; }

static void many_rows(lethe_buf *b, int n)
{
    lethe_sealer *s = sealed_by(5, three_of_ten, 0);
    sealed_begin(b, three_of_ten);
    for (int i = 0; i < n; i++) {
        char user[16];
        snprintf(user, sizeof user, "u%05d", i);
        sealed_row(b, s, user, i % 3 ? "maps" : "a rather longer query text", i, NULL);
    }
    lethe_sealer_free(s);
}

static void files_are_walked_by_any_number_of_threads(void **state)
{
    (void)state;
    enum { ROWS = 6000 };
    lethe_buf b = {0};
    many_rows(&b, ROWS);
    static const unsigned threads[] = {1, 2, 7};
    for (size_t i = 0; i < 3; i++) {
        heard h;
        lethe_ctx *ctx = ctx_with(threads[i], &h);
        lethe_sealed_form form = {0};
        lethe_rejects rejects = {0};
        lethe_sealed_counts counts;
        seen s = {0};
        assert_int_equal(walk(ctx, of(&b), true, true, &s, &form, &rejects, &counts), LETHE_OK);
        assert_int_equal(s.rows, ROWS);
        assert_int_equal(s.lines, (uint64_t)ROWS * (ROWS + 5) / 2); // 3 .. ROWS + 2
        assert_int_equal(counts.rows, ROWS);
        assert_int_equal(counts.lines, ROWS);
        assert_int_equal(counts.bytes, b.n);
        assert_int_equal(form.n, 10);
        s = (seen){.fail_at = 3000};
        assert_int_equal(walk(ctx, of(&b), true, true, &s, &form, &rejects, &counts),
                         LETHE_ECANCEL);
        form.t = 4;
        assert_int_equal(walk(ctx, of(&b), true, true, &s, &form, &rejects, &counts), LETHE_EINPUT);
        assert_string_equal(
            h.text, "sealed with t=3 n=10 scheme=shamir, not t=4 n=10 scheme=shamir as expected");
        assert_int_equal(h.line, 1);
        lethe_ctx_free(ctx);
    }
    lethe_buf_free(&b);
}

/* Breaks the share of the lines given, by writing a 'x' into it. */
static void break_line(lethe_buf *b, uint64_t line)
{
    char *p = (char *)b->at;
    for (uint64_t i = 1; i < line; i++)
        p = strchr(p, '\n') + 1;
    strchr(p, ':')[5] = 'x';
}

static void broken_lines_are_named_and_the_lowest_ends_a_strict_walk(void **state)
{
    (void)state;
    lethe_buf b = {0};
    many_rows(&b, 6000);
    sealed_put(&b, (lethe_str){"", 1}); // ended, for strchr
    b.n--;
    break_line(&b, 5000);
    break_line(&b, 77);
    break_line(&b, 6002);
    static const unsigned threads[] = {1, 2, 7};
    for (size_t i = 0; i < 3; i++) {
        heard h;
        lethe_ctx *ctx = ctx_with(threads[i], &h);
        lethe_sealed_form form = {0};
        lethe_rejects rejects = {0};
        lethe_sealed_counts counts;
        seen s = {0};
        assert_int_equal(walk(ctx, of(&b), false, false, &s, &form, &rejects, &counts), LETHE_OK);
        assert_int_equal(counts.rejected, 3);
        assert_int_equal(counts.rows, 5997);
        assert_int_equal(h.n, 0); // to be said by the caller
        assert_int_equal(rejects.n, 1);
        assert_int_equal(rejects.causes[0].n, 3);
        assert_int_equal(rejects.causes[0].samples[0].line, 77);
        assert_int_equal(rejects.causes[0].samples[2].line, 6002);
        assert_int_equal(rejects.causes[0].samples[0].column, 3);
        lethe_rejects_free(&rejects);
        assert_int_equal(walk(ctx, of(&b), true, false, &s, &form, &rejects, &counts),
                         LETHE_EINPUT);
        assert_int_equal(h.line, 77);
        assert_int_equal(h.column, 3);
        assert_string_equal(h.text, "share is not 64 hex digits");
        lethe_rejects_free(&rejects);
        lethe_ctx_free(ctx);
    }
    lethe_buf_free(&b);
}

/* What is wrong with a whole text, and where. */
static void faults_of_files(void **state)
{
    (void)state;
#define HEAD "#lethe-sealed 1 t=3 n=10 scheme=shamir\n" COLS "\n"
    static const struct {
        const char *text;
        uint64_t line;
        const char *said;
    } bad[] = {
        {"", 0, "'memory' is empty"},
        {"\n", 1, "not a sealed log: the first line is not its header"},
        {"AnonID\tQuery\tQueryTime\n1\ta\t2\n", 1,
         "not a sealed log: the first line is not its header"},
        {"#lethe-sealed 1 t=3 n=10 scheme=shamir\n", 2,
         "the columns are not those of a sealed log"},
        {"#lethe-sealed 1 t=3 n=10 sch", 1, "the first line does not say t, n and the scheme"},
        {HEAD, 0, "'memory' holds only a header"},
        {HEAD GOOD, 3, "line does not end with LF"},
        {HEAD GOOD "\n" GOOD, 4, "line does not end with LF"},
        {HEAD GOOD "\r\n", 3, "line does not end with LF"},
        {HEAD "\n", 3, "empty line"},
        {HEAD GOOD "\n" LINE("t", ID, "1:" HEX64, BOX, "") "\n", 4,
         "line out of order: it may reveal the order of the input"},
    };
    for (size_t i = 0; i < LETHE_COUNT(bad); i++)
        for (int strict = 0; strict < 2; strict++) {
            heard h;
            lethe_ctx *ctx = ctx_with(2, &h);
            lethe_sealed_form form = {0};
            lethe_rejects rejects = {0};
            lethe_sealed_counts counts;
            seen s = {0};
            lethe_err e =
                walk(ctx, lethe_str_of(bad[i].text), strict, true, &s, &form, &rejects, &counts);
            // one of few lines is more than a tenth of them
            if (e != LETHE_EINPUT || h.line != bad[i].line ||
                !strstr(h.text, bad[i].line ? bad[i].said : strchr(bad[i].said, ' ')))
                fail_msg("%zu: %s, line %d: %s", i, lethe_err_name(e), (int)h.line, h.text);
            lethe_rejects_free(&rejects);
            lethe_ctx_free(ctx);
        }
}

static void a_huge_line_is_rejected(void **state)
{
    (void)state;
    heard h;
    lethe_buf b = {0};
    many_rows(&b, 20);
    assert_int_equal(lethe_buf_reserve(&b, 4u << 20), LETHE_OK);
    memset(b.at + b.n, 'a', 4u << 20);
    b.n += 4u << 20;
    sealed_put(&b, LETHE_LIT("\n"));
    lethe_ctx *ctx = ctx_with(2, &h);
    lethe_sealed_form form = {0};
    lethe_rejects rejects = {0};
    lethe_sealed_counts counts;
    seen s = {0};
    assert_int_equal(walk(ctx, of(&b), false, false, &s, &form, &rejects, &counts), LETHE_OK);
    assert_int_equal(counts.rejected, 1);
    assert_int_equal(rejects.causes[0].samples[0].line, 23);
    assert_string_equal(rejects.causes[0].text, "line over 3 MiB");
    lethe_rejects_free(&rejects);
    lethe_ctx_free(ctx);
    lethe_buf_free(&b);
}

static void every_lack_of_memory_ends_cleanly(void **state)
{
    (void)state;
    lethe_buf b = {0};
    many_rows(&b, 30);
    sealed_put(&b, (lethe_str){"", 1});
    b.n--;
    break_line(&b, 9);
    for (uint64_t n = 1, done = 0; !done; n++) {
        heard h;
        lethe_ctx *ctx = ctx_with(2, &h);
        lethe_sealed_form form = {0};
        lethe_rejects rejects = {0};
        lethe_sealed_counts counts;
        seen s = {0};
        lethe_alloc_fail_at(n);
        lethe_err e = walk(ctx, of(&b), false, true, &s, &form, &rejects, &counts);
        lethe_alloc_fail_at(0);
        if (e != LETHE_OK) assert_int_equal(e, LETHE_ENOMEM);
        done = e == LETHE_OK;
        if (done) assert_true(n > 4);
        lethe_rejects_free(&rejects);
        lethe_ctx_free(ctx);
    }
    lethe_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_walked_by_any_number_of_threads),
        cmocka_unit_test(broken_lines_are_named_and_the_lowest_ends_a_strict_walk),
        cmocka_unit_test(faults_of_files),
        cmocka_unit_test(a_huge_line_is_rejected),
        cmocka_unit_test(every_lack_of_memory_ends_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
