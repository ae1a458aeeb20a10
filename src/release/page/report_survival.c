/* SPDX-License-Identifier: Apache-2.0 */
/* report_survival.c - how many users stand behind the texts of a log, how many records are equal. A
 * text that one user alone has issued is what a threshold takes out; the curve shows what each
 * threshold would leave. */
#include "io/sort/sorter.h"
#include "model/published/published_counts.h"
#include "model/published/published_records.h"
#include "model/log/sealed.h"
#include "release/page/report.h"
#include "release/page/report_page.h"
#include <math.h>

const uint64_t lethe_levels[LETHE_LEVELS] = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000};

/* --- counting --- */

static void survival_add(lethe_survival *s, uint64_t behind, uint64_t rows)
{
    for (size_t i = 0; i < LETHE_LEVELS && lethe_levels[i] <= behind; i++) {
        s->rows[i] += rows;
        s->texts[i]++;
    }
}

typedef struct worker {
    lethe_survival sum;
    lethe_buf record, user; /* user: of the row before */
    char apart[64];
} worker;

typedef struct survival_counter {
    lethe_sorter *sorter;
    worker *workers;
    unsigned n;
} survival_counter;

/* 'q' text NUL user: the rows of a text together, those of a user together within; and 'u' user
 * NUL, which rows of a user that follow each other share. */
static lethe_err record_put(survival_counter *c, unsigned w, char kind, lethe_str key,
                            lethe_str rest)
{
    lethe_buf *b = &c->workers[w].record;
    b->n = 0;
    LETHE_TRY(lethe_buf_put(b, &kind, 1));
    LETHE_TRY(lethe_buf_str(b, key));
    LETHE_TRY(lethe_buf_put(b, "", 1));
    LETHE_TRY(lethe_buf_str(b, rest));
    return lethe_sorter_put(c->sorter, w, b->at, b->n);
}

static lethe_err pair_put(survival_counter *c, unsigned w, lethe_str text, lethe_str user)
{
    lethe_buf *last = &c->workers[w].user;
    LETHE_TRY(record_put(c, w, 'q', text, user));
    if (last->at && lethe_str_eq(user, (lethe_str){(const char *)last->at, last->n}))
        return LETHE_OK;
    last->n = 0;
    LETHE_TRY(lethe_buf_str(last, user));
    return record_put(c, w, 'u', user, (lethe_str){"", 0});
}

static lethe_err log_row(void *arg, unsigned w, const lethe_row *row)
{
    return pair_put(arg, w, row->query, row->user);
}

static lethe_err sealed_row(void *arg, unsigned w, const lethe_sealed_row *row)
{
    return pair_put(arg, w, row->id, row->user);
}

/* All records with the key of `last`. */
static void key_count(lethe_survival *sum, lethe_str last, uint64_t users, uint64_t rows)
{
    if (rows == 0) return;
    if (last.at[0] == 'u')
        sum->users++;
    else
        survival_add(sum, users, rows);
}

static lethe_err part_count(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    survival_counter *c = arg;
    lethe_str before = {0}, record;
    uint64_t users = 0, rows = 0;
    (void)part;
    while (lethe_sorted_next(it, &record)) {
        size_t key = strnlen(record.at, record.n);
        bool same_text = rows > 0 && before.n > key && before.at[key] == '\0' &&
                         memcmp(before.at, record.at, key) == 0;
        if (!same_text) {
            key_count(&c->workers[w].sum, before, users, rows);
            users = rows = 0;
        }
        users += !same_text || !lethe_str_eq(before, record);
        rows++;
        before = record;
    }
    key_count(&c->workers[w].sum, before, users, rows);
    return lethe_sorted_err(it);
}

static lethe_err counting_begin(lethe_ctx *ctx, survival_counter *c)
{
    *c = (survival_counter){.n = lethe_ctx_threads(ctx)};
    c->workers = lethe_alloc_zero(c->n, sizeof *c->workers);
    if (!c->workers) return lethe_no_memory(ctx);
    return lethe_sorter_new(ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(ctx) / 4, &c->sorter);
}

static lethe_err counting_end(survival_counter *c, lethe_err e, lethe_survival *out)
{
    if (e == LETHE_OK) e = lethe_sorter_each(c->sorter, part_count, c);
    *out = (lethe_survival){0};
    for (unsigned w = 0; c->workers && w < c->n; w++) {
        for (size_t i = 0; i < LETHE_LEVELS; i++) {
            out->rows[i] += c->workers[w].sum.rows[i];
            out->texts[i] += c->workers[w].sum.texts[i];
        }
        out->users += c->workers[w].sum.users;
        lethe_buf_free(&c->workers[w].record);
        lethe_buf_free(&c->workers[w].user);
    }
    lethe_free(c->workers);
    lethe_sorter_free(c->sorter);
    return e;
}

lethe_err lethe_survival_log(lethe_ctx *ctx, lethe_log *log, lethe_survival *out)
{
    survival_counter c;
    lethe_err e = counting_begin(ctx, &c);
    if (e == LETHE_OK)
        e = lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = log_row, .arg = &c});
    return counting_end(&c, e, out);
}

static lethe_err survival_sealed(lethe_ctx *ctx, int dirfd, lethe_survival *out)
{
    survival_counter c;
    lethe_sealed_form form = {0};
    lethe_sealed_counts counts = {0};
    lethe_err e = counting_begin(ctx, &c);
    if (e == LETHE_OK)
        e = lethe_sealed_published(ctx, dirfd, lethe_data_name(LETHE_SHAPE_SEALED),
                                   &(lethe_sealed_walk){.row = sealed_row, .arg = &c}, &form,
                                   &counts);
    return counting_end(&c, e, out);
}

/* Equal records stand together in the file. */
static lethe_err survival_records(lethe_ctx *ctx, int dirfd, lethe_survival *out)
{
    lethe_record_lines lines;
    lethe_str record;
    uint64_t n = 0;
    *out = (lethe_survival){0};
    lethe_err e = lethe_record_lines_open(&lines, ctx, dirfd);
    while (e == LETHE_OK && lethe_record_lines_next(&lines, &record)) {
        if (n > 0 && !lines.same) {
            survival_add(out, n, n);
            n = 0;
        }
        n++;
        out->empty += record.n == 0;
    }
    if (n > 0) survival_add(out, n, n);
    if (e == LETHE_OK) e = lethe_record_lines_err(&lines);
    lethe_record_lines_close(&lines);
    return e;
}

static lethe_err on_count(void *arg, lethe_str item, uint64_t count)
{
    (void)item;
    survival_add(arg, count, count);
    return LETHE_OK;
}

static lethe_err survival_counts(lethe_ctx *ctx, int dirfd, lethe_survival *out)
{
    *out = (lethe_survival){0};
    return lethe_counts_published(ctx, dirfd, on_count, out);
}

static lethe_err survival_open_log(lethe_ctx *ctx, int dirfd, lethe_survival *out)
{
    lethe_log *log;
    LETHE_TRY(lethe_log_published(ctx, dirfd, lethe_data_name(LETHE_SHAPE_LOG), &log));
    lethe_err e = lethe_survival_log(ctx, log, out);
    lethe_log_free(log);
    return e;
}

/* --- the plot --- */

static double share(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

/* Levels up to the first that nothing reaches. */
static size_t levels_of(const lethe_survival *s)
{
    size_t n = 0;
    while (n < LETHE_LEVELS && s->rows[n] > 0)
        n++;
    return n < LETHE_LEVELS ? n + 1 : n;
}

/* What is counted for a shape, and its words. */
typedef struct wording {
    lethe_shape shape;
    lethe_err (*count)(lethe_ctx *ctx, int dirfd, lethe_survival *out);
    const char *heading, *intro, *title, *x, *y, *table, *behind, *rows, *texts;
} wording;

static const wording wordings[] = {
    {.shape = LETHE_SHAPE_LOG,
     .count = survival_open_log,
     .heading = "Users per text",
     .intro = "A text that only one user issued points to that user. The curve shows the share of "
              "published rows whose text has at least this many published users, which is what a "
              "threshold of this size would leave.",
     .title = "Rows whose text has at least this many users",
     .x = "users of a text, at least",
     .y = "share of rows",
     .table = "Rows and texts by number of users",
     .behind = "#Users, at least",
     .rows = "#Rows",
     .texts = "#Distinct texts"},
    {.shape = LETHE_SHAPE_SEALED,
     .count = survival_sealed,
     .heading = "Users per hidden query",
     .intro =
         "A hidden query opens once enough users with different shares have issued it. The curve "
         "shows the share of published rows whose identifier has at least this many users.",
     .title = "Rows whose identifier has at least this many users",
     .x = "users of an identifier, at least",
     .y = "share of rows",
     .table = "Rows and identifiers by number of users",
     .behind = "#Users, at least",
     .rows = "#Rows",
     .texts = "#Distinct identifiers"},
    {.shape = LETHE_SHAPE_RECORDS,
     .count = survival_records,
     .heading = "Equal records",
     .intro = "A record that equals no other may be recognized as somebody's. The curve shows "
              "the share of published records that are one of at least this many equal ones.",
     .title = "Records that are one of at least this many equal ones",
     .x = "equal records, at least",
     .y = "share of records",
     .table = "Records by number of equal ones",
     .behind = "#Equal, at least",
     .rows = "#Records",
     .texts = "#Distinct records"},
    {.shape = LETHE_SHAPE_COUNTS,
     .count = survival_counts,
     .heading = "Counts",
     .intro =
         "An item that was counted once or twice points to one or two persons. The curve shows "
         "the share of all that was counted that belongs to items with at least this count.",
     .title = "What was counted of items with at least this count",
     .x = "count of an item, at least",
     .y = "share of all counts",
     .table = "Items by their counts",
     .behind = "#Count, at least",
     .rows = "#Sum of counts",
     .texts = "#Items"}};

static const wording *wording_of(lethe_shape shape)
{
    for (size_t i = 0; i < LETHE_COUNT(wordings); i++)
        if (wordings[i].shape == shape) return &wordings[i];
    return NULL;
}

lethe_err lethe_survival_published(lethe_ctx *ctx, int dirfd, lethe_shape shape,
                                   lethe_survival *out)
{
    const wording *w = wording_of(shape);
    *out = (lethe_survival){0};
    return w ? w->count(ctx, dirfd, out) : LETHE_OK;
}

static void curve(lethe_page *p, const wording *w, const lethe_survival *s,
                  const lethe_survival *original)
{
    double x[LETHE_LEVELS], y[2][LETHE_LEVELS];
    size_t n = LETHE_MAX(levels_of(s), original ? levels_of(original) : 0), least = 0;
    char next[40];
    n = LETHE_MAX(n, 4);
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)lethe_levels[i];
        y[0][i] = share(s->rows[i], s->rows[0]);
        y[1][i] = original ? share(original->rows[i], original->rows[0]) : 0;
        if (s->rows[i] == s->rows[0]) least = i;
    }
    const char *desc =
        lethe_page_format(p, "All have at least %llu", (unsigned long long)lethe_levels[least]);
    if (least + 1 < n)
        desc = lethe_page_format(p, "%s; %s have at least %llu", desc,
                                 lethe_number_show(next, y[0][least + 1], LETHE_UNIT_SHARE),
                                 (unsigned long long)lethe_levels[least + 1]);
    desc = lethe_page_format(p, "%s.", desc);
    lethe_axis across = {.label = w->x, .min = 1, .max = x[n - 1], .log = true},
               up = {.label = w->y, .min = 0, .max = 1, .unit = LETHE_UNIT_SHARE};
    lethe_series series[] = {{"this release", x, y[0], n}, {"the original", x, y[1], n}};
    lethe_plot plot = lethe_page_figure(p, w->title, desc);
    lethe_svg_lines(&p->h, &plot, &across, &up, series, original ? 2 : 1);
    lethe_page_caption(p, lethe_page_format(p, "%s. %s", w->title, desc));
    const char *const columns[] = {
        w->behind, w->rows, "#Share", w->texts, original ? "#Share in the original" : NULL, NULL};
    lethe_page_table(p, w->table, columns);
    for (size_t i = 0; i < n; i++) {
        lethe_page_row(p, NULL);
        lethe_page_number(p, (double)lethe_levels[i], LETHE_UNIT_COUNT);
        lethe_page_number(p, (double)s->rows[i], LETHE_UNIT_COUNT);
        lethe_page_number(p, share(s->rows[i], s->rows[0]), LETHE_UNIT_SHARE);
        lethe_page_number(p, (double)s->texts[i], LETHE_UNIT_COUNT);
        if (original)
            lethe_page_number(p, share(original->rows[i], original->rows[0]), LETHE_UNIT_SHARE);
        lethe_page_row_end(p);
    }
    lethe_page_table_end(p);
    lethe_page_figure_end(p);
}

void lethe_page_survival(lethe_page *p)
{
    const lethe_report_input *in = p->in;
    const wording *w = wording_of(in->shape);
    if (in->dirfd < 0 || !w) return;
    lethe_page_section(p, "survival", w->heading);
    lethe_page_paragraph(p, w->intro);
    if (p->survival.rows[0] > 0)
        curve(p, w, &p->survival, in->shape == LETHE_SHAPE_LOG ? in->original : NULL);
    else
        lethe_page_paragraph(p, "There is nothing to count.");
    lethe_html_end(&p->h);
}
