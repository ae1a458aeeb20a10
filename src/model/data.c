/* SPDX-License-Identifier: Apache-2.0 */
/* What the claims of a published log say of its texts and times. */
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

bool lethe_claims_need_times(const lethe_json *claims)
{
    static const char *const by_times[] = {"day", "gap", "query"};
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *claim = lethe_json_at(claims, i);
        lethe_str by = lethe_json_text(lethe_json_get(claim, "by"));
        if (!lethe_str_eq(lethe_json_text(lethe_json_get(claim, "notion")), LETHE_LIT("personas")))
            continue;
        for (size_t j = 0; j < LETHE_COUNT(by_times); j++)
            if (lethe_str_eq(by, lethe_str_of(by_times[j]))) return true;
    }
    return false;
}

bool lethe_is_text_hash(lethe_str text)
{
    if (text.n != LETHE_TEXT_HASH_CHARS || text.at[0] != '#') return false;
    for (size_t i = 1; i < text.n; i++) {
        char c = text.at[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
    }
    return true;
}

void lethe_text_hash_make(const lethe_secret *key, lethe_str common,
                          char out[LETHE_TEXT_HASH_CHARS])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t mac[LETHE_TEXT_HASH_BYTES];
    lethe_secret_mac(key, common, mac, sizeof mac);
    out[0] = '#';
    for (size_t i = 0; i < sizeof mac; i++) {
        out[1 + 2 * i] = digits[mac[i] >> 4];
        out[2 + 2 * i] = digits[mac[i] & 15];
    }
}
