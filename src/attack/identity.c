/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c - can the people who were planted in a log still be found in its release?
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, sections 1, 4 and 5.1.
 *
 * The adversary knows the clues of the truth file (model/truth.h) and reads the log as a newspaper
 * did: a number that is there gives its owner away; so does a name where its user also asked for
 * the town; so do harmless queries of which one user alone has the most.  Texts are compared by
 * their words, reduced and in any order, since a release may have put them so.
 *
 * Counts have no users: there a person counts as found where a published text holds a number or the
 * name, and nothing can be put together.
 *
 * Rows that hold a clue go through the sorter by user; the rest of a log is only read.  A user who
 * holds fewer texts of patterns than must agree is nobody's double and is passed over, so that the
 * work follows those who may be somebody. */
#include "attack/attack.h"
#include "attack/aliases.h"
#include "algo/text/same_words.h"
#include "io/sort/sorter.h"
#include "model/knowledge/truth.h"
#include "model/published/published_counts.h"

/* One clue of one person. */
struct clue {
    uint32_t person;
    uint32_t number; /* among the person's */
    lethe_str key;   /* its words: see same_words.h */
};

/* Things that are looked up by the same string: clues, or persons. */
struct shelf {
    lethe_dict *names;
    lethe_u32s head; /* by name: its first thing and */
    lethe_u32s next; /* by thing: the next one of the same name, or LETHE_NONE */
};

/* How near one user comes to a person. */
struct best {
    uint8_t clues; /* the most that one user holds */
    bool alone;    /* nobody else holds as many */
    bool them;     /* and it is who it should be */
};

struct worker {
    lethe_same_words words;
    lethe_buf text;    /* the last one looked at; lines of one query follow each other */
    lethe_buf matches; /* uint32_t each: names on the shelves that it has */
    lethe_buf record;
    lethe_buf user_matches; /* the same of the user at hand */
    lethe_buf held;         /* uint32_t each: persons of whom the user at hand holds a clue */
    uint64_t *clues;        /* by person: those the user at hand holds, as bits */
    struct best *best;      /* by person, as far as this worker has seen */
    lethe_buf user;         /* of the row before */
    uint64_t n_users;       /* of the release, as far as this worker has seen */
};

struct identity_search {
    lethe_ctx *ctx;
    const lethe_truth *truth;
    lethe_wordnet *wn;
    lethe_arena *arena;
    struct clue *clues;
    uint32_t n_clues;
    uint32_t *n_clues_of; /* by person; texts of a pattern that are the same count once */
    struct shelf whole;   /* patterns, by all of their words */
    struct shelf anchor;  /* numbers and names, by their longest word */
    unsigned n_workers;
    struct worker *workers;
    uint64_t known;  /* so many clues of a pattern must agree */
    uint64_t fewest; /* who holds fewer texts of patterns cannot matter to any */
    /* Who is who in what is read now: */
    lethe_dict *planted;  /* persons, by user of the original; only where there is a map */
    struct shelf aliases; /* published users of planted persons; no names: users have their own */
    lethe_u32s alias_person; /* whose each of them is */
    bool anybody;            /* nobody can tell who is who: whoever fits alone counts as found */
    bool counts;             /* users are counted */
    bool of_counts;          /* the release has no users */
    lethe_sorter *sorter; /* user NUL name (4 bytes; the first bit: a whole one; NOTHING: the user
                             alone, to be counted) */
};

#define WHOLE UINT32_C(0x80000000)
#define NOTHING UINT32_MAX

/* --- the clues --- */

static lethe_err shelf_put(struct identity_search *h, struct shelf *s, lethe_str name,
                           uint32_t thing)
{
    uint32_t id, none = LETHE_NONE;
    while (s->next.n <= thing)
        LETHE_TRY(lethe_u32s_append(h->arena, &s->next, &none, 1));
    LETHE_TRY(lethe_dict_add(s->names, name, &id));
    if (id == s->head.n) LETHE_TRY(lethe_u32s_append(h->arena, &s->head, &none, 1));
    s->next.at[thing] = s->head.at[id];
    s->head.at[id] = thing;
    return LETHE_OK;
}

/* The next word of a key; false: no more. */
static bool key_next(lethe_str *key, lethe_str *word)
{
    if (key->n == 0) return false;
    const char *space = memchr(key->at, ' ', key->n);
    size_t n = space ? (size_t)(space - key->at) : key->n;
    *word = (lethe_str){key->at, n};
    size_t taken = n + (space != NULL);
    *key = (lethe_str){key->at + taken, key->n - taken};
    return true;
}

static lethe_err clue_put(struct identity_search *h, uint32_t person, uint32_t number)
{
    const lethe_planted *p = &h->truth->at[person];
    lethe_str key;
    LETHE_TRY(lethe_same_words_key(&h->workers[0].words, h->wn, p->clues[number], &key));
    bool pattern = p->kind == LETHE_PLANT_PATTERN;
    if (pattern) { // does the person have this text already, written in another way?
        uint32_t id = lethe_dict_find(h->whole.names, key);
        for (uint32_t c = id == LETHE_NONE ? LETHE_NONE : h->whole.head.at[id]; c != LETHE_NONE;
             c = h->whole.next.at[c])
            if (h->clues[c].person == person) return LETHE_OK;
    }
    const char *copy = lethe_arena_dup(h->arena, key);
    if (!copy) return LETHE_ENOMEM;
    struct clue *c = &h->clues[h->n_clues];
    *c = (struct clue){person, number, {copy, key.n}};
    h->n_clues_of[person]++;
    lethe_str rest = c->key, word, longest = {"", 0};
    while (key_next(&rest, &word))
        if (word.n > longest.n) longest = word;
    return shelf_put(h, pattern ? &h->whole : &h->anchor, pattern ? c->key : longest, h->n_clues++);
}

/* So many clues of a person must be held by one user. */
static uint64_t needed(const struct identity_search *h, uint32_t person)
{
    lethe_plant kind = h->truth->at[person].kind;
    uint64_t all = h->n_clues_of[person];
    if (kind == LETHE_PLANT_NUMBER) return 1;
    return kind == LETHE_PLANT_NAME ? all : LETHE_MIN(h->known, all);
}

/* --- rows --- */

/* Are all words of `part` in `key`, as often?  Both are sorted. */
static bool key_holds(lethe_str key, lethe_str part)
{
    lethe_str want, word;
    while (key_next(&part, &want)) {
        int order = -1;
        while (order < 0 && key_next(&key, &word))
            order = lethe_str_cmp(word, want);
        if (order != 0) return false;
    }
    return true;
}

static lethe_err match_put(struct worker *k, uint32_t match)
{
    return lethe_buf_put(&k->matches, &match, sizeof match);
}

/* Which names on the shelves the text has.  One of the anchors is enough of a clue to be looked at;
 * so it is a clue's number that is kept, once the whole clue is seen to be there. */
static lethe_err match_text(struct identity_search *h, struct worker *k, lethe_str text)
{
    lethe_str key, rest, word, before = {NULL, 0};
    k->text.n = k->matches.n = 0;
    LETHE_TRY(lethe_buf_str(&k->text, text));
    LETHE_TRY(lethe_same_words_key(&k->words, h->wn, text, &key));
    uint32_t whole = lethe_dict_find(h->whole.names, key);
    if (whole != LETHE_NONE) LETHE_TRY(match_put(k, whole | WHOLE));
    for (rest = key; key_next(&rest, &word); before = word) {
        if (before.at && lethe_str_eq(before, word)) continue;
        uint32_t anchor = lethe_dict_find(h->anchor.names, word);
        if (anchor == LETHE_NONE) continue;
        for (uint32_t c = h->anchor.head.at[anchor]; c != LETHE_NONE; c = h->anchor.next.at[c])
            if (key_holds(key, h->clues[c].key)) LETHE_TRY(match_put(k, c));
    }
    return LETHE_OK;
}

static lethe_err record_put(struct identity_search *h, unsigned w, uint32_t match, lethe_str user)
{
    lethe_buf *b = &h->workers[w].record;
    uint8_t number[4];
    lethe_be32_put(number, match);
    b->n = 0;
    if (lethe_buf_str(b, user) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, number, sizeof number) != LETHE_OK)
        return lethe_no_memory(h->ctx);
    return lethe_sorter_put(h->sorter, w, b->at, b->n);
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct identity_search *h = arg;
    struct worker *k = &h->workers[w];
    lethe_str last = {(const char *)k->text.at, k->text.n};
    if (!lethe_str_eq(last, row->query) && match_text(h, k, row->query) != LETHE_OK)
        return lethe_no_memory(h->ctx);
    // a release is sorted by its users: few rows have another than the row before
    if (h->counts && !lethe_str_eq((lethe_str){(const char *)k->user.at, k->user.n}, row->user)) {
        k->user.n = 0;
        if (lethe_buf_str(&k->user, row->user) != LETHE_OK) return lethe_no_memory(h->ctx);
        LETHE_TRY(record_put(h, w, NOTHING, row->user));
    }
    for (size_t i = 0; i < k->matches.n / sizeof(uint32_t); i++) {
        uint32_t match;
        memcpy(&match, k->matches.at + i * sizeof match, sizeof match);
        LETHE_TRY(record_put(h, w, match, row->user));
    }
    return LETHE_OK;
}

/* --- users --- */

static bool is_them(const struct identity_search *h, uint32_t person, lethe_str user)
{
    if (h->anybody) return true;
    if (!h->aliases.names) return lethe_str_eq(user, h->truth->at[person].user);
    uint32_t id = lethe_dict_find(h->aliases.names, user);
    uint32_t a = id == LETHE_NONE ? LETHE_NONE : h->aliases.head.at[id];
    while (a != LETHE_NONE && h->alias_person.at[a] != person)
        a = h->aliases.next.at[a];
    return a != LETHE_NONE;
}

/* Two users who come equally near are rivals, unless both are known to be that very person. */
static void best_take(const struct identity_search *h, struct best *best, struct best other)
{
    if (other.clues < best->clues || other.clues == 0) return;
    if (other.clues > best->clues) {
        *best = other;
        return;
    }
    best->alone = best->alone && other.alone && best->them && other.them && !h->anybody;
    best->them = best->them && other.them;
}

static lethe_err hold(struct identity_search *h, struct worker *k, uint32_t clue)
{
    const struct clue *c = &h->clues[clue];
    if (k->clues[c->person] == 0 &&
        lethe_buf_put(&k->held, &c->person, sizeof c->person) != LETHE_OK)
        return lethe_no_memory(h->ctx);
    k->clues[c->person] |= UINT64_C(1) << c->number;
    return LETHE_OK;
}

/* All matches of one user are known, each once: to whom do they come near? */
static lethe_err user_done(struct identity_search *h, struct worker *k, lethe_str user)
{
    const uint32_t *at = (const uint32_t *)(void *)k->user_matches.at;
    size_t n = k->user_matches.n / sizeof *at, n_whole = 0;
    for (size_t i = 0; i < n; i++)
        n_whole += (at[i] & WHOLE) != 0;
    for (size_t i = 0; i < n; i++) {
        if (!(at[i] & WHOLE)) {
            LETHE_TRY(hold(h, k, at[i]));
            continue;
        }
        uint32_t c = n_whole < h->fewest ? LETHE_NONE : h->whole.head.at[at[i] & ~WHOLE];
        for (; c != LETHE_NONE; c = h->whole.next.at[c])
            LETHE_TRY(hold(h, k, c));
    }
    for (size_t i = 0; i < k->held.n / sizeof(uint32_t); i++) {
        uint32_t person;
        memcpy(&person, k->held.at + i * sizeof person, sizeof person);
        uint8_t clues = (uint8_t)__builtin_popcountll(k->clues[person]);
        best_take(h, &k->best[person], (struct best){clues, true, is_them(h, person, user)});
        k->clues[person] = 0;
    }
    k->held.n = k->user_matches.n = 0;
    return LETHE_OK;
}

static lethe_str user_of(lethe_str record) { return (lethe_str){record.at, record.n - 5}; }

/* Records come user by user, a user's matches rising. */
static lethe_err users_part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct identity_search *h = arg;
    struct worker *k = &h->workers[w];
    lethe_str record, before = {NULL, 0};
    (void)i;
    k->user_matches.n = 0;
    for (; lethe_sorted_next(it, &record); before = record) {
        uint32_t match = lethe_be32_get((const uint8_t *)record.at + record.n - 4);
        if (before.at && lethe_str_eq(before, record)) continue;
        if (before.at && !lethe_str_eq(user_of(before), user_of(record)))
            LETHE_TRY(user_done(h, k, user_of(before)));
        if (match == NOTHING)
            k->n_users++;
        else if (lethe_buf_put(&k->user_matches, &match, sizeof match) != LETHE_OK)
            return lethe_no_memory(h->ctx);
    }
    LETHE_TRY(lethe_sorted_err(it));
    return before.at ? user_done(h, k, user_of(before)) : LETHE_OK;
}

/* Marks in `found` who can be found in `log`. */
static lethe_err search(struct identity_search *h, lethe_log *log, const char *phase, bool *found)
{
    LETHE_TRY(
        lethe_sorter_new(h->ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(h->ctx) / 2, &h->sorter));
    lethe_ctx_phase(h->ctx, phase, 0);
    lethe_err err = lethe_log_walk(h->ctx, log, &(lethe_row_visitor){.row = on_row, .arg = h});
    if (err == LETHE_OK) err = lethe_sorter_each(h->sorter, users_part, h);
    lethe_sorter_free(h->sorter);
    h->sorter = NULL;
    for (uint32_t i = 0; err == LETHE_OK && i < h->truth->n; i++) {
        struct best all = {0};
        for (unsigned w = 0; w < h->n_workers; w++) {
            best_take(h, &all, h->workers[w].best[i]);
            h->workers[w].best[i] = (struct best){0};
        }
        bool enough = all.clues >= needed(h, i) && all.clues > 0;
        found[i] = enough && (h->truth->at[i].kind == LETHE_PLANT_NUMBER || // whoever typed it
                              (all.alone && all.them));
    }
    return err;
}

/* --- counts --- */

struct counts_search {
    struct identity_search *h;
    bool *found;
};

/* A text that holds the number, or the name (the first clue), of a planted person. */
static lethe_err on_item(void *arg, lethe_str item, uint64_t count)
{
    const struct counts_search *s = arg;
    struct identity_search *h = s->h;
    struct worker *k = &h->workers[0];
    (void)count;
    if (match_text(h, k, item) != LETHE_OK) return lethe_no_memory(h->ctx);
    k->n_users++;
    for (size_t i = 0; i < k->matches.n / sizeof(uint32_t); i++) {
        uint32_t match;
        memcpy(&match, k->matches.at + i * sizeof match, sizeof match);
        if (match & WHOLE) continue;
        const struct clue *c = &h->clues[match];
        bool number = h->truth->at[c->person].kind == LETHE_PLANT_NUMBER;
        s->found[c->person] = s->found[c->person] || number || c->number == 0;
    }
    return LETHE_OK;
}

/* --- who is who in the release --- */

/* A person may have several published users, and one of these be several persons'. */
static lethe_err on_alias(void *arg, lethe_str original, lethe_str published)
{
    struct identity_search *h = arg;
    uint32_t person = lethe_dict_find(h->planted, original);
    if (person == LETHE_NONE || is_them(h, person, published)) return LETHE_OK;
    uint32_t number = (uint32_t)h->alias_person.n;
    if (lethe_u32s_append(h->arena, &h->alias_person, &person, 1) != LETHE_OK ||
        shelf_put(h, &h->aliases, published, number) != LETHE_OK)
        return lethe_no_memory(h->ctx);
    return LETHE_OK;
}

/* --- the answer --- */

static void answer(const struct identity_search *h, const bool *before, const bool *after,
                   lethe_json_doc *doc, lethe_json *out)
{
    uint64_t n[LETHE_N_PLANTS] = {0}, was[LETHE_N_PLANTS] = {0}, is[LETHE_N_PLANTS] = {0};
    uint64_t all_was = 0, all_is = 0, n_users = 0;
    for (unsigned w = 0; w < h->n_workers; w++)
        n_users += h->workers[w].n_users;
    for (size_t i = 0; i < h->truth->n; i++) {
        lethe_plant kind = h->truth->at[i].kind;
        n[kind]++;
        was[kind] += before[i];
        is[kind] += after[i];
        all_was += before[i];
        all_is += after[i];
    }
    lethe_attack_share(doc, out, "success", all_is, h->truth->n);
    lethe_attack_share(doc, out, "before", all_was, h->truth->n);
    lethe_attack_share(doc, out, "baseline", n_users > 0, n_users);
    lethe_set_count(doc, out, "planted", h->truth->n);
    lethe_json_set(doc, out, "confirmed", lethe_json_new_bool(doc, !h->anybody));
    lethe_json *kinds = lethe_json_object(doc);
    for (size_t k = 0; k < LETHE_N_PLANTS; k++) {
        lethe_json *o = lethe_json_object(doc);
        lethe_set_count(doc, o, "planted", n[k]);
        lethe_set_count(doc, o, "before", was[k]);
        lethe_set_count(doc, o, "after", is[k]);
        lethe_json_set(doc, kinds, lethe_plant_names[k], o);
    }
    lethe_json_set(doc, out, "kinds", kinds);
    lethe_set_text(doc, out, "meaning",
                   h->of_counts
                       ? "share of the planted persons of whom a number or the name stands in a "
                         "published text; before: who can be found in the original; baseline: a "
                         "published text chosen at random"
                       : lethe_adversary_identity.meaning);
}

static lethe_err hunt_open(struct identity_search *h)
{
    h->arena = lethe_arena_new();
    h->workers = lethe_alloc_zero(h->n_workers, sizeof *h->workers);
    h->whole.names = lethe_dict_new();
    h->anchor.names = lethe_dict_new();
    if (!h->arena || !h->workers || !h->whole.names || !h->anchor.names)
        return lethe_no_memory(h->ctx);
    for (unsigned w = 0; w < h->n_workers; w++) {
        h->workers[w].clues = lethe_new(h->arena, uint64_t, h->truth->n + 1);
        h->workers[w].best = lethe_new(h->arena, struct best, h->truth->n + 1);
        if (!h->workers[w].clues || !h->workers[w].best) return lethe_no_memory(h->ctx);
    }
    LETHE_TRY(lethe_wordnet_open_words(h->ctx, NULL, &h->wn));
    size_t n = 0;
    for (size_t i = 0; i < h->truth->n; i++)
        n += h->truth->at[i].n_clues;
    h->clues = lethe_new(h->arena, struct clue, n ? n : 1);
    h->n_clues_of = lethe_new(h->arena, uint32_t, h->truth->n + 1);
    if (!h->clues || !h->n_clues_of) return lethe_no_memory(h->ctx);
    for (uint32_t i = 0; i < h->truth->n; i++)
        for (uint32_t c = 0; c < h->truth->at[i].n_clues; c++)
            if (clue_put(h, i, c) != LETHE_OK) return lethe_no_memory(h->ctx);
    h->fewest = UINT64_MAX;
    for (uint32_t i = 0; i < h->truth->n; i++)
        if (h->truth->at[i].kind == LETHE_PLANT_PATTERN)
            h->fewest = LETHE_MIN(h->fewest, needed(h, i));
    return LETHE_OK;
}

static lethe_err search_both(struct identity_search *h, lethe_comparison *c, lethe_json_doc *doc,
                             lethe_json *out)
{
    lethe_log *log = NULL;
    uint32_t id;
    bool *before = lethe_new(h->arena, bool, h->truth->n + 1);
    bool *after = lethe_new(h->arena, bool, h->truth->n + 1);
    if (!before || !after) return lethe_no_memory(h->ctx);
    LETHE_TRY(search(h, c->original.log, "the original", before));
    h->anybody = !c->map && !c->own_names;
    h->counts = true;
    if (h->of_counts) {
        lethe_ctx_phase(c->ctx, "the release", 0);
        LETHE_TRY(lethe_counts_published(c->ctx, c->published->dirfd, on_item,
                                         &(struct counts_search){h, after}));
        answer(h, before, after, doc, out);
        return LETHE_OK;
    }
    if (c->map) {
        h->planted = lethe_dict_new();
        h->aliases.names = lethe_dict_new();
        if (!h->planted || !h->aliases.names) return lethe_no_memory(h->ctx);
        for (size_t i = 0; i < h->truth->n; i++)
            if (lethe_dict_add(h->planted, h->truth->at[i].user, &id) != LETHE_OK)
                return lethe_no_memory(h->ctx);
    }
    LETHE_TRY(lethe_log_published(c->ctx, c->published->dirfd, "data.tsv", &log));
    lethe_err err = c->map ? lethe_aliases_read(c, log, on_alias, h) : LETHE_OK;
    if (err == LETHE_OK) err = search(h, log, "the release", after);
    lethe_log_free(log);
    if (err == LETHE_OK) answer(h, before, after, doc, out);
    return err;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    lethe_truth *truth = NULL;
    LETHE_TRY(lethe_truth_read(c->ctx, lethe_value_of(c->values, "truth")->text, &truth));
    struct identity_search h = {.ctx = c->ctx,
                                .truth = truth,
                                .n_workers = lethe_ctx_threads(c->ctx),
                                .of_counts = c->published->shape == LETHE_SHAPE_COUNTS,
                                .known = (uint64_t)lethe_count_of(c->values, "known")};
    lethe_err err = hunt_open(&h);
    if (err == LETHE_OK) err = search_both(&h, c, doc, out);
    for (unsigned w = 0; h.workers && w < h.n_workers; w++) {
        struct worker *k = &h.workers[w];
        lethe_buf *const bufs[] = {&k->text,         &k->matches, &k->record,
                                   &k->user_matches, &k->held,    &k->user};
        for (size_t i = 0; i < LETHE_COUNT(bufs); i++)
            lethe_buf_free(bufs[i]);
        lethe_same_words_free(&k->words);
    }
    lethe_free(h.workers);
    lethe_dict_free(h.whole.names);
    lethe_dict_free(h.anchor.names);
    lethe_dict_free(h.aliases.names);
    lethe_dict_free(h.planted);
    lethe_wordnet_free(h.wn);
    lethe_arena_free(h.arena);
    lethe_truth_free(truth);
    if (err == LETHE_OK && lethe_json_failed(doc)) err = lethe_no_memory(c->ctx);
    return err;
}

static const lethe_option options[] = {
    {.name = "truth",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "who was planted in the original, as lethe synth --truth writes it"},
    LETHE_ATTACK_KNOWN("how many known queries of a person must be found with one user"),
    {.name = NULL},
};

const lethe_adversary lethe_adversary_identity = {
    .name = "identity",
    .summary = "can the people who were planted in the log still be found?",
    .threat = LETHE_THREAT_SINGLING_OUT,
    .trials = "planted",
    .shapes = LETHE_SHAPE_LOG | LETHE_SHAPE_COUNTS,
    .options = options,
    .needs = "truth",
    .meaning =
        "share of the planted persons who can be found in the release, by a number of theirs, "
        "by name and town, or by harmless queries that only they issued together; before: "
        "in the original; baseline: a published user chosen at random",
    .run = run,
};
