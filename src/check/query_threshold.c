/* SPDX-License-Identifier: Apache-2.0 */
/* query_threshold.c - does every published query text have t users (or queries, or rows), and where
 * the claim says so every published URL?
 *
 * Decided from the published rows alone: each is brought together with those of the same text, and
 * distinct users, distinct (user, time) or rows are counted.
 *
 * A hash stands for a text that is too rare, and is exempt.  It has no clicks, which would tell
 * what was asked: what looks like a hash and has one is a text like any other. */
#include "check/check.h"
#include "check/claim.h"
#include "io/sort/sorter.h"

enum unit { USERS, QUERIES, ROWS };
static const char *const unit_names[] = {"users", "queries", "rows"};

struct claim {
    uint64_t t;
    enum unit unit;
    bool hashes_exempt;
    bool clicked; /* addresses have as many as texts */
};

/* The least text in order of bytes that has too few, or address where no text has, as far as one
 * worker has seen. */
struct finding {
    bool found, found_url;
    uint64_t count, url_count;
    uint64_t rows, hashed, texts; /* texts: without hashes */
    lethe_buf text, url, click;
    lethe_buf record, before; /* the one being put together, and the one before it */
    char apart[64];           /* workers do not share a cache line */
};

struct inspection {
    lethe_ctx *ctx;
    struct claim claim;
    lethe_sorter *sorter; /* text NUL user NUL [time(8)] clicked(1): the time where queries are
                             counted; clicked: 1 where a text may be a hash, and has a click */
    lethe_sorter *clicks; /* url NUL user NUL [text NUL time(8)]; NULL: they are not counted */
    unsigned n_workers;
    struct finding *findings;
};

static const lethe_claim_field claim_fields[] = {
    {"t", LETHE_CLAIM_U64, .min = 1, .offset = offsetof(struct claim, t)},
    {"by", LETHE_CLAIM_CHOICE, .choices = unit_names, .n_choices = LETHE_COUNT(unit_names),
     .offset = offsetof(struct claim, unit)},
    {"rare", LETHE_CLAIM_WORD, .optional = true, .choices = (const char *const[]){"hash"},
     .n_choices = 1, .offset = offsetof(struct claim, hashes_exempt)},
    {"clicked", LETHE_CLAIM_WORD, .optional = true, .choices = (const char *const[]){"threshold"},
     .n_choices = 1, .offset = offsetof(struct claim, clicked)},
};

static lethe_err claim_read(lethe_diag *d, const lethe_json *claim, struct claim *out)
{
    return lethe_claim_read(d, claim, "query-threshold", claim_fields, LETHE_COUNT(claim_fields),
                            out);
}

/* --- counting --- */

static bool may_be_hash(const struct inspection *c, lethe_str text)
{
    return c->claim.hashes_exempt && lethe_is_text_hash(text);
}

/* text NUL user NUL [time] clicked, into `b`. */
static lethe_err pack(const lethe_row *row, bool with_time, bool clicked, lethe_buf *b)
{
    b->n = 0;
    LETHE_TRY(lethe_buf_reserve(b, row->query.n + row->user.n + 11));
    memcpy(b->at, row->query.at, row->query.n);
    uint8_t *user = b->at + row->query.n + 1;
    user[-1] = 0;
    memcpy(user, row->user.at, row->user.n);
    user[row->user.n] = 0;
    if (with_time) lethe_be64_put(user + row->user.n + 1, (uint64_t)row->time);
    b->n = row->query.n + row->user.n + (with_time ? 11 : 3);
    b->at[b->n - 1] = clicked;
    return LETHE_OK;
}

/* url NUL user NUL, and where queries are counted text NUL time. */
static lethe_err click_put(struct inspection *c, unsigned w, const lethe_row *row)
{
    lethe_buf *b = &c->findings[w].click;
    uint8_t time[8];
    bool queries = c->claim.unit == QUERIES;
    lethe_be64_put(time, (uint64_t)row->time);
    b->n = 0;
    lethe_err e = lethe_buf_str(b, row->url);
    if (e == LETHE_OK) e = lethe_buf_put(b, "", 1);
    if (e == LETHE_OK) e = lethe_buf_str(b, row->user);
    if (e == LETHE_OK) e = lethe_buf_put(b, "", 1);
    if (e == LETHE_OK && queries) e = lethe_buf_str(b, row->query);
    if (e == LETHE_OK && queries) e = lethe_buf_put(b, "", 1);
    if (e == LETHE_OK && queries) e = lethe_buf_put(b, time, sizeof time);
    if (e != LETHE_OK) return lethe_no_memory(c->ctx);
    return lethe_sorter_put(c->clicks, w, b->at, b->n);
}

/* A published log is sorted, so what is said twice mostly follows itself; where distinct things are
 * counted it need not be put again. */
static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct inspection *c = arg;
    struct finding *f = &c->findings[w];
    bool clicked = (row->url.n > 0 || row->rank != LETHE_NO_RANK) && may_be_hash(c, row->query);
    lethe_buf spare = f->before;
    f->rows++;
    f->hashed += may_be_hash(c, row->query);
    if (c->clicks && row->url.n > 0) LETHE_TRY(click_put(c, w, row));
    f->before = f->record;
    f->record = spare;
    if (pack(row, c->claim.unit == QUERIES, clicked, &f->record) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    bool again = c->claim.unit != ROWS && f->record.n == f->before.n &&
                 memcmp(f->record.at, f->before.at, f->record.n) == 0;
    return again ? LETHE_OK : lethe_sorter_put(c->sorter, w, f->record.at, f->record.n);
}

struct fields {
    lethe_str text, user, time;
    bool clicked;
};

static struct fields fields_of(lethe_str record)
{
    const char *end = record.at + record.n - 1;
    const char *text_end = memchr(record.at, 0, record.n);
    const char *user = text_end + 1, *user_end = memchr(user, 0, (size_t)(end - user));
    return (struct fields){
        .text = {record.at, (size_t)(text_end - record.at)},
        .user = {user, (size_t)(user_end - user)},
        .time = {user_end + 1, (size_t)(end - user_end) - 1},
        .clicked = *end,
    };
}

static lethe_err note(struct inspection *c, unsigned w, lethe_str text, uint64_t count,
                      bool clicked)
{
    struct finding *f = &c->findings[w];
    if (count >= c->claim.t || (!clicked && may_be_hash(c, text))) return LETHE_OK;
    lethe_str least = {(const char *)f->text.at, f->text.n};
    if (f->found && lethe_str_cmp(text, least) >= 0) return LETHE_OK;
    f->text.n = 0;
    if (lethe_buf_str(&f->text, text) != LETHE_OK) return lethe_no_memory(c->ctx);
    f->found = true;
    f->count = count;
    return LETHE_OK;
}

/* Does this row count beside the one before it, of the same text? */
static bool counts(enum unit unit, const struct fields *row, const struct fields *before)
{
    if (unit == ROWS || !lethe_str_eq(row->user, before->user)) return true;
    return unit == QUERIES && !lethe_str_eq(row->time, before->time);
}

static lethe_err part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct inspection *c = arg;
    struct fields before = {0};
    lethe_str record;
    uint64_t count = 0, n = 0;
    bool clicked = false; // some row of the text
    (void)i;
    for (; lethe_sorted_next(it, &record); n++) {
        struct fields row = fields_of(record);
        if (n > 0 && lethe_str_eq(row.text, before.text)) {
            count += counts(c->claim.unit, &row, &before);
        } else {
            if (n > 0) LETHE_TRY(note(c, w, before.text, count, clicked));
            count = 1;
            clicked = false;
            c->findings[w].texts += !may_be_hash(c, row.text);
        }
        clicked = clicked || row.clicked;
        before = row;
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (n > 0) LETHE_TRY(note(c, w, before.text, count, clicked));
    return LETHE_OK;
}

static lethe_err note_url(struct inspection *c, unsigned w, lethe_str url, uint64_t count)
{
    struct finding *f = &c->findings[w];
    if (count >= c->claim.t) return LETHE_OK;
    if (f->found_url && lethe_str_cmp(url, (lethe_str){(const char *)f->url.at, f->url.n}) >= 0)
        return LETHE_OK;
    f->url.n = 0;
    if (lethe_buf_str(&f->url, url) != LETHE_OK) return lethe_no_memory(c->ctx);
    f->found_url = true;
    f->url_count = count;
    return LETHE_OK;
}

/* Equal records are one user, or one query; or as many rows. */
static lethe_err click_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct inspection *c = arg;
    lethe_str record, before = {NULL, 0}, url = {NULL, 0};
    uint64_t count = 0;
    (void)i;
    for (; lethe_sorted_next(it, &record); before = record) {
        lethe_str here = {record.at, strnlen(record.at, record.n)};
        if (before.at && lethe_str_eq(here, url)) {
            count += c->claim.unit == ROWS || !lethe_str_eq(record, before);
        } else {
            if (before.at) LETHE_TRY(note_url(c, w, url, count));
            count = 1;
        }
        url = here;
    }
    if (before.at) LETHE_TRY(note_url(c, w, url, count));
    return lethe_sorted_err(it);
}

static lethe_err count_all(struct inspection *c, lethe_log *log)
{
    LETHE_TRY(
        lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(c->ctx) / 2, &c->sorter));
    if (c->claim.clicked)
        LETHE_TRY(
            lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(c->ctx) / 4, &c->clicks));
    lethe_ctx_phase(c->ctx, "reading back", 0);
    LETHE_TRY(lethe_log_walk(c->ctx, log, &(lethe_row_visitor){.row = on_row, .arg = c}));
    lethe_ctx_phase(c->ctx, "checking", lethe_sorter_count(c->sorter));
    LETHE_TRY(lethe_sorter_each(c->sorter, part, c));
    return c->clicks ? lethe_sorter_each(c->clicks, click_part, c) : LETHE_OK;
}

/* --- the verdict --- */

/* The least text with too few, or else the least address; NULL: there is none. */
static const struct finding *least_of(const struct inspection *c, bool urls)
{
    const struct finding *least = NULL;
    for (unsigned w = 0; w < c->n_workers; w++) {
        const struct finding *f = &c->findings[w];
        const lethe_buf *mine = urls ? &f->url : &f->text, *other = !least ? NULL
                                                                    : urls ? &least->url
                                                                           : &least->text;
        if (urls ? !f->found_url : !f->found) continue;
        if (!least || lethe_str_cmp((lethe_str){(const char *)mine->at, mine->n},
                                    (lethe_str){(const char *)other->at, other->n}) < 0)
            least = f;
    }
    return least;
}

static lethe_err answer(struct inspection *c, lethe_json_doc *doc, bool *holds, lethe_json **why)
{
    const struct finding *text = least_of(c, false), *least = text ? text : least_of(c, true);
    if (least) {
        const lethe_buf *what = text ? &least->text : &least->url;
        lethe_json *o = lethe_json_object(doc);
        lethe_json_set(doc, o, text ? "query" : "url",
                       lethe_json_new_text(doc, (lethe_str){(const char *)what->at, what->n}));
        lethe_json_set(doc, o, unit_names[c->claim.unit],
                       lethe_json_new_int(doc, (int64_t)(text ? least->count : least->url_count)));
        lethe_json_set(doc, o, "needed", lethe_json_new_int(doc, (int64_t)c->claim.t));
        if (lethe_json_failed(doc)) return lethe_no_memory(c->ctx);
        *why = o;
    }
    *holds = !least;
    return LETHE_OK;
}

static void tell_seen(const struct inspection *c, lethe_log_seen *seen)
{
    seen->what |= LETHE_SEES_TEXTS;
    seen->rows = seen->hashed = seen->texts = 0;
    for (unsigned w = 0; w < c->n_workers; w++) {
        seen->rows += c->findings[w].rows;
        seen->hashed += c->findings[w].hashed;
        seen->texts += c->findings[w].texts;
    }
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.ctx = p->ctx, .n_workers = lethe_ctx_threads(p->ctx)};
    lethe_log *log = NULL;
    LETHE_TRY(claim_read(lethe_ctx_diag(p->ctx), claim, &c.claim));
    c.findings = lethe_alloc_zero(c.n_workers, sizeof *c.findings);
    if (!c.findings) return lethe_no_memory(p->ctx);
    lethe_err err = lethe_log_published(p->ctx, p->dirfd, "data.tsv", &log);
    if (err == LETHE_OK) lethe_log_expect(log, p->form);
    if (err == LETHE_OK) err = count_all(&c, log);
    if (err == LETHE_OK) err = answer(&c, doc, holds, why);
    if (err == LETHE_OK) tell_seen(&c, &p->seen);
    lethe_log_free(log);
    lethe_sorter_free(c.sorter);
    lethe_sorter_free(c.clicks);
    for (unsigned w = 0; w < c.n_workers; w++) {
        lethe_buf_free(&c.findings[w].text);
        lethe_buf_free(&c.findings[w].url);
        lethe_buf_free(&c.findings[w].click);
        lethe_buf_free(&c.findings[w].record);
        lethe_buf_free(&c.findings[w].before);
    }
    lethe_free(c.findings);
    return err;
}

static uint64_t persons(const lethe_json *claim, lethe_str query)
{
    struct claim c = {0};
    if (claim_read(NULL, claim, &c) != LETHE_OK) return UINT64_MAX; /* nothing keeps it */
    return c.unit != USERS || (c.hashes_exempt && lethe_is_text_hash(query)) ? 0 : c.t;
}

static const char *nothing(const lethe_json *claim)
{
    static const char *const of_one[] = {
        [USERS] = "query-threshold with t = 1 promises nothing: every text has at least one user.",
        [QUERIES] = ("query-threshold with t = 1 promises nothing: every text was issued at least "
                     "once."),
        [ROWS] = "query-threshold with t = 1 promises nothing: every text is in at least one row."};
    uint32_t unit =
        lethe_claim_choice(lethe_json_get(claim, "by"), unit_names, LETHE_COUNT(unit_names));
    return unit != LETHE_NONE && lethe_claim_at_most(claim, "t", 1) ? of_one[unit] : NULL;
}

const lethe_notion lethe_notion_query_threshold = {
    .name = "query-threshold",
    .holds = "every published query text has at least t distinct users (or queries, or rows); with "
             "rare=hash, # and 32 hexadecimal digits without a click are exempt; with "
             "clicked=threshold, every published URL has as many",
    .shapes = LETHE_SHAPE_LOG,
    .check = check,
    .persons = persons,
    .nothing = nothing,
};
