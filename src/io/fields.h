/* fields.h - lines into fields: TSV, CSV (RFC 4180).  The inner loops use SSE2, or AVX2 where the
 * machine has it. */
#ifndef LETHE_IO_FIELDS_H
#define LETHE_IO_FIELDS_H
#include "core/mem.h"

/* Walks the lines of a text block and splits each at `delimiter`.  No unescaping. */
typedef struct lethe_tsv {
    const char *p, *end; /* what is left */
    char delimiter;
    uint64_t mask; /* of the 64 bytes at `base`: delimiters and line ends not yet taken */
    const char *base;
} lethe_tsv;

lethe_tsv lethe_tsv_begin(lethe_str block, char delimiter);
/* The next line: its fields into f[0..max-1], their full number (may exceed max) into *n, the line
 * without its LF or CRLF into *line.  false at the end.  A NUL byte is an ordinary byte here. */
bool lethe_tsv_next(lethe_tsv *t, lethe_str *f, uint32_t max, uint32_t *n, lethe_str *line);

/* One CSV record.  Fields that need unescaping are written into `scratch` (emptied first; views stay
 * valid until the next call).  *used = physical lines the record took. */
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
LETHE_MUST_CHECK lethe_err lethe_csv_next(lethe_csv *c, lethe_buf *scratch, lethe_str *f, uint32_t max,
                                          uint32_t *n, lethe_str *record, uint32_t *used,
                                          lethe_csv_fault *fault, bool *more);

/* The most likely delimiter of a CSV or TSV text among tab , ; | by its first lines; 0: none. */
char lethe_guess_delimiter(lethe_str text);

/* Number of LF bytes. */
uint64_t lethe_count_lines(lethe_str text);

/* Writes a CSV field, quoted where it must be. */
LETHE_MUST_CHECK lethe_err lethe_csv_put(lethe_buf *b, lethe_str field, char delimiter);

#endif
