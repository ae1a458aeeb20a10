/* SPDX-License-Identifier: Apache-2.0 */
/* The adversary `linkage` against scoring every pair of sessions from the definitions, for any
 * number of threads. */
/* suite: threads */
#include "linkage_harness.h"
#include "seeds.h"
#include <math.h>

#define N_WORLDS seeds(400)
enum { MOST_SESSIONS = 140, MOST_PERSONS = 20, N_WORDS = 12, N_TEXTS = 20, TOP = 100 };
enum {
    N_HOSTS = 5,
    N_TIMES = 12,
    N_FEATURES = N_WORDS + N_WORDS * N_WORDS + N_TEXTS + N_HOSTS + 4 * N_TIMES
};
enum { BM25, TEXTS, CLICKS, TIMES, STRATEGIES };
static const char *const strategies[] = {"bm25", "texts", "clicks", "times"};
/* Published times; as many days as the others have. */
enum { NO_TIMES, DAYS, HOURS, MINUTES, UNITS };

typedef struct world {
    size_t n, n_persons;
    unsigned text[N_TEXTS][N_WORDS]; /* how often it has a word; some have none */
    bool issued[MOST_SESSIONS][N_TEXTS];
    bool is[MOST_SESSIONS][MOST_PERSONS];
    unsigned tf[MOST_SESSIONS][N_WORDS];
    unsigned length[MOST_SESSIONS], df[N_WORDS];
    bool clicked[MOST_SESSIONS][N_HOSTS], at[MOST_SESSIONS][N_TIMES];
    unsigned minute[N_TIMES]; /* of the month */
    int unit;
    bool count_self;
    /* By feature: words, pairs of words, texts, hosts, and four kinds of times; how often. */
    unsigned has[MOST_SESSIONS][N_FEATURES], with[N_FEATURES];
} world;

static void world_random(uint64_t *seed, world *v)
{
    memset(v, 0, sizeof *v);
    v->n = 1 + o_below(seed, o_below(seed, 8) ? 15 : MOST_SESSIONS);
    v->n_persons = 1 + o_below(seed, MOST_PERSONS);
    size_t n_words = 1 + o_below(seed, N_WORDS), n_texts = 1 + o_below(seed, N_TEXTS);
    bool shared = o_below(seed, 4) == 0; // some sessions are several persons'
    v->unit = (int)o_below(seed, UNITS);
    v->count_self = o_below(seed, 3) == 0;
    static const unsigned per[UNITS] = {1440, 1440, 60, 7};
    for (size_t i = 0; i < N_TIMES; i++)
        v->minute[i] = (unsigned)o_below(seed, 3 * 1440) / per[v->unit] * per[v->unit];
    for (size_t t = 0; t < n_texts; t++)
        for (size_t i = o_below(seed, 4); i > 0; i--)
            v->text[t][o_below(seed, n_words)]++;
    for (size_t s = 0; s < v->n; s++) {
        for (size_t i = 1 + o_below(seed, 3); i > 0; i--)
            v->issued[s][o_below(seed, n_texts)] = true;
        for (size_t i = shared ? 1 + o_below(seed, 3) : 1; i > 0; i--)
            v->is[s][o_below(seed, v->n_persons)] = true;
        for (size_t i = o_below(seed, 3); i > 0; i--)
            v->clicked[s][o_below(seed, N_HOSTS)] = true;
        for (size_t i = 1 + o_below(seed, 2); i > 0; i--)
            v->at[s][o_below(seed, N_TIMES)] = true;
    }
}

/* The features that a session has, and how often. */
static void features_count(world *v, size_t s)
{
    unsigned *pair = v->has[s] + N_WORDS, *text = pair + N_WORDS * N_WORDS, *host = text + N_TEXTS,
             *time = host + N_HOSTS;
    for (size_t t = 0; t < N_TEXTS; t++) {
        size_t before = SIZE_MAX;
        for (size_t w = 0; v->issued[s][t] && w < N_WORDS; w++)
            for (unsigned i = 0; i < v->text[t][w]; i++) {
                v->has[s][w]++;
                if (before != SIZE_MAX) pair[before * N_WORDS + w]++;
                before = w;
                text[t] = 1;
            }
    }
    for (size_t h = 0; h < N_HOSTS; h++)
        host[h] = v->clicked[s][h];
    static const unsigned per[] = {1440, 60, 10}; // a day, an hour, ten minutes
    int fine = v->unit == MINUTES ? 3 : v->unit == HOURS ? 2 : v->unit == DAYS;
    for (int kind = 0; kind < fine; kind++)
        for (size_t i = 0; i < N_TIMES; i++) {
            bool old = !v->at[s][i];
            for (size_t j = 0; j < i; j++)
                old = old || (v->at[s][j] && v->minute[j] / per[kind] == v->minute[i] / per[kind]);
            if (old) continue;
            size_t first = 0; // the time that stands for all of this day, hour or ten minutes
            while (v->minute[first] / per[kind] != v->minute[i] / per[kind])
                first++;
            time[(size_t)kind * N_TIMES + first] = 1;
            if (kind != 1) continue;
            for (first = 0; v->minute[first] / 60 % 24 != v->minute[i] / 60 % 24;)
                first++;
            time[3 * N_TIMES + first]++;
        }
}

/* Are published times as fine as they may be?  What all of them lack, nobody can see. */
static void unit_settle(world *v)
{
    int finest = DAYS;
    for (size_t s = 0; s < v->n; s++)
        for (size_t i = 0; i < N_TIMES; i++)
            if (v->at[s][i])
                finest = LETHE_MAX(finest, v->minute[i] % 60     ? MINUTES
                                           : v->minute[i] % 1440 ? HOURS
                                                                 : DAYS);
    v->unit = LETHE_MIN(v->unit, finest);
}

static void world_count(world *v)
{
    unit_settle(v);
    for (size_t s = 0; s < v->n; s++)
        features_count(v, s);
    for (size_t f = 0; f < N_FEATURES; f++)
        for (size_t s = 0; s < v->n; s++)
            v->with[f] += v->has[s][f] > 0;
    for (size_t s = 0; s < v->n; s++)
        for (size_t w = 0; w < N_WORDS; w++) {
            for (size_t t = 0; t < N_TEXTS; t++)
                v->tf[s][w] += v->issued[s][t] ? v->text[t][w] : 0;
            v->length[s] += v->tf[s][w];
            v->df[w] += v->tf[s][w] > 0;
        }
}

static void time_print(FILE *f, const world *v, size_t i)
{
    unsigned m = v->minute[i];
    if (v->unit == NO_TIMES) return;
    fprintf(f, "2006-03-%02u", 1 + m / 1440);
    if (v->unit >= HOURS) fprintf(f, " %02u", m / 60 % 24);
    if (v->unit >= MINUTES) fprintf(f, ":%02u:00", m % 60);
}

static void text_print(FILE *f, const world *v, size_t t)
{
    fputs("[ssn]", f);
    for (size_t i = 0; i < t; i++) // so that no two texts are the same
        fputs(" [ssn]", f);
    for (size_t w = 0; w < N_WORDS; w++)
        for (unsigned i = 0; i < v->text[t][w]; i++)
            fprintf(f, " w%02zu", w);
}

/* Words w01, w02, ... come in the order of their numbers.  A text without words is a mask.  Texts,
 * times and clicks stand in lines of their own, with others that the session has anyway. */
static char *world_lines(const world *v)
{
    char *out = NULL;
    size_t n;
    FILE *f = open_memstream(&out, &n);
    for (size_t s = 0; s < v->n; s++) {
        size_t text = 0, time = 0, host = 0;
        for (size_t line = 0; text < N_TEXTS || time < N_TIMES || host < N_HOSTS; line++) {
            while (text < N_TEXTS && !v->issued[s][text])
                text++;
            while (time < N_TIMES && !v->at[s][time])
                time++;
            while (host < N_HOSTS && !v->clicked[s][host])
                host++;
            if (text == N_TEXTS && time == N_TIMES && host == N_HOSTS) break;
            size_t t = text, when = time;
            for (size_t i = 0; t == N_TEXTS && i < N_TEXTS; i++)
                if (v->issued[s][i]) t = i;
            for (size_t i = 0; when == N_TIMES && i < N_TIMES; i++)
                if (v->at[s][i]) when = i;
            fprintf(f, "s%03zu\t", s);
            text_print(f, v, t);
            fputc('\t', f);
            time_print(f, v, when);
            if (host < N_HOSTS)
                fprintf(f, "\t1\th%zu.com\n", host);
            else
                fputs("\t\t\n", f);
            text += text < N_TEXTS;
            time += time < N_TIMES;
            host += host < N_HOSTS;
        }
    }
    fclose(f);
    return out;
}

static char *world_map(const world *v)
{
    char *out = NULL;
    size_t n;
    FILE *f = open_memstream(&out, &n);
    for (size_t p = 0; p < v->n_persons; p++)
        for (size_t s = 0; s < v->n; s++)
            if (v->is[s][p]) fprintf(f, "person %zu\ts%03zu\n", p, s);
    fclose(f);
    return out;
}

/* BM25, summed from the rarest word. */
static double score(const world *v, size_t q, size_t d)
{
    double sum = 0, mean = 0;
    for (size_t s = 0; s < v->n; s++)
        mean += v->length[s];
    mean /= (double)v->n;
    for (unsigned df = 1; df <= v->n; df++)
        for (size_t w = 0; w < N_WORDS; w++) {
            if (v->df[w] != df || v->tf[q][w] == 0 || v->tf[d][w] == 0) continue;
            double idf = log(1 + ((double)v->n - df + 0.5) / (df + 0.5)), tf = v->tf[d][w];
            double norm = 1.2 * (1 - 0.75 + 0.75 * (v->length[d] / mean));
            sum += v->tf[q][w] * (idf * (tf * 2.2 / (tf + norm)));
        }
    return sum;
}

/* The cosine over the first features, without the norm of the one that is searched for. */
static double cosine(const world *v, size_t q, size_t d, size_t n_features)
{
    uint64_t sum = 0, squares = 0;
    for (size_t f = 0; f < n_features; f++) {
        if (v->has[d][f] == 0) continue;
        double idf = log(((double)v->n + 1) / v->with[f]);
        uint64_t weight = (uint64_t)fmax(1, round(4096 * (1 + log(v->has[d][f])) * idf));
        squares += weight * weight;
        if (v->has[q][f] == 0) continue;
        sum += weight * (uint64_t)fmax(1, round(4096 * (1 + log(v->has[q][f])) * idf));
    }
    return sum ? (double)sum * (1 / sqrt((double)squares)) : 0;
}

static double score_by(const world *v, int strategy, size_t q, size_t d)
{
    static const size_t n[STRATEGIES] = {[TEXTS] = N_WORDS + N_WORDS * N_WORDS + N_TEXTS,
                                         [CLICKS] = N_WORDS + N_WORDS * N_WORDS + N_TEXTS + N_HOSTS,
                                         [TIMES] = N_FEATURES};
    return strategy == BM25 ? score(v, q, d) : cosine(v, q, d, n[strategy]);
}

static bool same_person(const world *v, size_t a, size_t b)
{
    for (size_t p = 0; p < v->n_persons; p++)
        if (v->is[a][p] && v->is[b][p]) return true;
    return false;
}

typedef struct answer {
    double share[4], baseline, share_baseline, share100[STRATEGIES];
    size_t sessions[4], linkable, first[STRATEGIES], with_results[STRATEGIES];
    double m, k, recovery, optimal;
    size_t persons;
    bool anybody_split;
} answer;

static bool edge[MOST_SESSIONS][MOST_SESSIONS];

/* The best results of a session, in order; how many. */
static size_t results_of(const world *v, int strategy, size_t q, size_t *best, size_t *matching)
{
    double scores[MOST_SESSIONS];
    bool taken[MOST_SESSIONS] = {false};
    size_t n = 0;
    *matching = 0;
    for (size_t d = 0; d < v->n; d++) {
        scores[d] = d == q ? 0 : score_by(v, strategy, q, d);
        *matching += scores[d] > 0;
    }
    for (; n < *matching && n < TOP; n++) {
        best[n] = SIZE_MAX;
        for (size_t d = 0; d < v->n; d++)
            if (!taken[d] && scores[d] > 0 && (best[n] == SIZE_MAX || scores[d] > scores[best[n]]))
                best[n] = d;
        taken[best[n]] = true;
    }
    return n;
}

static void look_at(const world *v, size_t q, answer *a)
{
    static const size_t most[4] = {SIZE_MAX, 1000, 100, 10};
    size_t best[TOP], matching, others = 0;
    for (size_t d = 0; d < v->n; d++)
        others += d != q && same_person(v, q, d);
    double chance = v->n > 1 ? (double)others / (double)(v->n - 1) : 0;
    a->linkable += others > 0;
    a->baseline += others > 0 ? chance : 0;
    for (int s = 0; s < STRATEGIES; s++) {
        size_t n = results_of(v, s, q, best, &matching), same = 0;
        size_t self = v->count_self && score_by(v, s, q, q) > 0;
        n = LETHE_MIN(n, TOP - self);
        if (others > 0 && n > 0) a->first[s] += same_person(v, q, best[0]);
        for (size_t i = 0; i < n; i++) {
            if (!same_person(v, q, best[i])) continue;
            same++;
            if (s == BM25) edge[q][best[i]] = edge[best[i]][q] = true;
        }
        if (n + self == 0) continue;
        a->with_results[s]++;
        a->share100[s] += (double)same / (double)(n + self);
        if (s != BM25) continue;
        a->share_baseline += chance * (double)n / (double)(n + self);
        for (size_t c = 0; c < 4; c++) {
            if (matching + self > most[c]) continue;
            a->share[c] += (double)same / (double)(n + self);
            a->sessions[c]++;
        }
    }
}

static void walk(const world *v, size_t p, size_t s, bool *reached)
{
    reached[s] = true;
    for (size_t t = 0; t < v->n; t++)
        if (!reached[t] && v->is[t][p] && edge[s][t]) walk(v, p, t, reached);
}

static void count_components(const world *v, answer *a)
{
    for (size_t p = 0; p < v->n_persons; p++) {
        bool reached[MOST_SESSIONS] = {false};
        size_t m = 0, k = 0;
        for (size_t s = 0; s < v->n; s++) {
            if (!v->is[s][p]) continue;
            k++;
            if (reached[s]) continue;
            m++;
            walk(v, p, s, reached);
        }
        if (k == 0) continue;
        a->persons++;
        a->m += (double)m;
        a->k += (double)k;
        a->recovery += (double)m / (double)k;
        a->optimal += 1.0 / (double)k;
        a->anybody_split = a->anybody_split || k > 1;
    }
}

static void expect(uint64_t seed, const char *what, double got, double want)
{
    if (fabs(got - want) > 1e-9)
        fail_msg("seed %llu: %s is %.12g, not %.12g", (unsigned long long)seed, what, got, want);
}

static unsigned won[STRATEGIES];

static void expect_answer(uint64_t seed, const answer *a, const lethe_json *out)
{
    static const char *const names[4] = {"all", "le1000", "le100", "le10"};
    double n = (double)a->persons;
    for (size_t c = 0; c < 4 && a->anybody_split; c++) {
        char path[64];
        snprintf(path, sizeof path, "selectivity.%s.share", names[c]);
        expect(seed, path, l_real(out, path),
               a->sessions[c] ? a->share[c] / (double)a->sessions[c] : 0);
        snprintf(path, sizeof path, "selectivity.%s.sessions", names[c]);
        expect(seed, path, (double)l_count(out, path), (double)a->sessions[c]);
    }
    bool any = a->anybody_split && a->sessions[0] > 0;
    double share = any ? a->share[0] / (double)a->sessions[0] : 0, linkable = (double)a->linkable;
    expect(seed, "share100", l_real(out, "share100"), share);
    expect(seed, "share100_baseline", l_real(out, "share100_baseline"),
           any ? a->share_baseline / (double)a->sessions[0] : 0);
    expect(seed, "linkable", (double)l_count(out, "linkable"), linkable);
    expect(seed, "baseline", l_real(out, "baseline"), linkable > 0 ? a->baseline / linkable : 0);
    size_t best = 0;
    for (size_t s = 0; s < STRATEGIES && a->anybody_split; s++) {
        const lethe_json *one = lethe_json_get(lethe_json_get(out, "strategies"), strategies[s]);
        expect(seed, strategies[s], l_real(one, "success"), (double)a->first[s] / linkable);
        expect(seed, strategies[s], l_real(one, "share100"),
               a->with_results[s] ? a->share100[s] / (double)a->with_results[s] : 0);
        if (a->first[s] > a->first[best]) best = s;
    }
    expect(seed, "success", l_real(out, "success"),
           linkable > 0 ? (double)a->first[best] / linkable : 0);
    if (a->anybody_split) won[best]++;
    if (a->anybody_split && !lethe_str_eq(lethe_json_text(lethe_json_get(out, "strategy")),
                                          lethe_str_of(strategies[best])))
        fail_msg("seed %llu: the best is %s", (unsigned long long)seed, strategies[best]);
    expect(seed, "persons", (double)l_count(out, "persons"), n);
    expect(seed, "m", l_real(out, "components.mean"), a->m / n);
    expect(seed, "k", l_real(out, "components.sessions"), a->k / n);
    expect(seed, "recovery", l_real(out, "components.recovery_ratio"), a->recovery / n);
    expect(seed, "optimal", l_real(out, "components.optimal_ratio"), a->optimal / n);
}

static void one_world(uint64_t seed, lethe_ctx *const ctx[3])
{
    static world v;
    uint64_t s = seed;
    answer a = {0};
    char *texts[3] = {NULL};
    world_random(&s, &v);
    world_count(&v);
    memset(edge, 0, sizeof edge);
    for (size_t q = 0; q < v.n; q++)
        look_at(&v, q, &a);
    count_components(&v, &a);
    char *published = world_lines(&v), *map = world_map(&v);
    linkage attack = {
        .published = published, .map = map, .whole = true, .count_self = v.count_self};
    for (size_t t = 0; t < 3; t++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(l_run(ctx[t], &attack, doc, out), LETHE_OK);
        expect_answer(seed, &a, out);
        expect(seed, "sessions", (double)l_count(out, "sessions"), (double)v.n);
        texts[t] = lethe_json_write(out, 0, NULL);
        assert_string_equal(texts[t], texts[0]);
        lethe_json_doc_free(doc);
    }
    for (size_t t = 0; t < 3; t++)
        lethe_json_text_free(texts[t]);
    free(published);
    free(map);
}

static void agrees_with_looking_at_every_pair(void **state)
{
    (void)state;
    lethe_ctx *ctx[3] = {o_ctx(1, 0), o_ctx(2, 0), o_ctx(7, 0)};
    for (uint64_t i = 0; i < N_WORLDS; i++)
        one_world(3000 + i, ctx);
    for (size_t i = 0; i < STRATEGIES; i++)
        assert_true(won[i] > N_WORLDS / 50);
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_looking_at_every_pair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
