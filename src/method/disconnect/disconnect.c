/* SPDX-License-Identifier: Apache-2.0 */
/* disconnect.c - the privacy of websites: no two published queries share a clicked URL.
 * B. Poblete, M. Spiliopoulou and R. Baeza-Yates, "Website Privacy Preservation for Query Log
 * Publishing", 2007, and section 7.4 of Poblete's doctoral thesis, the complete process of 7.4.3.
 *
 * Rows are sorted by query.  A query's rows are read once to count its occurrences, clicks, sites
 * and URLs, and to see whether (a), (b) or (c) removes it; then again: they are left out, or
 * emitted at once if no click is published, or kept in a store until the graph of all clicked
 * queries has been disconnected (d).  Before that, if URLs are identifiers, clicks go whose counts
 * would tell a rank (click_draw.h); their rows stay.  That is ours.  No text of these is held, only
 * hashes: memory is linear in distinct queries and in the distinct URLs of each, and rows go to
 * disk. */
#include "method/method.h"
#include "method/disconnect/click_count.h"
#include "method/disconnect/click_draw.h"
#include "method/disconnect/click_ranking.h"
#include "method/disconnect/click_removal.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"
#include "model/knowledge/results.h"
#include "model/knowledge/weights.h"
#include <stdatomic.h>

/* The choices of --rank; the last one goes by --weight, whose choices are the others. */
enum { RANK_BEST = 3 };
static const lethe_click_value choices[] = {LETHE_CLICK_VALUE_ONE, LETHE_CLICK_VALUE_FREQUENCY,
                                            LETHE_CLICK_VALUE_CLICKS};

/* Why a query goes: the first reason that applies. */
enum reason { FEW_RESULTS, TARGETED, NAMED, FEW_SITES, GRAPH, REASONS, NONE = REASONS };
static const char *const reason_names[] = {"few_results", "targeted", "named", "few_sites",
                                           "graph"};
static const char *const dropped_for[] = {
    "query with too few results", "query aimed at one site", "query that names a clicked site",
    "query with results from too few sites", "query that shares a clicked URL"};

struct tally {
    uint64_t queries, volume, clicks;
};

struct worker {
    lethe_buf record;
    lethe_click_count query;      /* the current one */
    lethe_click_count results;    /* sites of its results */
    lethe_click_draw draw;        /* which of its clicks are published */
    struct tally of[REASONS + 1]; /* decided queries, by reason; the last: kept */
    uint64_t rows_kept;
    uint64_t hidden;      /* clicks of those kept that are not published */
    uint64_t unconfirmed; /* of those kept: their clicks do not show k results and K sites */
    uint64_t weightless;  /* queries in the graph that --weights lacks */
    lethe_hash last;      /* of the rows in the store: the query looked up last */
    bool has_last, last_stays;
    char apart[64]; /* no two workers write in one cache line */
};

struct disconnect {
    lethe_run *run;
    lethe_result *out;
    lethe_click_removal_options how;
    double targeted;
    bool takes_targeted, takes_named, has_results;
    uint64_t k, K; /* 0: not given */
    uint64_t m;    /* URLs of a query at least, with one click each; 0: all clicks */
    uint64_t targeted_clicks;
    lethe_results *results;
    lethe_query_weights *weights;
    lethe_hash_key hash_key;
    lethe_sorter *rows;
    _Atomic uint64_t rows_read; /* of these, so far */
    lethe_log *store;
    lethe_click_gather *gather;
    unsigned n_workers;
    struct worker *workers;
    lethe_click_removal removal;
};

/* Reports a lack of memory that the callee did not report. */
static lethe_err report(const struct disconnect *h, lethe_err e)
{
    return e == LETHE_ENOMEM ? lethe_no_memory(h->run->ctx) : e;
}

static lethe_err sort_row(void *arg, unsigned w, const lethe_row *row)
{
    struct disconnect *h = arg;
    lethe_buf *b = &h->workers[w].record;
    LETHE_TRY(report(h, lethe_row_pack(row, LETHE_BY_QUERY, b)));
    return lethe_sorter_put(h->rows, w, b->at, b->n);
}

/* --- a query's rows --- */

/* A worker's position in its part of the sorted rows. */
struct cursor {
    lethe_sorted *it;
    bool more;
    lethe_row row; /* the current one, if `more` */
};

static void next_row(struct cursor *r)
{
    lethe_str record;
    r->more = lethe_sorted_next(r->it, &record);
    if (r->more) lethe_row_unpack(record, LETHE_BY_QUERY, &r->row);
}

/* --- what becomes of it: section 7.4.3, (a) to (c) --- */

static void add_to(struct tally *t, uint64_t volume, uint64_t clicks)
{
    t->queries++;
    t->volume += volume;
    t->clicks += clicks;
}

/* A rank and the results of the query would reveal which URL an identifier stands for. */
static lethe_err emit(struct disconnect *h, unsigned w, const lethe_row *in)
{
    lethe_row row = *in;
    if (h->run->urls == LETHE_URL_ID) row.rank = LETHE_NO_RANK;
    h->workers[w].rows_kept++;
    return h->out->emit(h->out, w, &row);
}

/* One click of each URL is published, of enough URLs.  What is drawn depends on the text alone, not
 * on the queries before it. */
static lethe_err draw_clicks(struct disconnect *h, struct worker *k, lethe_click_query *q)
{
    const lethe_click_count *g = &k->query;
    q->gone = g->urls.n < h->m;
    q->clicks = q->gone ? 0 : g->urls.n;
    q->hidden = g->clicks - q->clicks;
    if (q->gone) return LETHE_OK;
    if (q->hidden > 0)
        k->draw.rng = lethe_rng_stream(h->run->random, "disconnect clicks", q->text.low);
    return lethe_click_draw_begin(&k->draw, (const uint64_t *)(const void *)g->url_clicks.at,
                                  g->urls.n);
}

/* The query of which all is counted, for the graph: also if it was removed, for density before is
 * that of the whole input. */
static lethe_err gather_query(struct disconnect *h, unsigned w, lethe_click_query *q)
{
    struct worker *k = &h->workers[w];
    if (h->m > 0 && !q->gone) LETHE_TRY(draw_clicks(h, k, q));
    if (h->weights && !q->gone) {
        q->weight = lethe_query_weights_of(h->weights, k->query.last.query);
        k->weightless += q->weight == 0;
    }
    return lethe_click_gather_put(h->gather, w, q, k->query.urls.at);
}

/* Leaves the row without its click, if that is not published. */
static void hide_click(const struct disconnect *h, struct worker *k, bool in_graph, lethe_row *row)
{
    if (h->m == 0 || row->url.n == 0) return;
    uint32_t url = lethe_hash_numbers_find(&k->query.urls, lethe_hash_of(&h->hash_key, row->url));
    assert(url != LETHE_NONE); // without assertions, the click is left out
    if (!in_graph || url == LETHE_NONE || !lethe_click_draw_takes(&k->draw, url)) row->url.n = 0;
}

/* Decides about the query whose first row is current; then that of the next query is. */
static lethe_err decide_query(struct disconnect *h, unsigned w, struct cursor *r)
{
    struct worker *k = &h->workers[w];
    lethe_click_count *g = &k->query;
    enum reason why = NONE;
    lethe_sorted_mark(r->it);
    lethe_click_count_begin(g);
    do {
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(report(h, lethe_click_count_row(g, &r->row)));
        next_row(r);
    } while (r->more && lethe_str_eq(r->row.query, g->last.query));
    LETHE_TRY(lethe_sorted_err(r->it)); /* half a query must not pass for a whole one */
    bool confirmed = g->urls.n >= h->k && g->sites.n >= h->K, in_graph = g->clicks > 0;
    // section 7.4.3: over-restrictive queries (a) and those with few results (b) are the same test
    size_t n_results = 0;
    const uint32_t *urls =
        h->results ? lethe_results_of(h->results, g->last.query, &n_results) : NULL;
    if (h->results && n_results < h->k) {
        why = FEW_RESULTS;
    } else if (h->takes_targeted && g->clicks >= h->targeted_clicks &&
               (double)g->top / (double)g->clicks >= h->targeted) {
        why = TARGETED;
    } else if (h->takes_named && g->named) {
        why = NAMED;
    } else if (h->results) {
        lethe_click_count *c = &k->results;
        lethe_click_count_begin(c);
        for (size_t i = 0; i < n_results && c->sites.n < h->K; i++)
            LETHE_TRY(report(h, lethe_click_count_site(c, lethe_results_url(h->results, urls[i]))));
        if (c->sites.n < h->K) why = FEW_SITES;
    }
    if (in_graph) {
        lethe_click_query q = {.text = lethe_hash_of(&h->hash_key, g->last.query),
                               .origin = g->origin,
                               .frequency = g->volume,
                               .clicks = g->clicks,
                               .n_urls = g->urls.n,
                               .gone = why != NONE,
                               .confirmed = confirmed};
        LETHE_TRY(report(h, gather_query(h, w, &q)));
        in_graph = !q.gone;
        if (why == NONE && q.gone) k->hidden += q.hidden;
    }
    if (why != NONE || !in_graph) add_to(&k->of[why], g->volume, g->clicks);
    if (why != NONE) {
        h->out->drop(h->out, w, dropped_for[why], g->rows);
        return LETHE_OK;
    }
    k->unconfirmed += !in_graph && !confirmed;
    // its rows are emitted or, until the graph is cut, stored; then the next one is current
    LETHE_TRY(lethe_sorted_rewind(r->it));
    next_row(r);
    for (uint64_t n = g->rows; n > 0 && r->more; n--) {
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
        hide_click(h, k, in_graph, &r->row);
        LETHE_TRY(in_graph ? lethe_log_append(h->store, w, &r->row) : emit(h, w, &r->row));
        next_row(r);
    }
    return lethe_sorted_err(r->it);
}

enum { TOLD_QUERIES = 4096 }; /* what is held is looked at each time so many were read, or a part */

static lethe_err decide_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct cursor r = {.it = it};
    struct disconnect *h = arg;
    uint64_t n = 0, rows = 0; // since it was looked at
    (void)i;
    for (next_row(&r); r.more;) {
        LETHE_TRY(decide_query(arg, w, &r));
        rows += h->workers[w].query.rows;
        if (++n % TOLD_QUERIES && r.more) continue;
        uint64_t done = atomic_fetch_add(&h->rows_read, rows) + rows;
        lethe_sizes s = lethe_click_gather_sizes(h->gather); // then: of these rows at least
        rows = 0;
        LETHE_TRY(lethe_ctx_grows(h->run->ctx, &s, done, lethe_sorter_count(h->rows)));
    }
    return lethe_sorted_err(it);
}

/* --- the graph, (d) --- */

static lethe_err disconnect_graph(struct disconnect *h)
{
    struct worker *k = &h->workers[0];
    uint64_t weightless = 0;
    lethe_ctx_phase(h->run->ctx, "graph", 0);
    for (unsigned w = 0; w < h->n_workers; w++) {
        weightless += h->workers[w].weightless;
        h->how.n_plain += h->workers[w].of[NONE].queries;
    }
    if (weightless > 0)
        return lethe_fail(h->run->ctx, LETHE_EINPUT, "--weights lacks %llu of the clicked queries",
                          (unsigned long long)weightless);
    h->how.gather = h->gather;
    lethe_sizes sizes = lethe_click_gather_sizes(h->gather);
    LETHE_TRY(lethe_ctx_need(h->run->ctx, &sizes));
    LETHE_TRY(lethe_click_remove(h->run->ctx, &h->how, &h->removal));
    for (uint32_t i = 0, n = 0; i < h->gather->n; i++) {
        const lethe_click_query *q = h->gather->at[i].query;
        if (q->gone) continue;
        bool stays = h->removal.kept[n++];
        add_to(&k->of[stays ? NONE : GRAPH], q->frequency, q->clicks + q->hidden);
        k->hidden += stays ? q->hidden : 0;
        k->unconfirmed += stays && !q->confirmed;
    }
    lethe_click_gather_free(h->gather);
    h->gather = NULL;
    return LETHE_OK;
}

/* --- the rows in the store --- */

static lethe_err emit_stored(void *arg, unsigned w, const lethe_row *row)
{
    struct disconnect *h = arg;
    struct worker *k = &h->workers[w];
    lethe_hash text = lethe_hash_of(&h->hash_key, row->query);
    if (!k->has_last || !lethe_hash_eq(text, k->last)) {
        uint32_t q = lethe_hash_numbers_find(&h->removal.texts, text);
        assert(q != LETHE_NONE); // without assertions, the row is left out
        k->last = text;
        k->has_last = true;
        k->last_stays = q != LETHE_NONE && h->removal.kept[q];
    }
    if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
    if (k->last_stays) return emit(h, w, row);
    h->out->drop(h->out, w, dropped_for[GRAPH], 1);
    return LETHE_OK;
}

/* --- figures --- */

static double share(uint64_t part_of_it, uint64_t all)
{
    return all ? (double)part_of_it / (double)all : 1;
}

static void set_removed(const struct disconnect *h, const struct worker *all, const char *name,
                        size_t at)
{
    lethe_json *o = lethe_json_object(h->out->doc);
    for (size_t r = 0; r < REASONS; r++) {
        const struct tally *t = &all->of[r];
        const uint64_t of[] = {t->queries, t->volume, t->clicks};
        lethe_set_count(h->out->doc, o, reason_names[r], of[at]);
    }
    if (at == 2 && h->m > 0) lethe_set_count(h->out->doc, o, "hidden", all->hidden);
    lethe_json_set(h->out->doc, h->out->metrics, name, o);
}

static lethe_err set_figures(const struct disconnect *h)
{
    struct worker all = {0};
    struct tally sum = {0};
    lethe_json_doc *doc = h->out->doc;
    lethe_json *m = h->out->metrics;
    for (unsigned w = 0; w < h->n_workers; w++) {
        const struct worker *k = &h->workers[w];
        for (size_t r = 0; r <= REASONS; r++) {
            all.of[r].queries += k->of[r].queries;
            all.of[r].volume += k->of[r].volume;
            all.of[r].clicks += k->of[r].clicks;
            sum.queries += k->of[r].queries;
            sum.volume += k->of[r].volume;
            sum.clicks += k->of[r].clicks;
        }
        all.rows_kept += k->rows_kept;
        all.hidden += k->hidden;
        all.unconfirmed += k->unconfirmed;
    }
    struct tally kept = all.of[NONE];
    lethe_set_count(doc, m, "queries", sum.queries);
    set_removed(h, &all, "removed", 0);
    set_removed(h, &all, "removed_volume", 1);
    set_removed(h, &all, "removed_clicks", 2);
    lethe_set_real(doc, m, "density_before",
                   lethe_click_density(h->removal.edges_before, sum.queries));
    lethe_set_real(doc, m, "density_after",
                   lethe_click_density(h->removal.edges_after, kept.queries));
    lethe_set_count(doc, m, "rows_kept", all.rows_kept);
    lethe_set_real(doc, m, "volume_kept", share(kept.volume, sum.volume));
    lethe_set_real(doc, m, "clicks_kept", share(kept.clicks - all.hidden, sum.clicks));
    if (!h->how.best) {
        lethe_json *path = lethe_json_array(doc);
        for (size_t i = 0; i < h->removal.n_path; i++)
            lethe_json_push(doc, path, lethe_json_new_real(doc, h->removal.path[i]));
        lethe_json_set(doc, m, "density_path", path);
    }
    if (!h->has_results && (h->k || h->K)) lethe_set_count(doc, m, "unconfirmed", all.unconfirmed);
    if (all.rows_kept == 0)
        return lethe_fail(h->run->ctx, LETHE_ANSWER_NO,
                          "every query was removed: nothing is left to publish");
    return lethe_json_failed(doc) ? lethe_no_memory(h->run->ctx) : LETHE_OK;
}

/* --- the method --- */

static lethe_err disconnect_open(struct disconnect *h, const char *results, const char *weights)
{
    lethe_ctx *ctx = h->run->ctx;
    uint64_t bytes = h->run->memory_bytes;
    if (results) {
        lethe_ctx_phase(ctx, "results", 0);
        LETHE_TRY(lethe_results_read(ctx, results, &h->results));
    }
    if (weights) {
        lethe_ctx_phase(ctx, "weights", 0);
        LETHE_TRY(lethe_query_weights_read(ctx, weights, &h->weights));
    }
    h->workers = lethe_alloc_zero(h->n_workers, sizeof *h->workers);
    h->gather = lethe_click_gather_new(h->n_workers);
    if (!h->workers || !h->gather) return lethe_no_memory(ctx);
    for (unsigned w = 0; w < h->n_workers; w++) {
        h->workers[w].query = (lethe_click_count){.key = &h->hash_key, .form = h->run->urls};
        h->workers[w].results = (lethe_click_count){.key = &h->hash_key};
    }
    LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, bytes / 2, &h->rows));
    return lethe_log_store(ctx, bytes / 2, &h->store);
}

/* Frees what is needed to read the queries alone. */
static void close_input(struct disconnect *h)
{
    lethe_sorter_free(h->rows);
    lethe_results_free(h->results);
    lethe_query_weights_free(h->weights);
    h->rows = NULL;
    h->results = NULL;
    h->weights = NULL;
    for (unsigned w = 0; h->workers && w < h->n_workers; w++) {
        lethe_buf_free(&h->workers[w].record);
        lethe_click_count_free(&h->workers[w].query);
        lethe_click_count_free(&h->workers[w].results);
        lethe_click_draw_free(&h->workers[w].draw);
    }
}

static lethe_err disconnect_log(struct disconnect *h, lethe_log *log)
{
    lethe_ctx *ctx = h->run->ctx;
    lethe_ctx_phase(ctx, "reading", 0);
    LETHE_TRY(lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = sort_row, .arg = h}));
    lethe_ctx_phase(ctx, "queries", lethe_sorter_count(h->rows));
    LETHE_TRY(lethe_sorter_each(h->rows, decide_part, h));
    close_input(h);
    LETHE_TRY(disconnect_graph(h));
    lethe_ctx_phase(ctx, "rows", 0);
    LETHE_TRY(lethe_log_walk(ctx, h->store, &(lethe_row_visitor){.row = emit_stored, .arg = h}));
    return set_figures(h);
}

/* 0: not given. */
static uint64_t count_given(const lethe_values *v, const char *name)
{
    const lethe_value *value = lethe_value_of(v, name);
    return value->given ? (uint64_t)value->count : 0;
}

/* 0: all clicks are published. */
static uint64_t urls_needed(const lethe_values *v)
{
    const lethe_value *value = lethe_value_of(v, "min-urls");
    return value->word ? 0 : (uint64_t)value->count;
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    const lethe_values *v = run->values;
    const lethe_value *results = lethe_value_of(v, "results"),
                      *weights = lethe_value_of(v, "weights"),
                      *targeted = lethe_value_of(v, "targeted");
    bool keeps = lethe_count_of(v, "keep-vulnerable");
    bool best = lethe_count_of(v, "rank") == RANK_BEST;
    struct disconnect h = {
        .run = run,
        .out = out,
        .how = {.best = best,
                .by = weights->given ? LETHE_CLICK_VALUE_WEIGHT
                                     : choices[lethe_count_of(v, best ? "weight" : "rank")],
                .density = lethe_value_of(v, "density")->real},
        .targeted = targeted->real,
        .takes_targeted = !keeps && !targeted->word,
        .takes_named = !keeps,
        .has_results = results->given,
        .k = count_given(v, "min-results"),
        .K = count_given(v, "min-sites"),
        .m = run->urls == LETHE_URL_ID ? urls_needed(v) : 0,
        .targeted_clicks = (uint64_t)lethe_count_of(v, "targeted-clicks"),
        .hash_key = lethe_hash_key_draw(run->random, "disconnect"),
        .n_workers = lethe_ctx_threads(run->ctx),
    };
    lethe_err err = disconnect_open(&h, results->text, weights->text);
    if (err == LETHE_OK) err = disconnect_log(&h, in->log);
    close_input(&h);
    lethe_free(h.workers);
    lethe_click_gather_free(h.gather);
    lethe_click_removal_free(&h.removal);
    lethe_log_free(h.store);
    lethe_hash_key_wipe(&h.hash_key);
    return err;
}

/* --- promise and caveats --- */

static void claims(const lethe_values *v, lethe_json_doc *doc, lethe_json *out)
{
    static const struct {
        const char *option, *name;
    } least[] = {{"min-results", "k"}, {"min-sites", "K"}};
    lethe_json *c = lethe_json_object(doc);
    lethe_set_text(doc, c, "notion", "disconnected");
    lethe_set_real(doc, c, "density", lethe_value_of(v, "density")->real);
    for (size_t i = 0; i < LETHE_COUNT(least) && lethe_value_of(v, "results")->given; i++)
        if (lethe_value_of(v, least[i].option)->given)
            lethe_set_count(doc, c, least[i].name, count_given(v, least[i].option));
    if (urls_needed(v)) lethe_set_count(doc, c, "m", urls_needed(v));
    lethe_json_push(doc, out, c);
}

static const char *const caveats[] = {
    "This protects websites, not users: queries stay as they were typed, and users and times as "
    "they are published. Scrub, threshold and split before this step protect users.",
    "What is left out is not random: queries that resemble many others go first, and counts of "
    "queries, clicks and URLs are no longer those of the log.",
    "Two releases of the same or an overlapping log can be combined in the same way as two "
    "queries.",
    NULL,
};

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    size_t n = 0;
    bool results = lethe_value_of(v, "results")->given;
    out[n++] =
        urls_needed(v)
            ? "Which results people click is known without any release, the first ones most, and "
              "exact times or a person's own searches may tell which identifier is which; no count "
              "of clicks does (--min-urls). A query that is published without a click may have "
              "been clicked."
            : "Anyone who can ask the search engine can often find the URL behind an identifier: "
              "the queries are published, and the most clicked identifier of a query is mostly "
              "its first result (--min-urls none). Only the combination of two queries (the "
              "attack of section 7.3.5) is prevented.";
    if (lethe_value_of(v, "density")->real > 0)
        out[n++] = "--density over 0: pairs of queries that share clicked URLs are left, and the "
                   "intersection of their results reveals what they share.";
    if (lethe_count_of(v, "keep-vulnerable") || lethe_value_of(v, "targeted")->word)
        out[n++] = "Vulnerable queries were kept (--keep-vulnerable, --targeted none): clicks that "
                   "go to one site, or to a site that the query names, reveal that site.";
    if (!results || !count_given(v, "min-results"))
        out[n++] = "The number of results of a query was not checked, because that needs "
                   "--min-results and --results: if it has few results, asking it again reveals "
                   "the clicked URLs (step (b) of the process was not enforced).";
    if (!results || !count_given(v, "min-sites"))
        out[n++] = "The number of sites of a query's results was not checked, because that needs "
                   "--min-sites and --results: if it is one or a few, they are revealed (step (c) "
                   "of the process was not enforced).";
    if (!lethe_count_of(v, "keep-vulnerable"))
        out[n++] = "Which queries are vulnerable is decided from this log alone, by our own rules: "
                   "clicks that go to one site, and texts that contain a clicked domain. A site "
                   "that is named in other words is not found.";
    return n;
}

static lethe_err validate(const lethe_values *v, lethe_diag *d)
{
    bool best = lethe_count_of(v, "rank") == RANK_BEST,
         weights = lethe_value_of(v, "weights")->given;
    uint64_t k = count_given(v, "min-results"), K = count_given(v, "min-sites");
    if (lethe_value_of(v, "weight")->given && !best)
        return lethe_fail(d, LETHE_EUSAGE, "--weight can only be used with --rank best");
    if (lethe_value_of(v, "weight")->given && weights)
        return lethe_fail(d, LETHE_EUSAGE, "--weight and --weights exclude each other");
    if (lethe_value_of(v, "rank")->given && !best && weights)
        return lethe_fail(d, LETHE_EUSAGE, "--weights replaces --rank, unless that is best");
    if (best && lethe_value_of(v, "density")->real > 0)
        return lethe_fail(d, LETHE_EUSAGE, "--rank best needs --density 0");
    if (k > 0 && K > k)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--min-sites %llu is more than --min-results %llu: there are at most as "
                          "many sites as results",
                          (unsigned long long)K, (unsigned long long)k);
    return LETHE_OK;
}

/* --- memory --- */

/* For each query its place, hash, weight and rank; for each clicked URL of one the click, the graph
 * in both directions and what the rankings count (click_gather.h, click_ranking.h). */
static uint64_t need(const lethe_values *v, const lethe_data *in, const lethe_sizes *s)
{
    (void)v, (void)in;
    return 216 * s->n + 60 * s->parts;
}

/* --- the descriptor --- */

// clang-format off
static const lethe_option options[] = {
    {.name = "rank", .type = LETHE_OPT_CHOICE, .arg = "degree|frequency|clicks|best",
     .fallback = "frequency",
     .help = "which queries go first: those that share URLs with most others, or the same "
             "divided by how often they were asked or clicked; best: keep what is worth most by "
             "--weight"},
    {.name = "weight", .type = LETHE_OPT_CHOICE, .arg = "queries|volume|clicks",
     .fallback = "volume",
     .help = "with --rank best: what to keep, distinct queries, how often they were asked, or "
             "clicks"},
    {.name = "weights", .type = LETHE_OPT_PATH, .arg = "FILE", .told = true,
     .help = "the worth of each query, one query and number per line, in place of how often it "
             "was asked or clicked"},
    {.name = "density", .type = LETHE_OPT_REAL, .arg = "SHARE", .fallback = "0", .min = 0, .max = 1,
     .help = "stop when at most this share of all pairs of queries has a URL in common"},
    {.name = "min-results", .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 1e9,
     .help = "remove queries that have fewer results in --results"},
    {.name = "min-sites", .type = LETHE_OPT_COUNT, .arg = "N", .min = 1, .max = 1e9,
     .help = "remove queries whose results in --results come from fewer sites"},
    {.name = "results", .type = LETHE_OPT_PATH, .arg = "FILE", .told = true,
     .help = "the search engine's answers, one query and URL per line"},
    {.name = "targeted", .type = LETHE_OPT_REAL, .arg = "SHARE|none", .word = "none",
     .fallback = "0.9",
     .min = 0, .max = 1,
     .help = "remove queries if at least this share of their clicks goes to one site"},
    {.name = "targeted-clicks", .type = LETHE_OPT_COUNT, .arg = "N", .fallback = "3", .min = 1,
     .max = 1e9, .help = "number of clicks from which on --targeted applies to a query"},
    {.name = "min-urls", .type = LETHE_OPT_COUNT, .arg = "N|none", .word = "none", .fallback = "5",
     .min = 2, .max = 1e9,
     .help = "with --urls id: publish one click on each URL of a query, if there are at least so "
             "many, and no other click, so that no count tells a rank; none: all clicks"},
    {.name = "keep-vulnerable", .type = LETHE_OPT_FLAG,
     .help = "do not remove queries for --targeted, or because they name a site that was clicked"},
    {.name = NULL},
};
// clang-format on

static const lethe_figure figures[] = {
    {"queries", "distinct queries before", .better = 0, .label = "distinct queries before"},
    {"removed",
     "distinct queries removed, by reason: few_results, targeted, named, few_sites, graph", -1,
     .kind = LETHE_FIGURE_COUNTS, .label = "distinct queries removed"},
    {"removed_volume", "the same, counting how often they were asked", -1,
     .kind = LETHE_FIGURE_COUNTS, .label = "queries removed",
     .unit = "each as often as it was issued"},
    {"removed_clicks",
     "the same, counting clicks; hidden: those that published rows were left without (--min-urls)",
     -1, .kind = LETHE_FIGURE_COUNTS, .label = "clicks removed"},
    {"density_before", "share of all pairs of queries before that have a URL in common", 0,
     .kind = LETHE_FIGURE_SHARE, .label = "pairs with a common URL, before"},
    {"density_after", "the same, of published queries", 0, .source = LETHE_FIGURE_RELEASE,
     .kind = LETHE_FIGURE_SHARE, .label = "pairs with a common URL, published"},
    {"rows_kept", "rows published", 1, .source = LETHE_FIGURE_RELEASE, .label = "rows published",
     .detail = true},
    {"volume_kept", "share of queries published, counting how often they were asked", 1,
     .kind = LETHE_FIGURE_SHARE, .label = "queries published"},
    {"clicks_kept", "share of clicks published", 1, .kind = LETHE_FIGURE_SHARE,
     .label = "clicks published"},
    {"density_path",
     "an array: density while queries are removed, in up to 101 equal steps (not with --rank best)",
     0, .kind = LETHE_FIGURE_SHARES, .optional = true, .label = "pairs with a common URL, by step",
     .detail = true},
    {"unconfirmed",
     "without --results: queries published whose own clicks do not show --min-results results and "
     "--min-sites sites",
     0, .optional = true, .label = "queries without enough results seen"},
    {"undecided", "queries published that the check could not find in --results", -1,
     .optional = true, .label = "queries not in --results"},
    {.name = NULL},
};

const lethe_method lethe_method_disconnect = {
    .name = "disconnect",
    .summary = "publish only queries that do not share a clicked URL, to protect websites",
    .description =
        "Removes queries until no two of them share a clicked URL. A competitor of a website may "
        "know which of its pages some queries find, look these queries up in a published log, "
        "and intersect what was clicked for them: this reveals the URLs behind identifiers, and "
        "with them the queries, clicks and volume of others. Queries are distinct normalized "
        "texts; how often one was asked counts rows of one user at one second as one.\n"
        "\n"
        "The process, in order. Queries go that have fewer than --min-results results in "
        "--results. Vulnerable queries go: those of whose clicks --targeted or more go to one "
        "site, if there are --targeted-clicks or more, and those that name a site that was "
        "clicked for them. Queries go whose results come from fewer than --min-sites sites. Then "
        "the graph in which two queries are connected if they share a clicked URL is "
        "disconnected: the query with most neighbours goes, or with most divided by how often it "
        "was asked, or clicked, or by --weights (ties: the one first seen), and so on until the "
        "share of connected pairs is at most --density. With --rank best the set of queries to "
        "keep is optimized as a whole, for the greatest total weight: the optimum is certain "
        "where connected components are small, and in a small log the result is never below any of "
        "the three rankings.\n"
        "\n"
        "URLs are compared as they are published: with --urls host two pages of a host are one "
        "URL, with drop there are none, and queries go only for their results. The default here "
        "is id: each URL becomes a keyed identifier, and ranks are left out, because a rank and "
        "the results of the query would name the URL.\n"
        "\n"
        "The most clicked identifier of a query is mostly its first result, the next one the "
        "second. So, where URLs are identifiers and unless --min-urls is none, which is what the "
        "paper publishes, a query keeps one click on each of its URLs, drawn at random; its other "
        "rows are published without a click, and so are all rows of a query that was clicked on "
        "fewer than --min-urls URLs. Only clicks that are kept connect queries. Whoever knows the "
        "results, and even how often each was clicked, then names an identifier rightly with a "
        "chance of one in --min-urls at most.\n"
        "\n"
        "The site of a URL is its host without a leading www; a URL without host is a site of "
        "its own. A query names a site if it contains its domain, the last two labels "
        "(example.com) or three (example.co.uk); signs and spaces in the query count as dots. "
        "--results is a file with a query, a tab and a URL per line; a query that it lacks has "
        "no results. --weights has a query, a tab and a number above 0 per line, and must "
        "contain every query that reaches the graph. Both are held in memory, as are 128 bits "
        "for each URL of a query, but no texts.\n"
        "\n"
        "A later step may change texts without harm, because queries that share no URL still "
        "share none when some of them become one. It may not change URLs, as scrub does, which "
        "cuts them to hosts that queries share. With --density over 0, which rises when queries "
        "are left out, and with --results, which may lack the new texts, this step must come "
        "last, or the release is refused.",
    .paper = "B. Poblete, M. Spiliopoulou and R. Baeza-Yates, \"Website Privacy Preservation for "
             "Query Log Publishing\", PinKDD 2007; section 7.4 of Poblete's doctoral thesis",
    .in = LETHE_SHAPE_LOG,
    .out = LETHE_SHAPE_LOG,
    .options = options,
    .validate = validate,
    .figures = figures,
    .notion = "disconnected",
    .claims = claims,
    .ids = true,
    .sweep = "rank",
    .good_for = {[LETHE_GOAL_CLICKS] = 1},
    .keeps = "queries that have no clicked URL in common, with one click on each URL",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe disconnect log.tsv.gz --rank best -o release/",
    .run = run,
    .need = need,
};
