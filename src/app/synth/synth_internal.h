/* SPDX-License-Identifier: Apache-2.0 */
/* synth_internal.h - the synthetic log's parts, for the files synth*.c alone.
 *
 *   synth_world.c   what all users share: topics, popular texts, clues
 *   synth_plant.c   who is planted, and what gives them away
 *   synth_person.c  one user: how many queries, when, and what is written of them
 *   synth_words.c   version 1: word lists
 *   synth_text.c    version 1: how a text is put together
 *   synth_user.c    version 1: what one user asks
 *   synth2_*.c      version 2: the same (synth2.h)
 *   synth.c         blocks of users, written in order
 *
 * No choice here goes through floating point but the one multiplication that scales a user's
 * volume, and no expression draws twice: the same seed must give the same bytes with any compiler
 * and C library. */
#ifndef LETHE_APP_SYNTH_SYNTH_INTERNAL_H
#define LETHE_APP_SYNTH_SYNTH_INTERNAL_H
#include "app/synth/synth.h"
#include "core/mem.h"

/* --- draws --- */

/* Random numbers, from a stream of the secret or, for what all users share, from a number alone.
 * No draw here needs to be free of a bias of n / 2^32. */
typedef struct lethe_synth_draw {
    lethe_rng *rng; /* NULL: from `state` */
    uint64_t state; /* the half that is left of the last 64 bits; or splitmix64's state */
    bool half;
} lethe_synth_draw;

static inline uint64_t lethe_synth_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint32_t lethe_synth_draw_u32(lethe_synth_draw *d)
{
    if (!d->rng) return (uint32_t)(lethe_synth_mix(d->state += UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    if (d->half) {
        d->half = false;
        return (uint32_t)d->state;
    }
    uint64_t v = lethe_rng_u64(d->rng);
    d->state = v >> 32;
    d->half = true;
    return (uint32_t)v;
}

/* In 0 .. n - 1. */
static inline uint32_t lethe_synth_pick(lethe_synth_draw *d, uint32_t n)
{
    return (uint32_t)(((uint64_t)lethe_synth_draw_u32(d) * n) >> 32);
}

static inline bool lethe_synth_chance(lethe_synth_draw *d, uint32_t per_mille)
{
    return lethe_synth_pick(d, 1000) < per_mille;
}

/* In 0 .. n - 1, by a law like Zipf's with exponent 1: each octave of ranks is as likely as any
 * other, and inside an octave each rank. */
static inline uint32_t lethe_synth_rank(lethe_synth_draw *d, uint32_t n)
{
    uint32_t octaves = 32 - (uint32_t)__builtin_clz(n),
             first = (1u << lethe_synth_pick(d, octaves)) - 1;
    return first + lethe_synth_pick(d, LETHE_MIN(first + 1, n - first));
}

/* A rank whose octave, [2^first, 2^(first + 1)) and so on, is drawn by `share`, and in it any. */
static inline uint32_t lethe_synth_octave_rank(lethe_synth_draw *d, const uint16_t *share, size_t n,
                                               uint32_t first)
{
    uint32_t sum = 0, k = 0;
    for (size_t i = 0; i < n; i++)
        sum += share[i];
    uint32_t at = lethe_synth_pick(d, sum);
    while (at >= share[k])
        at -= share[k++];
    return (1u << (first + k)) + lethe_synth_pick(d, 1u << (first + k));
}

/* --- word lists --- */

enum {
    LETHE_SYNTH_FIRSTS = 32,    /* of planted persons */
    LETHE_SYNTH_RELATIVES = 16, /* of their relatives, and of people asked for by others */
    LETHE_SYNTH_SURNAMES = 128, /* of each kind: lethe_synth_family and an end */
    LETHE_SYNTH_TOWNS = 256,
    LETHE_SYNTH_STATES = 16,
    LETHE_SYNTH_ADJECTIVES = 63,
    LETHE_SYNTH_MODIFIERS = 63,
    LETHE_SYNTH_VERBS = 31,
    LETHE_SYNTH_SERVICES = 31,
    LETHE_SYNTH_SITES = 63,
    LETHE_SYNTH_COMMON = 31,
    LETHE_SYNTH_POOLS = 8, /* clues of a pattern: one from each pool */
    LETHE_SYNTH_POOL = 31, /* texts in a pool; prime */
};
extern const char *const lethe_synth_firsts[LETHE_SYNTH_FIRSTS];
extern const char *const lethe_synth_relatives[LETHE_SYNTH_RELATIVES];
extern const char *const lethe_synth_family[16], *const lethe_synth_family_end[8],
                                                     *const lethe_synth_other_end[8];
extern const char *const lethe_synth_town[16], *const lethe_synth_town_end[16];
extern const char *const lethe_synth_states[LETHE_SYNTH_STATES];
extern const char *const lethe_synth_adjectives[LETHE_SYNTH_ADJECTIVES];
extern const char *const lethe_synth_modifiers[LETHE_SYNTH_MODIFIERS];
extern const char *const lethe_synth_verbs[LETHE_SYNTH_VERBS];
extern const char *const lethe_synth_services[LETHE_SYNTH_SERVICES];
extern const char *const lethe_synth_sites[LETHE_SYNTH_SITES];
extern const char *const lethe_synth_common[LETHE_SYNTH_COMMON];
extern const char *const lethe_synth_pool[LETHE_SYNTH_POOLS][LETHE_SYNTH_POOL];

/* --- the world --- */

/* A part of WordNet: its words, the commonest first. */
typedef struct lethe_synth_topic {
    uint32_t first, n; /* in words[] */
    unsigned kind;     /* of its root, or its lexicographer file (wordnet.h) */
} lethe_synth_topic;

/* A synset that topics of a kind lie below. */
typedef struct lethe_synth_root {
    const char *word;
    uint8_t sense, kind; /* of the word's senses, from 1; 0 is no kind */
} lethe_synth_root;

/* The numbers 0 .. modulus - 1 in another order. */
typedef struct lethe_synth_permutation {
    uint64_t modulus, keys[4];
    unsigned half_bits;
} lethe_synth_permutation;

enum { LETHE_SYNTH_CLUES = LETHE_SYNTH_POOLS * LETHE_SYNTH_POOL };

typedef struct lethe_synth_model lethe_synth_model;

/* How many numbers of each kind there are to give: synth_plant.c. */
#define LETHE_SYNTH_SSNS (UINT64_C(16) * 99 * 9999)
#define LETHE_SYNTH_CARDS (UINT64_C(4) * 1000000000)
#define LETHE_SYNTH_PHONES (UINT64_C(8) * 89 * 100)
/* And how many names with a town, and patterns. */
#define LETHE_SYNTH_NAMES ((uint64_t)LETHE_SYNTH_FIRSTS * LETHE_SYNTH_SURNAMES * LETHE_SYNTH_TOWNS)
#define LETHE_SYNTH_PATTERNS ((uint64_t)LETHE_SYNTH_POOL * LETHE_SYNTH_POOL * LETHE_SYNTH_POOL)

typedef struct lethe_synth_world {
    const lethe_secret *random;
    const lethe_synth_model *model;
    lethe_str *words;
    lethe_synth_topic *topics;
    uint32_t n_topics;
    uint32_t *interests; /* topics, each as often as its kind is wanted */
    uint32_t n_interests;
    lethe_synth_permutation names, ssn, card, phone, pattern;
    uint64_t clues[LETHE_SYNTH_CLUES]; /* lethe_synth_text_key() of each, ascending */
    uint8_t maybe[512];                /* bits: keys of clues mod 4096 */
} lethe_synth_world;

/* All of it lives in `a`; `tmp` is scratch.  LETHE_EINPUT: a dictionary without topics. */
LETHE_MUST_CHECK lethe_err lethe_synth_world_make(lethe_ctx *ctx, const lethe_wordnet *wn,
                                                  const lethe_synth *how, lethe_arena *a,
                                                  lethe_arena *tmp, lethe_synth_world *out);
/* A number of the text's words, whatever their order and plural. */
uint64_t lethe_synth_text_key(lethe_str text);
bool lethe_synth_is_clue(const lethe_synth_world *w, lethe_str text);
uint64_t lethe_synth_permuted(const lethe_synth_permutation *s,
                              uint64_t j); /* j below the modulus */

/* --- texts --- */

enum { LETHE_TEXT_ROOM = 512 }; /* no line is longer, and no text half as long */

/* What a user has typed, and where a click on its results leads. */
typedef enum lethe_synth_target { LETHE_TO_TOPIC, LETHE_TO_SITE, LETHE_TO_TEXT } lethe_synth_target;
typedef struct lethe_synth_text {
    uint32_t at, n; /* bytes in the user's texts */
    lethe_synth_target target;
    uint32_t to;   /* topic or site */
    uint32_t noun; /* version 2: what it is about, in words[]; LETHE_NONE: none of a topic */
    bool asked;    /* it stands in the log; false: its slip ended the session */
} lethe_synth_text;

/* A place to write; the caller has made sure that LETHE_TEXT_ROOM bytes are there. */
typedef struct lethe_synth_pen {
    char *at;
} lethe_synth_pen;
static inline void lethe_synth_pen_str(lethe_synth_pen *p, lethe_str s)
{
    memcpy(p->at, s.at, s.n);
    p->at += s.n;
}
static inline void lethe_synth_pen_text(lethe_synth_pen *p, const char *s)
{
    lethe_synth_pen_str(p, lethe_str_of(s));
}
static inline void lethe_synth_pen_char(lethe_synth_pen *p, char c) { *p->at++ = c; }
void lethe_synth_pen_number(lethe_synth_pen *p, uint64_t v,
                            unsigned digits); /* at least so many digits */

/* Each writes a text and says what a click leads to. */
void lethe_synth_text_head(lethe_synth_draw *d, lethe_synth_pen *p, lethe_synth_text *t);
void lethe_synth_text_popular(const lethe_synth_world *w, lethe_synth_draw *d, lethe_synth_pen *p,
                              lethe_synth_text *t);
void lethe_synth_text_topic(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                            lethe_synth_pen *p, lethe_synth_text *t);
void lethe_synth_text_site(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                           lethe_synth_pen *p, lethe_synth_text *t);
void lethe_synth_text_local(lethe_synth_draw *d, uint32_t town, lethe_synth_pen *p,
                            lethe_synth_text *t);
void lethe_synth_text_person(lethe_synth_draw *d, lethe_synth_pen *p, lethe_synth_text *t);
/* `text` and one word more; false: it is long enough. */
bool lethe_synth_text_longer(const lethe_synth_world *w, lethe_synth_draw *d, uint32_t topic,
                             lethe_str text, lethe_synth_pen *p);
/* `text` with a slip of the finger; false: no word is long enough. */
bool lethe_synth_text_misspelt(lethe_synth_draw *d, lethe_str text, lethe_synth_pen *p);
void lethe_synth_text_town(uint32_t town, lethe_synth_pen *p);
void lethe_synth_text_surname(uint32_t surname, bool planted, lethe_synth_pen *p);
/* A page of the topic, the k-th; and where a text leads. */
void lethe_synth_url_topic(const lethe_synth_world *w, uint32_t topic, uint32_t k,
                           lethe_synth_pen *p);
void lethe_synth_url_first(const lethe_synth_world *w, lethe_synth_draw *d,
                           const lethe_synth_text *t, lethe_str text, lethe_synth_pen *p);

/* --- the planted --- */

enum {
    LETHE_GROUP = 64,   /* of so many users, one of each kind is planted */
    LETHE_ERRANDS = 32, /* texts that a user must issue, at most */
};

/* What one user must issue besides what comes by chance: clues, and what surrounds them. */
typedef struct lethe_synth_errands {
    lethe_plant kind; /* LETHE_N_PLANTS: nobody */
    uint32_t town;    /* where they live */
    struct {
        lethe_str text;
        unsigned times;
    } at[LETHE_ERRANDS];
    size_t n;
    lethe_str clues[LETHE_TRUTH_CLUES];
    size_t n_clues;
    char text[4096]; /* they all live there */
    size_t used;
} lethe_synth_errands;

/* Who of the 64 users of a group is planted. */
typedef struct lethe_synth_plants {
    uint64_t group;
    uint8_t who[LETHE_N_PLANTS];
} lethe_synth_plants;
void lethe_synth_plants_of(const lethe_synth_world *w, uint64_t group, lethe_synth_plants *out);
void lethe_synth_errands_of(const lethe_synth_world *w, const lethe_synth_plants *p, uint64_t user,
                            lethe_synth_draw *d, lethe_synth_errands *out);

/* --- a user --- */

typedef struct lethe_synth_person {
    lethe_rng rng;
    lethe_synth_errands errands;
    lethe_buf texts; /* what they typed, end to end */
    lethe_synth_text *typed;
    size_t n_typed;
    uint32_t *favourites; /* places in typed[] */
    size_t n_favourites;
    uint32_t *times;  /* of their queries, in seconds from the beginning */
    uint64_t *visits; /* sessions: when they begin << 32 | how many queries */
    size_t cap;       /* of each of these arrays */
} lethe_synth_person;
void lethe_synth_person_free(lethe_synth_person *p);

enum {
    LETHE_INTERESTS_MIN = 2,
    LETHE_INTERESTS_MAX = 6,
    LETHE_FOCI = 4,     /* version 2: words of an interest that a user asks about most */
    LETHE_RESULTS = 10, /* version 2: of a text, at most */
};

/* Version 2: what the search engine makes of a text (synth2_results.c). */
typedef struct lethe_synth_answers {
    lethe_str words[8], site; /* site: the host asked for; empty: none */
    uint32_t n_words, n_results;
    uint64_t key;
} lethe_synth_answers;

/* A user at one moment. */
typedef struct lethe_synth_now {
    const lethe_synth_world *w;
    lethe_synth_person *p;
    lethe_synth_draw d;
    uint32_t head;   /* of a thousand new texts */
    uint32_t volume; /* of a thousand queries of the mean */
    uint32_t interests[LETHE_INTERESTS_MAX], n_interests;
    uint32_t topic;       /* of this session */
    size_t last_of_topic; /* in typed[], one more than its place; 0: none in this session */
    size_t meant; /* the same: what the slip just typed should have been; 0: there was none */
    uint8_t to_do[LETHE_ERRANDS * 8]; /* errands still to run, in no order */
    size_t n_to_do;
    uint32_t rank; /* version 1: of the last click */
    /* Version 2: */
    uint32_t foci[LETHE_INTERESTS_MAX][LETHE_FOCI], interest; /* in words[]; this session's */
    uint32_t surnames[2];                                     /* of the family */
    size_t first_typed;                                       /* in this session, in typed[] */
    lethe_synth_answers answers;
    uint32_t ranks[LETHE_RESULTS]; /* clicked */
} lethe_synth_now;

/* --- for both versions: synth_person.c --- */

lethe_str lethe_synth_typed_text(const lethe_synth_person *p, const lethe_synth_text *t);
/* Room for a text, and its end: its place in typed[]. */
LETHE_MUST_CHECK lethe_err lethe_synth_typed_begin(lethe_synth_person *p, lethe_synth_pen *pen);
size_t lethe_synth_typed_end(lethe_synth_person *p, const lethe_synth_pen *pen, lethe_synth_text t);
/* typed[from] with a slip of the finger, typed before it; `from` itself: no word is long enough. */
LETHE_MUST_CHECK lethe_err lethe_synth_slip(lethe_synth_now *now, size_t from, size_t *out);

/* What the versions of the generator do not share. */
struct lethe_synth_model {
    const uint8_t *wanted; /* how often people are interested in topics of each kind */
    /* A topic is a synset below which there are so many usable words, as high in the tree as the
     * upper bound allows: "dog", "cheese", "kitchen utensil", but neither "animal" nor "poodle". */
    uint32_t topic_min, topic_max;
    uint32_t topic_kept;           /* of a thousand of its words: those that are not too learned */
    const lethe_synth_root *roots; /* ends with NULL; NULL: all of WordNet, by lexicographer file */
    uint32_t session_goes_on;      /* of a thousand queries: one more in the same session */
    /* Names and towns, as numbers; `state` is a draw for a model whose towns have none. */
    const char *const *firsts, *const *relatives;
    void (*surname)(uint32_t surname, bool planted, lethe_synth_pen *p);
    void (*town)(uint32_t town, lethe_synth_pen *p);
    const char *(*state_of)(uint32_t town, uint32_t state);
    /* Draws a user's leanings; begins a session; types what comes next, as a place in typed[];
     * says how many results are clicked; writes rank, tab and URL of the i-th of them. */
    void (*begin)(lethe_synth_now *now);
    void (*session)(lethe_synth_now *now);
    lethe_err (*next)(lethe_synth_now *now, size_t *out);
    uint32_t (*n_clicks)(lethe_synth_now *now, const lethe_synth_text *t);
    void (*click)(lethe_synth_now *now, const lethe_synth_text *t, uint32_t i, lethe_synth_pen *p);
};
extern const lethe_synth_model lethe_synth_model_1, lethe_synth_model_2;

/* One user's lines into `log`, and into `truth` if planted (NULL: not wanted). */
LETHE_MUST_CHECK lethe_err lethe_synth_person_write(const lethe_synth_world *w,
                                                    const lethe_synth_plants *planting,
                                                    double queries_per_user, uint64_t user,
                                                    lethe_synth_person *p, lethe_buf *log,
                                                    lethe_buf *truth, lethe_synth_counts *counts);

#endif
