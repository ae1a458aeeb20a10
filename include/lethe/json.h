/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - JSON values, the form in which reports are written. */
#ifndef LETHE_JSON_H
#define LETHE_JSON_H
#include "lethe/base.h"
LETHE_API_BEGIN

typedef struct lethe_json lethe_json; /* a value; owned by its document */

typedef enum lethe_json_type {
    LETHE_JSON_NULL,
    LETHE_JSON_BOOL,
    LETHE_JSON_INT,
    LETHE_JSON_REAL,
    LETHE_JSON_TEXT,
    LETHE_JSON_ARRAY,
    LETHE_JSON_OBJECT
} lethe_json_type;

/* Reading values.  All functions treat NULL as null, and return 0, false, NULL or an empty string
 * for a value of another type. */
lethe_json_type lethe_json_kind(const lethe_json *v);
const lethe_json *lethe_json_get(const lethe_json *object,
                                 const char *name);             /* NULL if there is none */
size_t lethe_json_count(const lethe_json *v);                   /* members or elements */
const lethe_json *lethe_json_at(const lethe_json *v, size_t i); /* i-th element or member value */
lethe_str lethe_json_name(const lethe_json *object, size_t i);  /* name of the i-th member */
bool lethe_json_bool(const lethe_json *v);
int64_t lethe_json_int(const lethe_json *v); /* a real is truncated, and clamped to the range */
double lethe_json_real(const lethe_json *v); /* accepts an integer too */
lethe_str lethe_json_text(const lethe_json *v);

/* A document owns its values: freeing it frees all of them. */
typedef struct lethe_json_doc lethe_json_doc;
lethe_json_doc *lethe_json_doc_new(void); /* NULL if out of memory */
void lethe_json_doc_free(lethe_json_doc *doc);

/* Reads what lethe_json_write() wrote, such as a report of lethe_call().  LETHE_EINPUT: it is not
 * JSON, or more than 64 levels deep.  The caller frees *doc, which owns *out. */
LETHE_MUST_CHECK lethe_err lethe_json_read(const char *text, lethe_json_doc **doc,
                                           lethe_json **out);

/* Building values.  If memory runs out these return NULL, and lethe_json_failed() returns true from
 * then on, so a series of calls is checked once at its end.  Adding to or below NULL does nothing.
 */
lethe_json *lethe_json_object(lethe_json_doc *doc);
lethe_json *lethe_json_array(lethe_json_doc *doc);
lethe_json *lethe_json_new_bool(lethe_json_doc *doc, bool b);
lethe_json *lethe_json_new_int(lethe_json_doc *doc, int64_t i);
lethe_json *lethe_json_new_real(lethe_json_doc *doc, double x); /* null if x is not finite */
lethe_json *lethe_json_new_text(lethe_json_doc *doc, lethe_str s);
/* A deep copy of `v`, which may belong to another document; null for NULL. */
lethe_json *lethe_json_copy(lethe_json_doc *doc, const lethe_json *v);
/* Adds a member, or replaces the one of that name in its place.  Linear in the number of members,
 * like lethe_json_get. */
void lethe_json_set(lethe_json_doc *doc, lethe_json *object, const char *name, lethe_json *v);
void lethe_json_push(lethe_json_doc *doc, lethe_json *array, lethe_json *v);
bool lethe_json_failed(const lethe_json_doc *doc);

/* Writes a value as UTF-8 text.  Control characters and U+2028/2029 are escaped, and invalid UTF-8
 * is replaced by U+FFFD.  Reals have the shortest form that reads back the same, with a point or an
 * exponent.  Members keep the order in which they were set.  With `indent` 0 the text is one line
 * without spaces; there is no newline at the end.  The result is NUL-terminated; free it with
 * lethe_json_text_free().  *n (NULL is allowed) is its length.  NULL if out of memory. */
char *lethe_json_write(const lethe_json *v, int indent, size_t *n);
void lethe_json_text_free(char *text);

LETHE_API_END
#endif
