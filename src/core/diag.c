/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: formatting, one at a time from any thread, and the texts of errors and exit statuses.
 */
#include "core/diag.h"
#include "core/mem.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

struct lethe_diag {
    pthread_mutex_t lock; /* held while fn runs: one message at a time */
    lethe_message_fn fn;
    void *ctx;
    lethe_diag_inputs inputs;
};

/* Room for a path of PATH_MAX and what is said about it. */
enum { TEXT_BYTES = 6 << 10 };

static const struct {
    int exit_status;
    const char *name;
} results[] = {
    [LETHE_OK] = {0, "ok"},
    [LETHE_ANSWER_NO] = {1, "no"},
    [LETHE_EUSAGE] = {2, "bad usage"},
    [LETHE_EINPUT] = {3, "bad input"},
    [LETHE_EIO] = {4, "system failure"},
    [LETHE_ENOMEM] = {4, "out of memory"},
    [LETHE_ECANCEL] = {4, "cancelled"},
    [LETHE_EINTERNAL] = {5, "internal error"},
};

int lethe_exit_status(lethe_err e)
{
    return (size_t)e < LETHE_COUNT(results) ? results[e].exit_status : 5;
}

const char *lethe_err_name(lethe_err e)
{
    return (size_t)e < LETHE_COUNT(results) ? results[e].name : "unknown";
}

const char *lethe_version(void) { return LETHE_VERSION; }

lethe_diag *lethe_diag_new(lethe_message_fn fn, void *ctx)
{
    lethe_diag *d = lethe_alloc(1, sizeof *d);
    if (!d) return NULL;
    *d = (lethe_diag){.fn = fn, .ctx = ctx};
    if (pthread_mutex_init(&d->lock, NULL) != 0) {
        lethe_free(d);
        return NULL;
    }
    return d;
}

void lethe_diag_free(lethe_diag *d)
{
    if (!d) return;
    pthread_mutex_destroy(&d->lock);
    lethe_free(d);
}

lethe_listener lethe_diag_divert(lethe_diag *d, lethe_listener to)
{
    pthread_mutex_lock(&d->lock);
    lethe_listener before = {d->fn, d->ctx};
    d->fn = to.fn;
    d->ctx = to.ctx;
    pthread_mutex_unlock(&d->lock);
    return before;
}

void lethe_diag_set_inputs(lethe_diag *d, lethe_diag_inputs inputs) { d->inputs = inputs; }

lethe_diag_inputs lethe_diag_inputs_of(const lethe_diag *d)
{
    return d ? d->inputs : (lethe_diag_inputs){0};
}

/* --- what a terminal may be shown --- */

/* Characters that move what stands around them: line separators, and those that turn the direction
 * of writing, U+2028 to U+202E and U+2066 to U+2069. */
static bool is_mover(const uint8_t *p)
{
    return p[0] == 0xe2 && ((p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
                            (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
}

/* Length of the harmless character at p (n >= 1 bytes left): printable ASCII, or well-formed UTF-8
 * that is no C1 control and moves nothing.  0: the byte at p is to be escaped. */
static size_t plain_at(const uint8_t *p, size_t n)
{
    if (p[0] < 0x80) return p[0] >= 0x20 && p[0] != 0x7f;
    size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || len > n) return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (p[0] == 0xc2 && p[1] < 0xa0) return 0;                                    // C1
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90)) return 0; // overlong
    if ((p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f)) return 0; // no such
    return len == 3 && is_mover(p) ? 0 : len;
}

static size_t escape_at(uint8_t c, char out[4])
{
    static const char hex[] = "0123456789abcdef";
    const char short_of = c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : 0;
    out[0] = '\\';
    out[1] = short_of ? short_of : 'x';
    if (short_of) return 2;
    out[2] = hex[c >> 4];
    out[3] = hex[c & 15];
    return 4;
}

size_t lethe_show(char *out, size_t cap, lethe_str s)
{
    assert(cap >= 4);
    size_t n = 0;
    size_t last[3] = {0}; // where the last few characters began, to make room for "..."
    for (size_t i = 0; i < s.n;) {
        char escaped[4];
        size_t taken = plain_at((const uint8_t *)s.at + i, s.n - i);
        size_t len = taken ? taken : escape_at((uint8_t)s.at[i], escaped);
        if (n + len >= cap) {
            while (n + 3 >= cap) {
                n = last[2];
                memmove(last + 1, last, 2 * sizeof *last);
            }
            memcpy(out + n, "...", 3);
            n += 3;
            break;
        }
        memcpy(out + n, taken ? s.at + i : escaped, len);
        memmove(last, last + 1, 2 * sizeof *last);
        last[2] = n;
        n += len;
        i += taken ? taken : 1;
    }
    out[n] = 0;
    return n;
}

/* --- saying it --- */

/* A file's name may hold anything but NUL, and so may a text that quotes one: a terminal gets
 * neither raw.  `content` stays as it is: it is data, and whoever shows it escapes it. */
void lethe_say(lethe_diag *d, const lethe_message *m)
{
    if (!d || !d->fn) return;
    char file[TEXT_BYTES], text[TEXT_BYTES];
    lethe_message shown = *m;
    shown.size = sizeof shown;
    if (m->severity == LETHE_ERROR && m->code == LETHE_OK) shown.code = LETHE_EINPUT; // of a line
    if (m->file) {
        lethe_show(file, sizeof file, lethe_str_of(m->file));
        shown.file = file;
    }
    lethe_show(text, sizeof text, m->text ? lethe_str_of(m->text) : LETHE_LIT(""));
    shown.text = text;
    pthread_mutex_lock(&d->lock);
    d->fn(d->ctx, &shown);
    pthread_mutex_unlock(&d->lock);
}

LETHE_PRINTF(3, 0)
static void say_formatted(lethe_diag *d, lethe_message m, const char *fmt, va_list args)
{
    if (!d || !d->fn) return;
    char text[TEXT_BYTES + 1]; // one more than is shown, so that a cut shows as a cut
    if (vsnprintf(text, sizeof text, fmt, args) < 0) snprintf(text, sizeof text, "%s", fmt);
    m.text = text;
    lethe_say(d, &m);
}

lethe_err lethe_fail(lethe_diag *d, lethe_err e, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say_formatted(d, (lethe_message){.severity = LETHE_ERROR, .code = e}, fmt, args);
    va_end(args);
    return e;
}

lethe_err lethe_fail_at(lethe_diag *d, lethe_err e, const char *file, uint64_t line,
                        uint32_t column, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    lethe_message m = {
        .severity = LETHE_ERROR, .code = e, .file = file, .line = line, .column = column};
    say_formatted(d, m, fmt, args);
    va_end(args);
    return e;
}

void lethe_warn(lethe_diag *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say_formatted(d, (lethe_message){.severity = LETHE_WARNING}, fmt, args);
    va_end(args);
}

void lethe_note(lethe_diag *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say_formatted(d, (lethe_message){.severity = LETHE_NOTE}, fmt, args);
    va_end(args);
}

void lethe_detail(lethe_diag *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say_formatted(d, (lethe_message){.severity = LETHE_DETAIL}, fmt, args);
    va_end(args);
}

lethe_err lethe_no_memory(lethe_diag *d) { return lethe_fail(d, LETHE_ENOMEM, "out of memory"); }
