/* SPDX-License-Identifier: Apache-2.0 */
/* The picker finds what a walk over the tree finds.  The input: a name to look for, LF, the line.
 */
#include "io/json/json.h"
#include "core/parse.h"
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { N_NAMES = 3 };

static void must(bool holds)
{
    if (!holds) abort();
}

/* Which faults a document may have where a line has none. */
static void said(void *ctx, const lethe_message *m)
{
    static const char *const stricter[] = {"the same name twice", "not UTF-8",
                                           "half of a surrogate pair", "a number too large"};
    for (size_t i = 0; i < LETHE_COUNT(stricter); i++)
        if (strstr(m->text, stricter[i])) *(bool *)ctx = true;
}

static bool is_list(const lethe_json *v)
{
    return lethe_json_kind(v) == LETHE_JSON_OBJECT || lethe_json_kind(v) == LETHE_JSON_ARRAY;
}

/* The first value below `v` with the path `name`; `path` is that of `v` and is left as it was. */
static const lethe_json *walk(const lethe_json *v, lethe_buf *path, bool root, lethe_str name)
{
    size_t before = path->n;
    for (size_t i = 0; i < lethe_json_count(v); i++) {
        const lethe_json *inner = lethe_json_at(v, i), *found = NULL;
        char number[24];
        lethe_str part = lethe_json_name(v, i);
        if (lethe_json_kind(v) == LETHE_JSON_ARRAY)
            part = (lethe_str){number, (size_t)snprintf(number, sizeof number, "%zu", i)};
        if (!root) must(lethe_buf_put(path, ".", 1) == LETHE_OK);
        must(lethe_buf_str(path, part) == LETHE_OK);
        if (is_list(inner))
            found = walk(inner, path, false, name);
        else if (lethe_json_kind(inner) != LETHE_JSON_NULL &&
                 lethe_str_eq((lethe_str){(char *)path->at, path->n}, name))
            found = inner;
        path->n = before;
        if (found) return found;
    }
    return NULL;
}

static void compare(const lethe_json *v, lethe_str field)
{
    int64_t i;
    double x;
    must((v != NULL) == (field.at != NULL));
    switch (lethe_json_kind(v)) {
    case LETHE_JSON_TEXT:
        must(lethe_str_eq(lethe_json_text(v), field));
        break;
    case LETHE_JSON_BOOL:
        must(lethe_str_eq(field, lethe_json_bool(v) ? LETHE_LIT("true") : LETHE_LIT("false")));
        break;
    case LETHE_JSON_INT:
        must(lethe_parse_i64(field, &i) && i == lethe_json_int(v));
        break;
    case LETHE_JSON_REAL:
        must(lethe_parse_real(field, &x) && x == lethe_json_real(v));
        break;
    default:
        must(v == NULL);
    }
}

static void check(const char *const *names, lethe_str line)
{
    lethe_str f[N_NAMES];
    const char *cause = NULL;
    lethe_json_picker *p = lethe_json_picker_new(names, N_NAMES);
    must(p && lethe_json_pick(p, line, f, &cause) == LETHE_OK);
    bool stricter = false;
    lethe_diag *d = lethe_diag_new(said, &stricter);
    lethe_json_doc *doc = NULL;
    lethe_json *v = NULL;
    bool read = lethe_json_parse(d, "", line, &doc, &v) == LETHE_OK;
    bool object = read && lethe_json_kind(v) == LETHE_JSON_OBJECT;
    must(cause ? !object : object || stricter);
    for (size_t i = 0; i < N_NAMES; i++) {
        lethe_buf path = {0};
        if (cause) must(!f[i].at);
        if (object) compare(walk(v, &path, true, lethe_str_of(names[i])), f[i]);
        lethe_buf_free(&path);
    }
    lethe_json_doc_free(doc);
    lethe_diag_free(d);
    lethe_json_picker_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint8_t *end = n ? memchr(data, '\n', n) : NULL;
    if (!end) return 0;
    size_t n_name = (size_t)(end - data);
    char *name = strndup((const char *)data, n_name);
    // A block of its own, so that a step before or past the line is seen.
    size_t n_line = n - n_name - 1;
    char *line = malloc(n_line ? n_line : 1);
    memcpy(line, end + 1, n_line);
    check((const char *const[N_NAMES]){name, "a.b", "a.0"}, (lethe_str){line, n_line});
    free(line);
    free(name);
    return 0;
}
