/* replay.c - can the full URLs of clicks published as hosts be recovered?
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 4: the queries of the log are asked
 * again, and what the search engine answers is compared with the hosts of the clicks; the rank of a
 * click, where it is published, helps.
 *
 * The answers come from --results (model/results.h).  Of a query's results those of the click's
 * host are candidates.  With the rank the adversary names the result at that rank, if it is one of
 * them; else, and without the rank, the one candidate there is.  Two URLs of a host are one where
 * all after the host is the same, the scheme and a lone slash aside.
 *
 * What is true: the original's clicks for the same query, host and rank.  Which of them a published
 * click is cannot be told, so n published ones stand for the original's in proportion: if 9 of 10
 * went to the URL that is named, nine tenths of n are right.  (Where all were published that is no
 * estimate.)  Of more than the original has, a step has changed the text of some: those are not
 * judged.
 *
 * Clicks of both logs meet in the sorter by query.  Memory: the results, and the distinct clicks of
 * one query for each thread. */
#include "attack/attack.h"
#include "attack/pages.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"
#include "model/knowledge/results.h"
#include "text/normalize.h"

/* Clicks may be counted in parts of one.  Whole numbers: their sum is the same in any order. */
#define ONE (UINT64_C(1) << 24)

struct sums {
    uint64_t in_full;         /* published, and more than a host */
    uint64_t clicks;          /* published, cut to hosts */
    uint64_t answered;        /* of these: a URL was named */
    uint64_t judged;          /* of these: the original has the click */
    uint64_t judged_answered; /* both */
    /* Of those judged, in parts of ONE. */
    uint64_t right, right_without, random;
    uint64_t bare; /* clicks on a host itself */
};

/* Clicks of the original that are the same, for the query at hand. */
struct click {
    size_t host, n_host; /* in `bytes` */
    size_t rest, n_rest;
    uint32_t rank;
    uint64_t n;
};

struct worker {
    lethe_buf record, host;
    lethe_buf clicks; /* struct click each, by host and rank */
    lethe_buf bytes;
    struct sums sums;
};

struct replay {
    lethe_ctx *ctx;
    const lethe_results *results;
    bool hosts; /* are published URLs hosts, or may they be? */
    unsigned n_workers;
    struct worker *workers;
    lethe_sorter *sorter; /* query NUL which host NUL rank(4) rest */
};

enum { ORIGINAL = 1, PUBLISHED = 2 };

/* --- clicks --- */

static lethe_err click_put(struct replay *r, unsigned w, char which, const lethe_row *row,
                           lethe_str host, lethe_str rest)
{
    lethe_buf *b = &r->workers[w].record;
    uint8_t rank[4];
    lethe_be32_put(rank, row->rank);
    b->n = 0;
    if (lethe_buf_str(b, row->query) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, &which, 1) != LETHE_OK || lethe_buf_str(b, host) != LETHE_OK ||
        lethe_buf_put(b, "", 1) != LETHE_OK || lethe_buf_put(b, rank, sizeof rank) != LETHE_OK ||
        lethe_buf_str(b, rest) != LETHE_OK)
        return lethe_no_memory(r->ctx);
    return lethe_sorter_put(r->sorter, w, b->at, b->n);
}

static lethe_err on_original(void *arg, unsigned w, const lethe_row *row)
{
    struct replay *r = arg;
    lethe_str host;
    if (row->url.n == 0) return LETHE_OK;
    if (lethe_url_host(row->url, &r->workers[w].host, &host) != LETHE_OK)
        return lethe_no_memory(r->ctx);
    return host.n ? click_put(r, w, ORIGINAL, row, host, lethe_url_rest(row->url)) : LETHE_OK;
}

static lethe_err on_published(void *arg, unsigned w, const lethe_row *row)
{
    struct replay *r = arg;
    if (row->url.n == 0 || !r->hosts) return LETHE_OK;
    if (lethe_is_host(row->url))
        return click_put(r, w, PUBLISHED, row, row->url, (lethe_str){"", 0});
    r->workers[w].sums.in_full++;
    return LETHE_OK;
}

/* A record's parts; views. */
struct parts {
    lethe_str query, host, rest;
    char which;
    uint32_t rank;
};

static struct parts parts_of(lethe_str record)
{
    struct parts p = {.query = {record.at, strnlen(record.at, record.n)}};
    const char *at = record.at + p.query.n + 1, *end = record.at + record.n;
    p.which = *at++;
    p.host = (lethe_str){at, strnlen(at, (size_t)(end - at))};
    at += p.host.n + 1;
    p.rank = lethe_be32_get((const uint8_t *)at);
    p.rest = (lethe_str){at + 4, (size_t)(end - at) - 4};
    return p;
}

/* --- what the adversary says --- */

/* Results of the host at hand: the last of them, and what went to them. */
struct candidates {
    uint32_t n; /* different ones */
    lethe_str rest;
    uint64_t clicks; /* of the original's */
};

static lethe_err is_of_host(struct worker *k, lethe_str url, lethe_str host, bool *is)
{
    lethe_str of;
    LETHE_TRY(lethe_url_host(url, &k->host, &of));
    *is = lethe_str_eq(of, host);
    return LETHE_OK;
}

/* The result at the click's rank, if it is of its host; else as without the rank.  *any: whether
 * there is an answer. */
static lethe_err name_ranked(struct replay *r, struct worker *k, const struct parts *p,
                             const struct candidates *c, lethe_str *rest, bool *any)
{
    size_t n;
    const uint32_t *urls = lethe_results_of(r->results, p->query, &n);
    *any = c->n == 1;
    *rest = c->rest;
    if (p->rank == LETHE_NO_RANK || p->rank == 0 || p->rank > n) return LETHE_OK;
    lethe_str url = lethe_results_url(r->results, urls[p->rank - 1]);
    bool is;
    LETHE_TRY(is_of_host(k, url, p->host, &is));
    if (!is) return LETHE_OK;
    *any = true;
    *rest = lethe_url_rest(url);
    return LETHE_OK;
}

/* --- what is true --- */

static lethe_str bytes_at(const struct worker *k, size_t at, size_t n)
{
    return (lethe_str){(const char *)k->bytes.at + at, n};
}

static lethe_err click_take(struct worker *k, const struct parts *p)
{
    struct click c = {
        .host = k->bytes.n, .n_host = p->host.n, .n_rest = p->rest.n, .rank = p->rank, .n = 1};
    c.rest = c.host + c.n_host;
    LETHE_TRY(lethe_buf_str(&k->bytes, p->host));
    LETHE_TRY(lethe_buf_str(&k->bytes, p->rest));
    return lethe_buf_put(&k->clicks, &c, sizeof c);
}

static size_t n_clicks(const struct worker *k) { return k->clicks.n / sizeof(struct click); }
static struct click *click_at(const struct worker *k, size_t i)
{
    return (struct click *)(void *)k->clicks.at + i;
}

/* Is the click before (host, rank)? */
static bool click_before(const struct worker *k, size_t i, lethe_str host, uint32_t rank)
{
    const struct click *c = click_at(k, i);
    int order = lethe_str_cmp(bytes_at(k, c->host, c->n_host), host);
    return order < 0 || (order == 0 && c->rank < rank);
}

/* The first click from (host, rank) on. */
static size_t click_find(const struct worker *k, lethe_str host, uint32_t rank)
{
    size_t low = 0, high = n_clicks(k);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (click_before(k, middle, host, rank))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Clicks of the original that may be the one at hand: [from, to), of its host and of its rank; all
 * of the host where a rank was taken from it, that is, where it has none and no such click of the
 * original has none. */
struct range {
    size_t from, to;
};

static struct range clicks_of(const struct worker *k, const struct parts *p)
{
    struct range r = {click_find(k, p->host, p->rank), 0};
    for (r.to = r.from; r.to < n_clicks(k); r.to++) {
        const struct click *c = click_at(k, r.to);
        if (c->rank != p->rank || !lethe_str_eq(bytes_at(k, c->host, c->n_host), p->host)) break;
    }
    if (r.from == r.to && p->rank == LETHE_NO_RANK) r.from = click_find(k, p->host, 0);
    return r;
}

static uint64_t total_of(const struct worker *k, struct range r)
{
    uint64_t n = 0;
    for (size_t i = r.from; i < r.to; i++)
        n += click_at(k, i)->n;
    return n;
}

/* How many of them went there? */
static uint64_t those_to(const struct worker *k, struct range r, lethe_str rest)
{
    uint64_t n = 0;
    for (size_t i = r.from; i < r.to; i++) {
        const struct click *c = click_at(k, i);
        if (lethe_str_eq(bytes_at(k, c->rest, c->n_rest), rest)) n += c->n;
    }
    return n;
}

/* `n` times `some` of `all`, in parts of ONE. */
static uint64_t in_proportion(uint64_t n, uint64_t some, uint64_t all)
{
    uint64_t whole = n * some / all, left = n * some % all;
    return whole * ONE + left * ONE / all;
}

static lethe_err candidates_find(struct replay *r, struct worker *k, const struct parts *p,
                                 struct range own, struct candidates *c)
{
    size_t n;
    const uint32_t *urls = lethe_results_of(r->results, p->query, &n);
    *c = (struct candidates){0};
    for (size_t i = 0; i < n; i++) {
        lethe_str url = lethe_results_url(r->results, urls[i]);
        bool is;
        LETHE_TRY(is_of_host(k, url, p->host, &is));
        if (!is || (c->n > 0 && lethe_str_eq(c->rest, lethe_url_rest(url)))) continue;
        c->n++;
        c->rest = lethe_url_rest(url);
        c->clicks += those_to(k, own, c->rest);
    }
    return LETHE_OK;
}

/* Judges `n` clicks that are the same. */
static lethe_err judge(struct replay *r, struct worker *k, const struct parts *p, uint64_t n)
{
    struct candidates c;
    struct sums *s = &k->sums;
    lethe_str rest;
    bool any;
    struct range own = clicks_of(k, p);
    LETHE_TRY(candidates_find(r, k, p, own, &c));
    LETHE_TRY(name_ranked(r, k, p, &c, &rest, &any));
    uint64_t all = total_of(k, own), judged = LETHE_MIN(n, all);
    s->clicks += n;
    s->answered += any ? n : 0;
    s->judged += judged;
    s->judged_answered += any ? judged : 0;
    if (all == 0) return LETHE_OK;
    s->bare += in_proportion(judged, those_to(k, own, (lethe_str){"", 0}), all);
    if (any) s->right += in_proportion(judged, those_to(k, own, rest), all);
    if (c.n > 0) s->random += in_proportion(judged, c.clicks, all * c.n);
    if (c.n == 1) s->right_without += in_proportion(judged, those_to(k, own, c.rest), all);
    return LETHE_OK;
}

/* --- the logs side by side --- */

static bool same_query(lethe_str a, lethe_str b)
{
    return lethe_str_eq((lethe_str){a.at, strnlen(a.at, a.n)},
                        (lethe_str){b.at, strnlen(b.at, b.n)});
}

/* Records come query by query: the clicks of the original, then those of the release; the same ones
 * follow each other.  `n` of `before` have been seen and are not judged. */
static lethe_err queries_read(struct replay *r, struct worker *k, lethe_sorted *it)
{
    lethe_str record, before = {NULL, 0};
    uint64_t n = 0;
    for (; lethe_sorted_next(it, &record); before = record) {
        struct parts p = parts_of(record);
        bool again = before.at && lethe_str_eq(before, record);
        if (n > 0 && !again) {
            struct parts old = parts_of(before);
            LETHE_TRY(judge(r, k, &old, n));
            n = 0;
        }
        if (!before.at || !same_query(before, record)) k->clicks.n = k->bytes.n = 0;
        if (p.which == PUBLISHED)
            n++;
        else if (again)
            click_at(k, n_clicks(k) - 1)->n++;
        else
            LETHE_TRY(click_take(k, &p));
    }
    if (n == 0) return LETHE_OK;
    struct parts old = parts_of(before);
    return judge(r, k, &old, n);
}

static lethe_err part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct replay *r = arg;
    (void)i;
    r->workers[w].clicks.n = r->workers[w].bytes.n = 0;
    if (queries_read(r, &r->workers[w], it) != LETHE_OK) return lethe_no_memory(r->ctx);
    return lethe_sorted_err(it);
}

static lethe_err compare(struct replay *r, lethe_comparison *c)
{
    lethe_log *log = NULL;
    LETHE_TRY(
        lethe_sorter_new(r->ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(r->ctx) / 2, &r->sorter));
    lethe_ctx_phase(r->ctx, "the original", 0);
    LETHE_TRY(lethe_log_walk(r->ctx, c->original.log,
                             &(lethe_row_visitor){.row = on_original, .arg = r}));
    LETHE_TRY(lethe_log_published(r->ctx, c->published->dirfd, "data.tsv", &log));
    lethe_ctx_phase(r->ctx, "the release", 0);
    lethe_err err =
        lethe_log_walk(r->ctx, log, &(lethe_row_visitor){.row = on_published, .arg = r});
    lethe_log_free(log);
    if (err != LETHE_OK) return err;
    lethe_ctx_phase(r->ctx, "replaying", 0);
    return lethe_sorter_each(r->sorter, part, r);
}

/* Hashes and nothing at all hide the host too.  Without a manifest URLs are hosts. */
static bool has_hosts(const lethe_json *manifest)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    size_t n = lethe_json_count(steps);
    const lethe_json *last = n ? lethe_json_at(steps, n - 1) : NULL;
    lethe_str urls = lethe_json_text(lethe_json_get(lethe_json_get(last, "parameters"), "urls"));
    return !lethe_str_eq(urls, LETHE_LIT("id")) && !lethe_str_eq(urls, LETHE_LIT("drop"));
}

static struct sums sums_all(const struct replay *r)
{
    struct sums s = {0};
    assert(r->workers);
    for (unsigned w = 0; w < r->n_workers; w++) {
        const struct sums *of = &r->workers[w].sums;
        s.in_full += of->in_full;
        s.clicks += of->clicks;
        s.answered += of->answered;
        s.judged += of->judged;
        s.judged_answered += of->judged_answered;
        s.right += of->right;
        s.right_without += of->right_without;
        s.random += of->random;
        s.bare += of->bare;
    }
    return s;
}

/* Nothing to be found is not the same as nothing found, and is said; NULL: there was. */
static const char *note_of(const struct sums *s)
{
    if (s->judged > 0) return NULL;
    if (s->clicks > 0) return "the original has none of the published clicks";
    return s->in_full > 0 ? "clicks are published in full: there is nothing to recover"
                          : "no click is published as a host";
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    lethe_results *results = NULL;
    LETHE_TRY(lethe_results_read(c->ctx, lethe_value_of(c->values, "results")->text, &results));
    struct replay r = {.ctx = c->ctx,
                       .results = results,
                       .hosts = has_hosts(c->published->manifest),
                       .n_workers = lethe_ctx_threads(c->ctx)};
    r.workers = lethe_alloc_zero(r.n_workers, sizeof *r.workers);
    lethe_err err = r.workers ? compare(&r, c) : lethe_no_memory(c->ctx);
    if (err == LETHE_OK) {
        struct sums s = sums_all(&r);
        double n = s.judged ? (double)s.judged * (double)ONE : 1;
        uint64_t right = LETHE_MIN((s.right + ONE / 2) / ONE, s.judged_answered);
        const char *note = note_of(&s);
        lethe_set_real(doc, out, "success", (double)s.right / n);
        lethe_set_real(doc, out, "baseline", (double)s.random / n);
        lethe_set_real(doc, out, "host_itself", (double)s.bare / n);
        lethe_set_real(doc, out, "without_rank", (double)s.right_without / n);
        lethe_set_count(doc, out, "clicks", s.clicks);
        lethe_set_count(doc, out, "answered", s.answered);
        lethe_set_count(doc, out, "right", right);
        lethe_set_count(doc, out, "wrong", s.judged_answered - right);
        lethe_set_count(doc, out, "unconfirmed", s.clicks - s.judged);
        lethe_set_count(doc, out, "in_full", s.in_full);
        if (note) lethe_set_text(doc, out, "note", note);
        lethe_set_text(doc, out, "meaning", lethe_adversary_replay.meaning);
    }
    for (unsigned w = 0; r.workers && w < r.n_workers; w++) {
        lethe_buf_free(&r.workers[w].record);
        lethe_buf_free(&r.workers[w].host);
        lethe_buf_free(&r.workers[w].clicks);
        lethe_buf_free(&r.workers[w].bytes);
    }
    lethe_free(r.workers);
    lethe_sorter_free(r.sorter);
    lethe_results_free(results);
    if (err == LETHE_OK && lethe_json_failed(doc)) err = lethe_no_memory(c->ctx);
    return err;
}

static const lethe_option options[] = {
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "search results as query TAB url, in rank order"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_replay = {
    .name = "replay",
    .summary = "can the full URLs of clicks published as hosts be recovered?",
    .shapes = LETHE_SHAPE_LOG,
    .options = options,
    .needs = "results",
    .meaning = "share of the clicks published as hosts whose full URL is recovered by asking the "
               "queries again and looking at the host and rank of the click, of those that the "
               "original has; baseline: one of the host's results chosen at random",
    .run = run,
};
