/* SPDX-License-Identifier: Apache-2.0 */
/* synth_world.c - what all users of the synthetic log share: topics, and the clues of patterns. */
#include "app/synth/synth_internal.h"
#include "core/sort.h"
#include <stdlib.h>
#include <xxhash.h>

/* A topic is a synset below which there are so many usable words, as high in the tree as the upper
 * bound allows: "dog", "cheese", "kitchen utensil", but neither "animal" nor "poodle". */
enum { TOPIC_MIN = 60, TOPIC_MAX = 600 };
enum { TOPIC_KEPT = 650 }; /* of a thousand of its words: those that are not too learned */

/* How often people are interested in topics of each lexicographer file (wordnet.h), 3 to 28: */
static const uint8_t wanted[29] = {
    [3] = 1,  /* Tops */[4] = 4,       /* act */[5] = 1,         /* animal */
    [6] = 8,  /* artifact */[7] = 1,   /* attribute */[8] = 2,   /* body */
    [9] = 1,  /* cognition */[10] = 4,                           /* communication */
    [11] = 3, /* event */[12] = 1,     /* feeling */[13] = 8,    /* food */
    [14] = 2, /* group */[15] = 3,     /* location */[16] = 1,   /* motive */
    [17] = 2, /* object */[18] = 3,    /* person */[19] = 1,     /* phenomenon */
    [20] = 1, /* plant */[21] = 4,     /* possession */[22] = 1, /* process */
    [23] = 1, /* quantity */[24] = 1,  /* relation */[25] = 1,   /* shape */
    [26] = 3, /* state */[27] = 1,     /* substance */[28] = 2,  /* time */
};

/* WordNet's nouns as lists below each synset, by the first hypernym and the first sense. */
struct shape {
    const lethe_wordnet *wn;
    uint32_t n_synsets;
    uint32_t *child, *sibling; /* LETHE_NONE: none */
    uint32_t *noun, *next;     /* usable nouns of a synset: first, and the next of each */
    uint32_t *order;           /* synsets, each before all below it */
    uint32_t n_order;
    uint32_t *size; /* usable nouns in and below */
    uint32_t *last; /* order: one past the last synset below */
};

/* What a person would type: one or two plain words. */
static bool usable(lethe_str word)
{
    size_t joints = 0;
    if (word.n < 3 || word.n > 18) return false;
    for (size_t i = 0; i < word.n; i++) {
        if (word.at[i] == '_')
            joints++;
        else if (word.at[i] < 'a' || word.at[i] > 'z')
            return false;
    }
    return joints <= 1 && !(word.n > 6 && memcmp(word.at, "genus_", 6) == 0) &&
           !(word.n > 7 && memcmp(word.at, "family_", 7) == 0);
}

static lethe_err shape_link(lethe_arena *tmp, struct shape *s)
{
    size_t n;
    uint32_t **arrays[] = {&s->child, &s->sibling, &s->noun, &s->order, &s->size, &s->last};
    for (size_t i = 0; i < LETHE_COUNT(arrays); i++) {
        *arrays[i] = lethe_new(tmp, uint32_t, (size_t)s->n_synsets + 1);
        if (!*arrays[i]) return LETHE_ENOMEM;
    }
    s->next = lethe_new(tmp, uint32_t, (size_t)lethe_wordnet_nouns(s->wn) + 1);
    if (!s->next) return LETHE_ENOMEM;
    memset(s->child, 0xff, s->n_synsets * sizeof *s->child);
    memset(s->noun, 0xff, s->n_synsets * sizeof *s->noun);
    // lists are made from their ends, so that they stand in rising order
    for (uint32_t i = s->n_synsets; i-- > 0;) {
        const uint32_t *up = lethe_wordnet_hypernyms(s->wn, i, &n);
        if (n == 0) continue;
        s->sibling[i] = s->child[up[0]];
        s->child[up[0]] = i;
    }
    for (uint32_t i = lethe_wordnet_nouns(s->wn); i-- > 0;) {
        const uint32_t *sense = lethe_wordnet_senses(s->wn, i, &n);
        if (n == 0 || !usable(lethe_wordnet_noun(s->wn, i))) continue;
        s->next[i] = s->noun[sense[0]];
        s->noun[sense[0]] = i;
    }
    return LETHE_OK;
}

/* Preorder with a stack of synsets that are still to come (in `last`, which is not yet needed; a
 * synset has one first hypernym, so it is pushed once). */
static void shape_order(struct shape *s)
{
    size_t n, depth = 0;
    uint32_t *stack = s->last;
    for (uint32_t i = s->n_synsets; i-- > 0;) {
        (void)lethe_wordnet_hypernyms(s->wn, i, &n);
        if (n == 0) stack[depth++] = i;
    }
    while (depth > 0) {
        uint32_t at = stack[--depth];
        s->order[s->n_order++] = at;
        size_t first = depth;
        for (uint32_t c = s->child[at]; c != LETHE_NONE; c = s->sibling[c])
            stack[depth++] = c;
        for (size_t i = first, j = depth; i + 1 < j; i++) { // the first child comes next
            uint32_t swap = stack[i];
            stack[i] = stack[--j];
            stack[j] = swap;
        }
    }
}

/* Sizes and ends, from the leaves up. */
static lethe_err shape_sizes(lethe_arena *tmp, struct shape *s)
{
    uint32_t *place = lethe_new(tmp, uint32_t, (size_t)s->n_synsets + 1);
    if (!place) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < s->n_order; i++)
        place[s->order[i]] = i;
    for (uint32_t i = s->n_order; i-- > 0;) {
        uint32_t at = s->order[i];
        s->size[at] = 0;
        s->last[i] = i + 1;
        for (uint32_t noun = s->noun[at]; noun != LETHE_NONE; noun = s->next[noun])
            s->size[at]++;
        for (uint32_t c = s->child[at]; c != LETHE_NONE; c = s->sibling[c]) {
            s->size[at] += s->size[c];
            s->last[i] = LETHE_MAX(s->last[i], s->last[place[c]]);
        }
    }
    return LETHE_OK;
}

/* The words below order[from], as a topic. */
static lethe_err topic_put(lethe_arena *a, const struct shape *s, uint32_t from, uint64_t *keys,
                           uint32_t n_words, lethe_synth_world *w)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < s->last[from]; i++)
        for (uint32_t noun = s->noun[s->order[i]]; noun != LETHE_NONE; noun = s->next[noun]) {
            // words with many senses are the common ones, and of the others the short ones are
            size_t n_senses;
            (void)lethe_wordnet_senses(s->wn, noun, &n_senses);
            uint64_t rarity = n_senses < 15 ? 15 - n_senses : 0;
            keys[n++] = rarity << 40 | (uint64_t)lethe_wordnet_noun(s->wn, noun).n << 32 | noun;
        }
    qsort(keys, n, sizeof *keys, lethe_u64_cmp);
    n = n * TOPIC_KEPT / 1000;
    for (uint32_t i = 0; i < n; i++) {
        lethe_str noun = lethe_wordnet_noun(s->wn, (uint32_t)keys[i]);
        char *text = lethe_arena_dup(a, noun);
        if (!text) return LETHE_ENOMEM;
        for (size_t k = 0; k < noun.n; k++)
            if (text[k] == '_') text[k] = ' ';
        w->words[n_words + i] = (lethe_str){text, noun.n};
    }
    unsigned kind = lethe_wordnet_file(s->wn, s->order[from]);
    for (unsigned i = 0; i < wanted[LETHE_MIN(kind, 28)]; i++)
        w->interests[w->n_interests++] = w->n_topics;
    w->topics[w->n_topics++] = (lethe_synth_topic){n_words, n};
    return LETHE_OK;
}

static lethe_err topics_make(lethe_arena *a, lethe_arena *tmp, const struct shape *s,
                             lethe_synth_world *w)
{
    uint32_t n_words = 0, max = lethe_wordnet_nouns(s->wn) / TOPIC_MIN + 1;
    uint64_t *keys = lethe_new(tmp, uint64_t, TOPIC_MAX);
    w->words = lethe_new(a, lethe_str, (size_t)lethe_wordnet_nouns(s->wn) + 1);
    w->topics = lethe_new(a, lethe_synth_topic, max);
    w->interests = lethe_new(a, uint32_t, (size_t)max * 8);
    if (!keys || !w->words || !w->topics || !w->interests) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < s->n_order;) {
        uint32_t size = s->size[s->order[i]];
        if (size >= TOPIC_MIN && size <= TOPIC_MAX) {
            LETHE_TRY(topic_put(a, s, i, keys, n_words, w));
            n_words += size;
        }
        i = size <= TOPIC_MAX ? s->last[i] : i + 1;
    }
    return LETHE_OK;
}

/* --- clues --- */

uint64_t lethe_synth_text_key(lethe_str text)
{
    uint64_t key = 0;
    const char *at = text.at, *end = text.at + text.n;
    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at)), *stop = space ? space : end;
        size_t n = (size_t)(stop - at);
        if (n > 3 && at[n - 1] == 's') n--;
        key += XXH3_64bits(at, n);
        at = stop + 1;
    }
    return key;
}

bool lethe_synth_is_clue(const lethe_synth_world *w, lethe_str text)
{
    uint64_t key = lethe_synth_text_key(text);
    if (!(w->maybe[key / 8 % sizeof w->maybe] >> key % 8 & 1)) return false;
    return bsearch(&key, w->clues, LETHE_SYNTH_CLUES, sizeof key, lethe_u64_cmp) != NULL;
}

/* --- to each their own --- */

static lethe_synth_permutation shuffle_make(lethe_rng *r, uint64_t modulus)
{
    lethe_synth_permutation s = {.modulus = modulus, .half_bits = 1};
    while (modulus > UINT64_C(1) << 2 * s.half_bits)
        s.half_bits++;
    for (size_t i = 0; i < LETHE_COUNT(s.keys); i++)
        s.keys[i] = lethe_rng_u64(r);
    return s;
}

/* A Feistel network over a few more numbers than there are, walked until it comes to one that is.
 */
uint64_t lethe_synth_permuted(const lethe_synth_permutation *s, uint64_t j)
{
    uint64_t mask = (UINT64_C(1) << s->half_bits) - 1, v = j;
    assert(j < s->modulus);
    do {
        uint64_t left = v >> s->half_bits, right = v & mask;
        for (size_t i = 0; i < LETHE_COUNT(s->keys); i++) {
            uint64_t next = left ^ (lethe_synth_mix(right + s->keys[i]) & mask);
            left = right;
            right = next;
        }
        v = left << s->half_bits | right;
    } while (v >= s->modulus);
    return v;
}

lethe_err lethe_synth_world_make(lethe_ctx *ctx, const lethe_wordnet *wn,
                                 const lethe_secret *random, lethe_arena *a, lethe_arena *tmp,
                                 lethe_synth_world *out)
{
    struct shape s = {.wn = wn, .n_synsets = lethe_wordnet_synsets(wn)};
    lethe_synth_world w = {.random = random};
    lethe_err e = shape_link(tmp, &s);
    if (e == LETHE_OK) {
        shape_order(&s);
        e = shape_sizes(tmp, &s);
    }
    if (e == LETHE_OK) e = topics_make(a, tmp, &s, &w);
    if (e != LETHE_OK) return lethe_no_memory(ctx);
    if (w.n_interests == 0)
        return lethe_fail(ctx, LETHE_EINPUT, "the dictionary is too small for a synthetic log");
    for (size_t i = 0; i < LETHE_SYNTH_CLUES; i++)
        w.clues[i] = lethe_synth_text_key(
            lethe_str_of(lethe_synth_pool[i / LETHE_SYNTH_POOL][i % LETHE_SYNTH_POOL]));
    qsort(w.clues, LETHE_SYNTH_CLUES, sizeof *w.clues, lethe_u64_cmp);
    for (size_t i = 0; i < LETHE_SYNTH_CLUES; i++)
        w.maybe[w.clues[i] / 8 % sizeof w.maybe] |= (uint8_t)(1u << w.clues[i] % 8);
    lethe_rng r = lethe_rng_stream(random, "synth-numbers", 0);
    w.names = shuffle_make(&r, LETHE_SYNTH_NAMES);
    w.ssn = shuffle_make(&r, LETHE_SYNTH_SSNS);
    w.card = shuffle_make(&r, LETHE_SYNTH_CARDS);
    w.phone = shuffle_make(&r, LETHE_SYNTH_PHONES);
    w.pattern = shuffle_make(&r, LETHE_SYNTH_PATTERNS);
    lethe_rng_wipe(&r);
    *out = w;
    return LETHE_OK;
}
