/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a log of any layout.  Every row keeps log.h's promises and survives packing; every
 * line is accounted for; and what was read, written as a published log, reads back the same.
 *
 * The first byte chooses the layout, the rest is the log. */
#include "log_rows.h"
#include "model/log/log_internal.h"
#include "text/normalize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void expect(bool holds)
{
    if (!holds) abort();
}

typedef struct checking {
    lethe_buf packed, normal;
    text published; /* the rows as lethe would write them */
    text rows;
    uint64_t n_rows;
    size_t n_keep;
} checking;

static void check_text(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        expect(s.at[i] != '\0' && s.at[i] != '\t' && s.at[i] != '\r' && s.at[i] != '\n');
    expect(lethe_utf8_valid(s));
}

static void check_packing(checking *c, const lethe_row *row)
{
    for (int p = LETHE_BY_QUERY; p <= LETHE_BY_USER; p++) {
        lethe_row back;
        expect(lethe_row_pack(row, (lethe_packing)p, &c->packed) == LETHE_OK);
        lethe_row_unpack((lethe_str){(char *)c->packed.at, c->packed.n}, (lethe_packing)p, &back);
        expect(back.origin == row->origin && back.time == row->time && back.rank == row->rank);
        expect(lethe_str_eq(back.user, row->user) && lethe_str_eq(back.owner, row->owner));
        expect(lethe_str_eq(back.query, row->query) && lethe_str_eq(back.url, row->url));
        expect(lethe_str_eq(back.kept, row->kept));
    }
}

static void write_published(checking *c, const lethe_row *row)
{
    char time[20];
    size_t n = lethe_time_format(row->time, LETHE_TIME_EXACT, time);
    text_put(&c->published, row->user.at, row->user.n);
    text_put(&c->published, "\t", 1);
    text_put(&c->published, row->query.at, row->query.n);
    text_put(&c->published, "\t", 1);
    text_put(&c->published, time, n);
    text_put(&c->published, "\t", 1);
    if (row->rank != LETHE_NO_RANK) text_add(&c->published, "%u", row->rank);
    text_put(&c->published, "\t", 1);
    text_put(&c->published, row->url.at, row->url.n);
    if (c->n_keep > 0) text_put(&c->published, "\t", 1);
    text_put(&c->published, row->kept.at, row->kept.n);
    text_put(&c->published, "\n", 1);
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    checking *c = arg;
    lethe_str again;
    bool invalid;
    (void)w;
    expect(row->user.n > 0 && row->query.n > 0 && lethe_str_eq(row->user, row->owner));
    check_text(row->user);
    check_text(row->query);
    check_text(row->url);
    lethe_str rest = row->kept;
    for (size_t i = 0; i < c->n_keep; i++) {
        lethe_str value = lethe_kept_next(&rest);
        check_text(value);
        expect(lethe_field_trim(value).n == value.n);
    }
    expect(rest.n == 0);
    expect(lethe_normalize(row->query, &c->normal, &again, &invalid) == LETHE_OK);
    expect(lethe_str_eq(again, row->query));
    check_packing(c, row);
    write_published(c, row);
    row_text(&c->rows, row);
    text_put(&c->rows, "\n", 1);
    c->n_rows++;
    return LETHE_OK;
}

static void checking_free(checking *c)
{
    lethe_buf_free(&c->packed);
    lethe_buf_free(&c->normal);
    free(c->published.at);
    free(c->rows.at);
}

/* Reads the rows of `c` back, as lethe reads what it has published: none is refused, none changed.
 */
static void check_published(const checking *c)
{
    checking again = {.n_keep = c->n_keep};
    lethe_reader r = {0};
    lethe_layout layout = {.kind = LETHE_LAYOUT_PUBLISHED,
                           .delimiter = '\t',
                           .header_lines = 1,
                           .n_keep = (uint32_t)c->n_keep};
    for (uint32_t i = 0; i < layout.n_keep; i++)
        layout.keep_at[i] = LETHE_COLS + i;
    lethe_row_visitor v = {.row = on_row, .arg = &again};
    lethe_log_read_job job = {.layout = &layout, .visitor = &v, .strict = true};
    expect(lethe_reader_begin(&r, &layout) == LETHE_OK);
    r.block.text = (lethe_str){c->published.at, c->published.n};
    r.block.first_line = 2;
    r.block.n_lines = c->n_rows;
    expect(lethe_reader_block(&r, &job, 0) == LETHE_OK);
    expect(again.n_rows == c->n_rows && r.counts.rejected == 0);
    expect(again.rows.n == c->rows.n && memcmp(again.rows.at, c->rows.at, c->rows.n) == 0);
    lethe_reader_free(&r);
    checking_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const lethe_keep number = {1, {{"6", 1}}}, names = {3, {{"d", 1}, {"e f", 3}, {"2", 1}}},
                            members = {2, {{"d", 1}, {"a.c", 3}}};
    static const lethe_read_options readings[] = {
        {.format = LETHE_FORMAT_GUESS},
        {.format = LETHE_FORMAT_AOL},
        {.format = LETHE_FORMAT_CSV},
        {.format = LETHE_FORMAT_JSONL},
        {.format = LETHE_FORMAT_AOL, .columns = "user=1,query=2"},
        {.format = LETHE_FORMAT_CSV, .delimiter = ';', .columns = "user=u,query=q,time=3"},
        {.format = LETHE_FORMAT_JSONL, .columns = "user=a.b,query=q,time=t,rank=r,url=u.0"},
        {.format = LETHE_FORMAT_GUESS, .strict = true},
        {.has_users_with = true, .users_with_max = 1},
        {.format = LETHE_FORMAT_AOL, .keep = &number},
        {.format = LETHE_FORMAT_CSV, .columns = "user=u,query=q", .keep = &names},
        {.format = LETHE_FORMAT_JSONL, .keep = &members, .has_users_with = true},
    };
    static lethe_ctx *ctx;
    if (!ctx) expect(lethe_ctx_new(&(lethe_settings){.n_threads = 1}, &ctx) == LETHE_OK);
    if (n == 0) return 0;
    lethe_log *log = NULL;
    const lethe_read_options *reading = &readings[data[0] % LETHE_COUNT(readings)];
    checking c = {.n_keep = reading->keep ? reading->keep->n : 0};
    lethe_str bytes = {(const char *)data + 1, n - 1};
    expect(lethe_log_memory(ctx, bytes, reading, &log) == LETHE_OK);
    lethe_err e = lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = &c});
    const lethe_read_counts *k = lethe_log_counts(log);
    expect(e == LETHE_OK || e == LETHE_EINPUT || e == LETHE_EUSAGE);
    expect(k->lines == k->rows + k->empty + k->rejected);
    expect(e != LETHE_OK || c.n_rows + k->filtered == k->rows);
    expect(e != LETHE_OK || (k->lines > 0 && k->rejected <= k->lines / 10));
    if (c.n_rows > 0) check_published(&c);
    lethe_log_free(log);
    checking_free(&c);
    return 0;
}
