/* same_words.h - when two texts are one: the same words, reduced, in whatever order. */
#ifndef LETHE_ALGO_SAME_WORDS_H
#define LETHE_ALGO_SAME_WORDS_H
#include "lexicon/wordnet.h"

typedef struct lethe_same_words {
    lethe_buf words, key; /* scratch of one thread */
} lethe_same_words;
void lethe_same_words_free(lethe_same_words *s);

/* The words of a normalised text (words.h), each reduced where it is a noun, sorted by bytes,
 * repeated ones kept, one space between them.  A text without a word is its own key.  Texts are the
 * same where their keys are.  *key lives until the next call. */
LETHE_MUST_CHECK lethe_err lethe_same_words_key(lethe_same_words *s, const lethe_wordnet *wn,
                                                lethe_str text, lethe_str *key);

#endif
