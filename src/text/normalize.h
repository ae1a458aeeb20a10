/* SPDX-License-Identifier: Apache-2.0 */
/* normalize.h - one form for all spellings of the same query, and valid UTF-8. */
#ifndef LETHE_TEXT_NORMALIZE_H
#define LETHE_TEXT_NORMALIZE_H
#include "core/mem.h"

/* The normal form: invalid UTF-8 replaced by U+FFFD; Unicode NFKC with full case folding, default
 * ignorable code points removed; of more than 30 marks in a row the rest removed; control
 * characters and white space taken for spaces, runs of them for one, none at either end.
 * Idempotent.  ASCII that is already normal is returned as a view of `in`; anything else is built
 * in `buf` (emptied first).  *invalid is set to whether bytes had to be replaced. */
LETHE_MUST_CHECK lethe_err lethe_normalize(lethe_str in, lethe_buf *buf, lethe_str *out,
                                           bool *invalid);

/* Valid UTF-8?  Fast for ASCII.  Surrogates, overlong forms and code points past U+10FFFF are not.
 */
bool lethe_utf8_valid(lethe_str s);
/* A view of `in` where valid, else a repaired copy in `buf` (emptied first): each maximal broken
 * part becomes one U+FFFD. */
LETHE_MUST_CHECK lethe_err lethe_utf8_repair(lethe_str in, lethe_buf *buf, lethe_str *out,
                                             bool *invalid);

/* Number of words: maximal runs of what is not a space, in a normalised text. */
uint32_t lethe_count_words(lethe_str normal);

/* The host of a clicked URL, lower case, without user, port and path; as a view of `in` where it is
 * lower case already, else in `buf` (emptied first).  Empty where no host can be told for sure:
 * what cannot be cut safely is not published.  Without a scheme a host must have a dot, and nothing
 * before an '@'; a number at its end must be that of an IPv4 address. */
LETHE_MUST_CHECK lethe_err lethe_url_host(lethe_str in, lethe_buf *buf, lethe_str *out);

/* Is this a host as the function above gives it? */
bool lethe_is_host(lethe_str s);
/* Letters, digits, '-', '_' and '~' alone, in which no part of a URL can be told, at least one? */
bool lethe_is_bare_word(lethe_str s);

#endif
