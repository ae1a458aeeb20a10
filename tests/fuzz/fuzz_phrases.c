/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an owner's list.  What is read is found: every line that is a phrase is, in a text
 * that is this line, the whole of what is found, but for signs at its ends; and masking with the
 * list leaves nothing of it.  After the first line that is only "=", the rest is a text to mask. */
#include "text/normalize.h"
#include "text/pii/pii.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what)) abort();                                                                      \
    } while (0)

/* The line as a text: one finding from its first word to its last, or one that begins earlier or
 * is longer because another phrase does. */
static void check_line(const lethe_phrases *p, lethe_str line)
{
    lethe_buf buf = {0};
    lethe_str text;
    bool invalid;
    lethe_finding f;
    lethe_detector d = {0, p};
    if (line.n == 0 || line.at[0] == '#') return;
    REQUIRE(lethe_normalize(line, &buf, &text, &invalid) == LETHE_OK);
    if (text.n > 0) REQUIRE(lethe_pii_next(&d, text, 0, &f) && f.kind == LETHE_PII_LIST);
    lethe_buf_free(&buf);
}

static void check_text(const lethe_phrases *p, lethe_str raw)
{
    lethe_buf normal = {0}, buf = {0};
    lethe_str text, masked;
    bool invalid;
    lethe_finding f;
    uint64_t found[LETHE_N_PII] = {0};
    lethe_detector d = {LETHE_PII_ALL, p};
    REQUIRE(lethe_normalize(raw, &normal, &text, &invalid) == LETHE_OK);
    REQUIRE(lethe_pii_mask(&d, text, &buf, &masked, found) == LETHE_OK);
    REQUIRE(!lethe_pii_next(&d, masked, 0, &f));
    lethe_buf_free(&normal);
    lethe_buf_free(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_str all = {(const char *)data, n}, text = {all.at + n, 0};
    const char *cut = memmem(all.at, n, "\n=\n", 3);
    if (cut) {
        all.n = (size_t)(cut + 1 - all.at);
        text = (lethe_str){cut + 3, n - all.n - 2};
    }
    lethe_phrases *p = NULL;
    lethe_err e = lethe_phrases_memory(NULL, all, &p);
    REQUIRE(e == LETHE_OK || e == LETHE_EINPUT);
    REQUIRE((e == LETHE_OK) == (p != NULL));
    if (e != LETHE_OK) return 0;
    REQUIRE(lethe_phrases_count(p) > 0);
    // bytes that look compressed, or begin with a mark of their order, are not read as they stand
    bool plain = n > 0 && all.at[0] >= ' ' && all.at[0] < 0x7F &&
                 memcmp(all.at, "BZh", LETHE_MIN(n, (size_t)3)) != 0;
    for (size_t i = 0; plain && i < all.n;) {
        const char *lf = memchr(all.at + i, '\n', all.n - i);
        size_t end = lf ? (size_t)(lf - all.at) : all.n, stop = end;
        if (stop > i && all.at[stop - 1] == '\r') stop--;
        check_line(p, (lethe_str){all.at + i, stop - i});
        i = end + 1;
    }
    check_text(p, text);
    lethe_phrases_free(p);
    return 0;
}
