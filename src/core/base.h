/* SPDX-License-Identifier: Apache-2.0 */
/* base.h - small macros and functions that every file uses. */
#ifndef LETHE_CORE_BASE_H
#define LETHE_CORE_BASE_H
#include "lethe/base.h"
#include <assert.h>
#include <endian.h>
#include <string.h>

/* Passes a failure on to the caller. */
#define LETHE_TRY(call)                                                                            \
    do {                                                                                           \
        lethe_err try_err_ = (call);                                                               \
        if (try_err_ != LETHE_OK) return try_err_;                                                 \
    } while (0)

#define LETHE_LIT(s) ((lethe_str){(s), sizeof(s) - 1})
#define LETHE_MIN(a, b) ((a) < (b) ? (a) : (b))
#define LETHE_MAX(a, b) ((a) > (b) ? (a) : (b))
#define LETHE_COUNT(a) (sizeof(a) / sizeof *(a))

static inline lethe_str lethe_str_of(const char *s) { return (lethe_str){s, strlen(s)}; }

/* A copy by its halves, for a string whose members were stored one by one a moment ago: a compiler
 * copies both at once, and such a load waits until the two stores have left the processor. */
static inline lethe_str lethe_str_by_halves(const lethe_str *s)
{
    size_t n = s->n;
    __asm__("" : "+r"(n)); // in a register of its own
    return (lethe_str){s->at, n};
}

static inline bool lethe_str_eq(lethe_str a, lethe_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

/* Order of bytes; a prefix comes before what it begins. */
static inline int lethe_str_cmp(lethe_str a, lethe_str b)
{
    size_t n = LETHE_MIN(a.n, b.n);
    int c = n ? memcmp(a.at, b.at, n) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

/* Without the spaces at its ends. */
static inline lethe_str lethe_str_trim(lethe_str s)
{
    while (s.n > 0 && s.at[0] == ' ')
        s = (lethe_str){s.at + 1, s.n - 1};
    while (s.n > 0 && s.at[s.n - 1] == ' ')
        s.n--;
    return s;
}

/* Big-endian numbers, so that order of bytes is order of numbers. */
static inline void lethe_be64_put(uint8_t *p, uint64_t v)
{
    v = htobe64(v);
    memcpy(p, &v, 8);
}
static inline uint64_t lethe_be64_get(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return be64toh(v);
}
static inline void lethe_be32_put(uint8_t *p, uint32_t v)
{
    v = htobe32(v);
    memcpy(p, &v, 4);
}
static inline uint32_t lethe_be32_get(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return be32toh(v);
}

#endif
