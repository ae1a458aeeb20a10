/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a log as lines of a sealed one.  What seal makes of a row follows from the key and the
 * row alone, and so does how it is published: both are asked here as the pipeline asks them when
 * rows stream (release/make/stream.c). */
#include "app/batch/batch_internal.h"
#include "model/log/log_cells.h"
#include "release/publish/publish_log.h"

enum { COLUMNS = 7, OPTIONS_MAX = 16, LINES_BYTES = 1 << 20, MEMORY_BYTES = 64 << 20 };

struct lethe_batch_seal {
    lethe_ctx *ctx;
    lethe_arena *arena; /* of the texts of options */
    lethe_value at[OPTIONS_MAX];
    lethe_step step;
    void *state; /* of the method */
    bool begun;
    void *publisher;
    char head[LETHE_HEAD_MAX];
    lethe_str names[COLUMNS]; /* views of it */
    size_t n_columns;
    lethe_log_cells_room room;
    lethe_buf line;
    lethe_built_column columns[COLUMNS];
};

void lethe_batch_seal_free(lethe_batch_seal *s)
{
    if (!s) return;
    if (s->begun) lethe_method_seal.rows->free(s->state);
    lethe_log_publisher_free(s->publisher);
    lethe_log_cells_room_free(&s->room);
    lethe_buf_free(&s->line);
    for (size_t i = 0; i < COLUMNS; i++)
        lethe_built_free(&s->columns[i]);
    lethe_arena_free(s->arena);
    lethe_free(s);
}

/* --- options --- */

/* The options that say how a log is published, by their names on the command line. */
static const lethe_option publishing[] = {
    {.name = "time",
     .type = LETHE_OPT_CHOICE,
     .arg = "exact|hour|day|week|month|drop",
     .fallback = "day"},
    {.name = "urls", .type = LETHE_OPT_CHOICE, .arg = "keep|host|id|drop", .fallback = "host"},
    {0}};

static lethe_err publishing_read(lethe_batch_seal *s, const lethe_json *publish,
                                 lethe_publish_options *out)
{
    static const lethe_times times[] = {LETHE_TIMES_EXACT, LETHE_TIMES_HOUR,  LETHE_TIMES_DAY,
                                        LETHE_TIMES_WEEK,  LETHE_TIMES_MONTH, LETHE_TIMES_DROP};
    static const lethe_urls urls[] = {LETHE_URLS_KEEP, LETHE_URLS_HOST, LETHE_URLS_ID,
                                      LETHE_URLS_DROP};
    lethe_value at[LETHE_COUNT(publishing)];
    lethe_values v;
    lethe_values_init(&v, publishing, at);
    LETHE_TRY(lethe_batch_options(s->ctx, s->arena, publish, &v));
    *out = (lethe_publish_options){.times = times[lethe_count_of(&v, "time")],
                                   .urls = urls[lethe_count_of(&v, "urls")]};
    lethe_publishing_settle(&s->step, out);
    return LETHE_OK;
}

/* The names in the second line of the head, and how many. */
static void names_find(lethe_batch_seal *s)
{
    char *line = strchr(s->head, '\n');
    assert(line);
    lethe_str rest = lethe_str_of(line + 1);
    rest.n -= rest.n > 0; // its LF
    for (bool more = true; more; s->n_columns++) {
        const char *tab = memchr(rest.at, '\t', rest.n);
        size_t n = tab ? (size_t)(tab - rest.at) : rest.n;
        assert(s->n_columns < COLUMNS);
        s->names[s->n_columns] = (lethe_str){rest.at, n};
        more = tab != NULL;
        if (more) rest = (lethe_str){rest.at + n + 1, rest.n - n - 1};
    }
}

static lethe_err begin(lethe_batch_seal *s, const lethe_json *options, const lethe_json *publish,
                       const lethe_secret *key)
{
    const lethe_method *m = &lethe_method_seal;
    lethe_publish_options how;
    assert(lethe_option_count(m->options) <= OPTIONS_MAX);
    s->step.method = m;
    lethe_values_init(&s->step.values, m->options, s->at);
    LETHE_TRY(lethe_batch_options(s->ctx, s->arena, options, &s->step.values));
    LETHE_TRY(lethe_step_check(lethe_ctx_diag(s->ctx), &s->step));
    LETHE_TRY(publishing_read(s, publish, &how));
    const lethe_line_layout layout = lethe_line_layout_of(&s->step);
    memcpy(s->head, layout.head, sizeof s->head);
    names_find(s);
    lethe_run run = {.ctx = s->ctx,
                     .values = &s->step.values,
                     .key = key,
                     .times = (lethe_time_unit)how.times,
                     .memory_bytes = MEMORY_BYTES};
    LETHE_TRY(m->rows->begin(&run, &s->state));
    s->begun = true;
    lethe_err e = lethe_log_publisher_new(s->ctx, &how, &layout, key, LINES_BYTES, &s->publisher);
    return e == LETHE_ENOMEM ? lethe_no_memory(s->ctx) : e;
}

lethe_err lethe_batch_seal_new(lethe_ctx *ctx, const lethe_json *options, const lethe_json *publish,
                               const lethe_secret *key, lethe_batch_seal **out)
{
    lethe_batch_seal *s = lethe_alloc_zero(1, sizeof *s);
    if (!s) return lethe_no_memory(ctx);
    s->ctx = ctx;
    s->arena = lethe_arena_new();
    lethe_err e = s->arena ? begin(s, options, publish, key) : lethe_no_memory(ctx);
    if (e == LETHE_OK)
        *out = s;
    else
        lethe_batch_seal_free(s);
    return e;
}

/* --- the columns of rows --- */

static const struct {
    const char *name, *of_aol;
} known[] = {{"user", "AnonID"},
             {"query", "Query"},
             {"time", "QueryTime"},
             {"rank", "ItemRank"},
             {"url", "ClickURL"}};
enum { N_KNOWN = LETHE_COUNT(known), USER = 0, QUERY = 1 };

/* A column that is misspelt would be left out, and its epochs or clicks with it. */
static lethe_err strangers_check(const lethe_batch_in *in)
{
    char shown[80];
    for (int64_t i = 0; i < in->schema->n_children; i++) {
        const struct ArrowSchema *s = in->schema->children[i];
        const char *name = s && s->name ? s->name : "";
        size_t k = 0;
        while (k < N_KNOWN && strcmp(name, known[k].name) != 0 &&
               strcmp(name, known[k].of_aol) != 0)
            k++;
        lethe_show(shown, sizeof shown, lethe_str_of(name));
        if (k == N_KNOWN)
            return lethe_fail(in->ctx, LETHE_EINPUT,
                              "seal has no use for column '%s': the columns are user, query, "
                              "time, rank and url",
                              shown);
    }
    return LETHE_OK;
}

static lethe_err columns_find(const lethe_batch_in *in, lethe_batch_column out[N_KNOWN])
{
    LETHE_TRY(strangers_check(in));
    for (size_t k = 0; k < N_KNOWN; k++) {
        lethe_batch_column other;
        LETHE_TRY(lethe_batch_find(in, lethe_str_of(known[k].name), &out[k]));
        LETHE_TRY(lethe_batch_find(in, lethe_str_of(known[k].of_aol), &other));
        if (out[k].a && other.a)
            return lethe_fail(in->ctx, LETHE_EINPUT, "columns '%s' and '%s' are the same",
                              known[k].name, known[k].of_aol);
        if (!out[k].a) out[k] = other;
        if (!out[k].a && (k == USER || k == QUERY))
            return lethe_fail(in->ctx, LETHE_EINPUT, "the rows have no column '%s'", known[k].name);
    }
    return LETHE_OK;
}

/* --- row by row --- */

static lethe_err row_read(lethe_batch_seal *s, const lethe_batch_in *in,
                          const lethe_batch_column columns[N_KNOWN], int64_t i, lethe_row *row,
                          bool *is_row)
{
    char scratch[N_KNOWN][LETHE_ARROW_SCRATCH];
    lethe_str cell[N_KNOWN];
    bool is_null;
    for (size_t k = 0; k < N_KNOWN; k++)
        LETHE_TRY(lethe_batch_text(in, &columns[k], i, scratch[k], &is_null, &cell[k]));
    const lethe_log_cells cells = {cell[0], cell[1], cell[2], cell[3], cell[4]};
    if (lethe_log_cells_row(&cells, &s->room, row, is_row) != LETHE_OK)
        return lethe_no_memory(in->ctx);
    if (!*is_row) return LETHE_OK;
    const char *dropped = NULL;
    s->line.n = 0;
    lethe_err e = lethe_method_seal.rows->row(s->state, 0, row, &dropped);
    *is_row = !dropped;
    if (e == LETHE_OK && !dropped) e = lethe_log_publisher_line(s->publisher, 0, row, &s->line);
    return e == LETHE_ENOMEM ? lethe_no_memory(in->ctx) : e;
}

/* As a stream of the release has them: a time, rank or URL that is empty is null. */
static lethe_err line_put(lethe_batch_seal *s, bool is_row)
{
    enum { FIRST_THAT_MAY_LACK = 4 };
    lethe_str rest = {(const char *)s->line.at, is_row ? s->line.n - 1 : 0};
    for (size_t k = 0; k < s->n_columns; k++) {
        const char *tab = rest.n ? memchr(rest.at, '\t', rest.n) : NULL;
        lethe_str field = {rest.at, tab ? (size_t)(tab - rest.at) : rest.n};
        if (tab) rest = (lethe_str){tab + 1, rest.n - field.n - 1};
        if (!tab) rest.n = 0;
        if (!is_row || (field.n == 0 && k >= FIRST_THAT_MAY_LACK)) field.at = NULL;
        LETHE_TRY(lethe_batch_put(s->ctx, &s->columns[k], field));
    }
    return LETHE_OK;
}

lethe_err lethe_batch_seal_rows(lethe_batch_seal *s, const lethe_batch_in *in,
                                lethe_built_column **columns, const lethe_str **names, size_t *n)
{
    lethe_batch_column from[N_KNOWN];
    lethe_row row;
    bool is_row;
    *columns = s->columns;
    *names = s->names;
    *n = s->n_columns;
    LETHE_TRY(columns_find(in, from));
    for (int64_t i = 0; i < in->n; i++) {
        LETHE_TRY(lethe_batch_go_on(in, i));
        LETHE_TRY(row_read(s, in, from, i, &row, &is_row));
        LETHE_TRY(line_put(s, is_row));
    }
    return LETHE_OK;
}
