/* SPDX-License-Identifier: Apache-2.0 */
/* Any text through the detectors of personal data.  First byte: which kinds, and whether with a
 * small list; the rest is the text, which is normalised first, as queries are. */
#include "text/normalize.h"
#include "text/pii/pii.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define REQUIRE(what)                                                                              \
    do {                                                                                           \
        if (!(what)) abort();                                                                      \
    } while (0)

/* Findings come in order, on code points, none over a mask; looking from where one ended is looking
 * at the rest alone. */
static size_t check_findings(const lethe_detector *d, lethe_str text)
{
    size_t count = 0, from = 0;
    lethe_finding f, g;
    for (; lethe_pii_next(d, text, from, &f); from = f.at + f.n, count++) {
        REQUIRE(f.at >= from && f.n > 0 && f.at + f.n <= text.n && f.kind < LETHE_N_PII);
        REQUIRE(f.kind == LETHE_PII_LIST ? d->phrases != NULL : (d->kinds >> f.kind & 1) != 0);
        lethe_str part = {text.at + f.at, f.n}, rest = {text.at + from, text.n - from};
        REQUIRE(lethe_utf8_valid(part) && part.at[0] != ' ' && part.at[part.n - 1] != ' ');
        for (size_t i = 0; i < f.n; i++)
            REQUIRE(lethe_pii_mask_at(part, i) == 0);
        REQUIRE(lethe_pii_next(d, rest, 0, &g));
        REQUIRE(g.at + from == f.at && g.n == f.n && g.kind == f.kind);
    }
    return count;
}

/* The parts of `masked` between masks stand in `text` in that order, the first at its beginning and
 * the last at its end. */
static void check_rest(lethe_str text, lethe_str masked)
{
    size_t from = 0, i = 0;
    for (bool first = true;; first = false) {
        size_t start = i, mask = 0;
        while (i < masked.n && (mask = lethe_pii_mask_at(masked, i)) == 0)
            i++;
        lethe_str part = {masked.at + start, i - start};
        if (i >= masked.n) {
            REQUIRE(part.n <= text.n - from && (!first || part.n == text.n));
            REQUIRE(part.n == 0 || memcmp(text.at + text.n - part.n, part.at, part.n) == 0);
            return;
        }
        const char *p =
            part.n ? memmem(text.at + from, text.n - from, part.at, part.n) : text.at + from;
        REQUIRE(p && (!first || p == text.at));
        from = (size_t)(p - text.at) + part.n;
        i += mask;
    }
}

static void check_mask(const lethe_detector *d, lethe_str text, size_t count)
{
    lethe_buf buf = {0}, other = {0};
    lethe_str masked, again;
    lethe_finding f;
    bool invalid;
    uint64_t found[LETHE_N_PII] = {0}, sum = 0;
    REQUIRE(lethe_pii_mask(d, text, &buf, &masked, found) == LETHE_OK);
    for (int k = 0; k < LETHE_N_PII; k++)
        sum += found[k];
    REQUIRE(sum >= count && (sum > 0) == (count > 0));
    REQUIRE(count > 0 || (masked.at == text.at && masked.n == text.n));
    REQUIRE(!lethe_pii_next(d, masked, 0, &f));
    check_rest(text, masked);
    REQUIRE(lethe_normalize(masked, &other, &again, &invalid) == LETHE_OK);
    REQUIRE(lethe_str_eq(masked, again));
    lethe_buf_free(&buf);
    lethe_buf_free(&other);
}

static void check_shape(lethe_str text)
{
    lethe_buf buf = {0};
    lethe_str shape;
    REQUIRE(lethe_pii_shape(text, &buf, &shape) == LETHE_OK);
    REQUIRE(lethe_utf8_valid(shape));
    for (size_t i = 0; i < shape.n; i++) {
        char c = shape.at[i];
        REQUIRE(c == 'x' || c == '9' || !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')));
    }
    lethe_buf_free(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static lethe_phrases *phrases;
    if (!phrases)
        REQUIRE(lethe_phrases_memory(
                    NULL, LETHE_LIT("john smith\nsmith\n12\nelm st\no'brien\nfe80\n\xC3\xA9\n"),
                    &phrases) == LETHE_OK);
    if (n == 0) return 0;
    static const unsigned groups[] = {
        1u << LETHE_PII_SSN | 1u << LETHE_PII_CARD | 1u << LETHE_PII_PHONE,
        1u << LETHE_PII_EMAIL | 1u << LETHE_PII_IP,
        1u << LETHE_PII_ADDRESS,
        1u << LETHE_PII_URL,
        1u << LETHE_PII_IBAN | 1u << LETHE_PII_ID | 1u << LETHE_PII_BIRTH | 1u << LETHE_PII_PLATE,
        LETHE_PII_NAMES};
    lethe_detector d = {LETHE_PII_EVERY, data[0] & 1 ? phrases : NULL};
    if (data[0] & 2) d.kinds = 1u << LETHE_PII_NUMBER;
    for (size_t k = 0; (data[0] & 2) && k < LETHE_COUNT(groups); k++)
        if (data[0] >> (k + 2) & 1) d.kinds |= groups[k];
    lethe_buf buf = {0};
    lethe_str text;
    bool invalid;
    lethe_str raw = {(const char *)data + 1, n - 1};
    REQUIRE(lethe_normalize(raw, &buf, &text, &invalid) == LETHE_OK);
    check_mask(&d, text, check_findings(&d, text));
    check_shape(raw);
    lethe_buf_free(&buf);
    return 0;
}
