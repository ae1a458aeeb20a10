/* tables.c - the adversaries: one line each. */
#include "attack/attack.h"

static const lethe_adversary *const adversaries[] = {
    NULL,
};

const lethe_adversary *const *lethe_adversaries(void) { return adversaries; }
