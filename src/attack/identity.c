/* identity.c - can the people who were planted in a log still be found in its release?
 * Adar, "User 4XXXXX9: Anonymizing Query Logs", 2007, sections 1, 4 and 5.1.
 *
 * The adversary knows the clues of the truth file (model/truth.h) and reads the log as a newspaper
 * did: a number that is there gives its owner away; so does a name where its user also asked for
 * the town; so do harmless queries of which one user alone has the most.  Texts are compared by
 * their words, reduced and in any order, since a release may have put them so.
 *
 * Rows that hold a clue go through the sorter by person; the rest of a log is only read. */
#include "attack/attack.h"
#include "algo/same_words.h"
#include "io/lines.h"
#include "io/sorter.h"
#include "model/truth.h"
#include <stdio.h>

/* One clue of one person. */
struct clue {
    uint32_t person;
    uint32_t number; /* among the person's */
    lethe_str key;   /* its words: see same_words.h */
};

/* Clues that are looked up by the same string. */
struct shelf {
    lethe_dict *names;
    lethe_u32s head; /* by name: its first clue and */
    lethe_u32s next; /* by clue: the next one of the same name, or LETHE_NONE */
};

struct worker {
    lethe_same_words words;
    lethe_buf text;    /* the last one looked at; lines of one query follow each other */
    lethe_buf matches; /* uint32_t each: its clues */
    lethe_buf record;
};

struct hunt {
    lethe_ctx *ctx;
    const lethe_truth *truth;
    lethe_wordnet *wn;
    lethe_arena *arena;
    struct clue *clues;
    uint32_t n_clues;
    struct shelf whole;  /* patterns, by all of their words */
    struct shelf anchor; /* numbers and names, by their longest word */
    unsigned n_workers;
    struct worker *workers;
    uint64_t known; /* so many clues of a pattern must agree */
    /* Who is who in what is read now: */
    lethe_dict *aliases;  /* published users of planted persons; NULL: users have their own names */
    lethe_u32s alias_of;  /* by alias: the person */
    bool anybody;         /* nobody can tell who is who: whoever fits alone counts as found */
    lethe_sorter *sorter; /* person NUL user NUL clue */
    bool *found;          /* by person */
};

static lethe_err no_memory(struct hunt *h) { return lethe_no_memory(lethe_ctx_diag(h->ctx)); }

/* --- the clues --- */

static lethe_err shelf_put(struct hunt *h, struct shelf *s, lethe_str name, uint32_t clue)
{
    uint32_t id, none = LETHE_NONE;
    while (s->next.n <= clue)
        LETHE_TRY(lethe_u32s_append(h->arena, &s->next, &none, 1));
    LETHE_TRY(lethe_dict_add(s->names, name, &id));
    if (id == s->head.n) LETHE_TRY(lethe_u32s_append(h->arena, &s->head, &none, 1));
    s->next.at[clue] = s->head.at[id];
    s->head.at[id] = clue;
    return LETHE_OK;
}

static uint32_t shelf_find(const struct shelf *s, lethe_str name)
{
    uint32_t id = lethe_dict_find(s->names, name);
    return id == LETHE_NONE ? LETHE_NONE : s->head.at[id];
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

static lethe_str longest_word(lethe_str key)
{
    lethe_str word, longest = {"", 0};
    while (key_next(&key, &word))
        if (word.n > longest.n) longest = word;
    return longest;
}

static lethe_err clue_put(struct hunt *h, uint32_t person, uint32_t number)
{
    const lethe_planted *p = &h->truth->at[person];
    lethe_str key;
    LETHE_TRY(lethe_same_words_key(&h->workers[0].words, h->wn, p->clues[number], &key));
    const char *copy = lethe_arena_dup(h->arena, key);
    if (!copy) return LETHE_ENOMEM;
    struct clue *c = &h->clues[h->n_clues];
    *c = (struct clue){person, number, {copy, key.n}};
    bool pattern = p->kind == LETHE_PLANT_PATTERN;
    LETHE_TRY(shelf_put(h, pattern ? &h->whole : &h->anchor,
                        pattern ? c->key : longest_word(c->key), h->n_clues));
    h->n_clues++;
    return LETHE_OK;
}

static lethe_err clues_collect(struct hunt *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->truth->n; i++)
        n += h->truth->at[i].n_clues;
    h->clues = lethe_new(h->arena, struct clue, n ? n : 1);
    if (!h->clues) return no_memory(h);
    for (uint32_t i = 0; i < h->truth->n; i++)
        for (uint32_t c = 0; c < h->truth->at[i].n_clues; c++)
            if (clue_put(h, i, c) != LETHE_OK) return no_memory(h);
    return LETHE_OK;
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

static lethe_err match_put(struct worker *k, uint32_t clue)
{
    return lethe_buf_put(&k->matches, &clue, sizeof clue);
}

static lethe_err match_text(struct hunt *h, struct worker *k, lethe_str text)
{
    lethe_str key, rest, word, before = {NULL, 0};
    k->text.n = k->matches.n = 0;
    LETHE_TRY(lethe_buf_str(&k->text, text));
    LETHE_TRY(lethe_same_words_key(&k->words, h->wn, text, &key));
    for (uint32_t c = shelf_find(&h->whole, key); c != LETHE_NONE; c = h->whole.next.at[c])
        LETHE_TRY(match_put(k, c));
    for (rest = key; key_next(&rest, &word); before = word) {
        if (before.at && lethe_str_eq(before, word)) continue;
        for (uint32_t c = shelf_find(&h->anchor, word); c != LETHE_NONE; c = h->anchor.next.at[c])
            if (key_holds(key, h->clues[c].key)) LETHE_TRY(match_put(k, c));
    }
    return LETHE_OK;
}

static lethe_err record_put(struct hunt *h, unsigned w, const struct clue *c, lethe_str user)
{
    lethe_buf *b = &h->workers[w].record;
    char person[16];
    int n = snprintf(person, sizeof person, "%u", c->person);
    uint8_t number = (uint8_t)c->number;
    b->n = 0;
    if (lethe_buf_put(b, person, (size_t)n + 1) != LETHE_OK || // the NUL too
        lethe_buf_str(b, user) != LETHE_OK || lethe_buf_put(b, "", 1) != LETHE_OK ||
        lethe_buf_put(b, &number, 1) != LETHE_OK)
        return no_memory(h);
    return lethe_sorter_put(h->sorter, w, b->at, b->n);
}

static lethe_err on_row(void *arg, unsigned w, const lethe_row *row)
{
    struct hunt *h = arg;
    struct worker *k = &h->workers[w];
    lethe_str last = {(const char *)k->text.at, k->text.n};
    if (!lethe_str_eq(last, row->query) && match_text(h, k, row->query) != LETHE_OK)
        return no_memory(h);
    for (size_t i = 0; i < k->matches.n / sizeof(uint32_t); i++) {
        uint32_t clue;
        memcpy(&clue, k->matches.at + i * sizeof clue, sizeof clue);
        LETHE_TRY(record_put(h, w, &h->clues[clue], row->user));
    }
    return LETHE_OK;
}

/* --- persons --- */

/* Who has the most clues of a person, and whether nobody else has as many. */
struct best {
    lethe_buf user;
    uint32_t clues;
    bool alone;
};

static bool is_them(const struct hunt *h, uint32_t person, lethe_str user)
{
    if (h->anybody) return true;
    if (!h->aliases) return lethe_str_eq(user, h->truth->at[person].user);
    uint32_t id = lethe_dict_find(h->aliases, user);
    return id != LETHE_NONE && h->alias_of.at[id] == person;
}

static bool decide(const struct hunt *h, uint32_t person, const struct best *b)
{
    const lethe_planted *p = &h->truth->at[person];
    if (b->clues == 0) return false;
    if (p->kind == LETHE_PLANT_NUMBER) return true; // whoever typed it, it tells
    uint64_t needed =
        p->kind == LETHE_PLANT_NAME ? p->n_clues : LETHE_MIN(h->known, (uint64_t)p->n_clues);
    lethe_str user = {(const char *)b->user.at, b->user.n};
    return b->alone && b->clues >= needed && is_them(h, person, user);
}

static lethe_err user_done(struct hunt *h, struct best *b, lethe_str user, uint64_t held)
{
    uint32_t n = (uint32_t)__builtin_popcountll(held);
    if (n < b->clues || n == 0) return LETHE_OK;
    b->alone = n > b->clues;
    b->clues = n;
    b->user.n = 0;
    return lethe_buf_str(&b->user, user) == LETHE_OK ? LETHE_OK : no_memory(h);
}

/* A record's parts. */
struct held {
    uint32_t person, clue;
    lethe_str user;
};

static struct held held_of(lethe_str record)
{
    const char *nul = memchr(record.at, 0, record.n);
    uint64_t person = 0;
    lethe_parse_u64((lethe_str){record.at, (size_t)(nul - record.at)}, &person);
    return (struct held){
        .person = (uint32_t)person,
        .clue = (uint8_t)record.at[record.n - 1],
        .user = {nul + 1, (size_t)(record.at + record.n - 2 - (nul + 1))},
    };
}

/* Records come person by person, and a person's user by user. */
static lethe_err persons_read(struct hunt *h, lethe_sorted *it, struct best *b)
{
    struct held now, before = {.person = LETHE_NONE};
    uint64_t clues = 0;
    lethe_str record;
    while (lethe_sorted_next(it, &record)) {
        now = held_of(record);
        bool same_person = now.person == before.person;
        if (before.person != LETHE_NONE && !(same_person && lethe_str_eq(now.user, before.user))) {
            LETHE_TRY(user_done(h, b, before.user, clues));
            clues = 0;
        }
        if (!same_person && before.person != LETHE_NONE) {
            h->found[before.person] = decide(h, before.person, b);
            b->clues = 0;
        }
        clues |= UINT64_C(1) << now.clue;
        before = now;
    }
    LETHE_TRY(lethe_sorted_err(it));
    if (before.person == LETHE_NONE) return LETHE_OK;
    LETHE_TRY(user_done(h, b, before.user, clues));
    h->found[before.person] = decide(h, before.person, b);
    return LETHE_OK;
}

static lethe_err part(void *arg, size_t i, unsigned w, lethe_sorted *it)
{
    struct best b = {0};
    (void)i;
    (void)w;
    lethe_err err = persons_read(arg, it, &b);
    lethe_buf_free(&b.user);
    return err;
}

/* Marks in `found` who can be found in `log`. */
static lethe_err search(struct hunt *h, lethe_log *log, const char *phase, bool *found)
{
    h->found = found;
    LETHE_TRY(
        lethe_sorter_new(h->ctx, LETHE_ORDER_GROUP, lethe_ctx_memory(h->ctx) / 2, &h->sorter));
    lethe_ctx_phase(h->ctx, phase, 0);
    lethe_err err = lethe_log_walk(h->ctx, log, &(lethe_row_visitor){.row = on_row, .arg = h});
    if (err == LETHE_OK) err = lethe_sorter_each(h->sorter, part, h);
    lethe_sorter_free(h->sorter);
    h->sorter = NULL;
    return err;
}

/* --- who is who in the release --- */

static lethe_err alias_put(struct hunt *h, const lethe_dict *planted, const lethe_lines *l,
                           lethe_str line)
{
    const char *tab = memchr(line.at, '\t', line.n);
    if (!tab) return lethe_lines_fault(l, 0, "not a line of a map: there is no tab");
    uint32_t id, person = lethe_dict_find(planted, (lethe_str){line.at, (size_t)(tab - line.at)});
    if (person == LETHE_NONE) return LETHE_OK;
    lethe_str published = {tab + 1, (size_t)(line.at + line.n - tab) - 1};
    if (lethe_dict_add(h->aliases, published, &id) != LETHE_OK) return no_memory(h);
    if (id < h->alias_of.n) return LETHE_OK;
    return lethe_u32s_append(h->arena, &h->alias_of, &person, 1) == LETHE_OK ? LETHE_OK
                                                                             : no_memory(h);
}

static lethe_err aliases_read(struct hunt *h, const char *path, lethe_dict *planted)
{
    lethe_lines l;
    lethe_str line;
    for (size_t i = 0; i < h->truth->n; i++) {
        uint32_t id;
        if (lethe_dict_add(planted, h->truth->at[i].user, &id) != LETHE_OK) return no_memory(h);
    }
    lethe_err err = lethe_lines_open(&l, lethe_ctx_diag(h->ctx), path);
    while (err == LETHE_OK && lethe_lines_next(&l, &line))
        err = alias_put(h, planted, &l, line);
    if (err == LETHE_OK) err = lethe_lines_err(&l);
    lethe_lines_close(&l);
    return err;
}

/* From the map where there is one, by name where users were kept; else nobody knows. */
static lethe_err release_names(struct hunt *h, const lethe_comparison *c)
{
    const lethe_log_form *form = c->published->form;
    h->anybody = !c->map && !(form && form->any_user);
    if (!c->map) return LETHE_OK;
    lethe_dict *planted = lethe_dict_new();
    h->aliases = lethe_dict_new();
    lethe_err err = planted && h->aliases ? aliases_read(h, c->map, planted) : no_memory(h);
    lethe_dict_free(planted);
    return err;
}

/* --- the answer --- */

static void set_count(lethe_json_doc *doc, lethe_json *o, const char *name, uint64_t n)
{
    lethe_json_set(doc, o, name, lethe_json_new_int(doc, (int64_t)n));
}

static void set_share(lethe_json_doc *doc, lethe_json *o, const char *name, uint64_t n, uint64_t of)
{
    lethe_json_set(doc, o, name, lethe_json_new_real(doc, of ? (double)n / (double)of : 0.0));
}

static void answer(const struct hunt *h, const bool *before, const bool *after, lethe_json_doc *doc,
                   lethe_json *out)
{
    uint64_t n[LETHE_N_PLANTS] = {0}, was[LETHE_N_PLANTS] = {0}, is[LETHE_N_PLANTS] = {0};
    uint64_t all_was = 0, all_is = 0;
    for (size_t i = 0; i < h->truth->n; i++) {
        lethe_plant kind = h->truth->at[i].kind;
        n[kind]++;
        was[kind] += before[i];
        is[kind] += after[i];
        all_was += before[i];
        all_is += after[i];
    }
    set_share(doc, out, "success", all_is, h->truth->n);
    set_share(doc, out, "baseline", all_was, h->truth->n);
    set_count(doc, out, "planted", h->truth->n);
    lethe_json_set(doc, out, "confirmed", lethe_json_new_bool(doc, !h->anybody));
    lethe_json *kinds = lethe_json_object(doc);
    for (size_t k = 0; k < LETHE_N_PLANTS; k++) {
        lethe_json *o = lethe_json_object(doc);
        set_count(doc, o, "planted", n[k]);
        set_count(doc, o, "before", was[k]);
        set_count(doc, o, "after", is[k]);
        lethe_json_set(doc, kinds, lethe_plant_names[k], o);
    }
    lethe_json_set(doc, out, "kinds", kinds);
    const char *meaning = lethe_adversary_identity.meaning;
    lethe_json_set(doc, out, "meaning", lethe_json_new_text(doc, lethe_str_of(meaning)));
}

static lethe_err hunt_open(struct hunt *h)
{
    h->arena = lethe_arena_new();
    h->workers = lethe_alloc_zero(h->n_workers, sizeof *h->workers);
    h->whole.names = lethe_dict_new();
    h->anchor.names = lethe_dict_new();
    if (!h->arena || !h->workers || !h->whole.names || !h->anchor.names) return no_memory(h);
    LETHE_TRY(lethe_wordnet_open(h->ctx, NULL, &h->wn));
    return clues_collect(h);
}

static void hunt_close(struct hunt *h)
{
    for (unsigned w = 0; h->workers && w < h->n_workers; w++) {
        lethe_same_words_free(&h->workers[w].words);
        lethe_buf_free(&h->workers[w].text);
        lethe_buf_free(&h->workers[w].matches);
        lethe_buf_free(&h->workers[w].record);
    }
    lethe_free(h->workers);
    lethe_dict_free(h->whole.names);
    lethe_dict_free(h->anchor.names);
    lethe_dict_free(h->aliases);
    lethe_wordnet_free(h->wn);
    lethe_arena_free(h->arena);
}

static lethe_err search_both(struct hunt *h, lethe_comparison *c, lethe_json_doc *doc,
                             lethe_json *out)
{
    lethe_log *log = NULL;
    bool *before = lethe_new(h->arena, bool, h->truth->n + 1);
    bool *after = lethe_new(h->arena, bool, h->truth->n + 1);
    if (!before || !after) return no_memory(h);
    LETHE_TRY(search(h, c->original.log, "the original", before));
    LETHE_TRY(release_names(h, c));
    LETHE_TRY(lethe_log_published(c->ctx, c->published->dirfd, "data.tsv", &log));
    lethe_err err = search(h, log, "the release", after);
    lethe_log_free(log);
    if (err == LETHE_OK) answer(h, before, after, doc, out);
    return err;
}

static lethe_err run(lethe_comparison *c, lethe_json_doc *doc, lethe_json *out)
{
    lethe_truth *truth = NULL;
    LETHE_TRY(lethe_truth_read(c->ctx, lethe_value_of(c->values, "truth")->text, &truth));
    struct hunt h = {.ctx = c->ctx,
                     .truth = truth,
                     .n_workers = lethe_ctx_threads(c->ctx),
                     .known = (uint64_t)lethe_count_of(c->values, "known")};
    lethe_err err = hunt_open(&h);
    if (err == LETHE_OK) err = search_both(&h, c, doc, out);
    hunt_close(&h);
    lethe_truth_free(truth);
    if (err == LETHE_OK && lethe_json_failed(doc)) err = lethe_no_memory(lethe_ctx_diag(c->ctx));
    return err;
}

static const lethe_option options[] = {
    {.name = "truth",
     .type = LETHE_OPT_PATH,
     .arg = "FILE",
     .help = "who was planted in the original, as lethe synth --truth writes it"},
    {.name = "known",
     .type = LETHE_OPT_COUNT,
     .arg = "M",
     .fallback = "3",
     .min = 1,
     .max = 1000,
     .help = "how many known queries of a person must be found with one user"},
    {.name = NULL},
};

const lethe_adversary lethe_adversary_identity = {
    .name = "identity",
    .summary = "are the people who were planted in the log still to be found?",
    .shapes = LETHE_SHAPE_LOG,
    .options = options,
    .needs = "truth",
    .meaning =
        "share of the planted persons who can be found in the release, by a number of theirs, "
        "by name and town, or by harmless queries that together only they issued; the "
        "baseline is their share in the original",
    .run = run,
};
