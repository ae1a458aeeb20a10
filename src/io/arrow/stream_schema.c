/* SPDX-License-Identifier: Apache-2.0 */
/* What the columns of a stream are, and whether its batches are what their schema says. */
#include "io/arrow/streams_internal.h"
#include <stdarg.h>
#include <stdio.h>

enum { COLUMNS_MAX = 1 << 16, SHOWN = 80 };

lethe_err lethe_stream_fail(lethe_stream *s, lethe_err e, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(s->why, sizeof s->why, fmt, args);
    va_end(args);
    s->failed = e;
    return e;
}

static lethe_err no_memory(lethe_stream *s)
{
    return lethe_stream_fail(s, LETHE_ENOMEM, "out of memory");
}

static void show(char out[SHOWN], lethe_str name) { lethe_show(out, SHOWN, name); }

/* --- columns --- */

static lethe_err column_read(lethe_stream *s, const struct ArrowSchema *schema,
                             lethe_stream_column *out)
{
    lethe_arrow_fault fault;
    lethe_arrow_type *type = NULL;
    char shown[SHOWN];
    if (!schema)
        return lethe_stream_fail(s, LETHE_EINPUT, "'%s' is malformed: a column without a schema",
                                 s->name);
    const char *name = schema->name ? schema->name : "";
    char *copy = lethe_arena_dup(s->a, lethe_str_of(name));
    if (!copy || lethe_arrow_type_read(s->a, schema, &type, &fault) != LETHE_OK)
        return no_memory(s);
    show(shown, lethe_str_of(name));
    if (fault.type)
        return lethe_stream_fail(
            s, LETHE_EINPUT,
            "'%s': column '%s' is %s (Arrow's format '%.40s'), which cannot be "
            "read: cast it to text, or leave it out",
            s->name, shown, fault.type, schema->format);
    if (fault.cause)
        return lethe_stream_fail(s, LETHE_EINPUT, "'%s': column '%s' is malformed: %s", s->name,
                                 shown, fault.cause);
    *out = (lethe_stream_column){lethe_str_of(copy), type};
    return LETHE_OK;
}

/* Not in the text: how often a row is there. */
static lethe_err weight_find(lethe_stream *s)
{
    char shown[SHOWN];
    s->weight = LETHE_STREAM_NO_COLUMN;
    if (!s->weight_name) return LETHE_OK;
    lethe_str name = lethe_str_of(s->weight_name);
    show(shown, name);
    for (size_t i = 0; i < s->n_columns; i++) {
        if (!lethe_str_eq(s->columns[i].name, name)) continue;
        if (s->weight != LETHE_STREAM_NO_COLUMN)
            return lethe_stream_fail(s, LETHE_EINPUT, "'%s': two columns are called '%s'", s->name,
                                     shown);
        s->weight = i;
    }
    if (s->weight == LETHE_STREAM_NO_COLUMN)
        return lethe_stream_fail(s, LETHE_EINPUT, "'%s': no column is called '%s', the weight",
                                 s->name, shown);
    if (s->columns[s->weight].type->kind != LETHE_ARROW_INT)
        return lethe_stream_fail(s, LETHE_EINPUT,
                                 "'%s': column '%s' is the weight, and not of whole numbers: cast "
                                 "it to int64",
                                 s->name, shown);
    return LETHE_OK;
}

/* A list makes records, for which there is one other column at most. */
static lethe_err list_find(lethe_stream *s)
{
    s->list = LETHE_STREAM_NO_COLUMN;
    s->n_fields = 0;
    for (size_t i = 0; i < s->n_columns; i++) {
        if (i == s->weight) continue;
        s->n_fields++;
        if (!lethe_arrow_is_list(s->columns[i].type)) continue;
        char shown[SHOWN];
        show(shown, s->columns[i].name);
        if (s->list != LETHE_STREAM_NO_COLUMN)
            return lethe_stream_fail(s, LETHE_EINPUT,
                                     "'%s': column '%s' is a second list: a record has one list of "
                                     "items, and an ID perhaps",
                                     s->name, shown);
        s->list = i;
    }
    if (s->list != LETHE_STREAM_NO_COLUMN && s->n_fields > 2)
        return lethe_stream_fail(s, LETHE_EINPUT,
                                 "'%s' has %zu columns and one of them is a list: a record has a "
                                 "list of items, and an ID perhaps; leave the others out, or make "
                                 "them text",
                                 s->name, s->n_columns);
    if (s->n_fields == 0) return lethe_stream_fail(s, LETHE_EINPUT, "'%s' has no columns", s->name);
    return LETHE_OK;
}

lethe_err lethe_stream_columns(lethe_stream *s, const struct ArrowSchema *schema)
{
    if (!schema->format || strcmp(schema->format, "+s") != 0)
        return lethe_stream_fail(s, LETHE_EINPUT,
                                 "'%s' is no table: its arrays must be structs, with a member for "
                                 "each column",
                                 s->name);
    if (schema->n_children < 0 || (schema->n_children > 0 && !schema->children))
        return lethe_stream_fail(s, LETHE_EINPUT, "'%s' is malformed: a schema without columns",
                                 s->name);
    if (schema->n_children > COLUMNS_MAX)
        return lethe_stream_fail(s, LETHE_EINPUT, "'%s' has more than %d columns", s->name,
                                 COLUMNS_MAX);
    s->n_columns = (size_t)schema->n_children;
    s->columns = lethe_new(s->a, lethe_stream_column, s->n_columns + 1);
    if (!s->columns) return no_memory(s);
    for (size_t i = 0; i < s->n_columns; i++)
        LETHE_TRY(column_read(s, schema->children[i], &s->columns[i]));
    LETHE_TRY(weight_find(s));
    return list_find(s);
}

/* --- batches --- */

static lethe_err malformed(lethe_stream *s, const lethe_stream_column *c, const char *cause)
{
    char shown[SHOWN];
    if (!c)
        return lethe_stream_fail(s, LETHE_EINPUT, "'%s' is malformed: batch %zu: %s", s->name,
                                 s->n_batches, cause);
    show(shown, c->name);
    return lethe_stream_fail(s, LETHE_EINPUT, "'%s' is malformed: batch %zu, column '%s': %s",
                             s->name, s->n_batches, shown, cause);
}

lethe_err lethe_stream_batch_check(lethe_stream *s, const struct ArrowArray *a)
{
    if (a->n_children < 0 || (size_t)a->n_children != s->n_columns || !a->children)
        return malformed(s, NULL, "its number of columns is not that of its schema");
    const char *fault = lethe_arrow_struct_fault(a);
    if (fault) return malformed(s, NULL, fault);
    for (size_t i = 0; i < s->n_columns; i++) {
        const struct ArrowArray *child = a->children[i];
        const lethe_stream_column *c = &s->columns[i];
        if (!child || !child->release) return malformed(s, c, "the array is missing");
        fault = lethe_arrow_array_fault(c->type, child);
        if (fault) return malformed(s, c, fault);
        if (child->length < a->offset + a->length)
            return malformed(s, c, "the array is shorter than the batch");
    }
    return LETHE_OK;
}
