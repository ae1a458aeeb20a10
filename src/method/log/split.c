/* split.c - one person becomes many: a persona for each day, run of queries, interest, or query.
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 6 ("Split personality").
 *
 * Rows go through the sorter by user; a user's rows, those of one owner, then come in order of
 * time, those of one second in order of their texts, and each is handed on under the name of its
 * persona.
 *
 * By interest, a query needs its results.  Where no file gives them they are what was clicked for
 * the same text anywhere in the log: rows then go through a sorter by text first, and the first row
 * that each user has with a text takes the text's results along, as numbers behind its URL. */
#include "method/method.h"
#include "method/log/similar.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"
#include "model/knowledge/results.h"

enum by { BY_DAY, BY_GAP, BY_INTEREST, BY_QUERY }; /* as the choices of --by */
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

/* A worker's own; on the heap by itself, so that workers do not share cache lines. */
struct worker {
    lethe_buf record, message, numbers;
    struct click *clicks; /* the best of the text at hand */
    size_t n_clicks;
    lethe_similar *similar;
    lethe_buf personas; /* by interest: of each of the user's texts, the number of its persona */
    lethe_buf names;    /* by interest: of each of the user's personas, its name */
    uint64_t n_users, n_queries, n_personas;
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
    lethe_sorter *texts;    /* rows by text; NULL: results need not be gathered */
    lethe_sorter *users;    /* rows by user */
    unsigned n_workers;
    struct worker **workers;
};

/* --- rows into the sorters --- */

static lethe_err put_by_user(struct split *h, unsigned w, const lethe_row *row)
{
    lethe_buf *b = &h->workers[w]->record;
    if (lethe_row_pack(row, LETHE_BY_USER, b) != LETHE_OK) return lethe_no_memory(h->run->ctx);
    return lethe_sorter_put(h->users, w, b->at, b->n);
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct split *h = arg;
    lethe_buf *b = &h->workers[w]->record;
    if (!h->texts) return put_by_user(h, w, row);
    if (lethe_row_pack(row, LETHE_BY_QUERY, b) != LETHE_OK) return lethe_no_memory(h->run->ctx);
    return lethe_sorter_put(h->texts, w, b->at, b->n);
}

/* --- what was clicked for a text --- */

static lethe_str url_of(const struct click *c)
{
    return (lethe_str){(const char *)c->url.at, c->url.n};
}

/* Does a click come before another?  By rank, then by the URL's bytes. */
static bool is_better(uint32_t rank, lethe_str url, const struct click *than)
{
    return rank != than->rank ? rank < than->rank : lethe_str_cmp(url, url_of(than)) < 0;
}

/* Keeps the best `top` URLs, each with its best rank.  What falls out stays out, or comes back with
 * a better rank: those that are kept only get better. */
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
    return lethe_buf_str(&worst->url, row->url) == LETHE_OK ? LETHE_OK
                                                            : lethe_no_memory(h->run->ctx);
}

/* The kept URLs as numbers: 64 bits of a keyed hash.  Two URLs of one user meet by chance once in
 * many thousands of millions of users; nobody without the key can make them. */
static lethe_err number_clicks(const struct split *h, struct worker *k)
{
    uint8_t mac[16];
    k->numbers.n = 0;
    if (lethe_buf_put(&k->numbers, "", 1) != LETHE_OK)
        return lethe_no_memory(h->run->ctx); /* ends a URL */
    for (size_t i = 0; i < k->n_clicks; i++) {
        lethe_secret_mac(h->url_key, url_of(&k->clicks[i]), mac, sizeof mac);
        if (lethe_buf_put(&k->numbers, mac, RESULT_BYTES) != LETHE_OK)
            return lethe_no_memory(h->run->ctx);
    }
    return LETHE_OK;
}

/* The row with the numbers behind its URL. */
static lethe_err put_with_numbers(struct split *h, unsigned w, lethe_row row)
{
    struct worker *k = h->workers[w];
    k->message.n = 0;
    if (lethe_buf_str(&k->message, row.url) != LETHE_OK ||
        lethe_buf_put(&k->message, k->numbers.at, k->numbers.n) != LETHE_OK)
        return lethe_no_memory(h->run->ctx);
    row.url = (lethe_str){(const char *)k->message.at, k->message.n};
    return put_by_user(h, w, &row);
}

static bool is_same_user(const lethe_row *a, const lethe_row *b)
{
    return lethe_str_eq(a->user, b->user) && lethe_str_eq(a->owner, b->owner);
}

/* Reads the rows of the text that `record` is the first of; *n of them.  The first row of the next
 * text, if there is one, is taken with them. */
static lethe_err gather_clicks(const struct split *h, struct worker *k, lethe_sorted *it,
                               lethe_str record, uint64_t *n)
{
    lethe_row row, before;
    lethe_row_unpack(record, LETHE_BY_QUERY, &row);
    k->n_clicks = 0;
    *n = 0;
    do {
        if (row.url.n > 0) LETHE_TRY(keep_click(h, k, &row));
        ++*n;
        before = row;
        if (!lethe_sorted_next(it, &record)) break;
        lethe_row_unpack(record, LETHE_BY_QUERY, &row);
    } while (lethe_str_eq(row.query, before.query));
    LETHE_TRY(lethe_sorted_err(it));
    return number_clicks(h, k);
}

static lethe_err hand_to_users(struct split *h, unsigned w, lethe_sorted *it, uint64_t n)
{
    lethe_str record;
    lethe_row row, before = {0};
    bool clicked = h->workers[w]->n_clicks > 0;
    LETHE_TRY(lethe_sorted_rewind(it));
    for (uint64_t i = 0; i < n && lethe_sorted_next(it, &record); i++) {
        lethe_row_unpack(record, LETHE_BY_QUERY, &row);
        bool first = i == 0 || !is_same_user(&row, &before);
        LETHE_TRY(clicked && first ? put_with_numbers(h, w, row) : put_by_user(h, w, &row));
        before = row;
    }
    return lethe_sorted_err(it);
}

static lethe_err part_of_texts(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct split *h = arg;
    lethe_str record;
    uint64_t n;
    (void)i;
    while (lethe_sorted_next(it, &record)) {
        lethe_sorted_mark(it); /* before the text's first row */
        LETHE_TRY(gather_clicks(h, h->workers[w], it, record, &n));
        LETHE_TRY(hand_to_users(h, w, it, n));
    }
    return lethe_sorted_err(it);
}

/* --- personas --- */

/* Where a worker is in a user's queries. */
struct person {
    lethe_row last;   /* the row before; views of its record */
    bool is_new;      /* no row of the user has come yet */
    uint64_t persona; /* personas of the user so far */
    int64_t start;    /* of the persona, by day: the time of its first query */
    char name[NAME_CHARS];
};

/* A name that tells nothing to who has no key.  The persona's first query goes into it, so that
 * releases of different logs under one key do not share names that only say `the third persona of
 * this user`. */
static lethe_err make_name(const struct split *h, struct worker *k, const lethe_row *first,
                           uint64_t number, char out[NAME_CHARS])
{
    static const char digits[] = LETHE_PSEUDONYM_DIGITS;
    uint8_t mac[16], numbers[16];
    lethe_buf *b = &k->message;
    lethe_be64_put(numbers, number);
    lethe_be64_put(numbers + 8, (uint64_t)first->time);
    b->n = 0;
    if (lethe_buf_str(b, first->owner) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_str(b, first->user) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, numbers, sizeof numbers) != LETHE_OK ||
        lethe_buf_str(b, first->query) != LETHE_OK)
        return lethe_no_memory(h->run->ctx);
    lethe_secret_mac(h->name_key, (lethe_str){(const char *)b->at, b->n}, mac, sizeof mac);
    for (size_t i = 0; i < NAME_CHARS; i++)
        out[i] = digits[mac[i] & 31];
    return LETHE_OK;
}

/* The persona that begins with this query. */
static lethe_err begin_persona(const struct split *h, struct worker *k, struct person *p,
                               const lethe_row *row)
{
    LETHE_TRY(make_name(h, k, row, p->persona, p->name));
    p->persona++;
    p->start = row->time;
    k->n_personas++;
    return LETHE_OK;
}

/* Does this query begin a new persona?  Queries without time are a run by themselves. */
static bool begins(const struct split *h, const struct person *p, const lethe_row *row)
{
    if (p->is_new || h->by == BY_QUERY) return true;
    if (row->time == LETHE_NO_TIME || p->last.time == LETHE_NO_TIME)
        return row->time != p->last.time;
    if (h->by == BY_DAY) return row->time - p->start >= DAY_S;
    return row->time - p->last.time > h->gap_s;
}

/* The results of the row's text as numbers, in the worker's. */
static lethe_err read_results(const struct split *h, struct worker *k, const lethe_row *row,
                              lethe_str numbers)
{
    size_t n = 0;
    k->numbers.n = 0;
    if (!h->results)
        return lethe_buf_str(&k->numbers, numbers) == LETHE_OK ? LETHE_OK
                                                               : lethe_no_memory(h->run->ctx);
    const uint32_t *urls = lethe_results_of(h->results, row->query, &n);
    for (size_t i = 0; i < LETHE_MIN(n, h->top); i++) {
        uint64_t number = urls[i];
        if (lethe_buf_put(&k->numbers, &number, sizeof number) != LETHE_OK)
            return lethe_no_memory(h->run->ctx);
    }
    return LETHE_OK;
}

/* The first earlier similar query decides; only where there is none a persona begins. */
static lethe_err by_interest(const struct split *h, struct worker *k, struct person *p,
                             const lethe_row *row, lethe_str numbers)
{
    uint32_t index, first;
    LETHE_TRY(read_results(h, k, row, numbers));
    if (lethe_similar_add(k->similar, row->query, (const uint64_t *)(const void *)k->numbers.at,
                          k->numbers.n / RESULT_BYTES, &index, &first) != LETHE_OK)
        return lethe_no_memory(h->run->ctx);
    uint32_t *personas = (uint32_t *)(void *)k->personas.at, number;
    if (first != LETHE_NONE) {
        number = personas[first];
        memcpy(p->name, k->names.at + (size_t)number * NAME_CHARS, NAME_CHARS);
    } else {
        number = (uint32_t)p->persona;
        LETHE_TRY(begin_persona(h, k, p, row));
        if (lethe_buf_put(&k->names, p->name, NAME_CHARS) != LETHE_OK)
            return lethe_no_memory(h->run->ctx);
    }
    if (first == index) return LETHE_OK; /* the text was there */
    return lethe_buf_put(&k->personas, &number, sizeof number) == LETHE_OK
               ? LETHE_OK
               : lethe_no_memory(h->run->ctx);
}

static lethe_err begin_user(const struct split *h, struct worker *k, struct person *p)
{
    *p = (struct person){.is_new = true};
    k->n_users++;
    if (h->by != BY_INTEREST) return LETHE_OK;
    k->personas.n = k->names.n = 0;
    return lethe_similar_clear(k->similar) == LETHE_OK ? LETHE_OK : lethe_no_memory(h->run->ctx);
}

/* Rows of one user with the same text and time are one query. */
static bool is_same_query(const struct person *p, const lethe_row *row)
{
    return !p->is_new && row->time == p->last.time && lethe_str_eq(row->query, p->last.query);
}

/* What put_with_numbers() has put behind the URL; empty: nothing. */
static lethe_str cut_numbers(lethe_row *row)
{
    const char *nul = row->url.n ? memchr(row->url.at, 0, row->url.n) : NULL;
    if (!nul) return (lethe_str){"", 0};
    size_t n = (size_t)(nul - row->url.at);
    lethe_str numbers = {nul + 1, row->url.n - n - 1};
    row->url.n = n;
    return numbers;
}

static lethe_err take_row(struct split *h, unsigned w, struct person *p, lethe_str record,
                          bool first)
{
    struct worker *k = h->workers[w];
    lethe_row row;
    lethe_row_unpack(record, LETHE_BY_USER, &row);
    lethe_str numbers = cut_numbers(&row);
    if (first || !is_same_user(&row, &p->last)) LETHE_TRY(begin_user(h, k, p));
    if (!is_same_query(p, &row)) {
        k->n_queries++;
        if (h->by == BY_INTEREST)
            LETHE_TRY(by_interest(h, k, p, &row, numbers));
        else if (begins(h, p, &row))
            LETHE_TRY(begin_persona(h, k, p, &row));
    }
    p->last = row;
    p->is_new = false;
    row.user = (lethe_str){p->name, NAME_CHARS};
    return h->out->emit(h->out, w, &row);
}

static lethe_err part_of_users(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct split *h = arg;
    struct person p = {.is_new = true};
    lethe_str record;
    (void)i;
    for (bool first = true; lethe_sorted_next(it, &record); first = false) {
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(take_row(h, w, &p, record, first));
    }
    return lethe_sorted_err(it);
}

/* --- the method --- */

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
    }
    lethe_json_push(doc, out, c);
}

static lethe_err validate(const lethe_values *v, lethe_diag *d)
{
    if (lethe_value_of(v, "results")->given && lethe_count_of(v, "by") != BY_INTEREST)
        return lethe_fail(d, LETHE_EUSAGE, "--results is of use with --by interest only");
    return LETHE_OK;
}

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static lethe_err conclude(const struct split *h)
{
    uint64_t users = 0, queries = 0, personas = 0;
    lethe_json_doc *doc = h->out->doc;
    for (unsigned w = 0; w < h->n_workers; w++) {
        users += h->workers[w]->n_users;
        queries += h->workers[w]->n_queries;
        personas += h->workers[w]->n_personas;
    }
    lethe_set_count(doc, h->out->metrics, "users", users);
    lethe_set_count(doc, h->out->metrics, "personas", personas);
    lethe_set_real(doc, h->out->metrics, "personas_per_user", ratio(personas, users));
    lethe_set_real(doc, h->out->metrics, "queries_per_persona", ratio(queries, personas));
    return lethe_json_failed(doc) ? lethe_no_memory(h->run->ctx) : LETHE_OK;
}

static lethe_err open_worker(const struct split *h, struct worker *k)
{
    if (h->by != BY_INTEREST) return LETHE_OK;
    k->similar = lethe_similar_new(h->edit, h->overlap);
    if (!h->results) k->clicks = lethe_alloc_zero(h->top, sizeof *k->clicks);
    return k->similar && (h->results || k->clicks) ? LETHE_OK : lethe_no_memory(h->run->ctx);
}

static lethe_err open_workers(struct split *h)
{
    h->workers = lethe_alloc_zero(h->n_workers, sizeof *h->workers);
    if (!h->workers) return lethe_no_memory(h->run->ctx);
    for (unsigned w = 0; w < h->n_workers; w++) {
        h->workers[w] = lethe_alloc_zero(1, sizeof **h->workers);
        if (!h->workers[w]) return lethe_no_memory(h->run->ctx);
        LETHE_TRY(open_worker(h, h->workers[w]));
    }
    return LETHE_OK;
}

static lethe_err open_all(struct split *h, const char *results)
{
    lethe_ctx *ctx = h->run->ctx;
    uint64_t bytes = h->run->memory_bytes;
    if (results) {
        lethe_ctx_phase(ctx, "results", 0);
        LETHE_TRY(lethe_results_read(ctx, results, &h->results));
    }
    LETHE_TRY(open_workers(h));
    if (lethe_secret_derive(h->run->key, "persona", &h->name_key) != LETHE_OK ||
        lethe_secret_derive(h->run->key, "persona-url", &h->url_key) != LETHE_OK)
        return lethe_no_memory(h->run->ctx);
    bool gather = h->by == BY_INTEREST && !h->results;
    if (gather) LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, bytes / 2, &h->texts));
    return lethe_sorter_new(ctx, LETHE_ORDER_GROUP, gather ? bytes / 2 : bytes, &h->users);
}

static void close_all(struct split *h)
{
    lethe_sorter_free(h->texts);
    lethe_sorter_free(h->users);
    lethe_secret_free(h->name_key);
    lethe_secret_free(h->url_key);
    lethe_results_free(h->results);
    for (unsigned w = 0; h->workers && w < h->n_workers; w++) {
        struct worker *k = h->workers[w];
        if (!k) continue;
        for (size_t i = 0; k->clicks && i < h->top; i++)
            lethe_buf_free(&k->clicks[i].url);
        lethe_free(k->clicks);
        lethe_similar_free(k->similar);
        lethe_buf_free(&k->record);
        lethe_buf_free(&k->message);
        lethe_buf_free(&k->numbers);
        lethe_buf_free(&k->personas);
        lethe_buf_free(&k->names);
        lethe_free(k);
    }
    lethe_free(h->workers);
}

static lethe_err pass(struct split *h, lethe_log *log)
{
    lethe_ctx *ctx = h->run->ctx;
    lethe_ctx_phase(ctx, "reading", 0);
    LETHE_TRY(lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = h}));
    if (h->texts) {
        lethe_ctx_phase(ctx, "clicks", lethe_sorter_count(h->texts));
        LETHE_TRY(lethe_sorter_each(h->texts, part_of_texts, h));
    }
    lethe_ctx_phase(ctx, "users", lethe_sorter_count(h->users));
    LETHE_TRY(lethe_sorter_each(h->users, part_of_users, h));
    return conclude(h);
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    const lethe_values *v = run->values;
    struct split h = {
        .run = run,
        .out = out,
        .by = (enum by)lethe_count_of(v, "by"),
        .gap_s = lethe_count_of(v, "gap"),
        .top = (size_t)lethe_count_of(v, "top"),
        .edit = lethe_value_of(v, "edit")->real,
        .overlap = lethe_value_of(v, "overlap")->real,
        .n_workers = lethe_ctx_threads(run->ctx),
    };
    lethe_err err = open_all(&h, lethe_value_of(v, "results")->text);
    if (err == LETHE_OK) err = pass(&h, in->log);
    close_all(&h);
    return err;
}

/* --- the descriptor --- */

static const lethe_option options[] = {
    {.name = "by",
     .type = LETHE_OPT_CHOICE,
     .arg = "day|gap|interest|query",
     .fallback = "interest",
     .help =
         "where a new persona begins: 24 hours after its first query, after a pause longer than "
         "--gap, with a query like none before it, or with every query"},
    {.name = "gap",
     .type = LETHE_OPT_DURATION,
     .arg = "DURATION",
     .fallback = "60m",
     .min = 1,
     .max = 3.2e9,
     .help = "by gap: a pause longer than this begins a new persona"},
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "by interest: what the search engine answered, query and URL a line, in rank order; "
             "without it, the URLs that were clicked for the same text anywhere in the log"},
    {.name = "top",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "50",
     .min = 1,
     .max = TOP_MAX,
     .help = "by interest: how many of a query's results count"},
    {.name = "edit",
     .type = LETHE_OPT_REAL,
     .arg = "SHARE",
     .fallback = "0.2",
     .min = 0,
     .max = 1,
     .help = "by interest: texts are alike if Levenshtein's distance is at most this share of the "
             "longer one"},
    {.name = "overlap",
     .type = LETHE_OPT_REAL,
     .arg = "SHARE",
     .fallback = "0.5",
     .min = 0,
     .max = 1,
     .help = "by interest: texts are alike if at least this share of all their words is in both"},
    {.name = NULL},
};

static const lethe_figure figures[] = {
    {"users", "users before", 0},
    {"personas", "users after", 0},
    {"personas_per_user", "mean", 0},
    {"queries_per_persona", "mean; queries are rows of one user with the same text and time", 0},
    {"undecided", "by interest: texts that no earlier text of their published persona explains", 0},
    {.name = NULL},
};

static const char *const caveats[] = {
    "Personas of one person can be joined again: a rare query that two of them share, or times and "
    "days at which only that person is awake, link them (Adar, section 6.1; `lethe attack` shows "
    "how often).",
    "By day and by gap the same query comes back under several names: after the split a text with "
    "many users may have one person. A threshold must count persons: in one chain it does, on the "
    "published file alone nobody can. The recommended chain is scrub, threshold, split.",
    "A single query can name a person, whoever it is said to be from: splitting hides none. Scrub "
    "and threshold come first.",
    "By interest, all that a person asks about one matter stays together, for all time.",
    "Personas of one person that begin where others end show in times published to the second.",
    "By interest the promise can be checked from a release only as far as texts show it, and with "
    "the results that were used.",
    NULL,
};

const lethe_method lethe_method_split = {
    .name = "split",
    .summary = "publish each person as many: by day, by session, by interest, or by query",
    .description =
        "Gives every row a new user: a persona. What a person asked is thereby cut in pieces that "
        "do not say that they are of one person: queries that are harmless one by one, and "
        "identify somebody together, are no longer together. No row is left out, and nothing but "
        "the user is changed.\n"
        "\n"
        "By interest, a user's queries are taken in order of time, those of one second in order of "
        "their texts. A query joins the persona of the first earlier one that is similar to it, "
        "and begins a new persona where none is. Two queries are similar if they have the same "
        "text; or if their first --top results have one in common; or if Levenshtein's distance, "
        "in characters, is at most --edit of the longer text; or if at least --overlap of their "
        "words are common to both. Results are those of --results, a file that is held in memory; "
        "a query that is not in it has none. Without the option, a text's results are the URLs "
        "that anybody in the log clicked for it, by the best rank they had, then in order of "
        "bytes. A user's distinct texts are held in memory while the user is split.\n"
        "\n"
        "By day, a persona lasts 24 hours from its own first query; the first query after that "
        "begins the next. By gap, a pause longer than --gap begins a new one. A user's queries "
        "without time are one persona of their own. By query, no two queries share a user: those "
        "of one user with the same text and the same time, to the second, are one.\n"
        "\n"
        "Names of personas are keyed (see --key-file), also with --keep-users and -o -: without "
        "the key nobody can tell which belong together. Steps of the same chain still count "
        "persons: threshold before or after this step takes a person split in three for one. The "
        "recommended chain is scrub, threshold, split.",
    .paper =
        "E. Adar, \"User 4XXXXX9: Anonymizing Query Logs\", Query Log Analysis workshop at WWW "
        "2007, section 6",
    .in = LETHE_SHAPE_LOG,
    .out = LETHE_SHAPE_LOG,
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
    .example = "lethe split log.tsv.gz --by interest -o release/",
    .run = run,
};
