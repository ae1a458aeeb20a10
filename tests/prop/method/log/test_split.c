/* SPDX-License-Identifier: Apache-2.0 */
/* split, and the search for the first similar text, against comparing all pairs. */
/* suite: threads */
#include "split_harness.h"
#include "seeds.h"
#include "method/log/similar.h"

static const char *const edits[] = {"0.2", "0", "0.1", "0.35", "0.6", "1"};
static const char *const overlaps[] = {"0.5", "0", "0.05", "0.3", "0.75", "1"};

static uint64_t millionths(const char *s) { return (uint64_t)(atof(s) * 1e6 + 0.5); }

/* --- texts that are like each other in all the ways there are --- */

static void random_text(char out[64], uint64_t *seed, size_t n_words)
{
    static const char *const words[] = {
        "football", "espn", "farmers", "market", "a",       "seattle",           "guide",
        "recipe",   "the",  "of",      "new",    "zealand", "\xc3\xa9t\xc3\xa9", "b2",
        "yams"};
    static const char *const between[] = {" ", " ", " ", "! ", " + "};
    size_t n = 1 + o_below(seed, 4), len = 0;
    if (o_below(seed, 30) == 0) { /* no word at all */
        snprintf(out, 64, "%.*s", (int)(1 + o_below(seed, 6)), "?!?!+?");
        return;
    }
    for (size_t i = 0; i < n; i++)
        len += (size_t)snprintf(out + len, 64 - len, "%s%s", i ? between[o_below(seed, 5)] : "",
                                words[o_below(seed, n_words)]);
    for (size_t typos = o_below(seed, 4); typos > 0 && len > 2; typos--) {
        size_t at = o_below(seed, len);
        if (!islower((unsigned char)out[at])) continue;
        if (o_below(seed, 2)) {
            out[at] = (char)('a' + o_below(seed, 26));
        } else {
            memmove(out + at, out + at + 1, len - at);
            len--;
        }
    }
    size_t kept = 0; /* in normal form: one space between words, none at either end */
    for (size_t i = 0; out[i]; i++)
        if (out[i] != ' ' || (kept > 0 && out[kept - 1] != ' ')) out[kept++] = out[i];
    out[kept - (kept > 0 && out[kept - 1] == ' ')] = '\0';
    if (out[0] == '\0') strcpy(out, "x");
}

/* --- the search --- */

#define N_USERS seeds(6000)

typedef struct user {
    size_t n;
    char text[120][64];
    uint64_t results[120][3];
    size_t n_results[120];
} user;

static void random_user(user *u, uint64_t *seed)
{
    size_t n_words = 3 + o_below(seed, 13), n_urls = 1 + o_below(seed, 400);
    u->n = 1 + o_below(seed, o_below(seed, 20) == 0 ? 120 : 25);
    for (size_t i = 0; i < u->n; i++) {
        random_text(u->text[i], seed, n_words);
        if (i > 0 && o_below(seed, 8) == 0) strcpy(u->text[i], u->text[o_below(seed, i)]);
        u->n_results[i] = o_below(seed, 4);
        for (size_t k = 0; k < u->n_results[i]; k++)
            u->results[i][k] = o_below(seed, n_urls);
        for (size_t j = 0; j < i; j++) { /* results are those of the text */
            if (strcmp(u->text[j], u->text[i]) != 0) continue;
            u->n_results[i] = u->n_results[j];
            memcpy(u->results[i], u->results[j], sizeof u->results[i]);
        }
    }
}

static bool share_results(const user *u, size_t i, size_t j)
{
    for (size_t a = 0; a < u->n_results[i]; a++)
        for (size_t b = 0; b < u->n_results[j]; b++)
            if (u->results[i][a] == u->results[j][b]) return true;
    return false;
}

/* The first earlier similar one; i: none. */
static size_t first_similar(const user *u, size_t i, sim how)
{
    for (size_t j = 0; j < i; j++)
        if (s_similar(u->text[i], u->text[j], how) || share_results(u, i, j)) return j;
    return i;
}

static void the_first_similar_text_is_found(void **state)
{
    (void)state;
    static user u;
    size_t joined = 0, alone = 0;
    for (uint64_t s = 1; s <= N_USERS; s++) {
        uint64_t seed = s;
        /* mostly as they are by default */
        size_t e = o_below(&seed, 2) ? 0 : o_below(&seed, LETHE_COUNT(edits));
        size_t o = o_below(&seed, 2) ? 0 : o_below(&seed, LETHE_COUNT(overlaps));
        sim how = {millionths(edits[e]), millionths(overlaps[o])};
        random_user(&u, &seed);
        lethe_similar *x = lethe_similar_new(atof(edits[e]), atof(overlaps[o]));
        assert_non_null(x);
        for (int round = 0; round < 2; round++) { /* a cleared one is as good as new */
            uint32_t number[120], n_texts = 0;
            for (size_t i = 0; i < u.n; i++) {
                uint32_t index, first;
                size_t same = 0, want = first_similar(&u, i, how);
                while (strcmp(u.text[same], u.text[i]) != 0)
                    same++;
                assert_int_equal(lethe_similar_add(x, lethe_str_of(u.text[i]), u.results[i],
                                                   u.n_results[i], &index, &first),
                                 LETHE_OK);
                number[i] = same < i ? number[same] : n_texts++;
                uint32_t expected = same < i ? number[same] : want == i ? LETHE_NONE : number[want];
                if (index != number[i] || first != expected)
                    fail_msg("seed %zu, edit %s, overlap %s: text %zu '%s' is %u after %u, not %u",
                             (size_t)s, edits[e], overlaps[o], i, u.text[i], index, first,
                             expected);
                joined += want < i;
                alone += want == i;
            }
            assert_int_equal(lethe_similar_clear(x), LETHE_OK);
        }
        lethe_similar_free(x);
    }
    assert_true(joined > 2 * N_USERS && alone > 2 * N_USERS); /* else nothing was tested */
}

/* --- the method --- */

#define N_LOGS seeds(1200)

static olog random_log(uint64_t *seed)
{
    size_t n_words = 3 + o_below(seed, 13), n_users = 1 + o_below(seed, 4);
    size_t n_urls = 1 + o_below(seed, 60), step = o_below(seed, 3) ? 4000 : 40000;
    bool personas = o_below(seed, 4) == 0;
    olog log = {NULL, 1 + o_below(seed, 60)};
    log.at = calloc(log.n, sizeof(orow));
    for (size_t i = 0; i < log.n; i++) {
        orow *r = &log.at[i];
        if (i > 0 && o_below(seed, 4) == 0) {
            *r = log.at[i - 1]; /* another click */
        } else {
            snprintf(r->owner, sizeof r->owner, "%zu", 7 + o_below(seed, n_users));
            /* an earlier step may have given names, even one to two persons */
            if (personas && o_below(seed, 3) == 0)
                snprintf(r->user, sizeof r->user, "shared");
            else
                snprintf(r->user, sizeof r->user, "%.60s", r->owner);
            random_text(r->query, seed, n_words);
            if (i > 0 && o_below(seed, 3) == 0) strcpy(r->query, log.at[o_below(seed, i)].query);
            r->time = 1141171200 + (int64_t)(o_below(seed, 30) * step / 7 * 3);
            if (o_below(seed, 20) == 0) r->time = LETHE_NO_TIME;
        }
        r->url[0] = '\0';
        r->rank = LETHE_NO_RANK;
        if (o_below(seed, 3) == 0) {
            snprintf(r->url, sizeof r->url, "http://www.%zu.com/", o_below(seed, n_urls));
            if (o_below(seed, 5)) r->rank = 1 + (uint32_t)o_below(seed, 6);
        }
    }
    return log;
}

typedef struct results {
    char url[8][64];
    uint32_t rank[8];
    size_t n;
} results;

static bool before(uint32_t rank, const char *url, const results *r, size_t i)
{
    return rank != r->rank[i] ? rank < r->rank[i] : strcmp(url, r->url[i]) < 0;
}

/* What was clicked for a text, the best `top` (at most 8): all URLs in order, taken one by one. */
static results clicked(const olog *log, const char *text, size_t top)
{
    results out = {.n = 0};
    while (out.n < top) {
        const orow *best = NULL;
        for (size_t i = 0; i < log->n; i++) {
            const orow *r = &log->at[i];
            bool taken = strcmp(r->query, text) != 0 || !r->url[0];
            for (size_t k = 0; k < out.n; k++)
                taken = taken || strcmp(out.url[k], r->url) == 0;
            if (taken) continue;
            if (!best || r->rank < best->rank ||
                (r->rank == best->rank && strcmp(r->url, best->url) < 0))
                best = r;
        }
        if (!best) break;
        strcpy(out.url[out.n], best->url);
        out.rank[out.n] = best->rank;
        if (out.n > 0 && before(out.rank[out.n], out.url[out.n], &out, out.n - 1)) abort();
        out.n++;
    }
    return out;
}

static bool meet(const results *a, const results *b)
{
    for (size_t i = 0; i < a->n; i++)
        for (size_t j = 0; j < b->n; j++)
            if (strcmp(a->url[i], b->url[j]) == 0) return true;
    return false;
}

typedef struct trial {
    size_t by, top;
    int64_t gap_s;
    sim how;
    const char *file; /* of results; NULL: clicks */
} trial;

static olog given; /* what the file of results says, as a log: query, url */

/* In the order in which a user's queries are taken. */
static int by_order(const void *a, const void *b, void *arg)
{
    const olog *log = arg;
    const orow *x = &log->at[*(const size_t *)a], *y = &log->at[*(const size_t *)b];
    int c = strcmp(x->user, y->user);
    if (!c) c = strcmp(x->owner, y->owner);
    if (!c) c = (x->time > y->time) - (x->time < y->time); /* no time is the least */
    return c ? c : strcmp(x->query, y->query);
}

/* persona[i]: the row (in order) that row i's persona begins with. */
static void expect(const olog *log, const trial *t, size_t *persona, size_t *n_personas,
                   size_t *n_queries)
{
    size_t *order = malloc(log->n * sizeof *order), start = 0;
    results *found = calloc(log->n, sizeof *found);
    for (size_t i = 0; i < log->n; i++) {
        order[i] = i;
        found[i] = clicked(t->file ? &given : log, log->at[i].query, t->top);
    }
    qsort_r(order, log->n, sizeof *order, by_order, (void *)log);
    *n_personas = *n_queries = 0;
    for (size_t k = 0; k < log->n; k++) {
        const orow *r = &log->at[order[k]], *l = k ? &log->at[order[k - 1]] : r;
        bool new_user = k == 0 || strcmp(r->user, l->user) || strcmp(r->owner, l->owner);
        bool timeless = t->by != 2 && r->time == LETHE_NO_TIME;
        bool same_query =
            !new_user && !timeless && r->time == l->time && strcmp(r->query, l->query) == 0;
        bool begins = new_user || t->by == 3;
        size_t to = order[k];
        if (new_user) start = k;
        *n_queries += !same_query;
        if (same_query) {
            persona[order[k]] = persona[order[k - 1]];
            continue;
        }
        if (!begins && t->by == 2) {
            begins = true;
            for (size_t j = start; j < k && begins; j++) {
                const orow *e = &log->at[order[j]];
                if (!s_similar(e->query, r->query, t->how) &&
                    !meet(&found[order[j]], &found[order[k]]))
                    continue;
                to = persona[order[j]];
                begins = false;
            }
        } else if (!begins) {
            int64_t first = log->at[persona[order[k - 1]]].time;
            bool no_time = r->time == LETHE_NO_TIME || l->time == LETHE_NO_TIME;
            begins = no_time      ? true
                     : t->by == 0 ? r->time - first >= 86400
                                  : r->time - l->time > t->gap_s;
            if (!begins) to = persona[order[k - 1]];
        }
        persona[order[k]] = to;
        *n_personas += begins;
    }
    free(found);
    free(order);
}

static void same_partition(uint64_t seed, const olog *log, const size_t *persona, char (*names)[17])
{
    for (size_t i = 0; i < log->n; i++) {
        if (strspn(names[i], LETHE_PSEUDONYM_DIGITS) != 16)
            fail_msg("seed %zu: '%s' is no name", (size_t)seed, names[i]);
        for (size_t j = 0; j < i; j++)
            if ((persona[i] == persona[j]) != (strcmp(names[i], names[j]) == 0))
                fail_msg("seed %zu: rows %zu and %zu ('%s', '%s') are %sof one persona",
                         (size_t)seed, i, j, log->at[i].query, log->at[j].query,
                         persona[i] == persona[j] ? "" : "not ");
    }
}

/* A file of results that knows some of the texts; `given` holds the same. */
static void write_results(const char *path, const olog *log, uint64_t *seed)
{
    FILE *f = fopen(path, "w");
    if (!f) abort();
    given = (olog){calloc(2 * log->n + 1, sizeof(orow)), 0};
    for (size_t i = 0; i < log->n; i++) {
        for (size_t k = o_below(seed, 3); k > 0; k--) {
            orow *r = &given.at[given.n];
            strcpy(r->query, log->at[i].query);
            snprintf(r->url, sizeof r->url, "u%zu", o_below(seed, 40));
            r->rank = (uint32_t)given.n++; /* in the file's order */
            fprintf(f, "%s\t%s\n", r->query, r->url);
        }
    }
    fprintf(f, "%s\t%s\n", "some other query", "u1");
    fclose(f);
}

static void check_all(uint64_t s, const olog *log, split_run *h, const trial *t, uint64_t *seed)
{
    const lethe_json *claim = lethe_json_at(h->claims, 0);
    lethe_time_unit unit = (lethe_time_unit)o_below(seed, 4);
    bool yes = false;
    /* without the file nothing is contradicted by interest; with it everything is known */
    assert_int_equal(s_check(h->ctx, log, h->names, unit, claim, t->file, &yes), LETHE_OK);
    if (!yes) fail_msg("seed %zu: a good release is refused, unit %d", (size_t)s, (int)unit);
}

static bool has_time(const olog *log)
{
    for (size_t i = 0; i < log->n; i++)
        if (log->at[i].time != LETHE_NO_TIME) return true;
    return false;
}

static void one_log(uint64_t s)
{
    static const char *const bys[] = {"day", "gap", "interest", "query"};
    static const char *const gaps[] = {"60m", "1s", "3h", "2d"};
    static const int64_t seconds[] = {3600, 1, 10800, 172800};
    uint64_t seed = s;
    char path[64], top[8];
    size_t g = o_below(&seed, 4), e = o_below(&seed, 2) ? 0 : o_below(&seed, LETHE_COUNT(edits));
    size_t o = o_below(&seed, 2) ? 0 : o_below(&seed, LETHE_COUNT(overlaps)), n, n_queries;
    trial t = {.by = o_below(&seed, 2) ? 2 : o_below(&seed, 4),
               .gap_s = seconds[g],
               .top = 1 + o_below(&seed, 8),
               .how = {millionths(edits[e]), millionths(overlaps[o])}};
    olog log = random_log(&seed);
    if (t.by < 2 && !has_time(&log)) log.at[0].time = 1141171200; /* else it is refused */
    snprintf(path, sizeof path, "/tmp/lethe-results-%d", (int)getpid());
    if (t.by == 2 && o_below(&seed, 2)) {
        write_results(path, &log, &seed);
        t.file = path;
    }
    snprintf(top, sizeof top, "%zu", t.top);
    split_setting how = {.by = bys[t.by],
                         .gap = gaps[g],
                         .results = t.file,
                         .top = top,
                         .edit = edits[e],
                         .overlap = overlaps[o],
                         .memory_bytes = o_below(&seed, 2) ? 1 << 20 : 0,
                         .threads = (unsigned[]){1, 2, 7}[o_below(&seed, 3)]};
    size_t *persona = calloc(log.n, sizeof *persona);
    split_run h;
    expect(&log, &t, persona, &n, &n_queries);
    assert_int_equal(s_run(&h, &log, &how), LETHE_OK);
    assert_int_equal(h.n_emitted, log.n);
    assert_false(h.changed);
    same_partition(s, &log, persona, h.names);
    assert_int_equal(s_figure(&h, "personas"), n);
    double per = lethe_json_real(lethe_json_get(h.metrics, "queries_per_persona"));
    assert_true(per == (double)n_queries / (double)n);
    check_all(s, &log, &h, &t, &seed);
    s_end_all(&h);
    if (t.file) {
        unlink(path);
        o_free(&given);
    }
    free(persona);
    o_free(&log);
}

static void personas_are_those_of_all_pairs(void **state)
{
    (void)state;
    for (uint64_t s = 1; s <= N_LOGS; s++)
        one_log(s);
}

/* --- the checker against all that could have been --- */

/* A user with a few queries at published times; is there an instant for each that keeps the
 * promise? Tried out, an instant being one of few in its span. */
#define SPAN 4 /* what stands for a day's or an hour's seconds, in tried instants */

static bool could_be(const int64_t *cell, size_t n, bool day, int64_t span, int64_t gap)
{
    size_t ways = 1;
    for (size_t i = 0; i < n; i++)
        ways *= SPAN;
    for (size_t way = 0; way < ways; way++) {
        int64_t t[5];
        size_t rest = way;
        for (size_t i = 0; i < n; i++, rest /= SPAN) /* first and last second, and between */
            t[i] = cell[i] + (int64_t)(rest % SPAN) * (span - 1) / (SPAN - 1);
        for (size_t i = 1; i < n; i++)
            for (size_t j = i; j > 0 && t[j] < t[j - 1]; j--) {
                int64_t x = t[j];
                t[j] = t[j - 1];
                t[j - 1] = x;
            }
        bool good = !day || t[n - 1] - t[0] < 86400;
        for (size_t i = 1; i < n && !day; i++)
            good = good && t[i] - t[i - 1] <= gap;
        if (good) return true;
    }
    return false;
}

static void what_could_be_is_taken_and_no_more(void **state)
{
    (void)state;
    size_t refused = 0, taken = 0;
    lethe_ctx *ctx = o_ctx(1, 0);
    for (uint64_t s = 1; s <= seeds(1500); s++) {
        uint64_t seed = s;
        bool day = o_below(&seed, 2), hours = o_below(&seed, 2), yes = false;
        int64_t span = hours ? 3600 : 86400, cell[5];
        /* multiples of a third of the span, so that what is tried is all that matters */
        int64_t gap = 1 + span / 3 * (int64_t)o_below(&seed, 7);
        olog log = {calloc(5, sizeof(orow)), 1 + o_below(&seed, 5)};
        char names[5][17], claim_text[128];
        for (size_t i = 0; i < log.n; i++) {
            cell[i] = 1141171200 + (int64_t)o_below(&seed, hours ? 30 : 5) * span;
            log.at[i].time = cell[i];
            snprintf(log.at[i].query, sizeof log.at[i].query, "q%zu", i);
            log.at[i].rank = LETHE_NO_RANK;
            strcpy(names[i], "aaaaaaaaaaaaaaaa");
        }
        snprintf(claim_text, sizeof claim_text,
                 day ? "{\"notion\":\"personas\",\"by\":\"day\"}"
                     : "{\"notion\":\"personas\",\"by\":\"gap\",\"gap\":%lld}",
                 (long long)gap);
        lethe_json_doc *doc;
        lethe_json *claim;
        assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &doc, &claim),
                         LETHE_OK);
        assert_int_equal(
            s_check(ctx, &log, names, hours ? LETHE_TIME_HOUR : LETHE_TIME_DAY, claim, NULL, &yes),
            LETHE_OK);
        bool possible = could_be(cell, log.n, day, span, gap);
        if (possible != yes)
            fail_msg("seed %zu: %s, but %s (%s, gap %lld)", (size_t)s,
                     possible ? "it could be" : "it could not be", yes ? "taken" : "refused",
                     hours ? "hours" : "days", (long long)gap);
        refused += !yes;
        taken += yes;
        lethe_json_doc_free(doc);
        o_free(&log);
    }
    lethe_ctx_free(ctx);
    assert_true(refused > seeds(1500) / 8 && taken > seeds(1500) / 8);
}

/* --- interest, with all results known --- */

/* Is there an order, times not falling, in which each text after the first is like an earlier one?
 */
static bool has_order(bool like[5][5], const int64_t *time, size_t n, unsigned used)
{
    if (used == (1u << n) - 1) return true;
    for (size_t i = 0; i < n; i++) {
        bool next = !(used >> i & 1), alike = used == 0;
        for (size_t j = 0; j < n; j++) {
            next = next && ((used >> j & 1) || time[j] >= time[i]);
            alike = alike || ((used >> j & 1) && like[i][j]);
        }
        if (next && alike && has_order(like, time, n, used | 1u << i)) return true;
    }
    return false;
}

/* A text for row i that no row before it has. */
static void distinct_text(const olog *log, size_t i, uint64_t *seed)
{
    bool again = true;
    while (again) {
        random_text(log->at[i].query, seed, 8);
        again = false;
        for (size_t j = 0; j < i; j++)
            again = again || strcmp(log->at[i].query, log->at[j].query) == 0;
    }
}

static void interests_that_could_be_are_taken_and_no_more(void **state)
{
    (void)state;
    static const char claim_text[] = "{\"notion\":\"personas\",\"by\":\"interest\",\"edit\":0.2,"
                                     "\"overlap\":0.5,\"top\":2,\"results\":\"file\"}";
    lethe_json_doc *doc;
    lethe_json *claim;
    lethe_ctx *ctx = o_ctx(1, 0);
    size_t refused = 0, taken = 0;
    char path[64];
    snprintf(path, sizeof path, "/tmp/lethe-results-%d", (int)getpid());
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &doc, &claim),
                     LETHE_OK);
    for (uint64_t s = 1; s <= seeds(1500); s++) {
        uint64_t seed = s;
        olog log = {calloc(5, sizeof(orow)), 1 + o_below(&seed, 5)};
        bool like[5][5] = {{false}}, yes = false;
        int64_t time[5];
        char names[5][17];
        for (size_t i = 0; i < log.n; i++) {
            distinct_text(&log, i, &seed);
            time[i] = log.at[i].time = 1141171200 + (int64_t)o_below(&seed, 3) * 86400;
            log.at[i].rank = LETHE_NO_RANK;
            strcpy(names[i], "aaaaaaaaaaaaaaaa");
        }
        write_results(path, &log, &seed);
        for (size_t i = 0; i < log.n; i++)
            for (size_t j = 0; j < log.n; j++) {
                results a = clicked(&given, log.at[i].query, 2);
                results b = clicked(&given, log.at[j].query, 2);
                like[i][j] = meet(&a, &b) ||
                             s_similar(log.at[i].query, log.at[j].query, (sim){200000, 500000});
            }
        bool could = has_order(like, time, log.n, 0);
        assert_int_equal(s_check(ctx, &log, names, LETHE_TIME_DAY, claim, path, &yes), LETHE_OK);
        if (yes != could)
            fail_msg("seed %zu: %s, but %s", (size_t)s, could ? "it could be" : "it could not be",
                     yes ? "taken" : "refused");
        /* without the results nothing is contradicted */
        assert_int_equal(s_check(ctx, &log, names, LETHE_TIME_DAY, claim, NULL, &yes), LETHE_OK);
        assert_true(yes);
        refused += !could;
        taken += could;
        o_free(&log);
        o_free(&given);
    }
    unlink(path);
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    assert_true(refused > seeds(1500) / 8 && taken > seeds(1500) / 8);
}

/* Texts of one persona with clicks of their own and of others, under the pages' own addresses:
 * taken exactly where an order exists in which each text is like an earlier one, or has a page in
 * common with it. */
static void clicks_that_could_be_are_taken_and_no_more(void **state)
{
    (void)state;
    static const char claim_text[] = "{\"notion\":\"personas\",\"by\":\"interest\",\"edit\":0.2,"
                                     "\"overlap\":0.5,\"top\":50,\"results\":\"clicks\"}";
    enum { TEXTS = 5, CLICKS = 6 };
    lethe_json_doc *doc;
    lethe_json *claim;
    lethe_ctx *ctx = o_ctx(2, 0);
    size_t refused = 0, taken = 0;
    assert_int_equal(lethe_json_parse(NULL, "claim", lethe_str_of(claim_text), &doc, &claim),
                     LETHE_OK);
    for (uint64_t s = 1; s <= seeds(1500); s++) {
        uint64_t seed = s;
        size_t n = 1 + o_below(&seed, TEXTS), n_clicks = o_below(&seed, CLICKS + 1);
        olog log = {calloc(TEXTS + CLICKS, sizeof(orow)), n + n_clicks};
        bool like[5][5] = {{false}}, page[TEXTS][4] = {{false}}, yes = false;
        int64_t time[5];
        char names[TEXTS + CLICKS][17];
        for (size_t i = 0; i < n; i++) {
            distinct_text(&log, i, &seed);
            time[i] = log.at[i].time = 1141171200 + (int64_t)o_below(&seed, 3) * 86400;
            log.at[i].rank = LETHE_NO_RANK;
            strcpy(names[i], "aaaaaaaaaaaaaaaa");
        }
        for (size_t k = n; k < log.n; k++) { /* at the text's own time */
            size_t i = o_below(&seed, n), url = o_below(&seed, 4);
            log.at[k] = log.at[i];
            log.at[k].rank = 1;
            snprintf(log.at[k].url, sizeof log.at[k].url, "http://h%zu.com/p", url);
            strcpy(names[k], "aaaaaaaaaaaaaaaa");
            if (o_below(&seed, 2)) names[k][0] = (char)('b' + k); /* a user with no other query */
            page[i][url] = true;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                like[i][j] = s_similar(log.at[i].query, log.at[j].query, (sim){200000, 500000});
                for (size_t url = 0; url < 4; url++)
                    like[i][j] = like[i][j] || (page[i][url] && page[j][url]);
            }
        bool could = has_order(like, time, n, 0);
        assert_int_equal(s_check(ctx, &log, names, LETHE_TIME_DAY, claim, NULL, &yes), LETHE_OK);
        if (yes != could)
            fail_msg("seed %zu: %s, but %s", (size_t)s, could ? "it could be" : "it could not be",
                     yes ? "taken" : "refused");
        refused += !could;
        taken += could;
        o_free(&log);
    }
    lethe_json_doc_free(doc);
    lethe_ctx_free(ctx);
    assert_true(refused > seeds(1500) / 8 && taken > seeds(1500) / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_similar_text_is_found),
        cmocka_unit_test(personas_are_those_of_all_pairs),
        cmocka_unit_test(what_could_be_is_taken_and_no_more),
        cmocka_unit_test(interests_that_could_be_are_taken_and_no_more),
        cmocka_unit_test(clicks_that_could_be_are_taken_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
