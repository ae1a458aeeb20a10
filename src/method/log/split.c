/* SPDX-License-Identifier: Apache-2.0 */
/* split.c - publishes one person as several: one persona per day, session, interest, or query.
 * E. Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 6 ("Split personality").
 *
 * Rows are sorted by user.  A user's rows, those of one owner, then come in order of time, those of
 * one second in order of their texts, and each is emitted under the name of its persona.
 *
 * By day, gap and query a persona is made by its times.  What has none may belong anywhere, so it
 * is joined with nothing: each row without a time is a persona of its own.
 *
 * By interest, a query needs its results.  Without a file of results these are the URLs that were
 * clicked for the same text anywhere in the log: rows are then sorted by text first, and the first
 * row that each user has with a text carries the text's results, as numbers behind its URL. */
#include "method/method.h"
#include "method/log/similar.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"
#include "model/knowledge/results.h"

enum by { BY_DAY, BY_GAP, BY_INTEREST, BY_QUERY }; /* the choices of --by */
static const char *const by_names[] = {"day", "gap", "interest", "query"};

#define DAY_S INT64_C(86400)
#define TOP_MAX 1000
#define NAME_CHARS LETHE_PSEUDONYM_CHARS
#define RESULT_BYTES 8

/* A clicked URL among the best of its text. */
struct click {
    lethe_buf url;
    uint32_t rank; /* the best it had; LETHE_NO_RANK comes last */
};

struct worker {
    lethe_buf record, message, numbers;
    struct click *clicks; /* the best of the current text */
    size_t n_clicks;
    lethe_similar *similar;
    lethe_buf personas; /* by interest: the number of the persona of each of the user's texts */
    lethe_buf names;    /* by interest: the name of each of the user's personas */
    uint64_t n_users, n_queries, n_personas;
    uint64_t n_rows, n_timeless; /* of the input; n_timeless: without a time */
    lethe_time_grain grain;
    char apart[64]; /* no two workers write in one cache line */
};

struct split {
    lethe_run *run;
    lethe_result *out;
    enum by by;
    int64_t gap_s;
    size_t top;
    double edit, overlap;
    lethe_secret *name_key, *url_key;
    lethe_results *results; /* NULL: those of the log's own clicks */
    lethe_sorter *texts;    /* rows by text; NULL: no results to gather */
    lethe_sorter *users;    /* rows by user */
    unsigned n_workers;
    struct worker *workers;
};

/* Reports a lack of memory that the callee did not report. */
static lethe_err report(const struct split *h, lethe_err e)
{
    return e == LETHE_ENOMEM ? lethe_no_memory(h->run->ctx) : e;
}

/* --- rows into the sorters --- */

static lethe_err sort_by_user(struct split *h, unsigned w, const lethe_row *row)
{
    lethe_buf *b = &h->workers[w].record;
    LETHE_TRY(report(h, lethe_row_pack(row, LETHE_BY_USER, b)));
    return lethe_sorter_put(h->users, w, b->at, b->n);
}

static lethe_err sort_row(void *arg, unsigned w, const lethe_row *row)
{
    struct split *h = arg;
    lethe_buf *b = &h->workers[w].record;
    h->workers[w].n_rows++;
    h->workers[w].n_timeless += row->time == LETHE_NO_TIME;
    lethe_time_grain_add(&h->workers[w].grain, row->time);
    if (!h->texts) return sort_by_user(h, w, row);
    LETHE_TRY(report(h, lethe_row_pack(row, LETHE_BY_QUERY, b)));
    return lethe_sorter_put(h->texts, w, b->at, b->n);
}

/* --- the URLs clicked for a text --- */

static lethe_str url_of(const struct click *c)
{
    return (lethe_str){(const char *)c->url.at, c->url.n};
}

/* By rank, then by the URL's bytes. */
static bool is_better(uint32_t rank, lethe_str url, const struct click *than)
{
    return rank != than->rank ? rank < than->rank : lethe_str_cmp(url, url_of(than)) < 0;
}

/* Keeps the best `top` URLs, each with its best rank.  A URL that falls out stays out, or comes
 * back with a better rank: those that are kept only get better. */
static lethe_err keep_click(const struct split *h, struct worker *k, const lethe_row *row)
{
    struct click *worst = NULL;
    for (size_t i = 0; i < k->n_clicks; i++) {
        struct click *c = &k->clicks[i];
        if (lethe_str_eq(url_of(c), row->url)) {
            c->rank = LETHE_MIN(c->rank, row->rank);
            return LETHE_OK;
        }
        if (!worst || is_better(worst->rank, url_of(worst), c)) worst = c;
    }
    assert(h->top > 0);
    if (k->n_clicks < h->top)
        worst = &k->clicks[k->n_clicks++];
    else if (!worst || !is_better(row->rank, row->url, worst))
        return LETHE_OK;
    worst->rank = row->rank;
    worst->url.n = 0;
    return lethe_buf_str(&worst->url, row->url);
}

static bool is_same_user(const lethe_row *a, const lethe_row *b)
{
    return lethe_str_eq(a->user, b->user) && lethe_str_eq(a->owner, b->owner);
}

/* Reads the *n rows of the text whose first one is `record`, and the first row of the next text.
 * The best URLs become numbers, 64 bits of a keyed hash each: two of one user collide by chance
 * once in thousands of millions of users, and nobody without the key can construct a collision. */
static lethe_err gather_clicks(const struct split *h, struct worker *k, lethe_sorted *it,
                               lethe_str record, uint64_t *n)
{
    lethe_row row, before;
    lethe_row_unpack(record, LETHE_BY_QUERY, &row);
    k->n_clicks = 0;
    *n = 0;
    do {
        if (row.url.n > 0) LETHE_TRY(report(h, keep_click(h, k, &row)));
        ++*n;
        before = row;
        if (!lethe_sorted_next(it, &record)) break;
        lethe_row_unpack(record, LETHE_BY_QUERY, &row);
    } while (lethe_str_eq(row.query, before.query));
    LETHE_TRY(lethe_sorted_err(it));
    uint8_t mac[16];
    k->numbers.n = 0;
    LETHE_TRY(report(h, lethe_buf_put(&k->numbers, "", 1))); // ends a URL
    for (size_t i = 0; i < k->n_clicks; i++) {
        lethe_secret_mac(h->url_key, url_of(&k->clicks[i]), mac, sizeof mac);
        LETHE_TRY(report(h, lethe_buf_put(&k->numbers, mac, RESULT_BYTES)));
    }
    return LETHE_OK;
}

/* Passes the text's n rows to the sorter by user; the first of each user carries the numbers. */
static lethe_err sort_text_by_user(struct split *h, unsigned w, lethe_sorted *it, uint64_t n)
{
    struct worker *k = &h->workers[w];
    lethe_str record;
    lethe_row row, before = {0};
    LETHE_TRY(lethe_sorted_rewind(it));
    for (uint64_t i = 0; i < n && lethe_sorted_next(it, &record); i++) {
        lethe_row_unpack(record, LETHE_BY_QUERY, &row);
        lethe_row with_numbers = row;
        if (k->n_clicks > 0 && (i == 0 || !is_same_user(&row, &before))) {
            k->message.n = 0;
            LETHE_TRY(report(h, lethe_buf_str(&k->message, row.url)));
            LETHE_TRY(report(h, lethe_buf_put(&k->message, k->numbers.at, k->numbers.n)));
            with_numbers.url = (lethe_str){(const char *)k->message.at, k->message.n};
        }
        LETHE_TRY(sort_by_user(h, w, &with_numbers));
        before = row;
    }
    return lethe_sorted_err(it);
}

static lethe_err gather_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct split *h = arg;
    lethe_str record;
    uint64_t n;
    (void)i;
    while (lethe_sorted_next(it, &record)) {
        lethe_sorted_mark(it); /* before the text's first row */
        LETHE_TRY(gather_clicks(h, &h->workers[w], it, record, &n));
        LETHE_TRY(sort_text_by_user(h, w, it, n));
    }
    return lethe_sorted_err(it);
}

/* --- personas --- */

/* The user whose rows a worker is reading. */
struct person {
    lethe_row last;      /* of the previous row, what is compared; views of its record */
    bool is_new;         /* no row of the user has come yet */
    uint64_t n_personas; /* of the user so far */
    int64_t start;       /* by day: time of the persona's first query */
    char name[NAME_CHARS];
};

/* Begins the persona whose first query this is.  Its name reveals nothing without the key.  The
 * first query is part of the name, so that releases of different logs with one key do not share
 * names that only mean "the third persona of this user". */
static lethe_err begin_persona(const struct split *h, struct worker *k, struct person *p,
                               const lethe_row *row)
{
    static const char digits[] = LETHE_PSEUDONYM_DIGITS;
    uint8_t mac[16], numbers[16];
    lethe_buf *b = &k->message;
    lethe_be64_put(numbers, p->n_personas);
    lethe_be64_put(numbers + 8, (uint64_t)row->time);
    b->n = 0;
    if (lethe_buf_str(b, row->owner) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_str(b, row->user) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, numbers, sizeof numbers) != LETHE_OK ||
        lethe_buf_str(b, row->query) != LETHE_OK)
        return LETHE_ENOMEM;
    lethe_secret_mac(h->name_key, (lethe_str){(const char *)b->at, b->n}, mac, sizeof mac);
    for (size_t i = 0; i < NAME_CHARS; i++)
        p->name[i] = digits[mac[i] & 31];
    p->n_personas++;
    p->start = row->time;
    k->n_personas++;
    return LETHE_OK;
}

/* Rows of one user with the same text and time are one query.  Where times decide, rows without one
 * may be of different times. */
static bool begins_query(const struct split *h, const struct person *p, const lethe_row *row)
{
    if (p->is_new || row->time != p->last.time || !lethe_str_eq(row->query, p->last.query))
        return true;
    return h->by != BY_INTEREST && row->time == LETHE_NO_TIME;
}

/* Does this query begin a new persona?  Nothing joins a row without a time. */
static bool begins_persona(const struct split *h, const struct person *p, const lethe_row *row)
{
    if (p->is_new || h->by == BY_QUERY) return true;
    if (row->time == LETHE_NO_TIME || p->last.time == LETHE_NO_TIME) return true;
    if (h->by == BY_DAY) return row->time - p->start >= DAY_S;
    return row->time - p->last.time > h->gap_s;
}

/* The persona of the first earlier query that is similar, or a new one.  `numbers`: the results of
 * the text, where they come with the row. */
static lethe_err join_by_interest(const struct split *h, struct worker *k, struct person *p,
                                  const lethe_row *row, lethe_str numbers)
{
    uint32_t index, first, number;
    size_t n = 0;
    k->numbers.n = 0;
    const uint32_t *urls = h->results ? lethe_results_of(h->results, row->query, &n) : NULL;
    if (!h->results) LETHE_TRY(lethe_buf_str(&k->numbers, numbers));
    for (size_t i = 0; i < LETHE_MIN(n, h->top); i++)
        LETHE_TRY(lethe_buf_put(&k->numbers, &(uint64_t){urls[i]}, sizeof(uint64_t)));
    LETHE_TRY(lethe_similar_add(k->similar, row->query,
                                (const uint64_t *)(const void *)k->numbers.at,
                                k->numbers.n / RESULT_BYTES, &index, &first));
    if (first != LETHE_NONE) {
        number = ((const uint32_t *)(const void *)k->personas.at)[first];
        memcpy(p->name, k->names.at + (size_t)number * NAME_CHARS, NAME_CHARS);
    } else {
        number = (uint32_t)p->n_personas;
        LETHE_TRY(begin_persona(h, k, p, row));
        LETHE_TRY(lethe_buf_put(&k->names, p->name, NAME_CHARS));
    }
    if (first == index) return LETHE_OK; /* the text has been there before */
    return lethe_buf_put(&k->personas, &number, sizeof number);
}

/* The numbers that sort_text_by_user() put behind the URL; empty if there are none. */
static lethe_str cut_numbers(lethe_row *row)
{
    const char *nul = row->url.n ? memchr(row->url.at, 0, row->url.n) : NULL;
    if (!nul) return (lethe_str){"", 0};
    size_t n = (size_t)(nul - row->url.at);
    lethe_str numbers = {nul + 1, row->url.n - n - 1};
    row->url.n = n;
    return numbers;
}

static lethe_err split_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct split *h = arg;
    struct worker *k = &h->workers[w];
    struct person p = {.is_new = true};
    lethe_str record;
    lethe_row row;
    (void)i;
    while (lethe_sorted_next(it, &record)) {
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
        lethe_row_unpack(record, LETHE_BY_USER, &row);
        lethe_str numbers = cut_numbers(&row);
        if (p.is_new || !is_same_user(&row, &p.last)) {
            p = (struct person){.is_new = true};
            k->n_users++;
            k->personas.n = k->names.n = 0;
            if (k->similar) LETHE_TRY(report(h, lethe_similar_clear(k->similar)));
        }
        if (begins_query(h, &p, &row)) {
            k->n_queries++;
            if (h->by == BY_INTEREST)
                LETHE_TRY(report(h, join_by_interest(h, k, &p, &row, numbers)));
            else if (begins_persona(h, &p, &row))
                LETHE_TRY(report(h, begin_persona(h, k, &p, &row)));
        }
        // member by member: a string that was just stored in two halves is not loaded as one
        p.last.owner = lethe_str_by_halves(&row.owner);
        p.last.user = lethe_str_by_halves(&row.user);
        p.last.query = lethe_str_by_halves(&row.query);
        p.last.time = row.time;
        p.is_new = false;
        row.user = (lethe_str){p.name, NAME_CHARS};
        LETHE_TRY(h->out->emit(h->out, w, &row));
    }
    return lethe_sorted_err(it);
}

/* --- the method --- */

static lethe_err split_open(struct split *h, const char *results)
{
    lethe_ctx *ctx = h->run->ctx;
    uint64_t bytes = h->run->memory_bytes;
    if (results) {
        lethe_ctx_phase(ctx, "results", 0);
        LETHE_TRY(lethe_results_read(ctx, results, &h->results));
    }
    bool gather = h->by == BY_INTEREST && !h->results;
    h->workers = lethe_alloc_zero(h->n_workers, sizeof *h->workers);
    if (!h->workers) return lethe_no_memory(ctx);
    for (unsigned w = 0; w < h->n_workers && h->by == BY_INTEREST; w++) {
        struct worker *k = &h->workers[w];
        k->similar = lethe_similar_new(h->edit, h->overlap);
        if (gather) k->clicks = lethe_alloc_zero(h->top, sizeof *k->clicks);
        if (!k->similar || (gather && !k->clicks)) return lethe_no_memory(ctx);
    }
    if (lethe_secret_derive(h->run->key, "persona", &h->name_key) != LETHE_OK ||
        lethe_secret_derive(h->run->key, "persona-url", &h->url_key) != LETHE_OK)
        return lethe_no_memory(ctx);
    if (gather) LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, bytes / 2, &h->texts));
    return lethe_sorter_new(ctx, LETHE_ORDER_GROUP, gather ? bytes / 2 : bytes, &h->users);
}

static void split_close(struct split *h)
{
    lethe_sorter_free(h->texts);
    lethe_sorter_free(h->users);
    lethe_secret_free(h->name_key);
    lethe_secret_free(h->url_key);
    lethe_results_free(h->results);
    for (unsigned w = 0; h->workers && w < h->n_workers; w++) {
        struct worker *k = &h->workers[w];
        for (size_t i = 0; k->clicks && i < h->top; i++)
            lethe_buf_free(&k->clicks[i].url);
        lethe_free(k->clicks);
        lethe_similar_free(k->similar);
        lethe_buf_free(&k->record);
        lethe_buf_free(&k->message);
        lethe_buf_free(&k->numbers);
        lethe_buf_free(&k->personas);
        lethe_buf_free(&k->names);
    }
    lethe_free(h->workers);
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

/* A log without times cannot be split by them: every promise about it would be empty. */
static lethe_err times_check(const struct split *h)
{
    uint64_t rows = 0, timeless = 0;
    lethe_time_grain grain = {0};
    if (h->by == BY_INTEREST || h->run->part) return LETHE_OK;
    for (unsigned w = 0; w < h->n_workers; w++) {
        rows += h->workers[w].n_rows;
        timeless += h->workers[w].n_timeless;
        lethe_time_grain_join(&grain, &h->workers[w].grain);
    }
    if (rows > 0 && timeless == rows && h->by != BY_QUERY)
        return lethe_fail(h->run->ctx, LETHE_EINPUT,
                          "no row has a time: --by %s needs times (use --by interest or query)",
                          by_names[h->by]);
    const char *coarse = h->by == BY_GAP   ? lethe_time_grain_coarse(&grain, h->gap_s)
                         : h->by == BY_DAY ? lethe_time_grain_coarse(&grain, DAY_S)
                                           : NULL;
    if (coarse && h->by == BY_DAY)
        return lethe_fail(h->run->ctx, LETHE_EINPUT,
                          "all times are whole %s, in which days cannot be seen: use --by interest "
                          "or query",
                          coarse);
    bool days = coarse && (strcmp(coarse, "days") == 0 || strcmp(coarse, "hours") == 0);
    if (coarse)
        return lethe_fail(h->run->ctx, LETHE_EINPUT,
                          "all times are whole %s, in which pauses of --gap cannot be seen: use "
                          "%sa longer --gap",
                          coarse, days ? "--by day, or " : "");
    if (timeless > 0)
        lethe_note(lethe_ctx_diag(h->run->ctx), "%llu %s no time: each is a persona of its own",
                   (unsigned long long)timeless, timeless == 1 ? "row has" : "rows have");
    return LETHE_OK;
}

static lethe_err split_log(struct split *h, lethe_log *log)
{
    lethe_ctx *ctx = h->run->ctx;
    lethe_json_doc *doc = h->out->doc;
    uint64_t users = 0, queries = 0, personas = 0;
    lethe_ctx_phase(ctx, "reading", 0);
    LETHE_TRY(lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = sort_row, .arg = h}));
    LETHE_TRY(times_check(h));
    if (h->texts) {
        lethe_ctx_phase(ctx, "clicks", lethe_sorter_count(h->texts));
        LETHE_TRY(lethe_sorter_each(h->texts, gather_part, h));
    }
    lethe_ctx_phase(ctx, "users", lethe_sorter_count(h->users));
    LETHE_TRY(lethe_sorter_each(h->users, split_part, h));
    for (unsigned w = 0; w < h->n_workers; w++) {
        users += h->workers[w].n_users;
        queries += h->workers[w].n_queries;
        personas += h->workers[w].n_personas;
    }
    lethe_set_count(doc, h->out->metrics, "users", users);
    lethe_set_count(doc, h->out->metrics, "personas", personas);
    lethe_set_real(doc, h->out->metrics, "personas_per_user", ratio(personas, users));
    lethe_set_real(doc, h->out->metrics, "queries_per_persona", ratio(queries, personas));
    return lethe_json_failed(doc) ? lethe_no_memory(ctx) : LETHE_OK;
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    const lethe_values *v = run->values;
    struct split h = {.run = run,
                      .out = out,
                      .by = (enum by)lethe_count_of(v, "by"),
                      .gap_s = lethe_count_of(v, "gap"),
                      .top = (size_t)lethe_count_of(v, "top"),
                      .edit = lethe_value_of(v, "edit")->real,
                      .overlap = lethe_value_of(v, "overlap")->real,
                      .n_workers = lethe_ctx_threads(run->ctx)};
    lethe_err err = split_open(&h, lethe_value_of(v, "results")->text);
    if (err == LETHE_OK) err = split_log(&h, in->log);
    split_close(&h);
    return err;
}

/* --- promise and caveats --- */

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *c = lethe_json_object(doc);
    int64_t by = lethe_count_of(v, "by");
    lethe_set_text(doc, c, "notion", "personas");
    lethe_set_text(doc, c, "by", by_names[by]);
    if (by == BY_GAP)
        lethe_json_set(doc, c, "gap", lethe_json_new_int(doc, lethe_count_of(v, "gap")));
    if (by == BY_INTEREST) {
        lethe_set_real(doc, c, "edit", lethe_value_of(v, "edit")->real);
        lethe_set_real(doc, c, "overlap", lethe_value_of(v, "overlap")->real);
        lethe_json_set(doc, c, "top", lethe_json_new_int(doc, lethe_count_of(v, "top")));
        lethe_set_text(doc, c, "results", lethe_value_of(v, "results")->given ? "file" : "clicks");
    }
    lethe_json_push(doc, out, c);
}

static lethe_err validate(const lethe_values *v, lethe_diag *d)
{
    if (lethe_value_of(v, "results")->given && lethe_count_of(v, "by") != BY_INTEREST)
        return lethe_fail(d, LETHE_EUSAGE, "--results can only be used with --by interest");
    return LETHE_OK;
}

static const char *const caveats[] = {
    "Personas of one person can be linked again: a rare query that two of them share, or times and "
    "days at which only that person is active, connect them (Adar, section 6.1; `lethe attack` "
    "shows how often).",
    "A single query can name a person, whoever is said to have asked it: splitting hides no query. "
    "Scrub and threshold first: the recommended chain is scrub, threshold, split.",
    "Personas of one person that begin where others end are visible in times published to the "
    "second.",
    NULL,
};

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    int64_t by = lethe_count_of(v, "by");
    size_t n = 0;
    if (by == BY_INTEREST) {
        out[n++] = "--by interest: everything that a person asks about one subject stays together, "
                   "over the whole time of the log.";
        if (lethe_value_of(v, "results")->given)
            out[n++] = "--by interest --results: the promise can be checked from a release only as "
                       "far as the texts show it, and with the file of results.";
        else
            out[n++] = "--by interest: that two queries had a clicked page in common can be seen "
                       "from a release only as far as clicks are published; by default it shows "
                       "their hosts.";
    } else {
        out[n++] = "--by day, gap or query: the same query returns under several names, so a text "
                   "with many users after the split may come from one person. A threshold must "
                   "count persons: in one chain it does; from the published file alone nobody can.";
    }
    return n;
}

/* --- the descriptor --- */

// clang-format off
static const lethe_option options[] = {
    {.name = "by", .type = LETHE_OPT_CHOICE, .arg = "day|gap|interest|query",
     .fallback = "interest",
     .help = "where a new persona begins: 24 hours after the persona's first query, after a "
             "pause longer than --gap, with a query unlike all before it, or with every query"},
    {.name = "gap", .type = LETHE_OPT_DURATION, .arg = "DURATION", .fallback = "60m", .min = 1,
     .max = 3.2e9,
     .help = "by gap: a pause longer than this begins a new persona"},
    {.name = "results", .type = LETHE_OPT_PATH, .arg = "FILE", .told = true,
     .help = "by interest: the search engine's answers, one query and URL per line, in rank "
             "order; without it, the URLs that were clicked for the same text anywhere in the log"},
    {.name = "top", .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "50", .min = 1, .max = TOP_MAX,
     .help = "by interest: number of results per query that count"},
    {.name = "edit", .type = LETHE_OPT_REAL, .arg = "SHARE", .fallback = "0.2", .min = 0, .max = 1,
     .help = "by interest: texts are similar if their Levenshtein distance is at most this share "
             "of the longer one"},
    {.name = "overlap", .type = LETHE_OPT_REAL, .arg = "SHARE", .fallback = "0.5", .min = 0,
     .max = 1,
     .help = "by interest: texts are similar if at least this share of all their words is in both"},
    {.name = NULL},
};
// clang-format on

static const lethe_figure figures[] = {
    {"users", "users before", .better = 0, .label = "users before"},
    {"personas", "users after", 0, .source = LETHE_FIGURE_RELEASE},
    {"personas_per_user", "mean", 0, .kind = LETHE_FIGURE_NUMBER, .label = "personas per user",
     .unit = "on average"},
    {"queries_per_persona", "mean; rows of one user with the same text and time are one query", 0,
     .kind = LETHE_FIGURE_NUMBER, .label = "queries per persona", .unit = "on average"},
    {"undecided",
     "by interest: texts that no earlier text of their published persona explains; by day, gap or "
     "query: rows of which the release does not show whether they belong to their persona",
     0, .optional = true, .label = "not shown by the release", .unit = "texts or rows"},
    {"rows_without_time", "by day, gap or query: published rows without a time", 0,
     .source = LETHE_FIGURE_RELEASE, .optional = true, .label = "rows without a time"},
    {.name = NULL},
};

const lethe_method lethe_method_split = {
    .name = "split",
    .summary = "split each user into personas: by day, by pause, by interest or by query",
    .description =
        "Gives every row a new user: a persona. What a person asked is thereby divided into pieces "
        "that do not show that they belong to one person: queries that are harmless one by one, "
        "and identify somebody together, are no longer together. No row is left out, and nothing "
        "but the user is changed.\n"
        "\n"
        "By interest, a user's queries are taken in order of time, those of one second in order of "
        "their texts. A query joins the persona of the first earlier query that is similar to it, "
        "and begins a new persona if there is none. Two queries are similar if they have the same "
        "text; or if their first --top results have one in common; or if their Levenshtein "
        "distance, in characters, is at most --edit of the longer text; or if at least --overlap "
        "of their words are common to both. Results come from --results, a file that is held in "
        "memory; a query that is not in it has none. Without the option, a text's results are the "
        "URLs that anybody in the log clicked for it, by their best rank, then in order of bytes. "
        "A user's distinct texts are held in memory while the user is split.\n"
        "\n"
        "By day, a persona lasts 24 hours from its first query; the first query after that begins "
        "the next. By gap, a pause longer than --gap begins a new one; a log whose times are all "
        "whole days, or hours, with a shorter gap is refused. By query, no two queries "
        "share a user: those of one user with the same text and the same time, to the second, are "
        "one. In all three a row without a time is a persona of its own, and by day and by gap a "
        "log in which no row has a time is refused. With --time drop nobody can check from the "
        "release that the times were kept apart.\n"
        "\n"
        "Names of personas are keyed (see --key-file), also with --keep-users and -o -: without "
        "the key nobody can tell which belong together. Steps of the same chain still count "
        "persons: threshold before or after this step counts a person split in three as one. The "
        "recommended chain is scrub, threshold, split.",
    .paper =
        "E. Adar, \"User 4XXXXX9: Anonymizing Query Logs\", Query Log Analysis workshop at WWW "
        "2007, section 6",
    .in = LETHE_SHAPE_LOG,
    .out = LETHE_SHAPE_LOG,
    .carries = true,
    .options = options,
    .validate = validate,
    .figures = figures,
    .notion = "personas",
    .claims = claims,
    .renames = true,
    .sweep = "by",
    .good_for = {[LETHE_GOAL_SESSIONS] = 3, [LETHE_GOAL_CLICKS] = 2, [LETHE_GOAL_COUNTS] = 2},
    .keeps = "every query with its day and click; what one person asked stays together within a "
             "persona only",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe split log.tsv.gz --by interest -o release/",
    .run = run,
};
