/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - the words of a query. */
#ifndef LETHE_TEXT_WORDS_H
#define LETHE_TEXT_WORDS_H
#include "core/mem.h"

/* A word of a normalised text: a maximal run of letters and digits and, beyond ASCII, of whatever
 * is neither punctuation nor space (marks, symbols and what this Unicode does not know among them:
 * what says something must not pass for a sign between words), in which one of ' ’ - . & _ may
 * stand between two of them (at&t, o'brien, www.lilburn.ga.us, 555-12-1234); or what stands for
 * something hidden, a mask such as [ssn] (pii.h), brackets and all.  U+FFFD and bytes that are not
 * UTF-8 are part of no word. */
typedef struct lethe_words {
    const char *at, *end; /* what is left of the text */
} lethe_words;
typedef struct lethe_word {
    lethe_str text; /* a view of the text */
    bool mask;
} lethe_word;

lethe_words lethe_words_of(lethe_str normal);
bool lethe_words_next(lethe_words *w, lethe_word *out); /* false: no more */

uint32_t lethe_words_count(lethe_str normal); /* masks count too */

/* Sorts views in order of their bytes (lethe_str_cmp). */
void lethe_words_sort(lethe_str *at, size_t n);

#endif
