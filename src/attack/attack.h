/* attack.h - the adversaries: what a release still gives away.  One file each, and one line in
 * tables.c. */
#ifndef LETHE_ATTACK_ATTACK_H
#define LETHE_ATTACK_ATTACK_H
#include "model/data.h"

extern const lethe_adversary lethe_adversary_background;
extern const lethe_adversary lethe_adversary_competitor;
extern const lethe_adversary lethe_adversary_identity;
extern const lethe_adversary lethe_adversary_known_terms;
extern const lethe_adversary lethe_adversary_linkage;
extern const lethe_adversary lethe_adversary_linking;
extern const lethe_adversary lethe_adversary_presence_absence;
extern const lethe_adversary lethe_adversary_replay;

#endif
