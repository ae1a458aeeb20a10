/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.c - the names of shapes, and which of them a method produces with its options. */
#include "method/method.h"

static const struct {
    lethe_shape shape;
    const char *name;
} shapes[] = {{LETHE_SHAPE_LOG, "log"},
              {LETHE_SHAPE_RECORDS, "records"},
              {LETHE_SHAPE_TABLE, "table"},
              {LETHE_SHAPE_SEALED, "sealed"},
              {LETHE_SHAPE_COUNTS, "counts"}};

const char *lethe_shape_name(unsigned shape)
{
    for (size_t i = 0; i < LETHE_COUNT(shapes); i++)
        if (shapes[i].shape == shape) return shapes[i].name;
    return NULL;
}

lethe_shape lethe_method_shape_as(const lethe_method *m, lethe_str as)
{
    for (size_t i = 0; i < LETHE_COUNT(shapes); i++)
        if (m->out == (unsigned)shapes[i].shape ||
            (m->out & shapes[i].shape && lethe_str_eq(as, lethe_str_of(shapes[i].name))))
            return shapes[i].shape;
    return LETHE_SHAPE_NONE;
}

lethe_shape lethe_method_shape(const lethe_method *m, const lethe_values *v)
{
    const lethe_value *as = lethe_value_find(v, "as");
    return lethe_method_shape_as(m, as && as->text ? lethe_str_of(as->text) : (lethe_str){"", 0});
}
