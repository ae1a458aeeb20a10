/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - what the methods do with single texts, for programs that have texts and no log: a column
 * of a data frame, a message before it is stored. */
#ifndef LETHE_TEXT_H
#define LETHE_TEXT_H
#include "lethe/context.h"
LETHE_API_BEGIN

/* Works on one text after the other; not for use by several threads at once. */
typedef struct lethe_texts lethe_texts;

/* `kinds` and `list` as the options of the method scrub; NULL: the default kinds, no list.
 * LETHE_EUSAGE: there is no such kind; LETHE_EIO, LETHE_EINPUT: of the list.  `ctx` must outlive
 * *out. */
LETHE_MUST_CHECK lethe_err lethe_texts_new(lethe_ctx *ctx, const char *kinds, const char *list,
                                           lethe_texts **out);
void lethe_texts_free(lethe_texts *t); /* NULL is allowed */

/* In all that follow, *out is a view of `in` or of `t`, and lives until the next call with `t`.
 * Bytes that are not UTF-8 become U+FFFD.  LETHE_ENOMEM is reported. */

/* The normal form: one spelling for all spellings of the same text (NFKC, case folding, white space
 * as one space).  Methods read logs in it. */
LETHE_MUST_CHECK lethe_err lethe_texts_normal(lethe_texts *t, lethe_str in, lethe_str *out);
/* The normal form with personal data replaced by its kind: "call [phone]".  A text whose masks
 * would be taken for personal data themselves, a row that scrub leaves out, is empty. */
LETHE_MUST_CHECK lethe_err lethe_texts_scrub(lethe_texts *t, lethe_str in, lethe_str *out);
/* The words of the normal form, nouns reduced to their singular by WordNet, sorted: threshold
 * counts texts with equal keys as one.  LETHE_EIO: WordNet is not installed. */
LETHE_MUST_CHECK lethe_err lethe_texts_words_key(lethe_texts *t, lethe_str in, lethe_str *out);
/* The host of a URL, as it is published; empty where none can be told for sure. */
LETHE_MUST_CHECK lethe_err lethe_texts_host(lethe_texts *t, lethe_str in, lethe_str *out);

LETHE_API_END
#endif
