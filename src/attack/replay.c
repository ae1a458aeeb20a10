/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - can the full URLs of clicks published as hosts be recovered?
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 4: the queries of the log are asked
 * again, and what the search engine answers is compared with the hosts of the clicks; the rank of a
 * click, where it is published, helps.
 *
 * The answers come from --results (model/results.h).  Of a query's results those of the click's
 * host are candidates.  The adversary has three strategies:
 *
 *   only      the result at the click's rank, if it is a candidate; else the one candidate there is
 *   first     the result at the click's rank, if it is a candidate; else the first candidate, which
 *             most people click
 *   unranked  the first candidate, whatever the rank: results may have moved since
 *
 * The one that is right most often is the answer; `first` is never below `only`, but wrong more
 * often.  Two URLs of a host are one where all after the host is the same, the scheme and a lone
 * slash aside.
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
#include "attack/strategies.h"
#include "io/sort/sorter.h"
#include "model/knowledge/results.h"
#include "text/normalize.h"

/* Clicks may be counted in parts of one.  Whole numbers: their sum is the same in any order. */
#define ONE (UINT64_C(1) << 24)

enum { ONLY, FIRST, UNRANKED, STRATEGIES };
static const char *const strategies[STRATEGIES] = {"only", "first", "unranked"};

struct sums {         /* of uint64_t alone */
    uint64_t in_full; /* published, and more than a host */
    uint64_t clicks;  /* published, cut to hosts */
    uint64_t judged;  /* of these: the original has the click */
    /* By strategy: a URL was named, of all clicks and of those judged. */
    uint64_t answered[STRATEGIES], judged_answered[STRATEGIES];
    /* Of those judged, in parts of ONE. */
    uint64_t right[STRATEGIES], right_without[STRATEGIES]; /* without: if there were no rank */
    uint64_t random;
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
    lethe_buf rests; /* lethe_str each: results of the host at hand */
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

/* Results of the host at hand. */
struct candidates {
    uint32_t n; /* different ones: `rests` of the worker */
    lethe_str first;
    lethe_str ranked; /* the one at the click's rank; at NULL: none */
    uint64_t clicks;  /* of the original's, that went to any of them */
};

/* What a strategy names; at NULL: nothing. */
static lethe_str named_by(int strategy, const struct candidates *c, bool rank)
{
    lethe_str none = {NULL, 0};
    if (strategy != UNRANKED && rank && c->ranked.at) return c->ranked;
    return c->n == 0 || (strategy == ONLY && c->n > 1) ? none : c->first;
}

/* --- what is true --- */

static lethe_str bytes_at(const struct worker *k, size_t at, size_t n)
{
    return (lethe_str){(const char *)k->bytes.at + at, n};
}

static size_t n_clicks(const struct worker *k) { return k->clicks.n / sizeof(struct click); }
static struct click *click_at(const struct worker *k, size_t i)
{
    return (struct click *)(void *)k->clicks.at + i;
}

/* The first click from (host, rank) on. */
static size_t click_find(const struct worker *k, lethe_str host, uint32_t rank)
{
    size_t low = 0, high = n_clicks(k);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct click *c = click_at(k, middle);
        int order = lethe_str_cmp(bytes_at(k, c->host, c->n_host), host);
        if (order < 0 || (order == 0 && c->rank < rank))
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

/* Is a result of the host at hand?  Then what comes after the host. */
static lethe_err of_host(const struct replay *r, struct worker *k, const struct parts *p,
                         uint32_t url, bool *is, lethe_str *rest)
{
    lethe_str text = lethe_results_url(r->results, url), host;
    LETHE_TRY(lethe_url_host(text, &k->host, &host));
    *is = lethe_str_eq(host, p->host);
    *rest = lethe_url_rest(text);
    return LETHE_OK;
}

/* Two URLs may be one result, such as those of two schemes. */
static bool is_candidate(const struct worker *k, lethe_str rest)
{
    const lethe_str *at = (const lethe_str *)(const void *)k->rests.at;
    for (size_t i = 0; i < k->rests.n / sizeof *at; i++)
        if (lethe_str_eq(at[i], rest)) return true;
    return false;
}

static lethe_err candidates_find(const struct replay *r, struct worker *k, const struct parts *p,
                                 struct range own, struct candidates *c)
{
    size_t n;
    bool is;
    lethe_str rest;
    const uint32_t *urls = lethe_results_of(r->results, p->query, &n);
    k->rests.n = 0;
    for (size_t i = 0; i < n; i++) {
        LETHE_TRY(of_host(r, k, p, urls[i], &is, &rest));
        if (!is || is_candidate(k, rest)) continue;
        if (c->n++ == 0) c->first = rest;
        LETHE_TRY(lethe_buf_put(&k->rests, &rest, sizeof rest));
        c->clicks += those_to(k, own, rest);
    }
    urls = lethe_results_ranked(r->results, p->query, &n);
    if (p->rank == LETHE_NO_RANK || p->rank == 0 || p->rank > n) return LETHE_OK;
    LETHE_TRY(of_host(r, k, p, urls[p->rank - 1], &is, &rest));
    if (is) c->ranked = rest;
    return LETHE_OK;
}

/* Judges `n` clicks that are the same, by every strategy. */
static lethe_err judge(struct replay *r, struct worker *k, const struct parts *p, uint64_t n)
{
    struct candidates c = {0};
    struct sums *s = &k->sums;
    struct range own = clicks_of(k, p);
    uint64_t all = 0, judged;
    LETHE_TRY(candidates_find(r, k, p, own, &c));
    for (size_t i = own.from; i < own.to; i++)
        all += click_at(k, i)->n;
    judged = LETHE_MIN(n, all);
    s->clicks += n;
    s->judged += judged;
    for (int i = 0; i < STRATEGIES; i++) {
        lethe_str named = named_by(i, &c, true), without = named_by(i, &c, false);
        s->answered[i] += named.at ? n : 0;
        s->judged_answered[i] += named.at ? judged : 0;
        if (all == 0) continue;
        if (named.at) s->right[i] += in_proportion(judged, those_to(k, own, named), all);
        if (without.at)
            s->right_without[i] += in_proportion(judged, those_to(k, own, without), all);
    }
    if (all == 0) return LETHE_OK;
    s->bare += in_proportion(judged, those_to(k, own, (lethe_str){"", 0}), all);
    if (c.n > 0) s->random += in_proportion(judged, c.clicks, all * c.n);
    return LETHE_OK;
}

/* --- the logs side by side --- */

/* Records come query by query: the clicks of the original, then those of the release; the same ones
 * follow each other.  `n` of `old` have been seen and are not judged. */
static lethe_err queries_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct replay *r = arg;
    struct worker *k = &r->workers[w];
    struct parts p, old = {0};
    lethe_str record, before = {NULL, 0};
    uint64_t n = 0;
    lethe_err err = LETHE_OK;
    (void)i;
    for (; err == LETHE_OK && lethe_sorted_next(it, &record); before = record, old = p) {
        p = parts_of(record);
        bool again = before.at && lethe_str_eq(before, record);
        if (n > 0 && !again) {
            err = judge(r, k, &old, n);
            n = 0;
        }
        if (!before.at || !lethe_str_eq(old.query, p.query)) k->clicks.n = k->bytes.n = 0;
        if (p.which == PUBLISHED) {
            n++;
        } else if (again) {
            click_at(k, n_clicks(k) - 1)->n++;
        } else if (err == LETHE_OK) {
            struct click c = {k->bytes.n, p.host.n, k->bytes.n + p.host.n, p.rest.n, p.rank, 1};
            if (lethe_buf_str(&k->bytes, p.host) != LETHE_OK ||
                lethe_buf_str(&k->bytes, p.rest) != LETHE_OK)
                err = LETHE_ENOMEM;
            else
                err = lethe_buf_put(&k->clicks, &c, sizeof c);
        }
    }
    if (err == LETHE_OK && n > 0) err = judge(r, k, &old, n);
    return err == LETHE_OK ? lethe_sorted_err(it) : lethe_no_memory(r->ctx);
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
    return lethe_sorter_each(r->sorter, queries_part, r);
}

/* --- the answer --- */

static void strategies_set(const struct sums *s, double n, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *all = lethe_json_object(doc);
    for (int i = 0; i < STRATEGIES; i++) {
        lethe_json *one = lethe_json_object(doc);
        lethe_set_real(doc, one, "success", (double)s->right[i] / n);
        lethe_set_real(doc, one, "without_rank", (double)s->right_without[i] / n);
        lethe_set_count(doc, one, "answered", s->answered[i]);
        lethe_json_set(doc, all, strategies[i], one);
    }
    lethe_json_set(doc, out, "strategies", all);
}

static void answer(const struct sums *s, lethe_json_doc *doc, lethe_json *out)
{
    double n = s->judged ? (double)s->judged * (double)ONE : 1, success[STRATEGIES],
           without[STRATEGIES];
    for (int i = 0; i < STRATEGIES; i++) {
        success[i] = (double)s->right[i] / n;
        without[i] = (double)s->right_without[i] / n;
    }
    size_t best = lethe_strategy_best(success, STRATEGIES);
    uint64_t right = LETHE_MIN((s->right[best] + ONE / 2) / ONE, s->judged_answered[best]);
    lethe_set_real(doc, out, "success", success[best]);
    lethe_set_real(doc, out, "baseline", (double)s->random / n);
    lethe_set_real(doc, out, "host_itself", (double)s->bare / n);
    lethe_set_real(doc, out, "without_rank", without[lethe_strategy_best(without, STRATEGIES)]);
    lethe_set_count(doc, out, "clicks", s->clicks);
    lethe_set_count(doc, out, "answered", s->answered[best]);
    lethe_set_count(doc, out, "right", right);
    lethe_set_count(doc, out, "wrong", s->judged_answered[best] - right);
    lethe_set_count(doc, out, "unconfirmed", s->clicks - s->judged);
    lethe_set_count(doc, out, "in_full", s->in_full);
    lethe_set_text(doc, out, "strategy", strategies[best]);
    strategies_set(s, n, doc, out);
    if (s->judged == 0) // nothing to be found is not the same as nothing found
        lethe_set_text(doc, out, "note",
                       s->clicks > 0 ? "the original has none of the published clicks"
                       : s->in_full > 0
                           ? "clicks are published in full: there is nothing to recover"
                           : "no click is published as a host");
    lethe_set_text(doc, out, "meaning", lethe_adversary_replay.meaning);
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    lethe_results *results = NULL;
    LETHE_TRY(lethe_results_read(c->ctx, lethe_value_of(c->values, "results")->text, &results));
    // hashes and nothing at all hide the host too; without a manifest URLs are hosts
    const lethe_json *steps = lethe_json_get(c->published->manifest, "steps");
    size_t n_steps = lethe_json_count(steps);
    const lethe_json *last = n_steps ? lethe_json_at(steps, n_steps - 1) : NULL;
    lethe_str urls = lethe_json_text(lethe_json_get(lethe_json_get(last, "parameters"), "urls"));
    struct replay r = {.ctx = c->ctx,
                       .results = results,
                       .hosts = !lethe_str_eq(urls, LETHE_LIT("id")) &&
                                !lethe_str_eq(urls, LETHE_LIT("drop")),
                       .n_workers = lethe_ctx_threads(c->ctx)};
    r.workers = lethe_alloc_zero(r.n_workers, sizeof *r.workers);
    lethe_err err = r.workers ? compare(&r, c) : lethe_no_memory(c->ctx);
    if (err == LETHE_OK) {
        struct sums s;
        memset(&s, 0, sizeof s);
        for (unsigned w = 0; w < r.n_workers; w++)
            lethe_attack_add(&s, &r.workers[w].sums, sizeof s);
        answer(&s, doc, out);
    }
    for (unsigned w = 0; r.workers && w < r.n_workers; w++) {
        struct worker *k = &r.workers[w];
        lethe_buf *const bufs[] = {&k->record, &k->host, &k->clicks, &k->bytes, &k->rests};
        for (size_t i = 0; i < LETHE_COUNT(bufs); i++)
            lethe_buf_free(bufs[i]);
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
    .threat = LETHE_THREAT_INFERENCE,
    .trials = "clicks",
    .shapes = LETHE_SHAPE_LOG,
    .options = options,
    .needs = "results",
    .meaning = "share of the clicks published as hosts, of those that the original has, whose full "
               "URL is recovered by asking the queries again and looking at the host and rank of "
               "the click, by the best of three strategies: where the rank does not tell, the only "
               "result of the host or the first one, or always the first one; baseline: one of the "
               "host's results chosen at random",
    .run = run,
};
