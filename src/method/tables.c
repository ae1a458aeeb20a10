/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the list of all methods, one line each. */
#include "method/method.h"

// clang-format off
static const lethe_method *const methods[] = {
    &lethe_method_aa,
    &lethe_method_anneal,
    &lethe_method_clump,
    &lethe_method_disconnect,
    &lethe_method_incognito,
    &lethe_method_local,
    &lethe_method_lplus,
    &lethe_method_microagg,
    &lethe_method_mm,
    &lethe_method_mog,
    &lethe_method_og,
    &lethe_method_partition,
    &lethe_method_scrub,
    &lethe_method_seal,
    &lethe_method_split,
    &lethe_method_ssg,
    &lethe_method_threshold,
    NULL,
};
// clang-format on

const lethe_method *const *lethe_methods(void) { return methods; }

const lethe_method *lethe_method_find(const char *name)
{
    for (const lethe_method *const *m = methods; *m; m++) {
        if (strcmp((*m)->name, name) == 0) return *m;
    }
    return NULL;
}
