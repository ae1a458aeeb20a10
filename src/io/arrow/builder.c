/* SPDX-License-Identifier: Apache-2.0 */
/* Each array and each schema owns its memory by itself, since whoever gets a struct may move its
 * children elsewhere and release them one by one. */
#include "io/arrow/builder.h"

/* --- values --- */

static lethe_err valid_put(lethe_built_column *c, bool valid)
{
    if (c->n % 8 == 0) LETHE_TRY(lethe_buf_put(&c->valid, "", 1)); // a byte of zeros
    if (valid) c->valid.at[c->n / 8] |= (uint8_t)(1 << c->n % 8);
    c->n_null += !valid;
    c->n++;
    return LETHE_OK;
}

/* Offsets begin with a 0, and then say where each value ends. */
static lethe_err offset_put(lethe_buf *offsets, size_t end)
{
    const int32_t none = 0, at = (int32_t)end;
    if (offsets->n == 0) LETHE_TRY(lethe_buf_put(offsets, &none, sizeof none));
    return lethe_buf_put(offsets, &at, sizeof at);
}

static lethe_err text_put(lethe_built_column *c, lethe_str text)
{
    if (text.n > INT32_MAX - c->bytes.n) return LETHE_ENOMEM; // batches are far smaller
    LETHE_TRY(lethe_buf_str(&c->bytes, text));
    return offset_put(&c->offsets, c->bytes.n);
}

lethe_err lethe_built_text(lethe_built_column *c, lethe_str text)
{
    LETHE_TRY(text_put(c, text));
    return valid_put(c, true);
}

lethe_err lethe_built_int(lethe_built_column *c, int64_t v)
{
    LETHE_TRY(lethe_buf_put(&c->bytes, &v, sizeof v));
    return valid_put(c, true);
}

lethe_err lethe_built_null(lethe_built_column *c)
{
    const int64_t none = 0;
    if (c->kind == LETHE_BUILT_TEXT)
        LETHE_TRY(offset_put(&c->offsets, c->bytes.n));
    else
        LETHE_TRY(lethe_buf_put(&c->bytes, &none, sizeof none));
    return valid_put(c, false);
}

lethe_err lethe_built_item(lethe_built_column *c, lethe_str text)
{
    LETHE_TRY(text_put(c, text));
    c->n_items++;
    return LETHE_OK;
}

static lethe_err list_put(lethe_built_column *c, bool valid)
{
    if (c->n_items > INT32_MAX) return LETHE_ENOMEM;
    LETHE_TRY(offset_put(&c->ends, (size_t)c->n_items));
    return valid_put(c, valid);
}

lethe_err lethe_built_list(lethe_built_column *c) { return list_put(c, true); }
lethe_err lethe_built_null_list(lethe_built_column *c) { return list_put(c, false); }

void lethe_built_free(lethe_built_column *c)
{
    lethe_buf_free(&c->valid);
    lethe_buf_free(&c->bytes);
    lethe_buf_free(&c->offsets);
    lethe_buf_free(&c->ends);
    *c = (lethe_built_column){.kind = c->kind};
}

/* --- arrays --- */

enum { BUFFERS_MAX = 3 };

/* What an array owns; children are released by themselves. */
typedef struct array_memory {
    const void *buffers[BUFFERS_MAX];
    void *owned[BUFFERS_MAX];
    struct ArrowArray **children, *child;
} array_memory;

static void array_release(struct ArrowArray *a)
{
    array_memory *m = a->private_data;
    for (int64_t i = 0; i < a->n_children; i++)
        if (a->children[i]->release) a->children[i]->release(a->children[i]);
    for (size_t i = 0; i < BUFFERS_MAX; i++)
        lethe_free(m->owned[i]);
    lethe_free_all(m->children, m->child, m);
    a->release = NULL;
}

static lethe_err array_new(int64_t length, int64_t n_buffers, size_t n_children,
                           struct ArrowArray *out)
{
    array_memory *m = lethe_alloc_zero(1, sizeof *m);
    if (!m) return LETHE_ENOMEM;
    m->children = lethe_alloc(n_children, sizeof *m->children);
    m->child = lethe_alloc_zero(n_children, sizeof *m->child);
    if (!m->children || !m->child) {
        lethe_free_all(m->children, m->child, m);
        return LETHE_ENOMEM;
    }
    for (size_t i = 0; i < n_children; i++)
        m->children[i] = &m->child[i];
    *out = (struct ArrowArray){.length = length,
                               .n_buffers = n_buffers,
                               .n_children = (int64_t)n_children,
                               .buffers = m->buffers,
                               .children = n_children ? m->children : NULL,
                               .release = array_release,
                               .private_data = m};
    return LETHE_OK;
}

/* Buffer i of an array is now what the buffer held. */
static void buffer_move(struct ArrowArray *a, size_t i, lethe_buf *from)
{
    static const int64_t empty = 0; // what has no bytes still has an address, and a first offset
    array_memory *m = a->private_data;
    m->owned[i] = from->at;
    m->buffers[i] = from->at ? (const void *)from->at : &empty;
    *from = (lethe_buf){0};
}

static lethe_err array_make(const lethe_built_column *c, struct ArrowArray *out)
{
    switch (c->kind) {
    case LETHE_BUILT_TEXT:
        return array_new(c->n, 3, 0, out);
    case LETHE_BUILT_INT:
        return array_new(c->n, 2, 0, out);
    case LETHE_BUILT_LIST:
        break;
    }
    LETHE_TRY(array_new(c->n, 2, 1, out));
    lethe_err e = array_new(c->n_items, 3, 0, out->children[0]);
    if (e != LETHE_OK) array_release(out);
    return e;
}

static void array_fill(lethe_built_column *c, struct ArrowArray *a)
{
    a->null_count = c->n_null;
    if (c->n_null > 0) buffer_move(a, 0, &c->valid);
    if (c->kind == LETHE_BUILT_INT) {
        buffer_move(a, 1, &c->bytes);
    } else {
        struct ArrowArray *texts = c->kind == LETHE_BUILT_LIST ? a->children[0] : a;
        buffer_move(texts, 1, &c->offsets);
        buffer_move(texts, 2, &c->bytes);
        if (texts != a) buffer_move(a, 1, &c->ends);
    }
    lethe_built_free(c);
}

lethe_err lethe_built_batch(lethe_built_column *columns, size_t n, int64_t n_rows,
                            struct ArrowArray *out)
{
    struct ArrowArray a;
    LETHE_TRY(array_new(n_rows, 1, n, &a));
    for (size_t i = 0; i < n; i++)
        if (array_make(&columns[i], a.children[i]) != LETHE_OK) {
            array_release(&a);
            return LETHE_ENOMEM;
        }
    for (size_t i = 0; i < n; i++)
        array_fill(&columns[i], a.children[i]);
    *out = a;
    return LETHE_OK;
}

/* --- schemas --- */

typedef struct schema_memory {
    struct ArrowSchema **children, *child;
    char name[];
} schema_memory;

static void schema_release(struct ArrowSchema *s)
{
    schema_memory *m = s->private_data;
    for (int64_t i = 0; i < s->n_children; i++)
        if (s->children[i]->release) s->children[i]->release(s->children[i]);
    lethe_free_all(m->children, m->child, m);
    s->release = NULL;
}

static lethe_err schema_new(const char *format, lethe_str name, size_t n_children,
                            struct ArrowSchema *out)
{
    schema_memory *m = lethe_alloc(1, sizeof *m + name.n + 1);
    if (!m) return LETHE_ENOMEM;
    memcpy(m->name, name.at, name.n);
    m->name[name.n] = '\0';
    m->children = lethe_alloc(n_children, sizeof *m->children);
    m->child = lethe_alloc_zero(n_children, sizeof *m->child);
    if (!m->children || !m->child) {
        lethe_free_all(m->children, m->child, m);
        return LETHE_ENOMEM;
    }
    for (size_t i = 0; i < n_children; i++)
        m->children[i] = &m->child[i];
    *out = (struct ArrowSchema){.format = format,
                                .name = m->name,
                                .flags = ARROW_FLAG_NULLABLE,
                                .n_children = (int64_t)n_children,
                                .children = n_children ? m->children : NULL,
                                .release = schema_release,
                                .private_data = m};
    return LETHE_OK;
}

static lethe_err column_schema(const lethe_built_column *c, lethe_str name, struct ArrowSchema *out)
{
    bool list = c->kind == LETHE_BUILT_LIST;
    LETHE_TRY(schema_new(list ? "+l" : c->kind == LETHE_BUILT_INT ? "l" : "u", name, list, out));
    return list ? schema_new("u", LETHE_LIT("item"), 0, out->children[0]) : LETHE_OK;
}

lethe_err lethe_built_schema(const lethe_built_column *columns, const lethe_str *names, size_t n,
                             struct ArrowSchema *out)
{
    struct ArrowSchema s;
    LETHE_TRY(schema_new("+s", LETHE_LIT(""), n, &s));
    s.flags = 0;
    for (size_t i = 0; i < n; i++)
        if (column_schema(&columns[i], names[i], s.children[i]) != LETHE_OK) {
            schema_release(&s); // the child too, as far as it is made
            return LETHE_ENOMEM;
        }
    *out = s;
    return LETHE_OK;
}
