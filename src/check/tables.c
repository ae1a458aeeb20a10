/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - the notions: one line each. */
#include "check/check.h"

// clang-format off
static const lethe_notion *const notions[] = {
    &lethe_notion_scrubbed,
    &lethe_notion_disconnected,
    &lethe_notion_personas,
    &lethe_notion_query_threshold,
    &lethe_notion_value_threshold,
    &lethe_notion_counted_threshold,
    &lethe_notion_kl_privacy,
    &lethe_notion_coherence,
    &lethe_notion_l_plus_diversity,
    &lethe_notion_k_anonymity,
    &lethe_notion_distinct_l,
    &lethe_notion_entropy_l,
    &lethe_notion_recursive_cl,
    &lethe_notion_t_closeness,
    &lethe_notion_k_map,
    &lethe_notion_record_k_anonymity,
    &lethe_notion_sealed,
    &lethe_notion_user_k_anonymity,
    NULL,
};
// clang-format on

const lethe_notion *const *lethe_notions(void) { return notions; }

const lethe_notion *lethe_notion_find(lethe_str name)
{
    for (const lethe_notion *const *n = notions; *n; n++) {
        if (lethe_str_eq(lethe_str_of((*n)->name), name)) return *n;
    }
    return NULL;
}

const char *lethe_claim_nothing(const lethe_json *claim)
{
    const lethe_notion *notion =
        lethe_notion_find(lethe_json_text(lethe_json_get(claim, "notion")));
    return notion && notion->nothing ? notion->nothing(claim) : NULL;
}

lethe_counted lethe_claims_counted(const lethe_json *claims)
{
    lethe_counted unit = LETHE_N_COUNTED;
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *claim = lethe_json_at(claims, i);
        const lethe_notion *notion =
            lethe_notion_find(lethe_json_text(lethe_json_get(claim, "notion")));
        if (notion && notion->counted) unit = notion->counted(claim);
    }
    return unit;
}
