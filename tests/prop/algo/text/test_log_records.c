/* SPDX-License-Identifier: Apache-2.0 */
/* Random small logs with all options, and a real one, against records made the slow way, straight
 * from Definition 5.1: all queries are looked at for every row, all users for every record. */
/* suite: threads */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include "algo/text/log_records.h"
#include "log_oracle.h"
#include "records_text.h"
#include "small_wordnet.h"
#include "seeds.h"
#include "text/words.h"

#define ROUNDS seeds(4000)
enum { WORDS_MAX = 64 };

/* --- terms --- */

/* What a word of the random logs is: a term among words, a noun; neither, but counted; nothing. */
typedef struct known_word {
    const char *text, *noun;
    bool word, mask;
} known_word;

static const known_word known[] = {
    {"cars", "car", true, false},       {"car", "car", true, false},
    {"geese", "goose", true, false},    {"axes", "axis", true, false},
    {"box", "box", true, false},        {"men", "man", true, false},
    {"in", NULL, true, false},          {"does", NULL, true, false},
    {"xyzzy", NULL, true, false},       {"the", NULL, true, false},
    {"caf\xC3\xA9", NULL, true, false}, {"o'brien", NULL, true, false},
    {"[ssn]", NULL, false, true},       {"!!", NULL, false, false},
};

typedef struct terms {
    char at[WORDS_MAX][64];
    size_t n, n_other;
} terms;

/* Of a query made of known words. */
static void known_terms(const char *query, bool nouns, terms *out)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", query);
    out->n = out->n_other = 0;
    for (char *p = strtok(copy, " "); p; p = strtok(NULL, " ")) {
        const known_word *k = known;
        while (strcmp(k->text, p) != 0)
            k++;
        const char *term = !k->word ? NULL : nouns ? k->noun : k->text;
        if (term)
            snprintf(out->at[out->n++], 64, "%s", term);
        else
            out->n_other += k->word || k->mask;
    }
}

/* Of any query, its words as words.h gives them. */
static void any_terms(const char *query, bool nouns, terms *out)
{
    lethe_words w = lethe_words_of(lethe_str_of(query));
    lethe_word word;
    assert_false(nouns);
    out->n = out->n_other = 0;
    while (lethe_words_next(&w, &word)) {
        assert_true(out->n < WORDS_MAX && word.text.n < 64);
        if (word.mask)
            out->n_other++;
        else
            snprintf(out->at[out->n++], 64, "%.*s", (int)word.text.n, word.text.at);
    }
}

/* --- the oracle --- */

typedef struct slow_row {
    uint64_t origin;
    char owner[40], user[40], query[256];
    int64_t time;
    bool clicked;
} slow_row;

typedef struct slow_record {
    uint64_t origin;
    const slow_row *who;
    int64_t first_time;
    char (*items)[64];
    size_t n;
} slow_record;

typedef struct slow {
    slow_row *queries;
    size_t n_queries;
    slow_record *records;
    size_t n_records;
    lethe_log_records_result counts;
    bool nouns, distinct;
    void (*terms)(const char *query, bool nouns, terms *out);
} slow;

static bool same_person(const slow_row *a, const slow_row *b)
{
    return strcmp(a->user, b->user) == 0 && strcmp(a->owner, b->owner) == 0;
}

/* Rows with the same user, query and time are one query. */
static void slow_queries(slow *s, const slow_row *rows, size_t n)
{
    s->queries = calloc(n + 1, sizeof *s->queries);
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < s->n_queries &&
               !(same_person(&s->queries[k], &rows[i]) && s->queries[k].time == rows[i].time &&
                 strcmp(s->queries[k].query, rows[i].query) == 0))
            k++;
        slow_row *q = &s->queries[k];
        if (k == s->n_queries) {
            *q = rows[i];
            s->n_queries++;
        }
        q->clicked |= rows[i].clicked;
        if (rows[i].origin < q->origin) q->origin = rows[i].origin;
    }
    s->counts.queries = s->n_queries;
}

static void slow_clicked(slow *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n_queries; i++)
        if (s->queries[i].clicked) s->queries[kept++] = s->queries[i];
    s->counts.unclicked = s->n_queries - kept;
    s->n_queries = kept;
}

/* By time, those without one first, then by text. */
static bool comes_before(const slow_row *a, const slow_row *b)
{
    bool na = a->time == LETHE_NO_TIME, nb = b->time == LETHE_NO_TIME;
    if (na != nb) return na;
    if (!na && a->time != b->time) return a->time < b->time;
    return strcmp(a->query, b->query) < 0;
}

static void slow_add(slow *s, slow_record *r, const slow_row *q)
{
    terms t;
    s->terms(q->query, s->nouns, &t);
    s->counts.terms += t.n;
    s->counts.other_words += t.n_other;
    r->items = realloc(r->items, (r->n + t.n + 1) * sizeof *r->items);
    for (size_t i = 0; i < t.n; i++) {
        bool again = false;
        for (size_t k = 0; k < r->n && s->distinct; k++)
            again |= strcmp(r->items[k], t.at[i]) == 0;
        if (!again) memcpy(r->items[r->n++], t.at[i], 64);
    }
    if (q->origin < r->origin) r->origin = q->origin;
}

/* The person's queries, earliest first: picked one by one from those that are left. */
static void slow_person(slow *s, const slow_row *who, int64_t gap_s, bool *taken)
{
    const slow_row *before = NULL;
    slow_record *r = NULL;
    for (;;) {
        size_t next = s->n_queries;
        for (size_t i = 0; i < s->n_queries; i++)
            if (!taken[i] && same_person(&s->queries[i], who) &&
                (next == s->n_queries || comes_before(&s->queries[i], &s->queries[next])))
                next = i;
        if (next == s->n_queries) return;
        taken[next] = true;
        const slow_row *q = &s->queries[next];
        bool none = q->time == LETHE_NO_TIME;
        bool pause =
            before && gap_s != LETHE_GAP_ALL &&
            ((before->time == LETHE_NO_TIME) != none || (!none && before->time + gap_s < q->time));
        if (!before || pause) {
            r = &s->records[s->n_records++];
            *r = (slow_record){.origin = UINT64_MAX, .who = who};
        }
        slow_add(s, r, q);
        before = q;
    }
}

static bool record_after(const slow_record *a, const slow_record *b)
{
    if (a->origin != b->origin) return a->origin > b->origin;
    int c = strcmp(a->who->owner, b->who->owner);
    if (c == 0) c = strcmp(a->who->user, b->who->user);
    return c > 0; // a person's own stand by time already
}

static void slow_order(slow *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n_records; i++) {
        if (s->records[i].n > 0)
            s->records[kept++] = s->records[i];
        else
            free(s->records[i].items);
    }
    s->counts.empty = s->n_records - kept;
    s->n_records = kept;
    for (size_t i = 1; i < kept; i++)
        for (size_t k = i; k > 0 && record_after(&s->records[k - 1], &s->records[k]); k--) {
            slow_record swap = s->records[k];
            s->records[k] = s->records[k - 1];
            s->records[k - 1] = swap;
        }
}

static void counts_text(text *t, const lethe_log_records_result *c)
{
    text_add(t, "%llu %llu %llu %llu %llu\n", (unsigned long long)c->queries,
             (unsigned long long)c->unclicked, (unsigned long long)c->terms,
             (unsigned long long)c->other_words, (unsigned long long)c->empty);
}

static void slow_text(const slow *s, text *t)
{
    const char **owners = calloc(s->n_records + 1, sizeof *owners); // in order of appearance
    size_t n_owners = 0;
    for (size_t i = 0; i < s->n_records; i++) {
        const slow_record *r = &s->records[i];
        size_t number = 0;
        while (number < n_owners && strcmp(owners[number], r->who->owner) != 0)
            number++;
        if (number == n_owners) owners[n_owners++] = r->who->owner;
        text_add(t, "%llu %zu=%s:", (unsigned long long)r->origin, number, r->who->owner);
        for (size_t k = 0; k < r->n; k++)
            text_add(t, " %s", r->items[k]);
        text_put(t, "\n", 1);
    }
    counts_text(t, &s->counts);
    free(owners);
}

static char *slow_records(const slow_row *rows, size_t n, const lethe_log_records_options *how,
                          void (*terms_fn)(const char *, bool, terms *))
{
    text t = {0};
    slow s = {.nouns = how->nouns != NULL, .distinct = how->distinct, .terms = terms_fn};
    slow_queries(&s, rows, n);
    if (how->clicked) slow_clicked(&s);
    bool *taken = calloc(s.n_queries + 1, sizeof *taken);
    s.records = calloc(s.n_queries + 1, sizeof *s.records);
    for (size_t i = 0; i < s.n_queries; i++)
        if (!taken[i]) slow_person(&s, &s.queries[i], how->gap_s, taken);
    slow_order(&s);
    slow_text(&s, &t);
    for (size_t i = 0; i < s.n_records; i++)
        free(s.records[i].items);
    free(s.records);
    free(s.queries);
    free(taken);
    return t.at;
}

/* --- what is tested --- */

static char *fast_records(lethe_ctx *ctx, lethe_log *log, const lethe_log_records_options *how)
{
    text t = {0};
    lethe_records *r = NULL;
    lethe_log_records_result counts;
    assert_int_equal(lethe_log_to_records(ctx, log, how, &counts, &r), LETHE_OK);
    assert_null(records_fault(r));
    records_text(&t, r, NULL);
    counts_text(&t, &counts);
    lethe_records_free(r);
    return t.at;
}

typedef struct setting {
    lethe_ctx *ctx[3]; /* 1, 2 and 7 threads */
    outcome said[3];
    lethe_wordnet *nouns;
} setting;

static void setting_begin(setting *s)
{
    static const unsigned threads[] = {1, 2, 7};
    small_wordnet();
    for (size_t i = 0; i < 3; i++)
        s->ctx[i] = records_ctx(&s->said[i], threads[i], (uint64_t)1 << 20);
    assert_int_equal(lethe_wordnet_open(s->ctx[0], NULL, &s->nouns), LETHE_OK);
}

static void setting_end(setting *s)
{
    lethe_wordnet_free(s->nouns);
    for (size_t i = 0; i < 3; i++) {
        lethe_ctx_free(s->ctx[i]);
        outcome_end(&s->said[i]);
    }
}

static void random_query(uint64_t *seed, char out[256])
{
    size_t n = 1 + o_below(seed, 4), used = 0;
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(out + used, 256 - used, "%s%s", i ? " " : "",
                                 known[o_below(seed, LETHE_COUNT(known))].text);
}

/* Rows as a file has them, or as a step may leave them: other users than owners, no times, origins
 * in any order and several times. */
static void random_rows(uint64_t *seed, slow_row *rows, size_t n, bool stored)
{
    size_t n_users = 1 + o_below(seed, 5), n_times = 1 + o_below(seed, 40);
    bool ties = o_below(seed, 4) == 0;
    for (size_t i = 0; i < n; i++) {
        slow_row *r = &rows[i];
        if (i > 0 && o_below(seed, 4) == 0) {
            *r = rows[o_below(seed, i)];
        } else {
            snprintf(r->user, sizeof r->user, "%zu", o_below(seed, n_users));
            snprintf(r->owner, sizeof r->owner, "%s", r->user);
            if (stored && o_below(seed, 2))
                snprintf(r->owner, sizeof r->owner, "p%zu", o_below(seed, 3));
            random_query(seed, r->query);
            r->time = 1141171201 + (int64_t)o_below(seed, n_times) * 10;
            if (stored && o_below(seed, 6) == 0) r->time = LETHE_NO_TIME;
        }
        r->origin = i;
        if (stored && ties) r->origin = o_below(seed, n);
        if (stored && !ties) r->origin = (i * 7919 + 13) % 10007; // distinct, in no order
        r->clicked = o_below(seed, 2);
    }
}

static lethe_log *file_log(lethe_ctx *ctx, const slow_row *rows, size_t n, text *t)
{
    static const lethe_read_options reading = {.format = LETHE_FORMAT_AOL};
    lethe_log *log = NULL;
    for (size_t i = 0; i < n; i++)
        text_add(t, "%s\t%s\t%lld\t\t%s\n", rows[i].user, rows[i].query, (long long)rows[i].time,
                 rows[i].clicked ? "a.com" : "");
    assert_int_equal(lethe_log_memory(ctx, (lethe_str){t->at, t->n}, &reading, &log), LETHE_OK);
    return log;
}

static lethe_log *stored_log(lethe_ctx *ctx, const slow_row *rows, size_t n)
{
    lethe_log *log = NULL;
    assert_int_equal(lethe_log_store(ctx, 1 << 20, &log), LETHE_OK);
    for (size_t i = 0; i < n; i++) {
        lethe_row row = {.origin = rows[i].origin,
                         .owner = lethe_str_of(rows[i].owner),
                         .user = lethe_str_of(rows[i].user),
                         .query = lethe_str_of(rows[i].query),
                         .url = lethe_str_of(rows[i].clicked ? "a.com" : ""),
                         .time = rows[i].time,
                         .rank = LETHE_NO_RANK};
        assert_int_equal(lethe_log_append(log, 0, &row), LETHE_OK);
    }
    return log;
}

static void compare(uint64_t seed, const char *want, char *got)
{
    if (strcmp(want, got) != 0)
        fail_msg("seed %llu\n--- want\n%s--- got\n%s", (unsigned long long)seed, want, got);
    free(got);
}

/* Where places are wanted, each row of a record is in its record: no more and no fewer than its
 * lines, the first of them where it begins, and all of its person. */
static void places_hold(lethe_ctx *ctx, lethe_log *log, const slow_row *rows, size_t n,
                        lethe_log_records_options how)
{
    lethe_records *r = NULL;
    lethe_log_records_result counts;
    how.places = true;
    assert_int_equal(lethe_log_to_records(ctx, log, &how, &counts, &r), LETHE_OK);
    uint64_t *left = calloc(r->n + 1, sizeof *left), *first = calloc(r->n + 1, sizeof *first);
    for (size_t i = 0; i < r->n; i++)
        left[i] = r->lines[i];
    for (size_t i = 0; i < counts.places.n; i++) {
        lethe_row_place at = counts.places.at[i];
        if (i > 0) assert_true(counts.places.at[i - 1].origin <= at.origin);
        assert_true(at.record < r->n && left[at.record]-- > 0);
        if (first[at.record]++ == 0) assert_int_equal(at.origin, r->origin[at.record]);
        size_t k = 0;
        lethe_str owner = lethe_dict_at(r->owners, r->owner_name[r->owner[at.record]]);
        while (k < n &&
               (rows[k].origin != at.origin || !lethe_str_eq(owner, lethe_str_of(rows[k].owner))))
            k++;
        assert_true(k < n);
    }
    for (size_t i = 0; i < r->n; i++)
        assert_int_equal(left[i], 0);
    free(left);
    free(first);
    lethe_free(counts.places.at);
    lethe_records_free(r);
}

static void one_round(setting *s, uint64_t seed)
{
    enum { MOST = 40 };
    uint64_t x = seed;
    slow_row rows[MOST] = {{0}};
    text file = {0};
    size_t n = 1 + o_below(&x, MOST), which = o_below(&x, 3);
    bool stored = o_below(&x, 2);
    random_rows(&x, rows, n, stored);
    lethe_log_records_options how = {
        .gap_s = o_below(&x, 4) == 0 ? LETHE_GAP_ALL : (int64_t)o_below(&x, 12) * 10,
        .clicked = o_below(&x, 2),
        .distinct = o_below(&x, 2),
        .nouns = o_below(&x, 2) ? s->nouns : NULL,
        .merge = o_below(&x, 2), // each synset of these has one word
    };
    char *want = slow_records(rows, n, &how, known_terms);
    lethe_ctx *ctx = s->ctx[which];
    lethe_log *log = stored ? stored_log(ctx, rows, n) : file_log(ctx, rows, n, &file);
    compare(seed, want, fast_records(ctx, log, &how));
    places_hold(ctx, log, rows, n, how);
    lethe_log_free(log);
    free(want);
    free(file.at);
}

static void random_logs_become_the_same_records(void **state)
{
    (void)state;
    setting s;
    setting_begin(&s);
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        one_round(&s, seed);
    setting_end(&s);
}

/* --- the Excite log --- */

typedef struct rows_kept {
    slow_row *at;
    size_t n, cap;
} rows_kept;

static lethe_err keep_row(void *arg, unsigned w, const lethe_row *row)
{
    rows_kept *k = arg;
    (void)w;
    if (k->n == k->cap) {
        k->cap = k->cap * 2 + 64;
        k->at = realloc(k->at, k->cap * sizeof *k->at);
    }
    slow_row *r = &k->at[k->n++];
    *r = (slow_row){.origin = row->origin, .time = row->time, .clicked = row->url.n > 0};
    assert_true(row->user.n < sizeof r->user && row->query.n < sizeof r->query);
    memcpy(r->user, row->user.at, row->user.n);
    memcpy(r->owner, row->owner.at, row->owner.n);
    memcpy(r->query, row->query.at, row->query.n);
    return LETHE_OK;
}

static void a_real_log_becomes_the_same_records(void **state)
{
    (void)state;
    static const lethe_read_options reading = {.format = LETHE_FORMAT_AOL,
                                               .columns = "user=1,time=2,query=3"};
    static const int64_t gaps[] = {0, 60, 1800, LETHE_GAP_ALL};
    const char *folder = getenv("LETHE_DATA");
    char path[512];
    snprintf(path, sizeof path, "%s/excite-small.log.zst", folder ? folder : ".");
    if (access(path, R_OK) != 0) {
        print_message("skipped: no %s\n", path);
        skip();
    }
    const char *paths = path;
    rows_kept rows = {0};
    setting s;
    setting_begin(&s);
    lethe_log *log = NULL;
    assert_int_equal(lethe_log_files(s.ctx[0], &paths, 1, &reading, &log), LETHE_OK);
    lethe_row_visitor keep = {.row = keep_row, .arg = &rows};
    assert_int_equal(lethe_log_walk(s.ctx[0], log, &keep), LETHE_OK);
    assert_int_equal(rows.n, 4501 - 533); // as data/README.md says
    for (size_t g = 0; g < LETHE_COUNT(gaps); g++) {
        lethe_log_records_options how = {.gap_s = gaps[g], .distinct = g % 2};
        char *want = slow_records(rows.at, rows.n, &how, any_terms);
        for (size_t i = 0; i < 3; i++)
            compare((uint64_t)gaps[g], want, fast_records(s.ctx[i], log, &how));
        free(want);
    }
    lethe_log_free(log);
    setting_end(&s);
    free(rows.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_logs_become_the_same_records),
        cmocka_unit_test(a_real_log_becomes_the_same_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
