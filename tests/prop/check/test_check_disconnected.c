/* SPDX-License-Identifier: Apache-2.0 */
/* Random published logs put before the checker of `disconnected`; and an oracle that looks at every
 * pair of texts, and shares no code with it, says what the answer must be: whether it holds, and
 * the counterexample. */
/* suite: threads */
#include "check_disconnected_harness.h"
#include "seeds.h"

#define CASES seeds(2000)
enum { MOST_TEXTS = 160, MOST_URLS = 400 };

typedef struct trial {
    size_t n_texts, n_urls;
    bool click[MOST_TEXTS][MOST_URLS];
    unsigned char rows[MOST_TEXTS][MOST_URLS];
    char text[MOST_TEXTS][24], url[MOST_URLS][24];
} trial;

static trial x;
static uint64_t number; /* of the case */
static int dirfd;
static char folder[64], results_path[80];
static lethe_ctx *contexts[3];

static int begin(void **state)
{
    (void)state;
    dirfd = o_folder(folder);
    snprintf(results_path, sizeof results_path, "%s/results", folder);
    contexts[0] = o_ctx(1, 1 << 20);
    contexts[1] = o_ctx(2, 0);
    contexts[2] = o_ctx(7, 16 << 20);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < LETHE_COUNT(contexts); i++)
        lethe_ctx_free(contexts[i]);
    unlink(results_path);
    o_folder_gone(dirfd, folder);
    return 0;
}

static void is_so(bool so, const char *what, const cd_outcome *o)
{
    if (so) return;
    print_error("LETHE_SEED=%llu: not as it should be: %s; the answer: %d, %s\n",
                (unsigned long long)number, what, o->holds, o->why);
    fail();
}

/* --- a random log --- */

/* Names whose order of bytes is not that of their numbers. */
static void name(char out[24], const char *stem, size_t i)
{
    snprintf(out, 24, "%s%zu", stem, i * 7919 % 100003);
}

static void identifier(char out[24], size_t i)
{
    memset(out, 'a', LETHE_PSEUDONYM_CHARS);
    out[LETHE_PSEUDONYM_CHARS] = '\0';
    for (size_t n = i * 7919 % 100003, at = 1; n > 0; n /= 32, at++)
        out[LETHE_PSEUDONYM_CHARS - at] = LETHE_PSEUDONYM_DIGITS[n % 32];
}

static void click_at_random(uint64_t *seed)
{
    /* few or many clicks; one URL as good as another, or the first ones far better */
    size_t clicks = o_below(seed, 4 * x.n_texts + 1), skew = o_below(seed, 3);
    for (size_t i = 0; i < clicks; i++) {
        size_t u = o_below(seed, x.n_urls);
        for (size_t s = 0; s < skew; s++) {
            size_t v = o_below(seed, x.n_urls);
            if (v < u) u = v;
        }
        x.click[o_below(seed, x.n_texts)][u] = true;
    }
}

/* Texts with the clicks of another: classes. */
static void copy_at_random(uint64_t *seed)
{
    for (size_t i = o_below(seed, x.n_texts + 1); i > 0; i--)
        memcpy(x.click[o_below(seed, x.n_texts)], x.click[o_below(seed, x.n_texts)],
               sizeof x.click[0]);
}

static void draw(uint64_t *seed)
{
    bool large = o_below(seed, 5) == 0;
    memset(&x, 0, sizeof x);
    x.n_texts = 1 + o_below(seed, large ? MOST_TEXTS : 12);
    x.n_urls = 1 + o_below(seed, large ? MOST_URLS : 9);
    for (size_t i = 0; i < x.n_texts; i++)
        name(x.text[i], "t", i);
    for (size_t i = 0; i < x.n_urls; i++)
        identifier(x.url[i], i);
    click_at_random(seed);
    if (o_below(seed, 2)) copy_at_random(seed);
}

/* Each text once or more, some clicks twice, of several users. */
static void publish(uint64_t *seed)
{
    char *text = NULL;
    size_t n, twice = o_below(seed, 3); /* never, or now and then */
    FILE *f = open_memstream(&text, &n);
    fputs(CD_HEADER, f);
    for (size_t i = 0; i < x.n_texts; i++) {
        bool any = false;
        for (size_t u = 0; u < x.n_urls; u++)
            for (size_t copies = x.click[i][u] ? 1 + o_below(seed, twice + 1) / 2 : 0; copies > 0;
                 copies--) {
                fprintf(f, "u%zu\t%s\t\t\t%s\n", o_below(seed, 3), x.text[i], x.url[u]);
                x.rows[i][u]++;
                any = true;
            }
        if (!any || o_below(seed, 3) == 0) fprintf(f, "u\t%s\t2006-03-01\t\t\n", x.text[i]);
    }
    fclose(f);
    o_write_published(dirfd, text, n);
    free(text);
}

/* --- what is true of it --- */

static bool are_joined(size_t i, size_t j)
{
    for (size_t u = 0; u < x.n_urls; u++)
        if (x.click[i][u] && x.click[j][u]) return true;
    return false;
}

static bool has_clicks(size_t i) { return are_joined(i, i); }

static uint64_t count_edges(void)
{
    uint64_t n = 0;
    for (size_t i = 0; i < x.n_texts; i++)
        for (size_t j = 0; j < i; j++)
            n += are_joined(i, j);
    return n;
}

/* What is known without looking at pairs that share some of their URLs. */
static uint64_t count_known(void)
{
    uint64_t own = 0, most = 0;
    for (size_t i = 0; i < x.n_texts; i++)
        for (size_t j = 0; j < i; j++)
            own += has_clicks(i) && memcmp(x.click[i], x.click[j], sizeof x.click[i]) == 0;
    for (size_t u = 0; u < x.n_urls; u++) {
        uint64_t n = 0;
        for (size_t i = 0; i < x.n_texts; i++)
            n += x.click[i][u];
        if (n > 0 && n * (n - 1) / 2 > most) most = n * (n - 1) / 2;
    }
    return own > most ? own : most;
}

static double density_of(uint64_t edges)
{
    double n = (double)x.n_texts;
    return x.n_texts < 2 ? 0 : (double)edges / (n * (n - 1) / 2);
}

static void least_pair(char out[512])
{
    const char *a = NULL, *b = NULL, *url = NULL;
    out[0] = '\0';
    for (size_t i = 0; i < x.n_texts; i++)
        for (size_t j = 0; j < x.n_texts; j++)
            for (size_t u = 0; u < x.n_urls; u++) {
                if (!x.click[i][u] || !x.click[j][u] || strcmp(x.text[i], x.text[j]) >= 0) continue;
                int order = a ? strcmp(x.text[i], a) : -1;
                if (order == 0) order = strcmp(x.text[j], b);
                if (order == 0) order = strcmp(x.url[u], url);
                if (order >= 0) continue;
                a = x.text[i];
                b = x.text[j];
                url = x.url[u];
            }
    if (a) snprintf(out, 512, "{\"queries\":[\"%s\",\"%s\"],\"url\":\"%s\"}", a, b, url);
}

/* --- the question --- */

static cd_outcome ask(const char *claim, cd_situation s)
{
    cd_outcome first = cd_check(contexts[0], dirfd, claim, &s);
    is_so(first.err == LETHE_OK, claim, &first);
    for (size_t i = 1; i < LETHE_COUNT(contexts); i++) {
        cd_outcome o = cd_check(contexts[i], dirfd, claim, &s);
        is_so(o.err == LETHE_OK && o.holds == first.holds && strcmp(o.why, first.why) == 0 &&
                  o.undecided == first.undecided,
              "the same for any number of threads", &o);
    }
    return first;
}

static void ask_density(double d, uint64_t edges)
{
    char claim[96], why[512] = "";
    snprintf(claim, sizeof claim, "{\"notion\":\"disconnected\",\"density\":%.17g}", d);
    cd_outcome o = ask(claim, (cd_situation){0});
    is_so(o.holds == (density_of(edges) <= d), claim, &o);
    if (d == 0) {
        least_pair(why);
        is_so(strcmp(o.why, why) == 0, why, &o);
    } else if (!o.holds) {
        uint64_t least = 1, known = count_known();
        while (density_of(least) <= d)
            least++;
        const char *at = strstr(o.why, "\"density_at_least\":");
        is_so(at != NULL, claim, &o);
        double said = strtod(at + strlen("\"density_at_least\":"), NULL);
        is_so(said == density_of(known > least ? known : least), "the density that is said", &o);
        is_so(said > d && said <= density_of(edges), "a density in between", &o);
    } else {
        is_so(o.why[0] == '\0', "nothing to say", &o);
    }
}

/* Fractions in hundredths are compared as whole numbers: 3 of 10 is 0.3. */
static void ask_hundredths(unsigned m, uint64_t edges)
{
    char claim[96];
    uint64_t all = x.n_texts * (x.n_texts - 1) / 2;
    snprintf(claim, sizeof claim, "{\"notion\":\"disconnected\",\"density\":%u.%02u}", m / 100,
             m % 100);
    cd_outcome o = ask(claim, (cd_situation){0});
    is_so(o.holds == (100 * edges <= m * all), claim, &o);
}

static void ask_densities(uint64_t *seed)
{
    uint64_t edges = count_edges();
    double exact = density_of(edges);
    ask_density(0, edges);
    if (edges > 0) {
        double below = exact - exact / 4503599627370496; /* 2^52: the double before, or so */
        ask_density(exact, edges);
        ask_density(below, edges);
        ask_density(density_of(edges - 1), edges);
        ask_density(density_of(o_below(seed, edges)), edges);
    }
    ask_hundredths((unsigned)o_below(seed, 101), edges);
    ask_hundredths((unsigned)(exact * 100), edges);
}

/* --- results --- */

static const struct {
    const char *url, *site;
} pages[] = {
    {"http://a.com/1", "a.com"},
    {"http://www.a.com/", "a.com"},
    {"a.com", "a.com"},
    {"http://b.com/", "b.com"},
    {"HTTPS://WWW.B.com", "b.com"},
    {"http://www.www.b.com/", "*"},
    {"http://c.a.com/", "c.a.com"},
    {"word", "=word"},
    {"http://word/", "word"},
    {"mailto:x@a.com", "=mail"},
    {"http://10.0.0.1/", "10.0.0.1"},
    {"other word", "=other"},
};

/* The least text with fewer than k results or K sites; `has` are the pages of each text. */
static void least_shortage(bool has[MOST_TEXTS][LETHE_COUNT(pages)], unsigned k, unsigned K,
                           char out[512])
{
    const char *least = NULL;
    out[0] = '\0';
    for (size_t i = 0; i < x.n_texts; i++) {
        unsigned results = 0, sites = 0;
        for (size_t p = 0; p < LETHE_COUNT(pages); p++) {
            bool is_new = has[i][p];
            results += has[i][p];
            for (size_t q = 0; q < p; q++)
                if (has[i][q] && strcmp(pages[p].site, pages[q].site) == 0) is_new = false;
            sites += is_new;
        }
        if ((results >= k && sites >= K) || (least && strcmp(x.text[i], least) > 0)) continue;
        least = x.text[i];
        snprintf(out, 512, "{\"query\":\"%s\",\"%s\":%u,\"needed\":%u}", least,
                 results < k ? "results" : "sites", results < k ? results : sites,
                 results < k ? k : K);
    }
}

static void ask_results(uint64_t *seed)
{
    static bool has[MOST_TEXTS][LETHE_COUNT(pages)];
    unsigned k = 1 + (unsigned)o_below(seed, 4), K = 1 + (unsigned)o_below(seed, 3);
    FILE *f = fopen(results_path, "w");
    char claim[96], why[512];
    fputs("another\thttp://a.com/1\n", f);
    for (size_t i = 0; i < x.n_texts; i++)
        for (size_t p = 0; p < LETHE_COUNT(pages); p++) {
            has[i][p] = o_below(seed, 12) < 7;
            for (size_t copies = 1 + o_below(seed, 2); has[i][p] && copies > 0; copies--)
                fprintf(f, "%s\t%s\n", x.text[i], pages[p].url);
        }
    fclose(f);
    least_shortage(has, k, K, why);
    cd_situation s = {.results = results_path, .figures = true};
    snprintf(claim, sizeof claim, "{\"notion\":\"disconnected\",\"density\":1.0,\"k\":%u,\"K\":%u}",
             k, K);
    cd_outcome o = ask(claim, s);
    is_so(strcmp(o.why, why) == 0 && o.holds == !why[0] && o.undecided == 0, why, &o);
    s.results = NULL;
    o = ask(claim, s);
    is_so(o.holds && o.undecided == (int64_t)x.n_texts, "all undecided", &o);
}

/* --- clicks --- */

/* The least text with identifiers, but fewer than m, or not each in one row. */
static void least_counted(unsigned m, char out[512])
{
    const char *least = NULL;
    out[0] = '\0';
    for (size_t i = 0; i < x.n_texts; i++) {
        unsigned ids = 0, most = 0;
        for (size_t u = 0; u < x.n_urls; u++) {
            unsigned n = x.rows[i][u];
            ids += n > 0;
            if (n > most) most = n;
        }
        if (ids == 0 || (ids >= m && most == 1)) continue;
        if (least && strcmp(x.text[i], least) > 0) continue;
        least = x.text[i];
        if (ids < m)
            snprintf(out, 512, "{\"query\":\"%s\",\"identifiers\":%u,\"needed\":%u}", least, ids,
                     m);
        else
            snprintf(out, 512, "{\"query\":\"%s\",\"rows_of_identifier\":%u,\"allowed\":1}", least,
                     most);
    }
}

static uint64_t once, few, often; /* answers */

static void ask_counted(uint64_t *seed)
{
    static const lethe_log_form ids = {.any_user = true,
                                       .times = LETHE_TIME_DAY,
                                       .urls = LETHE_URL_ID},
                                any = {.any_user = true,
                                       .times = LETHE_TIME_DAY,
                                       .urls = LETHE_URL_ANY};
    unsigned m = 2 + (unsigned)o_below(seed, 3);
    char claim[96], why[512];
    snprintf(claim, sizeof claim, "{\"notion\":\"disconnected\",\"density\":1.0,\"m\":%u}", m);
    least_counted(m, why);
    cd_outcome o = ask(claim, (cd_situation){.form = &ids});
    is_so(strcmp(o.why, why) == 0 && o.holds == !why[0], why, &o);
    once += !why[0];
    few += strstr(why, "identifiers") != NULL;
    often += strstr(why, "rows") != NULL;
    o = ask(claim, (cd_situation){.form = &any});
    is_so(o.holds, "only identifiers count", &o);
}

static void the_answer_is_that_of_the_definition(void **state)
{
    (void)state;
    const char *from = getenv("LETHE_SEED");
    uint64_t first = from ? strtoull(from, NULL, 10) : 1;
    for (number = first; number < first + (from ? 1 : CASES); number++) {
        uint64_t seed = number;
        draw(&seed);
        publish(&seed);
        ask_densities(&seed);
        ask_counted(&seed);
        if (number % 4 == 0) ask_results(&seed);
    }
    if (!from) assert_true(once > CASES / 20 && few > CASES / 20 && often > CASES / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_that_of_the_definition),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
