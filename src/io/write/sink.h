/* SPDX-License-Identifier: Apache-2.0 */
/* sink.h - files and folders that appear only when they are complete.
 *
 * A file is written under a temporary name beside its target, forced to disk and renamed.  A folder
 * is built the same way, mode 0700 until it is published, and then renamed as a whole; an old one
 * is exchanged for it in one step and then removed.  Links are never followed at the target itself.
 *
 * After SIGKILL or a power failure nothing but the temporary sibling can remain:
 * `.NAME.lethe-XXXXXX`, a file of mode 0600 or a folder of mode 0700.  There are two exceptions:
 * between chmod and rename it is complete and has its final mode, and after an exchange the old
 * file or folder has that name until it is removed.
 *
 * Such a leftover is named in a warning when the same target is begun again, and is removed when it
 * was replaced (`force`, LETHE_SINK_REPLACE).  Whoever has something under a temporary name holds a
 * lock on it, so what a living run builds is no leftover.
 *
 * The program must ignore SIGPIPE and SIGXFSZ, so that writing fails with an error. */
#ifndef LETHE_IO_WRITE_SINK_H
#define LETHE_IO_WRITE_SINK_H
#include "core/ctx.h"

/* --- leftovers --- */

typedef struct lethe_leftover {
    const char *path, *name; /* for messages; in the target's folder */
    int fd;                  /* open for reading, and locked */
} lethe_leftover;
typedef void (*lethe_leftover_fn)(void *arg, const lethe_leftover *l);
/* May it be removed?  Says why not. */
typedef bool (*lethe_leftover_may_fn)(void *arg, const lethe_leftover *l);

/* Hands out the files that killed runs have left beside a target, and names them in a warning. */
void lethe_leftovers_of(const char *path, lethe_leftover_fn fn, void *arg);
void lethe_leftovers_name(lethe_diag *d, const char *path);

/* --- one file --- */
typedef struct lethe_sink lethe_sink;
typedef enum lethe_sink_mode {
    LETHE_SINK_NEW,     /* the target must not exist */
    LETHE_SINK_REPLACE, /* a regular file may be replaced; a link, folder or device may not */
} lethe_sink_mode;

/* LETHE_EUSAGE: the target exists and may not be replaced (a link never is, even one that leads
 * nowhere), or `path` can be no file's name.  LETHE_EIO: its folder is not there, or the like.
 * `perm` as 0600 or 0666; the umask, as /proc tells it, is taken off at the end. */
LETHE_MUST_CHECK lethe_err lethe_sink_open(lethe_diag *d, const char *path, lethe_sink_mode mode,
                                           unsigned perm, lethe_sink **out);
/* Standard output: nothing to rename; errors of writing are still found. */
LETHE_MUST_CHECK lethe_err lethe_sink_stdout(lethe_diag *d, lethe_sink **out);
/* A new file in an unfinished folder, 0600 and under its final name from the start; 0666 less the
 * umask once committed.  To be committed or aborted before the folder is. */
typedef struct lethe_folder lethe_folder;
LETHE_MUST_CHECK lethe_err lethe_sink_in(lethe_diag *d, lethe_folder *f, const char *name,
                                         lethe_sink **out);

/* Buffered.  A failure is remembered: later calls, and commit, give it again without a message. */
LETHE_MUST_CHECK lethe_err lethe_sink_write(lethe_sink *s, const void *p, size_t n);
/* Writes at a place, from any thread, past what lethe_sink_write has written, or over what
 * lethe_sink_read_path made readable; not for standard output. */
LETHE_MUST_CHECK lethe_err lethe_sink_write_at(lethe_sink *s, uint64_t offset, const void *p,
                                               size_t n);
/* A path under which what was written so far can be read while `s` is open; not for standard
 * output.
 */
enum { LETHE_SINK_PATH_BYTES = 40 };
LETHE_MUST_CHECK lethe_err lethe_sink_read_path(lethe_sink *s, char path[LETHE_SINK_PATH_BYTES]);
/* Flushes, forces to disk, renames.  On failure the target is as it was, and the temporary file is
 * gone.  LETHE_EUSAGE: a target was created by another process.  Frees `s` in any case. */
LETHE_MUST_CHECK lethe_err lethe_sink_commit(lethe_sink *s);
/* Aborts: nothing remains. NULL is fine. */
void lethe_sink_abort(lethe_sink *s);
/* A commit that can be taken back, not for standard output: the target appears, and what it
 * replaces waits under the temporary name.  On failure as lethe_sink_commit.  After it one of the
 * two below, which free `s`: the old file goes, or all is as it was before (nothing, where there
 * was none).  What another process has put there is left alone, with a warning. */
LETHE_MUST_CHECK lethe_err lethe_sink_place(lethe_sink *s);
void lethe_sink_keep(lethe_sink *s);
void lethe_sink_take_back(lethe_sink *s);

/* Asks about each leftover beside the target before it is removed. */
void lethe_sink_spare(lethe_sink *s, lethe_leftover_may_fn may_remove, void *arg);

/* --- a folder --- */

/* Begins a folder that will become `path` (slashes at its end do not count).  LETHE_EUSAGE: it
 * exists and `force` is not set, or it is set and `may_replace` (called with an open descriptor of
 * the old folder) says no.  With `force` an empty folder is always replaceable, and with a NULL
 * `may_replace` no other.  What is not a folder, "/", "." and ".." are refused in any case.  What
 * `may_replace` returns is passed on, so it reports the cause itself. */
typedef lethe_err (*lethe_may_replace_fn)(lethe_diag *d, const char *path, int dirfd);
LETHE_MUST_CHECK lethe_err lethe_folder_begin(lethe_diag *d, const char *path, bool force,
                                              lethe_may_replace_fn may_replace, lethe_folder **out);
/* Tells by their names which files may be in it.  Leftovers with other files are not removed. */
typedef bool (*lethe_is_ours_fn)(const char *name);
void lethe_folder_files(lethe_folder *f, lethe_is_ours_fn is_ours);
int lethe_folder_fd(const lethe_folder *f);
const char *lethe_folder_temp(const lethe_folder *f); /* where it is being built */
/* Forces all to disk, mode 0777 less the umask, renames or exchanges (asking may_replace again),
 * removes the old: its files, not folders in it; what stays is named in a warning.  On failure the
 * target is as it was and the new folder is gone.  LETHE_EUSAGE: the target was created or changed
 * by another process.  Frees `f` in any case. */
LETHE_MUST_CHECK lethe_err lethe_folder_commit(lethe_folder *f);
/* The same in two steps.  After the first one the new folder is in place, and the old one waits
 * under a temporary name; it frees `f` on failure alone.  The second one removes the old. */
LETHE_MUST_CHECK lethe_err lethe_folder_place(lethe_folder *f);
void lethe_folder_keep(lethe_folder *f);
/* Before them, where files appear beside the folder: waits until no other run replaces the target,
 * and keeps others from it until `f` is freed.  LETHE_EUSAGE: another run does not come to its end.
 */
LETHE_MUST_CHECK lethe_err lethe_folder_hold(lethe_folder *f);
/* Hands out the folders that killed runs have left beside the target. */
void lethe_folder_leftovers(lethe_folder *f, lethe_leftover_fn fn, void *arg);
void lethe_folder_abort(lethe_folder *f); /* removes what was built; NULL is fine */

/* --- temporary files --- */

/* A file without a name, mode 0600, in `dir`: gone when closed or when the process dies.  (Where
 * the file system has no such files, its name begins with LETHE_SPILL_PREFIX for a moment.) */
#define LETHE_SPILL_PREFIX ".lethe-spill-"
LETHE_MUST_CHECK lethe_err lethe_spill_open(lethe_diag *d, const char *dir, int *fd);
/* All of it or an error (also where the file ends too early); retried after interruptions.  `name`
 * is for messages. */
LETHE_MUST_CHECK lethe_err lethe_pwrite_all(lethe_diag *d, int fd, const void *p, size_t n,
                                            uint64_t offset, const char *name);
LETHE_MUST_CHECK lethe_err lethe_pread_all(lethe_diag *d, int fd, void *p, size_t n,
                                           uint64_t offset, const char *name);

/* Digest of a whole file: BLAKE2b-256 in hex (64 characters and NUL), and its size.  LETHE_EIO: not
 * a regular file, or a link.  LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_file_digest(lethe_ctx *ctx, int dirfd, const char *name,
                                             char hex[65], uint64_t *size);
/* The same of the file that a path leads to, through links too. */
LETHE_MUST_CHECK lethe_err lethe_path_digest(lethe_ctx *ctx, const char *path, char hex[65],
                                             uint64_t *size);

/* A key file: 32 bytes.  LETHE_EIO: cannot open; LETHE_EINPUT: wrong size; LETHE_EUSAGE: others can
 * read it (a regular file with any bit of 077).  Pipes and descriptors (/dev/fd/N) are fine. */
LETHE_MUST_CHECK lethe_err lethe_key_read(lethe_diag *d, const char *path, uint8_t key[32]);

/* Makes the folders above `path` (which is changed meanwhile) that are not there; *made is for
 * lethe_parents_unmake(), which removes those of them that hold nothing.  On failure none is left.
 */
LETHE_MUST_CHECK lethe_err lethe_parents_make(lethe_diag *d, char *path, size_t *made);
void lethe_parents_unmake(char *path, size_t made);

#endif
