/* measure.h - what is in a log, and what a release is still worth. */
#ifndef LETHE_MEASURE_MEASURE_H
#define LETHE_MEASURE_MEASURE_H
#include "model/data.h"

/* The figures of `lethe profile`, as members of `out`: DESIGN's names, and `histograms` for the
 * page in the terminal. */
LETHE_MUST_CHECK lethe_err lethe_profile_measure(lethe_ctx *ctx, lethe_log *log, lethe_json_doc *doc, lethe_json *out);

extern const lethe_measure lethe_measure_log_sizes;

#endif
