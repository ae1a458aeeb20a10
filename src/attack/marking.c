/* SPDX-License-Identifier: Apache-2.0 */
/* marking.c - an adversary who knows queries that a user was made to issue, and looks for them.
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, section 5.4: "if the attacker knows that a
 * user makes a query (or forces the user to make that query), they can effectively mark the
 * session"; where a query must be issued by several users to be published, "the adversary would
 * need to have the system generate a sufficient number of shares".
 *
 * Nothing has to be planted for this: the rarest texts that a person issued serve as the marks, M
 * of them, as what the adversary made the person issue would be rare.  How marks are chosen is his
 * strategy, for he knows the method before he plants:
 *
 *   unique    those that the fewest persons issued: a text of nonsense
 *   shared    of those that are in the release, those that the fewest persons issued: he knows that
 *             the query will be frequent enough
 *   accounts  of those that are in the release, those that at most N other persons issued: these
 *             are accounts of his own, by which he brings the query over a threshold, and whose
 *             published users he rules out when he looks for the person
 *
 * His candidates are the published users who have the most of a person's marks, at least one, and
 * he chooses one at random.  With a map, or where users keep their names, he succeeds where it is
 * one of the person's.  Without, the person is taken to be among the candidates.  Of the strategies
 * the best over all persons is the answer.  Before, the original is the release.
 *
 * What he learns is what the user has who is recognized: of people who were split into several, a
 * part.  `disclosed` is the share of a person's rows that are then known.
 *
 * Up to 1000 persons are drawn.  Memory: what attack/texts.h says, and 128 bytes for each person
 * drawn and thread.  Rows with a mark go through the sorter by user; the rest is only read. */
#include "attack/attack.h"
#include "attack/aliases.h"
#include "attack/strategies.h"
#include "attack/texts.h"
#include "io/sort/sorter.h"
#include <stdlib.h>

enum { SAMPLE = 1000 };
#define SEED UINT64_C(20060301)

enum { BEFORE, AFTER, TIMES };
enum { UNIQUE, SHARED, ACCOUNTS, STRATEGIES };
static const char *const strategies[STRATEGIES] = {"unique", "shared", "accounts"};

/* Users who hold the most marks of a person; sums, so that workers can be added up. */
struct found {
    uint32_t marks; /* that they hold */
    uint64_t candidates, own;
    uint64_t own_rows; /* of those that are the person's */
};

struct worker {
    lethe_buf record, user;
    uint32_t last;     /* the number of the last user among `own`; LETHE_NONE: none of them */
    uint64_t *rows;    /* by user among `own` */
    uint32_t *held;    /* by mark set: how many the user at hand holds; 0 between */
    uint32_t *touched; /* mark sets of which the user holds one, */
    size_t n_touched;
    struct found *found; /* by mark set */
    lethe_dict *issuers;
    lethe_buf pair;
};

struct mark_search {
    lethe_comparison *c;
    lethe_arena *arena;
    uint64_t marks, accounts;
    lethe_person_texts persons;
    uint64_t *users[TIMES]; /* by text: of the original, of the release */
    uint64_t n_users[TIMES];
    bool confirmed;         /* is it known who is who, in what is searched? */
    lethe_dict *own;        /* users who are somebody drawn, and */
    lethe_dict *pairs;      /* user NUL person (4 bytes): whose they are */
    lethe_dict *issuers;    /* users of the original who issued a mark of ACCOUNTS: */
    uint64_t *issuer_start; /* by issuer, + 1: issuer_set[issuer_start[i]] .. are its sets */
    uint32_t *issuer_set;
    lethe_dict *ruled_out; /* published user NUL set (4 bytes): an account */
    /* Mark sets, strategy by strategy: set s * n + p is what person p was marked with. */
    uint64_t *start; /* by text, + 1: it is in set[start[t]] .. set[start[t + 1] - 1] */
    uint32_t *set;
    lethe_sorter *sorter; /* user NUL text (4 bytes) */
    unsigned n_workers;
    struct worker *workers;
};

static size_t n_sets(const struct mark_search *m) { return (size_t)STRATEGIES * m->persons.n; }

/* --- the marks --- */

/* A text, and how many persons issued it. */
struct choice {
    uint64_t users;
    uint64_t place; /* in the order of bytes */
    uint32_t text;
};

static int rarest_first(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    if (x->users != y->users) return x->users < y->users ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static bool can_mark(const struct mark_search *m, int time, int strategy, uint32_t text)
{
    if (strategy == UNIQUE) return true;
    return m->users[time][text] > 0 &&
           (strategy != ACCOUNTS || m->users[BEFORE][text] <= m->accounts + 1);
}

/* The marks of each person by each strategy, as pairs of a text and a set. */
static lethe_err marks_choose(const struct mark_search *m, int time, lethe_buf *pairs)
{
    const lethe_person_texts *p = &m->persons;
    size_t most = 0;
    for (uint32_t i = 0; i < p->n; i++)
        most = LETHE_MAX(most, (size_t)(p->start[i + 1] - p->start[i]));
    struct choice *all = lethe_alloc(most + 1, sizeof *all);
    lethe_err e = all ? LETHE_OK : LETHE_ENOMEM;
    for (size_t s = 0; e == LETHE_OK && s < n_sets(m); s++) {
        uint32_t who = (uint32_t)(s % p->n);
        size_t n = 0;
        for (uint64_t k = p->start[who]; k < p->start[who + 1]; k++)
            if (can_mark(m, time, (int)(s / p->n), p->text[k]))
                all[n++] = (struct choice){m->users[BEFORE][p->text[k]], k, p->text[k]};
        qsort(all, n, sizeof *all, rarest_first);
        for (size_t k = 0; e == LETHE_OK && k < LETHE_MIN(n, m->marks); k++) {
            uint32_t pair[2] = {all[k].text, (uint32_t)s};
            e = lethe_buf_put(pairs, pair, sizeof pair);
        }
    }
    lethe_free(all);
    return e;
}

/* Pairs of a key below n and a value become lists by key. */
static lethe_err lists_make(lethe_arena *a, const lethe_buf *pairs, size_t n, uint64_t **start,
                            uint32_t **value)
{
    const uint32_t *at = (const uint32_t *)(const void *)pairs->at;
    size_t n_pairs = pairs->n / (2 * sizeof *at);
    *start = lethe_new(a, uint64_t, n + 2);
    *value = lethe_new(a, uint32_t, n_pairs + 1);
    if (!*start || !*value) return LETHE_ENOMEM;
    uint64_t *next = *start + 1; // becomes the ends, and so the beginnings
    for (size_t i = 0; i < n_pairs; i++)
        next[at[2 * i] + 1]++;
    for (size_t k = 0; k < n; k++)
        next[k + 1] += next[k];
    for (size_t i = 0; i < n_pairs; i++)
        (*value)[next[at[2 * i]]++] = at[2 * i + 1];
    return LETHE_OK;
}

/* Sets by text. */
static lethe_err marks_index(struct mark_search *m, int time)
{
    lethe_buf pairs = {0};
    lethe_err e = marks_choose(m, time, &pairs);
    if (e == LETHE_OK)
        e = lists_make(m->arena, &pairs, lethe_dict_count(m->persons.texts), &m->start, &m->set);
    lethe_buf_free(&pairs);
    return e == LETHE_OK ? e : lethe_no_memory(m->c->ctx);
}

/* --- who is who --- */

static lethe_err pair_add(struct mark_search *m, unsigned w, lethe_dict *to, lethe_str user,
                          uint32_t number)
{
    uint8_t bytes[4];
    uint32_t id;
    lethe_buf *b = &m->workers[w].pair;
    lethe_be32_put(bytes, number);
    b->n = 0;
    if (lethe_buf_str(b, user) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, bytes, sizeof bytes) != LETHE_OK ||
        lethe_dict_add(to, (lethe_str){(const char *)b->at, b->n}, &id) != LETHE_OK)
        return lethe_no_memory(m->c->ctx);
    return LETHE_OK;
}

/* The user is in the worker's `pair` already, with room behind. */
static bool pair_has(const struct worker *k, const lethe_dict *in, size_t n_user, uint32_t number)
{
    lethe_be32_put(k->pair.at + n_user + 1, number);
    return lethe_dict_find(in, (lethe_str){(const char *)k->pair.at, n_user + 5}) != LETHE_NONE;
}

static lethe_err own_add(struct mark_search *m, lethe_str user, uint32_t person)
{
    uint32_t id;
    LETHE_TRY(pair_add(m, 0, m->pairs, user, person));
    return lethe_dict_add(m->own, user, &id) == LETHE_OK ? LETHE_OK : lethe_no_memory(m->c->ctx);
}

/* Who issued a mark that is shared with accounts. */
static lethe_err on_issuer(void *arg, unsigned w, const lethe_row *row)
{
    struct mark_search *m = arg;
    uint32_t text = lethe_dict_find(m->persons.texts, row->query);
    for (uint64_t s = text == LETHE_NONE ? 0 : m->start[text];
         text != LETHE_NONE && s < m->start[text + 1]; s++)
        if (m->set[s] / m->persons.n == ACCOUNTS)
            LETHE_TRY(pair_add(m, w, m->workers[w].issuers, row->user, m->set[s]));
    return LETHE_OK;
}

/* What an issuer is published as is an account. */
static lethe_err rule_out(struct mark_search *m, uint32_t issuer, lethe_str published)
{
    for (uint64_t i = m->issuer_start[issuer]; i < m->issuer_start[issuer + 1]; i++)
        LETHE_TRY(pair_add(m, 0, m->ruled_out, published, m->issuer_set[i]));
    return LETHE_OK;
}

static lethe_err on_alias(void *arg, lethe_str original, lethe_str published)
{
    struct mark_search *m = arg;
    uint32_t person = lethe_dict_find(m->persons.persons, original),
             issuer = lethe_dict_find(m->issuers, original);
    if (issuer != LETHE_NONE) LETHE_TRY(rule_out(m, issuer, published));
    return person == LETHE_NONE ? LETHE_OK : own_add(m, published, person);
}

/* What workers found, by issuer. */
static lethe_err issuers_list(struct mark_search *m)
{
    lethe_buf pairs = {0}; // issuer and set
    lethe_err e = LETHE_OK;
    for (unsigned w = 0; e == LETHE_OK && w < m->n_workers; w++)
        for (uint32_t i = 0; e == LETHE_OK && i < lethe_dict_count(m->workers[w].issuers); i++) {
            lethe_str key = lethe_dict_at(m->workers[w].issuers, i);
            uint32_t pair[2] = {0, lethe_be32_get((const uint8_t *)key.at + key.n - 4)};
            e = lethe_dict_add(m->issuers, (lethe_str){key.at, key.n - 5}, &pair[0]);
            if (e == LETHE_OK) e = lethe_buf_put(&pairs, pair, sizeof pair);
        }
    if (e == LETHE_OK)
        e = lists_make(m->arena, &pairs, lethe_dict_count(m->issuers), &m->issuer_start,
                       &m->issuer_set);
    lethe_buf_free(&pairs);
    return e == LETHE_OK ? e : lethe_no_memory(m->c->ctx);
}

static lethe_err issuers_find(struct mark_search *m)
{
    lethe_ctx *ctx = m->c->ctx;
    for (unsigned w = 0; w < m->n_workers; w++) {
        lethe_dict_free(m->workers[w].issuers);
        if (!(m->workers[w].issuers = lethe_dict_new())) return lethe_no_memory(ctx);
    }
    LETHE_TRY(
        lethe_log_walk(ctx, m->c->original.log, &(lethe_row_visitor){.row = on_issuer, .arg = m}));
    return issuers_list(m);
}

static lethe_err own_open(struct mark_search *m, int time, lethe_log *log)
{
    lethe_dict **const dicts[] = {&m->own, &m->pairs, &m->issuers, &m->ruled_out};
    for (size_t i = 0; i < LETHE_COUNT(dicts); i++) {
        lethe_dict_free(*dicts[i]);
        if (!(*dicts[i] = lethe_dict_new())) return lethe_no_memory(m->c->ctx);
    }
    m->confirmed = time == BEFORE || m->c->map || m->c->own_names;
    if (!m->confirmed) return LETHE_OK;
    LETHE_TRY(issuers_find(m));
    if (time == AFTER && m->c->map) return lethe_aliases_read(m->c, log, on_alias, m);
    for (uint32_t i = 0; i < lethe_dict_count(m->issuers); i++) // users have their own names
        LETHE_TRY(rule_out(m, i, lethe_dict_at(m->issuers, i)));
    for (uint32_t p = 0; p < m->persons.n; p++)
        LETHE_TRY(own_add(m, lethe_dict_at(m->persons.persons, p), p));
    return LETHE_OK;
}

/* --- rows --- */

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct mark_search *m = arg;
    struct worker *k = &m->workers[w];
    if (!lethe_str_eq((lethe_str){(const char *)k->user.at, k->user.n}, row->user)) {
        k->user.n = 0; // lines of a user follow each other
        if (lethe_buf_str(&k->user, row->user) != LETHE_OK) return lethe_no_memory(m->c->ctx);
        k->last = lethe_dict_find(m->own, row->user);
    }
    if (k->last != LETHE_NONE) k->rows[k->last]++;
    uint32_t text = lethe_dict_find(m->persons.texts, row->query);
    if (text == LETHE_NONE || m->start[text] == m->start[text + 1]) return LETHE_OK;
    uint8_t number[4];
    lethe_be32_put(number, text);
    k->record.n = 0;
    if (lethe_buf_str(&k->record, row->user) != LETHE_OK ||
        lethe_buf_put(&k->record, "", 1) != LETHE_OK ||
        lethe_buf_put(&k->record, number, sizeof number) != LETHE_OK)
        return lethe_no_memory(m->c->ctx);
    return lethe_sorter_put(m->sorter, w, k->record.at, k->record.n);
}

/* --- users --- */

static void found_add(struct found *to, const struct found *more)
{
    if (more->marks < to->marks || more->marks == 0) return;
    if (more->marks > to->marks) *to = (struct found){.marks = more->marks};
    to->candidates += more->candidates;
    to->own += more->own;
    to->own_rows += more->own_rows;
}

static uint64_t rows_of(const struct mark_search *m, uint32_t user)
{
    uint64_t n = 0;
    for (unsigned w = 0; w < m->n_workers; w++)
        n += m->workers[w].rows[user];
    return n;
}

/* All marks that a user holds are known: whom may it be? */
static lethe_err user_done(struct mark_search *m, struct worker *k, lethe_str user)
{
    k->pair.n = 0;
    if (lethe_buf_str(&k->pair, user) != LETHE_OK || lethe_buf_put(&k->pair, "", 1) != LETHE_OK ||
        lethe_buf_reserve(&k->pair, 4) != LETHE_OK)
        return lethe_no_memory(m->c->ctx);
    uint32_t own = lethe_dict_find(m->own, user);
    uint64_t rows = own == LETHE_NONE ? 0 : rows_of(m, own);
    for (size_t i = 0; i < k->n_touched; i++) {
        uint32_t set = k->touched[i], person = set % m->persons.n;
        bool theirs = own != LETHE_NONE && pair_has(k, m->pairs, user.n, person);
        struct found one = {k->held[set], 1, theirs, theirs ? rows : 0};
        if (theirs || !pair_has(k, m->ruled_out, user.n, set)) found_add(&k->found[set], &one);
        k->held[set] = 0;
    }
    k->n_touched = 0;
    return LETHE_OK;
}

static lethe_str user_of(lethe_str record) { return (lethe_str){record.at, record.n - 5}; }

/* Records come user by user, a user's texts rising. */
static lethe_err users_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct mark_search *m = arg;
    struct worker *k = &m->workers[w];
    lethe_str record, before = {NULL, 0};
    (void)i;
    for (; lethe_sorted_next(it, &record); before = record) {
        if (before.at && lethe_str_eq(before, record)) continue;
        if (before.at && !lethe_str_eq(user_of(before), user_of(record)))
            LETHE_TRY(user_done(m, k, user_of(before)));
        uint32_t text = lethe_be32_get((const uint8_t *)record.at + record.n - 4);
        for (uint64_t s = m->start[text]; s < m->start[text + 1]; s++)
            if (k->held[m->set[s]]++ == 0) k->touched[k->n_touched++] = m->set[s];
    }
    LETHE_TRY(lethe_sorted_err(it));
    return before.at ? user_done(m, k, user_of(before)) : LETHE_OK;
}

static lethe_err workers_open(struct mark_search *m)
{
    size_t sets = n_sets(m) + 1, own = (size_t)lethe_dict_count(m->own) + 1;
    for (unsigned w = 0; w < m->n_workers; w++) {
        struct worker *k = &m->workers[w];
        k->user.n = 0;
        k->last = LETHE_NONE;
        k->rows = lethe_new(m->arena, uint64_t, own);
        k->held = lethe_new(m->arena, uint32_t, sets);
        k->touched = lethe_new(m->arena, uint32_t, sets);
        k->found = lethe_new(m->arena, struct found, sets);
        if (!k->rows || !k->held || !k->touched || !k->found) return lethe_no_memory(m->c->ctx);
    }
    return LETHE_OK;
}

/* Looks for all marks in `log`; found[set], of all workers. */
static lethe_err search(struct mark_search *m, int time, lethe_log *log, struct found **out)
{
    lethe_ctx *ctx = m->c->ctx;
    lethe_ctx_phase(ctx, time == BEFORE ? "the original" : "the release", 0);
    LETHE_TRY(marks_index(m, time));
    LETHE_TRY(own_open(m, time, log));
    LETHE_TRY(workers_open(m));
    LETHE_TRY(lethe_sorter_new(ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(ctx) / 2, &m->sorter));
    lethe_err e = lethe_log_walk(ctx, log, &(lethe_row_visitor){.row = on_row, .arg = m});
    if (e == LETHE_OK) e = lethe_sorter_each(m->sorter, users_part, m);
    lethe_sorter_free(m->sorter);
    m->sorter = NULL;
    if (e != LETHE_OK) return e;
    *out = lethe_new(m->arena, struct found, n_sets(m) + 1);
    if (!*out) return lethe_no_memory(ctx);
    for (unsigned w = 0; w < m->n_workers; w++)
        for (size_t s = 0; s < n_sets(m); s++)
            found_add(&(*out)[s], &m->workers[w].found[s]);
    return LETHE_OK;
}

/* --- the answer --- */

struct summary {
    double success[STRATEGIES], disclosed[STRATEGIES];
    size_t best;
};

static struct summary summarize(const struct mark_search *m, const struct found *found)
{
    struct summary s = {0};
    double n = (double)LETHE_MAX(m->persons.n, 1);
    for (int k = 0; k < STRATEGIES; k++) {
        for (size_t p = 0; p < m->persons.n; p++, found++) {
            if (found->candidates == 0) continue;
            double chosen = (double)found->candidates;
            if (!m->confirmed) // accounts are ruled out, and one is the person's
                s.success[k] += k == ACCOUNTS ? 1 : 1 / chosen;
            else
                s.success[k] += (double)found->own / chosen;
            s.disclosed[k] += (double)found->own_rows / chosen / (double)m->persons.rows[p];
        }
        s.success[k] /= n;
        s.disclosed[k] /= n;
    }
    s.best = lethe_strategy_best(s.success, STRATEGIES);
    return s;
}

static void answer(const struct mark_search *m, const struct summary *before,
                   const struct summary *after, lethe_json_doc *doc, lethe_json *out)
{
    lethe_set_real(doc, out, "success", after->success[after->best]);
    lethe_set_real(doc, out, "before", before->success[before->best]);
    lethe_attack_share(doc, out, "baseline", m->n_users[AFTER] > 0, m->n_users[AFTER]);
    if (m->confirmed) lethe_set_real(doc, out, "disclosed", after->disclosed[after->best]);
    lethe_set_count(doc, out, "persons", m->persons.n);
    lethe_set_count(doc, out, "marks", m->marks);
    lethe_set_count(doc, out, "accounts", m->accounts);
    lethe_json_set(doc, out, "confirmed", lethe_json_new_bool(doc, m->confirmed));
    lethe_json *all = lethe_json_object(doc);
    for (int k = 0; k < STRATEGIES; k++) {
        lethe_json *one = lethe_json_object(doc);
        lethe_set_real(doc, one, "success", after->success[k]);
        lethe_set_real(doc, one, "before", before->success[k]);
        if (m->confirmed) lethe_set_real(doc, one, "disclosed", after->disclosed[k]);
        lethe_json_set(doc, all, strategies[k], one);
    }
    lethe_set_text(doc, out, "strategy", strategies[after->best]);
    lethe_set_text(doc, out, "strategy_before", strategies[before->best]);
    lethe_json_set(doc, out, "strategies", all);
    if (!m->confirmed)
        lethe_set_text(doc, out, "note",
                       "success is an upper bound: without --map, nobody knows who each user is");
    lethe_set_text(doc, out, "meaning", lethe_adversary_marking.meaning);
}

static lethe_err attack_run(struct mark_search *m, lethe_log *log, lethe_json_doc *doc,
                            lethe_json *out)
{
    lethe_comparison *c = m->c;
    struct summary s[TIMES];
    m->arena = lethe_arena_new();
    m->workers = lethe_alloc_zero(m->n_workers, sizeof *m->workers);
    if (!m->arena || !m->workers) return lethe_no_memory(c->ctx);
    lethe_ctx_phase(c->ctx, "persons", 0);
    LETHE_TRY(lethe_person_texts_draw(c->ctx, c->original.log, c->has_seed ? c->seed : SEED, SAMPLE,
                                      &m->persons));
    lethe_log *logs[TIMES] = {c->original.log, log};
    for (int time = 0; time < TIMES; time++) {
        m->users[time] =
            lethe_new(m->arena, uint64_t, (size_t)lethe_dict_count(m->persons.texts) + 1);
        if (!m->users[time]) return lethe_no_memory(c->ctx);
        LETHE_TRY(lethe_texts_count(c->ctx, logs[time], m->persons.texts, m->users[time],
                                    &m->n_users[time]));
    }
    for (int time = 0; time < TIMES; time++) {
        struct found *found;
        LETHE_TRY(search(m, time, logs[time], &found));
        s[time] = summarize(m, found);
    }
    if (c->published->shape == LETHE_SHAPE_SEALED) m->n_users[AFTER] = c->n_sealed;
    answer(m, &s[BEFORE], &s[AFTER], doc, out);
    return LETHE_OK;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct mark_search m = {.c = c,
                            .marks = (uint64_t)lethe_count_of(c->values, "marks"),
                            .accounts = (uint64_t)lethe_count_of(c->values, "accounts"),
                            .n_workers = lethe_ctx_threads(c->ctx)};
    lethe_log *log = c->opened;
    if (c->published->shape == LETHE_SHAPE_LOG)
        LETHE_TRY(lethe_log_published(c->ctx, c->published->dirfd, "data.tsv", &log));
    lethe_err e = attack_run(&m, log, doc, out);
    for (unsigned w = 0; m.workers && w < m.n_workers; w++) {
        lethe_buf_free(&m.workers[w].record);
        lethe_buf_free(&m.workers[w].user);
        lethe_buf_free(&m.workers[w].pair);
        lethe_dict_free(m.workers[w].issuers);
    }
    lethe_free(m.workers);
    lethe_dict *const dicts[] = {m.own, m.pairs, m.issuers, m.ruled_out};
    for (size_t i = 0; i < LETHE_COUNT(dicts); i++)
        lethe_dict_free(dicts[i]);
    lethe_person_texts_free(&m.persons);
    lethe_arena_free(m.arena);
    if (log != c->opened) lethe_log_free(log);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(c->ctx);
    return e;
}

static const lethe_option options[] = {
    {.name = "marks",
     .type = LETHE_OPT_COUNT,
     .arg = "M",
     .fallback = "3",
     .min = 1,
     .max = 64,
     .help = "how many queries a person was made to issue"},
    {.name = "accounts",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "9",
     .min = 0,
     .max = 1000000,
     .help = "how many accounts of the adversary's own issued a mark too"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_marking = {
    .name = "marking",
    .summary = "can a person be recognized who was made to issue certain queries?",
    .threat = LETHE_THREAT_SINGLING_OUT,
    .trials = "persons",
    .active = true,
    .shapes = LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED,
    .options = options,
    .meaning = "chance of recognizing a published user of a person who was made to issue a few "
               "rare queries, by the best of three ways to choose them: the rarest, the rarest "
               "that are published, or those that otherwise only accounts of the adversary's own "
               "issued (without --map: if the person is among those who have the most of them); "
               "before: in the original; baseline: a published user chosen at random",
    .run = run,
};
