/* SPDX-License-Identifier: Apache-2.0 */
/* stored.h - the bytes of a published file, whole or in parts (parts.h): who reads the data of a
 * release reads it by this, and does not know which it is.  Offsets, and lines counted by readers,
 * are those of all parts together. */
#ifndef LETHE_IO_READ_STORED_H
#define LETHE_IO_READ_STORED_H
#include "core/ctx.h"
#include <sys/types.h>

typedef struct lethe_stored lethe_stored;

/* The file `name` of a folder; where there is none and it is data.EXT, its parts together.  Links
 * are not followed; `dirfd` is borrowed for the call.  LETHE_EIO: it cannot be opened;
 * LETHE_EINPUT: it is not a regular file, or stands beside parts, or a part is missing, empty or
 * not a regular file, or does not end with LF, so that a line would be in two of them. */
LETHE_MUST_CHECK lethe_err lethe_stored_open(lethe_diag *d, int dirfd, const char *name,
                                             lethe_stored **out);
/* Is there an entry of that name, or a part of it? */
LETHE_MUST_CHECK lethe_err lethe_stored_is(lethe_diag *d, int dirfd, const char *name, bool *is);
/* An open file, which is closed with it, and at once on failure. */
LETHE_MUST_CHECK lethe_err lethe_stored_take(lethe_diag *d, int fd, const char *name,
                                             lethe_stored **out);
void lethe_stored_close(lethe_stored *s); /* NULL is fine */

/* Up to `cap` bytes from `offset` on, or fewer; 0 at the end and only there.  -1: reading failed,
 * as errno says.  By one thread at a time. */
ssize_t lethe_stored_pread(lethe_stored *s, void *buf, size_t cap, uint64_t offset);
/* The same, with a message. */
LETHE_MUST_CHECK lethe_err lethe_stored_read(lethe_diag *d, lethe_stored *s, void *buf, size_t cap,
                                             uint64_t offset, size_t *n);

const char *lethe_stored_name(const lethe_stored *s); /* data.tsv, of parts too */
uint64_t lethe_stored_size(const lethe_stored *s);

#endif
