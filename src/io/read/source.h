/* SPDX-License-Identifier: Apache-2.0 */
/* source.h - bytes from a file or standard input, decompressed, in order; or the text of a stream
 * (io/arrow/streams.h), as it is.
 * Compression is recognised by the first bytes, never by the name: gzip (several members too),
 * zstd (several frames), and xz and bzip2 where they were built in. */
#ifndef LETHE_IO_READ_SOURCE_H
#define LETHE_IO_READ_SOURCE_H
#include "core/ctx.h"
#include "io/read/stored.h"

typedef struct lethe_source lethe_source;

/* `path` "-" is standard input, and the name of a stream or of bytes in memory is that while such
 * are set in `d`.  LETHE_EIO: cannot open, a directory.  Never follows what is not a readable file,
 * pipe or device.  Its first read is LETHE_EINPUT where it is no text but, say, a Parquet file
 * (foreign.h). */
LETHE_MUST_CHECK lethe_err lethe_source_open(lethe_diag *d, const char *path, lethe_source **out);
/* From memory, for tests and fuzzing; the bytes are borrowed. */
LETHE_MUST_CHECK lethe_err lethe_source_memory(lethe_diag *d, lethe_str bytes, lethe_source **out);
/* From an open descriptor, which is borrowed; a regular file is read by pread, from its beginning
 * wherever it stands. */
LETHE_MUST_CHECK lethe_err lethe_source_fd(lethe_diag *d, int fd, const char *name,
                                           lethe_source **out);
/* From the data of a release, which is borrowed: from its beginning. */
LETHE_MUST_CHECK lethe_err lethe_source_stored(lethe_diag *d, lethe_stored *stored,
                                               lethe_source **out);
void lethe_source_close(lethe_source *s);

/* From now on a read that waits for a pipe or a terminal ends with LETHE_ECANCEL when `ctx` is
 * cancelled. */
void lethe_source_watch(lethe_source *s, const lethe_ctx *ctx);

/* Before the first read: the bytes are text in `encoding` (encoding.h; NULL: guessed) and come out
 * as UTF-8.  With `quiet` no note says what was guessed.  LETHE_EUSAGE: no such encoding. */
LETHE_MUST_CHECK lethe_err lethe_source_text(lethe_source *s, const char *encoding, bool quiet);
/* Opens a file and does that; where it fails nothing is open. */
LETHE_MUST_CHECK lethe_err lethe_source_open_text(lethe_diag *d, const char *path,
                                                  const char *encoding, bool quiet,
                                                  lethe_source **out);
/* How many bytes were not of that encoding; and says so, and in how many lines (`n_lines`) the
 * reader found bytes that are not UTF-8, where there are any; of sources of text alone. */
uint64_t lethe_source_invalid(const lethe_source *s);
void lethe_source_say_invalid(const lethe_source *s, uint64_t n_lines);

/* Up to `cap` > 0 decompressed bytes; *n = 0 at the end and only there.  LETHE_EINPUT for a damaged
 * or truncated compressed file (message with the file's name), LETHE_EIO if reading fails; later
 * calls give the same again, without a message.  Zeros after the last member are ignored, anything
 * else is not. */
LETHE_MUST_CHECK lethe_err lethe_source_read(lethe_source *s, void *buf, size_t cap, size_t *n);

/* --- what is known of an input before it is opened --- */

/* What its text is like: TEXT is for its reader to find out; a stream is CSV with commas, whose
 * first line is a header whatever is in it, or SETS of items. LETHE_EINPUT, LETHE_EIO: a stream's
 * producer failed, or its types cannot be read. */
typedef enum lethe_source_form {
    LETHE_SOURCE_TEXT,
    LETHE_SOURCE_CSV,
    LETHE_SOURCE_SETS
} lethe_source_form;
LETHE_MUST_CHECK lethe_err lethe_source_form_of(lethe_diag *d, const char *path,
                                                lethe_source_form *out);
/* Is it looked for in the file system? */
bool lethe_source_is_path(lethe_diag *d, const char *path);
/* Can it be opened again, and read from its beginning?  A regular file can, and so can what is in
 * memory. */
bool lethe_source_rereads(lethe_diag *d, const char *path);
/* Can it be read only once, such as a pipe?  What is not there is neither. */
bool lethe_source_is_once(lethe_diag *d, const char *path);

/* What messages call line `line` of it: of a stream the row. */
uint64_t lethe_source_line(lethe_diag *d, const char *path, uint64_t line);

/* Of several inputs: their stored bytes together, or 0 where one of them has no size. LETHE_EUSAGE:
 * standard input is among them more than once. */
LETHE_MUST_CHECK lethe_err lethe_sources_size(lethe_diag *d, const char *const *paths, size_t n,
                                              uint64_t *bytes);

const char *lethe_source_name(const lethe_source *s); /* "standard input" for "-" */
uint64_t lethe_source_size(const lethe_source *s);    /* of the file as stored; 0: not known */
uint64_t lethe_source_taken(
    const lethe_source *s); /* stored bytes used so far, for progress; from any thread */

#endif
