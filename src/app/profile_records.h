/* SPDX-License-Identifier: Apache-2.0 */
/* profile_records.h - what records (baskets) contain, and how identifying they are. */
#ifndef LETHE_APP_PROFILE_RECORDS_H
#define LETHE_APP_PROFILE_RECORDS_H
#include "release/commands.h"

/* As lethe_profile_input, of an input that is known to be records. */
LETHE_MUST_CHECK lethe_err lethe_profile_baskets(lethe_ctx *ctx, const lethe_profile_options *p,
                                                 lethe_json_doc *doc, lethe_json **report);

#endif
