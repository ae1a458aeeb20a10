/* SPDX-License-Identifier: Apache-2.0 */
/* tar.h - the files of a tar archive, one after the other: plain files in one folder, and nothing
 * that could reach outside of it. */
#ifndef LETHE_IO_READ_TAR_H
#define LETHE_IO_READ_TAR_H
#include "io/read/source.h"

enum { LETHE_TAR_NAME = 101 };

typedef struct lethe_tar {
    lethe_diag *diag;
    lethe_source *source; /* borrowed */
    uint64_t left, pad;   /* of the file at hand: bytes, and those that fill up its last block */
    bool any;             /* a file has been seen */
    char top[LETHE_TAR_NAME]; /* the folder that all are in; empty: none */
} lethe_tar;

/* The next file.  Folders are passed over, and a folder that all files are in is left out of their
 * names, which have no slash.  *more = false at the end.  LETHE_EINPUT, with a message: not a tar
 * archive, cut off, damaged, or with what a release does not have (links, devices, names outside of
 * one folder, long names, bytes behind its end). */
LETHE_MUST_CHECK lethe_err lethe_tar_next(lethe_tar *t, char name[LETHE_TAR_NAME], bool *more);
/* Up to `cap` bytes of the file at hand; *n = 0 at its end. */
LETHE_MUST_CHECK lethe_err lethe_tar_read(lethe_tar *t, void *buf, size_t cap, size_t *n);

#endif
