/* SPDX-License-Identifier: Apache-2.0 */
/* What the C library's iconv makes of the bytes goes into a buffer, and from there to the caller.
 * The guess is made from a head of fixed size, so that it is the same for files and pipes. */
#include "io/read/encoding.h"
#include "core/mem.h"
#include <errno.h>
#include <iconv.h>
#include <strings.h>

enum { HEAD_BYTES = 256 << 10, OUT_BYTES = 64 << 10, CHARACTER_MAX = 16 };

struct lethe_recoder {
    lethe_diag *diag;
    const char *encoding; /* NULL: UTF-8, passed on */
    bool decided, guessed, end;
    bool open; /* `iconv` is */
    iconv_t iconv;
    size_t unit; /* bytes that one wrong character takes */
    uint64_t invalid;
    uint8_t *in, *out;  /* in[in_at..in_n-1] has not been recoded, */
    size_t in_at, in_n; /* out[out_at..out_n-1] not handed out */
    size_t out_at, out_n;
};

/* --- guessing --- */

/* Bytes of the character at `p`; 0: not UTF-8.  RFC 3629, section 4. */
static size_t utf8_length(const uint8_t *p, size_t n)
{
    static const struct {
        uint8_t first, last, low, high; /* of the first byte, and of the second */
        uint8_t length;
    } rules[] = {
        {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    for (size_t i = 0; i < LETHE_COUNT(rules); i++) {
        if (p[0] < rules[i].first || p[0] > rules[i].last) continue;
        size_t length = rules[i].length;
        bool good = n >= length && (length == 1 || (p[1] >= rules[i].low && p[1] <= rules[i].high));
        for (size_t k = 2; good && k < length; k++)
            good = p[k] >= 0x80 && p[k] <= 0xBF;
        return good ? length : 0;
    }
    return 0;
}

const char *lethe_encoding_guess(lethe_str head, bool whole)
{
    enum { LONGEST = 4 };
    const uint8_t *p = (const uint8_t *)head.at;
    if (head.n >= 2 && (memcmp(p, "\xFF\xFE", 2) == 0 || memcmp(p, "\xFE\xFF", 2) == 0))
        return "utf-16";
    if (head.n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0) return NULL;
    size_t right = 0, wrong = 0;
    size_t end = whole || head.n < LONGEST ? head.n : head.n - LONGEST + 1;
    for (size_t i = 0; i < end;) {
        size_t length = utf8_length(p + i, head.n - i);
        right += length > 1;
        wrong += length == 0;
        i += length ? length : 1;
    }
    return wrong > right ? "windows-1252" : NULL;
}

/* --- making --- */

/* Names reach further than encodings do: //TRANSLIT and the like are not wanted. */
static bool is_name(const char *s)
{
    return *s &&
           s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:_-")] ==
               '\0';
}

static bool names_utf8(const char *s)
{
    return strcasecmp(s, "utf-8") == 0 || strcasecmp(s, "utf8") == 0;
}

/* A wrong character of UTF-16 is two bytes, so that what follows stays in step. */
static size_t unit_of(const char *encoding)
{
    bool four = strcasestr(encoding, "32") || strcasestr(encoding, "ucs-4");
    bool two = strcasestr(encoding, "utf-16") || strcasestr(encoding, "utf16") ||
               strcasestr(encoding, "ucs-2");
    return two ? 2 : four && strncasecmp(encoding, "utf", 3) == 0 ? 4 : 1;
}

/* Its memory cannot be replaced by ours. */
static lethe_err begin_recoding(lethe_recoder *r, const char *encoding)
{
    bool allowed = lethe_alloc_allowed();
    if (allowed && is_name(encoding)) r->iconv = iconv_open("UTF-8", encoding);
    if (!allowed || (is_name(encoding) && (intptr_t)r->iconv == -1 && errno == ENOMEM))
        return lethe_no_memory(r->diag);
    if (!is_name(encoding) || (intptr_t)r->iconv == -1)
        return lethe_fail(r->diag, LETHE_EUSAGE,
                          "--encoding '%s' is not known here: 'iconv -l' lists those that are",
                          encoding);
    r->open = true;
    r->encoding = encoding;
    r->unit = unit_of(encoding);
    r->out = lethe_alloc(OUT_BYTES, 1);
    return r->out ? LETHE_OK : lethe_no_memory(r->diag);
}

lethe_err lethe_recoder_new(lethe_diag *d, const char *encoding, lethe_recoder **out)
{
    lethe_recoder *r = lethe_alloc(1, sizeof *r);
    if (!r) return lethe_no_memory(d);
    *r = (lethe_recoder){.diag = d, .decided = encoding != NULL};
    r->in = lethe_alloc(HEAD_BYTES, 1);
    lethe_err e = r->in ? LETHE_OK : lethe_no_memory(d);
    if (e == LETHE_OK && encoding && !names_utf8(encoding)) e = begin_recoding(r, encoding);
    if (e == LETHE_OK)
        *out = r;
    else
        lethe_recoder_free(r);
    return e;
}

void lethe_recoder_free(lethe_recoder *r)
{
    if (!r) return;
    if (r->open) iconv_close(r->iconv);
    lethe_free_all(r->in, r->out);
    lethe_free(r);
}

const char *lethe_recoder_encoding(const lethe_recoder *r) { return r->encoding; }
bool lethe_recoder_guessed(const lethe_recoder *r) { return r->guessed; }
uint64_t lethe_recoder_invalid(const lethe_recoder *r) { return r->invalid; }

/* --- reading --- */

/* At least `want` bytes in `in`, or all that are left. */
static lethe_err fill(lethe_recoder *r, lethe_read_call more, void *arg, size_t want)
{
    while (r->in_n - r->in_at < want && !r->end) {
        size_t n;
        memmove(r->in, r->in + r->in_at, r->in_n - r->in_at);
        r->in_n -= r->in_at;
        r->in_at = 0;
        LETHE_TRY(more(arg, r->in + r->in_n, HEAD_BYTES - r->in_n, &n));
        r->in_n += n;
        r->end = n == 0;
    }
    return LETHE_OK;
}

static lethe_err decide(lethe_recoder *r, lethe_read_call more, void *arg)
{
    LETHE_TRY(fill(r, more, arg, HEAD_BYTES));
    const char *encoding = lethe_encoding_guess((lethe_str){(char *)r->in, r->in_n}, r->end);
    r->decided = r->guessed = true;
    return encoding ? begin_recoding(r, encoding) : LETHE_OK;
}

/* What cannot be recoded gives way to U+FFFD. */
static void replace(lethe_recoder *r, size_t n)
{
    memcpy(r->out + r->out_n, "\xEF\xBF\xBD", 3);
    r->out_n += 3;
    r->in_at += n;
    r->invalid += n;
}

/* Recodes into `out`, which is empty; *any: there was something to recode. */
static lethe_err recode(lethe_recoder *r, lethe_read_call more, void *arg, bool *any)
{
    LETHE_TRY(fill(r, more, arg, CHARACTER_MAX));
    char *in = (char *)r->in + r->in_at, *out = (char *)r->out;
    size_t n_in = r->in_n - r->in_at, n_out = OUT_BYTES - CHARACTER_MAX;
    *any = n_in > 0;
    if (!*any) return LETHE_OK;
    bool failed = iconv(r->iconv, &in, &n_in, &out, &n_out) == (size_t)-1;
    int why = failed ? errno : 0;
    r->in_at = r->in_n - n_in;
    r->out_n = (size_t)(out - (char *)r->out);
    bool cut_off = why == EINVAL && r->end; // half a character at the very end
    if (why == EILSEQ || cut_off) replace(r, cut_off ? n_in : LETHE_MIN(r->unit, n_in));
    return LETHE_OK;
}

lethe_err lethe_recoder_read(lethe_recoder *r, lethe_read_call more, void *arg, void *buf,
                             size_t cap, size_t *n)
{
    bool any = true;
    *n = 0;
    if (!r->decided) LETHE_TRY(decide(r, more, arg));
    if (!r->encoding) {
        if (r->in_at == r->in_n) return r->end ? LETHE_OK : more(arg, buf, cap, n);
        *n = LETHE_MIN(cap, r->in_n - r->in_at);
        memcpy(buf, r->in + r->in_at, *n);
        r->in_at += *n;
        return LETHE_OK;
    }
    while (r->out_at == r->out_n && any) {
        r->out_at = r->out_n = 0;
        LETHE_TRY(recode(r, more, arg, &any));
    }
    *n = LETHE_MIN(cap, r->out_n - r->out_at);
    memcpy(buf, r->out + r->out_at, *n);
    r->out_at += *n;
    return LETHE_OK;
}
