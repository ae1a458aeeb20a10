/* SPDX-License-Identifier: Apache-2.0 */
/* linkage.c - can the published users of one person be linked to each other?
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 6.1.
 *
 * Each published user (a session, where a method has split people) is a document of features
 * (attack/sessions.h).  Each is searched for among the others, by four strategies: by its words and
 * BM25, as the paper's "standard text database" may have done; and by the cosine of its words,
 * pairs of words and texts, then with its clicks, then with its times, as the release shows them.
 *
 * Is the best result the same person?  That is success, over the sessions of which a person has
 * another; the best strategy is the answer.  The paper looks at the best 100: which share of them
 * is the same person, by words?  An adversary who could ask whether two users are one would so draw
 * edges between them; what hangs together is recovered.  Of a person's k users in m components the
 * recovery ratio is m/k, and the optimal one 1/k.  (The paper says that it reports optimal over
 * recovery, which approaches 1; its figures, 20.6 to 130, are recovery over optimal, that is m.)
 *
 * In the paper a session is the first of its own results, and no success: `count-self` counts so.
 *
 * All documents are in memory: 20 bytes for each word of each user, 16 for each feature that two
 * have and 4 for any other, some 100 for each user, and the distinct features while they are read.
 * Nothing depends on threads: users are numbered in the order of their bytes, features too, and
 * sums are taken in one order or in whole numbers. */
#include "attack/attack.h"
#include "algo/text/cosine.h"
#include "algo/text/retrieval.h"
#include "attack/aliases.h"
#include "attack/sessions.h"
#include "attack/strategies.h"
#include "core/sort.h"
#include <stdatomic.h>
#include <stdlib.h>

/* BM25, and the cosines by layer of features. */
enum { BM25, COSINES, STRATEGIES = COSINES + LETHE_SESSION_LAYERS };
static const char *const strategies[STRATEGIES] = {"bm25", "texts", "clicks", "times"};

enum { TOP = 100, N_COLUMNS = 4 };

/* The paper's Table 1: sessions with at most so many that match. */
static const struct column {
    const char *name;
    uint32_t most;
} columns[N_COLUMNS] = {{"all", UINT32_MAX}, {"le1000", 1000}, {"le100", 100}, {"le10", 10}};

struct worker {
    lethe_search *words;
    lethe_cosine_search *features;
};

/* What searching for a session gave, by one strategy. */
struct outcome {
    uint8_t results, same; /* of the TOP */
    bool first;            /* is the best one the same person? */
};

struct found {
    uint32_t matching; /* by words */
    struct outcome by[STRATEGIES];
};

struct session_links {
    lethe_ctx *ctx;
    lethe_arena *arena;
    bool count_self;
    unsigned n_workers;
    struct worker *workers;
    lethe_sessions sessions; /* without their features, once these are in the indexes */
    lethe_retrieval *words;
    lethe_cosine *features;
    /* Who is who.  A published user may be several persons'; each such pair is a member. */
    lethe_dict *persons;
    lethe_buf pairs; /* uint64_t each: session and person; sorted, none twice */
    uint32_t n_persons, n_members;
    uint32_t *first;      /* by session: its first member */
    uint32_t *k;          /* by person: how many sessions */
    _Atomic uint32_t *up; /* by member: one of the same component, or itself */
    struct found *found;  /* by session */
};

/* --- who is who --- */

static lethe_err member_put(struct session_links *l, uint32_t session, uint32_t person)
{
    uint64_t pair = (uint64_t)session << 32 | person;
    return lethe_buf_put(&l->pairs, &pair, sizeof pair) == LETHE_OK ? LETHE_OK
                                                                    : lethe_no_memory(l->ctx);
}

static lethe_err on_alias(void *arg, lethe_str original, lethe_str published)
{
    struct session_links *l = arg;
    uint32_t person, session = lethe_dict_find(l->sessions.names, published);
    if (session == LETHE_NONE) return LETHE_OK; // the map may know more
    if (lethe_dict_add(l->persons, original, &person) != LETHE_OK) return lethe_no_memory(l->ctx);
    return member_put(l, session, person);
}

static uint64_t *pairs_of(const struct session_links *l) { return (uint64_t *)(void *)l->pairs.at; }
static uint32_t person_of(const struct session_links *l, uint32_t m)
{
    return (uint32_t)pairs_of(l)[m];
}

static lethe_err members_take(struct session_links *l, const lethe_comparison *c, lethe_log *log)
{
    if (c->map) {
        LETHE_TRY(lethe_aliases_read(c, log, on_alias, l));
        l->n_persons = lethe_dict_count(l->persons);
    } else if (c->own_names) {
        for (uint32_t s = 0; s < l->sessions.n; s++)
            LETHE_TRY(member_put(l, s, s));
        l->n_persons = l->sessions.n;
    } else {
        return lethe_fail(l->ctx, LETHE_EUSAGE, "adversary 'linkage' needs --map");
    }
    uint64_t *pairs = pairs_of(l);
    size_t n = l->pairs.n / sizeof *pairs, kept = 0;
    if (n > 1) qsort(pairs, n, sizeof *pairs, lethe_u64_cmp);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || pairs[kept - 1] != pairs[i]) pairs[kept++] = pairs[i];
    if (kept >= LETHE_NONE)
        return lethe_fail(l->ctx, LETHE_EINPUT, "too many users for this adversary");
    l->n_members = (uint32_t)kept;
    l->first = lethe_new(l->arena, uint32_t, (size_t)l->sessions.n + 1);
    l->k = lethe_new(l->arena, uint32_t, (size_t)l->n_persons + 1);
    l->up = lethe_alloc(kept, sizeof *l->up);
    if (!l->first || !l->k || !l->up) return lethe_no_memory(l->ctx);
    for (uint32_t m = 0; m < l->n_members; m++) {
        l->first[(pairs[m] >> 32) + 1]++;
        l->k[person_of(l, m)]++;
        atomic_init(&l->up[m], m);
    }
    for (uint32_t s = 0; s < l->sessions.n; s++)
        l->first[s + 1] += l->first[s];
    return LETHE_OK;
}

/* --- searching --- */

static uint32_t root_of(struct session_links *l, uint32_t m)
{
    for (;;) {
        uint32_t up = atomic_load_explicit(&l->up[m], memory_order_relaxed);
        if (up == m) return m;
        uint32_t above = atomic_load_explicit(&l->up[up], memory_order_relaxed);
        if (above != up)
            atomic_compare_exchange_weak_explicit(&l->up[m], &up, above, memory_order_relaxed,
                                                  memory_order_relaxed);
        m = above;
    }
}

/* Joins two members of one person.  Roots only ever go below smaller ones, so there is no ring, and
 * the components do not depend on who comes first. */
static void join(struct session_links *l, uint32_t a, uint32_t b)
{
    for (bool joined = false; !joined;) {
        uint32_t x = root_of(l, a), y = root_of(l, b);
        uint32_t high = LETHE_MAX(x, y), low = LETHE_MIN(x, y), expected = high;
        joined = x == y || atomic_compare_exchange_strong_explicit(&l->up[high], &expected, low,
                                                                   memory_order_relaxed,
                                                                   memory_order_relaxed);
    }
}

/* Are both one person?  With `joins` they are joined, for each person that both are. */
static bool same_person(struct session_links *l, uint32_t s, uint32_t t, bool joins)
{
    uint32_t a = l->first[s], b = l->first[t];
    bool same = false;
    while (a < l->first[s + 1] && b < l->first[t + 1]) {
        uint32_t p = person_of(l, a), q = person_of(l, b);
        if (p == q && joins) join(l, a, b);
        same |= p == q;
        a += p <= q;
        b += q <= p;
    }
    return same;
}

/* `self`: the session finds itself, and is counted. */
static struct outcome outcome_of(struct session_links *l, uint32_t s, const lethe_hits *hits,
                                 bool self, bool joins)
{
    struct outcome o = {0};
    for (uint32_t h = 0; h < hits->n; h++) {
        bool same = same_person(l, s, hits->at[h].doc, joins);
        o.same = (uint8_t)(o.same + same);
        if (h == 0) o.first = same;
    }
    o.results = (uint8_t)(hits->n + self);
    return o;
}

static lethe_err search_session(void *arg, size_t i, unsigned w)
{
    struct session_links *l = arg;
    uint32_t s = (uint32_t)i, top = TOP - l->count_self; // then it takes one of the places
    lethe_hits words, hits[LETHE_SESSION_LAYERS];
    if (lethe_search_like(l->workers[w].words, s, top, &words) != LETHE_OK ||
        lethe_cosine_like(l->workers[w].features, s, top, hits) != LETHE_OK)
        return lethe_no_memory(l->ctx);
    bool self = l->count_self && lethe_retrieval_length(l->words, s) > 0;
    struct found f = {.matching = words.matching + self};
    f.by[BM25] = outcome_of(l, s, &words, self, true);
    for (unsigned k = 0; k < LETHE_SESSION_LAYERS; k++) {
        self = l->count_self && lethe_cosine_has(l->features, s, k);
        f.by[COSINES + k] = outcome_of(l, s, &hits[k], self, false);
    }
    l->found[s] = f;
    lethe_ctx_advance(l->ctx, 1);
    return LETHE_OK;
}

static lethe_err index_words(struct session_links *l)
{
    uint64_t *start = NULL;
    uint32_t *word = NULL;
    LETHE_TRY(lethe_sessions_words(&l->sessions, &start, &word));
    lethe_err err = lethe_retrieval_new(l->sessions.n, start, word, l->sessions.n_words, &l->words);
    lethe_free_all(start, word);
    return err;
}

static lethe_err indexes_make(struct session_links *l)
{
    const lethe_sessions *s = &l->sessions;
    lethe_err err = index_words(l);
    if (err == LETHE_OK)
        err = lethe_cosine_new(s->n, s->start, s->feature, s->n_features, s->layer,
                               LETHE_SESSION_LAYERS, &l->features);
    for (unsigned w = 0; err == LETHE_OK && w < l->n_workers; w++) {
        err = lethe_search_new(l->words, &l->workers[w].words);
        if (err == LETHE_OK) err = lethe_cosine_search_new(l->features, &l->workers[w].features);
    }
    lethe_free_all(l->sessions.feature, l->sessions.start, l->sessions.layer);
    l->sessions.feature = NULL;
    l->sessions.start = NULL;
    l->sessions.layer = NULL;
    return err == LETHE_OK ? LETHE_OK : lethe_no_memory(l->ctx);
}

static lethe_err search_all(struct session_links *l)
{
    lethe_ctx_phase(l->ctx, "indexing", 0);
    LETHE_TRY(indexes_make(l));
    l->found = lethe_alloc_zero(l->sessions.n, sizeof *l->found);
    if (!l->found) return lethe_no_memory(l->ctx);
    lethe_ctx_phase(l->ctx, "linking", l->sessions.n);
    return lethe_pool_for(l->ctx, l->sessions.n, search_session, l);
}

/* --- the answer --- */

/* Lists of each person's sessions, where a session is several persons'. */
struct crowd {
    uint32_t *first; /* by person */
    uint32_t *sessions;
    uint32_t *stamp; /* by session: the last one for which it was counted, from 1 */
};

/* How many other sessions are the same person's. */
static uint32_t n_others(const struct session_links *l, const struct crowd *c, uint32_t s)
{
    uint32_t begin = l->first[s], end = l->first[s + 1], n = 0;
    if (end - begin == 1) return l->k[person_of(l, begin)] - 1;
    assert(c->first && c->sessions && c->stamp); // made where one session is several persons'
    for (uint32_t m = begin; m < end; m++) {
        uint32_t p = person_of(l, m);
        for (uint32_t i = c->first[p]; i < c->first[p + 1]; i++) {
            uint32_t t = c->sessions[i];
            n += t != s && c->stamp[t] != s + 1;
            c->stamp[t] = s + 1;
        }
    }
    return n;
}

/* Makes the lists that n_others() needs. */
static lethe_err crowd_make(const struct session_links *l, struct crowd *c)
{
    if (l->n_members <= l->sessions.n) return LETHE_OK;
    c->first = lethe_new(l->arena, uint32_t, (size_t)l->n_persons + 2);
    c->sessions = lethe_new(l->arena, uint32_t, (size_t)l->n_members + 1);
    c->stamp = lethe_new(l->arena, uint32_t, (size_t)l->sessions.n + 1);
    if (!c->first || !c->sessions || !c->stamp) return lethe_no_memory(l->ctx);
    for (uint32_t p = 0; p < l->n_persons; p++)
        c->first[p + 2] = c->first[p + 1] + l->k[p];
    for (uint32_t m = 0; m < l->n_members; m++)
        c->sessions[c->first[person_of(l, m) + 1]++] = (uint32_t)(pairs_of(l)[m] >> 32);
    return LETHE_OK;
}

/* Adar's share: of a session's results, over the sessions that have any and at most `most` that
 * match by words. */
static double selectivity(const struct session_links *l, int strategy, uint32_t most, uint64_t *n)
{
    double sum = 0;
    *n = 0;
    for (uint32_t s = 0; s < l->sessions.n; s++) {
        const struct found *f = &l->found[s];
        const struct outcome *o = &f->by[strategy];
        if (o->results == 0 || f->matching > most) continue;
        sum += (double)o->same / o->results;
        ++*n;
    }
    return *n ? sum / (double)*n : 0;
}

/* The success of each strategy, and of somebody at random in place of the best: over the sessions
 * of which a person has another. */
struct at_one {
    uint64_t n; /* these */
    double success[STRATEGIES], baseline;
    double share_baseline; /* somebody at random in place of the TOP, where there are results */
};

static struct at_one at_one(const struct session_links *l, const struct crowd *c)
{
    struct at_one a = {0};
    uint64_t found[STRATEGIES] = {0}, n_results = 0;
    for (uint32_t s = 0; s < l->sessions.n; s++) {
        const struct outcome *o = l->found[s].by;
        uint32_t others = n_others(l, c, s);
        double chance = l->sessions.n > 1 ? (double)others / (double)(l->sessions.n - 1) : 0;
        if (o[BM25].results > 0) { // of which one may be itself
            n_results++;
            a.share_baseline += chance * (o[BM25].results - l->count_self) / o[BM25].results;
        }
        if (others == 0) continue;
        a.n++;
        a.baseline += chance;
        for (int k = 0; k < STRATEGIES; k++)
            found[k] += o[k].first;
    }
    for (int k = 0; k < STRATEGIES && a.n > 0; k++)
        a.success[k] = (double)found[k] / (double)a.n;
    a.baseline = a.n ? a.baseline / (double)a.n : 0;
    a.share_baseline = n_results ? a.share_baseline / (double)n_results : 0;
    return a;
}

/* m: components, k: sessions of a person.  Recovery is m/k, optimal 1/k, and recovery over optimal
 * m. */
static lethe_err components(struct session_links *l, lethe_json_doc *doc, lethe_json *out)
{
    uint32_t *m = lethe_new(l->arena, uint32_t, (size_t)l->n_persons + 1);
    uint64_t roots = 0;
    double recovery = 0, optimal = 0, n = l->n_persons ? l->n_persons : 1;
    if (!m) return lethe_no_memory(l->ctx);
    for (uint32_t i = 0; i < l->n_members; i++)
        if (root_of(l, i) == i) m[person_of(l, i)]++, roots++;
    for (uint32_t p = 0; p < l->n_persons; p++) {
        recovery += (double)m[p] / l->k[p];
        optimal += 1.0 / l->k[p];
    }
    lethe_json *o = lethe_json_object(doc);
    lethe_set_real(doc, o, "mean", (double)roots / n);
    lethe_set_count(doc, o, "optimal", 1);
    lethe_set_real(doc, o, "sessions", (double)l->n_members / n);
    lethe_set_real(doc, o, "recovery_ratio", recovery / n);
    lethe_set_real(doc, o, "optimal_ratio", optimal / n);
    lethe_json_set(doc, out, "components", o);
    return LETHE_OK;
}

static void strategies_set(const struct session_links *l, const struct at_one *a,
                           lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *all = lethe_json_object(doc);
    uint64_t n;
    for (int k = 0; k < STRATEGIES; k++) {
        lethe_json *one = lethe_json_object(doc);
        lethe_set_real(doc, one, "success", a->success[k]);
        lethe_set_real(doc, one, "share100", selectivity(l, k, UINT32_MAX, &n));
        lethe_json_set(doc, all, strategies[k], one);
    }
    lethe_set_text(doc, out, "strategy", strategies[lethe_strategy_best(a->success, STRATEGIES)]);
    lethe_json_set(doc, out, "strategies", all);
}

static void selectivity_set(const struct session_links *l, lethe_json_doc *doc, lethe_json *out)
{
    lethe_json *all = lethe_json_object(doc);
    uint64_t n;
    for (size_t i = 0; i < N_COLUMNS; i++) {
        lethe_json *o = lethe_json_object(doc);
        lethe_set_real(doc, o, "share", selectivity(l, BM25, columns[i].most, &n));
        lethe_set_count(doc, o, "sessions", n);
        lethe_json_set(doc, all, columns[i].name, o);
    }
    lethe_json_set(doc, out, "selectivity", all);
}

/* Where everybody has one published user there is nothing to find, and no need to search. */
static lethe_err answer(struct session_links *l, lethe_json_doc *doc, lethe_json *out)
{
    struct crowd crowd = {0};
    struct at_one a = {0};
    uint64_t n;
    bool any = false;
    for (uint32_t p = 0; p < l->n_persons; p++)
        any |= l->k[p] > 1;
    if (any) {
        LETHE_TRY(search_all(l));
        LETHE_TRY(crowd_make(l, &crowd));
        a = at_one(l, &crowd);
    }
    lethe_set_real(doc, out, "success", a.success[lethe_strategy_best(a.success, STRATEGIES)]);
    lethe_set_real(doc, out, "baseline", a.baseline);
    lethe_set_count(doc, out, "linkable", a.n);
    lethe_set_real(doc, out, "share100", any ? selectivity(l, BM25, UINT32_MAX, &n) : 0);
    lethe_set_real(doc, out, "share100_baseline", a.share_baseline);
    lethe_json_set(doc, out, "count_self", lethe_json_new_bool(doc, l->count_self));
    lethe_set_count(doc, out, "sessions", l->sessions.n);
    lethe_set_count(doc, out, "persons", l->n_persons);
    if (any) {
        strategies_set(l, &a, doc, out);
        selectivity_set(l, doc, out);
    } else {
        lethe_set_text(doc, out, "note", "no person has two published users to link");
    }
    LETHE_TRY(components(l, doc, out));
    lethe_set_text(doc, out, "meaning", lethe_adversary_linkage.meaning);
    return LETHE_OK;
}

static lethe_err attack_run(struct session_links *l, lethe_comparison *c, lethe_log **log,
                            lethe_json_doc *doc, lethe_json *out)
{
    l->arena = lethe_arena_new();
    l->workers = lethe_alloc_zero(l->n_workers, sizeof *l->workers);
    l->persons = lethe_dict_new();
    if (!l->arena || !l->workers || !l->persons) return lethe_no_memory(l->ctx);
    LETHE_TRY(lethe_log_published(c->ctx, c->published->dirfd, "data.tsv", log));
    lethe_ctx_phase(c->ctx, "the release", 0);
    LETHE_TRY(lethe_sessions_read(l->ctx, *log, &l->sessions));
    LETHE_TRY(members_take(l, c, *log));
    return answer(l, doc, out);
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct session_links l = {.ctx = c->ctx,
                              .n_workers = lethe_ctx_threads(c->ctx),
                              .count_self = lethe_value_of(c->values, "count-self")->present};
    lethe_log *log = NULL;
    lethe_err err = attack_run(&l, c, &log, doc, out);
    lethe_log_free(log);
    for (unsigned w = 0; l.workers && w < l.n_workers; w++) {
        lethe_search_free(l.workers[w].words);
        lethe_cosine_search_free(l.workers[w].features);
    }
    lethe_free(l.workers);
    lethe_sessions_free(&l.sessions);
    lethe_dict_free(l.persons);
    lethe_retrieval_free(l.words);
    lethe_cosine_free(l.features);
    lethe_buf_free(&l.pairs);
    lethe_free(l.up);
    lethe_free(l.found);
    lethe_arena_free(l.arena);
    if (err == LETHE_OK && lethe_json_failed(doc)) err = lethe_no_memory(c->ctx);
    return err;
}

static const lethe_option options[] = {
    {.name = "count-self",
     .type = LETHE_OPT_FLAG,
     .help = "count a published user among its own results, as in Adar's Table 1"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_linkage = {
    .name = "linkage",
    .summary = "can the published users of one person be linked to each other?",
    .threat = LETHE_THREAT_LINKING,
    .trials = "linkable",
    .shapes = LETHE_SHAPE_LOG,
    .options = options,
    .needs = "map",
    .meaning = "share of the published users whose most similar other one is the same person, of "
               "those whose person has another, by the best of four strategies: similar words "
               "(bm25); words, pairs of words and whole texts (texts); also what was clicked "
               "(clicks); also when (times); baseline: another published user chosen at random",
    .run = run,
};
