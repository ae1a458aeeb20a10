/* SPDX-License-Identifier: Apache-2.0 */
/* synth_world.c - what all users of the synthetic log share: topics, and the clues of patterns. */
#include "app/synth/synth_internal.h"
#include "core/sort.h"
#include <stdlib.h>
#include <xxhash.h>

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
    uint8_t *kind;
    uint32_t *common; /* nouns: how many others have them for a part; NULL: not counted */
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

/* A species by its Latin name: what comes before the space is a genus. */
static bool latin(const lethe_wordnet *wn, lethe_str word)
{
    char genus[32] = "genus_";
    const char *joint = memchr(word.at, '_', word.n);
    if (!joint) return false;
    memcpy(genus + 6, word.at, (size_t)(joint - word.at));
    return lethe_wordnet_find(wn, (lethe_str){genus, 6 + (size_t)(joint - word.at)}) != LETHE_NONE;
}

static lethe_err shape_link(lethe_arena *tmp, const lethe_synth_model *m, struct shape *s)
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
        lethe_str word = lethe_wordnet_noun(s->wn, i);
        if (n == 0 || !usable(word) || (m->roots && latin(s->wn, word))) continue;
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

/* Of each synset: its root's, or where there are no roots its lexicographer file. */
static lethe_err shape_kinds(lethe_arena *tmp, const lethe_synth_root *roots, struct shape *s)
{
    size_t n;
    s->kind = lethe_new(tmp, uint8_t, (size_t)s->n_synsets + 1);
    if (!s->kind) return LETHE_ENOMEM;
    memset(s->kind, 0, s->n_synsets);
    for (const lethe_synth_root *r = roots; r && r->word; r++) {
        uint32_t noun = lethe_wordnet_find(s->wn, lethe_str_of(r->word));
        const uint32_t *senses = noun == LETHE_NONE ? NULL : lethe_wordnet_senses(s->wn, noun, &n);
        if (senses && r->sense <= n) s->kind[senses[r->sense - 1]] = r->kind;
    }
    for (uint32_t i = 0; i < s->n_order; i++) { // from the top down
        uint32_t at = s->order[i];
        const uint32_t *up = lethe_wordnet_hypernyms(s->wn, at, &n);
        if (!roots)
            s->kind[at] = (uint8_t)LETHE_MIN(lethe_wordnet_file(s->wn, at), 28);
        else if (s->kind[at] == 0 && n > 0)
            s->kind[at] = s->kind[up[0]];
    }
    return LETHE_OK;
}

/* Words that others are put together from are the common ones: there is a "kitchen table", and no
 * "kitchen remise".  A noun of two words is less common than the rarer of them. */
static lethe_err shape_common(lethe_arena *tmp, struct shape *s)
{
    uint32_t n = lethe_wordnet_nouns(s->wn), *count = lethe_new(tmp, uint32_t, (size_t)n + 1);
    s->common = lethe_new(tmp, uint32_t, (size_t)n + 1);
    if (!count || !s->common) return LETHE_ENOMEM;
    memset(count, 0, n * sizeof *count);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < n; i++) {
            lethe_str word = lethe_wordnet_noun(s->wn, i), rest = word;
            uint32_t least = UINT32_MAX;
            while (rest.n > 0) {
                const char *joint = memchr(rest.at, '_', rest.n);
                size_t end = joint ? (size_t)(joint - rest.at) : rest.n;
                uint32_t part = lethe_wordnet_find(s->wn, (lethe_str){rest.at, end});
                if (pass == 0 && part != LETHE_NONE) count[part] += end < word.n;
                least = LETHE_MIN(least, part == LETHE_NONE ? 0 : count[part]);
                end += joint != NULL;
                rest = (lethe_str){rest.at + end, rest.n - end};
            }
            s->common[i] = memchr(word.at, '_', word.n) ? least / 8 : least;
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
            if (s->common) rarity = 65535 - LETHE_MIN(s->common[noun] + n_senses - 1, 65535);
            keys[n++] = rarity << 40 | (uint64_t)lethe_wordnet_noun(s->wn, noun).n << 32 | noun;
        }
    qsort(keys, n, sizeof *keys, lethe_u64_cmp);
    n = n * w->model->topic_kept / 1000;
    for (uint32_t i = 0; i < n; i++) {
        lethe_str noun = lethe_wordnet_noun(s->wn, (uint32_t)keys[i]);
        char *text = lethe_arena_dup(a, noun);
        if (!text) return LETHE_ENOMEM;
        for (size_t k = 0; k < noun.n; k++)
            if (text[k] == '_') text[k] = ' ';
        w->words[n_words + i] = (lethe_str){text, noun.n};
    }
    unsigned kind = s->kind[s->order[from]];
    for (unsigned i = 0; i < w->model->wanted[kind]; i++)
        w->interests[w->n_interests++] = w->n_topics;
    w->topics[w->n_topics++] = (lethe_synth_topic){n_words, n, kind};
    return LETHE_OK;
}

static lethe_err topics_make(lethe_arena *a, lethe_arena *tmp, const struct shape *s,
                             lethe_synth_world *w)
{
    const lethe_synth_model *m = w->model;
    uint32_t n_words = 0, max = lethe_wordnet_nouns(s->wn) / m->topic_min + 1;
    uint64_t *keys = lethe_new(tmp, uint64_t, m->topic_max);
    w->words = lethe_new(a, lethe_str, (size_t)lethe_wordnet_nouns(s->wn) + 1);
    w->topics = lethe_new(a, lethe_synth_topic, max);
    w->interests = lethe_new(a, uint32_t, (size_t)max * 8);
    if (!keys || !w->words || !w->topics || !w->interests) return LETHE_ENOMEM;
    for (uint32_t i = 0; i < s->n_order;) {
        uint32_t size = s->size[s->order[i]];
        bool whole = size <= m->topic_max && s->kind[s->order[i]] != 0;
        if (whole && size >= m->topic_min) {
            LETHE_TRY(topic_put(a, s, i, keys, n_words, w));
            n_words += size;
        }
        i = whole ? s->last[i] : i + 1;
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

lethe_err lethe_synth_world_make(lethe_ctx *ctx, const lethe_wordnet *wn, const lethe_synth *how,
                                 lethe_arena *a, lethe_arena *tmp, lethe_synth_world *out)
{
    struct shape s = {.wn = wn, .n_synsets = lethe_wordnet_synsets(wn)};
    lethe_synth_world w = {.random = how->random,
                           .model =
                               how->version == 1 ? &lethe_synth_model_1 : &lethe_synth_model_2};
    lethe_err e = shape_link(tmp, w.model, &s);
    if (e == LETHE_OK) {
        shape_order(&s);
        e = shape_sizes(tmp, &s);
    }
    if (e == LETHE_OK) e = shape_kinds(tmp, w.model->roots, &s);
    if (e == LETHE_OK && w.model->roots) e = shape_common(tmp, &s);
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
    lethe_rng r = lethe_rng_stream(how->random, "synth-numbers", 0);
    w.names = shuffle_make(&r, LETHE_SYNTH_NAMES);
    w.ssn = shuffle_make(&r, LETHE_SYNTH_SSNS);
    w.card = shuffle_make(&r, LETHE_SYNTH_CARDS);
    w.phone = shuffle_make(&r, LETHE_SYNTH_PHONES);
    w.pattern = shuffle_make(&r, LETHE_SYNTH_PATTERNS);
    lethe_rng_wipe(&r);
    *out = w;
    return LETHE_OK;
}
