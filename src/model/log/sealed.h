/* SPDX-License-Identifier: Apache-2.0 */
/* sealed.h - the sealed log: lines in which every query is locked into a box, beside one share of
 * the box's key.  The form of the lines, and a reader that walks them.  How boxes are locked and
 * opened is algo/seal/boxes.h's; a checker needs no more than what is here.
 *
 *   #lethe-sealed 1 t=3 n=10 scheme=shamir
 *   AnonID  QueryID  Share  Box  QueryTime [ItemRank  ClickURL]         (separated by tabs)
 *
 * QueryID: 32 hex digits.  Share: index 1..n, ':', 64 hex digits.  Box: base64 (RFC 4648, section
 * 4, padded) of 16, 32, 64, .. 2^20 bytes and a tag of 16.  Hex is lower case. */
#ifndef LETHE_MODEL_LOG_SEALED_H
#define LETHE_MODEL_LOG_SEALED_H
#include "core/ctx.h"
#include "io/read/source.h"
#include "model/log/rejects.h"
#include "model/log/time.h"

typedef enum lethe_scheme { LETHE_SCHEME_SHAMIR, LETHE_SCHEME_ADDITIVE } lethe_scheme;
extern const char *const lethe_scheme_names[2]; /* "shamir", "additive" */

/* What the first line says, and whether the second one has the two columns of a click. */
typedef struct lethe_sealed_form {
    uint32_t t, n; /* 2 <= t <= n <= 255; additive: n = t.  t = 0: not known yet */
    lethe_scheme scheme;
    bool clicks;
} lethe_sealed_form;
/* NULL, or why there is no such form (static). */
const char *lethe_sealed_form_fault(const lethe_sealed_form *form);

enum {
    LETHE_SEALED_ID_BYTES = 16,
    LETHE_SEALED_ID_CHARS = 32,
    LETHE_SEALED_SHARE_BYTES = 32,
    LETHE_SEALED_SHARE_MAX = 4 + 64, /* "255:" and hex */
    LETHE_SEALED_TAG = 16,
    LETHE_SEALED_PADDED_LEAST = 16,
    LETHE_SEALED_PADDED_MOST = 1 << 20, /* room for every query that a log's line can hold */
    LETHE_SEALED_HEAD_MAX = 160,
    LETHE_SEALED_LINE_MAX = 3 << 20, /* a box, and all else that a log's line can hold */
};

/* The first two lines, each with its LF; returns the length. */
size_t lethe_sealed_head(const lethe_sealed_form *form, char out[LETHE_SEALED_HEAD_MAX]);
/* The form from the two lines, without LF: NULL and *out, or a cause (static), and in *line which
 * of the two (1 or 2) is at fault. */
const char *lethe_sealed_head_parse(lethe_str first, lethe_str second, lethe_sealed_form *out,
                                    uint32_t *line);

/* Bytes a query of n bytes is padded to: the least of 16, 32, 64, .. that is over n, so that the
 * byte 0x80 after it fits.  0: none up to LETHE_SEALED_PADDED_MOST. */
size_t lethe_sealed_padded(size_t n);
/* Characters of base64 for n bytes, padded. */
static inline size_t lethe_base64_chars(size_t n) { return (n + 2) / 3 * 4; }

/* --- one line --- */

/* Views of the line, as they are written. */
typedef struct lethe_sealed_row {
    uint64_t line; /* in its file, from 1; 0 from lethe_sealed_parse */
    lethe_str user, id, share_hex, box, time_text, rank_text, url;
    uint32_t index;   /* of the share, 1..n */
    size_t box_bytes; /* of the box, decoded: 32, 48, 80, .. */
    int64_t time;     /* LETHE_NO_TIME: none */
} lethe_sealed_row;

/* A line without its LF.  NULL, or a cause (static) and its column (from 1; 0: the whole line). */
const char *lethe_sealed_parse(const lethe_sealed_form *form, lethe_str line, lethe_sealed_row *row,
                               uint32_t *column);
/* Decoded, of a row that has parsed. */
void lethe_sealed_id(const lethe_sealed_row *row, uint8_t out[LETHE_SEALED_ID_BYTES]);
void lethe_sealed_share(const lethe_sealed_row *row, uint8_t out[LETHE_SEALED_SHARE_BYTES]);
void lethe_sealed_box(const lethe_sealed_row *row, uint8_t *out); /* row->box_bytes */

/* --- a file --- */

typedef struct lethe_sealed_counts {
    uint64_t lines;    /* without the first two */
    uint64_t rows;     /* handed on */
    uint64_t rejected; /* did not parse */
    uint64_t bytes;    /* decompressed */
} lethe_sealed_counts;

typedef struct lethe_sealed_walk {
    bool strict; /* the first line that does not parse (the lowest) is an error */
    bool sorted; /* lines must stand in order of their bytes, as those of a release do */
    /* On worker w; rows of one block come in order, blocks go to any worker. */
    lethe_err (*row)(void *arg, unsigned w, const lethe_sealed_row *row);
    void *arg;
} lethe_sealed_walk;

/* Walks a file in parallel; takes the source over, on failure too.  A form with t > 0 is what the
 * file must have (but for `clicks`); *form is then the file's.  Lines that do not parse are added
 * to `rejects`, and reported by the caller (which may find more faults in the file); with `strict`
 * the lowest is reported here, as LETHE_EINPUT.  So are: an empty file, one that is not a sealed
 * log or is one of another form, one without a row or with more than a tenth of its lines rejected.
 * A line must end with LF alone: a file that was cut short shows it.  *counts is added to.  Where
 * `row` fails, the failure in the lowest block is returned. */
LETHE_MUST_CHECK lethe_err lethe_sealed_read(lethe_ctx *ctx, lethe_source *source,
                                             const lethe_sealed_walk *how, lethe_sealed_form *form,
                                             lethe_rejects *rejects, lethe_sealed_counts *counts);
/* A published one: `name` in folder `dirfd`, links not followed, walked as above, strict and
 * sorted, whatever `how` says.  LETHE_EINPUT too: it is no regular file, or its bytes as stored do
 * not begin as a sealed log does (it is compressed, or has a byte order mark).  *form may be set
 * where it fails. */
LETHE_MUST_CHECK lethe_err lethe_sealed_published(lethe_ctx *ctx, int dirfd, const char *name,
                                                  const lethe_sealed_walk *how,
                                                  lethe_sealed_form *form,
                                                  lethe_sealed_counts *counts);

#endif
