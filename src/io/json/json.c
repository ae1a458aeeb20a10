/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - values as trees: building and looking. */
#include "io/json/json.h"
#include "io/json/json_tree.h"
#include <math.h>

/* --- looking --- */

lethe_json_type lethe_json_kind(const lethe_json *v) { return v ? v->type : LETHE_JSON_NULL; }

static bool has_list(const lethe_json *v)
{
    return v && (v->type == LETHE_JSON_ARRAY || v->type == LETHE_JSON_OBJECT);
}

static lethe_json_member *find(const lethe_json *object, lethe_str name)
{
    if (lethe_json_kind(object) != LETHE_JSON_OBJECT) return NULL;
    for (size_t i = 0; i < object->list.n; i++)
        if (lethe_str_eq(object->list.at[i].name, name)) return &object->list.at[i];
    return NULL;
}

const lethe_json *lethe_json_get(const lethe_json *object, const char *name)
{
    const lethe_json_member *m = find(object, lethe_str_of(name));
    return m ? m->value : NULL;
}

size_t lethe_json_count(const lethe_json *v) { return has_list(v) ? v->list.n : 0; }

const lethe_json *lethe_json_at(const lethe_json *v, size_t i)
{
    return i < lethe_json_count(v) ? v->list.at[i].value : NULL;
}

lethe_str lethe_json_name(const lethe_json *object, size_t i)
{
    bool there = lethe_json_kind(object) == LETHE_JSON_OBJECT && i < object->list.n;
    return there ? object->list.at[i].name : LETHE_LIT("");
}

bool lethe_json_bool(const lethe_json *v) { return lethe_json_kind(v) == LETHE_JSON_BOOL && v->b; }

int64_t lethe_json_int(const lethe_json *v)
{
    if (lethe_json_kind(v) == LETHE_JSON_INT) return v->i;
    if (lethe_json_kind(v) != LETHE_JSON_REAL) return 0;
    if (v->x >= 0x1p63) return INT64_MAX; // the cast would be undefined
    if (v->x < -0x1p63) return INT64_MIN;
    return (int64_t)v->x;
}

double lethe_json_real(const lethe_json *v)
{
    if (lethe_json_kind(v) == LETHE_JSON_INT) return (double)v->i;
    return lethe_json_kind(v) == LETHE_JSON_REAL ? v->x : 0;
}

lethe_str lethe_json_text(const lethe_json *v)
{
    return lethe_json_kind(v) == LETHE_JSON_TEXT ? v->text : LETHE_LIT("");
}

/* --- building --- */

lethe_json_doc *lethe_json_doc_new(void)
{
    lethe_json_doc *doc = lethe_alloc(1, sizeof *doc);
    lethe_arena *arena = lethe_arena_new();
    if (!doc || !arena) {
        lethe_free(doc);
        lethe_arena_free(arena);
        return NULL;
    }
    *doc = (lethe_json_doc){.arena = arena};
    return doc;
}

void lethe_json_doc_free(lethe_json_doc *doc)
{
    if (!doc) return;
    lethe_arena_free(doc->arena);
    lethe_free(doc);
}

bool lethe_json_failed(const lethe_json_doc *doc) { return !doc || doc->failed; }

lethe_json *lethe_json_make(lethe_json_doc *doc, lethe_json_type type)
{
    if (!doc) return NULL;
    lethe_json *v = lethe_new(doc->arena, lethe_json, 1);
    if (v)
        v->type = type;
    else
        doc->failed = true;
    return v;
}

lethe_json *lethe_json_object(lethe_json_doc *doc)
{
    return lethe_json_make(doc, LETHE_JSON_OBJECT);
}

lethe_json *lethe_json_array(lethe_json_doc *doc) { return lethe_json_make(doc, LETHE_JSON_ARRAY); }

lethe_json *lethe_json_new_bool(lethe_json_doc *doc, bool b)
{
    lethe_json *v = lethe_json_make(doc, LETHE_JSON_BOOL);
    if (v) v->b = b;
    return v;
}

lethe_json *lethe_json_new_int(lethe_json_doc *doc, int64_t i)
{
    lethe_json *v = lethe_json_make(doc, LETHE_JSON_INT);
    if (v) v->i = i;
    return v;
}

lethe_json *lethe_json_new_real(lethe_json_doc *doc, double x)
{
    lethe_json *v = lethe_json_make(doc, isfinite(x) ? LETHE_JSON_REAL : LETHE_JSON_NULL);
    if (v && v->type == LETHE_JSON_REAL) v->x = x;
    return v;
}

lethe_json *lethe_json_new_text(lethe_json_doc *doc, lethe_str s)
{
    if (!doc) return NULL;
    lethe_json *v = lethe_json_make(doc, LETHE_JSON_TEXT);
    const char *copy = v ? lethe_arena_dup(doc->arena, s) : NULL;
    if (!copy) {
        doc->failed = true;
        return NULL;
    }
    v->text = (lethe_str){copy, s.n};
    return v;
}

/* Adds a place at the end of a list.  Room doubles while it is small, then grows by a quarter: old
 * room that cannot be extended is lost to the arena. */
static lethe_json_member *list_add(lethe_json_doc *doc, lethe_json *v)
{
    if (v->list.n == v->list.cap) {
        size_t cap = v->list.cap, size = sizeof *v->list.at;
        size_t more = cap < 64 ? LETHE_MAX(cap, 4) : cap / 4;
        lethe_json_member *at =
            lethe_arena_grow(doc->arena, v->list.at, cap * size, (cap + more) * size);
        if (!at) {
            doc->failed = true;
            return NULL;
        }
        v->list.at = at;
        v->list.cap = cap + more;
    }
    return &v->list.at[v->list.n++];
}

static void set(lethe_json_doc *doc, lethe_json *object, lethe_str name, lethe_json *v)
{
    const char *copy = lethe_arena_dup(doc->arena, name);
    lethe_json_member *m = copy ? list_add(doc, object) : NULL;
    if (m)
        *m = (lethe_json_member){{copy, name.n}, v};
    else
        doc->failed = true;
}

void lethe_json_set(lethe_json_doc *doc, lethe_json *object, const char *name, lethe_json *v)
{
    if (!doc || !v || lethe_json_kind(object) != LETHE_JSON_OBJECT) return;
    lethe_json_member *m = find(object, lethe_str_of(name));
    if (m)
        m->value = v;
    else
        set(doc, object, lethe_str_of(name), v);
}

void lethe_json_push(lethe_json_doc *doc, lethe_json *array, lethe_json *v)
{
    if (!doc || !v || lethe_json_kind(array) != LETHE_JSON_ARRAY) return;
    lethe_json_member *m = list_add(doc, array);
    if (m) *m = (lethe_json_member){.value = v};
}

lethe_json *lethe_json_copy(lethe_json_doc *doc, const lethe_json *v)
{
    if (lethe_json_kind(v) == LETHE_JSON_TEXT) return lethe_json_new_text(doc, v->text);
    lethe_json *copy = lethe_json_make(doc, lethe_json_kind(v));
    if (!copy || !v) return copy;
    if (!has_list(v)) {
        *copy = *v;
        return copy;
    }
    // Its length is taken first: `v` may be of this document, and not grow under our hands.
    for (size_t i = 0, n = v->list.n; i < n; i++) {
        lethe_json *value = lethe_json_copy(doc, v->list.at[i].value);
        if (!value) return NULL;
        if (v->type == LETHE_JSON_ARRAY)
            lethe_json_push(doc, copy, value);
        else
            set(doc, copy, v->list.at[i].name, value); // names differ already
    }
    return doc->failed ? NULL : copy;
}

/* --- members --- */

void lethe_set_text(lethe_json_doc *doc, lethe_json *object, const char *name, const char *text)
{
    lethe_json_set(doc, object, name, lethe_json_new_text(doc, lethe_str_of(text)));
}

void lethe_set_count(lethe_json_doc *doc, lethe_json *object, const char *name, uint64_t n)
{
    lethe_json_set(doc, object, name,
                   lethe_json_new_int(doc, n > INT64_MAX ? INT64_MAX : (int64_t)n));
}

void lethe_set_real(lethe_json_doc *doc, lethe_json *object, const char *name, double x)
{
    lethe_json_set(doc, object, name, lethe_json_new_real(doc, x));
}
