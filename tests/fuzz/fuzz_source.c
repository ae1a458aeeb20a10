/* SPDX-License-Identifier: Apache-2.0 */
/* Stored bytes of any kind: they come out alike in steps of any size, plain ones unchanged, and
 * what was packed and cut off is refused. */
#include "core/mem.h"
#include "io/read/codec.h"
#include "io/read/foreign.h"
#include "io/read/source.h"
#include <stdlib.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 1 << 20 }; // of what comes out: a bomb may go on for long

#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what)) abort();                                                                      \
    } while (0)

static lethe_err unpack(const uint8_t *p, size_t n, size_t step, lethe_buf *out)
{
    static uint8_t piece[4096];
    lethe_source *s;
    REQUIRE(lethe_source_memory(NULL, (lethe_str){(const char *)p, n}, &s) == LETHE_OK);
    lethe_err e;
    size_t got;
    out->n = 0;
    while ((e = lethe_source_read(s, piece, step, &got)) == LETHE_OK && got > 0 && out->n < MOST) {
        REQUIRE(got <= step && lethe_source_taken(s) <= lethe_source_size(s));
        REQUIRE(lethe_buf_put(out, piece, got) == LETHE_OK);
    }
    if (e != LETHE_OK) {
        REQUIRE(e == LETHE_EINPUT && got == 0);
        REQUIRE(lethe_source_read(s, piece, step, &got) == e && got == 0);
    }
    lethe_source_close(s);
    return e;
}

static size_t pack(const uint8_t *p, size_t n, uint8_t *out, size_t cap)
{
    z_stream z = {0};
    REQUIRE(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_in = (z_const Bytef *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)cap;
    REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
    size_t made = z.total_out;
    deflateEnd(&z);
    return made;
}

static void packed_comes_back(const uint8_t *data, size_t n, lethe_buf *out)
{
    size_t cap = n + n / 8 + 100;
    uint8_t *packed = malloc(cap);
    REQUIRE(packed);
    size_t made = pack(data, n, packed, cap);
    REQUIRE(unpack(packed, made, 4096, out) == LETHE_OK);
    REQUIRE(out->n == n && (n == 0 || memcmp(out->at, data, n) == 0));
    size_t cut = 2 + (n ? data[n - 1] * (made - 2) / 256 : 0);
    REQUIRE(unpack(packed, cut, 4096, out) == LETHE_EINPUT);
    free(packed);
}

/* What the first bytes suggest is refused with more of them too, and nothing else. */
static void foreign_is_refused(const uint8_t *data, size_t n)
{
    lethe_str head = {n ? (const char *)data : "", LETHE_MIN(n, (size_t)LETHE_FOREIGN_LEAST)};
    lethe_err e = lethe_foreign_refuse(NULL, "a.b", head);
    REQUIRE(e == (lethe_foreign_suspected(head) ? LETHE_EINPUT : LETHE_OK));
    head.n = LETHE_MIN(n, (size_t)LETHE_FOREIGN_HEAD);
    if (e == LETHE_EINPUT) REQUIRE(lethe_foreign_refuse(NULL, "it's", head) == LETHE_EINPUT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    foreign_is_refused(data, n);
    lethe_buf large = {0}, small = {0};
    bool partial;
    lethe_codec_kind kind = lethe_codec_detect(data, n, &partial);
    lethe_err e = unpack(data, n, 4096, &large);
    lethe_err f = unpack(data, n, 1 + n % 61, &small);
    if (large.n < MOST) {
        REQUIRE(e == f);
        // What precedes a fault may be handed out or not, as the steps fall; but never anything
        // else.
        if (e == LETHE_OK) REQUIRE(small.n == large.n);
        size_t both = LETHE_MIN(small.n, large.n);
        REQUIRE(both == 0 || memcmp(small.at, large.at, both) == 0);
    }
    if (partial) REQUIRE(e == LETHE_EINPUT && large.n == 0);
    if (kind == LETHE_CODEC_NONE) {
        REQUIRE(e == LETHE_OK);
        if (n < MOST) REQUIRE(large.n == n && (n == 0 || memcmp(large.at, data, n) == 0));
    }
    if (n < MOST / 2) packed_comes_back(data, n, &large);
    lethe_buf_free(&large);
    lethe_buf_free(&small);
    return 0;
}
