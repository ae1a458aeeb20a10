/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the user's list of sensitive items, and reads and writes sensitive.txt of a release. */
#include "model/knowledge/sensitive.h"
#include "io/read/lines.h"
#include "model/published/published_lines.h"
#include "text/normalize.h"
#include "text/utf8.h"
#include "core/sort.h"
#include <stdlib.h>

/* --- the user's list --- */

void lethe_sensitive_free(lethe_sensitive *s)
{
    if (!s) return;
    lethe_dict_free(s->names);
    lethe_arena_free(s->arena); // and `s` with it
}

/* An empty list; NULL: no memory. */
static lethe_sensitive *list_new(const char *file)
{
    lethe_arena *a = lethe_arena_new();
    lethe_sensitive *s = a ? lethe_new(a, lethe_sensitive, 1) : NULL;
    if (s) {
        *s = (lethe_sensitive){
            .arena = a, .names = lethe_dict_new(), .file = lethe_arena_dup(a, lethe_str_of(file))};
        if (s->names && s->file) return s;
        lethe_dict_free(s->names);
    }
    lethe_arena_free(a);
    return NULL;
}

struct reader {
    lethe_lines lines;
    lethe_naming naming;
    lethe_sensitive *list;
    lethe_u64s line;
    lethe_buf named[2]; /* of lethe_naming_apply */
};

static lethe_err line_check(const lethe_lines *l, lethe_str line)
{
    const uint8_t *from = (const uint8_t *)line.at, *p = from, *end = p + line.n;
    if (line.n == 0) return lethe_lines_fault(l, 0, "an empty line: an item is expected");
    if (lethe_ascii_plain(line) && !memchr(line.at, '\t', line.n)) return LETHE_OK;
    while (p < end) {
        uint32_t cp, column = (uint32_t)(p - from) + 1;
        bool ok;
        p += lethe_utf8_step(p, end, &cp, &ok);
        if (!ok) return lethe_lines_fault(l, column, "not valid utf-8");
        if (cp == 0) return lethe_lines_fault(l, column, "NUL byte");
        if (cp == '\t') return lethe_lines_fault(l, column, "a tab in an item");
        if (cp == '\r') return lethe_lines_fault(l, column, "carriage return inside the line");
    }
    return LETHE_OK;
}

static lethe_err lines_take(struct reader *r)
{
    lethe_str line;
    r->list = list_new(r->lines.name);
    if (!r->list) return LETHE_ENOMEM;
    while (lethe_lines_next(&r->lines, &line)) {
        lethe_str name;
        uint32_t id;
        LETHE_TRY(line_check(&r->lines, line));
        LETHE_TRY(lethe_naming_apply(r->naming, line, r->named, &name));
        if (name.n == 0)
            return lethe_lines_fault(&r->lines, 0, "the item is empty after normalization");
        LETHE_TRY(lethe_dict_add(r->list->names, name, &id));
        if (id < r->line.n) continue; // repeated
        LETHE_TRY(lethe_u64s_append(r->list->arena, &r->line, &r->lines.number, 1));
    }
    LETHE_TRY(lethe_lines_err(&r->lines));
    if (r->line.n == 0) {
        r->lines.number = 1;
        return lethe_lines_fault(&r->lines, 0, "the list of sensitive items is empty");
    }
    r->list->line = r->line.at;
    return LETHE_OK;
}

/* Takes the lines over, opened or not. */
static lethe_err list_read(struct reader *r, lethe_err opened, lethe_sensitive **out)
{
    lethe_diag *d = r->lines.diag;
    lethe_err e = opened == LETHE_OK ? lines_take(r) : opened;
    // what the lines themselves fail with, they have said
    if (e == LETHE_ENOMEM && lethe_lines_err(&r->lines) == LETHE_OK) e = lethe_no_memory(d);
    lethe_lines_close(&r->lines);
    lethe_buf_free(&r->named[0]);
    lethe_buf_free(&r->named[1]);
    if (e == LETHE_OK)
        *out = r->list;
    else
        lethe_sensitive_free(r->list);
    return e;
}

lethe_err lethe_sensitive_read(lethe_ctx *ctx, const char *path, lethe_naming naming,
                               lethe_sensitive **out)
{
    struct reader r = {.naming = naming};
    return list_read(&r, lethe_lines_open(&r.lines, lethe_ctx_diag(ctx), path), out);
}

lethe_err lethe_sensitive_memory(lethe_ctx *ctx, lethe_str bytes, lethe_naming naming,
                                 lethe_sensitive **out)
{
    struct reader r = {.naming = naming};
    return list_read(&r, lethe_lines_memory(&r.lines, lethe_ctx_diag(ctx), bytes), out);
}

lethe_err lethe_sensitive_of(lethe_ctx *ctx, lethe_dict *names, lethe_sensitive **out)
{
    uint32_t n = lethe_dict_count(names);
    lethe_sensitive *s = list_new(LETHE_SENSITIVE_NAME);
    uint64_t *line = s ? lethe_new(s->arena, uint64_t, n) : NULL;
    if (!line) {
        lethe_sensitive_free(s);
        lethe_dict_free(names);
        return lethe_no_memory(ctx);
    }
    for (uint32_t i = 0; i < n; i++)
        line[i] = (uint64_t)i + 1;
    lethe_dict_free(s->names);
    s->names = names;
    s->line = line;
    *out = s;
    return LETHE_OK;
}

static lethe_err rename_all(const lethe_sensitive *s, lethe_dict *names,
                            lethe_str (*name)(const void *arg, lethe_str old), const void *arg,
                            uint64_t *line)
{
    for (uint32_t i = 0; i < lethe_dict_count(s->names); i++) {
        uint32_t id, n = lethe_dict_count(names);
        LETHE_TRY(lethe_dict_add(names, name(arg, lethe_dict_at(s->names, i)), &id));
        if (id == n) line[id] = s->line[i]; // the list's lines rise: it is the first
    }
    return LETHE_OK;
}

lethe_err lethe_sensitive_rename(lethe_ctx *ctx, lethe_sensitive *s,
                                 lethe_str (*name)(const void *arg, lethe_str old), const void *arg)
{
    lethe_dict *names = lethe_dict_new();
    uint64_t *line = lethe_new(s->arena, uint64_t, lethe_dict_count(s->names));
    lethe_err e = names && line ? rename_all(s, names, name, arg, line) : LETHE_ENOMEM;
    if (e != LETHE_OK) {
        lethe_dict_free(names);
        return lethe_no_memory(ctx);
    }
    lethe_dict_free(s->names);
    s->names = names;
    s->line = line;
    return LETHE_OK;
}

lethe_err lethe_sensitive_apart(lethe_ctx *ctx, const lethe_sensitive *s, const lethe_tree *t,
                                bool leaves_pass)
{
    for (uint32_t i = 0; i < lethe_dict_count(s->names); i++) {
        uint32_t v = lethe_tree_find(t, lethe_dict_at(s->names, i));
        if (v == LETHE_NONE || (leaves_pass && lethe_tree_is_leaf(t, v))) continue;
        lethe_message m = {.severity = LETHE_ERROR,
                           .file = s->file,
                           .line = s->line[i],
                           .text = "the sensitive item is also in the taxonomy",
                           .content = lethe_dict_at(s->names, i)};
        lethe_say(lethe_ctx_diag(ctx), &m);
        return LETHE_EINPUT;
    }
    return LETHE_OK;
}

/* --- sensitive.txt --- */

/* Adds a line's name; it comes after all that were added before. */
static lethe_err published_take(lethe_published_lines *l, lethe_dict *names, lethe_str line)
{
    uint32_t n = lethe_dict_count(names), id;
    if (line.n == 0) return lethe_published_fault(l, 0, "an empty line: an item is expected");
    for (size_t i = 0; i < line.n; i++)
        if (line.at[i] == ' ' || line.at[i] == '\t')
            return lethe_published_fault(l, i + 1, "a space in an item");
    if (n > 0 && lethe_str_cmp(lethe_dict_at(names, n - 1), line) >= 0)
        return lethe_published_fault(l, 0, "the line is not in order, or comes twice");
    return lethe_dict_add(names, line, &id) == LETHE_OK ? LETHE_OK : lethe_no_memory(l->ctx);
}

/* Takes the lines over. */
static lethe_err published_read(lethe_published_lines *l, lethe_dict **out)
{
    lethe_str line;
    lethe_dict *names = l->err == LETHE_OK ? lethe_dict_new() : NULL;
    lethe_err e = l->err;
    l->may_be_empty = true; // there was a list, and nothing of it is published
    if (e == LETHE_OK && !names) e = lethe_no_memory(l->ctx);
    while (e == LETHE_OK && lethe_published_next(l, &line))
        e = published_take(l, names, line);
    if (e == LETHE_OK) e = l->err;
    lethe_published_close(l);
    if (e == LETHE_OK)
        *out = names;
    else
        lethe_dict_free(names);
    return e;
}

lethe_err lethe_published_sensitive_read(lethe_ctx *ctx, int dirfd, lethe_dict **out)
{
    lethe_published_lines l;
    if (!lethe_published_has(dirfd, LETHE_SENSITIVE_NAME)) {
        *out = NULL;
        return LETHE_OK;
    }
    // what fails is in l.err as well
    (void)!lethe_published_open(&l, ctx, dirfd, LETHE_SENSITIVE_NAME, LETHE_LINE_MAX);
    return published_read(&l, out);
}

lethe_err lethe_published_sensitive_memory(lethe_ctx *ctx, lethe_str bytes, lethe_dict **out)
{
    lethe_published_lines l;
    lethe_published_memory(&l, ctx, bytes, LETHE_SENSITIVE_NAME, LETHE_LINE_MAX);
    return published_read(&l, out);
}

static lethe_err names_put(lethe_diag *d, const lethe_dict *names, lethe_str *name, lethe_buf *to)
{
    uint32_t n = lethe_dict_count(names);
    for (uint32_t i = 0; i < n; i++) {
        name[i] = lethe_dict_at(names, i);
        if (name[i].n == 0 || name[i].n > LETHE_LINE_MAX || !lethe_published_writable(name[i]))
            return lethe_fail(d, LETHE_EINPUT,
                              "a sensitive item holds a space or cannot be written as text");
    }
    if (n > 0) qsort(name, n, sizeof *name, lethe_strs_cmp);
    for (uint32_t i = 0; i < n; i++) {
        LETHE_TRY(lethe_buf_str(to, name[i]));
        LETHE_TRY(lethe_buf_put(to, "\n", 1));
    }
    return LETHE_OK;
}

lethe_err lethe_sensitive_write(lethe_diag *d, const lethe_dict *names, lethe_buf *to)
{
    size_t began = to->n;
    lethe_str *name = lethe_alloc(lethe_dict_count(names), sizeof *name);
    lethe_err e = name ? names_put(d, names, name, to) : LETHE_ENOMEM;
    lethe_free(name);
    if (e != LETHE_OK) to->n = began;
    return e == LETHE_ENOMEM ? lethe_no_memory(d) : e;
}
