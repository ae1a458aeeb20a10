/* SPDX-License-Identifier: Apache-2.0 */
/* competitor.c - can the URLs behind published identifiers be named again?
 * B. Poblete, M. Spiliopoulou and R. Baeza-Yates, "Website Privacy Preservation for Query Log
 * Publishing", 2007, ATTACKS 1 and 1a: anyone who knows what a search engine answers to the queries
 * of the log lays the answers to all queries that an identifier was clicked for upon each other.
 * One page left: the URL is named.  Several, of one site: the site is.
 *
 * The adversary has two strategies, and the one that tells more clicks is the answer:
 *
 *   intersection  the paper's attacks, as above
 *   order         ours; no second query is needed: of a text's identifiers the most clicked one is
 *                 its first result, the next the second (attack/click_order.h).  Of the pages that
 *                 its texts suggest, an identifier is the one that most of its clicks speak for.
 *
 * The answers come from --results (model/results.h); a query that it lacks says nothing.  Ranks,
 * where published, point at results: if all that are there point at one page, and that is among
 * those left, it is the one.  A page that was named stays a candidate for others.  With --owned
 * only queries that retrieve a page of these sites are replayed, and only other sites' URLs count.
 *
 * Two URLs are one page as in `replay` (attack/pages.h); where scrub has cut all URLs to hosts, and
 * an identifier stands for a host, those of one host are.  Before: the same attack on the original
 * as if each page had been given an identifier and nothing been left out.  After: on the release.
 * Both are shares of the original's pages, and of its clicks.
 *
 * What is true: a published click is one of the original's, so the page that an identifier stands
 * for was clicked in the original, for each text, as often at least, at each rank and all in all.
 * Pages of which that is so *fit*.  The one that fits is the one; a name that does not fit is
 * wrong; where several fit, or none, as texts were changed, it is not confirmed.  (If the answers
 * have all pages that were clicked for their queries, all that fit are candidates, and a name is
 * confirmed.)  Of a text that is published with all its clicks, on as many identifiers as pages, a
 * page fits if it has just as many clicks.  A text says nothing where the original lacks it, or
 * more than LETHE_PAGE_MATCHES_MAX pages fit its clicks.  Where a step published texts under others
 * with the same words, those are one text.
 *
 * The paper's names count where one page fits.  A guess by order is one of those that fit, or
 * wrong: of n of them it is right with the chance 1/n, for nothing published tells them apart, and
 * so much of its clicks counts.  So it is for the baseline, which takes one of the candidates at
 * random.
 *
 * Everything meets in sorters: the original by page, both logs by text, the release by identifier.
 * Memory: the results, 10 bytes a page of the original, and for each thread a text's distinct
 * clicks. */
#include "attack/attack.h"
#include "algo/text/click_sites.h"
#include "algo/text/same_words.h"
#include "attack/page_match.h"
#include "attack/answers.h"
#include "attack/click_order.h"
#include "attack/pages.h"
#include "attack/strategies.h"
#include "core/blake2b.h"
#include "io/sort/sorter.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INTERSECTION, ORDER, STRATEGIES };
static const char *const strategies[STRATEGIES] = {"intersection", "order"};

/* Clicks may be counted in parts of one.  Whole numbers: their sum is the same in any order. */
#define ONE (UINT64_C(1) << 24)

/* How much is disclosed: of the page itself, and of its site. */
struct disclosed {
    uint64_t urls, clicks, site_urls, site_clicks;
};

struct verdicts {
    uint64_t right, wrong, unconfirmed;
};

struct sums {                   /* of uint64_t alone */
    uint64_t urls, clicks;      /* of the original */
    struct disclosed before[2]; /* as it is; without ranks */
    uint64_t wrong_before;
    uint64_t ids; /* published */
    struct verdicts url, site;
    uint64_t ordered_before; /* clicks that are told by order */
    uint64_t random;         /* clicks that are told at random, in parts of ONE */
};

/* By page: what the release tells of it, and the same without ranks. */
enum { NAMED = 1, SITE = 2, WITHOUT = 2 /* so many bits further */, MAYBE = 16 };

/* A page of the original, once all of it was seen. */
struct total {
    uint32_t page;
    uint64_t clicks;
};

struct worker {
    lethe_buf host, page, record, key;
    lethe_same_words same;
    lethe_page_candidates candidates;
    lethe_buf totals; /* struct total each */
    lethe_page_match match;
    lethe_buf fits; /* lethe_page_site each, by page: of the identifier at hand */
    lethe_click_order order;
    struct sums sums;
};

typedef struct competitor {
    lethe_ctx *ctx;
    lethe_answers answers;
    lethe_url_form form;
    bool hosts;        /* were URLs cut to hosts, and then made identifiers? */
    bool words;        /* were texts published under others with the same words? */
    lethe_wordnet *wn; /* NULL: not so, or there is none */
    unsigned n_workers;
    struct worker *workers;
    lethe_sorter *by_page;   /* page NUL text NUL rank(4) */
    lethe_sorter *by_text;   /* text NUL ORIGINAL page(4) site(4) rank(4) n(8)
                                text NUL PUBLISHED id NUL rank(4) */
    lethe_sorter *by_id;     /* id NUL ASKED text NUL rank(4); id NUL FITTING lethe_page_site each
                                id NUL GUESSED page(4) n(8) */
    lethe_sorter *by_query;  /* text NUL ORIGINAL mixed(8) page(4) n(8); text NUL PUBLISHED id */
    lethe_sorter *by_number; /* page in digits NUL guess(4) n(8): what the original's order tells */
    lethe_blake2b_key mix;
    _Atomic uint32_t n_pages; /* the answers' and then the others of the original */
    uint64_t *clicks;         /* by page; 0: not in the original, or owned */
    _Atomic uint8_t *marks;   /* by page */
    _Atomic uint8_t *ordered; /* by page: of how many pages is it one, by order; 0: not guessed */
} competitor;

enum { ORIGINAL = 1, PUBLISHED = 2 };
enum { ASKED = 1, FITTING = 2, GUESSED = 3 };

static lethe_str prefix_of(lethe_str s) { return (lethe_str){s.at, strnlen(s.at, s.n)}; }
static lethe_str from(lethe_str s, size_t at) { return (lethe_str){s.at + at, s.n - at}; }

/* `a` NUL which, where there is one, `b` NUL rank. */
static lethe_err record_put(competitor *c, unsigned w, lethe_sorter *to, lethe_str a, char which,
                            lethe_str b, uint32_t rank)
{
    lethe_buf *r = &c->workers[w].record;
    uint8_t bytes[5] = {0};
    lethe_be32_put(bytes + 1, rank);
    r->n = 0;
    if (lethe_buf_str(r, a) != LETHE_OK || lethe_buf_put(r, "", 1) != LETHE_OK ||
        (which && lethe_buf_put(r, &which, 1) != LETHE_OK) || lethe_buf_str(r, b) != LETHE_OK ||
        lethe_buf_put(r, bytes, sizeof bytes) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    return lethe_sorter_put(to, w, r->at, r->n);
}

static uint32_t last_be32(lethe_str record)
{
    return lethe_be32_get((const uint8_t *)record.at + record.n - 4);
}

/* What counts as the same text.  Lives until the worker's next call. */
static lethe_err key_of(competitor *c, struct worker *k, lethe_str text, lethe_str *key)
{
    *key = text;
    return c->wn ? lethe_same_words_key(&k->same, c->wn, text, key) : LETHE_OK;
}

/* --- before: the original by page --- */

static lethe_err on_original(void *arg, unsigned w, const lethe_row *row)
{
    competitor *c = arg;
    struct worker *k = &c->workers[w];
    lethe_str page;
    if (row->url.n == 0) return LETHE_OK;
    if (lethe_answers_page(&c->answers, row->url, &k->host, &k->page, &page) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    return record_put(c, w, c->by_page, page, 0, row->query, row->rank);
}

/* The page at hand. */
struct at_page {
    uint32_t page, site;
    uint64_t clicks;
    const uint32_t *urls; /* the answer to its text at hand */
    size_t n_urls;
    uint8_t mixed[8]; /* in place of an identifier: an order without meaning */
};

static bool is_owned(const competitor *c, uint32_t site)
{
    return site != LETHE_NONE && c->answers.owned[site];
}

static void disclosed_add(struct disclosed *d, bool named, bool site, uint64_t clicks)
{
    d->urls += named;
    d->clicks += named ? clicks : 0;
    d->site_urls += site;
    d->site_clicks += site ? clicks : 0;
}

static lethe_err page_end(competitor *c, struct worker *k, const struct at_page *p)
{
    struct total t = {p->page, p->clicks};
    if (is_owned(c, p->site)) return LETHE_OK;
    k->sums.urls++;
    k->sums.clicks += p->clicks;
    for (unsigned without = 0; without < 2; without++) {
        lethe_page_site told = lethe_page_candidates_named(&k->candidates, &c->answers, !without);
        bool named = told.page == p->page, site = told.site != LETHE_NONE && told.site == p->site;
        disclosed_add(&k->sums.before[without], named, site, p->clicks);
        if (!without && told.page != LETHE_NONE && !is_owned(c, told.site))
            k->sums.wrong_before += !named;
    }
    return lethe_buf_put(&k->totals, &t, sizeof t) == LETHE_OK ? LETHE_OK : lethe_no_memory(c->ctx);
}

/* Hands `n` clicks on, by text. */
static lethe_err clicks_put(competitor *c, unsigned w, const struct at_page *p, uint32_t rank,
                            uint64_t n)
{
    struct worker *k = &c->workers[w];
    uint8_t bytes[22] = {0, ORIGINAL};
    if (!c->by_text || n == 0) return LETHE_OK;
    lethe_be32_put(bytes + 2, p->page);
    lethe_be32_put(bytes + 6, p->site);
    lethe_be32_put(bytes + 10, rank);
    lethe_be64_put(bytes + 14, n);
    k->record.n = 0;
    if (lethe_buf_put(&k->record, k->key.at, k->key.n) != LETHE_OK ||
        lethe_buf_put(&k->record, bytes, sizeof bytes) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    return lethe_sorter_put(c->by_text, w, k->record.at, k->record.n);
}

/* Hands them on for the order of a text that is answered. */
static lethe_err order_put(competitor *c, unsigned w, const struct at_page *p, lethe_str text,
                           uint64_t n)
{
    lethe_buf *r = &c->workers[w].record;
    uint8_t bytes[22] = {0, ORIGINAL};
    if (p->n_urls == 0 || n == 0) return LETHE_OK;
    memcpy(bytes + 2, p->mixed, sizeof p->mixed);
    lethe_be32_put(bytes + 10, p->page);
    lethe_be64_put(bytes + 14, n);
    r->n = 0;
    if (lethe_buf_str(r, text) != LETHE_OK || lethe_buf_put(r, bytes, sizeof bytes) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    return lethe_sorter_put(c->by_query, w, r->at, r->n);
}

/* The text of a record of the original's by page. */
static lethe_str text_of(lethe_str record)
{
    return prefix_of(from(record, prefix_of(record).n + 1));
}

/* Records come page by page, text by text, rank by rank; `n` of the last are not yet handed on. */
static lethe_err page_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    competitor *c = arg;
    struct worker *k = &c->workers[w];
    struct at_page p = {0};
    lethe_str record, site, key, before = {NULL, 0};
    uint64_t n = 0;
    (void)i;
    for (; lethe_sorted_next(it, &record); before = record, n++, p.clicks++) {
        if (before.at && lethe_str_eq(before, record)) continue;
        if (before.at) LETHE_TRY(clicks_put(c, w, &p, last_be32(before), n));
        if (before.at) LETHE_TRY(order_put(c, w, &p, text_of(before), n));
        n = 0;
        lethe_str page = prefix_of(record), text = text_of(record);
        bool new_page = !before.at || !lethe_str_eq(page, prefix_of(before)), has_host;
        if (new_page && before.at) LETHE_TRY(page_end(c, k, &p));
        if (new_page) {
            p = (struct at_page){.page = lethe_dict_find(c->answers.pages, page)};
            lethe_page_candidates_begin(&k->candidates);
            if (p.page == LETHE_NONE)
                p.page = atomic_fetch_add_explicit(&c->n_pages, 1, memory_order_relaxed);
            if (p.page >= LETHE_NONE / 2)
                return lethe_fail(c->ctx, LETHE_EINPUT, "too many URLs for this adversary");
            if (lethe_site_of_url(page, &k->host, &site, &has_host) != LETHE_OK)
                return lethe_no_memory(c->ctx);
            p.site = lethe_dict_find(c->answers.sites, site);
            lethe_blake2b_mac(&c->mix, page, p.mixed, sizeof p.mixed);
        }
        if (new_page || !lethe_str_eq(text, text_of(before))) {
            k->key.n = 0;
            p.urls = lethe_answers_of(&c->answers, text, &p.n_urls);
            if (lethe_page_candidates_intersect(&k->candidates, &c->answers, p.urls, p.n_urls) !=
                    LETHE_OK ||
                key_of(c, k, text, &key) != LETHE_OK || lethe_buf_str(&k->key, key) != LETHE_OK)
                return lethe_no_memory(c->ctx);
        }
        lethe_page_candidates_rank(&k->candidates, &c->answers, p.urls, p.n_urls,
                                   last_be32(record));
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (!before.at) return LETHE_OK;
    LETHE_TRY(clicks_put(c, w, &p, last_be32(before), n));
    LETHE_TRY(order_put(c, w, &p, text_of(before), n));
    return page_end(c, k, &p);
}

/* --- by order: both logs by text, as it is published --- */

/* Hands on what the order of a text's clicks suggests: of the original by page, of the release by
 * identifier. */
static lethe_err guesses_put(competitor *c, unsigned w, lethe_str text, bool published)
{
    struct worker *k = &c->workers[w];
    const lethe_click_guess *g;
    size_t n_urls, n;
    const uint32_t *urls = lethe_answers_of(&c->answers, text, &n_urls);
    if (lethe_click_order_guess(&k->order, &c->answers, urls, n_urls, &g, &n) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    for (size_t i = 0; i < n && g[i].page != LETHE_NONE; i++) {
        const char head[2] = {0, GUESSED};
        uint8_t tail[12];
        char digits[16];
        lethe_str id = lethe_click_guess_id(&k->order, &g[i]), key = id;
        if (!published) // the page is behind what was mixed
            key = (lethe_str){digits, (size_t)snprintf(digits, sizeof digits, "%lu",
                                                       (unsigned long)lethe_be32_get(
                                                           (const uint8_t *)id.at + id.n - 4))};
        lethe_be32_put(tail, g[i].page);
        lethe_be64_put(tail + 4, g[i].clicks);
        k->record.n = 0;
        if (lethe_buf_str(&k->record, key) != LETHE_OK ||
            lethe_buf_put(&k->record, head, sizeof head) != LETHE_OK ||
            lethe_buf_put(&k->record, tail, sizeof tail) != LETHE_OK)
            return lethe_no_memory(c->ctx);
        LETHE_TRY(
            lethe_sorter_put(published ? c->by_id : c->by_number, w, k->record.at, k->record.n));
    }
    lethe_click_order_begin(&k->order);
    return LETHE_OK;
}

/* Records come text by text: the original's clicks by page, then those of the release by
 * identifier. */
static lethe_err query_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    competitor *c = arg;
    struct worker *k = &c->workers[w];
    lethe_str record, text, before = {NULL, 0}, old = {NULL, 0};
    (void)i;
    lethe_click_order_begin(&k->order);
    for (; lethe_sorted_next(it, &record); before = record, old = text) {
        text = prefix_of(record);
        bool published = record.at[text.n + 1] == PUBLISHED;
        if (before.at &&
            (!lethe_str_eq(text, old) || published != (before.at[old.n + 1] == PUBLISHED)))
            LETHE_TRY(guesses_put(c, w, old, before.at[old.n + 1] == PUBLISHED));
        lethe_str id = from(record, text.n + 2);
        uint64_t n = 1;
        if (!published) {
            id.n -= 8;
            n = lethe_be64_get((const uint8_t *)id.at + id.n);
        }
        if (lethe_click_order_add(&k->order, id, n) != LETHE_OK) return lethe_no_memory(c->ctx);
    }
    LETHE_TRY(lethe_sorted_err(it));
    return before.at ? guesses_put(c, w, old, before.at[old.n + 1] == PUBLISHED) : LETHE_OK;
}

static void vote_add(lethe_page_votes *v, lethe_str tail)
{
    const uint8_t *at = (const uint8_t *)tail.at;
    lethe_page_votes_add(v, lethe_be32_get(at), lethe_be64_get(at + 4));
}

/* Records come page by page: the pages that the order of its clicks suggests. */
static lethe_err number_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    competitor *c = arg;
    struct sums *s = &c->workers[w].sums;
    lethe_str record;
    lethe_page_votes votes = {0};
    uint32_t page = LETHE_NONE;
    (void)i;
    while (lethe_sorted_next(it, &record)) {
        lethe_str digits = prefix_of(record);
        uint32_t next = (uint32_t)strtoul(record.at, NULL, 10);
        if (page != LETHE_NONE && next != page && votes.best == page)
            s->ordered_before += c->clicks[page];
        if (next != page) lethe_page_votes_begin(&votes);
        page = next;
        vote_add(&votes, from(record, digits.n + 2));
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (page != LETHE_NONE && votes.best == page) s->ordered_before += c->clicks[page];
    return LETHE_OK;
}

/* --- what fits: both logs by text --- */

static lethe_err published_put(competitor *c, unsigned w, lethe_str text, lethe_str id)
{
    lethe_buf *r = &c->workers[w].record;
    const char head[2] = {0, PUBLISHED};
    r->n = 0;
    if (lethe_buf_str(r, text) != LETHE_OK || lethe_buf_put(r, head, sizeof head) != LETHE_OK ||
        lethe_buf_str(r, id) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    return lethe_sorter_put(c->by_query, w, r->at, r->n);
}

static lethe_err on_published(void *arg, unsigned w, const lethe_row *row)
{
    competitor *c = arg;
    lethe_str key, text = row->query;
    size_t n;
    if (row->url.n == 0) return LETHE_OK;
    if (key_of(c, &c->workers[w], text, &key) != LETHE_OK) return lethe_no_memory(c->ctx);
    if (!c->words || c->wn)
        LETHE_TRY(record_put(c, w, c->by_text, key, PUBLISHED, row->url, row->rank));
    (void)lethe_answers_of(&c->answers, text, &n);
    if (n > 0) LETHE_TRY(published_put(c, w, text, row->url));
    if (n == 0) text.n = 0; // says that there is such an identifier, and nothing else
    return record_put(c, w, c->by_id, row->url, ASKED, text, n ? row->rank : LETHE_NO_RANK);
}

/* Hands on which pages fit the clicks on `id` for the text at hand. */
static lethe_err fits_put(competitor *c, unsigned w, lethe_str id)
{
    struct worker *k = &c->workers[w];
    const lethe_page_site *fits = NULL;
    const char head[2] = {0, FITTING};
    size_t n;
    bool says;
    if (lethe_page_match_find(&k->match, &fits, &n, &says) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    if (!says) return LETHE_OK;
    k->record.n = 0;
    if (lethe_buf_str(&k->record, id) != LETHE_OK ||
        lethe_buf_put(&k->record, head, sizeof head) != LETHE_OK ||
        lethe_buf_put(&k->record, fits, n * sizeof *fits) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    return lethe_sorter_put(c->by_id, w, k->record.at, k->record.n);
}

/* Of a record of a published click; `text` is its first part. */
static lethe_str id_of(lethe_str record, lethe_str text)
{
    return prefix_of(from(record, text.n + 2));
}

static bool is_published(lethe_str record, lethe_str text)
{
    return record.at[text.n + 1] == PUBLISHED;
}

/* What the logs have of a text: clicks, and pages or identifiers. */
struct extent {
    uint64_t clicks, things;
};

/* The page of a record of the original, the identifier of one of the release. */
static lethe_str thing_of(lethe_str record, lethe_str text)
{
    return is_published(record, text) ? id_of(record, text)
                                      : (lethe_str){record.at + text.n + 2, sizeof(uint32_t)};
}

/* Are all of the original's clicks of a text published, on as many identifiers as pages?  Then each
 * page has an identifier.  Reads the text whose first record is at hand, and goes back there. */
static lethe_err text_is_whole(lethe_sorted *it, lethe_str record, bool *whole)
{
    struct extent of[2] = {{0}};
    lethe_str text = prefix_of(record), before = record;
    bool more = true, first = true;
    lethe_sorted_mark(it);
    for (; more; first = false) {
        bool published = is_published(record, text);
        of[published].clicks +=
            published ? 1 : lethe_be64_get((const uint8_t *)record.at + record.n - 8);
        of[published].things += first || published != is_published(before, text) ||
                                !lethe_str_eq(thing_of(record, text), thing_of(before, text));
        before = record;
        more = lethe_sorted_next(it, &record);
        text = prefix_of(before); // of a record that is still there
        more = more && lethe_str_eq(prefix_of(record), text);
    }
    LETHE_TRY(lethe_sorted_err(it));
    *whole = of[0].clicks == of[1].clicks && of[0].things == of[1].things;
    return lethe_sorted_rewind(it);
}

/* Records come text by text: the original's clicks by page and rank, then those of the release by
 * identifier and rank. */
static lethe_err text_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    competitor *c = arg;
    lethe_page_match *f = &c->workers[w].match;
    lethe_str record, text, before = {NULL, 0}, old = {NULL, 0};
    bool whole;
    lethe_err err;
    (void)i;
    for (; lethe_sorted_next(it, &record); before = record, old = text) {
        text = prefix_of(record);
        bool new_text = !before.at || !lethe_str_eq(text, old);
        if (before.at && is_published(before, old) &&
            (new_text || !lethe_str_eq(id_of(record, text), id_of(before, old))))
            LETHE_TRY(fits_put(c, w, id_of(before, old)));
        if (new_text) {
            LETHE_TRY(text_is_whole(it, record, &whole));
            if (!lethe_sorted_next(it, &record)) break;
            text = prefix_of(record);
            lethe_page_match_begin(f, whole);
        }
        if (is_published(record, text)) {
            err = lethe_page_match_click(f, last_be32(record));
        } else {
            const uint8_t *at = (const uint8_t *)record.at + text.n + 2;
            lethe_page_site page = {lethe_be32_get(at), lethe_be32_get(at + 4)};
            err =
                lethe_page_match_original(f, page, lethe_be32_get(at + 8), lethe_be64_get(at + 12));
        }
        if (err != LETHE_OK) return lethe_no_memory(c->ctx);
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (!before.at || !is_published(before, old)) return LETHE_OK;
    return fits_put(c, w, id_of(before, old));
}

/* --- after: the release by identifier --- */

/* What is known of the identifier at hand. */
struct at_id {
    const uint32_t *urls; /* the answer to its text at hand */
    size_t n_urls;
    bool fits; /* has a text said which pages fit?  Those of all are in the worker's `fits` */
    lethe_page_votes votes; /* by order */
};

static size_t n_fits(const struct worker *k) { return k->fits.n / sizeof(lethe_page_site); }

static void mark(competitor *c, uint32_t page, unsigned marks)
{
    atomic_fetch_or_explicit(&c->marks[page], (uint8_t)marks, memory_order_relaxed);
}

static const lethe_page_site *fits_of(const struct worker *k)
{
    return (const lethe_page_site *)(const void *)k->fits.at;
}

/* How many of those that fit are the page (LETHE_NONE: any), and of the site? */
static size_t fits_count(const struct worker *k, uint32_t page, uint32_t site)
{
    size_t n = 0;
    for (size_t i = 0; i < n_fits(k); i++) {
        const lethe_page_site *f = fits_of(k) + i;
        n += (page == LETHE_NONE || f->page == page) && f->site == site;
    }
    return n;
}

static void verdict_add(struct verdicts *v, size_t all, size_t some)
{
    v->right += all > 0 && some == all;
    v->wrong += all > 0 && some == 0;
    v->unconfirmed += all == 0 || (some > 0 && some < all);
}

/* Where several pages fit, all of the site, one of them is meant; each is marked. */
static void id_judge(competitor *c, struct worker *k, const struct at_id *p, bool without)
{
    lethe_page_site told = lethe_page_candidates_named(&k->candidates, &c->answers, !without);
    size_t all = p->fits ? n_fits(k) : 0;
    unsigned shift = without ? WITHOUT : 0;
    if (told.site == LETHE_NONE || is_owned(c, told.site)) return;
    size_t of_page = all ? fits_count(k, told.page, told.site) : 0,
           of_site = all ? fits_count(k, LETHE_NONE, told.site) : 0;
    if (told.page != LETHE_NONE) {
        if (all > 0 && of_page == all) mark(c, told.page, (unsigned)NAMED << shift);
        if (!without && (all == 0 || of_page > 0)) mark(c, told.page, MAYBE);
        if (!without) verdict_add(&k->sums.url, all, of_page);
    }
    for (size_t i = 0; i < all && of_site == all; i++)
        mark(c, fits_of(k)[i].page, (unsigned)SITE << shift);
    if (!without) verdict_add(&k->sums.site, all, of_site);
}

/* A page that is guessed for several identifiers is told by the one with fewest that fit. */
static void order_judge(competitor *c, const struct worker *k, const struct at_id *p)
{
    size_t all = p->fits ? n_fits(k) : 0;
    bool fits = false;
    for (size_t i = 0; i < all; i++)
        fits = fits || fits_of(k)[i].page == p->votes.best;
    if (!fits) return;
    _Atomic uint8_t *least = &c->ordered[p->votes.best];
    uint8_t was = atomic_load_explicit(least, memory_order_relaxed);
    while ((was == 0 || all < was) &&
           !atomic_compare_exchange_weak_explicit(least, &was, (uint8_t)all, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

/* One of the candidates, at random. */
static uint64_t random_judge(const competitor *c, const struct worker *k, const struct at_id *p)
{
    size_t all = p->fits ? n_fits(k) : 0, n = lethe_page_candidates_count(&k->candidates);
    uint64_t clicks = 0;
    for (size_t i = 0; i < all; i++)
        if (lethe_page_candidates_has(&k->candidates, fits_of(k)[i].page))
            clicks += c->clicks[fits_of(k)[i].page];
    return clicks ? clicks * ONE / (all * n) : 0;
}

static void id_end(competitor *c, struct worker *k, const struct at_id *p)
{
    k->sums.ids++;
    k->sums.random += random_judge(c, k, p);
    order_judge(c, k, p);
    id_judge(c, k, p, false);
    id_judge(c, k, p, true);
}

/* Leaves those that fit here too; both are by page. */
static lethe_err fits_narrow(struct worker *k, struct at_id *p, lethe_str bytes)
{
    lethe_page_site f, *at = (lethe_page_site *)(void *)k->fits.at;
    size_t n = bytes.n / sizeof f, kept = 0, j = 0;
    if (!p->fits) {
        p->fits = true;
        return lethe_buf_put(&k->fits, bytes.at, bytes.n);
    }
    for (size_t i = 0; i < n && j < n_fits(k); i++) {
        memcpy(&f, bytes.at + i * sizeof f, sizeof f);
        while (j < n_fits(k) && at[j].page < f.page)
            j++;
        if (j < n_fits(k) && at[j].page == f.page) at[kept++] = f;
    }
    k->fits.n = kept * sizeof f;
    return LETHE_OK;
}

/* Records come identifier by identifier: the texts that it was clicked for, then what fits, then
 * what the order of clicks suggests.  Of the last kind two that are the same are two votes. */
static lethe_err id_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    competitor *c = arg;
    struct worker *k = &c->workers[w];
    struct at_id p = {0};
    lethe_str record, before = {NULL, 0};
    (void)i;
    for (; lethe_sorted_next(it, &record); before = record) {
        lethe_str id = prefix_of(record), tail = from(record, id.n + 2);
        bool guessed = record.at[id.n + 1] == GUESSED;
        if (!guessed && before.at && lethe_str_eq(before, record)) continue;
        bool new_id = !before.at || !lethe_str_eq(id, prefix_of(before));
        if (new_id && before.at) id_end(c, k, &p);
        if (new_id) {
            p = (struct at_id){0};
            k->fits.n = 0;
            lethe_page_votes_begin(&p.votes);
            lethe_page_candidates_begin(&k->candidates);
        }
        if (guessed) {
            vote_add(&p.votes, tail);
            continue;
        }
        if (record.at[id.n + 1] == FITTING) {
            if (fits_narrow(k, &p, tail) != LETHE_OK) return lethe_no_memory(c->ctx);
            continue;
        }
        lethe_str text = prefix_of(tail);
        if (new_id || !lethe_str_eq(text, prefix_of(from(before, id.n + 2)))) {
            p.urls = lethe_answers_of(&c->answers, text, &p.n_urls);
            if (lethe_page_candidates_intersect(&k->candidates, &c->answers, p.urls, p.n_urls) !=
                LETHE_OK)
                return lethe_no_memory(c->ctx);
        }
        lethe_page_candidates_rank(&k->candidates, &c->answers, p.urls, p.n_urls, last_be32(tail));
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (before.at) id_end(c, k, &p);
    return LETHE_OK;
}

/* --- the whole --- */

static lethe_err sorter_read(competitor *c, const char *phase, lethe_sorter **s, lethe_part_fn fn)
{
    lethe_ctx_phase(c->ctx, phase, lethe_sorter_count(*s));
    lethe_err err = lethe_sorter_each(*s, fn, c);
    lethe_sorter_free(*s);
    *s = NULL;
    return err;
}

static lethe_err published_read(competitor *c, const lethe_comparison *with)
{
    lethe_log *log = NULL;
    LETHE_TRY(lethe_log_published(c->ctx, with->published->dirfd, "data.tsv", &log));
    lethe_ctx_phase(c->ctx, "the release", 0);
    lethe_err err =
        lethe_log_walk(c->ctx, log, &(lethe_row_visitor){.row = on_published, .arg = c});
    lethe_log_free(log);
    return err;
}

static lethe_err compare(competitor *c, const lethe_comparison *with)
{
    uint64_t cap = lethe_ctx_memory(c->ctx) / 6;
    bool ids = c->form == LETHE_URL_ID;
    LETHE_TRY(lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, cap, &c->by_page));
    LETHE_TRY(lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, cap, &c->by_query));
    LETHE_TRY(lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, cap, &c->by_number));
    if (ids) LETHE_TRY(lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, cap, &c->by_text));
    if (ids) LETHE_TRY(lethe_sorter_new(c->ctx, LETHE_ORDER_GROUP, cap, &c->by_id));
    lethe_ctx_phase(c->ctx, "the original", 0);
    LETHE_TRY(lethe_log_walk(c->ctx, with->original.log,
                             &(lethe_row_visitor){.row = on_original, .arg = c}));
    LETHE_TRY(sorter_read(c, "urls", &c->by_page, page_part));
    size_t n_pages = atomic_load(&c->n_pages);
    c->clicks = lethe_alloc_zero(n_pages, sizeof *c->clicks);
    c->marks = lethe_alloc_zero(n_pages, sizeof *c->marks);
    c->ordered = lethe_alloc_zero(n_pages, sizeof *c->ordered);
    if (!c->clicks || !c->marks || !c->ordered) return lethe_no_memory(c->ctx);
    for (unsigned w = 0; w < c->n_workers; w++) {
        lethe_buf *b = &c->workers[w].totals;
        const struct total *t = (const struct total *)(const void *)b->at;
        for (size_t i = 0; i < b->n / sizeof *t; i++)
            c->clicks[t[i].page] = t[i].clicks;
        lethe_buf_free(b);
    }
    if (ids) LETHE_TRY(published_read(c, with));
    LETHE_TRY(sorter_read(c, "order", &c->by_query, query_part));
    LETHE_TRY(sorter_read(c, "order", &c->by_number, number_part));
    if (!ids) return LETHE_OK;
    LETHE_TRY(sorter_read(c, "texts", &c->by_text, text_part));
    return sorter_read(c, "identifiers", &c->by_id, id_part);
}

static lethe_str parameter(const lethe_json *step, const char *name)
{
    return lethe_json_text(lethe_json_get(lethe_json_get(step, "parameters"), name));
}

/* Is `name` among those parted by commas? */
static bool lists(lethe_str names, lethe_str name)
{
    for (size_t at = 0; at < names.n;) {
        const char *comma = memchr(names.at + at, ',', names.n - at);
        size_t n = comma ? (size_t)(comma - names.at) - at : names.n - at;
        if (lethe_str_eq((lethe_str){names.at + at, n}, name)) return true;
        at += n + 1;
    }
    return false;
}

/* What the manifest says of URLs, in its last step and in those that cut them, and of texts.
 * Without one URLs are identifiers. */
static void manifest_read(competitor *c, const lethe_json *manifest)
{
    const lethe_json *steps = lethe_json_get(manifest, "steps");
    size_t n = lethe_json_count(steps);
    lethe_str urls = n ? parameter(lethe_json_at(steps, n - 1), "urls") : LETHE_LIT("id");
    c->form = lethe_str_eq(urls, LETHE_LIT("id"))     ? LETHE_URL_ID
              : lethe_str_eq(urls, LETHE_LIT("keep")) ? LETHE_URL_ANY
              : lethe_str_eq(urls, LETHE_LIT("host")) ? LETHE_URL_HOST
                                                      : LETHE_URL_NONE;
    for (size_t i = 0; i < n; i++) {
        const lethe_json *step = lethe_json_at(steps, i);
        if (lethe_str_eq(parameter(step, "same"), LETHE_LIT("words"))) c->words = true;
        if (lethe_str_eq(lethe_json_text(lethe_json_get(step, "command")), LETHE_LIT("scrub")) &&
            lists(parameter(step, "kinds"), LETHE_LIT("url")))
            c->hosts = true;
    }
    c->hosts = c->hosts && c->form == LETHE_URL_ID;
}

/* Nothing to be found is not the same as nothing found, and is said; NULL: there was. */
static const char *note_of(const competitor *c, const struct sums *s)
{
    if (s->clicks == 0) return "the original has no click that could be disclosed";
    if (c->answers.replayed == 0) return "no answer has a page of the owned sites";
    if (c->form == LETHE_URL_ANY)
        return "clicks are published in full: there are no identifiers to name";
    if (c->form == LETHE_URL_HOST)
        return "clicks are published as hosts: there are no identifiers to name (see replay)";
    if (s->ids == 0) return "no click is published";
    if (c->words && !c->wn)
        return "texts are published under others with the same words: without WordNet nothing can "
               "be confirmed";
    if (c->hosts)
        return "scrub has cut clicks to hosts: identifiers stand for hosts, and these are named, "
               "before and after";
    if (s->url.unconfirmed > 0 && s->url.right + s->url.wrong == 0)
        return "the original cannot confirm any of the names";
    return NULL;
}

/* What each strategy tells of the original's clicks, before and after. */
struct outcome {
    double before[STRATEGIES], after[STRATEGIES];
};

static void strategies_set(const struct outcome *o, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *all = lethe_json_object(doc);
    for (size_t i = 0; i < STRATEGIES; i++) {
        lethe_json *one = lethe_json_object(doc);
        lethe_set_real(doc, one, "success", o->after[i]);
        lethe_set_real(doc, one, "before", o->before[i]);
        lethe_json_set(doc, all, strategies[i], one);
    }
    lethe_set_text(doc, out, "strategy", strategies[lethe_strategy_best(o->after, STRATEGIES)]);
    lethe_set_text(doc, out, "strategy_before",
                   strategies[lethe_strategy_best(o->before, STRATEGIES)]);
    lethe_json_set(doc, out, "strategies", all);
}

static double share_of(uint64_t n, uint64_t all) { return all ? (double)n / (double)all : 0; }

static void answer(const competitor *c, lethe_json_doc *doc, lethe_json *out)
{
    struct sums s;
    struct disclosed after[2] = {{0}}, *before = s.before; // as it is; without ranks
    uint64_t most = 0, ordered = 0; // clicks if all are right that may be; by order, in parts
    memset(&s, 0, sizeof s);
    for (unsigned w = 0; w < c->n_workers; w++)
        lethe_attack_add(&s, &c->workers[w].sums, sizeof s);
    for (size_t p = 0, n = atomic_load(&c->n_pages); p < n; p++) {
        unsigned marks = atomic_load_explicit(&c->marks[p], memory_order_relaxed);
        unsigned n_ordered = atomic_load_explicit(&c->ordered[p], memory_order_relaxed);
        if (c->clicks[p] == 0) continue;
        ordered += n_ordered ? c->clicks[p] * ONE / n_ordered : 0;
        for (unsigned i = 0; i < 2; i++)
            disclosed_add(&after[i], marks >> i * WITHOUT & NAMED, marks >> i * WITHOUT & SITE,
                          c->clicks[p]);
        most += marks & (NAMED | MAYBE) ? c->clicks[p] : 0;
    }
    const char *note = note_of(c, &s);
    double by_order = share_of(ordered, s.clicks * ONE),
           by_order_before = share_of(s.ordered_before, s.clicks);
    struct outcome o[2]; // as it is; without ranks, which order does not look at
    for (unsigned i = 0; i < 2; i++) {
        o[i].after[INTERSECTION] = share_of(after[i].clicks, s.clicks);
        o[i].before[INTERSECTION] = share_of(before[i].clicks, s.clicks);
        o[i].after[ORDER] = by_order;
        o[i].before[ORDER] = by_order_before;
    }
    double success = o->after[lethe_strategy_best(o->after, STRATEGIES)];
    lethe_set_real(doc, out, "success", success);
    lethe_set_real(doc, out, "before", o->before[lethe_strategy_best(o->before, STRATEGIES)]);
    lethe_attack_share(doc, out, "baseline", LETHE_MIN(s.random, s.clicks * ONE), s.clicks * ONE);
    lethe_set_real(doc, out, "success_at_most", LETHE_MAX(share_of(most, s.clicks), success));
    lethe_set_real(doc, out, "success_without_rank",
                   o[1].after[lethe_strategy_best(o[1].after, STRATEGIES)]);
    lethe_set_real(doc, out, "before_without_rank",
                   o[1].before[lethe_strategy_best(o[1].before, STRATEGIES)]);
    lethe_attack_share(doc, out, "urls_named_before", before[0].urls, s.urls);
    lethe_attack_share(doc, out, "urls_named_after", after[0].urls, s.urls);
    lethe_attack_share(doc, out, "clicks_named_before", before[0].clicks, s.clicks);
    lethe_attack_share(doc, out, "clicks_named_after", after[0].clicks, s.clicks);
    lethe_attack_share(doc, out, "urls_sited_before", before[0].site_urls, s.urls);
    lethe_attack_share(doc, out, "urls_sited_after", after[0].site_urls, s.urls);
    lethe_attack_share(doc, out, "clicks_sited_before", before[0].site_clicks, s.clicks);
    lethe_attack_share(doc, out, "clicks_sited_after", after[0].site_clicks, s.clicks);
    lethe_set_count(doc, out, "urls", s.urls);
    lethe_set_count(doc, out, "clicks", s.clicks);
    lethe_set_count(doc, out, "replayed", c->answers.replayed);
    lethe_set_count(doc, out, "wrong_before", s.wrong_before);
    lethe_set_count(doc, out, "ids", s.ids);
    lethe_set_count(doc, out, "right", s.url.right);
    lethe_set_count(doc, out, "wrong", s.url.wrong);
    lethe_set_count(doc, out, "unconfirmed", s.url.unconfirmed);
    lethe_set_count(doc, out, "sites_right", s.site.right);
    lethe_set_count(doc, out, "sites_wrong", s.site.wrong);
    lethe_set_count(doc, out, "sites_unconfirmed", s.site.unconfirmed);
    strategies_set(o, doc, out);
    if (note) lethe_set_text(doc, out, "note", note);
    lethe_set_text(doc, out, "meaning", lethe_adversary_competitor.meaning);
}

static lethe_err competitor_open(competitor *c, const lethe_comparison *with,
                                 const lethe_results *results)
{
    const lethe_value *owned = lethe_value_of(with->values, "owned");
    c->workers = lethe_alloc_zero(c->n_workers, sizeof *c->workers);
    if (!c->workers) return lethe_no_memory(c->ctx);
    manifest_read(c, with->published->manifest);
    lethe_blake2b_key_set(&c->mix, (const uint8_t[LETHE_BLAKE2B_KEY_BYTES]){0}, 8);
    lethe_err err = lethe_answers_make(c->ctx, results, owned->present ? owned->text : NULL,
                                       c->hosts, &c->answers);
    if (err == LETHE_ENOMEM) return lethe_no_memory(c->ctx);
    LETHE_TRY(err);
    atomic_init(&c->n_pages, lethe_dict_count(c->answers.pages));
    if (!c->words || c->form != LETHE_URL_ID ||
        !lethe_wordnet_installed(lethe_ctx_wordnet_dir(c->ctx)))
        return LETHE_OK;
    lethe_ctx_phase(c->ctx, "dictionary", 0);
    return lethe_wordnet_open_words(c->ctx, NULL, &c->wn);
}

static lethe_err run(lethe_comparison *with, lethe_json_doc *doc, lethe_json *out)
{
    lethe_results *results = NULL;
    LETHE_TRY(
        lethe_results_read(with->ctx, lethe_value_of(with->values, "results")->text, &results));
    competitor c = {.ctx = with->ctx, .n_workers = lethe_ctx_threads(with->ctx)};
    lethe_err err = competitor_open(&c, with, results);
    if (err == LETHE_OK) err = compare(&c, with);
    if (err == LETHE_OK) answer(&c, doc, out);
    for (unsigned w = 0; c.workers && w < c.n_workers; w++) {
        struct worker *k = &c.workers[w];
        lethe_buf *const bufs[] = {&k->host, &k->page, &k->record, &k->key, &k->totals, &k->fits};
        for (size_t i = 0; i < LETHE_COUNT(bufs); i++)
            lethe_buf_free(bufs[i]);
        lethe_same_words_free(&k->same);
        lethe_page_candidates_free(&k->candidates);
        lethe_page_match_free(&k->match);
        lethe_click_order_free(&k->order);
    }
    lethe_free(c.workers);
    lethe_sorter_free(c.by_page);
    lethe_sorter_free(c.by_text);
    lethe_sorter_free(c.by_id);
    lethe_sorter_free(c.by_query);
    lethe_sorter_free(c.by_number);
    lethe_free(c.clicks);
    lethe_free(c.marks);
    lethe_free(c.ordered);
    lethe_wordnet_free(c.wn);
    lethe_answers_free(&c.answers);
    lethe_results_free(results);
    if (err == LETHE_OK && lethe_json_failed(doc)) err = lethe_no_memory(with->ctx);
    return err;
}

static const lethe_option options[] = {
    {.name = "results",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "search results as query TAB url, in rank order"},
    {.name = "owned",
     .type = LETHE_OPT_TEXT,
     .arg = "HOST,...",
     .help = "the adversary's own sites: only queries that return one of their pages are replayed"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_competitor = {
    .name = "competitor",
    .summary = "can the URLs behind published identifiers be named again?",
    .threat = LETHE_THREAT_INFERENCE,
    .trials = "clicks",
    .shapes = LETHE_SHAPE_LOG,
    .options = options,
    .needs = "results",
    .meaning =
        "share of the original's clicks whose URL is told through the release, by the best of "
        "two strategies: it alone is in the answers to all queries that its identifier was "
        "clicked for (intersection), or the identifiers of a query are its results in the "
        "order of their clicks (order); before: if the original had been published with "
        "identifiers; baseline: for each identifier one of the pages in the answers to all "
        "its queries, chosen at random",
    .run = run,
};
