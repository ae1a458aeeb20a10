/* SPDX-License-Identifier: Apache-2.0 */
/* CSV after RFC 4180.  Where we depart: a line may end in LF as well as CRLF, the delimiter may be
 * another byte, and a quote inside a field that does not begin with one stands for itself. */
#include "io/read/fields.h"
#include "io/read/scan.h"

/* --- where a record ends --- */

/* Outside quotes a quote opens only after a delimiter or at the start of the record: bytes other
 * than quotes and LFs need no look but for the one before a quote.  A quote inside quotes closes;
 * if the next byte is a quote too, the pair was an escape, and we are inside again. */
size_t lethe_csv_scan(lethe_csv_state *st, char delimiter, const char *p, size_t n)
{
    if (n == 0) return 0;
    bool quoted = st->quoted;
    size_t twin = st->closed ? 0 : SIZE_MAX; // where a quote would be the second of a pair
    for (size_t o = 0; o < n; o += LETHE_WINDOW) {
        uint64_t mask = n - o >= LETHE_WINDOW ? lethe_scan(p + o, '"', '\n')
                                              : lethe_scan_tail(p + o, n - o, '"', '\n');
        for (; mask; mask &= mask - 1) {
            size_t i = o + (size_t)__builtin_ctzll(mask);
            if (p[i] == '\n') {
                if (quoted) continue;
                *st = (lethe_csv_state){0};
                return i;
            }
            if (quoted) {
                quoted = false;
                twin = i + 1;
            } else {
                quoted = i == twin || (i == 0 ? !st->midway : p[i - 1] == delimiter);
            }
        }
    }
    *st = (lethe_csv_state){.quoted = quoted, .closed = twin == n, .midway = p[n - 1] != delimiter};
    return n;
}

/* --- one record --- */

lethe_csv lethe_csv_begin(lethe_str block, char delimiter)
{
    if (block.n == 0) return (lethe_csv){.delimiter = delimiter};
    return (lethe_csv){block.at, block.at + block.n, delimiter};
}

/* The text between the quotes of a field, its pairs of quotes made single.  `room` holds it. */
static lethe_str unescape(const char *p, const char *stop, lethe_buf *room)
{
    char *to = (char *)room->at + room->n;
    lethe_str out = {to, 0};
    while (p < stop) {
        const char *quote = memchr(p, '"', (size_t)(stop - p));
        size_t n = quote ? (size_t)(quote + 1 - p) : (size_t)(stop - p);
        memcpy(to, p, n);
        to += n;
        p += n + (quote != NULL);
    }
    out.n = (size_t)(to - out.at);
    room->n += out.n;
    return out;
}

/* The quote that closes the field whose text begins at p, NULL if there is none before `stop`. */
static const char *closing_quote(const char *p, const char *stop, bool *escapes)
{
    *escapes = false;
    for (;;) {
        const char *quote = p < stop ? memchr(p, '"', (size_t)(stop - p)) : NULL;
        if (!quote || quote + 1 == stop || quote[1] != '"') return quote;
        *escapes = true;
        p = quote + 2;
    }
}

/* Splits the record p..stop.  `scratch` has room for all of it where that may be needed. */
static lethe_err split(const char *p, const char *stop, char delimiter, lethe_buf *scratch,
                       lethe_str *f, uint32_t max, uint32_t *n, lethe_csv_fault *fault)
{
    const size_t whole = (size_t)(stop - p);
    *fault = LETHE_CSV_OK;
    for (*n = 0;; p++) {
        lethe_str field = {p, 0};
        if (p < stop && *p == '"') {
            bool escapes;
            const char *quote = closing_quote(p + 1, stop, &escapes);
            if (!quote)
                *fault = LETHE_CSV_OPEN_QUOTE;
            else if (quote + 1 < stop && quote[1] != delimiter)
                *fault = LETHE_CSV_AFTER_QUOTE;
            if (*fault != LETHE_CSV_OK) return LETHE_OK;
            field = (lethe_str){p + 1, (size_t)(quote - p - 1)};
            if (escapes && *n < max) {
                // Once for the whole record, so that earlier views stay where they are.
                if (scratch->n == 0) LETHE_TRY(lethe_buf_reserve(scratch, whole));
                field = unescape(p + 1, quote, scratch);
            }
            p = quote + 1;
        } else {
            const char *at = p < stop ? memchr(p, delimiter, (size_t)(stop - p)) : NULL;
            p = at ? at : stop;
            field.n = (size_t)(p - field.at);
        }
        if (*n < max) f[*n] = field;
        ++*n;
        if (p == stop) return LETHE_OK;
    }
}

/* Physical lines in n > 0 bytes: one without an LF at the end of the text counts too. */
static uint32_t lines_in(const char *p, size_t n)
{
    if (!memchr(p, '"', n)) return 1;
    return (uint32_t)lethe_count_lines((lethe_str){p, n}) + (p[n - 1] != '\n');
}

lethe_err lethe_csv_next(lethe_csv *c, lethe_buf *scratch, lethe_str *f, uint32_t max, uint32_t *n,
                         lethe_str *record, uint32_t *used, lethe_csv_fault *fault, bool *more)
{
    *more = false;
    scratch->n = 0;
    if (c->p == c->end) return LETHE_OK;
    lethe_csv_state st = {0};
    size_t left = (size_t)(c->end - c->p), at = lethe_csv_scan(&st, c->delimiter, c->p, left);
    size_t taken = at + (at < left), text = at;
    if (at < left && at > 0 && c->p[at - 1] == '\r') text--;
    LETHE_TRY(split(c->p, c->p + text, c->delimiter, scratch, f, max, n, fault));
    *record = (lethe_str){c->p, text};
    *used = lines_in(c->p, taken);
    c->p += taken;
    *more = true;
    return LETHE_OK;
}

/* --- writing --- */

static bool needs_quotes(lethe_str s, char delimiter)
{
    const char marks[] = {delimiter, '"', '\n', '\r'};
    for (size_t i = 0; s.n > 0 && i < sizeof marks; i++)
        if (memchr(s.at, marks[i], s.n)) return true;
    return false;
}

lethe_err lethe_csv_put(lethe_buf *b, lethe_str field, char delimiter)
{
    if (!needs_quotes(field, delimiter)) return lethe_buf_str(b, field);
    if (field.n > (PTRDIFF_MAX - 2) / 2) return LETHE_ENOMEM;
    LETHE_TRY(lethe_buf_reserve(b, 2 * field.n + 2));
    uint8_t *to = b->at + b->n;
    *to++ = '"';
    for (size_t i = 0; i < field.n; i++) {
        if (field.at[i] == '"') *to++ = '"';
        *to++ = (uint8_t)field.at[i];
    }
    *to++ = '"';
    b->n = (size_t)(to - b->at);
    return LETHE_OK;
}

/* --- guessing --- */

enum { GUESS_LINES = 20 };

/* Of the first records with a byte in them, how many have the commonest number (over 0) of
 * delimiters?  *lines = all that were looked at. */
static uint32_t consistency(lethe_str text, char delimiter, uint32_t *lines)
{
    lethe_csv c = lethe_csv_begin(text, delimiter);
    lethe_buf none = {0}; // no field is asked for, so none is unescaped
    uint32_t counts[GUESS_LINES], n, used, most = 0;
    lethe_str record;
    lethe_csv_fault fault;
    bool more = true;
    *lines = 0;
    while (*lines < GUESS_LINES) {
        if (lethe_csv_next(&c, &none, NULL, 0, &n, &record, &used, &fault, &more) != LETHE_OK)
            break;
        if (!more || (c.p == c.end && c.end[-1] != '\n' && *lines > 0)) break;
        if (record.n > 0) counts[(*lines)++] = n > 0 ? n - 1 : 0;
    }
    for (uint32_t i = 0; i < *lines; i++) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < *lines; j++)
            same += counts[i] > 0 && counts[j] == counts[i];
        most = LETHE_MAX(most, same);
    }
    return most;
}

char lethe_guess_delimiter(lethe_str text)
{
    static const char candidates[] = {'\t', ',', ';', '|'};
    uint32_t best = 0, best_lines = 1;
    char guess = 0;
    for (size_t i = 0; i < sizeof candidates; i++) {
        uint32_t lines, same = consistency(text, candidates[i], &lines);
        if (same * best_lines > best * lines) { // the larger share
            best = same;
            best_lines = lines;
            guess = candidates[i];
        }
    }
    return guess;
}
