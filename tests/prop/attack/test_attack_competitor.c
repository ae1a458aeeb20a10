/* SPDX-License-Identifier: Apache-2.0 */
/* The adversary `competitor` against its definition, on thousands of random small logs: every page
 * there is is tried as a candidate, and as what fits, for any number of threads. */
/* suite: threads */
#include "competitor_harness.h"
#include "seeds.h"
#include <math.h>
#include <sodium.h>

#define N_WORLDS seeds(3000)
enum { N_TEXTS = 6, N_HOSTS = 3, N_PATHS = 2, N_ROWS = 40, MOST_RESULTS = 5 };
enum { N_PAGES = N_HOSTS * N_PATHS, N_SPELLINGS = 3, N_IDS = N_PAGES * N_SPELLINGS };

typedef struct orow4 {
    size_t text, id, rank; /* rank 0: none */
} orow4;

typedef struct world {
    size_t n_results[N_TEXTS], results[N_TEXTS][MOST_RESULTS]; /* ids */
    orow4 original[N_ROWS], published[N_ROWS];
    size_t n, m;
    bool owned[N_HOSTS], any_owned;
} world;

/* An id is a URL as it is spelled: page, and the way of spelling. */
static size_t page_of(size_t id) { return id / N_SPELLINGS; }
static size_t host_of(size_t page) { return page / N_PATHS; }

static void url_print(FILE *f, size_t id)
{
    static const char *const before[N_SPELLINGS] = {"http://", "https://", "//"};
    size_t page = page_of(id), path = page % N_PATHS;
    // Of a host the second page has www: a page of its own, of the same site.
    fprintf(f, "%s%sh%zu.com%s", before[id % N_SPELLINGS], path ? "www." : "", host_of(page),
            id % N_SPELLINGS == 1 ? "/" : "");
}

static void world_random(uint64_t *s, world *v)
{
    size_t n_ids = 1 + o_below(s, N_IDS), ranks = o_below(s, 3), covered = o_below(s, 2);
    memset(v, 0, sizeof *v);
    for (size_t t = 0; t < N_TEXTS; t++)
        for (size_t i = o_below(s, 4) ? 1 + o_below(s, MOST_RESULTS) : 0; i > 0; i--) {
            size_t id = o_below(s, n_ids);
            bool old = false;
            for (size_t j = 0; j < v->n_results[t]; j++)
                old = old || v->results[t][j] == id;
            if (!old || o_below(s, 4) == 0) v->results[t][v->n_results[t]++] = id;
        }
    v->n = 1 + o_below(s, N_ROWS);
    for (size_t i = 0; i < v->n; i++) {
        orow4 *r = &v->original[i];
        r->text = o_below(s, N_TEXTS);
        r->id = o_below(s, n_ids);
        r->rank = ranks ? o_below(s, MOST_RESULTS + 2) : 0;
        size_t n = v->n_results[r->text];
        if (n > 0 && (covered || o_below(s, 3))) { // most clicks are on results
            size_t at = o_below(s, n);
            r->id = v->results[r->text][at];
            if (ranks && o_below(s, 4)) r->rank = at + 1;
        }
    }
    for (size_t i = 0; i < v->n; i++) {
        if (o_below(s, 5) == 0) continue;
        orow4 r = v->original[i];
        if (ranks == 1 || (ranks && o_below(s, 6) == 0)) r.rank = 0;
        if (o_below(s, 40) == 0) r.text = o_below(s, N_TEXTS); // a step has changed it
        v->published[v->m++] = r;
    }
    if (v->m == 0) v->published[v->m++] = v->original[0];
    if (o_below(s, 3) == 0)
        for (size_t h = 0; h < N_HOSTS; h++)
            v->any_owned |= v->owned[h] = o_below(s, 3) == 0;
}

static bool is_replayed(const world *v, size_t t)
{
    for (size_t i = 0; i < v->n_results[t]; i++)
        if (!v->any_owned || v->owned[host_of(page_of(v->results[t][i]))]) return true;
    return false;
}

static bool in_answer(const world *v, size_t t, size_t page)
{
    for (size_t i = 0; i < v->n_results[t]; i++)
        if (page_of(v->results[t][i]) == page) return true;
    return false;
}

/* Some rows of a log: those of an id, or of a page. */
typedef struct rows {
    const orow4 *at;
    size_t n;
    size_t id, page; /* SIZE_MAX: any */
} rows;

static bool is_of(const rows *r, size_t i)
{
    return (r->id == SIZE_MAX || r->at[i].id == r->id) &&
           (r->page == SIZE_MAX || page_of(r->at[i].id) == r->page);
}

/* Clicks for a text, at a rank (SIZE_MAX: any). */
static size_t count(const rows *r, size_t text, size_t rank)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n += is_of(r, i) && r->at[i].text == text && (rank == SIZE_MAX || r->at[i].rank == rank);
    return n;
}

typedef struct told {
    size_t page, host; /* SIZE_MAX: not told */
} told;

/* Attacks 1 and 1a. */
static told attack(const world *v, const rows *r, bool ranks)
{
    bool left[N_PAGES], pointed[N_PAGES] = {false}, any = false;
    size_t n_left = 0, n_pointed = 0, page = 0, at = 0, n_hosts = 0;
    for (size_t p = 0; p < N_PAGES; p++) {
        left[p] = true;
        for (size_t t = 0; t < N_TEXTS; t++) {
            if (count(r, t, SIZE_MAX) == 0 || !is_replayed(v, t)) continue;
            any = true;
            left[p] = left[p] && in_answer(v, t, p);
            for (size_t i = 0; i < v->n_results[t]; i++)
                if (page_of(v->results[t][i]) == p && count(r, t, i + 1) > 0) pointed[p] = true;
        }
    }
    if (!any) return (told){SIZE_MAX, SIZE_MAX};
    for (size_t p = 0; p < N_PAGES; p++) {
        n_left += left[p];
        n_pointed += pointed[p];
        if (left[p]) page = p;
        if (pointed[p]) at = p;
    }
    if (ranks && n_pointed == 1 && left[at]) return (told){at, host_of(at)};
    for (size_t h = 0; h < N_HOSTS; h++) {
        bool has = false;
        for (size_t p = 0; p < N_PAGES; p++)
            has = has || (left[p] && host_of(p) == h);
        n_hosts += has;
    }
    return (told){n_left == 1 ? page : SIZE_MAX, n_hosts == 1 ? host_of(page) : SIZE_MAX};
}

/* Are all clicks of a text published, on as many ids as pages? */
static bool is_whole(const world *v, size_t t)
{
    rows all = {v->original, v->n, SIZE_MAX, SIZE_MAX},
         shown = {v->published, v->m, SIZE_MAX, SIZE_MAX};
    size_t pages = 0, ids = 0;
    for (size_t p = 0; p < N_PAGES; p++)
        pages += count(&(rows){v->original, v->n, SIZE_MAX, p}, t, SIZE_MAX) > 0;
    for (size_t id = 0; id < N_IDS; id++)
        ids += count(&(rows){v->published, v->m, id, SIZE_MAX}, t, SIZE_MAX) > 0;
    return pages == ids && count(&all, t, SIZE_MAX) == count(&shown, t, SIZE_MAX);
}

/* Can the published clicks of an id have been on the page? */
static bool fits(const world *v, size_t id, size_t page)
{
    rows all = {v->original, v->n, SIZE_MAX, SIZE_MAX}, own = {v->original, v->n, SIZE_MAX, page},
         of = {v->published, v->m, id, SIZE_MAX};
    for (size_t t = 0; t < N_TEXTS; t++) {
        if (count(&all, t, SIZE_MAX) == 0) continue; // says nothing
        if (count(&of, t, SIZE_MAX) > count(&own, t, SIZE_MAX)) return false;
        if (count(&of, t, SIZE_MAX) > 0 && is_whole(v, t) &&
            count(&of, t, SIZE_MAX) < count(&own, t, SIZE_MAX))
            return false;
        for (size_t rank = 1; rank <= MOST_RESULTS + 2; rank++)
            if (count(&of, t, rank) > count(&own, t, rank)) return false;
    }
    return true;
}

/* Has any of its texts a click in the original at all? */
static bool is_judged(const world *v, size_t id)
{
    rows all = {v->original, v->n, SIZE_MAX, SIZE_MAX}, of = {v->published, v->m, id, SIZE_MAX};
    for (size_t t = 0; t < N_TEXTS; t++)
        if (count(&of, t, SIZE_MAX) > 0 && count(&all, t, SIZE_MAX) > 0) return true;
    return false;
}

/* --- by order --- */

/* What the identifiers of a log are: ids as they are published, pages of the original. */
typedef struct named_things {
    bool published;
    size_t n;
} named_things;

static rows rows_of(const world *v, named_things of, size_t thing)
{
    return of.published ? (rows){v->published, v->m, thing, SIZE_MAX}
                        : (rows){v->original, v->n, SIZE_MAX, thing};
}

/* Among two with as many clicks: as identifiers are written; pages by a digest of their own. */
static bool comes_first(named_things of, size_t a, size_t b)
{
    char x[32], y[32];
    uint8_t mac[2][8];
    if (of.published) {
        snprintf(x, sizeof x, "id%zu", a);
        snprintf(y, sizeof y, "id%zu", b);
        return strcmp(x, y) < 0;
    }
    for (size_t i = 0; i < 2; i++) {
        size_t page = i ? b : a;
        snprintf(x, sizeof x, "//%sh%zu.com", page % N_PATHS ? "www." : "", host_of(page));
        assert_int_equal(crypto_generichash_blake2b(mac[i], 8, (const uint8_t *)x, strlen(x),
                                                    (const uint8_t[32]){0}, 32),
                         0);
    }
    return memcmp(mac[0], mac[1], 8) < 0;
}

/* The i-th different page of an answer. */
static size_t result_page(const world *v, size_t t, size_t i)
{
    for (size_t j = 0; j < v->n_results[t]; j++) {
        bool old = false;
        for (size_t e = 0; e < j; e++)
            old = old || page_of(v->results[t][e]) == page_of(v->results[t][j]);
        if (!old && i-- == 0) return page_of(v->results[t][j]);
    }
    return SIZE_MAX;
}

/* Pages are numbered as they come in the file of results. */
static size_t place_in_file(const world *v, size_t page)
{
    size_t place = 0;
    for (size_t t = 0; t < N_TEXTS; t++)
        for (size_t i = 0; i < v->n_results[t]; i++, place++)
            if (page_of(v->results[t][i]) == page) return place;
    return SIZE_MAX;
}

static size_t guess_by_order(const world *v, named_things of, size_t thing)
{
    size_t votes[N_PAGES] = {0}, best = SIZE_MAX;
    rows own = rows_of(v, of, thing);
    for (size_t t = 0; t < N_TEXTS; t++) {
        size_t n = count(&own, t, SIZE_MAX), place = 0;
        if (n == 0 || !is_replayed(v, t)) continue;
        for (size_t other = 0; other < of.n; other++) {
            rows o = rows_of(v, of, other);
            size_t m = count(&o, t, SIZE_MAX);
            place += other != thing && (m > n || (m == n && comes_first(of, other, thing)));
        }
        size_t page = result_page(v, t, place);
        if (page != SIZE_MAX) votes[page] += n;
    }
    for (size_t p = 0; p < N_PAGES; p++)
        if (votes[p] > 0 &&
            (best == SIZE_MAX || votes[p] > votes[best] ||
             (votes[p] == votes[best] && place_in_file(v, p) < place_in_file(v, best))))
            best = p;
    return best;
}

typedef struct answer {
    int64_t urls, clicks, replayed, ids, wrong_before, verdict[3], site_verdict[3];
    /* By page: named, site told; before and after, with ranks and without. */
    bool named[2][2][N_PAGES], site[2][2][N_PAGES], maybe[N_PAGES];
    /* By page: the chance that its order tells it, before and after. */
    double ordered[2][N_PAGES];
    double random; /* clicks that are told by one of the candidates at random */
} answer;

static size_t verdict_of(size_t some, size_t all)
{
    return all == 0 ? 2 : some == all ? 0 : some == 0 ? 1 : 2;
}

static void judge_id(const world *v, size_t id, answer *a)
{
    rows of = {v->published, v->m, id, SIZE_MAX};
    if (of.n == 0) return;
    bool published = false;
    for (size_t i = 0; i < v->m; i++)
        published = published || is_of(&of, i);
    a->ids += published;
    for (size_t without = 0; without < 2 && published; without++) {
        told x = attack(v, &of, !without);
        size_t all = 0, of_page = 0, of_site = 0;
        if (x.host == SIZE_MAX || v->owned[x.host]) continue;
        for (size_t p = 0; p < N_PAGES && is_judged(v, id); p++) {
            if (!fits(v, id, p)) continue;
            all++;
            of_page += p == x.page;
            of_site += host_of(p) == x.host;
        }
        size_t verdict = verdict_of(of_page, all), site = verdict_of(of_site, all);
        if (x.page != SIZE_MAX) {
            if (verdict == 0) a->named[1][without][x.page] = true;
            if (verdict != 1 && !without) a->maybe[x.page] = true;
            if (!without) a->verdict[verdict]++;
        }
        for (size_t p = 0; p < N_PAGES && site == 0; p++)
            if (fits(v, id, p)) a->site[1][without][p] = true;
        if (!without) a->site_verdict[site]++;
    }
}

static int64_t clicks_of(const world *v, size_t page)
{
    rows own = {v->original, v->n, SIZE_MAX, page};
    int64_t n = 0;
    for (size_t t = 0; t < N_TEXTS; t++)
        n += (int64_t)count(&own, t, SIZE_MAX);
    return v->owned[host_of(page)] ? 0 : n;
}

static void judge_order(const world *v, size_t id, answer *a)
{
    rows of = {v->published, v->m, id, SIZE_MAX};
    bool left[N_PAGES], published = false, answered = false;
    size_t all = 0, n_left = 0;
    for (size_t t = 0; t < N_TEXTS; t++) {
        published = published || count(&of, t, SIZE_MAX) > 0;
        answered = answered || (count(&of, t, SIZE_MAX) > 0 && is_replayed(v, t));
    }
    if (!published || !is_judged(v, id)) return;
    size_t guess = guess_by_order(v, (named_things){true, N_IDS}, id);
    for (size_t p = 0; p < N_PAGES; p++) {
        all += fits(v, id, p);
        left[p] = answered;
        for (size_t t = 0; t < N_TEXTS; t++)
            if (count(&of, t, SIZE_MAX) > 0 && is_replayed(v, t))
                left[p] = left[p] && in_answer(v, t, p);
        n_left += left[p];
    }
    for (size_t p = 0; p < N_PAGES; p++) {
        if (!fits(v, id, p)) continue;
        if (left[p]) a->random += (double)clicks_of(v, p) / (double)(all * n_left);
        if (p == guess && a->ordered[1][p] < 1.0 / (double)all)
            a->ordered[1][p] = 1.0 / (double)all;
    }
}

static void judge(const world *v, answer *a)
{
    memset(a, 0, sizeof *a);
    for (size_t t = 0; t < N_TEXTS; t++)
        a->replayed += is_replayed(v, t);
    for (size_t p = 0; p < N_PAGES; p++) {
        rows own = {v->original, v->n, SIZE_MAX, p};
        if (clicks_of(v, p) == 0) continue;
        a->urls++;
        a->clicks += clicks_of(v, p);
        for (size_t without = 0; without < 2; without++) {
            told x = attack(v, &own, !without);
            a->named[0][without][p] = x.page == p;
            a->site[0][without][p] = x.host == host_of(p);
            if (!without && x.page != SIZE_MAX && x.page != p && !v->owned[x.host])
                a->wrong_before++;
        }
    }
    for (size_t p = 0; p < N_PAGES; p++)
        a->ordered[0][p] = guess_by_order(v, (named_things){false, N_PAGES}, p) == p;
    for (size_t id = 0; id < N_IDS; id++) {
        judge_id(v, id, a);
        judge_order(v, id, a);
    }
}

static bool share_is(const world *v, const answer *a, const lethe_json *out, const char *name,
                     const bool *of, bool volume)
{
    int64_t some = 0, all = volume ? a->clicks : a->urls;
    for (size_t p = 0; p < N_PAGES; p++)
        if (of[p] && clicks_of(v, p) > 0) some += volume ? clicks_of(v, p) : 1;
    bool is = l_real(out, name) == (all ? (double)some / (double)all : 0);
    if (!is) print_error("%s\n", name);
    return is;
}

static bool count_is(const lethe_json *out, const char *name, int64_t want)
{
    if (l_count(out, name) != want) print_error("%s\n", name);
    return l_count(out, name) == want;
}

static double named_share(const world *v, const answer *a, const bool *of)
{
    int64_t some = 0;
    for (size_t p = 0; p < N_PAGES; p++)
        some += of[p] ? clicks_of(v, p) : 0;
    return a->clicks ? (double)some / (double)a->clicks : 0;
}

static double ordered_share(const world *v, const answer *a, bool after)
{
    double some = 0;
    for (size_t p = 0; p < N_PAGES; p++)
        some += a->ordered[after][p] * (double)clicks_of(v, p);
    return a->clicks ? some / (double)a->clicks : 0;
}

static bool is_about(const lethe_json *out, const char *name, double want)
{
    bool is = fabs(l_real(out, name) - want) < 1e-6;
    if (!is) print_error("%s is %g, not %g\n", name, l_real(out, name), want);
    return is;
}

static bool text_is(const lethe_json *out, const char *name, const char *want)
{
    bool is = lethe_str_eq(lethe_json_text(lethe_json_get(out, name)), lethe_str_of(want));
    if (!is) print_error("%s is not %s\n", name, want);
    return is;
}

/* The best of both strategies, by name; and one of the candidates at random. */
static bool strategies_agree(const world *v, const answer *a, const lethe_json *out)
{
    static const char *const best[2][2] = {{"before", "before_without_rank"},
                                           {"success", "success_without_rank"}},
                             *const which[2] = {"strategy_before", "strategy"};
    const lethe_json *all = lethe_json_get(out, "strategies");
    bool same = true;
    for (size_t after = 0; after < 2; after++) {
        double order = ordered_share(v, a, after), common = named_share(v, a, a->named[after][0]);
        const char *name = best[after][0];
        same = same && is_about(lethe_json_get(all, "order"), name, order) &&
               is_about(lethe_json_get(all, "intersection"), name, common) &&
               (fabs(order - common) < 1e-6 || // parts of a click are cut
                text_is(out, which[after], order > common ? "order" : "intersection"));
        for (size_t without = 0; without < 2; without++)
            same = same && is_about(out, best[after][without],
                                    fmax(order, named_share(v, a, a->named[after][without])));
    }
    double random = a->clicks ? a->random / (double)a->clicks : 0,
           most = fmax(named_share(v, a, a->maybe), ordered_share(v, a, true));
    return same && is_about(out, "baseline", fmin(random, 1)) &&
           is_about(out, "success_at_most", fmax(most, named_share(v, a, a->named[1][0])));
}

static bool agrees(const world *v, const answer *a, const lethe_json *out)
{
    return strategies_agree(v, a, out) &&
           share_is(v, a, out, "clicks_named_before", a->named[0][0], true) &&
           share_is(v, a, out, "clicks_named_after", a->named[1][0], true) &&
           share_is(v, a, out, "urls_named_before", a->named[0][0], false) &&
           share_is(v, a, out, "urls_named_after", a->named[1][0], false) &&
           share_is(v, a, out, "urls_sited_before", a->site[0][0], false) &&
           share_is(v, a, out, "urls_sited_after", a->site[1][0], false) &&
           share_is(v, a, out, "clicks_sited_before", a->site[0][0], true) &&
           share_is(v, a, out, "clicks_sited_after", a->site[1][0], true) &&
           count_is(out, "urls", a->urls) && count_is(out, "clicks", a->clicks) &&
           count_is(out, "replayed", a->replayed) && count_is(out, "ids", a->ids) &&
           count_is(out, "wrong_before", a->wrong_before) &&
           count_is(out, "right", a->verdict[0]) && count_is(out, "wrong", a->verdict[1]) &&
           count_is(out, "unconfirmed", a->verdict[2]) &&
           count_is(out, "sites_right", a->site_verdict[0]) &&
           count_is(out, "sites_wrong", a->site_verdict[1]) &&
           count_is(out, "sites_unconfirmed", a->site_verdict[2]);
}

static void row_print(FILE *f, const char *user, const orow4 *r, bool published)
{
    fprintf(f, "%s\tq%zu\t", user, r->text);
    if (r->rank) fprintf(f, "%zu", r->rank);
    fputc('\t', f);
    if (published)
        fprintf(f, "id%zu", r->id);
    else
        url_print(f, r->id);
    fputc('\n', f);
}

/* Texts of the world; `owned` has room. */
static contest world_print(const world *v, char *owned)
{
    char *original = NULL, *published = NULL, *results = NULL;
    size_t bytes;
    FILE *fo = open_memstream(&original, &bytes), *fp = open_memstream(&published, &bytes),
         *fr = open_memstream(&results, &bytes);
    for (size_t t = 0; t < N_TEXTS; t++)
        for (size_t i = 0; i < v->n_results[t]; i++) {
            fprintf(fr, "q%zu\t", t);
            url_print(fr, v->results[t][i]);
            fputc('\n', fr);
        }
    fputs("never asked\thttp://h9.com\n", fr); // none would be refused
    for (size_t i = 0; i < v->n; i++)
        row_print(fo, "u", &v->original[i], false);
    for (size_t i = 0; i < v->m; i++)
        row_print(fp, "p", &v->published[i], true);
    fclose(fo);
    fclose(fp);
    fclose(fr);
    *owned = '\0';
    for (size_t h = 0; h < N_HOSTS; h++)
        if (v->owned[h]) sprintf(owned + strlen(owned), "%sh%zu.com", *owned ? ",www." : "", h);
    return (contest){original, published, results, v->any_owned ? owned : NULL, NULL};
}

static int64_t total_right, total_wrong, total_unconfirmed, total_sites;
static int64_t order_wins[2], order_in_parts;

static void expect_world(uint64_t seed, lethe_ctx *const ctx[3])
{
    uint64_t s = seed;
    world v;
    answer want;
    char owned[128], *first = NULL;
    world_random(&s, &v);
    judge(&v, &want);
    want.replayed += !v.any_owned; // the one that is never asked
    contest a = world_print(&v, owned);
    for (size_t t = 0; t < (seed % 8 ? 1 : 3); t++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(contest_run(ctx[t], &a, doc, out), LETHE_OK);
        char *text = lethe_json_write(out, 0, NULL);
        if (!agrees(&v, &want, out))
            fail_msg("seed %llu: %s\noriginal\n%spublished\n%sresults\n%sowned %s",
                     (unsigned long long)seed, text, a.original, a.published, a.results, owned);
        if (!first)
            first = text;
        else
            assert_string_equal(first, text);
        if (first != text) lethe_json_text_free(text);
        lethe_json_doc_free(doc);
    }
    total_right += want.verdict[0];
    total_wrong += want.verdict[1];
    total_unconfirmed += want.verdict[2];
    total_sites += want.site_verdict[0];
    for (size_t after = 0; after < 2; after++)
        order_wins[after] +=
            ordered_share(&v, &want, after) > named_share(&v, &want, want.named[after][0]) + 1e-6;
    for (size_t p = 0; p < N_PAGES; p++)
        order_in_parts += want.ordered[1][p] > 0 && want.ordered[1][p] < 1;
    lethe_json_text_free(first);
    free((char *)a.original);
    free((char *)a.published);
    free((char *)a.results);
}

static void agrees_with_the_definition(void **state)
{
    (void)state;
    lethe_ctx *ctx[3] = {o_ctx(1, 0), o_ctx(2, 0), o_ctx(7, 0)};
    for (uint64_t i = 0; i < N_WORLDS; i++)
        expect_world(52000 + i, ctx);
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
    // All of it has happened, and often.
    const int64_t least = (int64_t)N_WORLDS / 8;
    assert_true(total_right > least && total_wrong > least && total_unconfirmed > least);
    assert_true(total_sites > total_right + least / 4);
    assert_true(order_wins[0] > least / 2 && order_wins[1] > least && order_in_parts > least);
}

/* Where the answers have every page that was clicked, texts stay, and each URL has one spelling,
 * all that is named is named rightly and confirmed. */
static void complete_answers_confirm_every_name(void **state)
{
    (void)state;
    lethe_ctx *ctx = o_ctx(2, 0);
    int64_t right = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        uint64_t s = seed;
        world v;
        char owned[128];
        world_random(&s, &v);
        for (size_t t = 0; t < N_TEXTS; t++) { // whatever it had: all that is clicked for it
            v.n_results[t] = 0;
            for (size_t i = 0; i < v.n; i++) {
                bool old = v.original[i].text != t;
                for (size_t j = 0; j < v.n_results[t]; j++)
                    old = old || page_of(v.results[t][j]) == page_of(v.original[i].id);
                if (!old && v.n_results[t] == MOST_RESULTS) v.original[i] = v.original[0];
                if (!old && v.n_results[t] < MOST_RESULTS)
                    v.results[t][v.n_results[t]++] = v.original[i].id / N_SPELLINGS * N_SPELLINGS;
            }
        }
        v.m = 0;
        for (size_t i = 0; i < v.n; i++) {
            v.original[i].id = v.original[i].id / N_SPELLINGS * N_SPELLINGS;
            v.original[i].rank = 0;
            if (i == 0 || o_below(&s, 3)) v.published[v.m++] = v.original[i];
        }
        for (size_t i = 0; i < v.n; i++) // those that were moved to the first row's text
            if (!in_answer(&v, v.original[i].text, page_of(v.original[i].id))) v.n = 0;
        if (v.n == 0) continue;
        contest a = world_print(&v, owned);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(contest_run(ctx, &a, doc, out), LETHE_OK);
        if (l_count(out, "wrong") || l_count(out, "unconfirmed") || l_count(out, "sites_wrong") ||
            l_count(out, "sites_unconfirmed") || l_count(out, "wrong_before"))
            fail_msg("seed %llu", (unsigned long long)seed);
        assert_true(l_real(out, "clicks_named_after") <= l_real(out, "clicks_named_before"));
        right += l_count(out, "right");
        lethe_json_doc_free(doc);
        free((char *)a.original);
        free((char *)a.published);
        free((char *)a.results);
    }
    assert_true(right > 100);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
        cmocka_unit_test(complete_answers_confirm_every_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
