/* SPDX-License-Identifier: Apache-2.0 */
/* Keyed hashes that stand for texts of a published log. */
#include "model/data.h"

bool lethe_claims_allow_hashes(const lethe_json *claims)
{
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *rare = lethe_json_get(lethe_json_at(claims, i), "rare");
        if (lethe_json_kind(rare) == LETHE_JSON_TEXT &&
            lethe_str_eq(lethe_json_text(rare), LETHE_LIT("hash")))
            return true;
    }
    return false;
}

bool lethe_is_text_hash(lethe_str text)
{
    if (text.n != 33 || text.at[0] != '#') return false;
    for (size_t i = 1; i < text.n; i++) {
        char c = text.at[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
    }
    return true;
}
