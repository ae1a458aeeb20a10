/* SPDX-License-Identifier: Apache-2.0 */
/* same_words.c - the key of a text: its words as nouns, sorted. */
#define XXH_INLINE_ALL
#include "algo/text/same_words.h"
#include "text/words.h"
#include <xxhash.h>

/* A log says the same things over and over.  What was found out last is kept where its hash says,
 * until something else falls on its place: no more than that is needed, and no more can be made of
 * it by who chooses the texts. */
enum {
    LEAST_TEXTS = 1 << 12,
    MOST_TEXTS = 1 << 16,
    TEXT_ROOM = 126,
    LEAST_WORDS = 1 << 13,
    MOST_WORDS = 1 << 16,
    WORD_ROOM = 27,
};

typedef struct text_slot {
    uint8_t n_text, n_key; /* no text: free */
    char bytes[TEXT_ROOM]; /* of both */
} text_slot;

typedef struct word_slot {
    uint32_t noun; /* LETHE_NONE: the word stays as it is */
    uint8_t n;     /* 0: free */
    char bytes[WORD_ROOM];
} word_slot;

struct lethe_same_memory {
    text_slot *texts;
    word_slot *words;
    size_t n_texts, n_words; /* powers of two */
    void *texts_memory, *words_memory;
};

static void memory_free(struct lethe_same_memory *m)
{
    if (!m) return;
    lethe_free_all(m->texts_memory, m->words_memory);
    lethe_free(m);
}

/* As many slots as `cap_bytes` has room for, within bounds: words first, since a text that is new
 * is mostly made of words that are not. */
static struct lethe_same_memory *memory_new(size_t cap_bytes)
{
    struct lethe_same_memory *m = lethe_alloc_zero(1, sizeof *m);
    if (!m) return NULL;
    m->n_texts = LEAST_TEXTS;
    m->n_words = LEAST_WORDS;
    size_t texts = m->n_texts * sizeof(text_slot), words = m->n_words * sizeof(word_slot);
    for (; m->n_words < MOST_WORDS && texts + 2 * words <= cap_bytes; words *= 2)
        m->n_words *= 2;
    for (; m->n_texts < MOST_TEXTS && 2 * texts + words <= cap_bytes; texts *= 2)
        m->n_texts *= 2;
    m->texts = lethe_alloc_table(m->n_texts, sizeof *m->texts, &m->texts_memory);
    m->words = lethe_alloc_table(m->n_words, sizeof *m->words, &m->words_memory);
    if (m->texts && m->words) return m;
    memory_free(m);
    return NULL;
}

void lethe_same_words_free(lethe_same_words *s)
{
    lethe_buf_free(&s->words);
    lethe_buf_free(&s->key);
    memory_free(s->memory);
    *s = (lethe_same_words){0};
}

static size_t place_of(lethe_str s, size_t n_slots)
{
    return (size_t)XXH3_64bits(s.at, s.n) & (n_slots - 1);
}

/* --- words --- */

/* LETHE_NONE also where the word is its own reduced form. */
static uint32_t find_noun(const lethe_wordnet *wn, lethe_str word)
{
    uint32_t noun = lethe_wordnet_reduce(wn, word);
    if (noun != LETHE_NONE && lethe_str_eq(lethe_wordnet_noun(wn, noun), word)) noun = LETHE_NONE;
    return noun;
}

/* A word and where it is remembered.  Several are asked for before the first is looked at: each
 * may have to come from far away. */
typedef struct placed_word {
    lethe_word word;
    word_slot *slot; /* NULL: it has no place */
} placed_word;
enum { AHEAD = 8 };

static word_slot *word_place(const lethe_same_words *s, const lethe_word *word)
{
    if (word->mask || word->text.n > WORD_ROOM) return NULL;
    word_slot *slot = &s->memory->words[place_of(word->text, s->memory->n_words)];
    __builtin_prefetch(slot, 1);
    return slot;
}

static uint32_t noun_of(const lethe_wordnet *wn, lethe_str word, word_slot *slot)
{
    if (slot->n != word.n || memcmp(slot->bytes, word.at, word.n) != 0) {
        slot->noun = find_noun(wn, word);
        slot->n = (uint8_t)word.n;
        memcpy(slot->bytes, word.at, word.n);
    }
    return slot->noun;
}

static lethe_str reduced(const lethe_wordnet *wn, const placed_word *w)
{
    lethe_str text = w->word.text;
    if (w->word.mask) return text;
    uint32_t noun = w->slot ? noun_of(wn, text, w->slot) : find_noun(wn, text);
    return noun == LETHE_NONE ? text : lethe_wordnet_noun(wn, noun);
}

/* --- texts --- */

static lethe_err make_key(lethe_same_words *s, lethe_str text)
{
    lethe_words w = lethe_words_of(text);
    size_t n_ahead, n_bytes = 0; // n_bytes: of all words, with a space behind each
    s->words.n = 0;
    do {
        placed_word ahead[AHEAD];
        for (n_ahead = 0; n_ahead < AHEAD && lethe_words_next(&w, &ahead[n_ahead].word); n_ahead++)
            ahead[n_ahead].slot = word_place(s, &ahead[n_ahead].word);
        for (size_t i = 0; i < n_ahead; i++) {
            lethe_str view = reduced(s->wn, &ahead[i]);
            LETHE_TRY(lethe_buf_put(&s->words, &view, sizeof view));
            n_bytes += view.n + 1;
        }
    } while (n_ahead == AHEAD);
    lethe_str *words = (lethe_str *)(void *)s->words.at;
    size_t n = s->words.n / sizeof *words;
    s->key.n = 0;
    if (n == 0) return lethe_buf_str(&s->key, text); /* all it has is what is no word */
    lethe_words_sort(words, n);
    LETHE_TRY(lethe_buf_reserve(&s->key, n_bytes));
    for (size_t i = 0; i < n; i++) {
        if (i > 0) s->key.at[s->key.n++] = ' ';
        memcpy(s->key.at + s->key.n, words[i].at, words[i].n);
        s->key.n += words[i].n;
    }
    return LETHE_OK;
}

lethe_err lethe_same_words_key(lethe_same_words *s, const lethe_wordnet *wn, lethe_str text,
                               lethe_str *key)
{
    if (!s->memory || s->wn != wn) {
        memory_free(s->memory);
        s->memory = memory_new(s->cap_bytes);
        if (!s->memory) return LETHE_ENOMEM;
        s->wn = wn;
    }
    text_slot *slot = &s->memory->texts[place_of(text, s->memory->n_texts)];
    if (text.n > 0 && slot->n_text == text.n && memcmp(slot->bytes, text.at, text.n) == 0) {
        *key = (lethe_str){slot->bytes + slot->n_text, slot->n_key};
        return LETHE_OK;
    }
    LETHE_TRY(make_key(s, text));
    *key = (lethe_str){(const char *)s->key.at, s->key.n};
    if (text.n == 0 || text.n + key->n > TEXT_ROOM) return LETHE_OK;
    slot->n_text = (uint8_t)text.n;
    slot->n_key = (uint8_t)key->n;
    memcpy(slot->bytes, text.at, text.n);
    memcpy(slot->bytes + text.n, key->at, key->n);
    return LETHE_OK;
}
