/* SPDX-License-Identifier: Apache-2.0 */
/* type.h - types of Arrow, as far as their values can be written as text: text and binary data,
 * with offsets or as views; numbers, decimals of up to 128 bits, booleans; dates, times of day and
 * timestamps; null; dictionaries of these; and lists of all of these. */
#ifndef LETHE_IO_ARROW_TYPE_H
#define LETHE_IO_ARROW_TYPE_H
#include "core/mem.h"
#include "lethe/arrow.h"

typedef enum lethe_arrow_kind {
    LETHE_ARROW_NULL,
    LETHE_ARROW_BOOL,
    LETHE_ARROW_INT,
    LETHE_ARROW_FLOAT,
    LETHE_ARROW_DECIMAL,
    LETHE_ARROW_TEXT,  /* with offsets */
    LETHE_ARROW_VIEW,  /* text as views */
    LETHE_ARROW_FIXED, /* text of one length */
    LETHE_ARROW_DATE,
    LETHE_ARROW_TIME, /* of day */
    LETHE_ARROW_TIMESTAMP,
    LETHE_ARROW_DICTIONARY,
    LETHE_ARROW_LIST,
    LETHE_ARROW_LIST_VIEW,
    LETHE_ARROW_LIST_FIXED
} lethe_arrow_kind;

typedef struct lethe_arrow_type lethe_arrow_type;
struct lethe_arrow_type {
    lethe_arrow_kind kind;
    unsigned width;     /* bytes of a number, an index or an offset */
    bool is_signed;     /* a whole number, an index */
    bool is_binary;     /* text that need not be UTF-8 */
    int scale;          /* of decimals */
    int64_t per_second; /* units of times and timestamps; of dates 0: whole days */
    int64_t fixed;      /* bytes of a text, or items of a list, of one length */
    int64_t zone_s;     /* of timestamps: what local time is ahead of UTC */
    const char *zone;   /* of timestamps: one whose offset is not known; NULL: there is none */
    lethe_arrow_type *values; /* of a dictionary, or the items of a list */
};

static inline bool lethe_arrow_is_list(const lethe_arrow_type *t)
{
    return t->kind >= LETHE_ARROW_LIST;
}

/* Why something cannot be read; both NULL: it can. */
typedef struct lethe_arrow_fault {
    const char *type;  /* no text can be made of this one, in words: "a union" */
    const char *cause; /* what is malformed */
} lethe_arrow_fault;

/* The type that a schema describes, in `a`; where it cannot be read *fault is set, and *out is not.
 * LETHE_ENOMEM, without a message. */
LETHE_MUST_CHECK lethe_err lethe_arrow_type_read(lethe_arena *a, const struct ArrowSchema *s,
                                                 lethe_arrow_type **out, lethe_arrow_fault *fault);

/* What is malformed about an array of the type, in words; NULL: nothing that can be told of it as a
 * whole.  The functions below rely on it. */
const char *lethe_arrow_array_fault(const lethe_arrow_type *t, const struct ArrowArray *a);

/* The same of the rows as a whole, a struct; its children are not looked at. */
const char *lethe_arrow_struct_fault(const struct ArrowArray *a);

/* Value i of an array, from 0, its offset left out: is it null? */
bool lethe_arrow_is_null(const lethe_arrow_type *t, const struct ArrowArray *a, int64_t i);

/* The value as text: a view of the array or of `scratch`, empty where it is null or NaN.  NULL, or
 * why there is none.  Of a type that is no list. */
enum { LETHE_ARROW_SCRATCH = 192 };
const char *lethe_arrow_text(const lethe_arrow_type *t, const struct ArrowArray *a, int64_t i,
                             char scratch[LETHE_ARROW_SCRATCH], lethe_str *out);
/* A whole number that is not null; false: it is larger than INT64_MAX. */
bool lethe_arrow_int(const lethe_arrow_type *t, const struct ArrowArray *a, int64_t i,
                     int64_t *out);
/* The items of list i: *from and up to `*n` values of children[0], which have the type `values`. */
const char *lethe_arrow_items(const lethe_arrow_type *t, const struct ArrowArray *a, int64_t i,
                              int64_t *from, int64_t *n);

#endif
