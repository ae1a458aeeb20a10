/* pii.h - detectors of personal data in queries.
 *
 * They look at one normalised text (normalize.h) and decide from its form.  They are used by who
 * hides what they find and by who checks that nothing is left, so they must agree with themselves:
 * what lethe_pii_mask() leaves, lethe_pii_next() finds nothing in. */
#ifndef LETHE_TEXT_PII_H
#define LETHE_TEXT_PII_H
#include "core/ctx.h"
#include "core/mem.h"

typedef enum lethe_pii {
    LETHE_PII_SSN,   /* US social-security number: 3-2-4 digits, parted alike by - or space, or
                        nine digits in a row; ranges that were never issued are none */
    LETHE_PII_CARD,  /* payment card: 12 to 19 digits, issuer's prefix and length, Luhn; in
                        groups parted by single spaces or hyphens, or in a row */
    LETHE_PII_PHONE, /* US forms with 10 digits (1 before them or not), international with + */
    LETHE_PII_EMAIL,
    LETHE_PII_IP,      /* IPv4, four numbers to 255; IPv6, :: too */
    LETHE_PII_NUMBER,  /* any other run of 7 digits or more, - . or space between groups not
                          counted as a break */
    LETHE_PII_ADDRESS, /* number, street's name, kind of street (12 elm street, 4 n main st apt 3);
                          po box 12; */
    LETHE_PII_URL,     /* host with a path or a query string, scheme or not; http and https */
    LETHE_PII_LIST,    /* what the owner's own list names */
    LETHE_N_PII
} lethe_pii;

extern const char *const lethe_pii_names[LETHE_N_PII]; /* "ssn", "card", ... */
#define LETHE_PII_ALL ((1u << LETHE_PII_LIST) - 1)     /* all but the list's, as bits */

/* The owner's list: words and phrases, one a line, each matched as whole words, case and spacing
 * aside (both sides are normalised; their words are compared, see words.h). */
typedef struct lethe_phrases lethe_phrases;
/* Empty lines and lines that begin with '#' are skipped; one without a word is rejected with file
 * and line (LETHE_EINPUT), as is a line over 64 KiB, invalid UTF-8, or a list without a phrase. */
LETHE_MUST_CHECK lethe_err lethe_phrases_read(lethe_diag *d, const char *path, lethe_phrases **out);
LETHE_MUST_CHECK lethe_err lethe_phrases_memory(lethe_diag *d, lethe_str bytes,
                                                lethe_phrases **out);
void lethe_phrases_free(lethe_phrases *p);          /* NULL is fine */
size_t lethe_phrases_count(const lethe_phrases *p); /* distinct phrases */

typedef struct lethe_detector {
    unsigned kinds;               /* bits 1u << LETHE_PII_...; LIST's is taken from `phrases` */
    const lethe_phrases *phrases; /* NULL: no list */
} lethe_detector;

typedef struct lethe_finding {
    size_t at, n; /* bytes of the text */
    lethe_pii kind;
} lethe_finding;

/* The first finding that begins at `from` or after it; false: none.  Where several begin before
 * one of them ends, the one that begins first wins, then the longest, then the kind that comes
 * first above; what it covers is not looked at again.  A mask ([ssn]) is never part of a finding
 * and parts what stands on its two sides.  No allocation; linear in the text but for a bounded look
 * ahead (a text of 1 MiB of digits must not take quadratic time). */
bool lethe_pii_next(const lethe_detector *d, lethe_str text, size_t from, lethe_finding *out);

/* Every finding replaced by [kind], until nothing is found in what is left; a view of `text` where
 * there was none, else in `buf` (emptied first).  found[kind] is raised by each replaced one. */
LETHE_MUST_CHECK lethe_err lethe_pii_mask(const lethe_detector *d, lethe_str text, lethe_buf *buf,
                                          lethe_str *out, uint64_t found[LETHE_N_PII]);

/* The form of a finding with nothing of its content: letters become x, digits 9, the rest stays;
 * past 40 characters "...".  Into `buf` (emptied first), a view of which *out is. */
LETHE_MUST_CHECK lethe_err lethe_pii_shape(lethe_str finding, lethe_buf *buf, lethe_str *out);

/* Length of the mask ([ssn] to [list]) that begins at the text's byte `at`; 0: there is none. */
size_t lethe_pii_mask_at(lethe_str text, size_t at);

#endif
