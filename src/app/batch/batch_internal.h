/* SPDX-License-Identifier: Apache-2.0 */
/* batch_internal.h - columns of an array that is being read, and what functions make of them. */
#ifndef LETHE_APP_BATCH_BATCH_INTERNAL_H
#define LETHE_APP_BATCH_BATCH_INTERNAL_H
#include "core/ctx.h"
#include "core/mem.h"
#include "core/rng.h"
#include "io/arrow/builder.h"
#include "io/arrow/type.h"
#include "io/json/json.h"
#include "lethe/batch.h"
#include "lethe/option.h"

/* --- reading --- */

/* An array that has been looked over; all is borrowed but what is in `arena`. */
typedef struct lethe_batch_column {
    const char *name; /* for messages; "" of an array that is no column */
    const lethe_arrow_type *type;
    const struct ArrowArray *a; /* NULL: there is no such column, and every value is null */
} lethe_batch_column;

typedef struct lethe_batch_in {
    lethe_ctx *ctx;
    lethe_arena *arena;
    const struct ArrowSchema *schema;
    const struct ArrowArray *rows;
    bool is_struct;
    int64_t n;
} lethe_batch_in;

/* Looks at the array as a whole.  LETHE_EINPUT: it is not one of these. */
LETHE_MUST_CHECK lethe_err lethe_batch_open(lethe_ctx *ctx, lethe_arena *arena,
                                            const struct ArrowSchema *schema,
                                            const struct ArrowArray *in, lethe_batch_in *out);
/* The array itself as a column. */
LETHE_MUST_CHECK lethe_err lethe_batch_itself(const lethe_batch_in *in, lethe_batch_column *out);
/* A column of a struct.  LETHE_EINPUT: there are two of the name.  None: out->a is NULL. */
LETHE_MUST_CHECK lethe_err lethe_batch_find(const lethe_batch_in *in, lethe_str name,
                                            lethe_batch_column *out);
/* Row i, from 0: null, or its text, in `scratch` or the array. */
LETHE_MUST_CHECK lethe_err lethe_batch_text(const lethe_batch_in *in, const lethe_batch_column *c,
                                            int64_t i, char scratch[LETHE_ARROW_SCRATCH],
                                            bool *is_null, lethe_str *out);
lethe_err lethe_batch_fault(const lethe_batch_in *in, const lethe_batch_column *c, int64_t i,
                            const char *cause);
/* Now and then: is the work to end? */
LETHE_MUST_CHECK lethe_err lethe_batch_go_on(const lethe_batch_in *in, int64_t i);

/* --- making --- */

/* NULL `at`: null.  LETHE_EINPUT: over 2 GiB of text in one column. */
LETHE_MUST_CHECK lethe_err lethe_batch_put(lethe_ctx *ctx, lethe_built_column *c, lethe_str text);

/* --- seal --- */

typedef struct lethe_batch_seal lethe_batch_seal;
/* `options` and `publish` are objects of the request, or NULL. */
LETHE_MUST_CHECK lethe_err lethe_batch_seal_new(lethe_ctx *ctx, const lethe_json *options,
                                                const lethe_json *publish, const lethe_secret *key,
                                                lethe_batch_seal **out);
void lethe_batch_seal_free(lethe_batch_seal *s); /* NULL is fine */
/* The columns of the result, freed by the caller on failure too. */
LETHE_MUST_CHECK lethe_err lethe_batch_seal_rows(lethe_batch_seal *s, const lethe_batch_in *in,
                                                 lethe_built_column **columns,
                                                 const lethe_str **names, size_t *n);

/* --- cut --- */

/* Room for the columns of the result. */
LETHE_MUST_CHECK lethe_err lethe_batch_cut_rows(const lethe_cut *cut, const lethe_batch_in *in,
                                                lethe_built_column *columns);
LETHE_MUST_CHECK lethe_err lethe_batch_cut_sets(const lethe_cut *cut, const lethe_batch_in *in,
                                                lethe_built_column *column);

/* --- options --- */

/* Sets the values of a method that an object of the request names.  LETHE_EUSAGE, with a message.
 * Texts are in `arena`. */
LETHE_MUST_CHECK lethe_err lethe_batch_options(lethe_ctx *ctx, lethe_arena *arena,
                                               const lethe_json *object, lethe_values *v);

#endif
