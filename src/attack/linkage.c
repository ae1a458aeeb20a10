/* SPDX-License-Identifier: Apache-2.0 */
/* linkage.c - can the published users of one person be linked to each other?
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 6.1.
 *
 * Each published user (a session, where a method has split people) is a document: all words of its
 * queries.  Masks are no words; a text counts once for a user however often it comes, since lines
 * repeat it for every click.  Each document is searched for among the others, by BM25, and the best
 * 100 are looked at: how many are the same person?  An adversary who could ask whether two users
 * are one would so draw edges between them; what hangs together is recovered.  Of a person's k
 * users in m components the recovery ratio is m/k, and the optimal one 1/k.  (The paper says that
 * it reports optimal over recovery, which approaches 1; its figures, 20.6 to 130, are recovery over
 * optimal, that is m.)
 *
 * All documents are in memory: 20 bytes for each word of each user and 8 more for each occurrence
 * while the index is made, some 60 for each user, and the distinct words.  Nothing depends on
 * threads: users are numbered in the order of their bytes, words too, and sums are taken in that
 * order. */
#include "attack/attack.h"
#include "algo/text/retrieval.h"
#include "attack/aliases.h"
#include "io/sort/sorter.h"
#include "text/words.h"
#include "core/sort.h"
#include <stdatomic.h>
#include <stdlib.h>

enum { TOP = 100, N_COLUMNS = 4 };

/* The paper's Table 1: sessions with at most so many that match. */
static const struct column {
    const char *name;
    uint32_t most;
} columns[N_COLUMNS] = {{"all", UINT32_MAX}, {"le1000", 1000}, {"le100", 100}, {"le10", 10}};

/* A document as a worker collected it; its name and words are in the worker's buffers. */
struct piece {
    size_t name, n_name; /* bytes of `names` */
    size_t word, n_words;
};

struct worker {
    lethe_buf record; /* the last one put */
    lethe_dict *words;
    lethe_u32s numbers; /* by word: its number among all workers' words */
    lethe_buf names;
    lethe_buf pieces; /* struct piece each */
    lethe_buf terms;  /* uint32_t each: numbers of `words`, document after document */
    lethe_search *search;
};

struct document {
    lethe_str name;
    const uint32_t *terms; /* the worker's numbers */
    uint32_t n_terms;
    unsigned w;
};

/* What searching for a session gave. */
struct found {
    uint32_t matching;
    uint8_t results, same; /* of the TOP */
};

struct session_links {
    lethe_ctx *ctx;
    lethe_arena *arena;
    unsigned n_workers;
    struct worker *workers;
    lethe_sorter *sorter;
    uint32_t n_sessions;
    lethe_dict *sessions; /* numbered in the order of their bytes */
    lethe_retrieval *index;
    /* Who is who.  A published user may be several persons'; each such pair is a member. */
    lethe_dict *persons;
    lethe_buf pairs; /* uint64_t each: session and person; sorted, none twice */
    uint32_t n_persons, n_members;
    uint32_t *first;      /* by session: its first member */
    uint32_t *k;          /* by person: how many sessions */
    _Atomic uint32_t *up; /* by member: one of the same component, or itself */
    struct found *found;  /* by session */
};

/* --- the documents --- */

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct session_links *l = arg;
    lethe_buf *b = &l->workers[w].record;
    size_t n = row->user.n + 1 + row->query.n;
    if (b->n == n && memcmp(b->at, row->user.at, row->user.n) == 0 && b->at[row->user.n] == 0 &&
        memcmp(b->at + row->user.n + 1, row->query.at, row->query.n) == 0)
        return LETHE_OK; // another click
    b->n = 0;
    if (lethe_buf_str(b, row->user) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_str(b, row->query) != LETHE_OK)
        return lethe_no_memory(l->ctx);
    return lethe_sorter_put(l->sorter, w, b->at, b->n);
}

static size_t n_terms(const struct worker *k) { return k->terms.n / sizeof(uint32_t); }

/* Records come user by user, a user's texts rising. */
static lethe_err users_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct session_links *l = arg;
    struct worker *k = &l->workers[w];
    lethe_str record, before = {NULL, 0};
    struct piece p = {0};
    lethe_err err = LETHE_OK;
    (void)i;
    for (; err == LETHE_OK && lethe_sorted_next(it, &record); before = record) {
        if (before.at && lethe_str_eq(before, record)) continue;
        lethe_str user = {record.at, strnlen(record.at, record.n)};
        if (!before.at || before.n <= user.n || memcmp(before.at, user.at, user.n + 1) != 0) {
            if (before.at) err = lethe_buf_put(&k->pieces, &p, sizeof p);
            p = (struct piece){k->names.n, user.n, n_terms(k), 0};
            if (err == LETHE_OK) err = lethe_buf_str(&k->names, user);
        }
        lethe_words words =
            lethe_words_of((lethe_str){record.at + user.n + 1, record.n - user.n - 1});
        lethe_word word;
        uint32_t id;
        while (err == LETHE_OK && lethe_words_next(&words, &word)) {
            if (word.mask) continue;
            err = lethe_dict_add(k->words, word.text, &id);
            if (err == LETHE_OK) err = lethe_buf_put(&k->terms, &id, sizeof id);
        }
        p.n_words = n_terms(k) - p.word;
    }
    if (err == LETHE_OK && before.at) err = lethe_buf_put(&k->pieces, &p, sizeof p);
    return err == LETHE_OK ? lethe_sorted_err(it) : lethe_no_memory(l->ctx);
}

/* --- the index --- */

/* A word as one worker knows it. */
struct known {
    lethe_str text;
    unsigned w;
    uint32_t id;
};

static int by_text(const void *a, const void *b)
{
    return lethe_str_cmp(((const struct known *)a)->text, ((const struct known *)b)->text);
}

/* Numbers the words of all workers in the order of their bytes. */
static lethe_err number_words(struct session_links *l, uint32_t *n_words)
{
    size_t n = 0, i = 0;
    for (unsigned w = 0; w < l->n_workers; w++)
        n += lethe_dict_count(l->workers[w].words);
    struct known *all = lethe_alloc(n, sizeof *all);
    if (!all) return LETHE_ENOMEM;
    for (unsigned w = 0; w < l->n_workers; w++)
        for (uint32_t id = 0; id < lethe_dict_count(l->workers[w].words); id++)
            all[i++] = (struct known){lethe_dict_at(l->workers[w].words, id), w, id};
    if (n > 1) qsort(all, n, sizeof *all, by_text);
    *n_words = 0;
    for (i = 0; i < n; i++) {
        *n_words += i == 0 || !lethe_str_eq(all[i - 1].text, all[i].text);
        l->workers[all[i].w].numbers.at[all[i].id] = *n_words - 1;
    }
    lethe_free(all);
    return LETHE_OK;
}

static int by_name(const void *a, const void *b)
{
    return lethe_str_cmp(((const struct document *)a)->name, ((const struct document *)b)->name);
}

static size_t n_pieces(const struct worker *k) { return k->pieces.n / sizeof(struct piece); }

static lethe_err index_documents(struct session_links *l, uint32_t n_words)
{
    size_t n = 0;
    uint32_t d = 0, id;
    for (unsigned w = 0; w < l->n_workers; w++)
        n += n_terms(&l->workers[w]);
    struct document *docs = lethe_alloc(l->n_sessions, sizeof *docs);
    uint64_t *start = lethe_alloc_zero((size_t)l->n_sessions + 1, sizeof *start);
    uint32_t *terms = lethe_alloc(n, sizeof *terms);
    lethe_err err = docs && start && terms ? LETHE_OK : LETHE_ENOMEM;
    for (unsigned w = 0; err == LETHE_OK && w < l->n_workers; w++) {
        const struct worker *k = &l->workers[w];
        for (size_t i = 0; i < n_pieces(k); i++) {
            struct piece p;
            memcpy(&p, k->pieces.at + i * sizeof p, sizeof p);
            const uint32_t *of = (const uint32_t *)(const void *)k->terms.at;
            docs[d++] = (struct document){.name = {(const char *)k->names.at + p.name, p.n_name},
                                          .terms = p.n_words ? of + p.word : NULL,
                                          .n_terms = (uint32_t)p.n_words,
                                          .w = w};
        }
    }
    if (d > 1) qsort(docs, d, sizeof *docs, by_name);
    for (d = 0; err == LETHE_OK && d < l->n_sessions; d++) {
        const uint32_t *numbers = l->workers[docs[d].w].numbers.at;
        for (uint32_t i = 0; i < docs[d].n_terms; i++)
            terms[start[d] + i] = numbers[docs[d].terms[i]];
        start[d + 1] = start[d] + docs[d].n_terms;
        err = lethe_dict_add(l->sessions, docs[d].name, &id);
    }
    if (err == LETHE_OK) err = lethe_retrieval_new(l->n_sessions, start, terms, n_words, &l->index);
    lethe_free(docs);
    lethe_free(start);
    lethe_free(terms);
    return err;
}

static void collected_free(struct session_links *l)
{
    for (unsigned w = 0; l->workers && w < l->n_workers; w++) {
        struct worker *k = &l->workers[w];
        lethe_buf_free(&k->record);
        lethe_buf_free(&k->names);
        lethe_buf_free(&k->pieces);
        lethe_buf_free(&k->terms);
        lethe_dict_free(k->words);
        k->words = NULL;
    }
}

static lethe_err index_all(struct session_links *l)
{
    uint32_t n_words, zero = 0;
    size_t n = 0;
    for (unsigned w = 0; w < l->n_workers; w++) {
        struct worker *k = &l->workers[w];
        for (uint32_t i = 0; i < lethe_dict_count(k->words); i++)
            if (lethe_u32s_append(l->arena, &k->numbers, &zero, 1) != LETHE_OK)
                return lethe_no_memory(l->ctx);
        n += n_pieces(k);
    }
    if (n >= LETHE_NONE / 2)
        return lethe_fail(l->ctx, LETHE_EINPUT, "too many users for this adversary");
    l->n_sessions = (uint32_t)n;
    if (number_words(l, &n_words) != LETHE_OK || index_documents(l, n_words) != LETHE_OK)
        return lethe_no_memory(l->ctx);
    collected_free(l);
    return LETHE_OK;
}

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
    uint32_t person, session = lethe_dict_find(l->sessions, published);
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
        for (uint32_t s = 0; s < l->n_sessions; s++)
            LETHE_TRY(member_put(l, s, s));
        l->n_persons = l->n_sessions;
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
    l->first = lethe_new(l->arena, uint32_t, (size_t)l->n_sessions + 1);
    l->k = lethe_new(l->arena, uint32_t, (size_t)l->n_persons + 1);
    l->up = lethe_alloc(kept, sizeof *l->up);
    if (!l->first || !l->k || !l->up) return lethe_no_memory(l->ctx);
    for (uint32_t m = 0; m < l->n_members; m++) {
        l->first[(pairs[m] >> 32) + 1]++;
        l->k[person_of(l, m)]++;
        atomic_init(&l->up[m], m);
    }
    for (uint32_t s = 0; s < l->n_sessions; s++)
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

/* Are both one person?  Then they are joined, for each person that both are.  Roots only ever go
 * below smaller ones, so there is no ring, and the components do not depend on who comes first. */
static bool link_sessions(struct session_links *l, uint32_t s, uint32_t t)
{
    uint32_t a = l->first[s], b = l->first[t];
    bool same = false;
    while (a < l->first[s + 1] && b < l->first[t + 1]) {
        uint32_t p = person_of(l, a), q = person_of(l, b);
        for (bool joined = p != q; !joined;) {
            uint32_t x = root_of(l, a), y = root_of(l, b);
            uint32_t high = LETHE_MAX(x, y), low = LETHE_MIN(x, y), expected = high;
            joined = x == y || atomic_compare_exchange_strong_explicit(&l->up[high], &expected, low,
                                                                       memory_order_relaxed,
                                                                       memory_order_relaxed);
        }
        same |= p == q;
        a += p <= q;
        b += q <= p;
    }
    return same;
}

static lethe_err search_session(void *arg, size_t i, unsigned w)
{
    struct session_links *l = arg;
    uint32_t s = (uint32_t)i;
    lethe_hits hits;
    if (lethe_search_like(l->workers[w].search, s, TOP, &hits) != LETHE_OK)
        return lethe_no_memory(l->ctx);
    struct found f = {.matching = hits.matching, .results = (uint8_t)hits.n};
    for (uint32_t h = 0; h < hits.n; h++)
        f.same = (uint8_t)(f.same + link_sessions(l, s, hits.at[h].doc));
    l->found[s] = f;
    lethe_ctx_advance(l->ctx, 1);
    return LETHE_OK;
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

static double selectivity(const struct session_links *l, uint32_t most, uint64_t *n)
{
    double sum = 0;
    *n = 0;
    for (uint32_t s = 0; s < l->n_sessions; s++) {
        struct found f = l->found[s];
        if (f.results == 0 || f.matching > most) continue;
        sum += (double)f.same / f.results;
        ++*n;
    }
    return *n ? sum / (double)*n : 0;
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

/* Where everybody has one published user there is nothing to find, and no need to search. */
static lethe_err answer(struct session_links *l, lethe_json_doc *doc, lethe_json *out)
{
    struct crowd crowd = {0};
    uint64_t n = 0;
    bool any = false;
    for (uint32_t p = 0; p < l->n_persons; p++)
        any |= l->k[p] > 1;
    if (any) {
        l->found = lethe_alloc_zero(l->n_sessions, sizeof *l->found);
        if (!l->found) return lethe_no_memory(l->ctx);
        for (unsigned w = 0; w < l->n_workers; w++)
            if (lethe_search_new(l->index, &l->workers[w].search) != LETHE_OK)
                return lethe_no_memory(l->ctx);
        lethe_ctx_phase(l->ctx, "linking", l->n_sessions);
        LETHE_TRY(lethe_pool_for(l->ctx, l->n_sessions, search_session, l));
    }
    if (any && l->n_members > l->n_sessions) {
        crowd.first = lethe_new(l->arena, uint32_t, (size_t)l->n_persons + 2);
        crowd.sessions = lethe_new(l->arena, uint32_t, (size_t)l->n_members + 1);
        crowd.stamp = lethe_new(l->arena, uint32_t, (size_t)l->n_sessions + 1);
        if (!crowd.first || !crowd.sessions || !crowd.stamp) return lethe_no_memory(l->ctx);
        for (uint32_t p = 0; p < l->n_persons; p++)
            crowd.first[p + 2] = crowd.first[p + 1] + l->k[p];
        for (uint32_t m = 0; m < l->n_members; m++)
            crowd.sessions[crowd.first[person_of(l, m) + 1]++] = (uint32_t)(pairs_of(l)[m] >> 32);
    }
    lethe_set_real(doc, out, "success", any ? selectivity(l, UINT32_MAX, &n) : 0);
    // somebody at random in place of the best, over the sessions that `success` is about
    double chance = 0;
    for (uint32_t s = 0; any && n > 0 && s < l->n_sessions; s++)
        if (l->found[s].results > 0)
            chance += (double)n_others(l, &crowd, s) / (double)(l->n_sessions - 1);
    lethe_set_real(doc, out, "baseline", n > 0 ? chance / (double)n : 0);
    lethe_set_count(doc, out, "sessions", l->n_sessions);
    lethe_set_count(doc, out, "persons", l->n_persons);
    if (any) {
        lethe_json *all = lethe_json_object(doc);
        for (size_t i = 0; i < N_COLUMNS; i++) {
            lethe_json *o = lethe_json_object(doc);
            lethe_set_real(doc, o, "share", selectivity(l, columns[i].most, &n));
            lethe_set_count(doc, o, "sessions", n);
            lethe_json_set(doc, all, columns[i].name, o);
        }
        lethe_json_set(doc, out, "selectivity", all);
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
    l->sessions = lethe_dict_new();
    l->persons = lethe_dict_new();
    if (!l->arena || !l->workers || !l->sessions || !l->persons) return lethe_no_memory(l->ctx);
    for (unsigned w = 0; w < l->n_workers; w++)
        if (!(l->workers[w].words = lethe_dict_new())) return lethe_no_memory(l->ctx);
    LETHE_TRY(lethe_log_published(c->ctx, c->published->dirfd, "data.tsv", log));
    lethe_ctx_phase(c->ctx, "the release", 0);
    LETHE_TRY(
        lethe_sorter_new(l->ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(l->ctx) / 2, &l->sorter));
    LETHE_TRY(lethe_log_walk(l->ctx, *log, &(lethe_row_visitor){.row = on_row, .arg = l}));
    LETHE_TRY(lethe_sorter_each(l->sorter, users_part, l));
    lethe_sorter_free(l->sorter);
    l->sorter = NULL;
    LETHE_TRY(index_all(l));
    LETHE_TRY(members_take(l, c, *log));
    return answer(l, doc, out);
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct session_links l = {.ctx = c->ctx, .n_workers = lethe_ctx_threads(c->ctx)};
    lethe_log *log = NULL;
    lethe_err err = attack_run(&l, c, &log, doc, out);
    lethe_log_free(log);
    lethe_sorter_free(l.sorter);
    collected_free(&l);
    for (unsigned w = 0; l.workers && w < l.n_workers; w++)
        lethe_search_free(l.workers[w].search);
    lethe_free(l.workers);
    lethe_dict_free(l.sessions);
    lethe_dict_free(l.persons);
    lethe_retrieval_free(l.index);
    lethe_buf_free(&l.pairs);
    lethe_free(l.up);
    lethe_free(l.found);
    lethe_arena_free(l.arena);
    if (err == LETHE_OK && lethe_json_failed(doc)) err = lethe_no_memory(c->ctx);
    return err;
}

static const lethe_option options[] = {{.name = NULL}};

const lethe_adversary lethe_adversary_linkage = {
    .name = "linkage",
    .summary = "can the published users of one person be linked to each other?",
    .shapes = LETHE_SHAPE_LOG,
    .options = options,
    .needs = "map",
    .meaning = "precision@100, averaged over the published users: of the up to 100 others with the "
               "most similar words, the share that is the same person; baseline: others chosen at "
               "random",
    .run = run,
};
