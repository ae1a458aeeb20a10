/* disconnect.c - the privacy of websites: no two published queries share a clicked URL.
 * B. Poblete, M. Spiliopoulou and R. Baeza-Yates, "Website Privacy Preservation for Query Log
 * Publishing", 2007; section 7.4 of the thesis text, the complete process of 7.4.3.
 *
 * Rows go through the sorter by query.  A query's rows are read once to count its occurrences,
 * clicks, sites and URLs, and to see whether (a), (b) or (c) takes it out; then again: they are
 * left out, or handed on at once where nothing was clicked, or kept in a store until the graph of
 * all clicked queries has been disconnected (d).  Of these no text is held, only hashes: memory is
 * linear in distinct queries and in the distinct URLs of each, and rows go to disk. */
#include "method/method.h"
#include "method/disconnect/click_count.h"
#include "method/disconnect/click_removal.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"
#include "model/knowledge/results.h"
#include "model/knowledge/weights.h"

/* As the choices of --rank, of which the last one goes by --weight, whose choices are the others.
 */
enum { RANK_BEST = 3 };
static const lethe_click_value choices[] = {LETHE_CLICK_VALUE_ONE, LETHE_CLICK_VALUE_FREQUENCY,
                                            LETHE_CLICK_VALUE_CLICKS};

/* Why a query goes: of several the first. */
enum reason { FEW_RESULTS, TARGETED, NAMED, FEW_SITES, GRAPH, REASONS, NONE = REASONS };
static const char *const reason_names[] = {"few_results", "targeted", "named", "few_sites",
                                           "graph"};
static const char *const dropped_for[] = {
    "query with too few results", "query aimed at one site", "query that names a clicked site",
    "query with results from too few sites", "query that shares a clicked URL"};

struct tally {
    uint64_t queries, volume, clicks;
};

/* A worker's own; on the heap by itself, so that workers do not share cache lines. */
struct worker {
    lethe_buf record;
    lethe_click_count query;      /* the one at hand */
    lethe_click_count results;    /* sites of its results */
    struct tally of[REASONS + 1]; /* of what is decided, by reason; the last: kept */
    uint64_t rows_kept;
    uint64_t unconfirmed; /* of those kept: whose clicks do not show k results and K sites */
    uint64_t weightless;  /* queries in the graph for which --weights has nothing */
    lethe_hash last;      /* of the rows in the store: the query looked up last */
    bool has_last, last_stays;
};

struct disconnect {
    lethe_run *run;
    lethe_result *out;
    lethe_click_removal_options how;
    double targeted;
    bool takes_targeted, takes_named, has_results;
    uint64_t k, K; /* 0: not asked for */
    lethe_results *results;
    lethe_query_weights *weights;
    lethe_hash_key hash_key;
    lethe_sorter *rows;
    lethe_log *store;
    lethe_click_gather *gather;
    unsigned n_workers;
    struct worker **workers;
    lethe_click_removal removal;
};

/* Says what others leave unsaid. */
static lethe_err said(const struct disconnect *h, lethe_err e)
{
    return e == LETHE_ENOMEM ? lethe_no_memory(h->run->ctx) : e;
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct disconnect *h = arg;
    lethe_buf *b = &h->workers[w]->record;
    if (lethe_row_pack(row, LETHE_BY_QUERY, b) != LETHE_OK) return lethe_no_memory(h->run->ctx);
    return lethe_sorter_put(h->rows, w, b->at, b->n);
}

/* --- a query's rows --- */

/* Where a worker is in its part. */
struct reading {
    lethe_sorted *it;
    bool more;
    lethe_row row; /* the current one, if `more` */
};

static void step(struct reading *r)
{
    lethe_str record;
    r->more = lethe_sorted_next(r->it, &record);
    if (r->more) lethe_row_unpack(record, LETHE_BY_QUERY, &r->row);
}

/* Counts the query whose first row is current, and leaves that of the next one current. */
static lethe_err count_query(const struct disconnect *h, lethe_click_count *c, struct reading *r)
{
    lethe_click_count_begin(c);
    do {
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(said(h, lethe_click_count_row(c, &r->row)));
        step(r);
    } while (r->more && lethe_str_eq(r->row.query, c->last.query));
    return lethe_sorted_err(r->it); /* half a query must not pass for a whole one */
}

/* --- what becomes of it: section 7.4.3, (a) to (c) --- */

/* Do these results come from at least K sites? */
static lethe_err has_sites(const struct disconnect *h, lethe_click_count *c, const uint32_t *urls,
                           size_t n, bool *has)
{
    lethe_click_count_begin(c);
    for (size_t i = 0; i < n && c->sites.n < h->K; i++)
        LETHE_TRY(lethe_click_count_site(c, lethe_results_url(h->results, urls[i])));
    *has = c->sites.n >= h->K;
    return LETHE_OK;
}

/* Over-restrictive queries (a) and those with few results (b) are the same test. */
static lethe_err judge(const struct disconnect *h, struct worker *k, enum reason *why)
{
    const lethe_click_count *g = &k->query;
    size_t n = 0;
    bool enough = true;
    const uint32_t *urls = h->results ? lethe_results_of(h->results, g->last.query, &n) : NULL;
    *why = NONE;
    if (h->results && n < h->k) {
        *why = FEW_RESULTS;
    } else if (h->takes_targeted && g->clicks > 0 &&
               (double)g->top / (double)g->clicks >= h->targeted) {
        *why = TARGETED;
    } else if (h->takes_named && g->named) {
        *why = NAMED;
    } else if (h->results) {
        LETHE_TRY(has_sites(h, &k->results, urls, n, &enough));
        if (!enough) *why = FEW_SITES;
    }
    return LETHE_OK;
}

static void add_to(struct tally *t, uint64_t volume, uint64_t clicks)
{
    t->queries++;
    t->volume += volume;
    t->clicks += clicks;
}

/* Also of what was taken out: density before is that of the log as it came. */
static lethe_err put_in_graph(struct disconnect *h, unsigned w, enum reason why, bool confirmed)
{
    struct worker *k = h->workers[w];
    const lethe_click_count *g = &k->query;
    lethe_click_query q = {.text = lethe_hash_of(&h->hash_key, g->last.query),
                           .origin = g->origin,
                           .frequency = g->volume,
                           .clicks = g->clicks,
                           .n_urls = g->urls.n,
                           .gone = why != NONE,
                           .confirmed = confirmed};
    if (h->weights && why == NONE) {
        q.weight = lethe_query_weights_of(h->weights, g->last.query);
        k->weightless += q.weight == 0;
    }
    return lethe_click_gather_put(h->gather, w, &q, g->urls.at);
}

/* A rank, and the results of the query, would tell which URL an identifier stands for. */
static lethe_err emit(struct disconnect *h, unsigned w, const lethe_row *in)
{
    lethe_row row = *in;
    if (h->run->urls == LETHE_URL_ID) row.rank = LETHE_NO_RANK;
    h->workers[w]->rows_kept++;
    return h->out->emit(h->out, w, &row);
}

/* Hands on the n rows of the query whose first one is marked, and leaves the next one current. */
static lethe_err hand_on(struct disconnect *h, unsigned w, struct reading *r, uint64_t n,
                         bool later)
{
    LETHE_TRY(lethe_sorted_rewind(r->it));
    step(r);
    for (; n > 0 && r->more; n--) {
        if (lethe_ctx_cancelled(h->run->ctx)) return LETHE_ECANCEL;
        LETHE_TRY(later ? lethe_log_append(h->store, w, &r->row) : emit(h, w, &r->row));
        step(r);
    }
    return lethe_sorted_err(r->it);
}

static lethe_err decide(struct disconnect *h, unsigned w, struct reading *r)
{
    struct worker *k = h->workers[w];
    const lethe_click_count *g = &k->query;
    enum reason why;
    lethe_sorted_mark(r->it);
    LETHE_TRY(count_query(h, &k->query, r));
    bool confirmed = g->urls.n >= h->k && g->sites.n >= h->K, in_graph = g->clicks > 0;
    LETHE_TRY(said(h, judge(h, k, &why)));
    if (in_graph) LETHE_TRY(said(h, put_in_graph(h, w, why, confirmed)));
    if (why != NONE || !in_graph) add_to(&k->of[why], g->volume, g->clicks);
    if (why != NONE) {
        h->out->drop(h->out, w, dropped_for[why], g->rows);
        return LETHE_OK;
    }
    k->unconfirmed += !in_graph && !confirmed;
    return hand_on(h, w, r, g->rows, in_graph);
}

static lethe_err part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct reading r = {.it = it};
    (void)i;
    for (step(&r); r.more;)
        LETHE_TRY(decide(arg, w, &r));
    return lethe_sorted_err(it);
}

/* --- the graph, (d) --- */

static lethe_err take_apart(struct disconnect *h)
{
    uint64_t weightless = 0;
    lethe_ctx_phase(h->run->ctx, "graph", 0);
    for (unsigned w = 0; w < h->n_workers; w++) {
        weightless += h->workers[w]->weightless;
        h->how.n_plain += h->workers[w]->of[NONE].queries;
    }
    if (weightless > 0)
        return lethe_fail(h->run->ctx, LETHE_EINPUT,
                          "--weights has none for %llu of the clicked queries",
                          (unsigned long long)weightless);
    h->how.gather = h->gather;
    return lethe_click_remove(h->run->ctx, &h->how, &h->removal);
}

/* What the graph has decided, into the first worker's figures. */
static void count_kept(struct disconnect *h)
{
    struct worker *k = h->workers[0];
    for (uint32_t i = 0, n = 0; i < lethe_click_gather_queries(h->gather); i++) {
        const lethe_click_query *q = lethe_click_gather_query(h->gather, i);
        if (q->gone) continue;
        bool stays = h->removal.kept[n++];
        add_to(&k->of[stays ? NONE : GRAPH], q->frequency, q->clicks);
        k->unconfirmed += stays && !q->confirmed;
    }
    lethe_click_gather_free(h->gather);
    h->gather = NULL;
}

/* --- the rows that waited for it --- */

static lethe_err on_stored(void *arg, unsigned w, const lethe_row *row)
{
    struct disconnect *h = arg;
    struct worker *k = h->workers[w];
    lethe_hash text = lethe_hash_of(&h->hash_key, row->query);
    if (!k->has_last || !lethe_hash_eq(text, k->last)) {
        uint32_t q = lethe_hash_numbers_find(&h->removal.texts, text);
        assert(q != LETHE_NONE); // and where it is, the row does not go out
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

static struct worker add_up(const struct disconnect *h)
{
    struct worker all = {0};
    for (unsigned w = 0; w < h->n_workers; w++) {
        const struct worker *k = h->workers[w];
        for (size_t r = 0; r <= REASONS; r++) {
            all.of[r].queries += k->of[r].queries;
            all.of[r].volume += k->of[r].volume;
            all.of[r].clicks += k->of[r].clicks;
        }
        all.rows_kept += k->rows_kept;
        all.unconfirmed += k->unconfirmed;
        all.weightless += k->weightless;
    }
    return all;
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
    lethe_json_set(h->out->doc, h->out->metrics, name, o);
}

static void set_path(const struct disconnect *h)
{
    lethe_json *path = lethe_json_array(h->out->doc);
    for (size_t i = 0; i < h->removal.n_path; i++)
        lethe_json_push(h->out->doc, path, lethe_json_new_real(h->out->doc, h->removal.path[i]));
    if (!h->how.best) lethe_json_set(h->out->doc, h->out->metrics, "density_path", path);
}

static lethe_err conclude(const struct disconnect *h)
{
    struct worker all = add_up(h);
    struct tally sum = {0}, kept = all.of[NONE];
    lethe_json_doc *doc = h->out->doc;
    lethe_json *m = h->out->metrics;
    for (size_t r = 0; r <= REASONS; r++) {
        sum.queries += all.of[r].queries;
        sum.volume += all.of[r].volume;
        sum.clicks += all.of[r].clicks;
    }
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
    lethe_set_real(doc, m, "clicks_kept", share(kept.clicks, sum.clicks));
    set_path(h);
    if (!h->has_results && (h->k || h->K)) lethe_set_count(doc, m, "unconfirmed", all.unconfirmed);
    if (all.rows_kept == 0)
        return lethe_fail(h->run->ctx, LETHE_ANSWER_NO,
                          "every query was taken out: nothing is left to publish");
    return lethe_json_failed(doc) ? lethe_no_memory(h->run->ctx) : LETHE_OK;
}

/* --- the method --- */

static lethe_err open_all(struct disconnect *h, const char *results, const char *weights)
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
    if (!h->workers || !h->gather) return lethe_no_memory(h->run->ctx);
    for (unsigned w = 0; w < h->n_workers; w++) {
        h->workers[w] = lethe_alloc_zero(1, sizeof **h->workers);
        if (!h->workers[w]) return lethe_no_memory(h->run->ctx);
        h->workers[w]->query = (lethe_click_count){.key = &h->hash_key, .form = h->run->urls};
        h->workers[w]->results = (lethe_click_count){.key = &h->hash_key};
    }
    LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, bytes / 2, &h->rows));
    return lethe_log_store(ctx, bytes / 2, &h->store);
}

/* What was needed to read the queries is needed no more. */
static void close_reading(struct disconnect *h)
{
    lethe_sorter_free(h->rows);
    lethe_results_free(h->results);
    lethe_query_weights_free(h->weights);
    h->rows = NULL;
    h->results = NULL;
    h->weights = NULL;
    for (unsigned w = 0; h->workers && w < h->n_workers; w++) {
        struct worker *k = h->workers[w];
        if (!k) continue;
        lethe_buf_free(&k->record);
        lethe_click_count_free(&k->query);
        lethe_click_count_free(&k->results);
    }
}

static void close_all(struct disconnect *h)
{
    close_reading(h);
    for (unsigned w = 0; h->workers && w < h->n_workers; w++)
        lethe_free(h->workers[w]);
    lethe_free(h->workers);
    lethe_click_gather_free(h->gather);
    lethe_click_removal_free(&h->removal);
    lethe_log_free(h->store);
    lethe_hash_key_wipe(&h->hash_key);
}

static lethe_err pass(struct disconnect *h, lethe_log *log)
{
    lethe_ctx *ctx = h->run->ctx;
    lethe_ctx_phase(ctx, "reading", 0);
    LETHE_TRY(lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = h}));
    lethe_ctx_phase(ctx, "queries", lethe_sorter_count(h->rows));
    LETHE_TRY(lethe_sorter_each(h->rows, part, h));
    close_reading(h);
    LETHE_TRY(take_apart(h));
    count_kept(h);
    lethe_ctx_phase(ctx, "rows", 0);
    LETHE_TRY(lethe_log_walk(ctx, h->store, &(lethe_row_visitor){.row = on_stored, .arg = h}));
    return conclude(h);
}

/* 0: not given. */
static uint64_t count_given(const lethe_values *v, const char *name)
{
    const lethe_value *value = lethe_value_of(v, name);
    return value->given ? (uint64_t)value->count : 0;
}

static lethe_click_removal_options removing_of(const lethe_values *v)
{
    int64_t rank = lethe_count_of(v, "rank");
    bool best = rank == RANK_BEST;
    lethe_click_value by = choices[best ? lethe_count_of(v, "weight") : rank];
    return (lethe_click_removal_options){
        .best = best,
        .by = lethe_value_of(v, "weights")->given ? LETHE_CLICK_VALUE_WEIGHT : by,
        .density = lethe_value_of(v, "density")->real};
}

static lethe_err run(lethe_run *run, const lethe_data *in, lethe_result *out)
{
    const lethe_values *v = run->values;
    const lethe_value *results = lethe_value_of(v, "results"),
                      *targeted = lethe_value_of(v, "targeted");
    bool keeps = lethe_count_of(v, "keep-vulnerable");
    struct disconnect h = {
        .run = run,
        .out = out,
        .how = removing_of(v),
        .targeted = targeted->real,
        .takes_targeted = !keeps && !targeted->word,
        .takes_named = !keeps,
        .has_results = results->given,
        .k = count_given(v, "min-results"),
        .K = count_given(v, "min-sites"),
        .hash_key = lethe_hash_key_draw(run->random, "disconnect"),
        .n_workers = lethe_ctx_threads(run->ctx),
    };
    lethe_err err = open_all(&h, results->text, lethe_value_of(v, "weights")->text);
    if (err == LETHE_OK) err = pass(&h, in->log);
    close_all(&h);
    return err;
}

/* --- what is promised, and what is not --- */

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
    lethe_json_push(doc, out, c);
}

static size_t warns(const lethe_values *v, const char *out[LETHE_WARNS_MAX])
{
    size_t n = 0;
    bool results = lethe_value_of(v, "results")->given;
    if (!results || !count_given(v, "min-results"))
        out[n++] = "How many results a query has was not looked at, for that needs --min-results "
                   "and --results: of one with few results the clicked URLs can be told by asking "
                   "it again (step (b) of the process was not enforced).";
    if (!results || !count_given(v, "min-sites"))
        out[n++] = "From how many sites a query's results come was not looked at, for that needs "
                   "--min-sites and --results: where it is one or a few, they are told (step (c) "
                   "of the process was not enforced).";
    if (lethe_value_of(v, "density")->real > 0)
        out[n++] = "--density over 0: pairs of queries that share clicked URLs are left, and what "
                   "they share can be told by intersecting their results.";
    if (lethe_count_of(v, "keep-vulnerable") || lethe_value_of(v, "targeted")->word)
        out[n++] = "Vulnerable queries were kept (--keep-vulnerable, --targeted none): clicks that "
                   "go to one site, or to a site that the query names, tell that site.";
    return n;
}

static lethe_err validate(const lethe_values *v, lethe_diag *d)
{
    bool best = lethe_count_of(v, "rank") == RANK_BEST,
         weights = lethe_value_of(v, "weights")->given;
    uint64_t k = count_given(v, "min-results"), K = count_given(v, "min-sites");
    if (lethe_value_of(v, "weight")->given && !best)
        return lethe_fail(d, LETHE_EUSAGE, "--weight is of use with --rank best only");
    if (lethe_value_of(v, "weight")->given && weights)
        return lethe_fail(d, LETHE_EUSAGE, "--weight and --weights exclude each other");
    if (lethe_value_of(v, "rank")->given && !best && weights)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--weights takes the place of --rank, unless that is best");
    if (best && lethe_value_of(v, "density")->real > 0)
        return lethe_fail(d, LETHE_EUSAGE, "--rank best leaves no density: --density must be 0");
    if (k > 0 && K > k)
        return lethe_fail(d, LETHE_EUSAGE,
                          "--min-sites %llu is over --min-results %llu: results come from no more "
                          "sites than there are results",
                          (unsigned long long)K, (unsigned long long)k);
    return LETHE_OK;
}

/* --- the descriptor --- */

static const lethe_option options[] = {
    {.name = "rank",
     .type = LETHE_OPT_CHOICE,
     .arg = "degree|frequency|clicks|best",
     .fallback = "frequency",
     .help = "which queries go first: those that share URLs with most others, the same over how "
             "often they were asked or clicked; best: keep what is worth most by --weight"},
    {.name = "weight",
     .type = LETHE_OPT_CHOICE,
     .arg = "queries|volume|clicks",
     .fallback = "volume",
     .help = "with --rank best: what is to be kept, distinct queries, how often they were asked, "
             "or clicks"},
    {.name = "weights",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .told = true,
     .help = "what each query is worth, query and number a line, in place of how often it was "
             "asked or clicked"},
    {.name = "density",
     .type = LETHE_OPT_REAL,
     .arg = "SHARE",
     .fallback = "0",
     .min = 0,
     .max = 1,
     .help = "stop when no more than this share of all pairs of queries has a URL in common"},
    {.name = "min-results",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 1,
     .max = 1e9,
     .help = "take queries out that have fewer results in --results"},
    {.name = "min-sites",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .min = 1,
     .max = 1e9,
     .help = "take queries out whose results in --results come from fewer sites"},
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .told = true,
     .help = "what the search engine answered, query and URL a line"},
    {.name = "targeted",
     .type = LETHE_OPT_REAL,
     .arg = "SHARE|none",
     .word = "none",
     .fallback = "0.9",
     .min = 0,
     .max = 1,
     .help = "take queries out of whose clicks at least this share goes to one site"},
    {.name = "keep-vulnerable",
     .type = LETHE_OPT_FLAG,
     .help = "do not take queries out for --targeted, or because they name a site that was "
             "clicked"},
    {.name = NULL},
};

static const lethe_figure figures[] = {
    {"queries", "distinct queries before", 0},
    {"removed",
     "distinct queries taken out, by reason: few_results, targeted, named, few_sites, graph", -1},
    {"removed_volume", "the same, counting how often they were asked", -1},
    {"removed_clicks", "the same, counting clicks", -1},
    {"density_before", "share of pairs of queries with a URL in common, of all before", 0},
    {"density_after", "the same, of those published", 0},
    {"rows_kept", "rows published", 1},
    {"volume_kept", "share of queries published, counting how often they were asked", 1},
    {"clicks_kept", "share of clicks published", 1},
    {"density_path",
     "an array: density as the graph is taken apart, up to 101 equal steps (not with best)", 0},
    {"unconfirmed",
     "without --results: queries published whose own clicks do not show --min-results results and "
     "--min-sites sites",
     0},
    {"undecided", "queries published of which the check could not see what --results says", -1},
    {.name = NULL},
};

static const char *const caveats[] = {
    "Websites are protected here, users are not at all: queries stay as they were typed, and users "
    "and times as they are published. Scrub, threshold and split before this step protect users.",
    "An identifier of a URL hides it from nobody who can ask the search engine: the queries are "
    "there, and their results often tell which URL was clicked. What is prevented is that two "
    "queries are combined (the attack of section 7.3.5), and nothing else.",
    "With --urls host or keep the sites that were clicked stand in the release, and for which "
    "queries.",
    "Which queries are vulnerable is told from this log alone, by rules of our own: clicks that go "
    "to one site, and texts that hold a clicked domain. A site that is named in other words is not "
    "found.",
    "What is left out is not left out by chance: queries that many others are like go first, and "
    "counts of queries, clicks and URLs are no longer those of the log.",
    "Two releases of the same or an overlapping log can be combined as two queries can.",
    NULL,
};

const lethe_method lethe_method_disconnect = {
    .name = "disconnect",
    .summary = "publish queries of which no two share a clicked URL, for the privacy of websites",
    .description =
        "Takes queries out until no clicked URL is left that two queries share. Who competes with "
        "a website may know which of its pages some queries find, look these up in a published "
        "log, and intersect what was clicked for them: so identifiers of URLs get their names "
        "back, and with them go the queries, clicks and volume of others. Queries are distinct "
        "normalised texts; how often one was asked counts rows of one user at one second as one.\n"
        "\n"
        "The whole process, in order. Queries go that have fewer than --min-results results in "
        "--results. Vulnerable queries go: those of whose clicks --targeted or more go to one "
        "site (a query with one click is such a query), and those that name a site that was "
        "clicked for them. Queries go whose results come from fewer than --min-sites sites. Then "
        "the graph in which two queries are joined if they share a clicked URL is taken apart: "
        "the query that is joined to most others goes, or to most over how often it was asked, or "
        "clicked, or over --weights (of several the one first seen), and so on until the share of "
        "pairs that are joined is at most --density. With --rank best the queries that are kept "
        "are sought as a whole: of greatest weight together, which is found for certain where "
        "what hangs together is small, and is never below any of the three rankings.\n"
        "\n"
        "URLs are shared as they are published: with --urls host two pages of a host are one URL, "
        "with drop there are none, and nothing goes but for its results. The default here is id: "
        "each URL becomes a keyed identifier, and ranks are left out, for a rank and the results "
        "of the query would name the URL.\n"
        "\n"
        "The site of a URL is its host without a leading www; a URL without host is a site of its "
        "own. A query names a site if it holds its domain, the last two labels (example.com) or "
        "three (example.co.uk); signs and spaces in the query count as dots. --results is a file "
        "of query, tab and URL a line; a query that it lacks has none. --weights is one of query, "
        "tab and a number above 0, and must have every query that comes as far as the graph. Both "
        "are held in memory, and so are 128 bits for each of a query's URLs, but no texts.\n"
        "\n"
        "A step behind this one may change texts without harm, for queries that share no URL still "
        "share none when some of them become one. Not so where it changes URLs, as scrub does, "
        "which cuts them to hosts that queries share; with --density over 0, which rises where "
        "queries are left out; and with --results, which may lack the new texts: then this step "
        "comes last, or the release is refused.",
    .paper = "B. Poblete, M. Spiliopoulou and R. Baeza-Yates, \"Website Privacy Preservation for "
             "Query Log Publishing\", PinKDD 2007; section 7.4 of the thesis text",
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
    .keeps = "queries with their clicks, of those that have no clicked URL in common",
    .caveats = caveats,
    .warns = warns,
    .example = "lethe disconnect log.tsv.gz --rank best -o release/",
    .run = run,
};
