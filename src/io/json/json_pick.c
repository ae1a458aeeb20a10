/* SPDX-License-Identifier: Apache-2.0 */
/* json_pick.c - a few fields out of one line of JSON Lines.
 *
 * The joined path of a value ("event.user_id") is compared with the names.  A path is built only
 * where some name begins with it, so that the rest of a line costs no more than its grammar. */
#include "io/json/json.h"
#include "io/json/json_events.h"
#include <stdio.h>

typedef struct level {
    size_t n_path; /* of the path of its members, up to and with the dot */
    bool live;     /* some name may lie in here */
    bool in_array;
    uint64_t index; /* of the next element */
} level;

struct lethe_json_picker {
    lethe_str *names; /* end in NUL, in one block with the array */
    size_t n;
    size_t longest;
    lethe_arena *arena; /* for one line */
    char *path;         /* `longest` bytes and a dot */
    size_t n_path;
    bool here; /* the path is that of the value to come, and it may have a name */
    level levels[LETHE_JSON_DEPTH];
    size_t depth;
    lethe_str *f; /* during a call */
    bool no_memory;
    size_t fault_at;
    size_t n_members; /* of the whole line's object */
    bool wraps;       /* the first of them is an object */
    size_t n_first;   /* the first one's name; 0 if it is too long for `first` */
    char first[16];
};

lethe_json_picker *lethe_json_picker_new(const char *const *names, size_t n)
{
    lethe_json_picker *p = lethe_alloc_zero(1, sizeof *p);
    if (!p) return NULL;
    p->n = n;
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(names[i]);
        bytes += len + 1;
        p->longest = LETHE_MAX(p->longest, len);
    }
    p->arena = lethe_arena_new();
    p->path = lethe_alloc(p->longest + 1, 1);
    p->names = lethe_alloc(n * sizeof *p->names + bytes, 1);
    if (!p->arena || !p->path || !p->names) {
        lethe_json_picker_free(p);
        return NULL;
    }
    char *at = (char *)(p->names + n);
    for (size_t i = 0; i < n; i++) {
        p->names[i] = (lethe_str){at, strlen(names[i])};
        memcpy(at, names[i], p->names[i].n + 1);
        at += p->names[i].n + 1;
    }
    return p;
}

void lethe_json_picker_free(lethe_json_picker *p)
{
    if (!p) return;
    lethe_arena_free(p->arena);
    lethe_free_all(p->path, p->names, p);
}

/* The path of the value to come: that of its level, and `part`. */
static void step(lethe_json_picker *p, const level *l, lethe_str part)
{
    p->here = l->live && part.n <= p->longest - l->n_path;
    if (!p->here) return;
    if (part.n) memcpy(p->path + l->n_path, part.at, part.n);
    p->n_path = l->n_path + part.n;
}

/* A value begins: an array's element has its number for a name. */
static void begin_value(lethe_json_picker *p)
{
    if (p->depth == 0) return;
    level *l = &p->levels[p->depth - 1];
    if (!l->in_array) return;
    char number[24];
    int n = l->live ? snprintf(number, sizeof number, "%llu", (unsigned long long)l->index) : 0;
    l->index++;
    step(p, l, (lethe_str){number, (size_t)n});
}

static bool on_scalar(lethe_json_picker *p, lethe_str s)
{
    begin_value(p);
    const char *copy = NULL;
    for (size_t i = 0; p->here && i < p->n; i++) {
        if (p->f[i].at || !lethe_str_eq(p->names[i], (lethe_str){p->path, p->n_path})) continue;
        if (!copy) copy = lethe_arena_dup(p->arena, s);
        p->no_memory = !copy;
        if (!copy) return false;
        p->f[i] = (lethe_str){copy, s.n};
    }
    return true;
}

static bool on_null(void *ctx)
{
    begin_value(ctx);
    return true;
}

static bool on_bool(void *ctx, bool b)
{
    return on_scalar(ctx, b ? LETHE_LIT("true") : LETHE_LIT("false"));
}
static bool on_number(void *ctx, lethe_str s) { return on_scalar(ctx, s); }
static bool on_text(void *ctx, lethe_str s) { return on_scalar(ctx, s); }

/* Does some name go on, after a dot, where the path is now? */
static bool leads_on(const lethe_json_picker *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->names[i].n > p->n_path && p->names[i].at[p->n_path] == '.' &&
            memcmp(p->names[i].at, p->path, p->n_path) == 0)
            return true;
    return false;
}

static bool open_level(lethe_json_picker *p, bool in_array)
{
    begin_value(p);
    assert(p->depth < LETHE_JSON_DEPTH); // the scan has seen to it
    level l = {.in_array = in_array};
    if (p->depth == 0) {
        l.live = p->n > 0;
    } else if (p->here && leads_on(p)) {
        l.live = true;
        l.n_path = p->n_path + 1;
        p->path[p->n_path] = '.';
    }
    p->levels[p->depth++] = l;
    return true;
}

static bool on_object(void *ctx)
{
    lethe_json_picker *p = ctx;
    if (p->depth == 1 && p->n_members == 1) p->wraps = true;
    return open_level(p, false);
}
static bool on_array(void *ctx) { return open_level(ctx, true); }

static bool on_name(void *ctx, lethe_str s)
{
    lethe_json_picker *p = ctx;
    if (p->depth == 1 && p->n_members++ == 0 && s.n <= sizeof p->first) {
        if (s.n) memcpy(p->first, s.at, s.n);
        p->n_first = s.n;
    }
    step(p, &p->levels[p->depth - 1], s);
    return true;
}

static bool on_end(void *ctx)
{
    lethe_json_picker *p = ctx;
    p->depth--;
    return true;
}

static const lethe_json_handlers handlers = {.null = on_null,
                                             .boolean = on_bool,
                                             .number = on_number,
                                             .text = on_text,
                                             .name = on_name,
                                             .object = on_object,
                                             .array = on_array,
                                             .end = on_end};

static void clear(lethe_json_picker *p)
{
    for (size_t i = 0; i < p->n; i++)
        p->f[i] = (lethe_str){NULL, 0};
}

lethe_err lethe_json_pick(lethe_json_picker *p, lethe_str line, lethe_str *f, const char **cause)
{
    lethe_arena_reset(p->arena);
    p->f = f;
    p->depth = 0;
    p->here = false;
    p->no_memory = false;
    p->n_members = p->n_first = 0;
    p->wraps = false;
    p->fault_at = 0;
    while (p->fault_at < line.n && strchr(" \t\r\n", line.at[p->fault_at]) && line.at[p->fault_at])
        p->fault_at++;
    clear(p);
    // whatever is wrong with it: what does not begin with a brace is no object
    if (p->fault_at == line.n || line.at[p->fault_at] != '{') {
        *cause = "not a JSON object";
        return LETHE_OK;
    }
    lethe_json_fault fault;
    lethe_json_run *run;
    lethe_err e = lethe_json_events(p->arena, line, (lethe_json_rules){.lenient = true}, &handlers,
                                    p, &run, &fault);
    if (p->no_memory) e = LETHE_ENOMEM;
    if (e == LETHE_OK)
        *cause = fault.bad == LETHE_JSON_GOOD       ? NULL
                 : fault.bad == LETHE_JSON_CUT      ? "cut off in the middle"
                 : fault.bad == LETHE_JSON_TRAILING ? "text after the object"
                 : fault.bad == LETHE_JSON_DEEP     ? "nested deeper than 64 levels"
                                                    : "not valid JSON";
    if (e != LETHE_OK || fault.bad != LETHE_JSON_GOOD) {
        clear(p);
        p->n_members = 0;
    }
    p->fault_at = fault.at;
    p->f = NULL;
    return e;
}

size_t lethe_json_picker_fault(const lethe_json_picker *p) { return p->fault_at; }

bool lethe_json_picker_wraps(const lethe_json_picker *p, const char *name)
{
    return p->n_members == 1 && p->wraps && p->n_first > 0 &&
           lethe_str_eq((lethe_str){p->first, p->n_first}, lethe_str_of(name));
}
