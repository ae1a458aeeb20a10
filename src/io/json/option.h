/* SPDX-License-Identifier: Apache-2.0 */
/* option.h - options out of a manifest. */
#ifndef LETHE_IO_JSON_OPTION_H
#define LETHE_IO_JSON_OPTION_H
#include "core/ctx.h"
#include "core/mem.h"
#include "lethe/option.h"

/* Sets the values that `object` (as lethe_values_json wrote it) names; texts are copied into `a`.
 * LETHE_EINPUT for a name the table lacks or a value that does not fit. */
LETHE_MUST_CHECK lethe_err lethe_values_read(lethe_arena *a, lethe_values *v,
                                             const lethe_json *object, lethe_diag *d);

#endif
