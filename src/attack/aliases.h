/* SPDX-License-Identifier: Apache-2.0 */
/* aliases.h - who is who in a release, by the map that was written with it. */
#ifndef LETHE_ATTACK_ALIASES_H
#define LETHE_ATTACK_ALIASES_H
#include "model/data.h"

/* One line of the map.  A person may have several published users, and a published user may belong
 * to several persons; a line may come again.  The views are valid during the call, which is on one
 * thread and in the order of the file. */
typedef lethe_err (*lethe_alias_fn)(void *arg, lethe_str original, lethe_str published);

/* Reads the map of the comparison and hands out its lines; then walks the published log and checks
 * that the map has each of its users.  LETHE_EINPUT, with file and line, for a first line that does
 * not name this release, for a line that is not two users separated by a tab, and for a map that
 * lacks a published user: it belongs to another release. The map may have more users. */
LETHE_MUST_CHECK lethe_err lethe_aliases_read(const lethe_comparison *c, lethe_log *published,
                                              lethe_alias_fn fn, void *arg);

#endif
