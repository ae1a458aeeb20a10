/* SPDX-License-Identifier: Apache-2.0 */
/* arrow.h - the structs of the Arrow C data interface and the Arrow C stream interface, written
 * from their specification, which fixes names, members and values.  Any implementation of Arrow can
 * hand its data over in them: pyarrow, pandas, polars, DuckDB, nanoarrow, ...  If another header
 * has defined them already, that one's are used. */
#ifndef LETHE_ARROW_H
#define LETHE_ARROW_H
#include "lethe/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/* The type of an array. */
struct ArrowSchema {
    const char *format; /* "u": UTF-8 text; "l": 64-bit integer; "+s": struct; ... */
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *); /* NULL: released */
    void *private_data;
};

/* The values of an array. */
struct ArrowArray {
    int64_t length;
    int64_t null_count; /* -1: not known */
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *); /* NULL: released */
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/* Arrays of one type, one after the other.  Functions return 0 or a value of errno. */
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    /* An array whose `release` is NULL is the end of the stream. */
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *); /* may be NULL */
    void (*release)(struct ArrowArrayStream *);               /* NULL: released */
    void *private_data;
};

#endif

#ifdef __cplusplus
}
#endif
#endif
