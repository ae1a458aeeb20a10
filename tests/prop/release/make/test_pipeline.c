/* SPDX-License-Identifier: Apache-2.0 */
/* Thousands of small logs through the whole pipeline, from bytes to bytes, against an oracle that
 * parses nothing (it knows what it wrote), compares every pair of rows, and sorts by strcmp. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "method/method.h"
#include "release_harness.h"
#include "small_wordnet.h"
#include "seeds.h"

static uint64_t next(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static size_t below(uint64_t *seed, size_t n) { return (size_t)(next(seed) % n); }

/* --- what is written, and what should be read --- */

/* One text in several spellings; the first is the normal one. */
static const char *const texts[][4] = {
    {"maps", "MAPS", " maps  ", "Maps"},
    {"new york", "New York", "new   york", "NEW YORK "},
    {"new", "nEw", "new ", " new"},
    {"\xc3\xa9t\xc3\xa9", "\xc3\x89T\xc3\x89", "e\xcc\x81te\xcc\x81", " \xc3\xa9T\xc3\xa9"},
    {"strasse",
     "Stra\xc3\x9f"
     "e",
     "STRASSE", "strasse"},
    {"\xef\xbf\xbdx", "\xffx",
     "\xc3"
     "X",
     "\xef\xbf\xbdx"},
    {"#0123456789abcdef0123456789abcdef", "#0123456789ABCDEF0123456789abcdef",
     " #0123456789abcdef0123456789abcdef", "#0123456789abcdef0123456789abcdef"},
    {"a", "A", "a ", " A "},
};
enum { N_TEXTS = sizeof texts / sizeof *texts };

typedef struct row {
    char user[16];
    const char *text; /* normal */
    int day, hour, second;
    int rank; /* 0: no click */
    size_t url;
} row;

typedef struct logged {
    char *bytes;
    row rows[80];
    size_t n_rows, n_lines, n_empty, n_rejected;
} logged;

static const char *const urls[] = {"http://www.a.com/x?q=1", "https://B.org/",
                                   "http://a.com:8080/p"};
static const char *const hosts[] = {"www.a.com", "b.org", "a.com"};

static void write_time(FILE *f, const row *r, size_t form)
{
    static const int first_day = 13208; /* of March 2006 */
    long long t = (long long)(first_day + r->day) * 86400 + r->hour * 3600 + r->second;
    switch (form) {
    case 0:
        fprintf(f, "2006-03-%02d %02d:%02d:%02d", r->day + 1, r->hour, r->second / 60,
                r->second % 60);
        break;
    case 1:
        fprintf(f, "2006-03-%02dT%02d:%02d:%02d.250Z", r->day + 1, r->hour, r->second / 60,
                r->second % 60);
        break;
    case 2:
        fprintf(f, "%lld", t);
        break;
    case 3:
        fprintf(f, "%lld999", t);
        break;
    default:
        fprintf(f, "0603%02d%02d%02d%02d", r->day + 1, r->hour, r->second / 60, r->second % 60);
        break;
    }
}

static void write_row(FILE *f, uint64_t *seed, const row *r, size_t text, size_t form,
                      const char *end)
{
    fprintf(f, "%s\t%s\t", r->user, texts[text][below(seed, 4)]);
    write_time(f, r, form);
    if (r->rank)
        fprintf(f, "\t%d\t%s%s", r->rank, urls[r->url], end);
    else
        fprintf(f, "%s%s", below(seed, 2) ? "\t\t" : "", end);
}

static logged make_log(uint64_t *seed)
{
    static const char *const bad[] = {"1\tmaps",
                                      "1\tmaps\t2006-02-30 10:00:00",
                                      "\tmaps\t2006-03-01 10:00:00",
                                      "1\tmaps\t2006-03-01 10:00:00\tfirst\t",
                                      "1\tma\x01ps\t2006-03-01 10:00:00\t\t\tsix",
                                      ""};
    logged l = {0};
    size_t size, n = 10 + below(seed, 70), n_users = 1 + below(seed, 6),
                 n_texts = 1 + below(seed, N_TEXTS), form = below(seed, 5);
    const char *end = below(seed, 4) ? "\n" : "\r\n";
    FILE *f = open_memstream(&l.bytes, &size);
    if (below(seed, 2))
        fprintf(f, "%sAnonID\tQuery\tQueryTime%s", below(seed, 2) ? "" : "\xef\xbb\xbf", end);
    for (size_t i = 0; i < n; i++, l.n_lines++) {
        size_t kind = i == 0 ? 1 : below(seed, 20); // the first line must not look like a header
        if (kind == 0 && (l.n_rejected + 1) * 10 <= n) {
            fprintf(f, "%s%s", bad[below(seed, sizeof bad / sizeof *bad)], end);
            l.n_rejected++;
        } else if (kind == 2) {
            fprintf(f, "7\t%s\t2006-03-01 10:00:00%s", below(seed, 2) ? "" : " \x01 ", end);
            l.n_empty++;
        } else {
            row *r = &l.rows[l.n_rows];
            size_t a = below(seed, n_texts), b = below(seed, n_texts), text = a < b ? a : b;
            *r = (row){.text = texts[text][0],
                       .day = (int)below(seed, 3),
                       .hour = (int)below(seed, 2) * 23,
                       .second = (int)below(seed, 3) * 1799,
                       .url = below(seed, 3)};
            if (l.n_rows > 0 && below(seed, 5) == 0) { // another click of the same query
                *r = l.rows[l.n_rows - 1];
                for (text = 0; r->text != texts[text][0];)
                    text++;
            } else {
                snprintf(r->user, sizeof r->user, "%zu", below(seed, n_users) + 9);
            }
            r->rank = below(seed, 3) ? 0 : 1 + (int)below(seed, 30);
            write_row(f, seed, r, text, form, i + 1 == n && below(seed, 3) == 0 ? "" : end);
            l.n_rows++;
        }
    }
    fclose(f);
    return l;
}

/* --- what should come out --- */

enum by { USERS, QUERIES, ROWS };

/* Published times of both, as far as they tell them apart. */
static bool same_time(const row *a, const row *b, lethe_times cut)
{
    if (cut == LETHE_TIMES_DROP) return true;
    if (a->day != b->day) return false;
    if (cut == LETHE_TIMES_DAY) return true;
    // 1799 * 2 seconds stay within the hour
    return a->hour == b->hour && (cut == LETHE_TIMES_HOUR || a->second == b->second);
}

static size_t count_of(const row *rows, size_t n, const char *text, enum by by, lethe_times cut)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        bool counts = rows[i].text == text;
        for (size_t j = 0; counts && by != ROWS && j < i; j++)
            if (rows[j].text == text && strcmp(rows[j].user, rows[i].user) == 0)
                counts = by == QUERIES && !same_time(&rows[j], &rows[i], cut);
        found += counts;
    }
    return found;
}

static size_t keep_common(row *rows, size_t n, size_t t, enum by by, lethe_times cut)
{
    row kept[80];
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (count_of(rows, n, rows[i].text, by, cut) >= t) kept[k++] = rows[i];
    memcpy(rows, kept, k * sizeof *rows);
    return k;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* By characters above 0x7f too: strcmp compares as unsigned char. */
static char *expected(const row *rows, size_t n, lethe_times cut, lethe_urls how)
{
    char *lines[80], *text = NULL;
    size_t size;
    for (size_t i = 0; i < n; i++) {
        const row *r = &rows[i];
        char when[64] = "", click[64] = "\t";
        int m = r->second / 60, s = r->second % 60;
        if (cut == LETHE_TIMES_EXACT)
            snprintf(when, sizeof when, "2006-03-%02d %02d:%02d:%02d", r->day + 1, r->hour, m, s);
        if (cut == LETHE_TIMES_HOUR)
            snprintf(when, sizeof when, "2006-03-%02d %02d", r->day + 1, r->hour);
        if (cut == LETHE_TIMES_DAY) snprintf(when, sizeof when, "2006-03-%02d", r->day + 1);
        if (r->rank && how != LETHE_URLS_DROP)
            snprintf(click, sizeof click, "%d\t%s", r->rank,
                     how == LETHE_URLS_KEEP ? urls[r->url] : hosts[r->url]);
        if (asprintf(&lines[i], "%s\t%s\t%s\t%s\n", r->user, r->text, when, click) < 0) abort();
    }
    qsort(lines, n, sizeof *lines, compare_lines);
    FILE *f = open_memstream(&text, &size);
    fputs("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n", f);
    for (size_t i = 0; i < n; i++) {
        fputs(lines[i], f);
        free(lines[i]);
    }
    fclose(f);
    return text;
}

/* --- both, side by side --- */

typedef struct setting {
    size_t n_steps, t[2];
    enum by by[2];
    lethe_times times;
    lethe_urls urls;
} setting;

static setting draw(uint64_t *seed)
{
    setting s = {.n_steps = 1 + (below(seed, 4) == 0), .times = (lethe_times)below(seed, 4)};
    static const lethe_urls kinds[] = {LETHE_URLS_KEEP, LETHE_URLS_HOST, LETHE_URLS_DROP};
    s.urls = kinds[below(seed, 3)];
    for (size_t i = 0; i < s.n_steps; i++) {
        s.t[i] = 1 + below(seed, 5);
        s.by[i] = (enum by)below(seed, 3);
    }
    return s;
}

static int64_t counted(const lethe_json *report, const char *name)
{
    return lethe_json_int(lethe_json_get(lethe_json_get(report, "counts"), name));
}

static void check_verified(lethe_ctx *ctx, const ground *g, uint64_t seed)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    if (lethe_release_verify(ctx, g->out, NULL, doc, &report) != LETHE_OK)
        fail_msg("seed %llu: not verified", (unsigned long long)seed);
    lethe_json_doc_free(doc);
}

static void run_one(lethe_ctx *ctx, ground *g, const logged *l, const setting *how, uint64_t seed)
{
    static const char *const names[] = {"users", "queries", "rows"};
    const char *inputs[] = {g->log};
    row rows[80];
    size_t n = l->n_rows;
    steps s = {0};
    memcpy(rows, l->rows, sizeof rows);
    for (size_t i = 0; i < how->n_steps; i++) {
        char words[64];
        snprintf(words, sizeof words, "t=%zu by=%s same=exact clicks=all", how->t[i],
                 names[how->by[i]]);
        s_add(&s, &lethe_method_threshold, words);
        n = keep_common(rows, n, how->t[i], how->by[i], how->times);
    }
    lethe_release_job job = g_job(g, &s, inputs);
    job.publishing.times = how->times;
    job.publishing.urls = how->urls;
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    lethe_err e = lethe_release_make(ctx, &job, doc, &report);
    // a second step may take from the first one's promise only if it takes whole texts, which it
    // does
    if (e != (n ? LETHE_OK : LETHE_ANSWER_NO))
        fail_msg("seed %llu: %s: %s", (unsigned long long)seed, lethe_err_name(e), g->said);
    char *data = g_data(g), *want = n ? expected(rows, n, how->times, how->urls) : NULL;
    if (!data != !want || (want && strcmp(data, want) != 0))
        fail_msg("seed %llu:\n--- wanted\n%s--- got\n%s", (unsigned long long)seed,
                 want ? want : "nothing\n", data ? data : "nothing\n");
    if (n) {
        assert_int_equal(counted(report, "read"), l->n_lines);
        assert_int_equal(counted(report, "published"), n);
        assert_int_equal(counted(report, "rejected"), l->n_rejected);
        assert_int_equal(counted(report, "suppressed"), l->n_empty + l->n_rows - n);
        check_verified(ctx, g, seed);
        g_remove(g->out);
    }
    assert_string_equal(g_names(g), "log.tsv");
    free(data);
    free(want);
    lethe_json_doc_free(doc);
}

static void logs_come_out_as_the_oracle_says(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2, 7};
    const uint64_t n_logs = seeds(1000);
    ground g;
    lethe_ctx *ctxs[3];
    g_begin(&g);
    for (size_t k = 0; k < 3; k++)
        ctxs[k] = g_ctx(&g, threads[k]);
    for (uint64_t number = 1; number <= n_logs; number++) {
        uint64_t seed = number * 1000003;
        logged l = make_log(&seed);
        setting how = draw(&seed);
        g_write(g.log, l.bytes);
        for (size_t k = 0; k < 3; k++) {
            g.said[0] = '\0';
            run_one(ctxs[k], &g, &l, &how, number);
        }
        free(l.bytes);
    }
    for (size_t k = 0; k < 3; k++)
        lethe_ctx_free(ctxs[k]);
    g_end(&g);
}

int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {cmocka_unit_test(logs_come_out_as_the_oracle_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
