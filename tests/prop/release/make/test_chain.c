/* SPDX-License-Identifier: Apache-2.0 */
/* A chain from rows to records publishes what its steps publish one by one, with a release of exact
 * times, whole URLs and the users' own names between them: on random logs, for several methods.
 * What it is compared with knows nothing of chains.  Lines are in the order of their bytes, in
 * which a release writes them too: so records stand in the same order both ways. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "model/tables.h"
#include "records_release_harness.h"
#include "small_wordnet.h"
#include "seeds.h"

enum { ROWS = 120, LINE = 96 };

static uint64_t next(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static size_t below(uint64_t *seed, size_t n) { return (size_t)(next(seed) % n); }

static const char taxonomy[] = "living\tall\nplant\tliving\nanimal\tliving\nthing\tall\n"
                               "rose\tplant\ntulip\tplant\ndog\tanimal\ncat\tanimal\n"
                               "car\tthing\nbox\tthing\nphone\tthing\n";

static int by_bytes(const void *a, const void *b) { return strcmp(a, b); }

/* Sorted lines: the number, which scrub masks, sorts before all words as its mask does. */
static void log_write(const ground *g, uint64_t *seed)
{
    static const char *const words[] = {"rose", "tulip", "dog", "cat",
                                        "car",  "box",   "the", "5551234567"};
    static const unsigned pauses[] = {0, 40, 900, 3500, 3601, 9000, 90000};
    static char line[ROWS][LINE];
    size_t n = 0, users = 4 + below(seed, 8);
    for (size_t u = 0; u < users; u++) {
        unsigned t = (unsigned)below(seed, 20000);
        for (size_t q = 1 + below(seed, 8); q > 0 && n < ROWS; q--) {
            bool two = below(seed, 3) == 0, click = below(seed, 3) == 0;
            t += pauses[below(seed, LETHE_COUNT(pauses))];
            const char *one = words[below(seed, LETHE_COUNT(words))],
                       *other = words[below(seed, LETHE_COUNT(words))];
            snprintf(line[n++], LINE, "u%02zu\t%s%s%s\t2006-03-%02u %02u:%02u:%02u\t%s\t%s", u, one,
                     two ? " " : "", two ? other : "", 1 + t / 86400, t / 3600 % 24, t / 60 % 60,
                     t % 60, click ? "1" : "", click ? "http://example.org/a?b" : "");
        }
    }
    qsort(line, n, sizeof *line, by_bytes);
    FILE *f = fopen(g->log, "w");
    assert_non_null(f);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s\n", line[i]);
    fclose(f);
}

/* A chain of methods, by name; the last makes records. */
typedef struct chain {
    const char *step[3], *options[3];
    bool truthful; /* what is published is true of the records it was made of */
} chain;

static const lethe_method *method_of(const char *name)
{
    for (const lethe_method *const *m = lethe_methods(); *m; m++)
        if (strcmp((*m)->name, name) == 0) return *m;
    fail_msg("no method %s", name);
    return NULL;
}

/* The steps from `from` to `to`, over `input`, into the folder `out`. */
static made steps_run(ground *g, const chain *c, size_t from, size_t to, const char *input,
                      const char *out, unsigned n_threads)
{
    recipe recipes[3];
    lethe_step chained[3];
    char with[300];
    for (size_t i = from; i < to; i++) {
        const lethe_method *m = method_of(c->step[i]);
        snprintf(with, sizeof with, "%s%s%s", c->options[i],
                 m->out & LETHE_SHAPE_RECORDS ? " terms=words taxonomy=" : "",
                 m->out & LETHE_SHAPE_RECORDS ? rr_path(g, "taxonomy.tsv") : "");
        if (strcmp(m->name, "mm") == 0) *strstr(with, " taxonomy") = '\0';
        rr_recipe(&recipes[i], m, with);
        chained[i - from] = recipes[i].step;
    }
    made m = {.doc = lethe_json_doc_new()};
    bool whole = from == 0 && out == g->out;
    lethe_ctx *ctx = g_ctx(g, n_threads);
    lethe_release_job job = {.inputs = &input,
                             .n_inputs = 1,
                             .steps = chained,
                             .n_steps = to - from,
                             .out = out,
                             .publishing = {.keep_users = !whole,
                                            .times = whole ? LETHE_TIMES_DAY : LETHE_TIMES_EXACT,
                                            .urls = whole ? LETHE_URLS_HOST : LETHE_URLS_KEEP,
                                            .map = whole ? g->map : NULL,
                                            .has_seed = true,
                                            .seed = 7}};
    m.e = lethe_release_make(ctx, &job, m.doc, &m.report);
    lethe_ctx_free(ctx);
    return m;
}

static void same_file(const ground *g, const char *name, bool wanted)
{
    char one[700], two[700];
    snprintf(one, sizeof one, "%s/release/%s", g->dir, name);
    snprintf(two, sizeof two, "%s/piped/%s", g->dir, name);
    char *x = g_read(one), *y = g_read(two);
    assert_int_equal(x != NULL, wanted);
    assert_int_equal(y != NULL, wanted);
    if (wanted) assert_string_equal(x, y);
    free(x);
    free(y);
}

/* Step by step: *suppressed by all of them, and how the last one ended. */
static made piped_run(ground *g, const chain *c, size_t n, int64_t *suppressed)
{
    char input[700], out[700];
    made m = {.e = LETHE_OK};
    snprintf(input, sizeof input, "%s", g->log);
    *suppressed = 0;
    for (size_t i = 0; i < n; i++) {
        snprintf(out, sizeof out, "%s/%s%zu", g->dir, i + 1 < n ? "step" : "piped", i);
        if (i + 1 == n) snprintf(out, sizeof out, "%s/piped", g->dir);
        if (i > 0) rr_free(&m);
        m = steps_run(g, c, i, i + 1, input, out, 1);
        if (m.e != LETHE_OK) return m;
        *suppressed += rr_count(&m, "suppressed");
        snprintf(input, sizeof input, "%s/data.tsv", out);
    }
    return m;
}

/* What a receiver and the owner do with the release: it holds, says which steps claim nothing, and
 * can be compared with the original. */
static void release_is_used(ground *g, const chain *c, const made *m, size_t n)
{
    const lethe_json *unclaimed = lethe_json_get(m->report, "unclaimed");
    const char *input = g->log;
    assert_int_equal(lethe_json_count(unclaimed), n - 1);
    assert_int_equal(rr_verify(g), LETHE_OK);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report;
    lethe_ctx *ctx = g_ctx(g, 2);
    recipe own;
    char with[300];
    static const lethe_option table[] = {{.name = "taxonomy", .type = LETHE_OPT_PATH}, {0}};
    const lethe_method options = {.options = table};
    snprintf(with, sizeof with, "taxonomy=%s", rr_path(g, "taxonomy.tsv"));
    rr_recipe(&own, &options, with);
    lethe_evaluate_options how = {.folder = g->out,
                                  .originals = &input,
                                  .n_originals = 1,
                                  .map = g->map,
                                  .values = &own.step.values};
    if (lethe_release_measure(ctx, &how, doc, &report) != LETHE_OK)
        fail_msg("%s: measure: %s", c->step[n - 1], g->said);
    const lethe_json *truthful =
        lethe_json_get(lethe_json_get(report, "metrics"), "untruthful_records");
    assert_non_null(truthful);
    if (c->truthful) assert_int_equal(lethe_json_int(truthful), 0);
    if (lethe_release_attack(ctx, &how, doc, &report) != LETHE_OK)
        fail_msg("%s: attack: %s", c->step[n - 1], g->said);
    lethe_ctx_free(ctx);
    lethe_json_doc_free(doc);
}

static void clear(const ground *g)
{
    static const char *const folders[] = {"release", "piped", "step0", "step1"};
    for (size_t i = 0; i < LETHE_COUNT(folders); i++)
        g_remove(rr_path(g, folders[i]));
    unlink(g->map);
}

static const chain chains[] = {
    {{"threshold", "og"}, {"t=2 same=exact", "k=2 m=2"}, true},
    {{"threshold", "clump"}, {"t=2 same=exact", "k=2 gap=1h"}, true},
    {{"threshold", "ssg"}, {"t=2 same=exact", "k=2 gap=1h owners=log"}, false},
    {{"threshold", "mm"}, {"t=2 same=exact rare=hash", "k=2 p=2"}, true},
    {{"threshold", "partition"}, {"t=3 same=exact by=queries", "k=2 gap=1h clicked"}, true},
    {{"scrub", "clump"}, {"kinds=phone,number", "k=2 gap=1h"}, true},
    {{"scrub", "aa"}, {"kinds=phone,number", "k=2 m=2"}, true},
    {{"scrub", "threshold", "partition"},
     {"kinds=phone,number action=drop", "t=2 same=exact", "k=2 gap=2h distinct persons=record"},
     true},
    {{"scrub", "threshold", "ssg"}, {"kinds=phone,number", "t=2 same=exact", "k=2 gap=15m"}, false},
};

static void a_chain_publishes_what_its_steps_do(void **state)
{
    ground g;
    uint64_t n_made[LETHE_COUNT(chains)] = {0};
    (void)state;
    g_begin(&g);
    g_write(rr_path(&g, "taxonomy.tsv"), taxonomy);
    for (uint64_t i = 0; i < seeds(120); i++) {
        uint64_t seed = i;
        log_write(&g, &seed);
        for (size_t k = 0; k < LETHE_COUNT(chains); k++) {
            const chain *c = &chains[k];
            size_t n = c->step[2] ? 3 : 2;
            int64_t suppressed;
            g.said[0] = '\0';
            made whole = steps_run(&g, c, 0, n, g.log, g.out, (unsigned)(1 + i % 3)),
                 piped = piped_run(&g, c, n, &suppressed);
            if (whole.e != piped.e) fail_msg("seed %d, chain %zu: %s", (int)i, k, g.said);
            if (whole.e == LETHE_OK) {
                n_made[k]++;
                same_file(&g, "data.txt", true);
                same_file(&g, "taxonomy.tsv", strcmp(c->step[n - 1], "mm") != 0);
                assert_int_equal(rr_count(&whole, "published"), rr_count(&piped, "published"));
                assert_int_equal(rr_count(&whole, "suppressed"), suppressed);
                assert_int_equal(rr_count(&whole, "read"),
                                 rr_count(&whole, "published") + suppressed);
                release_is_used(&g, c, &whole, n);
            }
            rr_free(&whole);
            rr_free(&piped);
            clear(&g);
        }
    }
    for (size_t k = 0; k < LETHE_COUNT(chains); k++)
        if (n_made[k] * 4 < seeds(120)) fail_msg("chain %zu: %d made", k, (int)n_made[k]);
    g_end(&g);
}

int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_chain_publishes_what_its_steps_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
