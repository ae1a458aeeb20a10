/* SPDX-License-Identifier: Apache-2.0 */
/* Random originals and releases of every shape: who holds what is known of a person, by looking at
 * every user and record.  What is known of whom is drawn as the adversary draws it, and is itself
 * looked at. */
/* suite: threads */
#include "seeds.h"
#include "scale_world.h"
#include "attack/sample.h"
#include <math.h>

#define ROUNDS seeds(3000)

typedef struct answer {
    double success, narrowed, among, before, before_narrowed;
} answer;

/* The letters that are known of each person drawn; which person it is. */
typedef struct knowing {
    size_t n;
    size_t person[W_PERSONS];
    char known[W_PERSONS][32];
} knowing;

/* Persons by name, or where they have none by number. */
static size_t person_number(const lethe_records *terms, uint32_t owner)
{
    uint32_t name = terms->owners ? terms->owner_name[owner] : LETHE_NONE;
    if (name == LETHE_NONE) return owner;
    return (size_t)(lethe_dict_at(terms->owners, name).at[1] - '0');
}

static void knowing_draw(const world *w, const lethe_records *terms, unsigned known, knowing *k,
                         unsigned long long seed)
{
    uint32_t n = lethe_dict_count(terms->items);
    lethe_person_sample_options by = {
        .seed = seed, .n_nodes = n, .n_public = n, .persons = 1000, .present = known};
    lethe_person_sample d;
    lethe_arena *a = lethe_arena_new();
    assert_int_equal(lethe_person_sample_draw(terms, &by, a, &d), LETHE_OK);
    k->n = d.n;
    for (size_t i = 0; i < d.n; i++) {
        size_t p = k->person[i] = person_number(terms, d.person[i].owner), distinct = 0;
        for (size_t x = 0; x < 26; x++)
            distinct += w->terms[p].count[x] > 0;
        if (d.person[i].n_present != LETHE_MIN(distinct, known))
            fail_msg("seed %llu: not as many are known as could be", seed);
        for (size_t j = 0; j < d.person[i].n_present; j++) {
            char x = k->known[i][j] = lethe_dict_at(terms->items, d.person[i].present[j]).at[0];
            if (w->terms[p].count[x - 'a'] == 0) fail_msg("seed %llu: known, and not so", seed);
        }
        k->known[i][d.person[i].n_present] = '\0';
    }
    size_t full = 0;
    for (size_t p = 0; p < w->n_persons; p++) {
        bool any = false;
        for (size_t x = 0; x < 26; x++)
            any = any || w->terms[p].count[x] > 0;
        full += any;
    }
    if (full != d.n) fail_msg("seed %llu: %zu persons of %zu are looked for", seed, d.n, full);
    lethe_arena_free(a);
}

static size_t held_by_person(const world *w, size_t p, const char *known)
{
    size_t n = 0;
    for (; *known; known++)
        n += w->terms[p].count[*known - 'a'] > 0;
    return n;
}

static size_t held_by(const world *w, const w_released *r, const char *known)
{
    size_t n = 0;
    for (; *known; known++) {
        bool any = false;
        for (size_t i = 0; i < w->n_items; i++)
            any = any || (r->bag.count[i] > 0 && w_holds(w, i, *known));
        n += any;
    }
    return n;
}

/* Adds what comes of one person. */
static void person_add(const world *w, const knowing *k, size_t i, bool told, size_t crowd,
                       answer *a)
{
    size_t most = 0, candidates = 0, own = 0, before = 0, p = k->person[i];
    for (size_t r = 0; r < w->n_released; r++)
        most = LETHE_MAX(most, held_by(w, &w->released[r], k->known[i]));
    for (size_t r = 0; r < w->n_released && most > 0; r++) {
        if (held_by(w, &w->released[r], k->known[i]) < most) continue;
        candidates++;
        own += told && w->released[r].person == p;
    }
    if (!told) own = LETHE_MIN(candidates, w->shape >= W_FILE ? w->n_lines[p] : 1);
    for (size_t q = 0; q < w->n_persons; q++)
        before += held_by_person(w, q, k->known[i]) == strlen(k->known[i]);
    a->before += 1 / (double)before;
    a->before_narrowed += before < crowd;
    if (own == 0) return;
    a->success += (double)own / (double)candidates;
    a->narrowed += candidates < crowd;
    a->among++;
}

static void is(const lethe_json *out, const char *name, double sum, size_t n,
               unsigned long long seed)
{
    double want = n ? sum / (double)n : 0, got = lethe_json_real(lethe_json_get(out, name));
    if (fabs(got - want) > 1e-9)
        fail_msg("seed %llu: %s %.12g, and it is %.12g", seed, name, got, want);
}

static void answer_check(const world *w, const knowing *k, bool told, size_t crowd,
                         const lethe_json *out, unsigned long long seed)
{
    answer a = {0};
    for (size_t i = 0; i < k->n; i++)
        person_add(w, k, i, told, crowd, &a);
    is(out, "success", a.success, k->n, seed);
    is(out, "narrowed", a.narrowed, k->n, seed);
    is(out, "before", a.before, k->n, seed);
    is(out, "narrowed_before", a.before_narrowed, k->n, seed);
    is(out, "baseline", 1, w->n_released, seed);
    if (told) is(out, "among", a.among, k->n, seed);
    if (lethe_json_bool(lethe_json_get(out, "confirmed")) != told)
        fail_msg("seed %llu: who is who?", seed);
}

static void every_candidate_is_one(void **state)
{
    (void)state;
    heard h;
    lethe_ctx *ctx = heard_ctx(&h, 2);
    unsigned seen[W_SHAPES] = {0};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t seed = round;
        char known_text[16], crowd_text[16];
        static world w;
        w_draw(ctx, &seed, &w);
        unsigned known = 1 + (unsigned)o_below(&seed, 4), crowd = 2 + (unsigned)o_below(&seed, 4);
        bool told = o_below(&seed, 3) > 0;
        snprintf(known_text, sizeof known_text, "%u", known);
        snprintf(crowd_text, sizeof crowd_text, "%u", crowd);
        w.c.known = known_text;
        w.c.crowd = crowd_text;
        w.c.map = told ? w.map : NULL;
        w.c.has_seed = true;
        w.c.seed = round;
        if (w_usable(&w)) {
            knowing k;
            sc_open o = sc_begin(ctx, &w.c);
            lethe_json_doc *doc = lethe_json_doc_new();
            lethe_json *out = lethe_json_object(doc);
            lethe_err e = sc_run(ctx, &w.c, &o, lethe_adversary_known_terms.run,
                                 lethe_adversary_known_terms.options, doc, out);
            if (e != LETHE_OK) fail_msg("seed %llu: %s", (unsigned long long)round, h.text);
            knowing_draw(&w, o.terms, known, &k, round);
            answer_check(&w, &k, told, crowd, out, round);
            seen[w.shape]++;
            lethe_json_doc_free(doc);
            sc_end(&o);
        }
        w_free(&w);
    }
    for (size_t i = 0; i < W_SHAPES; i++)
        assert_true(seen[i] > ROUNDS / 10);
    lethe_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_candidate_is_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
