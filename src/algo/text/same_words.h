/* SPDX-License-Identifier: Apache-2.0 */
/* same_words.h - when two texts are one: the same words, reduced, in whatever order. */
#ifndef LETHE_ALGO_TEXT_SAME_WORDS_H
#define LETHE_ALGO_TEXT_SAME_WORDS_H
#include "lexicon/wordnet/wordnet.h"

/* Of one thread, all zero at first but for `cap_bytes`: scratch, and what it remembers of texts and
 * words that come again and again. */
typedef struct lethe_same_words {
    size_t cap_bytes; /* for what is remembered: 768 KiB are taken at least, 10 MiB at most */
    lethe_buf words, key;
    struct lethe_same_memory *memory;
    const lethe_wordnet *wn; /* what the memory is of */
} lethe_same_words;
void lethe_same_words_free(lethe_same_words *s);

/* The words of a normalised text (words.h), each reduced where it is a noun, sorted by bytes,
 * repeated ones kept, one space between them.  Masks are words that nothing is done to.  A text
 * without a word is its own key.  Texts are the same where their keys are.  *key lives until the
 * next call.  `wn` must live as long as it is handed in here. */
LETHE_MUST_CHECK lethe_err lethe_same_words_key(lethe_same_words *s, const lethe_wordnet *wn,
                                                lethe_str text, lethe_str *key);

#endif
