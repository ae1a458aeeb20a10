/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - where a target goes: its folder, its name there, a temporary name beside it.
 * For the sinks of io/ alone. */
#ifndef LETHE_IO_WRITE_PLACE_H
#define LETHE_IO_WRITE_PLACE_H
#include "io/write/sink.h"
#include <dirent.h>

#define LETHE_NAME_MAX 255

typedef struct lethe_place {
    lethe_diag *d;
    int dirfd;        /* the folder that holds the target, open for reading */
    char *path;       /* as the user gave it, less slashes at the end; for messages */
    const char *base; /* its last part, inside `path` */
    char temp[LETHE_NAME_MAX + 1];
    size_t made; /* folders above the target were made: the length of the highest; 0: none was */
} lethe_place;

/* Takes `path` apart and opens its folder.  LETHE_EUSAGE: it has no name of its own ("", "/", "."
 * and ".."); LETHE_EIO: the folder is not there or may not be read.  Draws the first temporary
 * name. */
LETHE_MUST_CHECK lethe_err lethe_place_open(lethe_diag *d, const char *path, lethe_place *out);
/* The same, and makes the folders above it that are not there. */
LETHE_MUST_CHECK lethe_err lethe_place_make(lethe_diag *d, const char *path, lethe_place *out);
/* Removes the folders that were made, if nothing is in them. */
void lethe_place_close(lethe_place *p);
/* Another temporary name: `.NAME.lethe-XXXXXX`, NAME cut where the whole would be too long. */
LETHE_MUST_CHECK lethe_err lethe_place_draw(lethe_place *p);
/* Is `name` a temporary name of this target? */
bool lethe_place_is_temp(const lethe_place *p, const char *name);
/* The path of the temporary name, on the heap; NULL: no memory. */
char *lethe_place_temp_path(const lethe_place *p);
/* Forces the folder's entries to disk.  The target is in place by then, so a failure is a warning.
 */
void lethe_place_sync(const lethe_place *p);

/* --- leftovers: what runs that were killed left under temporary names of this target --- */

/* Locks what was just created under `name`, so that no other run takes it for a leftover; the lock
 * lasts until `fd` and all its copies are closed.  false with errno: EEXIST, another run has taken
 * it for one already, and has removed it; any other, nobody can tell, and it may still be there. */
LETHE_MUST_CHECK bool lethe_lock_hold(int dirfd, const char *name, int fd);
/* Hands out each, locked for the time of the call: files, or folders, of this user that no living
 * process holds.  In the order of their names. */
void lethe_leftovers_each(const lethe_place *p, bool folder, lethe_leftover_fn fn, void *arg);
/* Names each in a warning. */
void lethe_leftovers_warn(const lethe_place *p, bool folder);
/* Removes those of which `may` (NULL: all) says yes, and names them in a note. */
void lethe_leftovers_remove(const lethe_place *p, bool folder, lethe_leftover_may_fn may,
                            void *arg);

/* A reader over a new description of `dirfd`, from its beginning; NULL with errno. */
DIR *lethe_folder_list(int dirfd);
/* Removes the files of a folder and then, by its name, the folder; false if anything is left.  A
 * folder in it stays: nothing that lethe builds has one. */
bool lethe_folder_remove(int parent, const char *name, int dirfd);

/* The process's umask, read from /proc: the call umask() would change it for other threads for a
 * moment.  077 where it cannot be read. */
unsigned lethe_umask(void);

/* Gives `from` the name `to` if that is free: 0, or an errno.  Where the file system does not know
 * RENAME_NOREPLACE, a file is linked and unlinked, and a folder renamed after a look: rename() can
 * at worst put it in place of an empty folder. */
int lethe_rename_file(int dirfd, const char *from, const char *to);
int lethe_rename_folder(int dirfd, const char *from, const char *to);
/* Whether this errno of renameat2() means that the flag is not known here. */
bool lethe_rename_unknown(int errnum);

#endif
