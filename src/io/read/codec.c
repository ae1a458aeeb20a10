/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression of one member by zlib, zstd, liblzma or libbz2 behind one interface. */
#include "io/read/codec.h"
#include "core/mem.h"
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>
#ifdef LETHE_HAVE_XZ
#include <lzma.h>
#endif
#ifdef LETHE_HAVE_BZIP2
#include <bzlib.h>
#endif

/* The libraries count in 32 bits: no more than this at a time. */
static unsigned at_once(size_t n) { return (unsigned)LETHE_MIN(n, (size_t)1 << 30); }

struct lethe_codec {
    lethe_codec_kind kind;
    bool open; /* the stream below has been set up */
    union {
        z_stream gzip;
        ZSTD_DStream *zstd;
#ifdef LETHE_HAVE_XZ
        lzma_stream xz;
#endif
#ifdef LETHE_HAVE_BZIP2
        bz_stream bzip2;
#endif
    } of;
};

/* --- what it is --- */

typedef struct magic {
    lethe_codec_kind kind;
    uint8_t n, least; /* bytes; so many of them alone are a file cut off, fewer may be text */
    uint8_t at[LETHE_CODEC_MAGIC], mask[LETHE_CODEC_MAGIC];
} magic;

#define FULL4 0xff, 0xff, 0xff, 0xff
static const magic magics[] = {
    {LETHE_CODEC_GZIP, 2, 2, {0x1f, 0x8b}, {FULL4}},
    {LETHE_CODEC_ZSTD, 4, 2, {0x28, 0xb5, 0x2f, 0xfd}, {FULL4}},
    {LETHE_CODEC_ZSTD, 4, 3, {0x50, 0x2a, 0x4d, 0x18}, {0xf0, 0xff, 0xff, 0xff}}, // skippable frame
    {LETHE_CODEC_XZ, 6, 2, {0xfd, '7', 'z', 'X', 'Z', 0}, {FULL4, 0xff, 0xff}},
    // A level of 1 to 9, then pi, or the root of pi where there is no block at all.
    {LETHE_CODEC_BZIP2,
     10,
     4,
     {'B', 'Z', 'h', '0', '1', 'A', 'Y', '&', 'S', 'Y'},
     {0xff, 0xff, 0xff, 0xf0, FULL4, 0xff, 0xff}},
    {LETHE_CODEC_BZIP2,
     10,
     4,
     {'B', 'Z', 'h', '0', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90},
     {0xff, 0xff, 0xff, 0xf0, FULL4, 0xff, 0xff}},
};

static bool begins_as(const magic *m, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((p[i] & m->mask[i]) != m->at[i]) return false;
    return m->kind != LETHE_CODEC_BZIP2 || n < 4 || (p[3] >= '1' && p[3] <= '9');
}

lethe_codec_kind lethe_codec_detect(const uint8_t *p, size_t n, bool *partial)
{
    for (size_t i = 0; i < LETHE_COUNT(magics); i++) {
        const magic *m = &magics[i];
        if (n < m->least || !begins_as(m, p, LETHE_MIN(n, (size_t)m->n))) continue;
        *partial = n < m->n;
        return m->kind;
    }
    *partial = false;
    return LETHE_CODEC_NONE;
}

const char *lethe_codec_name(lethe_codec_kind kind)
{
    static const char *const names[] = {"none", "gzip", "zstd", "xz", "bzip2"};
    return names[kind];
}

bool lethe_codec_built_in(lethe_codec_kind kind)
{
#ifndef LETHE_HAVE_XZ
    if (kind == LETHE_CODEC_XZ) return false;
#endif
#ifndef LETHE_HAVE_BZIP2
    if (kind == LETHE_CODEC_BZIP2) return false;
#endif
    return kind != LETHE_CODEC_NONE;
}

static void memory_free(void *none, void *p)
{
    (void)none;
    lethe_free(p);
}

/* --- gzip --- */

static voidpf gzip_alloc(voidpf none, uInt n, uInt size)
{
    (void)none;
    return lethe_alloc(n, size);
}

static void gzip_end(lethe_codec *c) { inflateEnd(&c->of.gzip); }

static lethe_err gzip_begin(lethe_codec *c)
{
    z_stream *z = &c->of.gzip;
    if (c->open) return inflateReset(z) == Z_OK ? LETHE_OK : LETHE_ENOMEM;
    *z = (z_stream){.zalloc = gzip_alloc, .zfree = memory_free};
    return inflateInit2(z, MAX_WBITS + 16) == Z_OK ? LETHE_OK : LETHE_ENOMEM; // 16: gzip alone
}

static lethe_codec_result gzip_step(lethe_codec *c, lethe_codec_io *io)
{
    z_stream *z = &c->of.gzip;
    unsigned n_in = at_once(io->n_in), n_out = at_once(io->n_out);
    z->next_in = (z_const Bytef *)io->in;
    z->next_out = io->out;
    z->avail_in = n_in;
    z->avail_out = n_out;
    int r = inflate(z, Z_NO_FLUSH);
    io->n_in -= n_in - z->avail_in;
    io->n_out -= n_out - z->avail_out;
    switch (r) {
    case Z_OK:
    case Z_BUF_ERROR:
        return LETHE_CODEC_MORE; // the latter: nothing to do without more input
    case Z_STREAM_END:
        return LETHE_CODEC_END;
    case Z_MEM_ERROR:
        return LETHE_CODEC_NO_MEMORY;
    default:
        return LETHE_CODEC_DAMAGED;
    }
}

/* --- zstd --- */

enum { ZSTD_WINDOW_LOG = 27 }; // 128 MiB, what the zstd program takes without being told more

static void zstd_end(lethe_codec *c) { ZSTD_freeDStream(c->of.zstd); }

static lethe_err zstd_begin(lethe_codec *c)
{
    if (!c->open) {
        // Its allocator cannot be replaced through the stable interface.
        c->of.zstd = lethe_alloc_allowed() ? ZSTD_createDStream() : NULL;
        if (!c->of.zstd) return LETHE_ENOMEM;
        size_t r = ZSTD_DCtx_setParameter(c->of.zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
        assert(!ZSTD_isError(r));
        (void)r;
    }
    return ZSTD_isError(ZSTD_DCtx_reset(c->of.zstd, ZSTD_reset_session_only)) ? LETHE_ENOMEM
                                                                              : LETHE_OK;
}

static lethe_codec_result zstd_step(lethe_codec *c, lethe_codec_io *io)
{
    ZSTD_inBuffer in = {io->in, io->n_in, 0};
    ZSTD_outBuffer out = {io->out, io->n_out, 0};
    size_t r = ZSTD_decompressStream(c->of.zstd, &out, &in);
    io->n_in -= in.pos;
    io->n_out -= out.pos;
    if (!ZSTD_isError(r)) return r == 0 ? LETHE_CODEC_END : LETHE_CODEC_MORE;
    switch (ZSTD_getErrorCode(r)) {
    case ZSTD_error_memory_allocation:
        return LETHE_CODEC_NO_MEMORY;
    case ZSTD_error_frameParameter_windowTooLarge:
        return LETHE_CODEC_TOO_LARGE;
    default:
        return LETHE_CODEC_DAMAGED;
    }
}

/* --- xz --- */

#ifdef LETHE_HAVE_XZ
#define XZ_MEMORY (UINT64_C(256) << 20)

static void *xz_alloc(void *none, size_t n, size_t size)
{
    (void)none;
    return lethe_alloc(n, size);
}

static const lzma_allocator xz_memory = {xz_alloc, memory_free, NULL};

static void xz_end(lethe_codec *c) { lzma_end(&c->of.xz); }

static lethe_err xz_begin(lethe_codec *c)
{
    lzma_stream *z = &c->of.xz;
    if (!c->open) *z = (lzma_stream)LZMA_STREAM_INIT;
    z->allocator = &xz_memory;
    // A check sum of a kind that cannot be checked is no check sum: we want to know.
    lzma_ret r = lzma_stream_decoder(z, XZ_MEMORY, LZMA_TELL_UNSUPPORTED_CHECK);
    return r == LZMA_OK ? LETHE_OK : LETHE_ENOMEM;
}

static lethe_codec_result xz_step(lethe_codec *c, lethe_codec_io *io)
{
    lzma_stream *z = &c->of.xz;
    z->next_in = io->in;
    z->next_out = io->out;
    z->avail_in = io->n_in;
    z->avail_out = io->n_out;
    lzma_ret r = lzma_code(z, LZMA_RUN);
    io->n_in = z->avail_in;
    io->n_out = z->avail_out;
    switch (r) {
    case LZMA_OK:
    case LZMA_BUF_ERROR:
        return LETHE_CODEC_MORE; // the latter: nothing to do without more input
    case LZMA_STREAM_END:
        return LETHE_CODEC_END;
    case LZMA_MEM_ERROR:
        return LETHE_CODEC_NO_MEMORY;
    case LZMA_MEMLIMIT_ERROR:
        return LETHE_CODEC_TOO_LARGE;
    default:
        return LETHE_CODEC_DAMAGED;
    }
}
#endif

/* --- bzip2 --- */

#ifdef LETHE_HAVE_BZIP2
static void *bzip2_alloc(void *none, int n, int size)
{
    (void)none;
    return lethe_alloc((size_t)n, (size_t)size);
}

static void bzip2_end(lethe_codec *c) { BZ2_bzDecompressEnd(&c->of.bzip2); }

static lethe_err bzip2_begin(lethe_codec *c)
{
    bz_stream *z = &c->of.bzip2;
    if (c->open) BZ2_bzDecompressEnd(z);
    c->open = false;
    *z = (bz_stream){.bzalloc = bzip2_alloc, .bzfree = memory_free};
    return BZ2_bzDecompressInit(z, 0, 0) == BZ_OK ? LETHE_OK : LETHE_ENOMEM;
}

static lethe_codec_result bzip2_step(lethe_codec *c, lethe_codec_io *io)
{
    bz_stream *z = &c->of.bzip2;
    unsigned n_in = at_once(io->n_in), n_out = at_once(io->n_out);
    z->next_in = (char *)io->in;
    z->next_out = (char *)io->out;
    z->avail_in = n_in;
    z->avail_out = n_out;
    int r = BZ2_bzDecompress(z);
    io->n_in -= n_in - z->avail_in;
    io->n_out -= n_out - z->avail_out;
    switch (r) {
    case BZ_OK:
        return LETHE_CODEC_MORE;
    case BZ_STREAM_END:
        return LETHE_CODEC_END;
    case BZ_MEM_ERROR:
        return LETHE_CODEC_NO_MEMORY;
    default:
        return LETHE_CODEC_DAMAGED;
    }
}
#endif

/* --- all of them --- */

lethe_codec *lethe_codec_new(lethe_codec_kind kind)
{
    assert(lethe_codec_built_in(kind));
    lethe_codec *c = lethe_alloc(1, sizeof *c);
    if (c) *c = (lethe_codec){.kind = kind};
    return c;
}

static const struct {
    lethe_err (*begin)(lethe_codec *c);
    lethe_codec_result (*step)(lethe_codec *c, lethe_codec_io *io);
    void (*end)(lethe_codec *c);
} calls[] = {
    [LETHE_CODEC_GZIP] = {gzip_begin, gzip_step, gzip_end},
    [LETHE_CODEC_ZSTD] = {zstd_begin, zstd_step, zstd_end},
#ifdef LETHE_HAVE_XZ
    [LETHE_CODEC_XZ] = {xz_begin, xz_step, xz_end},
#endif
#ifdef LETHE_HAVE_BZIP2
    [LETHE_CODEC_BZIP2] = {bzip2_begin, bzip2_step, bzip2_end},
#endif
};

lethe_err lethe_codec_begin(lethe_codec *c)
{
    LETHE_TRY(calls[c->kind].begin(c));
    c->open = true;
    return LETHE_OK;
}

lethe_codec_result lethe_codec_step(lethe_codec *c, lethe_codec_io *io)
{
    return calls[c->kind].step(c, io);
}

void lethe_codec_free(lethe_codec *c)
{
    if (c && c->open) calls[c->kind].end(c);
    lethe_free(c);
}
