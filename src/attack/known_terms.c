/* SPDX-License-Identifier: Apache-2.0 */
/* known_terms.c - an adversary who knows a few terms of a person and looks for who has them: the
 * same one before logs, sealed logs and records, so that releases of any shape lie side by side.
 *
 * He knows M terms of a person (all of them, where there are no more): of the different words that
 * the person asked for, function words aside (text/function_words.h), or of the items of their
 * records, as they stand in the original (algo/text/person_terms.h), each as likely as any other.
 * Which persons, and which terms, depends on the original and the seed alone: every release of it
 * meets the same adversary.
 *
 * A published user holds a term that a published query of theirs has as a word; of a sealed log, as
 * far as queries can be opened.  A record holds a term if it has an item at or above the leaf where
 * the term stands, or a bag with such a member; words are looked up in the taxonomy as the
 * release's step looks them up.  Keyed hashes and names of categories hold nothing: he does not
 * classify what he knows.
 *
 * He scores those that hold a term in four ways (attack/holders.h), from what the release shows
 * alone: how many of the known terms one holds; how rare these are, and how small the profile;
 * naive Bayes; or how few are as near to them, where terms are published in the place of others
 * (ssg), within the step's epsilon.  Those with the best score are his candidates, from which he
 * chooses at random. Which of the strategies succeeds most is decided over all persons, and that
 * one is the answer.
 *
 * With a map, or where users keep their names, he succeeds where the one chosen is the person's
 * own; who is not in the release, or not among the candidates, is not found.  A person may have
 * several published users, and one of these be several persons'.  Without a map the person is taken
 * to be among the candidates of each strategy, wherever there are any: one of them in a log, as
 * many as the person has records else.  So no strategy does better than its figure, and the
 * greatest of them bounds the best strategy; unless a step gave people several users.  It is a
 * loose bound where scores hardly ever tie.
 *
 * Before, the same strategies look for the person among the original's persons.
 *
 * Up to 1000 persons are drawn.  Memory: the terms of both sides, what attack/holders.h says of
 * each side, and for each thread 64 bytes a holder, and 12 for each time that what is known, or
 * near it, is published.  A person costs as many steps as what is known of them, and what is near
 * it, stands in users or records. */
#include "attack/attack.h"
#include "algo/text/person_terms.h"
#include "attack/aliases.h"
#include "attack/holders.h"
#include "attack/sample.h"
#include "attack/strategies.h"
#include "lexicon/wordnet/wordnet.h"
#include "model/published/published_items.h"
#include "model/published/published_records.h"
#include "model/records/record_map.h"
#include "text/function_words.h"
#include <stdlib.h>

enum { SAMPLE = 1000 };
#define SEED UINT64_C(20060301)

enum { BEFORE, AFTER, TIMES };

/* What each strategy leaves of one person's holders. */
struct found {
    lethe_holders_found by[LETHE_HOLDERS_STRATEGIES];
};

struct person_search {
    lethe_comparison *c;
    lethe_arena *arena;
    uint64_t known, crowd;
    const lethe_records *terms;
    lethe_person_sample sample;
    lethe_u32s wanted; /* all terms that are known of anybody */
    lethe_holders holders[TIMES];
    lethe_records *users;             /* of a log; else NULL */
    lethe_published_records *records; /* of records; else NULL */
    uint64_t n_published;             /* users, or records */
    bool confirmed;                   /* is it known who is who? */
    uint64_t *own_start;              /* by person drawn, n + 1: their holders begin in */
    uint32_t *own;                    /* this; one that is so many of their records, so often */
    uint64_t *own_most;               /* without a map: how many they can have */
    struct found *found[TIMES];       /* by person drawn */
    lethe_holder_search **workers;
};

/* --- what is known --- */

/* Draws persons, and what is known of each.  Of a log, nobody is known by their function words. */
static lethe_err persons_draw(struct person_search *a)
{
    const lethe_comparison *c = a->c;
    const lethe_dict *items = a->terms->items;
    uint32_t n = lethe_dict_count(items);
    bool of_log = c->original.log || c->log, *unknown = lethe_new(a->arena, bool, (size_t)n + 1);
    if (!unknown) return lethe_no_memory(c->ctx);
    for (uint32_t i = 0; i < n && of_log; i++)
        unknown[i] = lethe_is_function_word(lethe_dict_at(items, i));
    lethe_person_sample_options by = {.seed = c->has_seed ? c->seed : SEED,
                                      .n_nodes = n,
                                      .n_public = n,
                                      .unknown = unknown,
                                      .persons = SAMPLE,
                                      .present = a->known};
    lethe_err e = lethe_person_sample_draw(a->terms, &by, a->arena, &a->sample);
    return e == LETHE_ENOMEM ? lethe_no_memory(c->ctx) : e;
}

static lethe_err known_gather(struct person_search *a)
{
    for (size_t i = 0; i < a->sample.n; i++) {
        const lethe_sampled_person *p = &a->sample.person[i];
        if (lethe_u32s_append(a->arena, &a->wanted, p->present, p->n_present) != LETHE_OK)
            return lethe_no_memory(a->c->ctx);
    }
    return LETHE_OK;
}

/* --- who holds what --- */

static lethe_err holders_make(struct person_search *a, int time, const lethe_holder_sets *s)
{
    lethe_holders *x = &a->holders[time];
    if (x->n >= LETHE_NONE)
        return lethe_fail(a->c->ctx, LETHE_EINPUT, "too many records for this adversary");
    return lethe_holders_make(x, s, &a->wanted, a->arena) == LETHE_OK ? LETHE_OK
                                                                      : lethe_no_memory(a->c->ctx);
}

/* --- published users --- */

/* A person drawn, and a holder of theirs. */
struct pair {
    uint32_t person, holder;
};

struct user_pairs {
    struct person_search *a;
    uint32_t *person; /* by name of the original's: who was drawn; LETHE_NONE: not them */
    uint32_t *holder; /* by name of a published user; LETHE_NONE: one without a term */
    lethe_buf pairs;  /* struct pair each */
};

static int by_pair(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->person != y->person) return x->person < y->person ? -1 : 1;
    return (x->holder > y->holder) - (x->holder < y->holder);
}

static lethe_err on_alias(void *arg, lethe_str original, lethe_str published)
{
    struct user_pairs *p = arg;
    uint32_t who = lethe_dict_find(p->a->terms->owners, original),
             user = lethe_dict_find(p->a->users->owners, published);
    if (who == LETHE_NONE || user == LETHE_NONE) return LETHE_OK;
    struct pair one = {p->person[who], p->holder[user]};
    if (one.person == LETHE_NONE || one.holder == LETHE_NONE) return LETHE_OK;
    return lethe_buf_put(&p->pairs, &one, sizeof one) == LETHE_OK ? LETHE_OK
                                                                  : lethe_no_memory(p->a->c->ctx);
}

/* Pairs become lists; with `once`, the same pair counts once however often it comes. */
static lethe_err own_list(struct person_search *a, lethe_buf *pairs, bool once)
{
    struct pair *at = (struct pair *)(void *)pairs->at;
    size_t n = pairs->n / sizeof *at, kept = 0, i = 0;
    if (n > 1) qsort(at, n, sizeof *at, by_pair);
    a->own_start = lethe_new(a->arena, uint64_t, a->sample.n + 1);
    a->own = lethe_new(a->arena, uint32_t, n + 1);
    if (!a->own_start || !a->own) return lethe_no_memory(a->c->ctx);
    for (uint32_t person = 0; person < a->sample.n; person++) {
        for (; i < n && at[i].person == person; i++)
            if (!once || i == 0 || by_pair(&at[i - 1], &at[i]) != 0) a->own[kept++] = at[i].holder;
        a->own_start[person + 1] = kept;
    }
    return LETHE_OK;
}

/* Which published users are whose. */
static lethe_err users_pair(struct person_search *a, struct user_pairs *p)
{
    lethe_comparison *c = a->c;
    const lethe_records *t = a->terms, *u = a->users;
    size_t n = t->owners ? lethe_dict_count(t->owners) : 0,
           n_users = u->owners ? lethe_dict_count(u->owners) : 0;
    p->person = lethe_new(a->arena, uint32_t, n + 1);
    p->holder = lethe_new(a->arena, uint32_t, n_users + 1);
    if (!p->person || !p->holder) return lethe_no_memory(c->ctx);
    memset(p->person, 0xff, n * sizeof *p->person); // LETHE_NONE
    memset(p->holder, 0xff, n_users * sizeof *p->holder);
    // records of terms are one per person, in the order of the owners' numbers
    for (size_t i = 0; i < a->sample.n; i++)
        p->person[t->owner_name[a->sample.person[i].owner]] = (uint32_t)i;
    for (size_t i = 0; i < u->n; i++)
        p->holder[u->owner_name[u->owner[i]]] = (uint32_t)i;
    if (!c->map) { // users have their own names
        for (uint32_t i = 0; i < n; i++)
            LETHE_TRY(on_alias(p, lethe_dict_at(t->owners, i), lethe_dict_at(t->owners, i)));
        return LETHE_OK;
    }
    if (c->published->shape == LETHE_SHAPE_SEALED)
        return lethe_aliases_read(c, c->opened, on_alias, p);
    lethe_log *log = NULL;
    LETHE_TRY(lethe_log_published(c->ctx, c->published->dirfd, "data.tsv", &log));
    lethe_err e = lethe_aliases_read(c, log, on_alias, p);
    lethe_log_free(log);
    return e;
}

static lethe_err users_take(struct person_search *a)
{
    LETHE_TRY(lethe_terms_published(a->c, &a->users, &a->n_published));
    const lethe_records *u = a->users;
    uint32_t n = lethe_dict_count(u->items), *key = lethe_new(a->arena, uint32_t, (size_t)n + 1);
    if (!key) return lethe_no_memory(a->c->ctx);
    for (uint32_t i = 0; i < n; i++)
        key[i] = lethe_dict_find(a->terms->items, lethe_dict_at(u->items, i));
    a->holders[AFTER] = (lethe_holders){
        .n = u->n, .total = a->n_published, .n_keys = lethe_dict_count(a->terms->items)};
    LETHE_TRY(holders_make(
        a, AFTER,
        &(lethe_holder_sets){.start = u->start, .item = u->item, .n_items = n, .key = key}));
    struct user_pairs p = {.a = a};
    a->confirmed = a->c->map || a->c->own_names;
    if (!a->confirmed) return LETHE_OK;
    lethe_err e = users_pair(a, &p);
    if (e == LETHE_OK) e = own_list(a, &p.pairs, true); // a map may say it again
    lethe_buf_free(&p.pairs);
    return e;
}

/* --- published records --- */

/* How the release's step looked terms up: lethe_bind_log(), lethe_taxonomy_bind_as(). */
struct lookup {
    const struct person_search *a;
    lethe_wordnet *wn; /* NULL: as they stand */
    bool nouns;        /* nothing but nouns was taken from queries, and what is sensitive */
    bool merge;
};

static bool text_is(const lethe_json *o, const char *name, const char *value)
{
    return lethe_str_eq(lethe_json_text(lethe_json_get(o, name)), lethe_str_of(value));
}

/* The leaf at which a term stands; LETHE_NONE: the release knows nothing of it. */
static uint32_t leaf_of(const struct lookup *l, lethe_str term)
{
    const lethe_comparison *c = l->a->c;
    uint32_t noun = LETHE_NONE, v;
    if (l->wn && !l->nouns) noun = lethe_wordnet_find(l->wn, term);
    if (l->wn && noun == LETHE_NONE) noun = lethe_wordnet_reduce(l->wn, term);
    if (noun != LETHE_NONE && l->merge) noun = lethe_wordnet_merged(l->wn, noun);
    if (noun != LETHE_NONE) term = lethe_wordnet_noun(l->wn, noun);
    v = lethe_term_leaf(c->original.tree, term);
    bool sensitive = v != LETHE_NONE && c->taxonomy && v > c->taxonomy->n; // behind all its nodes
    return l->nouns && noun == LETHE_NONE && !sensitive ? LETHE_NONE : v;
}

/* Over how many edges a published term may stand for one of the person's: the epsilon that ssg used
 * (its figure), where it is in edges of the taxonomy or links of WordNet; else what is usual
 * (docs/ssg.md). */
static uint32_t reach_of(const lethe_json *manifest, const lethe_json *given, const lethe_tree *t)
{
    enum { OF_FILE = 6 }; /* distances of a file are no edges */
    const lethe_json *epsilon = lethe_json_get(given, "epsilon"),
                     *used = lethe_json_get(lethe_json_get(manifest, "metrics"), "epsilon");
    if (!epsilon) return 0;
    bool counts_edges = text_is(given, "metric", "tree") || text_is(given, "metric", "network");
    double edges = counts_edges ? lethe_json_real(used ? used : epsilon) : OF_FILE;
    return edges < 2.0 * t->height ? (uint32_t)edges : 2 * t->height; // none are farther apart
}

/* Which published records are whose, and how many each can have.  Persons of a file have the same
 * numbers in both, those of a log the same names. */
static lethe_err records_pair(struct person_search *a, const uint64_t *line, lethe_buf *pairs)
{
    const lethe_records *o = a->c->original.records, *t = a->terms;
    uint32_t *drawn = lethe_new(a->arena, uint32_t, (size_t)t->n_owners + 1);
    a->own_most = lethe_new(a->arena, uint64_t, a->sample.n + 1);
    if (!drawn || !a->own_most) return lethe_no_memory(a->c->ctx);
    memset(drawn, 0xff, t->n_owners * sizeof *drawn); // LETHE_NONE
    for (size_t i = 0; i < a->sample.n; i++)
        drawn[a->sample.person[i].owner] = (uint32_t)i;
    for (size_t i = 0; i < o->n; i++) {
        uint32_t owner = o->owner[i];
        if (a->c->log) // whose persons are numbered as their names are
            owner = lethe_dict_find(t->owners, lethe_dict_at(o->owners, o->owner_name[owner]));
        struct pair one = {owner == LETHE_NONE ? LETHE_NONE : drawn[owner], 0};
        if (one.person == LETHE_NONE) continue;
        a->own_most[one.person]++;
        if (!line || line[i] == LETHE_NOT_PUBLISHED) continue;
        one.holder = (uint32_t)lethe_published_record_of(a->records, line[i]);
        if (lethe_buf_put(pairs, &one, sizeof one) != LETHE_OK) return lethe_no_memory(a->c->ctx);
    }
    return own_list(a, pairs, false); // each line counts, equal ones too
}

static lethe_err records_take(struct person_search *a)
{
    lethe_comparison *c = a->c;
    const lethe_tree *t = c->original.tree;
    uint64_t *line = NULL;
    a->confirmed = c->map != NULL;
    LETHE_TRY(lethe_attack_records(c, a->arena, &a->records, &line));
    a->n_published = a->records->n_records;
    const lethe_published_records *p = a->records;
    lethe_published_items items;
    uint32_t n_terms = lethe_dict_count(a->terms->items);
    uint32_t *leaf = lethe_new(a->arena, uint32_t, (size_t)n_terms + 1);
    if (!leaf || lethe_published_items_read(t, p->items, a->arena, &items) != LETHE_OK)
        return lethe_no_memory(c->ctx);
    const lethe_json *steps = lethe_json_get(c->published->manifest, "steps"),
                     *last = lethe_json_at(steps, lethe_json_count(steps) - 1),
                     *given = lethe_json_get(last, "parameters");
    bool wordnet =
        text_is(given, "taxonomy", "wordnet") || text_is(given, "taxonomy", "wordnet:present");
    struct lookup l = {.a = a, .merge = text_is(given, "synonyms", "merge")};
    l.nouns =
        c->log && (lethe_json_get(given, "terms") ? text_is(given, "terms", "nouns") : wordnet);
    if (wordnet || l.nouns)
        LETHE_TRY(l.merge ? lethe_wordnet_open(c->ctx, NULL, &l.wn)
                          : lethe_wordnet_open_words(c->ctx, NULL, &l.wn));
    for (uint32_t i = 0; i < n_terms; i++)
        leaf[i] = leaf_of(&l, lethe_dict_at(a->terms->items, i));
    lethe_wordnet_free(l.wn);
    a->holders[AFTER] = (lethe_holders){.n = p->n,
                                        .total = p->n_records,
                                        .first = p->first,
                                        .tree = t,
                                        .n_keys = t->n,
                                        .key_of = leaf,
                                        .reach = reach_of(c->published->manifest, given, t)};
    LETHE_TRY(holders_make(a, AFTER,
                           &(lethe_holder_sets){.start = p->start,
                                                .item = p->item,
                                                .n_items = lethe_dict_count(p->items),
                                                .items = &items}));
    lethe_buf pairs = {0};
    lethe_err e = records_pair(a, line, &pairs);
    lethe_buf_free(&pairs);
    return e;
}

/* --- the search --- */

static lethe_err search_one(void *arg, size_t i, unsigned number)
{
    struct person_search *a = arg;
    const lethe_sampled_person *p = &a->sample.person[i];
    lethe_holder_search *w = a->workers[number];
    uint32_t self = (uint32_t)a->sample.record[p->first]; // of terms, one record a person
    lethe_holders_find(&a->holders[BEFORE], w, p->present, p->n_present, &self, 1,
                       a->found[BEFORE][i].by);
    lethe_holders_found *after = a->found[AFTER][i].by;
    const uint32_t *own = a->confirmed ? a->own + a->own_start[i] : NULL;
    size_t n_own = a->confirmed ? (size_t)(a->own_start[i + 1] - a->own_start[i]) : 0;
    lethe_holders_find(&a->holders[AFTER], w, p->present, p->n_present, own, n_own, after);
    for (int s = 0; !a->confirmed && s < LETHE_HOLDERS_STRATEGIES; s++)
        after[s].own = LETHE_MIN(a->own_most ? a->own_most[i] : 1, after[s].candidates);
    lethe_ctx_advance(a->c->ctx, 1);
    return LETHE_OK;
}

/* --- the answer --- */

/* Over the persons drawn: shares.  Scores hardly ever tie, so how far a person is narrowed down is
 * told by those that hold the most terms, whichever strategy chooses best. */
struct summary {
    double success[LETHE_HOLDERS_STRATEGIES];
    double narrowed, among;
    size_t best;
};

static struct summary summarize(const struct person_search *a, int time)
{
    struct summary s = {0};
    double n = (double)LETHE_MAX(a->sample.n, 1);
    for (size_t i = 0; i < a->sample.n; i++) {
        const struct found *f = &a->found[time][i];
        for (int k = 0; k < LETHE_HOLDERS_STRATEGIES; k++)
            if (f->by[k].own > 0)
                s.success[k] += (double)f->by[k].own / (double)f->by[k].candidates;
        const lethe_holders_found *most = &f->by[LETHE_HOLDERS_MOST];
        s.narrowed += most->own > 0 && most->candidates < a->crowd;
        s.among += most->own > 0;
    }
    for (int k = 0; k < LETHE_HOLDERS_STRATEGIES; k++)
        s.success[k] /= n;
    s.narrowed /= n;
    s.among /= n;
    s.best = lethe_strategy_best(s.success, LETHE_HOLDERS_STRATEGIES);
    return s;
}

static void strategies_set(lethe_json_doc *doc, lethe_json *out, const struct summary *before,
                           const struct summary *after)
{
    lethe_json *all = lethe_json_object(doc);
    for (int k = 0; k < LETHE_HOLDERS_STRATEGIES; k++) {
        lethe_json *one = lethe_json_object(doc);
        lethe_set_real(doc, one, "success", after->success[k]);
        lethe_set_real(doc, one, "before", before->success[k]);
        lethe_json_set(doc, all, lethe_holders_strategies[k], one);
    }
    lethe_set_text(doc, out, "strategy", lethe_holders_strategies[after->best]);
    lethe_set_text(doc, out, "strategy_before", lethe_holders_strategies[before->best]);
    lethe_json_set(doc, out, "strategies", all);
}

/* What the answer is not. */
static const char *note_of(const struct person_search *a)
{
    if (a->sample.n == 0) return "nothing was measured: no person has a term that could be known";
    if (lethe_terms_are_labels(a->c->published->manifest))
        return "categories are published instead of texts: they are not searched";
    if (a->confirmed) return NULL;
    if (!a->users)
        return "success is an upper bound, and a loose one where published records differ: without "
               "--map, nobody knows whose record is which";
    if (a->c->renamed)
        return "success assumes that one of the candidates is the person: without --map, nobody "
               "knows, and a person may have several published users";
    return "success is an upper bound, and a loose one where published users differ: without "
           "--map, nobody knows who each user is";
}

/* --- the whole --- */

static lethe_err attack_run(struct person_search *a, lethe_json_doc *doc, lethe_json *out)
{
    bool records = a->c->published->shape == LETHE_SHAPE_RECORDS;
    a->arena = lethe_arena_new();
    if (!a->arena) return lethe_no_memory(a->c->ctx);
    LETHE_TRY(lethe_terms_original(a->c, &a->terms));
    const lethe_records *t = a->terms;
    uint32_t n_terms = lethe_dict_count(t->items);
    LETHE_TRY(persons_draw(a));
    LETHE_TRY(known_gather(a));
    a->holders[BEFORE] = (lethe_holders){.n = t->n, .total = t->n, .n_keys = n_terms};
    LETHE_TRY(holders_make(
        a, BEFORE, &(lethe_holder_sets){.start = t->start, .item = t->item, .n_items = n_terms}));
    LETHE_TRY(records ? records_take(a) : users_take(a));
    unsigned n_workers = lethe_ctx_threads(a->c->ctx);
    a->workers = lethe_new(a->arena, lethe_holder_search *, n_workers);
    if (!a->workers) return lethe_no_memory(a->c->ctx);
    for (unsigned w = 0; w < n_workers; w++)
        if (!(a->workers[w] = lethe_holder_search_new(a->arena, a->holders, TIMES)))
            return lethe_no_memory(a->c->ctx);
    for (int time = 0; time < TIMES; time++) {
        a->found[time] = lethe_new(a->arena, struct found, a->sample.n + 1);
        if (!a->found[time]) return lethe_no_memory(a->c->ctx);
    }
    lethe_ctx_phase(a->c->ctx, "looking for persons", a->sample.n);
    LETHE_TRY(lethe_pool_for(a->c->ctx, a->sample.n, search_one, a));
    struct summary before = summarize(a, BEFORE), after = summarize(a, AFTER);
    const char *note = note_of(a);
    lethe_set_real(doc, out, "success", after.success[after.best]);
    lethe_set_real(doc, out, "before", before.success[before.best]);
    lethe_set_real(doc, out, "baseline", a->n_published ? 1 / (double)a->n_published : 0);
    lethe_set_real(doc, out, "narrowed", after.narrowed);
    lethe_set_real(doc, out, "narrowed_before", before.narrowed);
    if (a->confirmed) lethe_set_real(doc, out, "among", after.among);
    lethe_set_count(doc, out, "persons", a->sample.n);
    lethe_set_count(doc, out, "known", a->known);
    lethe_set_count(doc, out, "crowd", a->crowd);
    lethe_json_set(doc, out, "confirmed", lethe_json_new_bool(doc, a->confirmed));
    strategies_set(doc, out, &before, &after);
    if (note) lethe_set_text(doc, out, "note", note);
    lethe_set_text(doc, out, "meaning", lethe_adversary_known_terms.meaning);
    return LETHE_OK;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    struct person_search a = {.c = c,
                              .known = (uint64_t)lethe_count_of(c->values, "known"),
                              .crowd = (uint64_t)lethe_count_of(c->values, "crowd")};
    lethe_ctx_phase(c->ctx, "terms", 0);
    lethe_err e = attack_run(&a, doc, out);
    lethe_records_free(a.users);
    lethe_published_records_free(a.records);
    lethe_arena_free(a.arena);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(c->ctx);
    return e;
}

static const lethe_option options[] = {
    LETHE_ATTACK_KNOWN("how many terms of a person are known"),
    {.name = "crowd",
     .type = LETHE_OPT_COUNT,
     .arg = "N",
     .fallback = "5",
     .min = 2,
     .max = 1000000,
     .help = "a person counts as narrowed down when there are fewer candidates than this"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_known_terms = {
    .name = "known-terms",
    .summary = "which published user or record fits a few known terms of a person?",
    .threat = LETHE_THREAT_SINGLING_OUT,
    .trials = "persons",
    .shapes = LETHE_SHAPE_LOG | LETHE_SHAPE_SEALED | LETHE_SHAPE_RECORDS,
    .options = options,
    .meaning = "chance of choosing a person's own published user or record when a few of their "
               "terms are known, by the best of four strategies: the one that has the most of "
               "these terms, the rarest of them in the smallest profile (idf), naive Bayes, or "
               "the nearest to the rarest of them, also where other terms stand for them (near); "
               "without --map: if the person is among those with the best score; before: in the "
               "original; baseline: a published user or record chosen at random",
    .run = run,
};
