/* json.h - reading JSON: a document, or one line of a JSON Lines file. */
#ifndef LETHE_IO_JSON_H
#define LETHE_IO_JSON_H
#include "lethe/json.h"
#include "core/ctx.h"
#include "core/mem.h"

/* A whole document.  LETHE_EINPUT with file, line and cause for what is not JSON, deeper than 64
 * levels, not UTF-8, with the same name twice in an object, or with anything after its end. */
LETHE_MUST_CHECK lethe_err lethe_json_parse(lethe_diag *d, const char *file, lethe_str text,
                                            lethe_json_doc **doc, lethe_json **out);
/* Reads at most `max` bytes of the file `name` in the folder `dirfd`, without following links. */
LETHE_MUST_CHECK lethe_err lethe_json_read_at(lethe_diag *d, int dirfd, const char *name, size_t max,
                                              lethe_json_doc **doc, lethe_json **out);

/* Picks the fields with the given dotted names ("event.user_id"; an array's element by its number)
 * out of one line that holds one object.  Texts are unescaped; numbers and booleans come as they are
 * written; null, an object or an array counts as absent.  f[i].at == NULL: absent.  A name that itself
 * holds dots is matched too ("a.b" finds the member "a.b" and the member b of a).  Views live in
 * the picker until its next call. */
typedef struct lethe_json_picker lethe_json_picker;
lethe_json_picker *lethe_json_picker_new(const char *const *names, size_t n); /* NULL: no memory */
void lethe_json_picker_free(lethe_json_picker *p);
/* *cause = NULL, or why the line is not one JSON object (a static text). */
LETHE_MUST_CHECK lethe_err lethe_json_pick(lethe_json_picker *p, lethe_str line, lethe_str *f, const char **cause);

#endif
