/* SPDX-License-Identifier: Apache-2.0 */
/* fields.h - lines into fields: TSV, CSV (RFC 4180).  The inner loops use SSE2, or AVX2 where the
 * machine has it. */
#ifndef LETHE_IO_READ_FIELDS_H
#define LETHE_IO_READ_FIELDS_H
#include "core/mem.h"

/* How the inner loops compare bytes.  All levels give the same answers, which tests check. */
typedef enum lethe_simd { LETHE_SIMD_NONE, LETHE_SIMD_SSE2, LETHE_SIMD_AVX2 } lethe_simd;
lethe_simd lethe_simd_best(void); /* of this build, on this machine */

/* --- TSV --- */

/* Walks the lines of a text block and splits each at `delimiter`, which is neither LF nor CR.  No
 * unescaping.  A stretch of the block is looked at as a whole, which marks every delimiter and line
 * end in it; the lines are then read off the marks. */
enum { LETHE_TSV_STRETCH = 2048 };
typedef struct lethe_tsv lethe_tsv;
struct lethe_tsv {
    const char *p, *end;        /* what is left */
    const char *base;           /* of the stretch that the marks are about */
    const char *upto;           /* its end */
    bool (*mark)(lethe_tsv *t); /* takes the next stretch with marks; false: there is none */
    uint32_t i, n;              /* at[i..n-1] are not yet taken */
    char delimiter;
    uint16_t at[LETHE_TSV_STRETCH]; /* the marks, from `base` */
};

lethe_tsv lethe_tsv_begin(lethe_str block, char delimiter);
/* The same at a given level, or at the best there is if that is lower. */
lethe_tsv lethe_tsv_begin_with(lethe_str block, char delimiter, lethe_simd level);

/* The next line: its fields into f[0..max-1], their full number (may exceed max) into *n, the line
 * without its LF or CRLF into *line.  false at the end.  A NUL byte is an ordinary byte here, and
 * so is a CR that no LF follows.  An empty line has one empty field. */
static inline bool lethe_tsv_next(lethe_tsv *t, lethe_str *f, uint32_t max, uint32_t *n,
                                  lethe_str *line)
{
    const char *const first = t->p, *from = first, *base = t->base, *at;
    const uint16_t *mark = t->at + t->i, *last = t->at + t->n;
    uint32_t count = 0;
    if (first == t->end) return false;
    for (;; from = at + 1) {
        if (mark == last) {
            if (!t->mark(t)) {
                at = t->p = t->end;
                break;
            }
            mark = t->at;
            last = t->at + t->n;
            base = t->base;
        }
        at = base + *mark++;
        if (*at == '\n') {
            t->p = at + 1;
            t->i = (uint32_t)(mark - t->at);
            // The CR before it, without a branch: whether the last field is empty is hard to
            // foretell.
            at -= at[-(ptrdiff_t)(at > from)] == '\r';
            break;
        }
        if (count < max) f[count] = (lethe_str){from, (size_t)(at - from)};
        count++;
    }
    if (count < max) f[count] = (lethe_str){from, (size_t)(at - from)};
    *n = count + 1;
    *line = (lethe_str){first, (size_t)(at - first)};
    return true;
}

/* --- CSV --- */

/* One CSV record.  Fields that need unescaping are written into `scratch` (emptied first; views
 * stay valid until the next call).  *used = physical lines the record took.  The record is handed
 * out without its LF or CRLF.  With a fault, *n counts the fields before the faulty one, and the
 * next call goes on after the record.  LETHE_ENOMEM: `c` has not moved. */
typedef struct lethe_csv {
    const char *p, *end;
    char delimiter;
} lethe_csv;
typedef enum lethe_csv_fault {
    LETHE_CSV_OK,
    LETHE_CSV_OPEN_QUOTE, /* the text ends inside quotes */
    LETHE_CSV_AFTER_QUOTE /* something other than a delimiter follows a closing quote */
} lethe_csv_fault;
lethe_csv lethe_csv_begin(lethe_str block, char delimiter);
LETHE_MUST_CHECK lethe_err lethe_csv_next(lethe_csv *c, lethe_buf *scratch, lethe_str *f,
                                          uint32_t max, uint32_t *n, lethe_str *record,
                                          uint32_t *used, lethe_csv_fault *fault, bool *more);

/* Where a record ends, for text that comes in pieces: the one place that decides it.  Zeroed at the
 * start of a record. */
typedef struct lethe_csv_state {
    bool quoted; /* inside quotes */
    bool closed; /* the byte before was a quote that closed (or is the first of two) */
    bool midway; /* the byte before was neither a delimiter nor the start of the record */
} lethe_csv_state;
/* Index of the LF that ends the record, and `st` zeroed; n if there is none, and `st` ready for the
 * next piece. */
size_t lethe_csv_scan(lethe_csv_state *st, char delimiter, const char *p, size_t n);

/* Writes a CSV field, quoted where it must be. */
LETHE_MUST_CHECK lethe_err lethe_csv_put(lethe_buf *b, lethe_str field, char delimiter);

/* --- both --- */

/* The most likely delimiter of a CSV or TSV text among tab , ; | by its first lines; 0: none.  It
 * is the one with the same number (over 0) outside quotes in the largest share of the first 20
 * lines that are not empty; of equals the first in that order.  An unfinished last line counts only
 * if it is the only one. */
char lethe_guess_delimiter(lethe_str text);

/* Number of LF bytes. */
uint64_t lethe_count_lines(lethe_str text);
uint64_t lethe_count_lines_with(lethe_str text, lethe_simd level);

#endif
