/* SPDX-License-Identifier: Apache-2.0 */
/* candidates.h - how `publish`, `redo`, `suggest` and `compare` show candidates. */
#ifndef LETHE_CLI_CANDIDATES_H
#define LETHE_CLI_CANDIDATES_H
#include "cli.h"

/* Are lines wanted while candidates are tried: is there no terminal that shows progress? */
bool wants_lines(const arguments *a);
/* One of them: what candidate i of n keeps, and its risk. */
void candidate_line(const lethe_json *row, size_t i, size_t n);
/* "risk  38.7 %", or that there is no user to find (NULL). */
void print_risk(FILE *f, const lethe_json *risk);
/* What could be published instead of nothing, with the command, or what to do where that is
 * nothing, by `metrics` of a report. */
void print_instead(const lethe_json *metrics);

#endif
