/* SPDX-License-Identifier: Apache-2.0 */
/* pii.h - detectors of personal data in queries.
 *
 * They look at one normalised text (normalize.h) and decide from it alone.  Methods use them to
 * hide what they find, checks to see that nothing is left; so lethe_pii_next() finds nothing in
 * what lethe_pii_mask() leaves. */
#ifndef LETHE_TEXT_PII_PII_H
#define LETHE_TEXT_PII_PII_H
#include "core/ctx.h"
#include "core/mem.h"

/* The kinds.  Letters and digits are those of ASCII unless stated otherwise; up to four combining
 * marks after a digit (strokes, frames, selectors) belong to it.  A hyphen is '-', U+2010 to
 * U+2015, U+2212, U+2043, U+2022, U+00B7 or U+FFFD.  Groups of digits are separated by one to three
 * signs, in any mix: hyphens, spaces, and . / , _ unless stated otherwise.  ssn, card and phone
 * stand alone: no letter or digit next to them, nor a hyphen or point that ties them to a digit. */
/* clang-format off */
/* ssn      US social-security number: 3-2-4 digits, or nine in a row.  Area 000, 666 and 900 to
 *          999, group 00 and serial 0000 were never issued and do not count.
 * card     payment card: 12 to 19 digits with prefix and length of Visa, Mastercard, American
 *          Express, Diners, Discover, JCB (all of 35), Maestro or UnionPay, and Luhn's check digit;
 *          in a row, or in groups of two digits or more.
 * phone    North America: 3-3-4, 3-7 or 10 digits, with or without a 1 before them, area and
 *          exchange from 2 on, with signs or brackets between, and an extension (x12, ext 12, #12);
 *          but not multiples of 50 alone with spaces or commas (600 750 1000).
 *          From abroad: + and 7 to 15 digits in groups, or 00 and 8 to 15 (of country 1, eleven).
 *          Elsewhere at home: 9 to 11 digits from a single 0 on, after the second group separated
 *          alike by space, point or hyphen (10 or 11 in a row), but no rising pairs to 59 (05 12 23
 *          34); or 2 to 4 digits in brackets, 8 to 11 in all.
 *          The last three contain no comma or underscore.
 * email    up to 64 bytes of letters, digits, non-ASCII, and . _ % + - ' & = ~, the first not a
 *          sign; @; labels of letters, digits, - and _, separated by points, up to where two
 *          letters or more begin a label that is not the first.  A comma is a point before a known
 *          top-level domain; where the domain ends in one, a space may stand on either side of the
 *          @.
 * ip       IPv4: four numbers to 255 that are not part of a longer row, and without a lone v before
 *          them.  IPv6: the forms of RFC 4291, with at least one digit; not up to the first point
 *          of an IPv4 address.
 * number   seven digits or more, of any script, whatever stands beside them:
 *          - in a row;
 *          - in groups of two or more separated by a hyphen or two, a point or an underscore, but
 *            not a date (2006-03-01, 01.03.2006) and not rising years alone (1861-1865);
 *          - in groups of two or more separated by a space, a slash, a comma with or without a
 *            space, or a hyphen with spaces, each group a word by itself.  These need eight digits
 *            and a group of three that is not a year (1900 to 2099), or are 3-4 (467 3395); years
 *            at their ends do not count, nor do years alone from 1500 on (1850 1860); one group
 *            must not be round: a year from 1900 on, a multiple of 50, or one of 8 up to 4096 (1280
 *            1024), not beginning with zero.  And they are not a date, not a price (groups of three
 *            after commas), and not a list: rising, and three or more with commas; or of three or
 *            four digits each, none more than 30 % greater than the first (of two: by more than
 *            10); or 3-4 where the second is a multiple of 50 and less than twice the first (883
 *            1200).
 *          A number ends where another wanted kind begins.
 * address  number, name of up to four words, kind of street, perhaps a unit (4417 maple ave, 4 n
 *          main st apt 3; 4417maple ave); 1200 us hwy 41; 12 rue de rivoli, rue de rivoli 12, via
 *          roma 5; hauptstrasse 12; po box 12, p.o.box 12, pobox12.  Words that follow a count (24
 *          hour fitness main street) or separate thoughts (near, for) rule it out; kinds of street
 *          that mean other things too (drive, court, way, hill) need two digits before and at most
 *          two words between; a number that may be a year allows one word, and none of those kinds.
 * url      scheme://host with a path (a slash is enough), with anything after ? or #, or with a
 *          user; file:// with a path; or a host followed by a slash, or by ? or # with a letter or
 *          digit somewhere after it, where the host has a known top-level domain or one of letters
 *          of which some are not ASCII (at least 4 bytes), begins with www, has three labels, or is
 *          IPv4; a user before it belongs to it.  A backslash is a slash.  Up to the next space or
 *          mask.
 * iban     international bank account number: country, length and check digits of ISO 13616, in a
 *          row or with a space or hyphen between groups.
 * id       national identifiers with a check digit or a form of their own: National Insurance number
 *          (ab 12 34 56 c); DNI and NIE of Spain (12345678z, x1234567l); codice fiscale of Italy;
 *          NIR of France (15 digits); Steuer-ID of Germany and PESEL of Poland (11 digits);
 *          personnummer of Sweden (811218-9876); with a word that says so, NHS number (nhs) and BSN
 *          of the Netherlands (bsn).
 * birth    date of birth: 3/12/1970, 12.3.70, 1970-03-12, 12 march 1970, march 12th, 1970, with
 *          born, dob, birthday or the like among the four words before it, or right behind it.
 * plate    number plates: of the United Kingdom (ab12 cde), without a word that says so only if the
 *          three letters are no word (se16 pub); of Germany (b-mw 1234), with plate, registration,
 *          kennzeichen or the like.
 * person   words that are names of persons (john smith, mrs. o'brien, j. r. tolkien), by how common
 *          they are as names and as words, and by the words around them.
 * place    towns, with a state or country behind them (salt lake city, ut), in the same way.
 *          names_internal.h describes both.  They have no form: many are missed, some are wrong. */
/* clang-format on */
typedef enum lethe_pii {
    LETHE_PII_SSN,
    LETHE_PII_CARD,
    LETHE_PII_PHONE,
    LETHE_PII_EMAIL,
    LETHE_PII_IP,
    LETHE_PII_NUMBER,
    LETHE_PII_ADDRESS,
    LETHE_PII_URL,
    LETHE_PII_IBAN,
    LETHE_PII_ID,
    LETHE_PII_BIRTH,
    LETHE_PII_PLATE,
    LETHE_PII_PERSON,
    LETHE_PII_PLACE,
    LETHE_PII_LIST, /* entries of the owner's own list */
    LETHE_N_PII
} lethe_pii;

extern const char *const lethe_pii_names[LETHE_N_PII]; /* "ssn", "card", ... */
#define LETHE_PII_ALL ((1u << LETHE_PII_PERSON) - 1)   /* all that have a form, as bits */
#define LETHE_PII_NAMES (1u << LETHE_PII_PERSON | 1u << LETHE_PII_PLACE)
#define LETHE_PII_EVERY (LETHE_PII_ALL | LETHE_PII_NAMES) /* all but LIST */

/* The owner's list: words and phrases, one per line, each matched as whole words in a row, whatever
 * separates them (both sides are normalised).  A word here is a run of letters, marks and digits:
 * "o'brien" is found in "o brien", "smith" in "john.smith's". */
typedef struct lethe_phrases lethe_phrases;
/* Empty lines and lines that begin with '#' are skipped; one without a word is rejected with file
 * and line (LETHE_EINPUT), as is a line over 64 KiB, a phrase of more than 32 words, a mask or a
 * NUL in it, invalid UTF-8, or the list has no phrase. */
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

/* The first finding from `from` on, which is 0 or the end of another finding: what is before it is
 * treated as a mask.  false: none.  Where findings overlap, the one that begins first wins, then
 * the longest, then the kind that comes first above; what it covers is not looked at again.  A mask
 * ([ssn]) is never part of a finding and separates what is on its two sides.  No allocation; linear
 * up to the finding's end and a bounded look ahead; a text of words costs little more than reading
 * it. */
bool lethe_pii_next(const lethe_detector *d, lethe_str text, size_t from, lethe_finding *out);

/* Replaces every finding by [kind], until nothing is found in what is left; *out is a view of
 * `text` where there was none, else of `buf` (emptied first).  Each replaced finding adds one to
 * found[kind].  What is outside the findings is untouched, except in texts made to need a great
 * many passes: of those only a mask is left. */
LETHE_MUST_CHECK lethe_err lethe_pii_mask(const lethe_detector *d, lethe_str text, lethe_buf *buf,
                                          lethe_str *out, uint64_t found[LETHE_N_PII]);

/* The form of a finding without its content: digits become 9, letters and everything beyond ASCII
 * x, the rest stays; past 40 characters "...".  *out is a view of `buf` (emptied first). */
LETHE_MUST_CHECK lethe_err lethe_pii_shape(lethe_str finding, lethe_buf *buf, lethe_str *out);

/* Adds the words of a text, and how many of them are English: WordNet's words, where they are not
 * rare, and function words.  Numbers and masks are no words here, single letters neither. */
void lethe_count_english(lethe_str text, uint64_t *words, uint64_t *english);

/* Length of the mask ([ssn] to [list]) that begins at the text's byte `at`; 0: there is none. */
size_t lethe_pii_mask_at(lethe_str text, size_t at);

#endif
