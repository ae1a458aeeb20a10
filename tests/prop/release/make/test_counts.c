/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of counts from small random logs: counts.tsv is, byte for byte, what counting every pair
 * of rows gives, for any number of threads; verify takes it, and nothing that was changed in it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/mem.h"
#include "log_oracle.h"
#include "records_release_harness.h"
#include "seeds.h"

static const char *const by_names[] = {"users", "queries", "rows"};

typedef struct line {
    const char *item;
    size_t count;
} line;

static int by_count(const void *a, const void *b)
{
    const line *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return strcmp(x->item, y->item);
}

/* The file that should be published, malloc'd; NULL: none.  *rows: those that count. */
static char *expected(const olog *log, size_t t, size_t by, size_t *rows)
{
    line *lines = calloc(log->n + 1, sizeof *lines);
    char *text = NULL;
    size_t n = 0, bytes;
    *rows = 0;
    for (size_t i = 0; i < log->n; i++) {
        ocount c = o_count(log, log->at[i].query, true);
        size_t count = by == 0 ? c.users : by == 1 ? c.queries : c.rows;
        if (count < t) continue;
        ++*rows;
        if (o_first_text(log, i)) lines[n++] = (line){log->at[i].query, count};
    }
    qsort(lines, n, sizeof *lines, by_count);
    FILE *f = open_memstream(&text, &bytes);
    fputs("Item\tCount\n", f);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s\t%zu\n", lines[i].item, lines[i].count);
    fclose(f);
    free(lines);
    if (n > 0) return text;
    free(text);
    return NULL;
}

static void log_write(ground *g, const olog *log)
{
    size_t n;
    char *text = o_tsv(log, "%Y-%m-%d %H:%M:%S", &n);
    g_write(g->log, text);
    free(text);
}

/* Replaces the file by one that differs in one byte, or lacks a line: its digest is then wrong. */
static void tampered_is_refused(ground *g, const char *text, uint64_t *seed)
{
    char *copy = strdup(text);
    size_t n = strlen(copy), at = o_below(seed, n);
    if (o_below(seed, 2))
        copy[at] = (char)(copy[at] ^ 1);
    else
        copy[n - 1 - o_below(seed, 3)] = '\0';
    g_write(rr_path(g, "release/counts.tsv"), copy);
    assert_int_equal(rr_verify(g), LETHE_ANSWER_NO);
    free(copy);
}

static void one_log(ground *g, uint64_t *seed, unsigned threads)
{
    char options[64];
    size_t t = 1 + o_below(seed, 4), by = o_below(seed, 3), rows;
    olog log = o_log(seed, o_small_shape(seed));
    char *want = expected(&log, t, by, &rows);
    log_write(g, &log);
    g_remove(g->out);
    g->said[0] = '\0';
    snprintf(options, sizeof options, "t=%zu by=%s same=exact as=counts", t, by_names[by]);
    made m = rr_make(g, lethe_method_find("threshold"), options, g->log, threads, false);
    assert_int_equal(m.e, want ? LETHE_OK : LETHE_ANSWER_NO);
    if (want) {
        char *got = g_read(rr_path(g, "release/counts.tsv"));
        assert_non_null(got);
        assert_string_equal(got, want);
        assert_int_equal(rr_count(&m, "published"), (int64_t)rows);
        assert_int_equal(rr_count(&m, "suppressed"), (int64_t)(log.n - rows));
        assert_int_equal(rr_verify(g), LETHE_OK);
        tampered_is_refused(g, want, seed);
        free(got);
    } else {
        assert_null(g_read(rr_path(g, "release/counts.tsv")));
    }
    rr_free(&m);
    free(want);
    o_free(&log);
}

static void counts_are_those_of_the_definition(void **state)
{
    (void)state;
    ground g;
    static const unsigned threads[] = {1, 2, 7};
    g_begin(&g);
    for (uint64_t i = 0; i < seeds(8000); i++) {
        uint64_t seed = i * 53 + 11;
        one_log(&g, &seed, threads[i % 3]);
    }
    g_end(&g);
}

/* More texts than 1 MiB of sorters holds, and counts of one to four digits. */
static void any_memory_gives_the_same_bytes(void **state)
{
    (void)state;
    ground g;
    char *first = NULL;
    uint64_t seed = 5;
    static const struct {
        unsigned threads;
        uint64_t bytes;
    } how[] = {{1, 64 << 20}, {3, 8 << 20}, {7, 64 << 20}};
    g_begin(&g);
    FILE *f = fopen(g.log, "w");
    assert_non_null(f);
    fputs("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", f);
    for (size_t i = 0; i < 60000; i++) {
        size_t a = o_below(&seed, 20000), b = o_below(&seed, 20000), c = o_below(&seed, 20000);
        size_t text = a * b / 20000 * c / 20000 / 4;
        fprintf(f, "%zu\tsome text that is number %zu\t2006-03-01 00:00:00\t\t\n",
                o_below(&seed, 3000), text);
    }
    fclose(f);
    for (size_t i = 0; i < LETHE_COUNT(how); i++) {
        recipe r;
        lethe_ctx *ctx = NULL;
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report;
        lethe_settings s = {.n_threads = how[i].threads, .memory_bytes = how[i].bytes};
        const char *input = g.log;
        assert_int_equal(lethe_ctx_new(&s, &ctx), LETHE_OK);
        rr_recipe(&r, lethe_method_find("threshold"), "t=2 same=exact as=counts");
        lethe_release_job job = {
            .inputs = &input, .n_inputs = 1, .steps = &r.step, .n_steps = 1, .out = g.out};
        g_remove(g.out);
        assert_int_equal(lethe_release_make(ctx, &job, doc, &report), LETHE_OK);
        char *got = g_read(rr_path(&g, "release/counts.tsv"));
        assert_true(strlen(got) > 50000);
        if (first) {
            assert_string_equal(got, first);
            free(got);
        } else {
            first = got;
        }
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
    free(first);
    g_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_definition),
        cmocka_unit_test(any_memory_gives_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
