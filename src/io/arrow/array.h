/* SPDX-License-Identifier: Apache-2.0 */
/* array.h - single values out of the buffers of an Arrow array.  Buffers need not be aligned. */
#ifndef LETHE_IO_ARROW_ARRAY_H
#define LETHE_IO_ARROW_ARRAY_H
#include "io/arrow/type.h"

/* Bytes of a view, and of the text that one holds itself. */
enum { LETHE_ARROW_VIEW_BYTES = 16, LETHE_ARROW_INLINE_MAX = 12 };

static inline bool lethe_arrow_bit(const void *bits, int64_t i)
{
    return ((const uint8_t *)bits)[i >> 3] >> (i & 7) & 1;
}

static inline int32_t lethe_arrow_i32(const void *buffer, int64_t i)
{
    int32_t v;
    memcpy(&v, (const uint8_t *)buffer + i * 4, 4);
    return v;
}

static inline int64_t lethe_arrow_i64(const void *buffer, int64_t i)
{
    int64_t v;
    memcpy(&v, (const uint8_t *)buffer + i * 8, 8);
    return v;
}

/* An offset or a size, of 4 or 8 bytes. */
static inline int64_t lethe_arrow_offset(const lethe_arrow_type *t, const void *buffer, int64_t i)
{
    return t->width == 4 ? lethe_arrow_i32(buffer, i) : lethe_arrow_i64(buffer, i);
}

#endif
