/* SPDX-License-Identifier: Apache-2.0 */
/* Random logs and releases: marks are chosen, and who has them is found, by looking at everybody.
 */
/* suite: threads */
#include "log_attack_harness.h"
#include "seeds.h"

#define ROUNDS seeds(4000)
enum { PERSONS = 6, USERS = 14, TEXTS = 7 };
enum { UNIQUE, SHARED, ACCOUNTS, STRATEGIES };
static const char *const strategies[] = {"unique", "shared", "accounts"};

typedef struct world {
    size_t n_persons, n_users;
    unsigned issued[PERSONS][TEXTS]; /* rows */
    unsigned shown[USERS][TEXTS];
    bool is[USERS][PERSONS]; /* whose the published user is */
    bool own_names, told;
    size_t marks, accounts;
    char original[4096], published[8192], map[1024];
} world;

/* A published user: some of somebody's rows, and now and then what somebody else issued. */
static void user_draw(uint64_t *seed, world *w, size_t u)
{
    for (size_t p = 0; p < w->n_persons; p++)
        for (size_t t = 0; w->is[u][p] && t < TEXTS; t++)
            if (o_below(seed, 3) > 0) w->shown[u][t] += w->issued[p][t];
    if (o_below(seed, 4) == 0) w->shown[u][o_below(seed, TEXTS)]++;
}

static void draw(uint64_t *seed, world *w)
{
    *w = (world){.n_persons = 1 + o_below(seed, PERSONS),
                 .marks = 1 + o_below(seed, 3),
                 .accounts = o_below(seed, 4),
                 .own_names = o_below(seed, 4) == 0};
    w->told = w->own_names || o_below(seed, 4) > 0;
    for (size_t p = 0; p < w->n_persons; p++)
        for (size_t n = 1 + o_below(seed, 6); n > 0; n--)
            w->issued[p][o_below(seed, 1 + o_below(seed, TEXTS))]++;
    w->n_users = w->own_names ? w->n_persons : 1 + o_below(seed, USERS);
    for (size_t u = 0; u < w->n_users; u++) {
        w->is[u][w->own_names ? u : o_below(seed, w->n_persons)] = true;
        if (!w->own_names && o_below(seed, 6) == 0) w->is[u][o_below(seed, w->n_persons)] = true;
        user_draw(seed, w, u);
    }
}

static size_t rows_of(const unsigned *row)
{
    size_t n = 0;
    for (size_t t = 0; t < TEXTS; t++)
        n += row[t];
    return n;
}

static void text_write(world *w)
{
    size_t o = 0, q = 0, m = 0;
    for (size_t p = 0; p < w->n_persons; p++)
        for (size_t t = 0; t < TEXTS; t++)
            for (unsigned k = 0; k < w->issued[p][t]; k++)
                o +=
                    (size_t)sprintf(w->original + o, "p%zu\tt%zu\t2006-03-01 10:00:00\t\t\n", p, t);
    for (size_t u = 0; u < w->n_users; u++) {
        for (size_t t = 0; t < TEXTS; t++)
            for (unsigned k = 0; k < w->shown[u][t]; k++)
                q += (size_t)sprintf(w->published + q, "%c%zu\tt%zu\t2006-03-01\t\t\n",
                                     w->own_names ? 'p' : 'u', u, t);
        for (size_t p = 0; p < w->n_persons; p++)
            if (w->is[u][p]) m += (size_t)sprintf(w->map + m, "p%zu\tu%zu\n", p, u);
    }
}

/* One side: who has what. */
typedef struct side {
    size_t n;
    const unsigned (*has)[TEXTS];
    bool before;
} side;

static size_t holders(const side *s, size_t t)
{
    size_t n = 0;
    for (size_t u = 0; u < s->n; u++)
        n += s->has[u][t] > 0;
    return n;
}

static bool can_mark(const world *w, const side *s, size_t p, int strategy, size_t t)
{
    side persons = {w->n_persons, (const unsigned(*)[TEXTS])w->issued, true};
    if (w->issued[p][t] == 0) return false;
    if (strategy != UNIQUE && holders(s, t) == 0) return false;
    return strategy != ACCOUNTS || holders(&persons, t) - 1 <= w->accounts;
}

/* Which texts mark person p: one after the other, the rarest of those left. */
static void marks_of(const world *w, const side *s, size_t p, int strategy, bool *mark)
{
    side persons = {w->n_persons, (const unsigned(*)[TEXTS])w->issued, true};
    memset(mark, 0, TEXTS * sizeof *mark);
    for (size_t k = 0; k < w->marks; k++) {
        size_t best = TEXTS;
        for (size_t t = 0; t < TEXTS; t++)
            if (!mark[t] && can_mark(w, s, p, strategy, t) &&
                (best == TEXTS || holders(&persons, t) < holders(&persons, best)))
                best = t;
        if (best < TEXTS) mark[best] = true;
    }
}

static bool is_theirs(const world *w, const side *s, size_t u, size_t p)
{
    return s->before ? u == p : w->is[u][p];
}

/* Is the user one of somebody who issued a mark? */
static bool is_account(const world *w, const side *s, size_t u, const bool *mark)
{
    for (size_t p = 0; p < w->n_persons; p++)
        for (size_t t = 0; t < TEXTS; t++)
            if (is_theirs(w, s, u, p) && mark[t] && w->issued[p][t] > 0) return true;
    return false;
}

static void person_add(const world *w, const side *s, size_t p, int strategy, double *success,
                       double *disclosed)
{
    bool mark[TEXTS], told = s->before || w->told;
    size_t most = 0, candidates = 0, own = 0, rows = 0;
    marks_of(w, s, p, strategy, mark);
    for (size_t u = 0; u < s->n; u++) {
        size_t held = 0;
        for (size_t t = 0; t < TEXTS; t++)
            held += mark[t] && s->has[u][t] > 0;
        if (held == 0 || held < most) continue;
        if (strategy == ACCOUNTS && told && !is_theirs(w, s, u, p) && is_account(w, s, u, mark))
            continue;
        if (held > most) candidates = own = rows = 0;
        most = held;
        candidates++;
        own += is_theirs(w, s, u, p);
        rows += is_theirs(w, s, u, p) ? rows_of(s->has[u]) : 0;
    }
    if (candidates == 0) return;
    if (!told)
        *success += strategy == ACCOUNTS ? 1 : 1 / (double)candidates;
    else
        *success += (double)own / (double)candidates;
    *disclosed += (double)rows / (double)candidates / (double)rows_of(w->issued[p]);
}

static size_t answer_check(const world *w, const lethe_json *out, uint64_t seed)
{
    double success[2][STRATEGIES] = {{0}}, disclosed[2][STRATEGIES] = {{0}};
    side sides[2] = {{w->n_persons, (const unsigned(*)[TEXTS])w->issued, true},
                     {w->n_users, (const unsigned(*)[TEXTS])w->shown, false}};
    size_t users = 0;
    for (int after = 0; after < 2; after++)
        for (int s = 0; s < STRATEGIES; s++) {
            for (size_t p = 0; p < w->n_persons; p++)
                person_add(w, &sides[after], p, s, &success[after][s], &disclosed[after][s]);
            success[after][s] /= (double)w->n_persons;
            disclosed[after][s] /= (double)w->n_persons;
        }
    for (size_t u = 0; u < w->n_users; u++)
        users += rows_of(w->shown[u]) > 0;
    la_best(out, "strategy_before", "before", strategies, success[0], STRATEGIES, seed);
    size_t best = la_best(out, "strategy", "success", strategies, success[1], STRATEGIES, seed);
    if (w->told) la_is(out, "disclosed", disclosed[1][best], seed);
    la_is(out, "baseline", 1 / (double)users, seed);
    la_is(out, "persons", (double)w->n_persons, seed);
    return best;
}

static void marked_persons_are_found(void **state)
{
    (void)state;
    heard h;
    unsigned won[STRATEGIES] = {0}, told = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t seed = round;
        static world w;
        char marks[16], accounts[16];
        draw(&seed, &w);
        text_write(&w);
        if (w.published[0] == '\0') continue;
        snprintf(marks, sizeof marks, "marks=%zu", w.marks);
        snprintf(accounts, sizeof accounts, "accounts=%zu", w.accounts);
        la_case c = {.adversary = &lethe_adversary_marking,
                     .original = w.original,
                     .published = w.published,
                     .map = w.told && !w.own_names ? w.map : NULL,
                     .own_names = w.own_names,
                     .options = {marks, accounts}};
        lethe_ctx *ctx = heard_ctx(&h, 1 + (unsigned)(round % 3));
        lethe_json_doc *doc = lethe_json_doc_new();
        lethe_json *out = lethe_json_object(doc);
        if (la_run(ctx, &c, doc, out) != LETHE_OK)
            fail_msg("seed %llu: %s", (unsigned long long)round, h.text);
        won[answer_check(&w, out, round)]++;
        told += w.told;
        lethe_json_doc_free(doc);
        lethe_ctx_free(ctx);
    }
    for (size_t i = 0; i < STRATEGIES; i++)
        assert_true(won[i] > ROUNDS / 50);
    assert_true(told > ROUNDS / 2 && told < ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(marked_persons_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
