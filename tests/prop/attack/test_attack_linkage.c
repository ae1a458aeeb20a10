/* SPDX-License-Identifier: Apache-2.0 */
/* The adversary `linkage` against scoring every pair of sessions from the definitions, for any
 * number of threads. */
/* suite: threads */
#include "linkage_harness.h"
#include "seeds.h"
#include <math.h>

#define N_WORLDS seeds(400)
enum { MOST_SESSIONS = 140, MOST_PERSONS = 20, N_WORDS = 12, N_TEXTS = 20, TOP = 100 };

typedef struct world {
    size_t n, n_persons;
    unsigned text[N_TEXTS][N_WORDS]; /* how often it has a word; some have none */
    bool issued[MOST_SESSIONS][N_TEXTS];
    bool is[MOST_SESSIONS][MOST_PERSONS];
    unsigned tf[MOST_SESSIONS][N_WORDS];
    unsigned length[MOST_SESSIONS], df[N_WORDS];
} world;

static void world_random(uint64_t *seed, world *v)
{
    memset(v, 0, sizeof *v);
    v->n = 1 + o_below(seed, o_below(seed, 8) ? 15 : MOST_SESSIONS);
    v->n_persons = 1 + o_below(seed, MOST_PERSONS);
    size_t n_words = 1 + o_below(seed, N_WORDS), n_texts = 1 + o_below(seed, N_TEXTS);
    bool shared = o_below(seed, 4) == 0; // some sessions are several persons'
    for (size_t t = 0; t < n_texts; t++)
        for (size_t i = o_below(seed, 4); i > 0; i--)
            v->text[t][o_below(seed, n_words)]++;
    for (size_t s = 0; s < v->n; s++) {
        for (size_t i = 1 + o_below(seed, 3); i > 0; i--)
            v->issued[s][o_below(seed, n_texts)] = true;
        for (size_t i = shared ? 1 + o_below(seed, 3) : 1; i > 0; i--)
            v->is[s][o_below(seed, v->n_persons)] = true;
    }
}

static void world_count(world *v)
{
    for (size_t s = 0; s < v->n; s++)
        for (size_t w = 0; w < N_WORDS; w++) {
            for (size_t t = 0; t < N_TEXTS; t++)
                v->tf[s][w] += v->issued[s][t] ? v->text[t][w] : 0;
            v->length[s] += v->tf[s][w];
            v->df[w] += v->tf[s][w] > 0;
        }
}

/* Words w01, w02, ... come in the order of their numbers.  A text without words is a mask. */
static char *world_lines(uint64_t *seed, const world *v)
{
    char *out = NULL;
    size_t n;
    FILE *f = open_memstream(&out, &n);
    for (size_t s = 0; s < v->n; s++)
        for (size_t t = 0; t < N_TEXTS; t++)
            for (size_t again = v->issued[s][t] ? 1 + o_below(seed, 2) : 0; again > 0; again--) {
                fprintf(f, "s%03zu\t[ssn]", s);
                for (size_t i = 0; i < t; i++) // so that no two texts are the same
                    fputs(" [ssn]", f);
                for (size_t w = 0; w < N_WORDS; w++)
                    for (unsigned i = 0; i < v->text[t][w]; i++)
                        fprintf(f, " w%02zu", w);
                fputc('\n', f);
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

static bool same_person(const world *v, size_t a, size_t b)
{
    for (size_t p = 0; p < v->n_persons; p++)
        if (v->is[a][p] && v->is[b][p]) return true;
    return false;
}

typedef struct answer {
    double share[4], baseline;
    size_t sessions[4];
    double m, k, recovery, optimal;
    size_t persons;
    bool anybody_split;
} answer;

static bool edge[MOST_SESSIONS][MOST_SESSIONS];

static void look_at(const world *v, size_t q, answer *a)
{
    static const size_t most[4] = {SIZE_MAX, 1000, 100, 10};
    double scores[MOST_SESSIONS];
    bool taken[MOST_SESSIONS] = {false};
    size_t matching = 0, same = 0, others = 0;
    for (size_t d = 0; d < v->n; d++) {
        scores[d] = d == q ? 0 : score(v, q, d);
        matching += scores[d] > 0;
        others += d != q && same_person(v, q, d);
    }
    if (matching == 0) return;
    size_t results = matching < TOP ? matching : TOP;
    for (size_t i = 0; i < results; i++) {
        size_t best = SIZE_MAX;
        for (size_t d = 0; d < v->n; d++)
            if (!taken[d] && (best == SIZE_MAX || scores[d] > scores[best])) best = d;
        taken[best] = true;
        if (!same_person(v, q, best)) continue;
        same++;
        edge[q][best] = edge[best][q] = true;
    }
    a->baseline += (double)others / (double)(v->n - 1);
    for (size_t c = 0; c < 4; c++) {
        if (matching > most[c]) continue;
        a->share[c] += (double)same / (double)results;
        a->sessions[c]++;
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
    expect(seed, "success", l_real(out, "success"), any ? a->share[0] / (double)a->sessions[0] : 0);
    expect(seed, "baseline", l_real(out, "baseline"),
           any ? a->baseline / (double)a->sessions[0] : 0);
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
    char *published = world_lines(&s, &v), *map = world_map(&v);
    linkage attack = {published, map, false};
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
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_looking_at_every_pair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
