/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - the notions and their checkers.  Each reads published bytes only and decides from
 * the definition; nothing here may use a method or an algorithm that made the data. */
#ifndef LETHE_CHECK_CHECK_H
#define LETHE_CHECK_CHECK_H
#include "model/data.h"

extern const lethe_notion lethe_notion_scrubbed;
extern const lethe_notion lethe_notion_disconnected;
extern const lethe_notion lethe_notion_personas;
extern const lethe_notion lethe_notion_query_threshold;
extern const lethe_notion lethe_notion_value_threshold;
extern const lethe_notion lethe_notion_counted_threshold;
extern const lethe_notion lethe_notion_kl_privacy;
extern const lethe_notion lethe_notion_coherence;
extern const lethe_notion lethe_notion_l_plus_diversity;
extern const lethe_notion lethe_notion_k_anonymity;
extern const lethe_notion lethe_notion_distinct_l;
extern const lethe_notion lethe_notion_entropy_l;
extern const lethe_notion lethe_notion_recursive_cl;
extern const lethe_notion lethe_notion_t_closeness;
extern const lethe_notion lethe_notion_k_map;
extern const lethe_notion lethe_notion_record_k_anonymity;
extern const lethe_notion lethe_notion_sealed;
extern const lethe_notion lethe_notion_user_k_anonymity;

const lethe_notion *lethe_notion_find(lethe_str name); /* NULL: no such */
/* The sentence that says that a claim promises nothing (lethe_notion.nothing); NULL: it promises
 * something, or its notion is unknown. */
const char *lethe_claim_nothing(const lethe_json *claim);
/* What exact counts count, by the last claim that says so; LETHE_N_COUNTED: none does. */
lethe_counted lethe_claims_counted(const lethe_json *claims);

#endif
