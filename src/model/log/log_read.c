/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of lines into rows.  The common line (plain ASCII, tabs) is handed on as views of the
 * block: one scan finds out that it is plain, and nothing is copied. */
#include "model/log/log_internal.h"
#include "io/read/fields.h"
#include "text/normalize.h"
#include "text/pii/pii.h"
#include "text/utf8.h"
#include "core/parse.h"

const char lethe_cause_empty[] = "empty line";
const char lethe_cause_too_long[] = "line over 1 MiB";
const char lethe_cause_long[] = "line over 1 MiB after normalization";
const char lethe_cause_no_time[] = "no time";
const char lethe_cause_bad_time[] = "time not understood";
const char lethe_cause_other_order[] = "date with day and month in the other order";
static const char too_few[] = "too few columns";
static const char too_many[] = "too many columns";
static const char no_user[] = "no user";
static const char no_query[] = "no query";
static const char bad_rank[] = "rank is not a whole number";
static const char has_nul[] = "NUL byte in a field";
static const char has_tab[] = "tab in a field";
static const char has_cr[] = "carriage return in a field";
static const char has_lf[] = "line feed in a field";
static const char open_quote[] = "quote not closed";
static const char after_quote[] = "text after a closing quote";

static const lethe_str no_field = {"", 0};

typedef lethe_log_place place;

/* --- making ready --- */

static bool is_json(const lethe_layout *l)
{
    return l->kind == LETHE_LAYOUT_JSONL || l->kind == LETHE_LAYOUT_UBI;
}

lethe_err lethe_reader_begin(lethe_reader *r, const lethe_layout *layout)
{
    uint32_t n = LETHE_COLS + 1;
    for (size_t c = 0; c < LETHE_COLS && !is_json(layout); c++)
        if (layout->at[c] != LETHE_ABSENT) n = LETHE_MAX(n, layout->at[c] + 1);
    for (size_t i = 0; i < layout->n_keep && !is_json(layout); i++)
        n = LETHE_MAX(n, layout->keep_at[i] + 1);
    n = LETHE_MAX(n, (uint32_t)layout->n_names);
    if (n > r->n_fields) {
        lethe_str *fields = lethe_realloc(r->fields, n, sizeof *fields);
        if (!fields) return LETHE_ENOMEM;
        r->fields = fields;
        r->n_fields = n;
    }
    lethe_json_picker_free(r->picker);
    r->picker = NULL;
    if (is_json(layout)) {
        r->picker = lethe_json_picker_new(layout->names, layout->n_names);
        if (!r->picker) return LETHE_ENOMEM;
    }
    lethe_rejects_clear(&r->rejects);
    r->order.has_last = false;
    r->counts = (lethe_read_counts){0};
    r->ubi = (lethe_ubi_seen){0};
    r->last_line = r->n_blocks = 0;
    r->err = LETHE_OK;
    r->err_is_rejection = false;
    return LETHE_OK;
}

void lethe_reader_free(lethe_reader *r)
{
    lethe_block_free(&r->block);
    lethe_buf_free(&r->query);
    lethe_buf_free(&r->user);
    lethe_buf_free(&r->url);
    lethe_buf_free(&r->scratch);
    lethe_buf_free(&r->kept);
    lethe_buf_free(&r->value);
    lethe_free(r->fields);
    lethe_json_picker_free(r->picker);
    lethe_rejects_free(&r->rejects);
}

/* --- one row --- */

/* A CSV record is one line, however many it takes, unless its quotes are wrong: one that is never
 * closed may take the rest of the file with it, which must not pass for one line. */
static lethe_err reject_counted(place *p)
{
    p->r->counts.rejected += p->n_lines;
    p->r->counts.lines += p->n_lines - 1; // one is counted already
    if (!p->job->strict) return LETHE_OK;
    p->r->err_is_rejection = true;
    return LETHE_EINPUT;
}

lethe_err lethe_log_place_reject(place *p, uint32_t column, const char *cause)
{
    LETHE_TRY(lethe_rejects_add(&p->r->rejects, p->line, column, cause, p->raw));
    return reject_counted(p);
}

lethe_err lethe_log_place_reject_time(place *p, uint32_t column, lethe_str time)
{
    char shape[LETHE_TIME_SHAPE];
    lethe_str form = {shape, lethe_time_shape(time, shape)};
    bool other = lethe_time_contradicts(&p->job->layout->times, time);
    const char *cause = other ? lethe_cause_other_order : lethe_cause_bad_time;
    LETHE_TRY(lethe_rejects_add_value(&p->r->rejects, p->line, column, cause, p->raw, form));
    return reject_counted(p);
}

static lethe_err reject(place *p, uint32_t column, const char *cause)
{
    return lethe_log_place_reject(p, column, cause);
}

/* The number by which a message names a column; JSON has none. */
static uint32_t number_of(const place *p, lethe_log_column c)
{
    const lethe_layout *l = p->job->layout;
    return is_json(l) ? 0 : l->at[c] + 1;
}

static inline lethe_str trim(lethe_str s)
{
    while (s.n > 0 && s.at[0] == ' ')
        s = (lethe_str){s.at + 1, s.n - 1};
    while (s.n > 0 && s.at[s.n - 1] == ' ')
        s.n--;
    return s;
}

lethe_str lethe_field_trim(lethe_str s) { return trim(s); }

/* What no field may hold: it could not be written back. */
const char *lethe_field_forbidden(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.at[i] == '\0') return has_nul;
        if (s.at[i] == '\t') return has_tab;
        if (s.at[i] == '\r') return has_cr;
        if (s.at[i] == '\n') return has_lf;
    }
    return NULL;
}

bool lethe_field_rank(lethe_str s, uint32_t *out)
{
    uint64_t rank = 0;
    *out = LETHE_NO_RANK;
    if (s.n == 0) return true;
    if (s.n == 1 && s.at[0] >= '0' && s.at[0] <= '9') {
        *out = (uint32_t)(s.at[0] - '0');
        return true;
    }
    if (!lethe_parse_u64(s, &rank) || rank >= LETHE_NO_RANK) return false;
    *out = (uint32_t)rank;
    return true;
}

enum { SAMPLE_WORDS = 10000 }; /* looked at to tell the language */

bool lethe_row_too_long(const lethe_row *row)
{
    return row->user.n + row->query.n + row->url.n + row->kept.n >
           LETHE_LINE_MAX - LETHE_SPARE_BYTES;
}

/* The kept values among the n fields of a line become p->kept.  *fits: none of them makes the line
 * rejected. */
static lethe_err take_kept(place *p, const lethe_str *f, uint32_t n, bool plain, bool *fits)
{
    const lethe_layout *l = p->job->layout;
    lethe_buf *kept = &p->r->kept;
    kept->n = 0;
    p->kept_broken = false;
    for (uint32_t i = 0; i < l->n_keep; i++) {
        uint32_t at = l->keep_at[i];
        lethe_str value = at < n && f[at].at ? trim(f[at]) : no_field;
        if (p->job->null_texts && lethe_null_text_is(p->job->null_texts, value)) value = no_field;
        const char *cause = plain ? NULL : lethe_field_forbidden(value);
        bool broken = false;
        *fits = !cause;
        if (cause) return reject(p, is_json(l) ? 0 : at + 1, cause);
        if (!plain) LETHE_TRY(lethe_utf8_repair(value, &p->r->value, &value, &broken));
        p->kept_broken |= broken;
        if (i > 0) LETHE_TRY(lethe_buf_put(kept, "\t", 1));
        LETHE_TRY(lethe_buf_str(kept, value));
    }
    p->kept = (lethe_str){(const char *)kept->at, kept->n};
    return LETHE_OK;
}

/* A row from its five fields, an absent one being empty.  `plain`: all are ASCII without any
 * control character, so that they need no look.
 *
 * Fields are pointed to, not copied: they have just been stored in two halves, and loading both
 * halves at once waits until the stores are done. */
static lethe_err take_row(place *p, const lethe_str *const cell[LETHE_COLS], bool plain)
{
    lethe_row row; // set member by member: zeroing it first takes longer than filling it in
    row.time = LETHE_NO_TIME;
    if (p->job->dates) {
        lethe_date_look(p->job->dates, trim(*cell[LETHE_COL_TIME]));
        return LETHE_OK;
    }
    for (uint32_t c = 0; !plain && c < LETHE_COLS; c++) {
        const char *cause = lethe_field_forbidden(*cell[c]);
        if (cause) return reject(p, number_of(p, (lethe_log_column)c), cause);
    }
    row.user = trim(*cell[LETHE_COL_USER]);
    row.url = trim(*cell[LETHE_COL_URL]);
    if (row.user.n == 0) return reject(p, number_of(p, LETHE_COL_USER), no_user);
    if (p->job->layout->has_time) {
        lethe_str time = trim(*cell[LETHE_COL_TIME]);
        bool lacks = time.n == 0 && p->job->layout->time_may_lack;
        if (!lacks && time.n == 0)
            return reject(p, number_of(p, LETHE_COL_TIME), lethe_cause_no_time);
        if (!lacks && !lethe_time_read(&p->job->layout->times, time, &row.time))
            return lethe_log_place_reject_time(p, number_of(p, LETHE_COL_TIME), time);
    }
    if (!lethe_field_rank(trim(*cell[LETHE_COL_RANK]), &row.rank))
        return reject(p, number_of(p, LETHE_COL_RANK), bad_rank);
    // Normalises, and hands the row on unless nothing is left of the query.
    bool broken = false, in_query;
    // User and URL keep their case; only what is not UTF-8 is replaced.
    if (!plain) {
        bool user, url;
        LETHE_TRY(lethe_utf8_repair(row.user, &p->r->user, &row.user, &user));
        LETHE_TRY(lethe_utf8_repair(row.url, &p->r->url, &row.url, &url));
        broken = user || url || p->kept_broken;
    }
    row.kept = p->kept;
    LETHE_TRY(lethe_normalize(*cell[LETHE_COL_QUERY], &p->r->query, &row.query, &in_query));
    if (lethe_row_too_long(&row)) return reject(p, number_of(p, LETHE_COL_QUERY), lethe_cause_long);
    p->r->counts.invalid_utf8 += broken || in_query;
    if (row.query.n == 0) {
        p->r->counts.empty++;
        return LETHE_OK;
    }
    lethe_read_counts *counts = &p->r->counts;
    counts->rows++;
    counts->clicks += row.url.n > 0;
    counts->ranks += row.rank != LETHE_NO_RANK;
    counts->times += row.time != LETHE_NO_TIME;
    if (p->r->block.index == 0 && counts->sampled_words < SAMPLE_WORDS)
        lethe_count_english(row.query, &counts->sampled_words, &counts->english_words);
    row.owner = lethe_str_by_halves(&row.user);
    row.origin = p->job->origin_base + p->line - 1 - p->job->layout->header_lines;
    return p->job->visitor->row(p->job->visitor->arg, p->w, &row);
}

/* Fields that stand for none become empty. */
static void nulls_empty(const place *p, const lethe_str *cell[LETHE_COLS])
{
    for (size_t c = 0; c < LETHE_COLS; c++)
        if (lethe_null_text_is(p->job->null_texts, *cell[c])) cell[c] = &no_field;
}

/* A row from the n fields of a line. */
static lethe_err take_fields(place *p, const lethe_str *f, uint32_t n, bool plain)
{
    const lethe_layout *l = p->job->layout;
    if (p->raw.n == 0) return reject(p, 0, lethe_cause_empty);
    if (n < l->n_least) return reject(p, n + 1, too_few);
    if (n > l->n_most) return reject(p, l->n_most + 1, too_many);
    const lethe_str *cell[LETHE_COLS];
    for (size_t c = 0; c < LETHE_COLS; c++)
        cell[c] = l->at[c] < n ? &f[l->at[c]] : &no_field;
    if (p->job->null_texts) nulls_empty(p, cell);
    if (l->n_keep > 0 && !p->job->dates) {
        bool fits = true;
        LETHE_TRY(take_kept(p, f, n, plain, &fits));
        if (!fits) return LETHE_OK;
    }
    return take_row(p, cell, plain);
}

/* --- TSV --- */

static lethe_err read_tsv(place *p, lethe_str text, uint64_t skip)
{
    const lethe_layout *l = p->job->layout;
    lethe_tsv tsv = lethe_tsv_begin(text, l->delimiter);
    lethe_str *f = p->r->fields;
    uint32_t n;
    // a tab that parts columns is no tab inside one
    bool by_tab = l->delimiter == '\t';
    for (; lethe_tsv_next(&tsv, f, p->r->n_fields, &n, &p->raw); p->line++) {
        if (p->line <= skip) continue;
        p->r->counts.lines++;
        LETHE_TRY(take_fields(p, f, n, by_tab && lethe_ascii_plain(p->raw)));
    }
    return LETHE_OK;
}

/* --- CSV --- */

/* As in TSV; a tab may be one inside a field. */
static bool csv_plain(const place *p)
{
    return lethe_ascii_plain(p->raw) && !memchr(p->raw.at, '\t', p->raw.n);
}

static lethe_err read_csv(place *p, lethe_str text, uint64_t skip)
{
    lethe_csv csv = lethe_csv_begin(text, p->job->layout->delimiter);
    lethe_str *f = p->r->fields;
    for (;;) {
        uint32_t n, used;
        lethe_csv_fault fault;
        bool more;
        LETHE_TRY(lethe_csv_next(&csv, &p->r->scratch, f, p->r->n_fields, &n, &p->raw, &used,
                                 &fault, &more));
        if (!more) return LETHE_OK;
        if (p->line > skip) {
            p->r->counts.lines++;
            p->n_lines = fault == LETHE_CSV_OK ? 1 : used;
            lethe_err e = fault == LETHE_CSV_OPEN_QUOTE    ? reject(p, n + 1, open_quote)
                          : fault == LETHE_CSV_AFTER_QUOTE ? reject(p, n + 1, after_quote)
                                                           : take_fields(p, f, n, csv_plain(p));
            if (e != LETHE_OK) return e;
        }
        p->line += used;
    }
}

/* --- JSON Lines --- */

static lethe_err take_json(place *p)
{
    const lethe_layout *l = p->job->layout;
    lethe_str *f = p->r->fields;
    const lethe_str *cell[LETHE_COLS];
    const char *cause = NULL;
    if (p->raw.n == 0) return reject(p, 0, lethe_cause_empty);
    LETHE_TRY(lethe_json_pick(p->r->picker, p->raw, f, &cause));
    if (cause) return reject(p, 0, cause);
    for (size_t c = 0; c < LETHE_COLS; c++) {
        cell[c] = NULL;
        for (size_t i = l->first_name[c]; i < l->first_name[c + 1] && !cell[c]; i++)
            if (f[i].at) cell[c] = &f[i];
    }
    // a line without the member is another kind of line, not a query that happens to be empty
    if (!cell[LETHE_COL_USER]) return reject(p, 0, no_user);
    if (!cell[LETHE_COL_QUERY]) return reject(p, 0, no_query);
    for (size_t c = 0; c < LETHE_COLS; c++)
        if (!cell[c]) cell[c] = &no_field;
    if (p->job->null_texts) nulls_empty(p, cell);
    if (l->n_keep > 0 && !p->job->dates) {
        bool fits = true;
        LETHE_TRY(take_kept(p, f, (uint32_t)l->n_names, false, &fits));
        if (!fits) return LETHE_OK;
    }
    return take_row(p, cell, false);
}

static bool next_line(lethe_str *text, lethe_str *line)
{
    if (text->n == 0) return false;
    const char *lf = memchr(text->at, '\n', text->n);
    size_t n = lf ? (size_t)(lf - text->at) : text->n, taken = n + (lf != NULL);
    if (lf && n > 0 && text->at[n - 1] == '\r') n--;
    *line = (lethe_str){text->at, n};
    *text = (lethe_str){text->at + taken, text->n - taken};
    return true;
}

static lethe_err read_ubi(place *p, lethe_str text)
{
    for (; next_line(&text, &p->raw); p->line++)
        LETHE_TRY(lethe_ubi_take(p)); // counts what it rejects
    return LETHE_OK;
}

static lethe_err read_json(place *p, lethe_str text)
{
    for (; next_line(&text, &p->raw); p->line++) {
        p->r->counts.lines++;
        LETHE_TRY(take_json(p));
    }
    return LETHE_OK;
}

/* --- what lethe has published --- */

static bool published_time(lethe_reader *r, lethe_str s, int64_t *out)
{
    *out = LETHE_NO_TIME;
    if (s.n == 0) return true;
    if (s.n != 10 && s.n != 13) return lethe_time_as_written(s, out);
    lethe_known_time *known =
        &r->known[(uint8_t)(s.at[6] * 31 + s.at[8] * 10 + s.at[9]) % LETHE_KNOWN_TIMES];
    if (known->n != s.n || memcmp(known->text, s.at, s.n) != 0) {
        if (!lethe_time_as_written(s, &known->time)) {
            known->n = 0;
            return false;
        }
        known->n = (uint8_t)s.n;
        memcpy(known->text, s.at, s.n);
    }
    *out = known->time;
    return true;
}

bool lethe_is_pseudonym(lethe_str s)
{
    bool is = s.n == LETHE_PSEUDONYM_CHARS;
    for (size_t i = 0; is && i < LETHE_PSEUDONYM_CHARS; i++) {
        uint8_t letter = (uint8_t)(s.at[i] - 'a'), digit = (uint8_t)(s.at[i] - '2');
        is = (letter < 26) | (digit < 6);
    }
    return is;
}

bool lethe_is_dotted_host(lethe_str host)
{
    return host.n > 0 && (host.at[0] == '[' || memchr(host.at, '.', host.n));
}

lethe_err lethe_click_shown(lethe_str url, lethe_url_form form, lethe_buf *buf, lethe_str *out)
{
    *out = form == LETHE_URL_NONE ? no_field : url;
    if (form != LETHE_URL_HOST || url.n == 0 || lethe_is_object(url)) return LETHE_OK;
    return lethe_url_host(url, buf, out);
}

static bool url_has_form(lethe_str url, const lethe_log_form *form)
{
    if (url.n == 0 || form->urls == LETHE_URL_ANY) return true;
    if (form->urls == LETHE_URL_ID) return lethe_is_pseudonym(url);
    if (form->urls != LETHE_URL_HOST) return false;
    if (lethe_is_pseudonym(url)) return form->object_ids;
    return lethe_is_host(url) && (!form->object_ids || lethe_is_dotted_host(url));
}

const char *const lethe_finer_causes[] = {
    [LETHE_FINER_NONE] = NULL,
    [LETHE_FINER_USER] = "user is not a pseudonym",
    [LETHE_FINER_TIME] = "time is finer than the release says",
    [LETHE_FINER_URL] = "URL is finer than the release says",
    [LETHE_FINER_RANK] = "rank of a click that the release leaves out",
};

lethe_finer lethe_log_form_finer(const lethe_log_form *form, lethe_str user, lethe_str time,
                                 lethe_str url, bool has_rank)
{
    static const size_t time_chars[] = {
        [LETHE_TIME_DAY] = 10, [LETHE_TIME_HOUR] = 13, [LETHE_TIME_EXACT] = 19,
        [LETHE_TIME_DROP] = 0, [LETHE_TIME_WEEK] = 10, [LETHE_TIME_MONTH] = 7};
    int64_t t;
    if (!form->any_user && !lethe_is_pseudonym(user)) return LETHE_FINER_USER;
    if (time.n != 0 && time.n != time_chars[form->times]) return LETHE_FINER_TIME;
    if (time.n != 0 && form->times == LETHE_TIME_WEEK &&
        (!lethe_time_parse(time, &t) || lethe_time_cut(t, LETHE_TIME_WEEK) != t))
        return LETHE_FINER_TIME;
    if (!url_has_form(url, form)) return LETHE_FINER_URL;
    return form->urls == LETHE_URL_NONE && has_rank ? LETHE_FINER_RANK : LETHE_FINER_NONE;
}

/* Why the row is finer than the release says; NULL: it is not. */
static const char *too_fine(place *p, const lethe_row *row, lethe_str time, uint32_t *column)
{
    static const uint32_t columns[] = {[LETHE_FINER_USER] = LETHE_COL_USER + 1,
                                       [LETHE_FINER_TIME] = LETHE_COL_TIME + 1,
                                       [LETHE_FINER_URL] = LETHE_COL_URL + 1,
                                       [LETHE_FINER_RANK] = LETHE_COL_RANK + 1};
    lethe_log_form form = *p->job->form;
    // the user of the row before needs no other look
    form.any_user = form.any_user || lethe_str_eq(row->user, p->pseudonym);
    lethe_finer finer =
        lethe_log_form_finer(&form, row->user, time, row->url, row->rank != LETHE_NO_RANK);
    if (finer != LETHE_FINER_USER) p->pseudonym = row->user;
    *column = columns[finer];
    return lethe_finer_causes[finer];
}

static lethe_err take_published(place *p, const lethe_str *f, uint32_t n)
{
    lethe_row row;
    bool normal;
    uint32_t n_keep = p->job->layout->n_keep;
    if (n != LETHE_COLS + n_keep)
        return reject(p, 0, n_keep ? "not as many columns as the header" : "not five columns");
    bool plain = lethe_ascii_plain(p->raw); // tabs only part the columns
    for (uint32_t c = 0; !plain && c < n; c++) {
        const char *cause = lethe_field_forbidden(f[c]);
        if (cause) return reject(p, c + 1, cause);
        if (!lethe_utf8_valid(f[c])) return reject(p, c + 1, "not UTF-8");
    }
    row.user = lethe_str_by_halves(&f[LETHE_COL_USER]);
    row.owner = lethe_str_by_halves(&f[LETHE_COL_USER]);
    if (row.user.n == 0) return reject(p, LETHE_COL_USER + 1, no_user);
    if (trim(row.user).n != row.user.n)
        return reject(p, LETHE_COL_USER + 1, "space at an end of the user");
    for (uint32_t c = LETHE_COLS; c < n; c++)
        if (trim(f[c]).n != f[c].n) return reject(p, c + 1, "space at an end of a kept value");
    row.kept = no_field;
    if (n_keep > 0) { // all of the line from there
        const char *kept = f[LETHE_COLS].at;
        row.kept = (lethe_str){kept, (size_t)(p->raw.at + p->raw.n - kept)};
    }
    // Is the query as lethe_normalize leaves it?
    lethe_str again;
    bool invalid;
    LETHE_TRY(lethe_normalize(f[LETHE_COL_QUERY], &p->r->query, &again, &invalid));
    normal = f[LETHE_COL_QUERY].n > 0 && !invalid && lethe_str_eq(again, f[LETHE_COL_QUERY]);
    if (!normal) return reject(p, LETHE_COL_QUERY + 1, "query is empty or not normalized");
    if (!published_time(p->r, f[LETHE_COL_TIME], &row.time))
        return reject(p, LETHE_COL_TIME + 1, "not a time as published");
    lethe_str rank = f[LETHE_COL_RANK];
    if (!lethe_field_rank(rank, &row.rank) || (rank.n > 1 && rank.at[0] == '0'))
        return reject(p, LETHE_COL_RANK + 1, bad_rank);
    row.query = lethe_str_by_halves(&f[LETHE_COL_QUERY]);
    row.url = lethe_str_by_halves(&f[LETHE_COL_URL]);
    uint32_t column;
    const char *fine = p->job->form ? too_fine(p, &row, f[LETHE_COL_TIME], &column) : NULL;
    if (fine) return reject(p, column, fine);
    row.origin = p->job->origin_base + p->line - 1 - p->job->layout->header_lines;
    p->r->counts.rows++;
    return p->job->visitor->row(p->job->visitor->arg, p->w, &row);
}

static lethe_err read_published(place *p, lethe_str text, uint64_t skip)
{
    lethe_tsv tsv = lethe_tsv_begin(text, '\t');
    lethe_str *f = p->r->fields;
    const char *end = text.at + text.n;
    uint32_t n;
    for (; lethe_tsv_next(&tsv, f, p->r->n_fields, &n, &p->raw); p->line++) {
        if (p->line <= skip) continue;
        p->r->counts.lines++;
        const char *after = p->raw.at + p->raw.n;
        if (after == end || *after != '\n') // cut short, or CRLF
            LETHE_TRY(reject(p, 0, "line does not end with LF"));
        LETHE_TRY(take_published(p, f, n));
        if (p->job->edges && !lethe_order_line(&p->r->order, p->raw))
            LETHE_TRY(reject(p, 0, "line out of order: it may reveal the order of the input"));
    }
    if (!p->job->edges) return LETHE_OK;
    return lethe_block_edges_add(p->job->edges, &p->r->order, p->r->block.index);
}

/* --- all --- */

lethe_err lethe_reader_block(lethe_reader *r, const lethe_log_read_job *job, unsigned w)
{
    const lethe_block *b = &r->block;
    place p = {.r = r,
               .job = job,
               .w = w,
               .line = b->first_line,
               .n_lines = 1,
               .raw = {"", 0},
               .kept = {"", 0}};
    uint64_t skip = job->layout->header_lines;
    r->last_line = LETHE_MAX(r->last_line, b->first_line + b->n_lines - 1);
    r->n_blocks = b->index + 1;
    r->counts.bytes += b->text.n;
    if (b->too_long) {
        r->counts.lines++;
        p.n_lines = b->n_lines;
        return reject(&p, 0, lethe_cause_too_long);
    }
    switch (job->layout->kind) {
    case LETHE_LAYOUT_TSV:
        return read_tsv(&p, b->text, skip);
    case LETHE_LAYOUT_CSV:
        return read_csv(&p, b->text, skip);
    case LETHE_LAYOUT_JSONL:
        return read_json(&p, b->text);
    case LETHE_LAYOUT_UBI:
        return read_ubi(&p, b->text);
    case LETHE_LAYOUT_PUBLISHED:
        return read_published(&p, b->text, skip);
    }
    return LETHE_OK;
}
