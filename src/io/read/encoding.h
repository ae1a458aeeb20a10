/* SPDX-License-Identifier: Apache-2.0 */
/* encoding.h - text in any encoding that the C library knows, as UTF-8. */
#ifndef LETHE_IO_READ_ENCODING_H
#define LETHE_IO_READ_ENCODING_H
#include "core/ctx.h"

typedef struct lethe_recoder lethe_recoder;

/* How a recoder gets its bytes: as lethe_source_read(). */
typedef lethe_err (*lethe_read_call)(void *arg, void *buf, size_t cap, size_t *n);

/* `encoding` as iconv names it ("latin1", "windows-1252", "utf-16"), borrowed; NULL: guessed from
 * the first bytes, UTF-8 where nothing speaks against it.  UTF-8 is passed on as it is, whatever is
 * wrong with it.  LETHE_EUSAGE: no such encoding on this system. */
LETHE_MUST_CHECK lethe_err lethe_recoder_new(lethe_diag *d, const char *encoding,
                                             lethe_recoder **out);
void lethe_recoder_free(lethe_recoder *r); /* NULL is fine */

/* As lethe_source_read(): up to `cap` > 0 bytes, *n = 0 at the end.  What the encoding does not
 * have becomes U+FFFD and is counted. */
LETHE_MUST_CHECK lethe_err lethe_recoder_read(lethe_recoder *r, lethe_read_call more, void *arg,
                                              void *buf, size_t cap, size_t *n);

/* After the first read.  The encoding that is read in place of UTF-8; NULL: none. */
const char *lethe_recoder_encoding(const lethe_recoder *r);
bool lethe_recoder_guessed(const lethe_recoder *r);
uint64_t lethe_recoder_invalid(const lethe_recoder *r); /* bytes replaced so far */

/* The encoding that a text seems to have, by its first bytes (`whole`: all of it): "utf-16" by its
 * byte order mark; "windows-1252" where it is not UTF-8, more bytes being wrong than characters
 * beyond ASCII are right; NULL: UTF-8. */
const char *lethe_encoding_guess(lethe_str head, bool whole);

#endif
