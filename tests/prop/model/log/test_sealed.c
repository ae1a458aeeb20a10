/* SPDX-License-Identifier: Apache-2.0 */
/* Random logs, sealed row by row and opened: exactly the queries with t distinct shares come out,
 * and of them exactly their rows; whatever byte of the file is changed, no query comes out that was
 * not there. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "golden.h"
#include "release_harness.h"
#include "sealed_harness.h"
#include "seeds.h"

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

#define LOGS seeds(1000)
enum { CHANGES = 4, MAX_ROWS = 60, MAX_LINE = 128, DAY = 86400 };

static const char *const texts[] = {"a",
                                    "maps",
                                    "fifteen letters",
                                    "sixteen letters!",
                                    "caf\xc3\xa9 hours",
                                    "numb fingers",
                                    "a query that is rather longer than others"};

typedef struct row {
    char user[8];
    uint32_t query, index;
    int64_t time;
    char opened[MAX_LINE]; /* the line that must come out */
} row;

typedef struct log {
    lethe_sealed_form form;
    int64_t epoch_s;
    row rows[MAX_ROWS];
    size_t n;
    lethe_buf text;
    size_t ends[MAX_ROWS]; /* where each row's line ends in it */
} log;

static ground g;
static lethe_ctx *ctx;
static char target[300];

static int begin(void **state)
{
    (void)state;
    g_begin(&g);
    ctx = g_ctx(&g, 2);
    snprintf(target, sizeof target, "%s/opened.tsv", g.dir);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lethe_ctx_free(ctx);
    g_end(&g);
    return 0;
}

static lethe_rng stream(const char *label, uint64_t index)
{
    lethe_secret *s = NULL;
    assert_int_equal(lethe_secret_from_seed(44, &s), LETHE_OK);
    lethe_rng r = lethe_rng_stream(s, label, index);
    lethe_secret_free(s);
    return r;
}

/* --- a random log --- */

static void log_form(log *l, lethe_rng *r)
{
    l->form = (lethe_sealed_form){.t = 2 + (uint32_t)lethe_rng_below(r, 4)};
    l->form.n = l->form.t + (uint32_t)lethe_rng_below(r, 6);
    l->form.clicks = lethe_rng_below(r, 3) == 0;
    if (lethe_rng_below(r, 3) == 0) {
        l->form.scheme = LETHE_SCHEME_ADDITIVE;
        l->form.n = l->form.t;
    }
    l->epoch_s = lethe_rng_below(r, 3) ? 0 : DAY;
    l->n = 1 + (size_t)lethe_rng_below(r, MAX_ROWS);
}

static void log_row(log *l, size_t i, lethe_rng *r, uint64_t users, const lethe_sealer *s)
{
    row *x = &l->rows[i];
    lethe_sealed_row parsed;
    uint32_t column;
    char time[20], user[8];
    size_t from = l->text.n;
    snprintf(user, sizeof user, "%d", (int)(lethe_rng_below(r, users) % 1000));
    memcpy(x->user, user, sizeof user);
    x->query = (uint32_t)lethe_rng_below(r, LETHE_COUNT(texts));
    x->time = (int64_t)lethe_rng_below(r, 2 * DAY) - DAY;
    sealed_row(&l->text, s, user, texts[x->query], x->time, l->form.clicks ? "7\twww.a.com" : NULL);
    l->ends[i] = l->text.n;
    assert_null(lethe_sealed_parse(
        &l->form, (lethe_str){(char *)l->text.at + from, l->text.n - 1 - from}, &parsed, &column));
    x->index = parsed.index;
    lethe_time_format(x->time, LETHE_TIME_EXACT, time);
    snprintf(x->opened, sizeof x->opened, "%s\t%s\t%s\t%s", user, texts[x->query], time,
             l->form.clicks ? "7\twww.a.com" : "\t");
}

static void log_make(log *l, uint64_t seed)
{
    lethe_rng r = stream("log", seed);
    log_form(l, &r);
    lethe_sealer *s = sealed_by(seed, l->form, l->epoch_s);
    uint64_t users = 1 + lethe_rng_below(&r, 12);
    sealed_begin(&l->text, l->form);
    for (size_t i = 0; i < l->n; i++)
        log_row(l, i, &r, users, s);
    lethe_sealer_free(s);
}

/* --- what must come out --- */

static bool same_query(const log *l, const row *a, const row *b)
{
    bool day = l->epoch_s == 0 || (a->time < 0) == (b->time < 0);
    return day && a->query == b->query;
}

/* By the definition: t distinct shares of its query. */
static bool is_open(const log *l, const row *x)
{
    bool seen[256] = {false};
    uint32_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (!same_query(l, x, &l->rows[i]) || seen[l->rows[i].index]) continue;
        seen[l->rows[i].index] = true;
        n++;
    }
    return n >= l->form.t;
}

static uint32_t users_of(const log *l, const row *x)
{
    uint32_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        bool is = same_query(l, x, &l->rows[i]);
        for (size_t k = 0; k < i && is; k++)
            is = !same_query(l, x, &l->rows[k]) || strcmp(l->rows[k].user, l->rows[i].user) != 0;
        n += is;
    }
    return n;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The lines, sorted; how many. */
static size_t expected(const log *l, const char *lines[MAX_ROWS])
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (is_open(l, &l->rows[i])) lines[n++] = l->rows[i].opened;
    qsort(lines, n, sizeof *lines, by_bytes);
    return n;
}

/* --- opening --- */

/* What comes out, to be freed; NULL: nothing. */
static char *open_text(lethe_str text, lethe_err *e)
{
    const char *const inputs[] = {g.log};
    lethe_open_options o = {.inputs = inputs, .n_inputs = 1, .out = target};
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    FILE *f = fopen(g.log, "w");
    if (!f || fwrite(text.at, 1, text.n, f) != text.n || fclose(f) != 0) abort();
    g.said[0] = '\0';
    *e = lethe_open_sealed(ctx, &o, doc, &report);
    lethe_json_doc_free(doc);
    char *got = g_read(target);
    if ((got != NULL) != (*e == LETHE_OK)) fail_msg("a target without success, or none with it");
    unlink(target);
    return got;
}

static void opening_gives_exactly_what_t_shares_hold(void **state)
{
    (void)state;
    static log l;
    unsigned n_opened = 0, n_nothing = 0;
    for (uint64_t seed = 1; seed <= LOGS; seed++) {
        const char *lines[MAX_ROWS];
        char want[sizeof HEADER + MAX_ROWS * MAX_LINE] = HEADER;
        lethe_err e;
        log_make(&l, seed);
        size_t n = expected(&l, lines), at = sizeof HEADER - 1;
        for (size_t i = 0; i < n; i++)
            at += (size_t)snprintf(want + at, sizeof want - at, "%s\n", lines[i]);
        char *got = open_text((lethe_str){(char *)l.text.at, l.text.n}, &e);
        if (e != (n ? LETHE_OK : LETHE_ANSWER_NO) || (n && strcmp(got, want) != 0))
            fail_msg("seed %d: %s\n%s\nnot\n%s", (int)seed, lethe_err_name(e), got, want);
        for (size_t i = 0; i < l.n; i++) // t shares are t persons at least
            if (is_open(&l, &l.rows[i]) && users_of(&l, &l.rows[i]) < l.form.t)
                fail_msg("seed %d: opened by too few", (int)seed);
        n_opened += n > 0;
        n_nothing += n < l.n;
        free(got);
    }
    assert_true(n_opened > LOGS / 4 && n_nothing > LOGS / 4); // both happen
    lethe_buf_free(&l.text);
}

/* --- a byte is changed --- */

/* The query of a line that came out. */
static lethe_str query_of(const char *line)
{
    const char *from = strchr(line, '\t');
    assert_non_null(from);
    return (lethe_str){from + 1, strcspn(from + 1, "\t")};
}

/* Each line that comes out came out before; but the changed one may have another user, time or
 * click, which nobody locks, never another query. */
static void check_changed(const log *l, char *got, size_t changed, uint64_t seed)
{
    bool taken[MAX_ROWS] = {false};
    unsigned strange = 0;
    char *line = strchr(got, '\n') + 1;
    for (char *lf; (lf = strchr(line, '\n')); line = lf + 1) {
        bool found = false;
        *lf = '\0';
        for (size_t i = 0; i < l->n && !found; i++) {
            found = !taken[i] && is_open(l, &l->rows[i]) && strcmp(line, l->rows[i].opened) == 0;
            taken[i] |= found;
        }
        if (found) continue;
        lethe_str want = lethe_str_of(changed < l->n ? texts[l->rows[changed].query] : "");
        if (++strange > 1 || !lethe_str_eq(query_of(line), want))
            fail_msg("seed %d: a line that was not there: %s", (int)seed, line);
    }
}

static void no_changed_byte_gives_another_query(void **state)
{
    (void)state;
    static log l;
    unsigned n_opened = 0;
    for (uint64_t seed = 1; seed <= LOGS; seed++) {
        lethe_rng r = stream("change", seed);
        log_make(&l, seed);
        for (int i = 0; i < CHANGES; i++) {
            size_t at = (size_t)lethe_rng_below(&r, l.text.n), line = 0;
            static const char likely[] = "0123456789abcdefABCXYZ+/=:\t\n 1";
            uint8_t before = l.text.at[at];
            l.text.at[at] = lethe_rng_below(&r, 4)
                                ? (uint8_t)likely[lethe_rng_below(&r, sizeof likely - 1)]
                                : (uint8_t)lethe_rng_below(&r, 256);
            while (line < l.n && l.ends[line] <= at)
                line++;
            if (at < l.ends[0] && strcspn((char *)l.text.at, "\n") >= at) line = l.n; // the head
            lethe_err e;
            char *got = open_text((lethe_str){(char *)l.text.at, l.text.n}, &e);
            if (e != LETHE_OK && e != LETHE_ANSWER_NO && e != LETHE_EINPUT)
                fail_msg("seed %d: %s", (int)seed, lethe_err_name(e));
            // another t or n in the head may close, never open what is not there
            if (got) check_changed(&l, got, line, seed);
            n_opened += got != NULL;
            free(got);
            l.text.at[at] = before;
        }
    }
    assert_true(n_opened > LOGS);
    lethe_buf_free(&l.text);
}

/* --- every byte of a file --- */

/* "maps" has a share more than it needs, "numb fingers" as many, "a" one too few. */
static const struct {
    const char *query;
    uint32_t index;
} small[] = {{"maps", 1},         {"maps", 2},         {"maps", 3}, {"maps", 3},
             {"numb fingers", 1}, {"numb fingers", 3}, {"a", 2},    {"a", 2},
             {"maps", 1},         {"maps", 2},         {"maps", 2}, {"maps", 2}};

/* A user who has that share of the query. */
static void log_row_with(log *l, size_t i, const lethe_sealer *s, const char *query, uint32_t index)
{
    row *x = &l->rows[i];
    size_t from = l->text.n;
    lethe_sealed_row parsed = {0};
    for (int user = (int)i; parsed.index != index; user += (int)LETHE_COUNT(small)) {
        uint32_t column;
        l->text.n = from;
        snprintf(x->user, sizeof x->user, "%d", user % 100000);
        sealed_row(&l->text, s, x->user, query, 0, NULL);
        assert_null(lethe_sealed_parse(&l->form,
                                       (lethe_str){(char *)l->text.at + from, l->text.n - 1 - from},
                                       &parsed, &column));
    }
    while (strcmp(texts[x->query], query) != 0)
        x->query++;
    x->index = index;
    l->ends[i] = l->text.n;
    snprintf(x->opened, sizeof x->opened, "%s\t%s\t1970-01-01 00:00:00\t\t", x->user, query);
}

static lethe_ctx *two_threads;

/* One thread is quicker with so little. */
static void log_small(log *l)
{
    two_threads = ctx;
    ctx = g_ctx(&g, 1);
    *l = (log){.form = {.t = 2, .n = 3}, .n = LETHE_COUNT(small)};
    lethe_sealer *s = sealed_by(5, l->form, 0);
    sealed_begin(&l->text, l->form);
    for (size_t i = 0; i < l->n; i++)
        log_row_with(l, i, s, small[i].query, small[i].index);
    lethe_sealer_free(s);
}

static void log_small_end(log *l)
{
    lethe_buf_free(&l->text);
    lethe_ctx_free(ctx);
    ctx = two_threads;
}

static void every_byte_of_a_file(void **state)
{
    (void)state;
    static log l;
    unsigned n_opened = 0;
    log_small(&l);
    for (size_t at = 0; at < l.text.n; at++) {
        static const uint8_t flips[] = {0x01, 0x08}; // 'a' becomes '`' and 'i'
        size_t line = 0;
        while (l.ends[line] <= at)
            line++;
        if (at < strcspn((char *)l.text.at, "\n")) line = l.n; // the head
        for (size_t k = 0; k < LETHE_COUNT(flips); k++) {
            lethe_err e;
            l.text.at[at] ^= flips[k];
            char *got = open_text((lethe_str){(char *)l.text.at, l.text.n}, &e);
            if (e != LETHE_OK && e != LETHE_ANSWER_NO && e != LETHE_EINPUT)
                fail_msg("byte %zu: %s", at, lethe_err_name(e));
            if (got) check_changed(&l, got, line, at);
            n_opened += got != NULL;
            free(got);
            l.text.at[at] ^= flips[k];
        }
    }
    assert_true(n_opened > 2000);
    log_small_end(&l);
}

/* The log without the rows that are gone. */
static void want_without(const log *l, const bool *gone, char *want, size_t size)
{
    const char *lines[MAX_ROWS];
    size_t n = 0, at = (size_t)snprintf(want, size, "%s", HEADER);
    for (size_t i = 0; i < l->n; i++)
        if (!gone[i] && is_open(l, &l->rows[i])) lines[n++] = l->rows[i].opened;
    qsort(lines, n, sizeof *lines, by_bytes);
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(want + at, size - at, "%s\n", lines[i]);
}

/* A digit of a share or a box becomes another digit: that row is gone, and no other; but where no
 * share is to spare a wrong one locks its query. */
static void every_digit_of_shares_and_boxes(void **state)
{
    (void)state;
    static log l;
    unsigned n_tried = 0;
    log_small(&l);
    for (size_t at = l.ends[0] - 200, line = 0; line < l.n; at++) {
        const char *start = (char *)l.text.at + (line ? l.ends[line - 1] : 0);
        if (line == 0) start = strchr(strchr(start, '\n') + 1, '\n') + 1;
        const char *share = strchr(strchr(strchr(start, '\t') + 1, '\t') + 1, ':') + 1,
                   *box = share + 65, *c = (char *)l.text.at + at;
        bool in_share = c >= share && c < share + 64, in_box = c >= box && c < box + 42;
        if (in_share || in_box) {
            bool gone[MAX_ROWS] = {false};
            char want[2000];
            lethe_err e;
            uint8_t before = l.text.at[at];
            gone[line] = true;
            for (size_t i = 0; i < l.n; i++)
                if (in_share && strcmp(small[line].query, "numb fingers") == 0)
                    gone[i] |= l.rows[i].query == l.rows[line].query;
            l.text.at[at] = before == '7' ? '8' : '7';
            want_without(&l, gone, want, sizeof want);
            char *got = open_text((lethe_str){(char *)l.text.at, l.text.n}, &e);
            if (e != LETHE_OK || strcmp(got, want) != 0)
                fail_msg("byte %zu: %s\n%s\nnot\n%s", at, lethe_err_name(e), got, want);
            free(got);
            l.text.at[at] = before;
            n_tried++;
        }
        line += at + 1 == l.ends[line];
    }
    assert_int_equal(n_tried, l.n * (64 + 42));
    log_small_end(&l);
}

/* --- how many can be opened --- */

enum { QUERIES = 500 };

/* Seals and opens QUERIES queries of u users each; how many of them were opened. */
static double count_opened(lethe_sealed_form form, int64_t users, uint64_t seed)
{
    const char *const inputs[] = {g.log};
    lethe_open_options o = {.inputs = inputs, .n_inputs = 1, .out = target};
    lethe_sealer *s = sealed_by(seed, form, 0);
    lethe_buf text = {0};
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    sealed_begin(&text, form);
    for (int q = 0; q < QUERIES; q++)
        for (int u = 0; u < users; u++) {
            char user[16], query[16];
            snprintf(user, sizeof user, "%d", u);
            snprintf(query, sizeof query, "q%d", q);
            sealed_row(&text, s, user, query, 0, NULL);
        }
    FILE *f = fopen(g.log, "w");
    if (!f || fwrite(text.at, 1, text.n, f) != text.n || fclose(f) != 0) abort();
    assert_int_equal(lethe_open_sealed(ctx, &o, doc, &report), LETHE_OK);
    const lethe_json *m = lethe_json_get(report, "metrics");
    int64_t opened = lethe_json_int(lethe_json_get(m, "queries_opened"));
    assert_int_equal(opened + lethe_json_int(lethe_json_get(m, "queries_closed")), QUERIES);
    assert_int_equal(lethe_json_int(lethe_json_get(m, "rows_opened")), opened * users);
    unlink(target);
    lethe_json_doc_free(doc);
    lethe_buf_free(&text);
    lethe_sealer_free(s);
    return (double)opened;
}

/* How far from the expected p, squared, in standard deviations; over four of them fails.  The keys
 * are fixed, so it holds or it does not. */
static double expect_share(lethe_sealed_form form, int64_t users, double p, uint64_t seed)
{
    double n = count_opened(form, users, seed), off = n - p * QUERIES,
           variance = p * (1 - p) * QUERIES;
    if (off * off > 16 * variance + 1)
        fail_msg("u=%d t=%u n=%u: %f, not %f", (int)users, form.t, form.n, n / QUERIES, p);
    return variance > 5 ? off * off / variance : -1;
}

/* Of many queries with u users each, as many are opened as the exact probability says, in both
 * schemes; and over the settings where chance has a say they stray as far as it would take them, no
 * more: the squares sum up to chi-square with 38 degrees, under 80 (0.01 %). */
static void as_many_open_as_should(void **state)
{
    (void)state;
    golden gold = golden_open("adar");
    const lethe_json *rows = golden_array(golden_vector(&gold, "adar-05"), "expected");
    double sum = 0;
    unsigned n = 0, n_additive = 0;
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *v = lethe_json_at(rows, i);
        int64_t users = golden_int(v, "users");
        lethe_sealed_form form = {.t = (uint32_t)golden_int(v, "t"),
                                  .n = (uint32_t)golden_int(v, "n")};
        fraction p = golden_fraction(v, "p");
        for (int scheme = 0; scheme < (form.t == form.n ? 2 : 1); scheme++) {
            form.scheme = (lethe_scheme)scheme;
            double off = expect_share(form, users, (double)p.num / (double)p.den,
                                      100 + 2 * i + (size_t)scheme);
            n_additive += scheme == LETHE_SCHEME_ADDITIVE;
            if (off >= 0) {
                sum += off;
                n++;
            }
        }
    }
    assert_int_equal(n, 38);
    assert_int_equal(n_additive, 16);
    assert_true(sum < 80);
    golden_close(&gold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_gives_exactly_what_t_shares_hold),
        cmocka_unit_test(no_changed_byte_gives_another_query),
        cmocka_unit_test(every_byte_of_a_file),
        cmocka_unit_test(every_digit_of_shares_and_boxes),
        cmocka_unit_test(as_many_open_as_should),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
