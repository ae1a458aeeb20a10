/* SPDX-License-Identifier: Apache-2.0 */
/* The measure of counts, on random counts of random logs: every pair of rows is looked at. */
/* suite: threads */
#include "threshold_harness.h"
#include "core/ctx.h"
#include "io/json/json.h"
#include "measure/measure.h"
#include "model/published/published_counts.h"
#include "seeds.h"
#include <math.h>

typedef struct item {
    char text[64];
    size_t count;
} item;

static int by_count(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return strcmp(x->text, y->text);
}

/* Some texts of the log, and one that it does not have, with counts that need not be true. */
static size_t draw_items(const olog *log, uint64_t *seed, item *out)
{
    size_t n = 0;
    for (size_t i = 0; i < log->n; i++) {
        if (!o_first_text(log, i) || o_below(seed, 2)) continue;
        strcpy(out[n].text, log->at[i].query);
        out[n++].count = 1 + o_below(seed, 9);
    }
    if (n == 0 || o_below(seed, 2)) {
        strcpy(out[n].text, "nobody asked this");
        out[n++].count = 1 + o_below(seed, 9);
    }
    qsort(out, n, sizeof *out, by_count);
    return n;
}

static size_t place(const item *items, size_t n, const char *text)
{
    size_t i = 0;
    while (i < n && strcmp(items[i].text, text) != 0)
        i++;
    return i;
}

static double real(const lethe_json *o, const char *name)
{
    return lethe_json_real(lethe_json_get(o, name));
}

static void one_log(lethe_ctx *ctx, uint64_t *seed)
{
    static const char *const units[] = {"users", "queries", "rows"};
    char path[64], text[160];
    item items[64];
    olog log = o_log(seed, o_small_shape(seed));
    size_t n = draw_items(&log, seed, items), unit = o_below(seed, 3);
    int dirfd = o_folder(path), fd = openat(dirfd, LETHE_COUNTS_NAME, O_WRONLY | O_CREAT, 0600);
    FILE *f = fdopen(fd, "w");
    fputs(LETHE_COUNTS_HEADER, f);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s\t%zu\n", items[i].text, items[i].count);
    fclose(f);
    lethe_json_doc *manifest_doc = NULL, *doc = lethe_json_doc_new();
    lethe_json *manifest = NULL, *out = lethe_json_object(doc);
    snprintf(text, sizeof text,
             "{\"steps\":[{\"parameters\":{\"same\":\"exact\"}}],\"claims\":[{\"by\":\"%s\"}]}",
             units[unit]);
    assert_int_equal(lethe_json_parse(NULL, "m", lethe_str_of(text), &manifest_doc, &manifest),
                     LETHE_OK);
    lethe_published p = {
        .ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_COUNTS, .manifest = manifest};
    lethe_comparison c = {.ctx = ctx, .published = &p};
    c.original = (lethe_data){.shape = LETHE_SHAPE_LOG, .log = h_store(ctx, &log)};
    assert_int_equal(lethe_measure_counts.run(&c, doc, out), LETHE_OK);

    size_t texts = 0, texts_covered = 0, queries = 0, queries_covered = 0, unknown = n, sum = 0;
    double error = 0;
    for (size_t i = 0; i < log.n; i++) {
        size_t at = place(items, n, log.at[i].query);
        ocount k = o_count(&log, log.at[i].query, true);
        size_t count = unit == 0 ? k.users : unit == 1 ? k.queries : k.rows;
        if (!o_first_text(&log, i)) continue;
        texts++;
        queries += k.queries;
        queries_covered += at < n ? k.queries : 0;
        if (at == n) continue;
        texts_covered++;
        unknown--;
        sum += count;
        error += fabs((double)items[at].count - (double)count);
    }
    const lethe_json *distinct = lethe_json_get(out, "distinct_queries");
    assert_int_equal(lethe_json_int(lethe_json_get(distinct, "original")), texts);
    assert_int_equal(lethe_json_int(lethe_json_get(distinct, "published")), n);
    assert_int_equal(lethe_json_int(lethe_json_get(out, "items_unknown")), unknown);
    assert_true(fabs(real(out, "texts_covered") - (double)texts_covered / (double)texts) < 1e-12);
    assert_true(fabs(real(out, "volume_covered") - (double)queries_covered / (double)queries) <
                1e-12);
    if (sum > 0)
        assert_true(fabs(real(out, "count_error") - error / (double)sum) < 1e-12);
    else
        assert_int_equal(lethe_json_kind(lethe_json_get(out, "count_error")), LETHE_JSON_NULL);
    lethe_log_free(c.original.log);
    lethe_json_doc_free(manifest_doc);
    lethe_json_doc_free(doc);
    assert_int_equal(unlinkat(dirfd, LETHE_COUNTS_NAME, 0), 0);
    o_folder_gone(dirfd, path);
    o_free(&log);
}

static void figures_agree_with_counting_pairs(void **state)
{
    (void)state;
    lethe_ctx *ctx[3] = {o_ctx(1, 0), o_ctx(2, 0), o_ctx(7, 0)};
    for (uint64_t i = 0; i < seeds(2000); i++) {
        uint64_t seed = i * 29 + 17;
        one_log(ctx[i % 3], &seed);
    }
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_agree_with_counting_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
