/* SPDX-License-Identifier: Apache-2.0 */
/* The adversary `identity` against looking at every user with every clue, for any number of
 * threads. */
/* suite: threads */
#include "identity_harness.h"
#include "small_wordnet.h"
#include "seeds.h"

#define N_LOGS seeds(400)
enum { MAX_USERS = 6, MAX_TEXTS = 12 };

/* Words that no dictionary reduces; texts are made of one to three of them. */
static const char *const words[] = {"q1", "q2", "q3", "q4", "q5", "q6"};

typedef struct text {
    unsigned count[LETHE_COUNT(words)];
} text;

typedef struct world {
    text texts[MAX_TEXTS];
    bool original[MAX_USERS][MAX_TEXTS], published[MAX_USERS][MAX_TEXTS]; /* who issued what */
    size_t n_users, n_texts;
} world;

static text text_random(uint64_t *seed)
{
    text t = {0};
    for (size_t n = 1 + o_below(seed, 3); n > 0; n--)
        t.count[o_below(seed, LETHE_COUNT(words))]++;
    return t;
}

/* In a random order: it must not matter. */
static void text_print(uint64_t *seed, FILE *f, text t)
{
    size_t left = 0;
    for (size_t i = 0; i < LETHE_COUNT(words); i++)
        left += t.count[i];
    for (; left > 0; left--) {
        size_t i = o_below(seed, LETHE_COUNT(words));
        while (t.count[i] == 0)
            i = (i + 1) % LETHE_COUNT(words);
        t.count[i]--;
        fprintf(f, "%s%s", words[i], left > 1 ? " " : "");
    }
}

static bool text_holds(const text *t, const text *part)
{
    for (size_t i = 0; i < LETHE_COUNT(words); i++)
        if (t->count[i] < part->count[i]) return false;
    return true;
}

static world world_random(uint64_t *seed)
{
    world v = {.n_users = 1 + o_below(seed, MAX_USERS), .n_texts = 1 + o_below(seed, MAX_TEXTS)};
    for (size_t i = 0; i < v.n_texts; i++)
        v.texts[i] = text_random(seed);
    for (size_t u = 0; u < v.n_users; u++) {
        size_t always = o_below(seed, v.n_texts);
        for (size_t i = 0; i < v.n_texts; i++) {
            v.original[u][i] = i == always || o_below(seed, 3) == 0;
            v.published[u][i] = (u == 0 && i == always) || (v.original[u][i] && o_below(seed, 3));
        }
    }
    return v;
}

static char *world_lines(uint64_t *seed, const world *v, bool published)
{
    char *out = NULL;
    size_t n;
    FILE *f = open_memstream(&out, &n);
    for (size_t u = 0; u < v->n_users; u++)
        for (size_t i = 0; i < v->n_texts; i++) {
            if (!(published ? v->published : v->original)[u][i]) continue;
            fprintf(f, "%s%zu\t", published ? "p" : "", u);
            text_print(seed, f, v->texts[i]);
            fputc('\n', f);
        }
    fclose(f);
    return out;
}

typedef struct person {
    lethe_plant kind;
    text clues[5];
    size_t n_clues;
} person;

/* A pattern's texts count once each. */
static bool is_repeated(const person *p, size_t c)
{
    for (size_t i = 0; i < c; i++)
        if (p->kind == LETHE_PLANT_PATTERN && memcmp(&p->clues[i], &p->clues[c], sizeof(text)) == 0)
            return true;
    return false;
}

/* How many clues a user has among the texts they issued. */
static size_t held(const world *v, const bool issued[MAX_TEXTS], const person *p)
{
    size_t n = 0;
    for (size_t c = 0; c < p->n_clues; c++) {
        bool has = false;
        if (is_repeated(p, c)) continue;
        for (size_t i = 0; i < v->n_texts; i++)
            has = has || (issued[i] && (p->kind == LETHE_PLANT_PATTERN
                                            ? memcmp(&v->texts[i], &p->clues[c], sizeof(text)) == 0
                                            : text_holds(&v->texts[i], &p->clues[c])));
        n += has;
    }
    return n;
}

/* `owner`: whose each user is; NULL: nobody knows.  Those who have equally many clues are rivals,
 * unless all are known to be the person. */
static bool is_found(world *v, bool issued[MAX_USERS][MAX_TEXTS], const person *p, size_t who,
                     const size_t *owner, size_t known)
{
    size_t most = 0, n_most = 0, n_own = 0;
    for (size_t u = 0; u < v->n_users; u++) {
        size_t n = held(v, issued[u], p);
        if (n > most) n_most = n_own = 0;
        if (n >= most && n > 0) {
            n_most++;
            n_own += owner && owner[u] == who;
            most = n;
        }
    }
    if (p->kind == LETHE_PLANT_NUMBER) return most > 0;
    size_t all = 0;
    for (size_t c = 0; c < p->n_clues; c++)
        all += !is_repeated(p, c);
    size_t needed = p->kind == LETHE_PLANT_NAME ? 2 : known < all ? known : all;
    return most >= needed && (owner ? n_own > 0 && n_own == n_most : n_most == 1);
}

static person person_random(uint64_t *seed, const world *v)
{
    person p = {.kind = (lethe_plant)o_below(seed, LETHE_N_PLANTS)};
    p.n_clues = p.kind == LETHE_PLANT_NAME     ? 2
                : p.kind == LETHE_PLANT_NUMBER ? 1 + o_below(seed, 2)
                                               : 2 + o_below(seed, 4);
    for (size_t i = 0; i < p.n_clues; i++)
        p.clues[i] = o_below(seed, 4) ? v->texts[o_below(seed, v->n_texts)] : text_random(seed);
    return p;
}

typedef struct sums {
    int64_t before[LETHE_N_PLANTS], after[LETHE_N_PLANTS];
} sums;

static char *truth_of(uint64_t *seed, const world *v, const person *persons)
{
    char *out = NULL;
    size_t n;
    FILE *f = open_memstream(&out, &n);
    fputs(LETHE_TRUTH_HEADER, f);
    for (size_t u = 0; u < v->n_users; u++) {
        fprintf(f, "%zu\t%s", u, lethe_plant_names[persons[u].kind]);
        for (size_t c = 0; c < persons[u].n_clues; c++) {
            fputc('\t', f);
            text_print(seed, f, persons[u].clues[c]);
        }
        fputc('\n', f);
    }
    fclose(f);
    return out;
}

static void one_world(uint64_t seed, lethe_ctx *const ctx[3])
{
    uint64_t s = seed;
    world v = world_random(&s);
    person persons[MAX_USERS];
    sums want = {0};
    size_t known = 1 + o_below(&s, 4);
    bool with_map = o_below(&s, 2);
    size_t self[MAX_USERS], owner[MAX_USERS];
    for (size_t u = 0; u < v.n_users; u++) {
        self[u] = u;
        owner[u] = o_below(&s, 2) ? u : o_below(&s, v.n_users); // personas of one person
    }
    for (size_t u = 0; u < v.n_users; u++) {
        persons[u] = person_random(&s, &v);
        const person *p = &persons[u];
        want.before[p->kind] += is_found(&v, v.original, p, u, self, known);
        want.after[p->kind] += is_found(&v, v.published, p, u, with_map ? owner : NULL, known);
    }
    char *original = world_lines(&s, &v, false), *published = world_lines(&s, &v, true);
    char *truth = truth_of(&s, &v, persons), number[8], map[MAX_USERS * 8 + 1] = "";
    for (size_t u = 0; u < v.n_users; u++)
        sprintf(map + strlen(map), "%zu\tp%zu\n", owner[u], u);
    snprintf(number, sizeof number, "%zu", known);
    attack a = {original, published, truth, with_map ? map : NULL, number, false};
    for (size_t t = 0; t < 3; t++) {
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        assert_int_equal(a_run(ctx[t], &a, doc, out), LETHE_OK);
        for (size_t k = 0; k < LETHE_N_PLANTS; k++) {
            int64_t before = a_count(out, lethe_plant_names[k], "before"),
                    after = a_count(out, lethe_plant_names[k], "after");
            if (before != want.before[k] || after != want.after[k])
                fail_msg(
                    "seed %llu, %s: %lld before, %lld after, not %lld and %lld\n%s---\n%s---\n%s",
                    (unsigned long long)seed, lethe_plant_names[k], (long long)before,
                    (long long)after, (long long)want.before[k], (long long)want.after[k], truth,
                    original, published);
        }
        lethe_json_doc_free(doc);
    }
    free(original);
    free(published);
    free(truth);
}

static void agrees_with_looking_at_everything(void **state)
{
    (void)state;
    lethe_ctx *ctx[3] = {o_ctx(1, 0), o_ctx(2, 0), o_ctx(7, 0)};
    for (uint64_t i = 0; i < N_LOGS; i++)
        one_world(1000 + i, ctx);
    for (size_t i = 0; i < 3; i++)
        lethe_ctx_free(ctx[i]);
}

int main(void)
{
    small_wordnet();
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_looking_at_everything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
