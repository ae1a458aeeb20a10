/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes in any of some encodings: what comes out is UTF-8, the same in steps of any size, and
 * as much as went in says.  UTF-8 comes out as it went in.
 *
 * The first byte says which encoding, and how large the steps are. */
#include "core/mem.h"
#include "io/read/source.h"
#include "text/normalize.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void expect(bool holds)
{
    if (!holds) abort();
}

static uint64_t recode(lethe_str in, const char *encoding, size_t step, lethe_buf *out)
{
    static char piece[4096];
    lethe_source *s;
    size_t got = 1;
    expect(lethe_source_memory(NULL, in, &s) == LETHE_OK);
    expect(lethe_source_text(s, encoding, true) == LETHE_OK);
    while (got > 0) {
        lethe_err e = lethe_source_read(s, piece, step, &got);
        expect(e == LETHE_OK || e == LETHE_EINPUT); // what looks packed may be damaged
        if (e == LETHE_OK && got > 0) expect(lethe_buf_put(out, piece, got) == LETHE_OK);
    }
    uint64_t invalid = lethe_source_invalid(s);
    lethe_source_close(s);
    return invalid;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const encodings[] = {NULL,        "utf-8",    "latin1",   "windows-1252",
                                            "utf-16",    "utf-16le", "utf-16be", "utf-32le",
                                            "shift_jis", "gb18030",  "euc-jp",   "iso-2022-jp"};
    if (n == 0 || n > 1 << 16) return 0;
    const char *encoding = encodings[data[0] % LETHE_COUNT(encodings)];
    lethe_str in = {(const char *)data + 1, n - 1};
    lethe_buf a = {0}, b = {0};
    uint64_t invalid = recode(in, encoding, 4096, &a);
    expect(recode(in, encoding, 1 + data[0] % 7, &b) == invalid);
    lethe_str got = {(const char *)a.at, a.n};
    expect(lethe_str_eq(got, (lethe_str){(const char *)b.at, b.n}) && invalid <= in.n);
    bool packed = in.n > 1 && (memcmp(in.at, "\x1f\x8b", 2) == 0 ||
                               strchr("\x28\xfd\x42\x50", in.at[0]) || (in.at[0] & 0xF0) == 0x50);
    if (encoding && strcmp(encoding, "utf-8") == 0 && !packed) expect(lethe_str_eq(got, in));
    if (encoding && strcmp(encoding, "utf-8") != 0) expect(lethe_utf8_valid(got));
    if (encoding && strcmp(encoding, "latin1") == 0 && !packed) {
        size_t high = 0;
        for (size_t i = 0; i < in.n; i++)
            high += (uint8_t)in.at[i] >= 0x80;
        expect(invalid == 0 && got.n == in.n + high);
    }
    lethe_buf_free(&a);
    lethe_buf_free(&b);
    return 0;
}
