/* SPDX-License-Identifier: Apache-2.0 */
/* scrub through the whole pipeline: logs with planted personal data, against an oracle that masks
 * by asking for one finding after the other, and looks at everything that was published. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "log_oracle.h"
#include "scrub_harness.h"
#include "seeds.h"
#include "check/check.h"
#include "text/normalize.h"

#define N_LOGS seeds(400)
enum { MAX_ROWS = 40, LONG = 512 };
#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

/* --- logs with something in them --- */

typedef struct row {
    size_t user, second;
    int rank; /* 0: none */
    char query[LONG], url[LONG];
} row;

static const char *const words[] = {
    "cheap", "flights",           "to", "boston", "60",     "single", "men", "jack",  "arnold",
    "in",    "lilburn",           "ga", "2006",   "o'hare", "at&t",   "c++", "[ssn]", "st",
    "747",   "\xc3\xa9t\xc3\xa9", "#",  "street", "po",     "box",    "www", "-",     "1"};

static char digit(uint64_t *seed) { return (char)('0' + o_below(seed, 10)); }

/* d: a digit, w: a letter; the rest stands for itself. */
static void fill(uint64_t *seed, char *out, const char *form)
{
    for (; *form; form++)
        *out++ = *form == 'd'   ? digit(seed)
                 : *form == 'w' ? (char)('a' + o_below(seed, 26))
                                : *form;
    *out = '\0';
}

/* Forms that a detector may or may not take for personal: that is theirs to decide. */
static void plant(uint64_t *seed, char out[64])
{
    static const char *const forms[] = {
        "ddd-dd-dddd",
        "ddd dd dddd",
        "ddddddddd",
        "4ddddddddddddddd",
        "5ddd dddd dddd dddd",
        "ddd-ddd-dddd",
        "(ddd) ddd-dddd",
        "+44 20 dddd dddd",
        "www@www.com",
        "w.w@ww.org",
        "dd.d.dd.ddd",
        "fe80::dwww",
        "ddddddd",
        "dddd-ddd.dd",
        "dd elw street",
        "d n main st apt d",
        "po box dd",
        "www.ww.com/ww",
        "http://w.com/?w=d",
        "d",
        "ddd",
        "dddddddddddddddddddd",
        "wwdddddddww",
        "@",
        "w@w",
        "d/d/dddd",
        "www.ww.com",
    };
    fill(seed, out, forms[o_below(seed, LETHE_COUNT(forms))]);
}

static void make_query(uint64_t *seed, char out[LONG])
{
    char piece[64];
    out[0] = '\0';
    for (size_t n = 1 + o_below(seed, 6); n > 0; n--) {
        if (o_below(seed, 4) == 0)
            plant(seed, piece);
        else
            strcpy(piece, words[o_below(seed, LETHE_COUNT(words))]);
        // mostly a space between; sometimes what is planted touches its neighbours
        static const char *const gaps[] = {" ", " ", " ", " ", " ", ",", "", "-", ".", ":", "/"};
        if (*out) strcat(out, gaps[o_below(seed, LETHE_COUNT(gaps))]);
        strcat(out, piece);
    }
}

static void put_coded(uint64_t *seed, char *out, const char *s)
{
    static const char *const forms[] = {"%%%02x", "%%%02X", "%%%02x", "%%%02X", "%%25%02x"};
    for (out += strlen(out); *s; s++)
        if (*s == ' ')
            out = stpcpy(out, o_below(seed, 2) ? "+" : o_below(seed, 4) ? "%20" : "%252B");
        else if (o_below(seed, 5) == 0)
            out += sprintf(out, forms[o_below(seed, LETHE_COUNT(forms))], (unsigned char)*s);
        else
            *out++ = *s;
    *out = '\0';
}

static void make_url(uint64_t *seed, char out[LONG])
{
    static const char *const forms[] = {"http://www.www.com",
                                        "http://www.Ww.org/",
                                        "https://w.com/ww/",
                                        "http://dd.d.d.dd/",
                                        "http://w@www.com/",
                                        "www.com/ww?w=",
                                        "mailto:",
                                        "http://ddd-dd-dddd.com/",
                                        "ww",
                                        "http://[::d]/",
                                        "HTTP://W.COM:80/"};
    char piece[64];
    fill(seed, out, forms[o_below(seed, LETHE_COUNT(forms))]);
    for (size_t n = o_below(seed, 3); n > 0; n--) {
        plant(seed, piece);
        if (o_below(seed, 2))
            put_coded(seed, out, piece);
        else
            for (char *p = piece, *to = out + strlen(out); (*to = *p); p++)
                to += *p != ' ';
    }
}

static size_t make_rows(uint64_t *seed, row rows[MAX_ROWS])
{
    size_t n = 1 + o_below(seed, MAX_ROWS);
    for (size_t i = 0; i < n; i++) {
        row *r = &rows[i];
        *r = (row){.user = 100 + o_below(seed, 5), .second = o_below(seed, 60)};
        make_query(seed, r->query);
        if (o_below(seed, 2)) make_url(seed, r->url);
        if (*r->url || o_below(seed, 8) == 0) r->rank = 1 + (int)o_below(seed, 20);
    }
    return n;
}

/* --- what should come out --- */

typedef struct setting {
    unsigned kinds;
    bool drop, listed;
    lethe_urls urls;
} setting;

typedef struct expected {
    char *lines[MAX_ROWS]; /* in the order of the input */
    size_t n, rows_dropped, urls_cut, urls_dropped;
    uint64_t found[LETHE_N_PII];
} expected;

static bool finds(const lethe_detector *d, const char *text)
{
    lethe_finding f;
    return lethe_pii_next(d, lethe_str_of(text), 0, &f);
}

/* Left to right, and from the left again until nothing is found; false: nothing was. */
static bool mask(const lethe_detector *d, char text[4 * LONG], uint64_t found[LETHE_N_PII])
{
    lethe_finding f;
    bool any = false;
    while (finds(d, text)) {
        char next[4 * LONG] = "";
        size_t from = 0;
        for (; lethe_pii_next(d, lethe_str_of(text), from, &f); from = f.at + f.n) {
            if (f.n == 0 || f.at < from || f.at + f.n > strlen(text))
                fail_msg("finding out of order");
            strncat(next, text + from, f.at - from);
            strcat(strcat(strcat(next, "["), lethe_pii_names[f.kind]), "]");
            found[f.kind]++;
        }
        strcat(next, text + from);
        strcpy(text, next);
        any = true;
    }
    return any;
}

static void normal(const char *text, size_t n, char out[4 * LONG])
{
    lethe_buf b = {0};
    lethe_str s;
    bool invalid;
    if (lethe_normalize((lethe_str){text, n}, &b, &s, &invalid) != LETHE_OK) abort();
    memcpy(out, s.at, s.n);
    out[s.n] = '\0';
    lethe_buf_free(&b);
}

static void host_of(const char *url, char out[LONG])
{
    lethe_buf b = {0};
    lethe_str s;
    if (lethe_url_host(lethe_str_of(url), &b, &s) != LETHE_OK) abort();
    memcpy(out, s.at, s.n);
    out[s.n] = '\0';
    lethe_buf_free(&b);
}

/* Each %XX of `text` made its byte and, if `spaces`, each + a space; the new length. */
static size_t decode_once(char text[LONG], size_t n, bool spaces)
{
    char from[LONG];
    size_t to = 0;
    memcpy(from, text, n);
    from[n] = '\0';
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        char hex[3] = {0};
        if (from[i] == '%' && n - i > 2 && strspn(from + i + 1, "0123456789abcdefABCDEF") >= 2) {
            memcpy(hex, from + i + 1, 2);
            sscanf(hex, "%x", &byte);
            text[to++] = (char)byte;
            i += 2;
        } else {
            text[to++] = spaces && from[i] == '+' ? ' ' : from[i];
        }
    }
    return to;
}

/* As it stands, with %XX decoded one to four times, and with + for a space too each time. */
static bool url_finds(const lethe_detector *d, const char *url)
{
    char text[LONG], looked[4 * LONG];
    for (int spaces = 0; spaces < 2; spaces++) {
        size_t n = strlen(url);
        memcpy(text, url, n);
        for (int times = 0; times <= 4; times++) {
            if (times > 0) n = decode_once(text, n, spaces);
            normal(text, n, looked);
            if (finds(d, looked)) return true;
        }
    }
    return false;
}

static void scrub_url(const lethe_detector *d, const row *r, char url[LONG], int *rank, expected *e)
{
    char host[LONG];
    bool all = d->kinds >> LETHE_PII_URL & 1, cut = all || url_finds(d, r->url);
    host_of(r->url, host);
    strcpy(url, r->url);
    if (!*url) return;
    if (*host ? finds(d, host) : cut) {
        *url = '\0';
        *rank = 0;
        e->urls_dropped++;
    } else if (cut) {
        const char *bare = strncmp(url, "http://", 7) == 0    ? url + 7
                           : strncmp(url, "https://", 8) == 0 ? url + 8
                                                              : url;
        size_t n = strlen(bare), h = strlen(host);
        e->urls_cut += !(n == h || (n == h + 1 && bare[h] == '/'));
        strcpy(url, host);
    }
}

static void expect_row(const lethe_detector *d, const setting *how, const row *r, expected *e)
{
    char query[4 * LONG], normal_query[4 * LONG], url[LONG], published[LONG], rank_text[16] = "";
    int rank = r->rank;
    strcpy(query, r->query);
    normal(query, strlen(query), normal_query);
    if (mask(d, normal_query, e->found) && how->drop) {
        e->rows_dropped++;
        return;
    }
    scrub_url(d, r, url, &rank, e);
    strcpy(published, how->urls == LETHE_URLS_DROP ? "" : url);
    if (how->urls == LETHE_URLS_HOST) host_of(url, published);
    if (how->urls == LETHE_URLS_DROP || (*url && !*published)) rank = 0;
    if (rank) snprintf(rank_text, sizeof rank_text, "%d", rank);
    if (asprintf(&e->lines[e->n++], "%zu\t%s\t2006-03-01 10:00:%02zu\t%s\t%s\n", r->user,
                 normal_query, r->second, rank_text, published) < 0)
        abort();
    // what is published must be clean, whatever way it went
    if (finds(d, normal_query)) fail_msg("a mask leaves something: %s", normal_query);
    if (*published && url_finds(d, published)) fail_msg("a URL tells: %s", published);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *joined(const expected *e, bool sorted)
{
    char *lines[MAX_ROWS], *text = NULL;
    size_t size;
    memcpy(lines, e->lines, sizeof lines);
    if (sorted) qsort(lines, e->n, sizeof *lines, by_bytes);
    FILE *f = open_memstream(&text, &size);
    fputs(HEADER, f);
    for (size_t i = 0; i < e->n; i++)
        fputs(lines[i], f);
    fclose(f);
    return text;
}

/* --- both, side by side --- */

static void describe(const setting *how, const char *list, char out[512])
{
    char kinds[160] = "";
    for (int k = 0; k < LETHE_PII_LIST; k++)
        if (how->kinds >> k & 1) strcat(strcat(kinds, *kinds ? "," : ""), lethe_pii_names[k]);
    snprintf(out, 512, "kinds=%s action=%s%s%s", kinds, how->drop ? "drop" : "mask",
             how->listed ? " list=" : "", how->listed ? list : "");
}

static void write_log(const ground *g, const row *rows, size_t n)
{
    FILE *f = fopen(g->log, "w");
    for (size_t i = 0; i < n; i++) {
        char rank[16] = "";
        if (rows[i].rank) snprintf(rank, sizeof rank, "%d", rows[i].rank);
        fprintf(f, "%zu\t%s\t2006-03-01 10:00:%02zu\t%s\t%s\n", rows[i].user, rows[i].query,
                rows[i].second, rank, rows[i].url);
    }
    fclose(f);
}

static int64_t figure(const lethe_json *report, const char *name)
{
    return lethe_json_int(lethe_json_get(lethe_json_get(report, "metrics"), name));
}

static int64_t counted(const lethe_json *report, const char *name)
{
    return lethe_json_int(lethe_json_get(lethe_json_get(report, "counts"), name));
}

/* Runs the job with standard output in a file; what came there, malloc'd. */
static char *printed(const ground *g, lethe_ctx *ctx, const lethe_release_job *job,
                     lethe_json_doc *doc, lethe_json **report, lethe_err *err)
{
    char path[320];
    snprintf(path, sizeof path, "%s/stdout", g->dir);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO), fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (kept < 0 || fd < 0 || dup2(fd, STDOUT_FILENO) < 0) abort();
    *err = lethe_release_make(ctx, job, doc, report);
    if (dup2(kept, STDOUT_FILENO) < 0) abort();
    close(kept);
    close(fd);
    char *text = g_read(path);
    unlink(path);
    return text;
}

static void check_report(const lethe_json *report, const setting *how, const expected *e, size_t n,
                         uint64_t seed)
{
    const lethe_json *found = lethe_json_get(lethe_json_get(report, "metrics"), "found");
    bool ok = figure(report, "rows_dropped") == (int64_t)e->rows_dropped &&
              figure(report, "urls_cut") == (int64_t)e->urls_cut &&
              figure(report, "urls_dropped") == (int64_t)e->urls_dropped &&
              counted(report, "read") == (int64_t)n && counted(report, "rejected") == 0 &&
              counted(report, "published") == (int64_t)e->n &&
              counted(report, "suppressed") == (int64_t)e->rows_dropped;
    for (int k = 0; k < LETHE_N_PII; k++) {
        const lethe_json *v = lethe_json_get(found, lethe_pii_names[k]);
        bool asked = k == LETHE_PII_LIST ? how->listed : how->kinds >> k & 1;
        ok = ok && !v == !asked && lethe_json_int(v) == (int64_t)e->found[k];
    }
    if (!ok) {
        char *text = lethe_json_write(report, 2, NULL);
        fail_msg("seed %llu: figures differ\n%s", (unsigned long long)seed, text);
    }
}

static void run_one(ground *g, lethe_ctx *ctx, const setting *how, const expected *e, size_t n,
                    bool stream, uint64_t seed)
{
    const char *inputs[] = {g->log};
    char options[512];
    steps s = {0};
    describe(how, g->key, options);
    s_add(&s, &lethe_method_scrub, options);
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing.urls = how->urls;
    if (stream) job.out = "-";
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    lethe_err err;
    char *got, *want = joined(e, !stream);
    g->said[0] = '\0';
    if (stream) {
        got = printed(g, ctx, &job, doc, &report, &err);
    } else {
        err = lethe_release_make(ctx, &job, doc, &report);
        got = g_data(g);
    }
    if (err != (e->n ? LETHE_OK : LETHE_ANSWER_NO))
        fail_msg("seed %llu: %s: %s", (unsigned long long)seed, lethe_err_name(err), g->said);
    if ((e->n || stream) && strcmp(got, want) != 0)
        fail_msg("seed %llu: %s\n--- wanted\n%s--- got\n%s", (unsigned long long)seed, options,
                 want, got);
    check_report(report, how, e, n, seed);
    if (!stream && e->n) {
        lethe_json *verdict = NULL;
        assert_int_equal(lethe_release_verify(ctx, g->out, NULL, doc, &verdict), LETHE_OK);
        g_remove(g->out);
    }
    free(got);
    free(want);
    lethe_json_doc_free(doc);
}

static setting draw(uint64_t *seed)
{
    static const lethe_urls kinds[] = {LETHE_URLS_KEEP, LETHE_URLS_HOST, LETHE_URLS_DROP};
    setting s = {.kinds = LETHE_PII_ALL,
                 .drop = o_below(seed, 4) == 0,
                 .listed = o_below(seed, 3) == 0,
                 .urls = kinds[o_below(seed, 3)]};
    if (o_below(seed, 2)) s.kinds = 1 + (unsigned)o_below(seed, LETHE_PII_ALL);
    return s;
}

static void logs_come_out_as_the_oracle_says(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    static row rows[MAX_ROWS];
    ground g;
    lethe_ctx *ctxs[3];
    lethe_phrases *phrases = NULL;
    size_t masked = 0, cut = 0, gone = 0;
    g_begin(&g);
    g_write(g.key, "Jack Arnold\nlilburn\n");
    assert_int_equal(lethe_phrases_memory(NULL, LETHE_LIT("Jack Arnold\nlilburn\n"), &phrases),
                     LETHE_OK);
    for (size_t k = 0; k < 3; k++)
        ctxs[k] = g_ctx(&g, threads[k]);
    for (uint64_t number = 1; number <= N_LOGS; number++) {
        uint64_t seed = number * 1000003;
        expected e = {0};
        size_t n = make_rows(&seed, rows);
        setting how = draw(&seed);
        lethe_detector d = {.kinds = how.kinds, .phrases = how.listed ? phrases : NULL};
        for (size_t i = 0; i < n; i++)
            expect_row(&d, &how, &rows[i], &e);
        write_log(&g, rows, n);
        for (size_t k = 0; k < 3; k++) {
            run_one(&g, ctxs[k], &how, &e, n, false, number);
            run_one(&g, ctxs[k], &how, &e, n, true, number);
        }
        for (int k = 0; k < LETHE_N_PII; k++)
            masked += e.found[k];
        cut += e.urls_cut;
        gone += e.urls_dropped;
        for (size_t i = 0; i < e.n; i++)
            free(e.lines[i]);
    }
    assert_true(masked > N_LOGS && cut > N_LOGS / 2 && gone > N_LOGS / 2); // all of it was tried
    for (size_t k = 0; k < 3; k++)
        lethe_ctx_free(ctxs[k]);
    lethe_phrases_free(phrases);
    g_end(&g);
}

/* --- the checker objects --- */

static bool check_rows(lethe_ctx *ctx, const char *text, unsigned kinds, lethe_err *err)
{
    char path[64];
    bool holds = false;
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *claim = lethe_json_object(doc), *names = lethe_json_array(doc), *why = NULL;
    for (int k = 0; k < LETHE_PII_LIST; k++)
        if (kinds >> k & 1)
            lethe_json_push(doc, names, lethe_json_new_text(doc, lethe_str_of(lethe_pii_names[k])));
    lethe_json_set(doc, claim, "notion", lethe_json_new_text(doc, LETHE_LIT("scrubbed")));
    lethe_json_set(doc, claim, "kinds", names);
    int dirfd = o_folder(path);
    o_write_published(dirfd, text, strlen(text));
    lethe_published p = {.ctx = ctx, .dirfd = dirfd, .shape = LETHE_SHAPE_LOG};
    *err = lethe_notion_scrubbed.check(&p, claim, doc, &holds, &why);
    o_folder_gone(dirfd, path);
    lethe_json_doc_free(doc);
    return holds;
}

/* Into what is clean, one row goes as it was before. */
static void one_row_that_was_not_scrubbed_is_found(void **state)
{
    (void)state;
    static row rows[MAX_ROWS];
    lethe_ctx *ctxs[2] = {o_ctx(1, 0), o_ctx(7, 0)};
    size_t spoilt = 0;
    for (uint64_t number = 1; number <= N_LOGS; number++) {
        uint64_t seed = number * 7777777;
        expected e = {0};
        size_t n = make_rows(&seed, rows), bad = o_below(&seed, n);
        setting how = {.kinds = 1 + (unsigned)o_below(&seed, LETHE_PII_ALL),
                       .urls = LETHE_URLS_KEEP};
        lethe_detector d = {.kinds = how.kinds};
        char query[4 * LONG], *text, *more;
        lethe_err err;
        for (size_t i = 0; i < n; i++)
            expect_row(&d, &how, &rows[i], &e);
        text = joined(&e, false);
        if (!check_rows(ctxs[number % 2], text, how.kinds, &err) || err != LETHE_OK)
            fail_msg("seed %llu: clean rows are objected to", (unsigned long long)number);
        normal(rows[bad].query, strlen(rows[bad].query), query);
        bool in_query = finds(&d, query);
        bool in_url =
            *rows[bad].url && (url_finds(&d, rows[bad].url) ||
                               (how.kinds >> LETHE_PII_URL & 1 && strchr(rows[bad].url, '/') &&
                                !strstr(rows[bad].url, "//")));
        if (asprintf(&more, "%s9\t%s\t\t\t%s\n", text, in_query ? query : "q",
                     in_url ? rows[bad].url : "") < 0)
            abort();
        bool holds = check_rows(ctxs[number % 2], more, how.kinds, &err);
        if (err != LETHE_OK || holds != !(in_query || in_url))
            fail_msg("seed %llu: not seen: %s %s", (unsigned long long)number, query,
                     rows[bad].url);
        spoilt += in_query || in_url;
        free(text);
        free(more);
        for (size_t i = 0; i < e.n; i++)
            free(e.lines[i]);
    }
    assert_true(spoilt > N_LOGS / 8 && spoilt < N_LOGS);
    lethe_ctx_free(ctxs[0]);
    lethe_ctx_free(ctxs[1]);
}

/* --- many blocks --- */

static void streams_keep_the_order_of_the_input(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    enum { N = 60000 };
    ground g;
    char *want = NULL;
    size_t size;
    const char *inputs[] = {g.log};
    g_begin(&g);
    FILE *log = fopen(g.log, "w"), *f = open_memstream(&want, &size);
    fputs(HEADER, f);
    for (size_t i = 0; i < N; i++) {
        bool bad = i % 11 == 3;
        fprintf(log,
                "%zu\ta long text and a number %zu\t2006-03-01 10:00:%02zu\t1\thttp://a.com/%zu\n",
                i * 7919 % 1000, bad ? 10000000 + i : i % 1000, i % 60, i);
        fprintf(f, "%zu\ta long text and a number ", i * 7919 % 1000);
        if (bad)
            fputs("[number]", f);
        else
            fprintf(f, "%zu", i % 1000);
        fprintf(f, "\t2006-03-01 10:00:%02zu\t1\ta.com\n", i % 60);
    }
    fclose(log);
    fclose(f);
    for (size_t k = 0; k < 3; k++) {
        lethe_ctx *ctx = g_ctx(&g, threads[k]);
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *report = NULL;
        lethe_err err;
        steps s = {0};
        s_add(&s, &lethe_method_scrub, "");
        lethe_release_job job = g_job(&g, &s, inputs);
        job.out = "-";
        char *got = printed(&g, ctx, &job, doc, &report, &err);
        assert_int_equal(err, LETHE_OK);
        assert_true(strcmp(got, want) == 0);
        assert_int_equal(counted(report, "published"), N);
        free(got);
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
    free(want);
    g_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_come_out_as_the_oracle_says),
        cmocka_unit_test(one_row_that_was_not_scrubbed_is_found),
        cmocka_unit_test(streams_keep_the_order_of_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
