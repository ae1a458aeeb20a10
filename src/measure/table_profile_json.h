/* SPDX-License-Identifier: Apache-2.0 */
/* table_profile_json.h - figures of a table as members of a report; lethe-profile(1) says what they
 * are.  Lack of memory is kept in `doc`. */
#ifndef LETHE_MEASURE_TABLE_PROFILE_JSON_H
#define LETHE_MEASURE_TABLE_PROFILE_JSON_H
#include "io/json/json.h"
#include "measure/table_profile.h"

lethe_json *lethe_column_names_json(lethe_json_doc *doc, const lethe_published_table *t,
                                    const uint32_t *column, size_t n);
lethe_json *lethe_columns_json(lethe_json_doc *doc, const lethe_published_table *t,
                               const lethe_column_profile *profile);
/* groups, smallest_k, unique_share, histograms ... */
void lethe_group_sizes_json(lethe_json_doc *doc, lethe_json *o, const lethe_group_sizes *s);
lethe_json *lethe_diversity_json(lethe_json_doc *doc, const lethe_published_column *sa,
                                 const lethe_group_diversity *d);
/* `population` may be NULL. */
void lethe_risk_json(lethe_json_doc *doc, lethe_json *out, const lethe_group_sizes *s,
                     const lethe_population_risk *population);
void lethe_singling_json(lethe_json_doc *doc, lethe_json *out, const lethe_published_table *t,
                         const lethe_singling *s);

#endif
