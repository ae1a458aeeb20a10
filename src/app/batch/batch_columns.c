/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays as columns: looked over before the first value is read, since nobody says how long their
 * buffers are. */
#include "app/batch/batch_internal.h"

enum { SHOWN = 80, ROWS_BETWEEN_LOOKS = 4096 };

static lethe_err malformed(lethe_ctx *ctx, const char *name, const char *cause)
{
    char shown[SHOWN];
    if (!name[0]) return lethe_fail(ctx, LETHE_EINPUT, "the array is malformed: %s", cause);
    lethe_show(shown, sizeof shown, lethe_str_of(name));
    return lethe_fail(ctx, LETHE_EINPUT, "the array is malformed: column '%s': %s", shown, cause);
}

lethe_err lethe_batch_open(lethe_ctx *ctx, lethe_arena *arena, const struct ArrowSchema *schema,
                           const struct ArrowArray *in, lethe_batch_in *out)
{
    if (!schema || !schema->release || !schema->format || !in || !in->release)
        return lethe_fail(ctx, LETHE_EINPUT, "the array, or its schema, is not there any more");
    *out = (lethe_batch_in){.ctx = ctx,
                            .arena = arena,
                            .schema = schema,
                            .rows = in,
                            .is_struct = strcmp(schema->format, "+s") == 0,
                            .n = in->length};
    if (!out->is_struct) return LETHE_OK;
    bool counted = schema->n_children >= 0 && in->n_children == schema->n_children &&
                   (schema->n_children == 0 || (schema->children && in->children));
    if (!counted) return malformed(ctx, "", "its number of columns is not that of its schema");
    const char *fault = lethe_arrow_struct_fault(in);
    return fault ? malformed(ctx, "", fault) : LETHE_OK;
}

static lethe_err column_open(const lethe_batch_in *in, const struct ArrowSchema *schema,
                             const struct ArrowArray *a, const char *name, lethe_batch_column *out)
{
    lethe_arrow_fault fault;
    lethe_arrow_type *type = NULL;
    char shown[SHOWN];
    if (!a || !a->release) return malformed(in->ctx, name, "the array is missing");
    if (lethe_arrow_type_read(in->arena, schema, &type, &fault) != LETHE_OK)
        return lethe_no_memory(in->ctx);
    lethe_show(shown, sizeof shown, lethe_str_of(name));
    if (fault.type)
        return lethe_fail(in->ctx, LETHE_EINPUT, "%s%s%s is %s, which cannot be read as text",
                          name[0] ? "column '" : "the array", shown, name[0] ? "'" : "",
                          fault.type);
    const char *cause = fault.cause ? fault.cause : lethe_arrow_array_fault(type, a);
    if (cause) return malformed(in->ctx, name, cause);
    *out = (lethe_batch_column){.name = name, .type = type, .a = a};
    return LETHE_OK;
}

lethe_err lethe_batch_itself(const lethe_batch_in *in, lethe_batch_column *out)
{
    return column_open(in, in->schema, in->rows, "", out);
}

lethe_err lethe_batch_find(const lethe_batch_in *in, lethe_str name, lethe_batch_column *out)
{
    char shown[SHOWN];
    int64_t at = -1;
    *out = (lethe_batch_column){.name = ""};
    for (int64_t i = 0; i < in->schema->n_children; i++) {
        const struct ArrowSchema *s = in->schema->children[i];
        if (!s) return malformed(in->ctx, "", "a column without a schema");
        if (!s->name || !lethe_str_eq(name, lethe_str_of(s->name))) continue;
        lethe_show(shown, sizeof shown, name);
        if (at >= 0) return lethe_fail(in->ctx, LETHE_EINPUT, "two columns are called '%s'", shown);
        at = i;
    }
    if (at < 0) return LETHE_OK;
    const struct ArrowSchema *s = in->schema->children[at];
    LETHE_TRY(column_open(in, s, in->rows->children[at], s->name, out));
    if (out->a->length < in->rows->offset + in->n)
        return malformed(in->ctx, s->name, "the array is shorter than the rows");
    if (!lethe_arrow_is_list(out->type)) return LETHE_OK;
    lethe_show(shown, sizeof shown, name);
    return lethe_fail(in->ctx, LETHE_EINPUT, "column '%s' has lists, not single values", shown);
}

lethe_err lethe_batch_fault(const lethe_batch_in *in, const lethe_batch_column *c, int64_t i,
                            const char *cause)
{
    char shown[SHOWN];
    lethe_show(shown, sizeof shown, lethe_str_of(c->name));
    return lethe_fail(in->ctx, LETHE_EINPUT, "row %lld%s%s%s: %s", (long long)i + 1,
                      c->name[0] ? ", column '" : "", shown, c->name[0] ? "'" : "", cause);
}

lethe_err lethe_batch_text(const lethe_batch_in *in, const lethe_batch_column *c, int64_t i,
                           char scratch[LETHE_ARROW_SCRATCH], bool *is_null, lethe_str *out)
{
    // of a struct the rows have an offset of their own, and a row may be null as a whole
    const uint8_t *valid = in->is_struct ? in->rows->buffers[0] : NULL;
    int64_t at = in->is_struct ? in->rows->offset + i : i;
    *out = (lethe_str){"", 0};
    *is_null = !c->a || (valid && !(valid[at >> 3] >> (at & 7) & 1));
    if (*is_null) return LETHE_OK;
    *is_null = lethe_arrow_is_null(c->type, c->a, at);
    if (*is_null) return LETHE_OK;
    if (c->type->kind == LETHE_ARROW_DICTIONARY) {
        int64_t k; // what it names may be null, too
        bool within =
            lethe_arrow_int(c->type, c->a, at, &k) && k >= 0 && k < c->a->dictionary->length;
        *is_null = within && lethe_arrow_is_null(c->type->values, c->a->dictionary, k);
        if (*is_null) return LETHE_OK;
    }
    const char *fault = lethe_arrow_text(c->type, c->a, at, scratch, out);
    return fault ? lethe_batch_fault(in, c, i, fault) : LETHE_OK;
}

lethe_err lethe_batch_go_on(const lethe_batch_in *in, int64_t i)
{
    if (i % ROWS_BETWEEN_LOOKS == 0 && lethe_ctx_cancelled(in->ctx)) return LETHE_ECANCEL;
    return LETHE_OK;
}

lethe_err lethe_batch_put(lethe_ctx *ctx, lethe_built_column *c, lethe_str text)
{
    if (text.n > INT32_MAX - c->bytes.n)
        return lethe_fail(ctx, LETHE_EINPUT,
                          "the result is over 2 GiB of text: use arrays of fewer rows");
    lethe_err e = !text.at                      ? lethe_built_null(c)
                  : c->kind == LETHE_BUILT_LIST ? lethe_built_item(c, text)
                                                : lethe_built_text(c, text);
    return e == LETHE_OK ? LETHE_OK : lethe_no_memory(ctx);
}
