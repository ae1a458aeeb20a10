/* SPDX-License-Identifier: Apache-2.0 */
/* json_read.c - a document's text into a tree. */
#include "io/json/json.h"
#include "io/json/json_events.h"
#include "io/json/json_tree.h"
#include "io/syserr.h"
#include "core/parse.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A value that waits for the end of its array or object. */
typedef struct pending {
    lethe_json_member member;
    size_t at; /* where the name ends in the text */
} pending;

typedef struct frame {
    lethe_json_type type;
    size_t first; /* of its values among those that wait */
    lethe_str name;
    size_t name_at; /* of the value to come */
} frame;

typedef struct parse {
    lethe_json_doc *doc;
    lethe_arena *tmp;
    lethe_json_run *run;
    lethe_buf pending; /* of struct waiting */
    frame frames[LETHE_JSON_DEPTH];
    size_t depth;
    lethe_json *root;
    const char *cause; /* why a callback stopped; NULL: no memory */
    size_t name_end;   /* of the name that is the cause; 0: none is */
} parse;

static pending *pending_at(const parse *p, size_t i)
{
    return (pending *)(void *)p->pending.at + i;
}
static size_t n_pending(const parse *p) { return p->pending.n / sizeof(pending); }

static bool add(parse *p, lethe_json *v)
{
    if (!v) return false;
    if (p->depth == 0) {
        p->root = v;
        return true;
    }
    const frame *f = &p->frames[p->depth - 1];
    pending w = {{f->name, v}, f->name_at};
    return lethe_buf_put(&p->pending, &w, sizeof w) == LETHE_OK;
}

static bool on_null(void *ctx)
{
    parse *p = ctx;
    return add(p, lethe_json_make(p->doc, LETHE_JSON_NULL));
}

static bool on_bool(void *ctx, bool b)
{
    parse *p = ctx;
    return add(p, lethe_json_new_bool(p->doc, b));
}

/* An integer where it is written as one and fits; -0 is none. */
static bool on_number(void *ctx, lethe_str s)
{
    parse *p = ctx;
    int64_t i;
    double x;
    if (lethe_parse_i64(s, &i) && !(i == 0 && s.at[0] == '-'))
        return add(p, lethe_json_new_int(p->doc, i));
    if (lethe_parse_real(s, &x)) return add(p, lethe_json_new_real(p->doc, x));
    p->cause = "a number too large or too long";
    return false;
}

static bool on_text(void *ctx, lethe_str s)
{
    parse *p = ctx;
    return add(p, lethe_json_new_text(p->doc, s));
}

static bool open_frame(parse *p, lethe_json_type type)
{
    assert(p->depth < LETHE_JSON_DEPTH); // the scan has seen to it
    p->frames[p->depth++] = (frame){.type = type, .first = n_pending(p), .name = LETHE_LIT("")};
    return true;
}

static bool on_object(void *ctx) { return open_frame(ctx, LETHE_JSON_OBJECT); }
static bool on_array(void *ctx) { return open_frame(ctx, LETHE_JSON_ARRAY); }

static bool on_name(void *ctx, lethe_str s)
{
    parse *p = ctx;
    frame *f = &p->frames[p->depth - 1];
    const char *copy = lethe_arena_dup(p->doc->arena, s);
    f->name = (lethe_str){copy, s.n};
    f->name_at = lethe_json_consumed(p->run);
    return copy != NULL;
}

static int by_name(const void *a, const void *b)
{
    const pending *x = *(const pending *const *)a, *y = *(const pending *const *)b;
    int c = lethe_str_cmp(x->member.name, y->member.name);
    return c ? c : (x->at > y->at) - (x->at < y->at);
}

/* Sets *at to where a name of the members from `first` comes for the second time; SIZE_MAX:
 * nowhere. By sorting, so that no choice of names makes it slow. */
static lethe_err find_twice(parse *p, size_t first, size_t *at)
{
    size_t n = n_pending(p) - first;
    *at = SIZE_MAX;
    if (n < 2) return LETHE_OK;
    const pending **row = lethe_alloc(n, sizeof *row);
    if (!row) return LETHE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        row[i] = pending_at(p, first + i);
    qsort(row, n, sizeof *row, by_name);
    for (size_t i = 1; i < n; i++)
        if (lethe_str_eq(row[i - 1]->member.name, row[i]->member.name))
            *at = LETHE_MIN(*at, row[i]->at);
    lethe_free(row);
    return LETHE_OK;
}

/* Those that waited become the list of a new value, with no room to spare. */
static lethe_json *gather(parse *p, const frame *f)
{
    lethe_json *v = lethe_json_make(p->doc, f->type);
    size_t n = n_pending(p) - f->first;
    if (!v || n == 0) return v;
    v->list.at = lethe_new(p->doc->arena, lethe_json_member, n);
    if (!v->list.at) return NULL;
    for (size_t i = 0; i < n; i++)
        v->list.at[i] = pending_at(p, f->first + i)->member;
    v->list.n = v->list.cap = n;
    p->pending.n = f->first * sizeof(pending);
    return v;
}

static bool on_end(void *ctx)
{
    parse *p = ctx;
    const frame *f = &p->frames[p->depth - 1];
    if (f->type == LETHE_JSON_OBJECT) {
        size_t twice;
        if (find_twice(p, f->first, &twice) != LETHE_OK) return false;
        if (twice != SIZE_MAX) {
            p->cause = "the same name twice in an object";
            p->name_end = twice;
            return false;
        }
    }
    lethe_json *v = gather(p, f);
    p->depth--;
    return add(p, v);
}

static const lethe_json_handlers handlers = {.null = on_null,
                                             .boolean = on_bool,
                                             .number = on_number,
                                             .text = on_text,
                                             .name = on_name,
                                             .object = on_object,
                                             .array = on_array,
                                             .end = on_end};

static const char *cause_of(const lethe_json_fault *fault)
{
    static const char *const causes[] = {
        [LETHE_JSON_EMPTY] = "no value",
        [LETHE_JSON_CUT] = "cut off in the middle",
        [LETHE_JSON_TRAILING] = "text after its end",
        [LETHE_JSON_DEEP] = "nested deeper than 64 levels",
        [LETHE_JSON_UTF8] = "not UTF-8",
        [LETHE_JSON_SURROGATE] = "half of a surrogate pair",
        [LETHE_JSON_STOPPED] = NULL,
    };
    return causes[fault->bad] ? causes[fault->bad] : fault->detail;
}

static lethe_err parse_text(parse *p, lethe_diag *d, const char *file, lethe_str text)
{
    lethe_json_fault fault;
    lethe_err e = lethe_json_events(p->tmp, text, (lethe_json_rules){.lenient = false}, &handlers,
                                    p, &p->run, &fault);
    if (e != LETHE_OK || (fault.bad == LETHE_JSON_STOPPED && !p->cause)) return lethe_no_memory(d);
    if (fault.bad == LETHE_JSON_GOOD) return LETHE_OK;
    if (p->name_end) fault.at = lethe_json_token(text, p->name_end);
    uint64_t line = 1;
    size_t begin = 0, at = LETHE_MIN(fault.at, text.n);
    for (size_t i = 0; i < at; i++) {
        if (text.at[i] != '\n') continue;
        line++;
        begin = i + 1;
    }
    uint32_t column = (uint32_t)LETHE_MIN(at - begin + 1, UINT32_MAX);
    return lethe_fail_at(d, LETHE_EINPUT, file, line, column, "not valid JSON: %s",
                         p->cause ? p->cause : cause_of(&fault));
}

lethe_err lethe_json_parse(lethe_diag *d, const char *file, lethe_str text, lethe_json_doc **doc,
                           lethe_json **out)
{
    parse p = {.doc = lethe_json_doc_new(), .tmp = lethe_arena_new()};
    lethe_err e = p.doc && p.tmp ? parse_text(&p, d, file, text) : lethe_no_memory(d);
    lethe_buf_free(&p.pending);
    lethe_arena_free(p.tmp);
    if (e != LETHE_OK) {
        lethe_json_doc_free(p.doc);
        return e;
    }
    *doc = p.doc;
    *out = p.root;
    return LETHE_OK;
}

/* All of a regular file into `b`, which may hold one byte more than `max`. */
static lethe_err read_all(lethe_diag *d, int fd, const char *name, size_t max, lethe_buf *b)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return lethe_fail_sys(d, "read", name, errno);
    if (S_ISDIR(st.st_mode)) return lethe_fail_sys(d, "read", name, EISDIR);
    if (!S_ISREG(st.st_mode))
        return lethe_fail(d, LETHE_EIO, "cannot read '%s': not a regular file", name);
    for (;;) {
        size_t room = LETHE_MIN(max - b->n, (size_t)64 << 10) + 1;
        if (lethe_buf_reserve(b, room) != LETHE_OK) return lethe_no_memory(d);
        ssize_t k = read(fd, b->at + b->n, room);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return lethe_fail_sys(d, "read", name, errno);
        if (k == 0) return LETHE_OK;
        b->n += (size_t)k;
        if (b->n > max)
            return lethe_fail_at(d, LETHE_EINPUT, name, 0, 0, "larger than %zu bytes", max);
    }
}

lethe_err lethe_json_read_at(lethe_diag *d, int dirfd, const char *name, size_t max,
                             lethe_json_doc **doc, lethe_json **out)
{
    // O_NONBLOCK: a pipe under that name must not make us wait before it is refused.
    int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return lethe_fail_sys(d, "open", name, errno);
    lethe_buf b = {0};
    lethe_err e = read_all(d, fd, name, max, &b);
    close(fd);
    if (e == LETHE_OK)
        e = lethe_json_parse(d, name, (lethe_str){(const char *)b.at, b.n}, doc, out);
    lethe_buf_free(&b);
    return e;
}

lethe_err lethe_json_read(const char *text, lethe_json_doc **doc, lethe_json **out)
{
    return lethe_json_parse(NULL, "", lethe_str_of(text), doc, out);
}
