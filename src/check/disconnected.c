/* SPDX-License-Identifier: Apache-2.0 */
/* disconnected.c - do few enough pairs of published queries share a clicked URL?
 *
 * Decided from the published rows alone: the texts, and the URLs as they are written there.  With a
 * density of 0 each URL's rows are brought together, and none may have two texts.  Above that each
 * text's URLs are, and the pairs of texts that share one are counted (shared_urls.h).  URLs that
 * are identifiers have no ranks: with the results of the query, which anybody can ask for, a rank
 * names the URL, whatever its density.  Where m is claimed, a text with identifiers has at least m
 * of them, each in one row: the more rows, the better the rank.
 *
 * How many results a query has, and from how many sites, no published row shows.  It can be told
 * with the results that `disconnect` was given: those of its own --results while the release is
 * made, of `verify --results` later.  Without them nothing is contradicted, and the texts that they
 * would decide are counted as undecided.
 *
 * B. Poblete, M. Spiliopoulou and R. Baeza-Yates, "Website Privacy Preservation for Query Log
 * Publishing", 2007: Definition 1, and k and K of the process in section 7.4.3. */
#include "check/bounds.h"
#include "check/check.h"
#include "check/claim.h"
#include "check/shared_urls.h"
#include "io/json/json.h"
#include "io/sort/sorter.h"
#include "model/knowledge/results.h"
#include "text/normalize.h"
#include "core/sort.h"
#include <stdlib.h>

struct claim {
    double density;
    uint64_t k, K; /* results and sites that a text needs; 0: nothing is claimed */
    uint64_t m;    /* identifiers that a text needs that has any, each in one row; likewise */
};

/* Two texts and a URL that they share; the least one first, and of these in the same way. */
struct pair {
    bool found;
    lethe_buf text[2], url;
};

/* The least text with too few results or sites. */
struct shortage {
    bool found;
    lethe_buf text;
    const char *what; /* there are too few of */
    uint64_t n, needed;
};

/* The least text with a rank beside an identifier, and its least one. */
struct ranked {
    bool found;
    lethe_buf text;
    uint32_t rank;
};

/* The least text with too few identifiers, or with one in several rows. */
struct counted {
    bool found;
    lethe_buf text;
    uint64_t ids, rows; /* rows: of the identifier with most */
};

/* A worker's own. */
struct finding {
    struct pair pair;
    struct shortage shortage;
    struct counted counted;
    struct ranked ranked;
    uint64_t n_texts;
    uint64_t rows, clicks;
    lethe_buf record;
    lethe_buf url, text; /* a URL and its first text */
    lethe_buf sites;     /* of one text's results, by number */
    char apart[64];      /* workers do not share a cache line */
};

struct inspection {
    lethe_published *p;
    struct claim claim;
    const lethe_results *results; /* NULL: there are none */
    uint32_t *site;               /* of each URL of the results; NULL: nobody asks */
    lethe_sorter *by_text;        /* text NUL [url]: the URL where pairs or clicks are counted */
    lethe_sorter *by_url;         /* url NUL text */
    lethe_shared_urls *joined;    /* pairs are counted */
    uint64_t n_texts;             /* published, where by_text was read */
    uint64_t edges;               /* as shared_urls.h says */
    bool too_dense;
    unsigned n_workers;
    struct finding *findings;
};

static lethe_diag *diag_of(const struct inspection *c) { return lethe_ctx_diag(c->p->ctx); }
static lethe_str str_of(const lethe_buf *b) { return (lethe_str){(const char *)b->at, b->n}; }

static lethe_err keep(const struct inspection *c, lethe_buf *b, lethe_str s)
{
    b->n = 0;
    return lethe_buf_str(b, s) == LETHE_OK ? LETHE_OK : lethe_no_memory(diag_of(c));
}

static const lethe_claim_field claim_fields[] = {
    {"density", LETHE_CLAIM_REAL, .max = 1, .offset = offsetof(struct claim, density)},
    {"k", LETHE_CLAIM_U64, .optional = true, .min = 1, .offset = offsetof(struct claim, k)},
    {"K", LETHE_CLAIM_U64, .optional = true, .min = 1, .offset = offsetof(struct claim, K)},
    {"m", LETHE_CLAIM_U64, .optional = true, .min = 2, .offset = offsetof(struct claim, m)},
};

static bool has_ids(const struct inspection *c)
{
    return c->p->form && c->p->form->urls == LETHE_URL_ID;
}
static bool counts_clicks(const struct inspection *c) { return c->claim.m > 0 && has_ids(c); }

static bool claims_results(const struct inspection *c) { return c->claim.k > 0 || c->claim.K > 0; }

/* --- results and sites --- */

/* A host without "www."; a URL that has none is a site of its own, whatever hosts are called: a
 * space, which no host has, stands before it. */
static lethe_err site_of(lethe_str url, lethe_buf *host_buf, lethe_buf *own, lethe_str *out)
{
    static const lethe_str www = {"www.", 4};
    lethe_str host;
    LETHE_TRY(lethe_url_host(url, host_buf, &host));
    if (host.n > www.n && memcmp(host.at, www.at, www.n) == 0)
        host = (lethe_str){host.at + www.n, host.n - www.n};
    *out = host;
    if (host.n > 0) return LETHE_OK;
    own->n = 0;
    LETHE_TRY(lethe_buf_put(own, " ", 1));
    LETHE_TRY(lethe_buf_str(own, url));
    *out = str_of(own);
    return LETHE_OK;
}

static lethe_err number_sites(struct inspection *c, lethe_dict *sites)
{
    lethe_buf host = {0}, own = {0};
    lethe_err err = LETHE_OK;
    for (uint32_t u = 0; u < lethe_results_urls(c->results) && err == LETHE_OK; u++) {
        lethe_str site;
        err = lethe_ctx_cancelled(c->p->ctx)
                  ? LETHE_ECANCEL
                  : site_of(lethe_results_url(c->results, u), &host, &own, &site);
        if (err == LETHE_OK) err = lethe_dict_add(sites, site, &c->site[u]);
    }
    lethe_buf_free(&host);
    lethe_buf_free(&own);
    return err;
}

static lethe_err find_sites(struct inspection *c)
{
    lethe_dict *sites = lethe_dict_new();
    c->site = lethe_alloc(lethe_results_urls(c->results), sizeof *c->site);
    lethe_err err = sites && c->site ? number_sites(c, sites) : LETHE_ENOMEM;
    lethe_dict_free(sites);
    return err == LETHE_ENOMEM ? lethe_no_memory(diag_of(c)) : err;
}

static lethe_err take_results(struct inspection *c)
{
    if (!claims_results(c)) return LETHE_OK;
    if (c->p->results_gone)
        lethe_note(diag_of(c), "disconnected: results from a pipe cannot be read again; queries "
                               "that need them count as undecided");
    c->results = c->p->results;
    return c->results && c->claim.K > 0 ? find_sites(c) : LETHE_OK;
}

static lethe_err count_sites(const struct inspection *c, struct finding *f, const uint32_t *url,
                             size_t n, uint64_t *out)
{
    *out = 0;
    if (n == 0) return LETHE_OK;
    f->sites.n = 0;
    if (lethe_buf_reserve(&f->sites, n * sizeof *url) != LETHE_OK)
        return lethe_no_memory(diag_of(c));
    uint32_t *site = (uint32_t *)(void *)f->sites.at;
    for (size_t i = 0; i < n; i++)
        site[i] = c->site[url[i]];
    qsort(site, n, sizeof *site, lethe_u32_cmp);
    for (size_t i = 0; i < n; i++)
        *out += i == 0 || site[i] != site[i - 1];
    return LETHE_OK;
}

static lethe_err note_shortage(const struct inspection *c, struct finding *f, lethe_str text,
                               const char *what, uint64_t n, uint64_t needed)
{
    struct shortage *s = &f->shortage;
    if (n >= needed || (s->found && lethe_str_cmp(text, str_of(&s->text)) >= 0)) return LETHE_OK;
    LETHE_TRY(keep(c, &s->text, text));
    s->found = true;
    s->what = what;
    s->n = n;
    s->needed = needed;
    return LETHE_OK;
}

static lethe_err look_at_results(const struct inspection *c, struct finding *f, lethe_str text)
{
    size_t n;
    uint64_t n_sites;
    const uint32_t *url = lethe_results_of(c->results, text, &n);
    LETHE_TRY(note_shortage(c, f, text, "results", n, c->claim.k));
    if (c->claim.K == 0) return LETHE_OK;
    LETHE_TRY(count_sites(c, f, url, n, &n_sites));
    return note_shortage(c, f, text, "sites", n_sites, c->claim.K);
}

/* --- rows --- */

static lethe_err put(const struct inspection *c, lethe_sorter *to, unsigned w, lethe_str first,
                     lethe_str second)
{
    lethe_buf *b = &c->findings[w].record;
    b->n = 0;
    if (lethe_buf_str(b, first) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_str(b, second) != LETHE_OK)
        return lethe_no_memory(diag_of(c));
    return lethe_sorter_put(to, w, b->at, b->n);
}

static bool is_less_ranked(lethe_str text, uint32_t rank, const struct ranked *than)
{
    int order = lethe_str_cmp(text, str_of(&than->text));
    return order < 0 || (order == 0 && rank < than->rank);
}

static lethe_err note_rank(const struct inspection *c, struct ranked *r, const lethe_row *row)
{
    if (r->found && !is_less_ranked(row->query, row->rank, r)) return LETHE_OK;
    LETHE_TRY(keep(c, &r->text, row->query));
    r->rank = row->rank;
    r->found = true;
    return LETHE_OK;
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct inspection *c = arg;
    lethe_str url = c->joined || counts_clicks(c) ? row->url : (lethe_str){"", 0};
    c->findings[w].rows++;
    c->findings[w].clicks += row->url.n > 0;
    if (has_ids(c) && row->rank != LETHE_NO_RANK)
        LETHE_TRY(note_rank(c, &c->findings[w].ranked, row));
    if (c->by_text) LETHE_TRY(put(c, c->by_text, w, row->query, url));
    if (c->by_url && row->url.n > 0) LETHE_TRY(put(c, c->by_url, w, row->url, row->query));
    return LETHE_OK;
}

static void fields_of(lethe_str record, lethe_str out[2])
{
    size_t n = (size_t)((const char *)memchr(record.at, 0, record.n) - record.at);
    out[0] = (lethe_str){record.at, n};
    out[1] = (lethe_str){record.at + n + 1, record.n - n - 1};
}

/* The identifiers of a text, as they come: rows of the one at hand, and of the one with most. */
struct clicks {
    uint64_t ids, rows, most;
};

static void add_click(struct clicks *k, bool new_id)
{
    k->ids += new_id;
    k->rows = new_id ? 1 : k->rows + 1;
    k->most = LETHE_MAX(k->most, k->rows);
}

static lethe_err note_counted(const struct inspection *c, struct counted *u, lethe_str text,
                              const struct clicks *k)
{
    if (k->ids == 0 || (k->ids >= c->claim.m && k->most == 1)) return LETHE_OK;
    if (u->found && lethe_str_cmp(text, str_of(&u->text)) >= 0) return LETHE_OK;
    LETHE_TRY(keep(c, &u->text, text));
    u->found = true;
    u->ids = k->ids;
    u->rows = k->most;
    return LETHE_OK;
}

/* All of a text's rows, which `record` is the first of; *more: it is now the next one's first. */
static lethe_err one_text(struct inspection *c, unsigned w, lethe_sorted *it, lethe_str *record,
                          bool *more)
{
    struct finding *f = &c->findings[w];
    lethe_str row[2], text, url = {"", 0};
    struct clicks clicks = {0};
    fields_of(*record, row);
    do {
        bool new_url = row[1].n > 0 && !lethe_str_eq(row[1], url);
        if (new_url && c->joined) LETHE_TRY(lethe_shared_urls_add(c->joined, w, row[1]));
        if (row[1].n > 0) add_click(&clicks, new_url);
        text = row[0];
        url = row[1];
        *more = lethe_sorted_next(it, record);
        if (*more) fields_of(*record, row);
    } while (*more && lethe_str_eq(row[0], text));
    LETHE_TRY(lethe_sorted_err(it)); /* half a text's URLs must not pass for all of them */
    f->n_texts++;
    if (counts_clicks(c)) LETHE_TRY(note_counted(c, &f->counted, text, &clicks));
    if (c->joined) LETHE_TRY(lethe_shared_urls_end(c->joined, w));
    return c->results ? look_at_results(c, f, text) : LETHE_OK;
}

static lethe_err part_of_texts(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    lethe_str record;
    (void)i;
    for (bool more = lethe_sorted_next(it, &record); more;)
        LETHE_TRY(one_text(arg, w, it, &record, &more));
    return lethe_sorted_err(it);
}

/* --- no pair at all --- */

static bool is_less(lethe_str a, lethe_str b, lethe_str url, const struct pair *than)
{
    int order = lethe_str_cmp(a, str_of(&than->text[0]));
    if (order == 0) order = lethe_str_cmp(b, str_of(&than->text[1]));
    if (order == 0) order = lethe_str_cmp(url, str_of(&than->url));
    return order < 0;
}

static lethe_err note_pair(const struct inspection *c, struct pair *p, lethe_str a, lethe_str b,
                           lethe_str url)
{
    if (p->found && !is_less(a, b, url, p)) return LETHE_OK;
    LETHE_TRY(keep(c, &p->text[0], a));
    LETHE_TRY(keep(c, &p->text[1], b));
    LETHE_TRY(keep(c, &p->url, url));
    p->found = true;
    return LETHE_OK;
}

/* A URL's texts come in order of bytes: its first two are the least pair that it has. */
static lethe_err part_of_urls(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct inspection *c = arg;
    struct finding *f = &c->findings[w];
    lethe_buf *url = &f->url, *text = &f->text;
    lethe_str record, row[2];
    (void)i;
    for (bool first = true; lethe_sorted_next(it, &record); first = false) {
        fields_of(record, row);
        if (first || !lethe_str_eq(row[0], str_of(url))) {
            LETHE_TRY(keep(c, url, row[0]));
            LETHE_TRY(keep(c, text, row[1]));
        } else if (!lethe_str_eq(row[1], str_of(text))) {
            LETHE_TRY(note_pair(c, &f->pair, str_of(text), row[1], row[0]));
        }
    }
    return lethe_sorted_err(it);
}

/* --- looking --- */

/* Pairs of n texts, up to 2^32 of them. */
static uint64_t pairs_of(uint64_t n)
{
    return n < 2 ? 0 : n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
}

/* The most pairs of n texts that are no more than the density. */
static uint64_t most_edges(uint64_t n, double density)
{
    uint64_t all = pairs_of(n), lo = 0, hi = all;
    while (lo < hi) {
        uint64_t middle = hi - (hi - lo) / 2;
        if (!lethe_is_over_share(middle, all, density))
            lo = middle;
        else
            hi = middle - 1;
    }
    return lo;
}

/* What the claim needs of the rows.  A density of 1 needs nothing: there is none above it.  Texts
 * are counted where somebody asks how many are undecided, or `verify` how many there are. */
static lethe_err begin(struct inspection *c)
{
    lethe_ctx *ctx = c->p->ctx;
    bool counts = c->claim.density > 0 && c->claim.density < 1;
    bool asked = c->results || c->p->figures || c->p->manifest;
    uint64_t bytes = lethe_ctx_memory(ctx) / 4;
    if (counts || counts_clicks(c) || (claims_results(c) && asked) || c->p->manifest)
        LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, bytes, &c->by_text));
    if (counts) LETHE_TRY(lethe_shared_urls_new(ctx, bytes, &c->joined));
    if (c->claim.density == 0)
        LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, bytes, &c->by_url));
    return LETHE_OK;
}

static lethe_err look_at_texts(struct inspection *c)
{
    lethe_ctx_phase(c->p->ctx, "checking", lethe_sorter_count(c->by_text));
    LETHE_TRY(lethe_sorter_each(c->by_text, part_of_texts, c));
    for (unsigned w = 0; w < c->n_workers; w++)
        c->n_texts += c->findings[w].n_texts;
    if (!c->joined) return LETHE_OK;
    if (c->n_texts > UINT32_MAX)
        return lethe_no_memory(diag_of(c)); /* pairs are counted in 64 bits */
    uint64_t limit = most_edges(c->n_texts, c->claim.density);
    LETHE_TRY(lethe_shared_urls_count(c->joined, limit, &c->edges));
    c->too_dense = c->edges > limit;
    return LETHE_OK;
}

static lethe_err look(struct inspection *c, lethe_log *log)
{
    lethe_ctx *ctx = c->p->ctx;
    LETHE_TRY(take_results(c));
    LETHE_TRY(begin(c));
    lethe_ctx_phase(ctx, "reading back", 0);
    LETHE_TRY(lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = c}));
    if (c->by_url) {
        lethe_ctx_phase(ctx, "checking", lethe_sorter_count(c->by_url));
        LETHE_TRY(lethe_sorter_each(c->by_url, part_of_urls, c));
    }
    return c->by_text ? look_at_texts(c) : LETHE_OK;
}

/* --- the verdict --- */

/* As a figure, summed over the promises of a chain; and in words. */
static void say_undecided(const struct inspection *c, lethe_json_doc *doc)
{
    lethe_json *figures = c->p->figures;
    uint64_t n = c->results ? 0 : c->n_texts;
    if (!claims_results(c)) return;
    if (figures) {
        int64_t before = lethe_json_int(lethe_json_get(figures, "undecided"));
        lethe_set_count(doc, figures, "undecided", (uint64_t)before + n);
    }
    if (n > 0) c->p->because = "use --results to check for enough results from enough sites";
}

static const struct pair *least_pair(const struct inspection *c)
{
    const struct pair *least = NULL;
    for (unsigned w = 0; w < c->n_workers; w++) {
        const struct pair *p = &c->findings[w].pair;
        if (p->found &&
            (!least || is_less(str_of(&p->text[0]), str_of(&p->text[1]), str_of(&p->url), least)))
            least = p;
    }
    return least;
}

static const struct shortage *least_shortage(const struct inspection *c)
{
    const struct shortage *least = NULL;
    for (unsigned w = 0; w < c->n_workers; w++) {
        const struct shortage *s = &c->findings[w].shortage;
        if (s->found && (!least || lethe_str_cmp(str_of(&s->text), str_of(&least->text)) < 0))
            least = s;
    }
    return least;
}

static const struct counted *least_counted(const struct inspection *c)
{
    const struct counted *least = NULL;
    for (unsigned w = 0; w < c->n_workers; w++) {
        const struct counted *u = &c->findings[w].counted;
        if (u->found && (!least || lethe_str_cmp(str_of(&u->text), str_of(&least->text)) < 0))
            least = u;
    }
    return least;
}

static const struct ranked *least_ranked(const struct inspection *c)
{
    const struct ranked *least = NULL;
    for (unsigned w = 0; w < c->n_workers; w++) {
        const struct ranked *r = &c->findings[w].ranked;
        if (r->found && (!least || is_less_ranked(str_of(&r->text), r->rank, least))) least = r;
    }
    return least;
}

static void set_str(lethe_json_doc *doc, lethe_json *o, const char *name, const lethe_buf *b)
{
    lethe_json_set(doc, o, name, lethe_json_new_text(doc, str_of(b)));
}

static void set_pair(lethe_json_doc *doc, lethe_json *o, const struct pair *pair)
{
    lethe_json *texts = lethe_json_array(doc);
    for (size_t i = 0; i < 2; i++)
        lethe_json_push(doc, texts, lethe_json_new_text(doc, str_of(&pair->text[i])));
    lethe_json_set(doc, o, "queries", texts);
    set_str(doc, o, "url", &pair->url);
}

static void set_counted(const struct inspection *c, lethe_json_doc *doc, lethe_json *o,
                        const struct counted *u)
{
    set_str(doc, o, "query", &u->text);
    if (u->ids < c->claim.m) {
        lethe_set_count(doc, o, "identifiers", u->ids);
        lethe_set_count(doc, o, "needed", c->claim.m);
    } else {
        lethe_set_count(doc, o, "rows_of_identifier", u->rows);
        lethe_set_count(doc, o, "allowed", 1);
    }
}

static lethe_err answer(const struct inspection *c, lethe_json_doc *doc, bool *holds,
                        lethe_json **why)
{
    const struct pair *pair = least_pair(c);
    const struct shortage *shortage = least_shortage(c);
    const struct ranked *ranked = least_ranked(c);
    const struct counted *counted = least_counted(c);
    *holds = !pair && !shortage && !ranked && !counted && !c->too_dense;
    say_undecided(c, doc);
    if (!*holds) {
        lethe_json *o = lethe_json_object(doc);
        if (pair) {
            set_pair(doc, o, pair);
        } else if (c->too_dense) {
            lethe_set_real(doc, o, "density_at_least",
                           (double)c->edges / (double)pairs_of(c->n_texts));
            lethe_set_real(doc, o, "allowed", c->claim.density);
        } else if (ranked) {
            set_str(doc, o, "query", &ranked->text);
            lethe_set_count(doc, o, "rank", ranked->rank);
        } else if (counted) {
            set_counted(c, doc, o, counted);
        } else {
            set_str(doc, o, "query", &shortage->text);
            lethe_set_count(doc, o, shortage->what, shortage->n);
            lethe_set_count(doc, o, "needed", shortage->needed);
        }
        *why = o;
    }
    return lethe_json_failed(doc) ? lethe_no_memory(diag_of(c)) : LETHE_OK;
}

static void findings_free(struct inspection *c)
{
    for (unsigned w = 0; w < c->n_workers; w++) {
        struct finding *f = &c->findings[w];
        lethe_buf *all[] = {&f->pair.text[0], &f->pair.text[1], &f->pair.url, &f->shortage.text,
                            &f->ranked.text,  &f->counted.text, &f->record,   &f->url,
                            &f->text,         &f->sites};
        for (size_t i = 0; i < LETHE_COUNT(all); i++)
            lethe_buf_free(all[i]);
    }
    lethe_free(c->findings);
}

/* Where texts were counted. */
static void tell_seen(const struct inspection *c, lethe_log_seen *seen)
{
    uint64_t pairs = pairs_of(c->n_texts);
    if (!c->by_text) return;
    *seen = (lethe_log_seen){.what = LETHE_SEES_TEXTS, .texts = c->n_texts};
    if (c->joined && !c->too_dense) { /* all pairs were counted */
        seen->what |= LETHE_SEES_DENSITY;
        seen->density = pairs > 0 ? (double)c->edges / (double)pairs : 0;
    }
    for (unsigned w = 0; w < c->n_workers; w++) {
        seen->rows += c->findings[w].rows;
        seen->clicks += c->findings[w].clicks;
    }
}

static lethe_err check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                       bool *holds, lethe_json **why)
{
    struct inspection c = {.p = p, .n_workers = lethe_ctx_threads(p->ctx)};
    lethe_log *log = NULL;
    LETHE_TRY(lethe_claim_read(lethe_ctx_diag(p->ctx), claim, "disconnected", claim_fields,
                               LETHE_COUNT(claim_fields), &c.claim));
    c.findings = lethe_alloc_zero(c.n_workers, sizeof *c.findings);
    if (!c.findings) return lethe_no_memory(diag_of((&c)));
    lethe_err err = lethe_log_published(p->ctx, p->dirfd, "data.tsv", &log);
    if (err == LETHE_OK) lethe_log_expect(log, p->form);
    if (err == LETHE_OK) err = look(&c, log);
    if (err == LETHE_OK) err = answer(&c, doc, holds, why);
    if (err == LETHE_OK) tell_seen(&c, &p->seen);
    lethe_log_free(log);
    lethe_sorter_free(c.by_text);
    lethe_sorter_free(c.by_url);
    lethe_shared_urls_free(c.joined);
    lethe_free(c.site);
    findings_free(&c);
    return err;
}

/* Logs in which half of all pairs of texts share a URL are hardly found. */
static const char *nothing(const lethe_json *claim)
{
    bool results = lethe_claim_at_least(claim, "k", 2) || lethe_claim_at_least(claim, "K", 2);
    if (lethe_claim_at_least(claim, "density", 1) && lethe_claim_at_least(claim, "m", 2))
        return "disconnected with density = 1 promises next to nothing: any two queries may share "
               "a clicked URL, and what they share names it, however often it was clicked.";
    if (lethe_claim_at_least(claim, "density", 1))
        return results
                   ? "disconnected with density = 1 promises next to nothing: any two queries "
                     "may share a clicked URL, and only queries with few results are left out."
                   : "disconnected with density = 1 promises nothing: any two queries may share "
                     "a clicked URL.";
    if (lethe_claim_at_least(claim, "density", 0.5))
        return "disconnected with a density of 0.5 or more promises next to nothing: half of all "
               "pairs of queries may share a clicked URL, and hardly any log has so many.";
    return NULL;
}

const lethe_notion lethe_notion_disconnected = {
    .name = "disconnected",
    .holds =
        "at most the share `density` of all pairs of published query texts have a published URL "
        "in common, and no rank is published with an identifier of a URL; with m, a text that is "
        "published with identifiers has at least m of them, each in one row; with "
        "--results, every published text also has k results from K sites; without, texts count as "
        "undecided",
    .shapes = LETHE_SHAPE_LOG,
    .check = check,
    .nothing = nothing,
};
