/* SPDX-License-Identifier: Apache-2.0 */
/* codec.h - one member of a compressed file at a time: gzip, zstd, xz, bzip2.
 * Knows no files: source.c feeds it and joins the members. */
#ifndef LETHE_IO_READ_CODEC_H
#define LETHE_IO_READ_CODEC_H
#include "core/base.h"

typedef enum lethe_codec_kind {
    LETHE_CODEC_NONE, /* plain bytes */
    LETHE_CODEC_GZIP,
    LETHE_CODEC_ZSTD,
    LETHE_CODEC_XZ,
    LETHE_CODEC_BZIP2
} lethe_codec_kind;

enum { LETHE_CODEC_MAGIC = 10 }; /* bytes that tell */

/* What the first bytes (LETHE_CODEC_MAGIC of them, or all there are) say.  *partial: they end
 * inside the mark of the kind returned, so the file is cut off. */
lethe_codec_kind lethe_codec_detect(const uint8_t *p, size_t n, bool *partial);
const char *lethe_codec_name(lethe_codec_kind kind);
bool lethe_codec_built_in(lethe_codec_kind kind);

typedef struct lethe_codec lethe_codec;
lethe_codec *lethe_codec_new(lethe_codec_kind kind); /* one that is built in; NULL: no memory */
void lethe_codec_free(lethe_codec *c);               /* NULL is fine */

/* Before each member, the first one too.  LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_codec_begin(lethe_codec *c);

typedef enum lethe_codec_result {
    LETHE_CODEC_MORE, /* the member goes on */
    LETHE_CODEC_END,  /* it is complete, and its check sum, where it has one, is right */
    LETHE_CODEC_DAMAGED,
    LETHE_CODEC_TOO_LARGE, /* needs more memory than we allow for an untrusted file */
    LETHE_CODEC_NO_MEMORY
} lethe_codec_result;

typedef struct lethe_codec_io {
    const uint8_t *in;
    uint8_t *out;
    size_t n_in, n_out; /* what is there; afterwards, what is left */
} lethe_codec_io;

/* Takes input and gives output until one of them is used up. MORE with neither moved: it needs
 * input. */
lethe_codec_result lethe_codec_step(lethe_codec *c, lethe_codec_io *io);

#endif
