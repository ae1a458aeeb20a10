/* base.h - the small words that every file uses. */
#ifndef LETHE_CORE_BASE_H
#define LETHE_CORE_BASE_H
#include "lethe/base.h"
#include <assert.h>
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

/* Big-endian numbers, so that order of bytes is order of numbers. */
static inline void lethe_be64_put(uint8_t *p, uint64_t v)
{
    v = __builtin_bswap64(v);
    memcpy(p, &v, 8);
}
static inline uint64_t lethe_be64_get(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return __builtin_bswap64(v);
}
static inline void lethe_be32_put(uint8_t *p, uint32_t v)
{
    v = __builtin_bswap32(v);
    memcpy(p, &v, 4);
}
static inline uint32_t lethe_be32_get(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return __builtin_bswap32(v);
}

/* Numbers in text.  The whole of `s` must be digits (a leading '-' where signed), no sign '+', no
 * space, within the type's range; false otherwise, and *out is untouched. */
bool lethe_parse_u64(lethe_str s, uint64_t *out);
bool lethe_parse_i64(lethe_str s, int64_t *out);
bool lethe_parse_real(lethe_str s, double *out);   /* finite decimal, '.' whatever the locale */
bool lethe_parse_size(lethe_str s, uint64_t *out); /* 200M, 16M, 4G, 512K, 1000: binary units */
bool lethe_parse_duration(lethe_str s, int64_t *out_s); /* 90s, 60m, 1h, 2d, 1w; bare number: s */

#endif
