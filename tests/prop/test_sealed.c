/* Random logs, sealed row by row and opened: exactly the queries with t distinct shares come out,
 * and of them exactly their rows; whatever byte of the file is changed, no query comes out that was
 * not there. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "golden.h"
#include "release_harness.h"
#include "sealed_harness.h"

#define HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

enum { LOGS = 1000, CHANGES = 4, MAX_ROWS = 60, MAX_LINE = 128, DAY = 86400 };

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
    lethe_opening o = {.inputs = inputs, .n_inputs = 1, .out = target};
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
        if (e != (n ? LETHE_OK : LETHE_ENO) || (n && strcmp(got, want) != 0))
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
            if (e != LETHE_OK && e != LETHE_ENO && e != LETHE_EINPUT)
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

/* --- how many can be opened --- */

/* Of many queries with u users each, the share with t distinct indices is the exact probability,
 * within five standard deviations: the keys are fixed, so this holds or it does not. */
static void as_many_open_as_should(void **state)
{
    (void)state;
    enum { QUERIES = 400 };
    golden gold = golden_open("adar");
    const lethe_json *rows = golden_array(golden_vector(&gold, "adar-05"), "expected");
    lethe_buf buf = {0};
    for (size_t i = 0; i < lethe_json_count(rows); i++) {
        const lethe_json *v = lethe_json_at(rows, i);
        int64_t u = golden_int(v, "users");
        lethe_sealed_form form = {.t = (uint32_t)golden_int(v, "t"),
                                  .n = (uint32_t)golden_int(v, "n")};
        double p = lethe_json_real(lethe_json_get(v, "p_float")), n = 0;
        lethe_sealer *s = sealed_by(i, form, 0);
        for (int q = 0; q < QUERIES; q++) {
            bool seen[256] = {false};
            uint32_t distinct = 0;
            for (int64_t k = 0; k < u; k++) {
                char user[16], query[16];
                lethe_seal seal;
                snprintf(user, sizeof user, "%d", (int)k);
                snprintf(query, sizeof query, "q%d", q);
                assert_int_equal(
                    lethe_seal_query(s, lethe_str_of(user), lethe_str_of(query), 0, &buf, &seal),
                    LETHE_OK);
                int index = atoi(seal.share.at);
                distinct += !seen[index];
                seen[index] = true;
            }
            n += distinct >= form.t;
        }
        double off = n / QUERIES - p;
        if (off * off * QUERIES > 25 * p * (1 - p) + 1e-6 * QUERIES)
            fail_msg("u=%d t=%u n=%u: %f, not %f", (int)u, form.t, form.n, n / QUERIES, p);
        lethe_sealer_free(s);
    }
    lethe_buf_free(&buf);
    golden_close(&gold);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_gives_exactly_what_t_shares_hold),
        cmocka_unit_test(no_changed_byte_gives_another_query),
        cmocka_unit_test(as_many_open_as_should),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
