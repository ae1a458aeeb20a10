/* tables.c - the adversaries: one line each. */
#include "attack/attack.h"

// clang-format off
static const lethe_adversary *const adversaries[] = {
    &lethe_adversary_background,
    &lethe_adversary_competitor,
    &lethe_adversary_identity,
    &lethe_adversary_known_terms,
    &lethe_adversary_linkage,
    &lethe_adversary_linking,
    &lethe_adversary_presence_absence,
    &lethe_adversary_replay,
    NULL,
};
// clang-format on

const lethe_adversary *const *lethe_adversaries(void) { return adversaries; }
