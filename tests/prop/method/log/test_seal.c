/* SPDX-License-Identifier: Apache-2.0 */
/* seal and open, through the calls that the program makes: what opens is exactly what has t
 * different shares, under any t, n, scheme, epoch and number of threads. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "core/rng.h"
#include "method/method.h"
#include "release_harness.h"
#include "seeds.h"

#define CASES seeds(250)
enum { ROWS = 60, DAY = 86400 };

/* A row of the log as it was made, and what the sealed file says of it. */
typedef struct asked {
    unsigned user, query;
    int64_t second;
    char id[33];
    unsigned index;
    char *line; /* as `open` should write it */
} asked;

typedef struct trial {
    ground g;
    unsigned n, t, shares, queries, users;
    bool additive, clicks;
    int epoch_days; /* 0: none */
    asked at[ROWS];
} trial;

static const char *const texts[] = {"a",
                                    "maps",
                                    "maps ",
                                    "weather in paris",
                                    "0123456789abcde",
                                    "0123456789abcdef",
                                    "\xc3\xa9t\xc3\xa9",
                                    "ann lee",
                                    "x\"y'z",
                                    "a b c d e f g h i j k l m n o p q r s t u v w x y z"};

static const char *text_of(unsigned query) { return texts[query % LETHE_COUNT(texts)]; }

/* Each row has a second of its own, by which it is found again. */
static void log_make(trial *t, lethe_rng *rng)
{
    FILE *f = fopen(t->g.log, "w");
    for (unsigned i = 0; i < t->n; i++) {
        asked *r = &t->at[i];
        r->user = (unsigned)lethe_rng_below(rng, t->users);
        r->query = (unsigned)lethe_rng_below(rng, t->queries);
        r->second = (int64_t)i + DAY * (int64_t)lethe_rng_below(rng, 6);
        fprintf(f, "u%u\t%s\t%lld\t%s\n", r->user, text_of(r->query),
                (long long)(1141171200 + r->second), i % 3 ? "\t" : "2\thttp://h.example/p");
    }
    assert_int_equal(fclose(f), 0);
}

static void options_write(const trial *t, char out[256])
{
    int n = snprintf(out, 256, "t=%u scheme=%s", t->t, t->additive ? "additive" : "shamir");
    if (!t->additive) n += snprintf(out + n, 256 - (size_t)n, " n=%u", t->shares);
    if (t->epoch_days) n += snprintf(out + n, 256 - (size_t)n, " epoch=%dd", t->epoch_days);
    if (t->clicks) snprintf(out + n, 256 - (size_t)n, " keep-clicks=");
}

static lethe_err seal(trial *t, unsigned threads, const char *key)
{
    char options[256];
    steps s = {0};
    lethe_json *report = NULL;
    options_write(t, options);
    s_add(&s, &lethe_method_seal, options);
    const char *inputs[] = {t->g.log};
    lethe_release_job job = g_job(&t->g, &s, inputs);
    job.publishing.key_file = key;
    job.publishing.force = true;
    lethe_ctx *ctx = g_ctx(&t->g, threads);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_err e = lethe_release_make(ctx, &job, doc, &report);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return e;
}

static lethe_err open_it(trial *t, unsigned threads, const char *to)
{
    const char *inputs[] = {t->g.out};
    lethe_open_options o = {.inputs = inputs, .n_inputs = 1, .out = to, .force = true};
    lethe_ctx *ctx = g_ctx(&t->g, threads);
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *report = NULL;
    lethe_err e = lethe_open_sealed(ctx, &o, doc, &report);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    return e;
}

/* The second of the hour's clock in a line's time column tells which row it is. */
static asked *asked_at(trial *t, const char *time)
{
    int y, mo, d, h, mi, s;
    assert_int_equal(sscanf(time, "%d-%d-%d %d:%d:%d", &y, &mo, &d, &h, &mi, &s), 6);
    unsigned i = (unsigned)(h * 3600 + mi * 60 + s);
    assert_true(i < t->n);
    return &t->at[i];
}

/* Reads the sealed file by its columns alone, as a stranger would. */
static void sealed_note(trial *t)
{
    char *data = g_data(&t->g), *save = NULL;
    unsigned rows = 0;
    assert_non_null(data);
    strtok_r(data, "\n", &save);
    strtok_r(NULL, "\n", &save);
    for (char *line = strtok_r(NULL, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *column[7] = {line};
        int n = 1;
        for (char *p = line; *p && n < 7; p++)
            if (*p == '\t') {
                *p = '\0';
                column[n++] = p + 1;
            }
        assert_int_equal(n, t->clicks ? 7 : 5);
        asked *r = asked_at(t, column[4]);
        char user[16];
        snprintf(user, sizeof user, "u%u", r->user);
        assert_string_equal(column[0], user);
        assert_int_equal(strlen(column[1]), 32);
        strcpy(r->id, column[1]);
        r->index = (unsigned)atoi(column[2]);
        assert_in_range(r->index, 1, t->additive ? t->t : t->shares);
        rows++;
    }
    assert_int_equal(rows, t->n);
    free(data);
}

static bool same_box(const trial *t, const asked *a, const asked *b)
{
    int64_t span = (int64_t)t->epoch_days * DAY, start = 1141171200;
    bool epoch = !t->epoch_days || (a->second + start) / span == (b->second + start) / span;
    return epoch && strcmp(text_of(a->query), text_of(b->query)) == 0;
}

/* "maps " is "maps" once it is normalised. */
static size_t trimmed(const char *text)
{
    size_t n = strlen(text);
    return n - (text[n - 1] == ' ');
}

static bool same_text(const asked *a, const asked *b)
{
    const char *x = text_of(a->query), *y = text_of(b->query);
    return trimmed(x) == trimmed(y) && memcmp(x, y, trimmed(x)) == 0;
}

static void ids_are_classes(trial *t)
{
    for (unsigned i = 0; i < t->n; i++)
        for (unsigned j = 0; j < i; j++) {
            const asked *a = &t->at[i], *b = &t->at[j];
            asked c = *b;
            c.query = a->query;
            bool one = same_text(a, b) && same_box(t, a, &c);
            assert_int_equal(strcmp(a->id, b->id) == 0, one);
            if (same_text(a, b) && a->user == b->user) assert_int_equal(a->index, b->index);
        }
}

static bool opens(const trial *t, const asked *r)
{
    bool seen[256] = {false};
    unsigned n = 0;
    for (unsigned i = 0; i < t->n; i++)
        if (strcmp(t->at[i].id, r->id) == 0 && !seen[t->at[i].index]) {
            seen[t->at[i].index] = true;
            n++;
        }
    return n >= t->t;
}

static void opened_check(trial *t, char *opened, bool nothing)
{
    bool found[ROWS] = {false};
    char *save = NULL;
    if (opened) strtok_r(opened, "\n", &save);
    for (char *line = opened ? strtok_r(NULL, "\n", &save) : NULL; line;
         line = strtok_r(NULL, "\n", &save)) {
        char *query = strchr(line, '\t'), *time = query ? strchr(query + 1, '\t') : NULL;
        assert_non_null(time);
        *query++ = '\0';
        *time++ = '\0';
        asked *r = asked_at(t, time), shown = *r;
        assert_false(found[r - t->at]);
        found[r - t->at] = true;
        assert_true(atoi(line + 1) == (int)r->user);
        for (shown.query = 0; shown.query < LETHE_COUNT(texts); shown.query++)
            if (strcmp(text_of(shown.query), query) == 0) break;
        assert_true(shown.query < LETHE_COUNT(texts) && same_text(r, &shown));
    }
    unsigned n = 0;
    for (unsigned i = 0; i < t->n; i++) {
        assert_int_equal(found[i], opens(t, &t->at[i]));
        n += found[i];
    }
    assert_int_equal(nothing, n == 0);
}

static void trial_run(uint64_t seed)
{
    trial *t = calloc(1, sizeof *t);
    lethe_secret *secret;
    char path[320];
    static const char keys[2][33] = {"0123456789abcdef0123456789abcdef",
                                     "another key of thirty-two bytes!"};
    assert_int_equal(lethe_secret_from_seed(seed, &secret), LETHE_OK);
    lethe_rng rng = lethe_rng_stream(secret, "seal", 0);
    g_begin(&t->g);
    t->n = 1 + (unsigned)lethe_rng_below(&rng, ROWS);
    t->t = 2 + (unsigned)lethe_rng_below(&rng, 4);
    t->shares = t->t + (unsigned)lethe_rng_below(&rng, lethe_rng_below(&rng, 2) ? 250 : 8);
    t->shares = LETHE_MIN(t->shares, 255u);
    t->additive = lethe_rng_below(&rng, 3) == 0;
    t->clicks = lethe_rng_below(&rng, 3) == 0;
    t->queries = 1 + (unsigned)lethe_rng_below(&rng, LETHE_COUNT(texts));
    t->users = 1 + (unsigned)lethe_rng_below(&rng, 12);
    t->epoch_days = lethe_rng_below(&rng, 2) ? 0 : 1 + (int)lethe_rng_below(&rng, 4);
    log_make(t, &rng);
    g_write(t->g.key, keys[0]);
    assert_int_equal(chmod(t->g.key, 0600), 0);
    assert_int_equal(seal(t, 1, t->g.key), LETHE_OK);
    char *first = g_data(&t->g);
    sealed_note(t);
    ids_are_classes(t);
    snprintf(path, sizeof path, "%s/opened", t->g.dir);
    lethe_err e = open_it(t, 2, path);
    assert_true(e == LETHE_OK || e == LETHE_ANSWER_NO);
    char *opened = e == LETHE_OK ? g_read(path) : NULL;
    opened_check(t, opened, e == LETHE_ANSWER_NO);
    // the same key gives the same bytes, another none of them
    assert_int_equal(seal(t, 7, t->g.key), LETHE_OK);
    char *again = g_data(&t->g);
    assert_string_equal(first, again);
    g_write(t->g.key, keys[1]);
    assert_int_equal(seal(t, 2, t->g.key), LETHE_OK);
    char *other = g_data(&t->g);
    for (unsigned i = 0; i < t->n; i++)
        assert_null(strstr(other, t->at[i].id));
    free(first);
    free(again);
    free(other);
    free(opened);
    g_end(&t->g);
    lethe_secret_free(secret);
    free(t);
}

static uint64_t seed;

static void what_opens_is_what_has_t_shares(void **state)
{
    (void)state;
    for (seed = 1; seed <= CASES; seed++)
        trial_run(seed);
}

static int say_where(void **state)
{
    (void)state;
    if (seed <= CASES) print_error("at seed %llu\n", (unsigned long long)seed);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_opens_is_what_has_t_shares, say_where)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
