/* json.h - values as trees, the form in which commands hand back what they found. */
#ifndef LETHE_JSON_H
#define LETHE_JSON_H
#include "lethe/base.h"
LETHE_API_BEGIN

typedef struct lethe_json lethe_json; /* a value; lives in the document it came from */

typedef enum lethe_json_type {
    LETHE_JSON_NULL,
    LETHE_JSON_BOOL,
    LETHE_JSON_INT,
    LETHE_JSON_REAL,
    LETHE_JSON_TEXT,
    LETHE_JSON_ARRAY,
    LETHE_JSON_OBJECT
} lethe_json_type;

/* Reading.  All accept NULL, and answer for it as for null. */
lethe_json_type lethe_json_kind(const lethe_json *v);
const lethe_json *lethe_json_get(const lethe_json *object, const char *name); /* NULL: not there */
size_t lethe_json_count(const lethe_json *v);                   /* members or elements */
const lethe_json *lethe_json_at(const lethe_json *v, size_t i); /* i-th element or member */
lethe_str lethe_json_name(const lethe_json *object, size_t i);  /* name of the i-th member */
bool lethe_json_bool(const lethe_json *v);
int64_t lethe_json_int(const lethe_json *v); /* a real is cut off, and held within the range */
double lethe_json_real(const lethe_json *v); /* of an integer too */
lethe_str lethe_json_text(const lethe_json *v);

/* A document owns its values. */
typedef struct lethe_json_doc lethe_json_doc;
lethe_json_doc *lethe_json_doc_new(void); /* NULL: no memory */
void lethe_json_doc_free(lethe_json_doc *doc);

/* Building.  On lack of memory these return NULL and the document remembers: lethe_json_failed().
 * So a long row of calls is checked once at its end; adding to or under NULL does nothing. */
lethe_json *lethe_json_object(lethe_json_doc *doc);
lethe_json *lethe_json_array(lethe_json_doc *doc);
lethe_json *lethe_json_new_bool(lethe_json_doc *doc, bool b);
lethe_json *lethe_json_new_int(lethe_json_doc *doc, int64_t i);
lethe_json *lethe_json_new_real(lethe_json_doc *doc, double x); /* not finite: null */
lethe_json *lethe_json_new_text(lethe_json_doc *doc, lethe_str s);
/* A copy of all of `v`, which may be of another document; of NULL: null. */
lethe_json *lethe_json_copy(lethe_json_doc *doc, const lethe_json *v);
/* A member of that name is replaced in its place.  Linear in the members, as lethe_json_get is. */
void lethe_json_set(lethe_json_doc *doc, lethe_json *object, const char *name, lethe_json *v);
void lethe_json_push(lethe_json_doc *doc, lethe_json *array, lethe_json *v);
bool lethe_json_failed(const lethe_json_doc *doc);

/* As text: UTF-8, control characters and U+2028/2029 escaped, invalid UTF-8 replaced by U+FFFD;
 * reals in the shortest form that reads back the same, with a point or an exponent, so that they
 * read back as reals; members in the order they were set.  `indent` 0: one line, no spaces; no line
 * end at the end.  The result is NUL-ended, freed with lethe_json_text_free; NULL: no memory.  `n`
 * may be NULL. */
char *lethe_json_write(const lethe_json *v, int indent, size_t *n);
void lethe_json_text_free(char *text);

LETHE_API_END
#endif
