/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - numbers and texts for a person at a terminal. */
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

bool wants_json(const arguments *a) { return common(a, "json")->given; }
bool wants_all(const arguments *a) { return common(a, "explain")->given; }

static bool lost; /* output that a command could not print */

bool output_lost(void) { return lost || ferror(stdout); }

/* A copy of the descriptor is closed: some file systems tell of lost bytes only then. */
static bool stdout_takes_all(void)
{
    int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    return copy >= 0 && (close(copy) == 0 || errno == EINTR);
}

lethe_err print_report(const char *json)
{
    bool ok = puts(json) != EOF && fflush(stdout) == 0 && stdout_takes_all();
    if (!ok) lost = true;
    return ok ? LETHE_OK : LETHE_EIO;
}

lethe_err print_report_first(const char *json)
{
    lethe_err e = print_report(json);
    if (e == LETHE_EIO && errno == EPIPE)
        fputs("lethe: standard output was closed: nothing was made\n", stderr);
    return e;
}

const char *grouped(char out[32], int64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRId64, n), at = 0;
    for (int i = 0; i < len; i++) {
        if (i > (digits[0] == '-') && (len - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

void print_percent(FILE *f, double share) { fprintf(f, "%5.1f %%", 100 * share); }

/* A number as people read it: no powers of ten where all digits fit, and words where nobody would
 * count them. */
static const char *shown_real(char out[32], double value)
{
    enum { GROUPED_FROM = 10000 };
    double size = value < 0 ? -value : value;
    if (size >= 1e300)
        snprintf(out, 32, "%s10^300", value < 0 ? "less than -" : "more than ");
    else if (size >= 1e15)
        snprintf(out, 32, "about %s10^%d", value < 0 ? "-" : "", (int)floor(log10(size)));
    else if (size >= GROUPED_FROM)
        return grouped(out, (int64_t)llround(value));
    else
        snprintf(out, 32, "%.4g", value);
    return out;
}

void print_real(FILE *f, double value, const char *unit)
{
    char shown[32];
    fprintf(f, "%s%s%s", shown_real(shown, *unit == '%' ? 100 * value : value), *unit ? " " : "",
            unit);
}

/* Characters that move what stands around them: line separators, and those that turn the direction
 * of writing, U+2028 to U+202E and U+2066 to U+2069. */
static bool is_mover(const unsigned char *p)
{
    return p[0] == 0xE2 && ((p[1] == 0x80 && p[2] >= 0xA8 && p[2] <= 0xAE) ||
                            (p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9));
}

/* Length of the harmless character at p (n >= 1 bytes left): printable ASCII, or well-formed UTF-8
 * that is no C1 control and moves nothing.  0: the byte at p is to be escaped. */
static size_t harmless(const unsigned char *p, size_t n)
{
    if (p[0] < 0x80) return p[0] >= 0x20 && p[0] != 0x7F;
    size_t len = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
    if (p[0] < 0xC2 || p[0] > 0xF4 || len > n) return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if (p[0] == 0xC2 && p[1] < 0xA0) return 0;                                    // C1
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xF0 && p[1] < 0x90)) return 0; // overlong
    if ((p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF4 && p[1] > 0x8F)) return 0; // no such
    return len == 3 && is_mover(p) ? 0 : len;
}

/* What stands for the character at p, in out; *taken: its bytes. */
static size_t shown_as(const char *p, size_t n, size_t *taken, char out[5])
{
    size_t len = harmless((const unsigned char *)p, n);
    *taken = len ? len : 1;
    if (!len) return (size_t)snprintf(out, 5, "\\x%02x", (unsigned char)p[0]);
    memcpy(out, p, len);
    return len;
}

/* Where to cut at `max` bytes: not in the middle of a character. */
static size_t cut(lethe_str s, size_t max)
{
    size_t n = s.n < max ? s.n : max;
    for (size_t back = 0; back < 3 && n > 0 && n < s.n && ((unsigned char)s.at[n] & 0xC0) == 0x80;
         back++)
        n--;
    return n;
}

void print_safe(FILE *f, lethe_str s, size_t max)
{
    char piece[5];
    size_t n = cut(s, max);
    for (size_t i = 0, taken; i < n; i += taken) {
        size_t len = shown_as(s.at + i, n - i, &taken, piece);
        fwrite(piece, 1, len, f);
    }
    if (n < s.n) fputs("...", f);
}

const char *safe(char out[SAFE_BYTES], lethe_str s)
{
    char *to = out;
    char piece[5];
    size_t n = cut(s, SAFE_MAX);
    for (size_t i = 0, taken; i < n; i += taken) {
        size_t len = shown_as(s.at + i, n - i, &taken, piece);
        memcpy(to, piece, len);
        to += len;
    }
    snprintf(to, sizeof "...", "%s", n < s.n ? "..." : "");
    return out;
}

static bool is_plain(lethe_str s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:=,+@%-";
    for (size_t i = 0; i < s.n; i++)
        if (!memchr(plain, s.at[i], sizeof plain - 1)) return false;
    return s.n > 0;
}

void print_shell_word(FILE *f, lethe_str s)
{
    if (is_plain(s)) {
        print_safe(f, s, SAFE_MAX);
        return;
    }
    fputc('\'', f);
    for (size_t i = 0; i < s.n; i++) {
        size_t n = 0;
        while (i + n < s.n && s.at[i + n] != '\'')
            n++;
        print_safe(f, (lethe_str){s.at + i, n}, SAFE_MAX);
        i += n;
        if (i < s.n) fputs("'\\''", f);
    }
    fputc('\'', f);
}

double figure(const lethe_json *object, const char *name)
{
    return lethe_json_real(lethe_json_get(object, name));
}
int64_t count(const lethe_json *object, const char *name)
{
    return lethe_json_int(lethe_json_get(object, name));
}

void print_folded(FILE *f, lethe_str s, const char *first, const char *indent)
{
    enum { WIDTH = 96 };
    const char *last_line = strrchr(first, '\n');
    size_t column = strlen(last_line ? last_line + 1 : first);
    bool line_is_new = true;
    fputs(first, f);
    for (size_t i = 0; i < s.n;) {
        const char *space = memchr(s.at + i, ' ', s.n - i);
        size_t word = space ? (size_t)(space - s.at) - i : s.n - i;
        if (!line_is_new && column + 1 + word > WIDTH) {
            fprintf(f, "\n%s", indent);
            column = strlen(indent);
            line_is_new = true;
        }
        if (!line_is_new) fputc(' ', f);
        print_safe(f, (lethe_str){s.at + i, word}, word);
        column += word + !line_is_new;
        line_is_new = false;
        i += word + 1;
    }
    fputc('\n', f);
}

void print_caveats(FILE *f, const lethe_json *report, size_t most)
{
    const lethe_json *caveats = lethe_json_get(report, "caveats");
    size_t n = lethe_json_count(caveats);
    if (n > 0) fputs("What it does not protect against\n", f);
    for (size_t i = 0; i < n && i < most; i++)
        print_folded(f, lethe_json_text(lethe_json_at(caveats, i)), "  - ", "    ");
}
