/* aliases.h - who is who in a release, by the map that was written with it. */
#ifndef LETHE_ATTACK_ALIASES_H
#define LETHE_ATTACK_ALIASES_H
#include "model/log/log.h"

/* One line of the map.  A person may have several published users, and one of these be several
 * persons'; the same line may come again.  Views; valid during the call, which is on one thread and
 * in the file's order. */
typedef lethe_err (*lethe_alias_fn)(void *arg, lethe_str original, lethe_str published);

/* Reads the map at `path` and hands out its lines; then walks the published log and sees that the
 * map knows each of its users.  LETHE_EINPUT, with file and line, for one that is not two users and
 * a tab between; and where the map lacks a published user: it is that of another release, and would
 * tell nothing.  The map may know more. */
LETHE_MUST_CHECK lethe_err lethe_aliases_read(lethe_ctx *ctx, const char *path,
                                              lethe_log *published, lethe_alias_fn fn, void *arg);

#endif
