/* SPDX-License-Identifier: Apache-2.0 */
/* function_words.h - English words that say how a query is built, not what it is about. */
#ifndef LETHE_TEXT_FUNCTION_WORDS_H
#define LETHE_TEXT_FUNCTION_WORDS_H
#include "core/mem.h"

/* Is a word (text/words.h) of a normalised query a function word: a pronoun, determiner,
 * preposition, conjunction, auxiliary, negation, wh-word or one of here, now, then, there?
 * Contractions are, with either apostrophe (don't).  WordNet has many of them as nouns (in: indium,
 * a: ampere), and reduces others to one (was: wa, a state).  The classes are closed: the list is in
 * function_words.c, and says which words of these classes are not in it. */
bool lethe_is_function_word(lethe_str word);

#endif
