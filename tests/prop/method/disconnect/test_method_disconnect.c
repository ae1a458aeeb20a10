/* SPDX-License-Identifier: Apache-2.0 */
/* disconnect against its definition: every pair of queries is looked at, every step takes the
 * highest score of all, and the best set is found by trying all sets. */
/* suite: threads */
#include "disconnect_harness.h"
#include "log_oracle.h"
#include "seeds.h"

#define LOGS seeds(2500)
enum { ROWS = 40, TEXTS = 9, MOST_RESULTS = 60 };

/* What is clicked, with its host and site as they should be told. */
static const struct {
    const char *url, *host, *site;
} urls[] = {
    {"http://www.a.com/1", "www.a.com", "a.com"},
    {"http://a.com/1", "a.com", "a.com"},
    {"http://A.com/2", "a.com", "a.com"},
    {"https://shop.b.co.uk:8080/x?y", "shop.b.co.uk", "shop.b.co.uk"},
    {"http://www.web.de/", "www.web.de", "web.de"},
    {"http://1.2.3.4/x", "1.2.3.4", "1.2.3.4"},
    {"no host at all", "", "no host at all"},
    {"mailto:a@a.com", "", "mailto:a@a.com"},
    {"http://my_own.net/", "my_own.net", "my_own.net"},
    {"c.org/page", "c.org", "c.org"},
};

/* What is asked, and which of these URLs' sites it names. */
static const struct {
    const char *text;
    const char *names; /* a digit for each URL */
} texts[TEXTS] = {
    {"red cars", ""}, {"a.com", "012"},     {"buy b.co.uk now", "3"},
    {"co uk", ""},    {"web.de mail", "4"}, {"x 1.2.3.4", "5"},
    {"aa.com b", ""}, {"my own net", "8"},  {"c-org c org", "9"},
};

typedef struct click_row {
    unsigned user, text, url; /* url: past the end of urls[]: none */
    int64_t second;
    unsigned rank;
} click_row;

typedef struct trial {
    click_row row[ROWS];
    size_t n;
    lethe_urls form;
    int rank; /* 0 to 3; -1: by file */
    int weight;
    double density, targeted; /* targeted: 2 for none */
    bool keep_vulnerable, has_results, has_weights;
    uint64_t k, K;
    uint64_t m, targeted_clicks; /* m: 0 for none */
    uint64_t millionths[TEXTS];
    unsigned result_text[MOST_RESULTS], result_url[MOST_RESULTS];
    size_t n_results;
} trial;

/* What is known of a text. */
typedef struct query {
    bool is_there;
    uint64_t frequency, clicks, first;
    uint64_t on[LETHE_COUNT(urls)]; /* clicks of each URL; of hosts, the first with it */
    bool has[LETHE_COUNT(urls)];    /* URLs that are published */
    int why;                        /* 0 to 4; 5: none */
} query;

static trial t;
static query q[TEXTS];

static bool draws(void) { return t.m > 0 && t.form == LETHE_URLS_ID; }

static const char *published(unsigned url)
{
    if (url >= LETHE_COUNT(urls) || t.form == LETHE_URLS_DROP) return "";
    return t.form == LETHE_URLS_HOST ? urls[url].host : urls[url].url;
}

static void random_results(uint64_t *seed)
{
    t.n_results = 1 + o_below(seed, MOST_RESULTS);
    for (size_t i = 0; i < t.n_results; i++) {
        t.result_text[i] = (unsigned)o_below(seed, TEXTS);
        t.result_url[i] = (unsigned)o_below(seed, LETHE_COUNT(urls));
    }
}

static void random_trial(uint64_t *seed)
{
    static const double densities[] = {0, 0, 0.1, 0.3, 0.5, 1}, shares[] = {0.9, 0.5, 1, 2, 0.75};
    static const lethe_urls forms[] = {LETHE_URLS_KEEP, LETHE_URLS_KEEP, LETHE_URLS_HOST,
                                       LETHE_URLS_ID,   LETHE_URLS_ID,   LETHE_URLS_DROP};
    size_t few_urls = 1 + o_below(seed, LETHE_COUNT(urls)), few_texts = 1 + o_below(seed, TEXTS);
    t = (trial){.n = 1 + o_below(seed, ROWS),
                .form = forms[o_below(seed, LETHE_COUNT(forms))],
                .rank = (int)o_below(seed, 5) - 1,
                .weight = (int)o_below(seed, 3),
                .targeted = shares[o_below(seed, LETHE_COUNT(shares))],
                .keep_vulnerable = o_below(seed, 2),
                .has_results = o_below(seed, 3) == 0};
    if (t.rank != 3) t.density = densities[o_below(seed, LETHE_COUNT(densities))];
    t.has_weights = t.rank == -1 || (t.rank == 3 && o_below(seed, 3) == 0);
    if (o_below(seed, 2)) t.k = 1 + o_below(seed, 5);
    if (o_below(seed, 2)) t.K = 1 + o_below(seed, t.k ? t.k : 4);
    t.m = o_below(seed, 3) ? 2 + o_below(seed, 3) : 0;
    t.targeted_clicks = 1 + o_below(seed, 4);
    random_results(seed);
    for (size_t i = 0; i < TEXTS; i++)
        t.millionths[i] = 1 + o_below(seed, 5000000);
    for (size_t i = 0; i < t.n; i++) {
        click_row *r = &t.row[i];
        if (i > 0 && o_below(seed, 3) == 0)
            *r = t.row[o_below(seed, i)];
        else
            *r = (click_row){.user = (unsigned)o_below(seed, 3),
                             .text = (unsigned)o_below(seed, few_texts),
                             .second = (int64_t)o_below(seed, 3)};
        r->url = (unsigned)(o_below(seed, 4) ? o_below(seed, few_urls) : LETHE_COUNT(urls));
        r->rank = r->url < LETHE_COUNT(urls) ? 1 + (unsigned)o_below(seed, 5) : 0;
    }
}

/* --- what should be --- */

static bool same_published(unsigned a, unsigned b)
{
    return strcmp(published(a), published(b)) == 0;
}

static void count_text(unsigned text)
{
    query *me = &q[text];
    *me = (query){.why = 5};
    for (size_t i = 0; i < t.n; i++) {
        const click_row *r = &t.row[i];
        bool is_new = true;
        if (r->text != text) continue;
        if (!me->is_there) me->first = i;
        me->is_there = true;
        for (size_t j = 0; j < i; j++)
            is_new = is_new && !(t.row[j].text == text && t.row[j].user == r->user &&
                                 t.row[j].second == r->second);
        me->frequency += is_new;
        if (!*published(r->url)) continue;
        me->clicks++;
        unsigned u = 0;
        while (!*published(u) || !same_published(u, r->url))
            u++;
        me->on[u]++;
    }
}

static size_t urls_of(const query *me)
{
    size_t n = 0;
    for (size_t u = 0; u < LETHE_COUNT(urls); u++)
        n += me->on[u] > 0;
    return n;
}

static void choose(query *me)
{
    for (size_t u = 0; u < LETHE_COUNT(urls); u++)
        me->has[u] = me->on[u] > 0 && (!draws() || urls_of(me) >= t.m);
}

static uint64_t clicks_shown(const query *me)
{
    return !draws() ? me->clicks : urls_of(me) >= t.m ? urls_of(me) : 0;
}

static uint64_t clicks_on_site(unsigned text, const char *site)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t.n; i++)
        n += t.row[i].text == text && *published(t.row[i].url) &&
             strcmp(urls[t.row[i].url].site, site) == 0;
    return n;
}

static bool is_result(unsigned text, unsigned url)
{
    for (size_t i = 0; i < t.n_results; i++)
        if (t.result_text[i] == text && t.result_url[i] == url) return true;
    return false;
}

/* Of the results, or of the clicks that are published. */
static size_t sites_of(unsigned text, bool results)
{
    size_t n = 0;
    for (unsigned u = 0; u < LETHE_COUNT(urls); u++) {
        bool is_new = results ? is_result(text, u) : clicks_on_site(text, urls[u].site) > 0;
        for (unsigned v = 0; v < u && is_new; v++)
            is_new = strcmp(urls[v].site, urls[u].site) != 0 || (results && !is_result(text, v));
        n += is_new;
    }
    return n;
}

static size_t results_of(unsigned text)
{
    size_t n = 0;
    for (unsigned u = 0; u < LETHE_COUNT(urls); u++)
        n += is_result(text, u);
    return n;
}

static int judge(unsigned text)
{
    const query *me = &q[text];
    bool targeted = false, named = false;
    for (unsigned u = 0; u < LETHE_COUNT(urls); u++) {
        uint64_t n = clicks_on_site(text, urls[u].site);
        char digit = (char)('0' + u);
        if (n == 0) continue;
        targeted = targeted || (me->clicks >= t.targeted_clicks &&
                                (double)n / (double)me->clicks >= t.targeted);
        /* that very URL, for the site may be told by another one */
        for (size_t i = 0; i < t.n; i++)
            named = named || (t.row[i].text == text && t.row[i].url == u && *published(u) &&
                              strchr(texts[text].names, digit) != NULL);
    }
    if (t.has_results && results_of(text) < t.k) return 0;
    if (targeted && !t.keep_vulnerable) return 1;
    if (named && !t.keep_vulnerable) return 2;
    return t.has_results && sites_of(text, true) < t.K ? 3 : 5;
}

static bool before; /* the graph of all clicks, not of those that are published */

static bool joined(unsigned a, unsigned b)
{
    for (unsigned u = 0; u < LETHE_COUNT(urls); u++)
        if (a != b && (before ? q[a].on[u] && q[b].on[u] : q[a].has[u] && q[b].has[u])) return true;
    return false;
}

static uint64_t degree(const bool *in, unsigned a)
{
    uint64_t n = 0;
    for (unsigned b = 0; b < TEXTS; b++)
        n += in[a] && in[b] && joined(a, b);
    return n;
}

static double density(const bool *in)
{
    uint64_t ends = 0, n = 0;
    for (unsigned a = 0; a < TEXTS; a++) {
        n += in[a];
        ends += degree(in, a);
    }
    return n < 2 ? 0 : (double)ends / (double)(n * (n - 1));
}

static uint64_t worth(unsigned a, int by)
{
    return by == 0 ? 1 : by == 1 ? q[a].frequency : by == 2 ? clicks_shown(&q[a]) : t.millionths[a];
}

/* The heuristic as it is printed. */
static size_t take_out(bool *in, int by, double *path)
{
    size_t n = 0;
    for (path[0] = density(in); path[n] > t.density; path[++n] = density(in)) {
        int top = -1;
        for (unsigned a = 0; a < TEXTS; a++) {
            if (!in[a] || degree(in, a) == 0) continue;
            if (top >= 0) {
                unsigned b = (unsigned)top;
                uint64_t x = degree(in, a) * worth(b, by), y = degree(in, b) * worth(a, by);
                if (x < y || (x == y && q[a].first > q[b].first)) continue;
            }
            top = (int)a;
        }
        assert_true(top >= 0);
        in[top] = false;
        q[top].why = 4;
    }
    return n;
}

/* What any set with no two joined is worth at most. */
static uint64_t best_worth(const bool *in, int by)
{
    uint64_t best = 0;
    for (unsigned set = 0; set < 1u << TEXTS; set++) {
        uint64_t sum = 0;
        bool ok = true;
        for (unsigned a = 0; a < TEXTS && ok; a++) {
            if (!(set >> a & 1)) continue;
            ok = in[a];
            sum += worth(a, by);
            for (unsigned b = 0; b < a; b++)
                ok = ok && !((set >> b & 1) && joined(a, b));
        }
        if (ok && sum > best) best = sum;
    }
    return best;
}

/* --- what is --- */

static void write_files(const ground *g, char *options, size_t cap)
{
    char path[400];
    FILE *f = fopen(g->log, "w");
    static const char *const ranks[] = {"degree", "frequency", "clicks", "best"};
    static const char *const weights[] = {"queries", "volume", "clicks"};
    int n = 0;
    for (size_t i = 0; i < t.n; i++) {
        const click_row *r = &t.row[i];
        fprintf(f, "%u\t%s\t2006-03-01 10:00:0%d\t", r->user, texts[r->text].text, (int)r->second);
        if (r->rank) fprintf(f, "%u", r->rank);
        fprintf(f, "\t%s\n", r->url < LETHE_COUNT(urls) ? urls[r->url].url : "");
    }
    fclose(f);
    if (t.rank >= 0) n += snprintf(options + n, cap - (size_t)n, "rank=%s ", ranks[t.rank]);
    if (t.rank == 3 && !t.has_weights)
        n += snprintf(options + n, cap - (size_t)n, "weight=%s ", weights[t.weight]);
    if (t.targeted > 1)
        n += snprintf(options + n, cap - (size_t)n, "targeted=none ");
    else
        n += snprintf(options + n, cap - (size_t)n, "targeted=%g ", t.targeted);
    n += snprintf(options + n, cap - (size_t)n, "density=%g ", t.density);
    if (t.m) n += snprintf(options + n, cap - (size_t)n, "min-urls=%d ", (int)t.m);
    n += snprintf(options + n, cap - (size_t)n, "targeted-clicks=%d ", (int)t.targeted_clicks);
    if (t.keep_vulnerable) n += snprintf(options + n, cap - (size_t)n, "keep-vulnerable=1 ");
    if (t.k) n += snprintf(options + n, cap - (size_t)n, "min-results=%d ", (int)t.k);
    if (t.K) n += snprintf(options + n, cap - (size_t)n, "min-sites=%d ", (int)t.K);
    if (t.has_results) {
        snprintf(path, sizeof path, "%s/results", g->dir);
        f = fopen(path, "w");
        for (size_t i = 0; i < t.n_results; i++)
            fprintf(f, "%s\t%s\n", texts[t.result_text[i]].text, urls[t.result_url[i]].url);
        fclose(f);
        n += snprintf(options + n, cap - (size_t)n, "results=%s ", path);
    }
    if (t.has_weights) {
        snprintf(path, sizeof path, "%s/weights", g->dir);
        f = fopen(path, "w");
        for (unsigned i = 0; i < TEXTS; i++)
            fprintf(f, "%s\t%u.%06u\n", texts[i].text, (unsigned)(t.millionths[i] / 1000000),
                    (unsigned)(t.millionths[i] % 1000000));
        fclose(f);
        n += snprintf(options + n, cap - (size_t)n, "weights=%s ", path);
    }
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of the rows of texts that are in, with "?" for an identifier. */
static void expect_lines(uint64_t seed, const bool *in, char *data)
{
    static char text[ROWS][200];
    char *want[ROWS], *line[ROWS + 1], *save = NULL;
    size_t n = 0, got = 0;
    for (size_t i = 0; i < t.n; i++) {
        const click_row *r = &t.row[i];
        const char *url = published(r->url);
        bool ranked = r->rank && *url && t.form != LETHE_URLS_ID,
             clicked = r->url < LETHE_COUNT(urls);
        if (!in[r->text]) continue;
        int len = snprintf(text[n], 150, "%u\t%s\t2006-03-01 10:00:0%d\t", r->user,
                           texts[r->text].text, (int)r->second);
        if (ranked) len += snprintf(text[n] + len, 16, "%u", r->rank);
        snprintf(text[n] + len, 60, "\t%s", t.form == LETHE_URLS_ID && clicked ? "?" : url);
        want[n] = text[n];
        n++;
    }
    for (char *l = strtok_r(data, "\n", &save); l && got <= ROWS; l = strtok_r(NULL, "\n", &save)) {
        char *url = strrchr(l, '\t') + 1;
        if (t.form == LETHE_URLS_ID && *url) {
            assert_int_equal(strspn(url, LETHE_PSEUDONYM_DIGITS), LETHE_PSEUDONYM_CHARS);
            strcpy(url, "?");
        }
        line[got++] = l;
    }
    if (got != n) fail_msg("seed %zu: %zu rows, not %zu", (size_t)seed, got, n);
    qsort(want, n, sizeof *want, by_bytes);
    qsort(line, n, sizeof *line, by_bytes);
    for (size_t i = 0; i < n; i++)
        if (strcmp(want[i], line[i]) != 0)
            fail_msg("seed %zu: '%s', not '%s'", (size_t)seed, line[i], want[i]);
}

/* Rows of a log with a text, a user and a second; of the release, those of an identifier. */
typedef struct line {
    unsigned user, text;
    int second;
    char id[64];
} line;

static size_t read_lines(const char *data, line *out)
{
    size_t n = 0;
    for (const char *at = data; *at; at = strchr(at, '\n') + 1, n++) {
        char text[64] = "";
        int url = 0;
        assert_true(n < ROWS);
        out[n] = (line){.text = TEXTS};
        assert_int_equal(sscanf(at, "%u\t%63[^\t]\t2006-03-01 10:00:0%d%n", &out[n].user, text,
                                &out[n].second, &url),
                         3);
        assert_memory_equal(at + url, "\t\t", 2); // no rank
        memcpy(out[n].id, at + url + 2, strcspn(at + url + 2, "\n"));
        for (unsigned a = 0; a < TEXTS; a++)
            if (strcmp(texts[a].text, text) == 0) out[n].text = a;
    }
    return n;
}

static size_t lines_like(const line *at, size_t n, const line *as, bool id)
{
    size_t same = 0;
    for (size_t i = 0; i < n; i++)
        same += at[i].text == as->text && at[i].user == as->user && at[i].second == as->second &&
                (!id || strcmp(at[i].id, as->id) == 0);
    return same;
}

static size_t rows_like(const line *as, unsigned url)
{
    size_t same = 0;
    for (size_t i = 0; i < t.n; i++) {
        const click_row *r = &t.row[i];
        same += r->text == as->text && r->user == as->user && r->second == as->second &&
                (url == LETHE_COUNT(urls) || r->url == url);
    }
    return same;
}

/* Can the identifier be the URL?  Its rows are rows of the URL. */
static bool may_be(const line *at, size_t n, const line *of, unsigned url)
{
    if (!q[of->text].has[url]) return false;
    for (size_t i = 0; i < n; i++)
        if (at[i].text == of->text && strcmp(at[i].id, of->id) == 0 &&
            lines_like(at, n, &at[i], true) > rows_like(&at[i], url))
            return false;
    return true;
}

/* All rows are there.  Of a text as many identifiers as URLs, each in one row, and each may be one
 * of them; which rows have them is drawn. */
static void expect_drawn_lines(uint64_t seed, const bool *in, const char *data)
{
    static line at[ROWS];
    size_t n = read_lines(data, at), rows = 0;
    for (size_t i = 0; i < t.n; i++)
        rows += in[t.row[i].text];
    if (n != rows) fail_msg("seed %zu: %zu rows, not %zu", (size_t)seed, n, rows);
    size_t ids[TEXTS] = {0};
    for (size_t i = 0; i < n; i++) {
        const line *l = &at[i];
        assert_true(in[l->text]);
        assert_int_equal(lines_like(at, n, l, false), rows_like(l, LETHE_COUNT(urls)));
        if (!l->id[0]) continue;
        size_t same = 0, earlier = 0;
        bool may = false;
        for (size_t j = 0; j < n; j++) {
            bool is = at[j].text == l->text && strcmp(at[j].id, l->id) == 0;
            same += is;
            earlier += is && j < i;
        }
        for (unsigned u = 0; u < LETHE_COUNT(urls); u++)
            may = may || may_be(at, n, l, u);
        if (same != 1 || !may) fail_msg("seed %zu: %s is in %zu rows", (size_t)seed, l->id, same);
        ids[l->text] += earlier == 0;
    }
    for (unsigned a = 0; a < TEXTS; a++)
        if (in[a]) assert_int_equal(ids[a], clicks_shown(&q[a]));
}

static void expect_real(uint64_t seed, const made *m, const char *name, double want)
{
    double got = lethe_json_real(d_figure(m, name));
    if (got != want) fail_msg("seed %zu: %s is %.17g, not %.17g", (size_t)seed, name, got, want);
}

static void expect_figures(uint64_t seed, const made *m, const bool *all, const bool *in)
{
    static const char *const names[] = {"few_results", "targeted", "named", "few_sites", "graph"};
    uint64_t sum[6][3] = {{0}}, queries = 0, unconfirmed = 0, hidden = 0;
    for (unsigned a = 0; a < TEXTS; a++) {
        size_t shown = 0;
        if (!all[a]) continue;
        queries++;
        sum[q[a].why][0]++;
        sum[q[a].why][1] += q[a].frequency;
        sum[q[a].why][2] += q[a].clicks;
        for (unsigned u = 0; u < LETHE_COUNT(urls); u++)
            shown += q[a].on[u] > 0;
        if (in[a]) hidden += q[a].clicks - clicks_shown(&q[a]);
        unconfirmed += in[a] && (shown < t.k || sites_of(a, false) < t.K);
    }
    uint64_t volume = 0, clicks = 0;
    for (size_t r = 0; r < 6; r++) {
        volume += sum[r][1];
        clicks += sum[r][2];
        if (r == 5) break;
        if (d_removed(m, "removed", names[r]) != (int64_t)sum[r][0] ||
            d_removed(m, "removed_volume", names[r]) != (int64_t)sum[r][1] ||
            d_removed(m, "removed_clicks", names[r]) != (int64_t)sum[r][2])
            fail_msg("seed %zu: %s", (size_t)seed, names[r]);
    }
    expect_real(seed, m, "queries", (double)queries);
    assert_int_equal(d_removed(m, "removed_clicks", "hidden"), draws() ? (int64_t)hidden : -1);
    before = true;
    expect_real(seed, m, "density_before", density(all));
    before = false;
    expect_real(seed, m, "density_after", density(in));
    expect_real(seed, m, "volume_kept", volume ? (double)sum[5][1] / (double)volume : 1);
    expect_real(seed, m, "clicks_kept", clicks ? (double)(sum[5][2] - hidden) / (double)clicks : 1);
    if (!t.has_results && (t.k || t.K))
        expect_real(seed, m, "unconfirmed", (double)unconfirmed);
    else
        assert_null(d_figure(m, "unconfirmed"));
}

/* Which texts are in the file. */
static void read_kept(const char *data, bool *in)
{
    for (unsigned a = 0; a < TEXTS; a++) {
        char field[64];
        snprintf(field, sizeof field, "\t%s\t", texts[a].text);
        in[a] = strstr(data, field) != NULL;
    }
}

/* Ties may be broken in any way: what is kept is worth as much as anything can be, and nothing
 * could be kept besides. */
static void expect_best(uint64_t seed, bool *in, const bool *found)
{
    int by = t.has_weights ? 3 : t.weight;
    uint64_t sum = 0;
    for (unsigned a = 0; a < TEXTS; a++) {
        bool could = in[a] && !found[a];
        if (found[a] && !in[a]) fail_msg("seed %zu: '%s' came back", (size_t)seed, texts[a].text);
        sum += found[a] ? worth(a, by) : 0;
        for (unsigned b = 0; b < TEXTS; b++) {
            if (found[a] && found[b] && joined(a, b)) fail_msg("seed %zu: joined", (size_t)seed);
            could = could && !(found[b] && joined(a, b));
        }
        if (could) fail_msg("seed %zu: '%s' could be kept", (size_t)seed, texts[a].text);
    }
    if (sum != best_worth(in, by)) fail_msg("seed %zu: not the best", (size_t)seed);
    for (unsigned a = 0; a < TEXTS; a++) {
        if (in[a] && !found[a]) q[a].why = 4;
        in[a] = found[a];
    }
}

static void expect_path(const made *m, const double *path, size_t n)
{
    const lethe_json *got = d_figure(m, "density_path");
    assert_int_equal(lethe_json_count(got), n + 1);
    for (size_t i = 0; i <= n; i++)
        assert_true(lethe_json_real(lethe_json_at(got, i)) == path[i]);
}

static size_t drawn[3]; /* texts: no click is published, all are, some are */

static bool one_log(ground *g, uint64_t s, size_t *reasons)
{
    uint64_t seed = s;
    char options[512] = "";
    bool all[TEXTS], in[TEXTS], found[TEXTS], any = false;
    double path[TEXTS + 1];
    random_trial(&seed);
    write_files(g, options, sizeof options);
    for (unsigned a = 0; a < TEXTS; a++) {
        count_text(a);
        choose(&q[a]);
        all[a] = in[a] = q[a].is_there;
        if (!all[a]) continue;
        q[a].why = judge(a);
        in[a] = q[a].why == 5;
        any = any || in[a];
    }
    how h = {.threads = (unsigned[]){1, 2, 7}[o_below(&seed, 3)], .urls = t.form};
    made m = d_one(g, options, h);
    assert_int_equal(m.err, any ? LETHE_OK : LETHE_ANSWER_NO);
    assert_true(any == (m.data != NULL));
    if (t.rank == 3) {
        read_kept(m.data ? m.data : "", found);
        expect_best(s, in, found);
        assert_null(d_figure(&m, "density_path"));
    } else {
        size_t n = take_out(in, t.rank < 0 ? 3 : t.rank, path);
        expect_path(&m, path, n);
    }
    expect_figures(s, &m, all, in);
    if (m.data && !draws()) expect_lines(s, in, m.data);
    if (m.data && draws()) expect_drawn_lines(s, in, m.data);
    for (unsigned a = 0; a < TEXTS; a++) {
        if (all[a]) reasons[q[a].why]++;
        if (!in[a] || !draws()) continue;
        drawn[clicks_shown(&q[a]) == 0 ? 0 : clicks_shown(&q[a]) == q[a].clicks ? 1 : 2]++;
    }
    d_gone(g, &m);
    return any;
}

static void releases_are_as_defined(void **state)
{
    (void)state;
    size_t reasons[6] = {0}, made_some = 0;
    ground g;
    g_begin(&g);
    for (uint64_t s = 1; s <= LOGS; s++)
        made_some += one_log(&g, s, reasons);
    g_end(&g);
    assert_true(made_some > LOGS / 2 && made_some < LOGS);
    for (size_t r = 0; r < 6; r++)
        assert_true(reasons[r] > LOGS / 25); /* else nothing was tested */
    assert_true(drawn[0] > LOGS / 25 && drawn[1] > LOGS / 25 && drawn[2] > LOGS / 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_are_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
