/* SPDX-License-Identifier: Apache-2.0 */
/* attack.h - the adversaries: what a release still gives away.  One file each, and one line in
 * tables.c. */
#ifndef LETHE_ATTACK_ATTACK_H
#define LETHE_ATTACK_ATTACK_H
#include "io/json/json.h"
#include "model/data.h"
#include "model/published/published_records.h"

/* The option --known; `text`: its help. */
#define LETHE_ATTACK_KNOWN(text)                                                                   \
    {                                                                                              \
        .name = "known", .type = LETHE_OPT_COUNT, .arg = "M", .fallback = "3", .min = 1,           \
        .max = 1000, .help = (text)                                                                \
    }

extern const lethe_adversary lethe_adversary_background;
extern const lethe_adversary lethe_adversary_competitor;
extern const lethe_adversary lethe_adversary_frequency;
extern const lethe_adversary lethe_adversary_homogeneity;
extern const lethe_adversary lethe_adversary_identity;
extern const lethe_adversary lethe_adversary_known_terms;
extern const lethe_adversary lethe_adversary_linkage;
extern const lethe_adversary lethe_adversary_linking;
extern const lethe_adversary lethe_adversary_marking;
extern const lethe_adversary lethe_adversary_presence_absence;
extern const lethe_adversary lethe_adversary_replay;

/* The share of `n` among `all` as a member of `out`; 0 of none. */
static inline void lethe_attack_share(lethe_json_doc *doc, lethe_json *out, const char *name,
                                      uint64_t n, uint64_t all)
{
    lethe_set_real(doc, out, name, all ? (double)n / (double)all : 0);
}

/* Adds up what workers counted: structs of `size` bytes, of uint64_t alone. */
static inline void lethe_attack_add(void *to, const void *from, size_t size)
{
    uint64_t *sum = to;
    const uint64_t *more = from;
    assert(sum && more);
    for (size_t i = 0; i < size / sizeof *sum; i++)
        sum[i] += more[i];
}

/* Published records, with the taxonomy checked against the original's; and by record of the
 * original the line that it became, NULL without a map.  The lines live in `a`. */
LETHE_MUST_CHECK lethe_err lethe_attack_records(lethe_comparison *c, lethe_arena *a,
                                                lethe_published_records **out, uint64_t **line);

#endif
