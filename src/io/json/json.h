/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - reading JSON: a document, or one line of a JSON Lines file; and setting members. */
#ifndef LETHE_IO_JSON_JSON_H
#define LETHE_IO_JSON_JSON_H
#include "lethe/json.h"
#include "core/ctx.h"
#include "core/mem.h"

/* A whole document.  LETHE_EINPUT with file, line, column (in bytes) and cause for what is not
 * JSON, deeper than 64 levels, not UTF-8, with half a surrogate pair ("\ud800"), with the same name
 * twice in an object, with a number that no double holds, or with anything after its end.  A number
 * without point and exponent is an integer if an int64_t holds it (-0 is not one), else a real. */
LETHE_MUST_CHECK lethe_err lethe_json_parse(lethe_diag *d, const char *file, lethe_str text,
                                            lethe_json_doc **doc, lethe_json **out);
/* Reads the file `name` in the folder `dirfd`, without following links.  LETHE_EIO: it cannot be
 * read or is not a regular file; LETHE_EINPUT: it has more than `max` bytes. */
LETHE_MUST_CHECK lethe_err lethe_json_read_at(lethe_diag *d, int dirfd, const char *name,
                                              size_t max, lethe_json_doc **doc, lethe_json **out);

/* Picks the fields with the given dotted names ("event.user_id"; an array's element by its number)
 * out of one line that holds one object.  Texts are unescaped; numbers and booleans come as they
 * are written; null, an object or an array counts as absent.  f[i].at == NULL: absent.  A name that
 * itself holds dots is matched too ("a.b" finds the member "a.b" and the member b of a); of several
 * the first in the line that is not absent is taken.  Bytes that are not UTF-8 come as they are,
 * half a surrogate pair as U+FFFD.  Names are copied; views live in the picker until its next
 * call. */
typedef struct lethe_json_picker lethe_json_picker;
lethe_json_picker *lethe_json_picker_new(const char *const *names, size_t n); /* NULL: no memory */
void lethe_json_picker_free(lethe_json_picker *p);
/* *cause = NULL, or why the line is not one JSON object (a static text); then all fields are
 * absent.  Fails for lack of memory alone. */
LETHE_MUST_CHECK lethe_err lethe_json_pick(lethe_json_picker *p, lethe_str line, lethe_str *f,
                                           const char **cause);
/* Of the line last picked from.  Where it had a cause: the byte of the line, from 0, at which the
 * fault is, or where its token begins. */
size_t lethe_json_picker_fault(const lethe_json_picker *p);
/* Where it had none: is it `{"name": {...}}`, an object with one member, which is an object? */
bool lethe_json_picker_wraps(const lethe_json_picker *p, const char *name);

/* Members as figures and reports have them.  A count past INT64_MAX is INT64_MAX. */
void lethe_set_text(lethe_json_doc *doc, lethe_json *object, const char *name, const char *text);
void lethe_set_count(lethe_json_doc *doc, lethe_json *object, const char *name, uint64_t n);
void lethe_set_real(lethe_json_doc *doc, lethe_json *object, const char *name, double x);

#endif
