/* SPDX-License-Identifier: Apache-2.0 */
/* counts.c - published counts beside the log that they were made from: how much of it they cover,
 * and how far they are from what can be counted in it.
 *
 * A text of the original counts for the item that it is; where the step counted texts with the same
 * words as one, for the item with the same words.  Items are held in memory; the rows that count
 * for them go through the external sort. */
#include "algo/text/same_words.h"
#include "core/dict.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"
#include "measure/measure.h"
#include "model/published/published_counts.h"
#include <math.h>

struct worker {
    lethe_same_words same;
    lethe_buf record;
    uint64_t queries, queries_covered, texts, texts_covered;
    char apart[64]; /* workers do not share a cache line */
};

struct measurement {
    lethe_ctx *ctx;
    lethe_wordnet *wn; /* NULL: texts count by themselves */
    lethe_counted unit;
    lethe_dict *keys;      /* of the items */
    lethe_buf published;   /* uint64_t, by key: its count */
    uint64_t *original;    /* by key: what the original has of it */
    lethe_sorter *texts;   /* text NUL covered(1) owner NUL time(8) */
    lethe_sorter *covered; /* key NUL and what is counted, of rows that count for an item */
    unsigned n_workers;
    struct worker *workers;
};

/* --- the release --- */

/* What texts have in common that count as one; lives until the next call of this worker. */
static lethe_err key_of(const struct measurement *m, struct worker *k, lethe_str text,
                        lethe_str *key)
{
    *key = text;
    return m->wn ? lethe_same_words_key(&k->same, m->wn, text, key) : LETHE_OK;
}

static lethe_err on_item(void *arg, lethe_str item, uint64_t count)
{
    struct measurement *m = arg;
    lethe_str key;
    uint32_t id;
    if (key_of(m, &m->workers[0], item, &key) != LETHE_OK ||
        lethe_dict_add(m->keys, key, &id) != LETHE_OK)
        return lethe_no_memory(m->ctx);
    if (id < m->published.n / sizeof count) return LETHE_OK; // a second item with the same words
    return lethe_buf_put(&m->published, &count, sizeof count) == LETHE_OK ? LETHE_OK
                                                                          : lethe_no_memory(m->ctx);
}

/* By the last step, and the claim that says what is counted. */
static void settle(struct measurement *m, const lethe_json *manifest, bool *words)
{
    static const char *const units[] = {"users", "queries", "rows"};
    const lethe_json *steps = lethe_json_get(manifest, "steps"),
                     *claims = lethe_json_get(manifest, "claims"),
                     *last = lethe_json_at(steps, lethe_json_count(steps) - 1);
    lethe_str same = lethe_json_text(lethe_json_get(lethe_json_get(last, "parameters"), "same"));
    *words = lethe_str_eq(same, LETHE_LIT("words"));
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        lethe_str by = lethe_json_text(lethe_json_get(lethe_json_at(claims, i), "by"));
        for (size_t u = 0; u < LETHE_COUNT(units); u++)
            if (lethe_str_eq(by, lethe_str_of(units[u]))) m->unit = (lethe_counted)u;
    }
}

/* --- the original --- */

/* key NUL and what makes the row one more of what is counted. */
static lethe_err unit_pack(const struct measurement *m, const lethe_row *row, lethe_str key,
                           lethe_buf *b)
{
    uint8_t number[8];
    b->n = 0;
    LETHE_TRY(lethe_buf_str(b, key));
    LETHE_TRY(lethe_buf_put(b, "", 1));
    if (m->unit != LETHE_COUNTED_ROWS) LETHE_TRY(lethe_buf_str(b, row->owner));
    if (m->unit == LETHE_COUNTED_USERS) return LETHE_OK;
    LETHE_TRY(lethe_buf_put(b, "", 1));
    lethe_be64_put(number, m->unit == LETHE_COUNTED_ROWS ? row->origin : (uint64_t)row->time);
    return lethe_buf_put(b, number, sizeof number);
}

/* text NUL covered(1) and what makes the row another query. */
static lethe_err text_pack(const lethe_row *row, bool covered, lethe_buf *b)
{
    uint8_t time[8];
    b->n = 0;
    lethe_be64_put(time, (uint64_t)row->time);
    LETHE_TRY(lethe_buf_str(b, row->query));
    LETHE_TRY(lethe_buf_put(b, covered ? "\0c" : "\0-", 2));
    LETHE_TRY(lethe_buf_str(b, row->owner));
    LETHE_TRY(lethe_buf_put(b, "", 1));
    return lethe_buf_put(b, time, sizeof time);
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct measurement *m = arg;
    struct worker *k = &m->workers[w];
    lethe_str key;
    if (key_of(m, k, row->query, &key) != LETHE_OK) return lethe_no_memory(m->ctx);
    bool covered = lethe_dict_find(m->keys, key) != LETHE_NONE;
    if (covered) {
        if (unit_pack(m, row, key, &k->record) != LETHE_OK) return lethe_no_memory(m->ctx);
        LETHE_TRY(lethe_sorter_put(m->covered, w, k->record.at, k->record.n));
    }
    if (text_pack(row, covered, &k->record) != LETHE_OK) return lethe_no_memory(m->ctx);
    return lethe_sorter_put(m->texts, w, k->record.at, k->record.n);
}

static lethe_err texts_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    struct measurement *m = arg;
    struct worker *k = &m->workers[w];
    lethe_str record, before = {NULL, 0};
    (void)part;
    for (; lethe_sorted_next(it, &record); before = record) {
        if (before.at && lethe_str_eq(before, record)) continue;
        size_t n = strnlen(record.at, record.n) + 1;
        bool covered = record.at[n] == 'c',
             same = before.at && before.n > n && memcmp(before.at, record.at, n) == 0;
        k->queries++;
        k->queries_covered += covered;
        k->texts += !same;
        k->texts_covered += !same && covered;
    }
    return lethe_sorted_err(it);
}

/* A key is in one part alone, so nobody else writes its place. */
static lethe_err covered_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    struct measurement *m = arg;
    lethe_str record, before = {NULL, 0};
    (void)part, (void)w;
    for (; lethe_sorted_next(it, &record); before = record) {
        if (before.at && lethe_str_eq(before, record)) continue;
        const lethe_str key = {record.at, strnlen(record.at, record.n)};
        m->original[lethe_dict_find(m->keys, key)]++;
    }
    return lethe_sorted_err(it);
}

static lethe_err original_count(struct measurement *m, lethe_log *log)
{
    uint64_t bytes = lethe_ctx_memory(m->ctx) / 4;
    m->original = lethe_alloc_zero((size_t)lethe_dict_count(m->keys) + 1, sizeof *m->original);
    if (!m->original) return lethe_no_memory(m->ctx);
    LETHE_TRY(lethe_sorter_new(m->ctx, LETHE_ORDER_GROUP, bytes, &m->texts));
    LETHE_TRY(lethe_sorter_new(m->ctx, LETHE_ORDER_GROUP, bytes, &m->covered));
    lethe_ctx_phase(m->ctx, "the original", 0);
    LETHE_TRY(lethe_log_walk(m->ctx, log, &(lethe_row_visitor){.row = on_row, .arg = m}));
    LETHE_TRY(lethe_sorter_each(m->texts, texts_part, m));
    return lethe_sorter_each(m->covered, covered_part, m);
}

/* --- the figures --- */

static void figures_set(const struct measurement *m, lethe_json_doc *doc, lethe_json *out)
{
    struct worker all = {0};
    uint64_t n = lethe_dict_count(m->keys), unknown = 0, sum = 0;
    double error = 0;
    for (unsigned w = 0; w < m->n_workers; w++) {
        all.queries += m->workers[w].queries;
        all.queries_covered += m->workers[w].queries_covered;
        all.texts += m->workers[w].texts;
        all.texts_covered += m->workers[w].texts_covered;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t published;
        memcpy(&published, m->published.at + i * sizeof published, sizeof published);
        unknown += m->original[i] == 0;
        if (m->original[i] == 0) continue; // as where scrub has masked the text
        sum += m->original[i];
        error += fabs((double)published - (double)m->original[i]);
    }
    lethe_measure_set_size(doc, out, "distinct_queries", all.texts, n);
    lethe_measure_set_ratio(doc, out, "texts_covered", (double)all.texts_covered, all.texts);
    lethe_measure_set_ratio(doc, out, "volume_covered", (double)all.queries_covered, all.queries);
    lethe_measure_set_ratio(doc, out, "count_error", error, sum);
    lethe_set_count(doc, out, "items_unknown", unknown);
}

static lethe_err measure_open(struct measurement *m, bool words)
{
    m->workers = lethe_alloc_zero(m->n_workers, sizeof *m->workers);
    m->keys = lethe_dict_new();
    if (!m->workers || !m->keys) return lethe_no_memory(m->ctx);
    return words ? lethe_wordnet_open_words(m->ctx, NULL, &m->wn) : LETHE_OK;
}

static void measure_close(struct measurement *m)
{
    for (unsigned w = 0; m->workers && w < m->n_workers; w++) {
        lethe_same_words_free(&m->workers[w].same);
        lethe_buf_free(&m->workers[w].record);
    }
    lethe_free(m->workers);
    lethe_wordnet_free(m->wn);
    lethe_dict_free(m->keys);
    lethe_buf_free(&m->published);
    lethe_free(m->original);
    lethe_sorter_free(m->texts);
    lethe_sorter_free(m->covered);
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct measurement m = {.ctx = c->ctx, .n_workers = lethe_ctx_threads(c->ctx)};
    bool words;
    settle(&m, c->published->manifest, &words);
    lethe_err e = measure_open(&m, words);
    if (e == LETHE_OK) e = lethe_counts_published(c->ctx, c->published->dirfd, on_item, &m);
    if (e == LETHE_OK) e = original_count(&m, c->original.log);
    if (e == LETHE_OK) figures_set(&m, doc, out);
    measure_close(&m);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(c->ctx);
    return e;
}

static const lethe_option no_options[] = {{.name = NULL}};

static const lethe_figure figures[] = {
    {"distinct_queries", "distinct texts: original, published, and the share of the two",
     .better = 1, .label = "distinct texts"},
    {"texts_covered", "share of the original's distinct texts that count for a published item",
     .better = 1, .label = "texts that are counted", .kind = LETHE_FIGURE_SHARE},
    {"volume_covered", "share of the original's queries whose text counts for a published item",
     .better = 1, .label = "queries whose text is counted", .kind = LETHE_FIGURE_SHARE},
    {"count_error",
     "sum of the differences between published counts and those of the original, as a share of "
     "the latter",
     .better = -1, .label = "error of the counts", .kind = LETHE_FIGURE_SHARE},
    {"items_unknown",
     "published items that no text of the original is, as where texts were masked before they were "
     "counted",
     .better = 0, .label = "items not in the original"},
    {.name = NULL},
};

const lethe_measure lethe_measure_counts = {
    .name = "counts",
    .summary = "texts and volume that published counts cover, and their error",
    .shapes = LETHE_SHAPE_COUNTS,
    .options = no_options,
    .figures = figures,
    .run = run,
};
