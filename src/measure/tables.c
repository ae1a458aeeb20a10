/* tables.c - the measures: one line each. */
#include "measure/measure.h"

static const lethe_measure *const measures[] = {
    &lethe_measure_log_sizes,
    NULL,
};

const lethe_measure *const *lethe_measures(void) { return measures; }
