/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - what is in a log, and how identifying it is.
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, sections 3 to 5 and figures 1 to 3.
 *
 * The log is walked once.  Two sorters bring together what belongs together, a text's users and a
 * URL's users; what they tell of a user meets in people.c.  Everything is counted in whole numbers
 * by each worker and added up, so that the result does not depend on threads or memory. */
#include "measure/measure.h"
#include "io/sort/sorter.h"
#include "measure/people.h"
#include "text/function_words.h"
#include "text/normalize.h"
#include "text/words.h"
#include <xxhash.h>

const uint64_t lethe_survival_t[LETHE_N_SURVIVAL] = {1, 2, 3, 5, 10, 20, 50, 100};

/* Times take five bytes: seconds since the year 1 and one, or 0 where there is none. */
#define TIME_BYTES 5
#define FIRST_TIME INT64_C(-62135596800)

/* A row's count follows its time where it is not 1. */
#define ROWS_BYTES 8

#define N_SEEN 4096
#define SEEN_MAX 31

/* Words met lately.  A word that is still here need not be sorted again. */
struct seen {
    uint8_t n;
    char word[SEEN_MAX];
};

struct worker {
    /* Lines of one query follow each other in most logs: they are held back and put as one. */
    lethe_buf held;    /* query NUL user NUL time; n = 0: nothing held */
    size_t held_query; /* the query's bytes in it */
    uint64_t held_rows;
    lethe_buf click;          /* url NUL user */
    struct seen *seen;        /* N_SEEN, or NULL */
    lethe_buf shape;          /* of a finding */
    lethe_examples *examples; /* by kind, or NULL */
    lethe_profile sums;
    lethe_spread rows, texts, clicks, days; /* over users */
};

struct survey {
    lethe_ctx *ctx;
    const lethe_profile_asked *asked;
    lethe_sorter *texts;  /* query NUL user NUL time [rows] */
    lethe_sorter *clicks; /* url NUL user */
    lethe_sorter *terms;  /* word; NULL: not wanted */
    lethe_people *people;
    unsigned n_workers;
    struct worker **workers;
};

/* --- walking the log --- */

static lethe_err release_held(struct survey *s, unsigned w)
{
    struct worker *k = s->workers[w];
    if (k->held.n == 0) return LETHE_OK;
    if (k->held_rows > 1) {
        lethe_be64_put(k->held.at + k->held.n, k->held_rows);
        k->held.n += ROWS_BYTES;
    }
    lethe_err err = lethe_sorter_put(s->texts, w, k->held.at, k->held.n);
    k->held.n = 0;
    return err;
}

/* Is the row held one of the same query? */
static bool held_is(const struct worker *k, const lethe_row *row, const uint8_t time[TIME_BYTES])
{
    if (k->held.n != row->query.n + row->user.n + 2 + TIME_BYTES)
        return false; /* or nothing held */
    const uint8_t *user = k->held.at + k->held_query + 1;
    return k->held_query == row->query.n && memcmp(user + row->user.n + 1, time, TIME_BYTES) == 0 &&
           memcmp(user, row->user.at, row->user.n) == 0 &&
           memcmp(k->held.at, row->query.at, row->query.n) == 0;
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct survey *s = arg;
    int64_t day = row->time == LETHE_NO_TIME ? LETHE_NO_DAY : lethe_time_day(row->time);
    LETHE_TRY(lethe_people_row(s->people, w, row->user, day));
    if (row->url.n > 0) {
        lethe_buf *b = &s->workers[w]->click;
        size_t n = row->url.n + 1 + row->user.n;
        b->n = 0;
        if (lethe_buf_reserve(b, n) != LETHE_OK) return lethe_no_memory(s->ctx);
        memcpy(b->at, row->url.at, row->url.n);
        b->at[row->url.n] = 0;
        memcpy(b->at + row->url.n + 1, row->user.at, row->user.n);
        s->workers[w]->sums.clicks++;
        LETHE_TRY(lethe_sorter_put(s->clicks, w, b->at, n));
    }
    struct worker *k = s->workers[w];
    uint8_t wide[8];
    const uint8_t *time = wide + 8 - TIME_BYTES;
    assert(row->time == LETHE_NO_TIME || row->time >= FIRST_TIME);
    lethe_be64_put(wide, row->time == LETHE_NO_TIME ? 0 : (uint64_t)(row->time - FIRST_TIME) + 1);
    if (held_is(k, row, time)) {
        k->held_rows++;
        return LETHE_OK;
    }
    LETHE_TRY(release_held(s, w));
    size_t n = row->query.n + row->user.n + 2 + TIME_BYTES;
    if (lethe_buf_reserve(&k->held, n + ROWS_BYTES) != LETHE_OK) return lethe_no_memory(s->ctx);
    uint8_t *at = k->held.at;
    memcpy(at, row->query.at, row->query.n);
    at += row->query.n;
    *at++ = 0;
    memcpy(at, row->user.at, row->user.n);
    at += row->user.n;
    *at++ = 0;
    memcpy(at, time, TIME_BYTES);
    k->held.n = n;
    k->held_query = row->query.n;
    k->held_rows = 1;
    return LETHE_OK;
}

/* --- clicks: distinct URLs, and those of each user --- */

static lethe_err clicks_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    struct survey *s = arg;
    lethe_str record, before = {0};
    size_t n_key = 0; /* the URL and its NUL */
    (void)part;
    for (; lethe_sorted_next(it, &record); before = record) {
        if (before.at && lethe_str_eq(record, before)) continue;
        if (!before.at || record.n < n_key || memcmp(record.at, before.at, n_key) != 0) {
            n_key = (size_t)((const char *)memchr(record.at, 0, record.n) - record.at) + 1;
            s->workers[w]->sums.urls++;
        }
        LETHE_TRY(
            lethe_people_click(s->people, w, (lethe_str){record.at + n_key, record.n - n_key}));
    }
    return lethe_sorted_err(it);
}

/* --- texts: users, queries and rows of each --- */

/* One record, and how much of it is as in the one before. */
struct entry {
    const char *at;
    size_t n_query, n_user; /* with their NULs */
    uint64_t rows;
    bool same_query, same_user, same_time;
};

static size_t through_nul(const char *at, const char *end)
{
    return (size_t)((const char *)memchr(at, 0, (size_t)(end - at)) - at) + 1;
}

/* Records come in order of bytes, so most of them begin as the one before: what is equal up to its
 * NUL need not be searched for it. */
static struct entry entry_of(lethe_str record, const struct entry *before)
{
    struct entry e = {.at = record.at, .rows = 1};
    const char *end = record.at + record.n;
    e.same_query = before->at && record.n > before->n_query &&
                   memcmp(record.at, before->at, before->n_query) == 0;
    e.n_query = e.same_query ? before->n_query : through_nul(record.at, end);
    const char *user = e.at + e.n_query;
    e.same_user = e.same_query && record.n > e.n_query + before->n_user &&
                  memcmp(user, before->at + e.n_query, before->n_user) == 0;
    e.n_user = e.same_user ? before->n_user : through_nul(user, end);
    const char *time = user + e.n_user;
    e.same_time = e.same_user && memcmp(time, before->at + (time - e.at), TIME_BYTES) == 0;
    if (end - time > TIME_BYTES) e.rows = lethe_be64_get((const uint8_t *)time + TIME_BYTES);
    return e;
}

/* The text whose records are coming by. */
struct text {
    uint64_t users, queries, rows;
};

/* Terms are what stands between spaces, whatever it is. */
static lethe_err put_terms(struct survey *s, unsigned w, lethe_str query)
{
    const char *at = query.at, *end = query.at + query.n;
    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at));
        lethe_str term = {at, (size_t)((space ? space : end) - at)};
        at += term.n + 1;
        if (term.n == 0) continue;
        if (term.n <= SEEN_MAX) {
            struct seen *seen = &s->workers[w]->seen[XXH3_64bits(term.at, term.n) % N_SEEN];
            if (seen->n == term.n && memcmp(seen->word, term.at, term.n) == 0) continue;
            seen->n = (uint8_t)term.n;
            memcpy(seen->word, term.at, term.n);
        }
        LETHE_TRY(lethe_sorter_put(s->terms, w, term.at, term.n));
    }
    return LETHE_OK;
}

/* --- personal data --- */

/* Keeps the first few, each once. */
static void example_put(lethe_examples *x, lethe_str shape)
{
    size_t i = 0;
    if (shape.n > LETHE_EXAMPLE_MAX) return;
    while (i < x->n && (x->at[i].n < shape.n ||
                        (x->at[i].n == shape.n && memcmp(x->at[i].text, shape.at, shape.n) < 0)))
        i++;
    if (i == LETHE_N_EXAMPLES) return;
    if (i < x->n && lethe_str_eq((lethe_str){x->at[i].text, x->at[i].n}, shape)) return;
    size_t kept = LETHE_MIN(x->n, (size_t)LETHE_N_EXAMPLES - 1);
    memmove(&x->at[i + 1], &x->at[i], (kept - i) * sizeof *x->at);
    memcpy(x->at[i].text, shape.at, shape.n);
    x->at[i].n = shape.n;
    x->n = kept + 1;
}

/* The last record of a text has been seen: `e`, whose user is its last one. */
static lethe_err text_done(struct survey *s, unsigned w, const struct text *t,
                           const struct entry *e)
{
    lethe_profile *p = &s->workers[w]->sums;
    lethe_str query = {e->at, e->n_query - 1}, user = {e->at + e->n_query, e->n_user - 1};
    LETHE_TRY(lethe_people_text(s->people, w, user, t->users == 1));
    p->all_terms += lethe_count_words(query) * t->queries;
    p->texts_once += t->queries == 1;
    p->texts_le3 += t->queries <= 3;
    p->queries_of_2 += t->queries >= 2 ? t->queries : 0;
    p->queries_of_4 += t->queries >= 4 ? t->queries : 0;
    p->texts_by_users[lethe_bucket_of(t->users)]++;
    p->texts_by_queries[lethe_bucket_of(t->queries)]++;
    for (size_t i = 0; i < LETHE_N_SURVIVAL && t->users >= lethe_survival_t[i]; i++) {
        p->with[i].texts++;
        p->with[i].queries += t->queries;
        p->with[i].rows += t->rows;
    }
    if (s->asked->pii) {
        static const lethe_detector detector = {.kinds = LETHE_PII_EVERY};
        struct worker *k = s->workers[w];
        bool seen[LETHE_PII_LIST] = {false};
        lethe_finding f;
        for (size_t at = 0; lethe_pii_next(&detector, query, at, &f); at = f.at + f.n) {
            if (!seen[f.kind]) k->sums.pii[f.kind] += t->queries;
            seen[f.kind] = true;
            if (!k->examples) continue;
            lethe_str shape;
            if (lethe_pii_shape((lethe_str){query.at + f.at, f.n}, &k->shape, &shape) != LETHE_OK)
                return lethe_no_memory(s->ctx);
            example_put(&k->examples[f.kind], shape);
        }
    }
    lethe_words words = lethe_words_of(query);
    lethe_word word;
    while (s->asked->nouns && lethe_words_next(&words, &word)) {
        if (word.mask) continue;
        p->words += t->queries;
        if (!lethe_is_function_word(word.text) &&
            lethe_wordnet_reduce(s->asked->nouns, word.text) != LETHE_NONE)
            p->nouns += t->queries;
    }
    return s->terms ? put_terms(s, w, query) : LETHE_OK;
}

/* Whether a user is alone with a text is known when the text's next user, or its end, comes. */
static lethe_err texts_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    struct survey *s = arg;
    struct text t = {0};
    struct entry before = {0};
    lethe_str record;
    (void)part;
    while (lethe_sorted_next(it, &record)) {
        struct entry e = entry_of(record, &before);
        if (!e.same_query) {
            if (before.at) LETHE_TRY(text_done(s, w, &t, &before));
            t = (struct text){0};
        } else if (!e.same_user) {
            lethe_str user = {before.at + before.n_query, before.n_user - 1};
            LETHE_TRY(lethe_people_text(s->people, w, user, false));
        }
        t.users += !e.same_user;
        t.queries += !e.same_time;
        t.rows += e.rows;
        before = e;
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (before.at) LETHE_TRY(text_done(s, w, &t, &before));
    return LETHE_OK;
}

static lethe_err terms_part(void *arg, size_t part, unsigned w, lethe_sorted *it)
{
    struct survey *s = arg;
    lethe_str record, before = {0};
    (void)part;
    for (; lethe_sorted_next(it, &record); before = record)
        s->workers[w]->sums.terms += !before.at || !lethe_str_eq(record, before);
    return lethe_sorted_err(it);
}

/* --- users --- */

static lethe_err on_person(void *arg, unsigned w, const lethe_user_sums *person)
{
    struct survey *s = arg;
    struct worker *k = s->workers[w];
    k->sums.users++;
    k->sums.users_alone += person->alone;
    k->sums.users_by_queries[lethe_bucket_of(person->texts)]++;
    k->sums.users_by_clicks[lethe_bucket_of(person->clicks)]++;
    if (lethe_spread_add(&k->rows, person->rows) != LETHE_OK ||
        lethe_spread_add(&k->texts, person->texts) != LETHE_OK ||
        lethe_spread_add(&k->clicks, person->clicks) != LETHE_OK ||
        lethe_spread_add(&k->days, person->days) != LETHE_OK)
        return lethe_no_memory(s->ctx);
    return LETHE_OK;
}

/* --- the whole --- */

/* Shares of the budget.  The texts' sorter holds all rows, the clicks' those with a URL; the terms'
 * comes when the clicks' is gone.  The rest is for reading. */
static lethe_err survey_open(struct survey *s)
{
    bool terms = s->asked->terms;
    uint64_t memory = lethe_ctx_memory(s->ctx);
    s->workers = lethe_alloc_zero(s->n_workers, sizeof *s->workers);
    if (!s->workers) return lethe_no_memory(s->ctx);
    for (unsigned w = 0; w < s->n_workers; w++) {
        struct worker *k = s->workers[w] = lethe_alloc_zero(1, sizeof **s->workers);
        if (k && terms) k->seen = lethe_alloc_zero(N_SEEN, sizeof *k->seen);
        if (k && s->asked->examples)
            k->examples = lethe_alloc_zero(LETHE_PII_LIST, sizeof *k->examples);
        if (!k || (terms && !k->seen) || (s->asked->examples && !k->examples))
            return lethe_no_memory(s->ctx);
    }
    LETHE_TRY(lethe_people_new(s->ctx, memory / 16 * 3, &s->people));
    LETHE_TRY(lethe_sorter_new(s->ctx, LETHE_ORDER_GROUP, memory / 4, &s->clicks));
    return lethe_sorter_new(s->ctx, LETHE_ORDER_GROUP, memory / 2, &s->texts);
}

/* Each sorter is let go before the next pass needs the room. */
static lethe_err survey_count(struct survey *s, lethe_log *log)
{
    bool terms = s->asked->terms;
    lethe_ctx_phase(s->ctx, "reading", 0);
    LETHE_TRY(lethe_log_walk(s->ctx, log, &(lethe_row_visitor){.row = on_row, .arg = s}));
    for (unsigned w = 0; w < s->n_workers; w++)
        LETHE_TRY(release_held(s, w));
    lethe_ctx_phase(s->ctx, "clicks", lethe_sorter_count(s->clicks));
    LETHE_TRY(lethe_sorter_each(s->clicks, clicks_part, s));
    lethe_sorter_free(s->clicks);
    s->clicks = NULL;
    if (terms) {
        uint64_t memory = lethe_ctx_memory(s->ctx);
        LETHE_TRY(lethe_sorter_new(s->ctx, LETHE_ORDER_GROUP, memory / 4, &s->terms));
    }
    lethe_ctx_phase(s->ctx, "texts", lethe_sorter_count(s->texts));
    LETHE_TRY(lethe_sorter_each(s->texts, texts_part, s));
    lethe_sorter_free(s->texts);
    s->texts = NULL;
    if (terms) LETHE_TRY(lethe_sorter_each(s->terms, terms_part, s));
    return lethe_people_each(s->people, on_person, s);
}

_Static_assert(sizeof(lethe_profile) % sizeof(uint64_t) == 0, "sums, one beside the other");

/* All into the first worker's. */
static lethe_err merge(struct survey *s, lethe_profile *out)
{
    lethe_profile_users *per_user = s->asked->per_user;
    lethe_examples *examples = s->asked->examples;
    struct worker *to = s->workers[0];
    for (unsigned w = 1; w < s->n_workers; w++) {
        const struct worker *k = s->workers[w];
        uint64_t *a = (uint64_t *)&to->sums;
        const uint64_t *b = (const uint64_t *)&k->sums;
        for (size_t i = 0; i < sizeof to->sums / sizeof *a; i++)
            a[i] += b[i];
        if (lethe_spread_merge(&to->rows, &k->rows) != LETHE_OK ||
            lethe_spread_merge(&to->texts, &k->texts) != LETHE_OK ||
            lethe_spread_merge(&to->clicks, &k->clicks) != LETHE_OK ||
            lethe_spread_merge(&to->days, &k->days) != LETHE_OK)
            return lethe_no_memory(s->ctx);
    }
    *out = to->sums;
    for (size_t i = 0; examples && i < s->n_workers * (size_t)LETHE_PII_LIST; i++) {
        const lethe_examples *from = &s->workers[i / LETHE_PII_LIST]->examples[i % LETHE_PII_LIST];
        for (size_t j = 0; j < from->n; j++)
            example_put(&examples[i % LETHE_PII_LIST],
                        (lethe_str){from->at[j].text, from->at[j].n});
    }
    if (per_user) {
        *per_user = (lethe_profile_users){
            .rows = lethe_spread_summarize(&to->rows),
            .texts = lethe_spread_summarize(&to->texts),
            .clicks = lethe_spread_summarize(&to->clicks),
            .days = lethe_spread_summarize(&to->days),
        };
    }
    return LETHE_OK;
}

lethe_err lethe_profile_count(lethe_ctx *ctx, lethe_log *log, const lethe_profile_asked *asked,
                              lethe_profile *out)
{
    struct survey s = {.ctx = ctx, .asked = asked, .n_workers = lethe_ctx_threads(ctx)};
    lethe_err err = survey_open(&s);
    if (err == LETHE_OK) err = survey_count(&s, log);
    if (err == LETHE_OK) err = merge(&s, out);
    lethe_sorter_free(s.texts);
    lethe_sorter_free(s.clicks);
    lethe_sorter_free(s.terms);
    lethe_people_free(s.people);
    for (unsigned w = 0; s.workers && w < s.n_workers; w++) {
        struct worker *k = s.workers[w];
        if (!k) continue;
        lethe_buf_free(&k->held);
        lethe_buf_free(&k->click);
        lethe_buf_free(&k->shape);
        lethe_free(k->examples);
        lethe_free(k->seen);
        lethe_spread_free(&k->rows);
        lethe_spread_free(&k->texts);
        lethe_spread_free(&k->clicks);
        lethe_spread_free(&k->days);
        lethe_free(k);
    }
    lethe_free(s.workers);
    return err;
}
