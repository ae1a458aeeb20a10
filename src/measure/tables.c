/* tables.c - the measures: one line each. */
#include "measure/measure.h"

// clang-format off
static const lethe_measure *const measures[] = {
    &lethe_measure_log_sizes,
    &lethe_measure_records,
    &lethe_measure_patterns,
    &lethe_measure_scale,
    &lethe_measure_table,
    &lethe_measure_class,
    NULL,
};
// clang-format on

const lethe_measure *const *lethe_measures(void) { return measures; }
