/* SPDX-License-Identifier: Apache-2.0 */
/* shape_ops.c - the table of shapes. */
#include "release/shape_ops.h"

const lethe_shape_ops *const *lethe_shapes(void)
{
    static const lethe_shape_ops *const all[] = {&lethe_log_ops,     &lethe_sealed_ops,
                                                 &lethe_records_ops, &lethe_table_ops,
                                                 &lethe_counts_ops,  NULL};
    return all;
}

const lethe_shape_ops *lethe_shape_ops_of(lethe_shape shape)
{
    const lethe_shape_ops *const *ops = lethe_shapes();
    while (*ops && (*ops)->shape != shape)
        ops++;
    return *ops;
}

const char *lethe_shape_noun(unsigned shapes)
{
    const lethe_shape_ops *ops = lethe_shape_ops_of((lethe_shape)(shapes & -shapes));
    return ops ? ops->noun : "nothing";
}

const char *lethe_data_name(lethe_shape shape) { return lethe_shape_ops_of(shape)->files[0].name; }
