/* SPDX-License-Identifier: Apache-2.0 */
/* JSON text as events.  yajl knows the grammar; this is the one file that uses it.  A scan before
 * it settles what yajl is lax about: it accepts overlong and surrogate UTF-8 and vertical tabs,
 * decodes
 * "\ud800x" to a question mark, joins a high surrogate with whatever escape follows it, and has no
 * limit of depth. */
#include "io/json/json_events.h"
#include <setjmp.h>
#include <yajl/yajl_parse.h>

/* Table 3-7 of the Unicode standard: the second byte's range depends on the first. */
size_t lethe_utf8_take(const uint8_t *p, size_t n, bool *good)
{
    uint8_t c = p[0], low = 0x80, high = 0xBF;
    *good = c < 0x80;
    if (c < 0xC2 || c > 0xF4) return 1;
    size_t len = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c == 0xE0) low = 0xA0;
    if (c == 0xED) high = 0x9F;
    if (c == 0xF0) low = 0x90;
    if (c == 0xF4) high = 0x8F;
    for (size_t i = 1; i < len; i++) {
        if (i >= n || p[i] < low || p[i] > high) return i;
        low = 0x80;
        high = 0xBF;
    }
    *good = true;
    return len;
}

/* --- the scan --- */

typedef struct scan {
    lethe_arena *tmp;
    const char *text; /* the caller's, or a repaired copy */
    char *copy;
    size_t n, at;
    unsigned depth;
    bool lenient, in_text;
    lethe_json_bad bad;
} scan;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* The number of the escape \uXXXX at `at`, or -1 if there is none. */
static int32_t escape_at(const scan *s, size_t at)
{
    if (s->n < 6 || at > s->n - 6 || s->text[at] != '\\' || s->text[at + 1] != 'u') return -1;
    int32_t v = 0;
    for (size_t i = at + 2; i < at + 6; i++) {
        char c = s->text[i], low = (char)(c | 0x20);
        int digit = c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
        if (digit < 0) return -1;
        v = v * 16 + digit;
    }
    return v;
}

/* A backslash inside a text.  What is no escape at all is left for yajl to refuse. */
static lethe_err scan_escape(scan *s)
{
    int32_t v = escape_at(s, s->at);
    if (v < 0xD800 || v > 0xDFFF) {
        s->at += v < 0 ? 2 : 6;
        return LETHE_OK;
    }
    int32_t next = v < 0xDC00 ? escape_at(s, s->at + 6) : -1;
    if (next >= 0xDC00 && next <= 0xDFFF) {
        s->at += 12;
        return LETHE_OK;
    }
    if (!s->lenient) {
        s->bad = LETHE_JSON_SURROGATE;
        return LETHE_OK;
    }
    // Writes U+FFFD, which is as long, over the escape at s->at, in a copy of the text.
    if (!s->copy) {
        s->copy = lethe_arena_dup(s->tmp, (lethe_str){s->text, s->n});
        if (!s->copy) return LETHE_ENOMEM;
        s->text = s->copy;
    }
    memcpy(s->copy + s->at, "\\ufffd", 6);
    s->at += 6;
    return LETHE_OK;
}

static lethe_err scan_in_text(scan *s)
{
    uint8_t c = (uint8_t)s->text[s->at];
    if (c == '\\') return scan_escape(s);
    bool good = true;
    size_t len = 1;
    if (c == '"')
        s->in_text = false;
    else if (c >= 0x80 && !s->lenient)
        len = lethe_utf8_take((const uint8_t *)s->text + s->at, s->n - s->at, &good);
    if (good)
        s->at += len;
    else
        s->bad = LETHE_JSON_UTF8;
    return LETHE_OK;
}

static void scan_between(scan *s)
{
    switch (s->text[s->at]) {
    case '"':
        s->in_text = true;
        break;
    case '{':
    case '[':
        if (++s->depth > LETHE_JSON_DEPTH) s->bad = LETHE_JSON_DEEP;
        break;
    case '}':
    case ']':
        if (s->depth > 0) s->depth--;
        break;
    case '\v':
    case '\f':
        s->bad = LETHE_JSON_BAD;
        break;
    default:
        break;
    }
    if (s->bad == LETHE_JSON_GOOD) s->at++;
}

/* --- yajl --- */

/* yajl does not check whether it got memory.  So it gets it from an arena, and when that is full
 * the whole parse is left by a jump: nothing of it has to be freed. */
struct lethe_json_run {
    lethe_arena *tmp;
    const lethe_json_handlers *on;
    void *ctx;
    yajl_handle handle;
    yajl_alloc_funcs memory;
    jmp_buf out;
};

typedef union head {
    size_t n;
    max_align_t align;
} head;

static void *memory_get(void *ctx, size_t n)
{
    lethe_json_run *r = ctx;
    head *h = n <= SIZE_MAX - sizeof(head) ? lethe_arena_get(r->tmp, sizeof(head) + n, 1) : NULL;
    if (!h) longjmp(r->out, 1);
    h->n = n;
    return h + 1;
}

static void *memory_more(void *ctx, void *p, size_t n)
{
    if (!p) return memory_get(ctx, n);
    head *h = (head *)p - 1;
    if (n <= h->n) return p;
    void *q = memory_get(ctx, n);
    memcpy(q, p, h->n);
    return q;
}

static void memory_drop(void *ctx, void *p)
{
    (void)ctx;
    (void)p; // goes with the arena
}

/* From yajl's callbacks to the handlers. */
static const lethe_json_run *of(const void *run) { return run; }
static int on_null(void *run) { return of(run)->on->null(of(run)->ctx); }
static int on_bool(void *run, int b) { return of(run)->on->boolean(of(run)->ctx, b != 0); }
static int on_object(void *run) { return of(run)->on->object(of(run)->ctx); }
static int on_array(void *run) { return of(run)->on->array(of(run)->ctx); }
static int on_end(void *run) { return of(run)->on->end(of(run)->ctx); }
static int on_number(void *run, const char *at, size_t n)
{
    return of(run)->on->number(of(run)->ctx, (lethe_str){at, n});
}
static int on_text(void *run, const unsigned char *at, size_t n)
{
    return of(run)->on->text(of(run)->ctx, (lethe_str){(const char *)at, n});
}
static int on_name(void *run, const unsigned char *at, size_t n)
{
    return of(run)->on->name(of(run)->ctx, (lethe_str){(const char *)at, n});
}

static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                         .yajl_boolean = on_bool,
                                         .yajl_number = on_number,
                                         .yajl_string = on_text,
                                         .yajl_start_map = on_object,
                                         .yajl_map_key = on_name,
                                         .yajl_end_map = on_end,
                                         .yajl_start_array = on_array,
                                         .yajl_end_array = on_end};

size_t lethe_json_consumed(const lethe_json_run *run)
{
    return yajl_get_bytes_consumed(run->handle);
}

static bool in_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '+' || c == '.';
}

/* Backslashes right before `at`. */
static size_t backslashes(lethe_str text, size_t at)
{
    size_t n = 0;
    while (n < at && text.at[at - 1 - n] == '\\')
        n++;
    return n;
}

size_t lethe_json_token(lethe_str text, size_t end)
{
    size_t at = LETHE_MIN(end, text.n);
    if (at == 0) return 0;
    char last = text.at[--at];
    if (last == '"' && at > 0) {
        // The quotes inside a text are escaped, so the next one that is not began it.
        size_t begin = at - 1;
        while (begin > 0 && (text.at[begin] != '"' || backslashes(text, begin) % 2))
            begin--;
        if (text.at[begin] == '"') at = begin;
    } else if (in_word(last)) {
        while (at > 0 && in_word(text.at[at - 1]))
            at--;
    }
    return at;
}

/* "lexical error: invalid char in json text.\n" without what is at its ends. */
static const char *detail_of(lethe_json_run *r, bool *in_token)
{
    char *text = (char *)yajl_get_error(r->handle, 0, NULL, 0);
    char *colon = strstr(text, ": ");
    char *begin = colon ? colon + 2 : text;
    size_t n = strlen(begin);
    while (n > 0 && (begin[n - 1] == '\n' || begin[n - 1] == '.'))
        n--;
    begin[n] = '\0';
    *in_token = strncmp(text, "lexical", 7) == 0;
    return n ? begin : "malformed";
}

/* yajl stands after a token that does not fit, on a byte that does not fit into its token, or after
 * one that fits into none. */
static void grammar_fault(lethe_json_run *r, lethe_str text, size_t end, lethe_json_fault *fault)
{
    bool in_token;
    const char *detail = detail_of(r, &in_token);
    size_t at = in_token ? end : lethe_json_token(text, end);
    if (in_token && end > 0 && strncmp(detail, "invalid char in", 15) == 0) at = end - 1;
    bool trailing = strcmp(detail, "trailing garbage") == 0;
    *fault = (lethe_json_fault){trailing ? LETHE_JSON_TRAILING : LETHE_JSON_BAD, at, detail};
}

/* The end of the text: it may complete a number, and with it a fault. */
static void finish(lethe_json_run *r, lethe_str text, lethe_json_fault *fault)
{
    yajl_status status = yajl_complete_parse(r->handle);
    if (status == yajl_status_ok) return;
    if (status == yajl_status_client_canceled) {
        *fault =
            (lethe_json_fault){.bad = LETHE_JSON_STOPPED, .at = lethe_json_token(text, text.n)};
        return;
    }
    grammar_fault(r, text, text.n, fault);
    if (fault->bad != LETHE_JSON_TRAILING)
        *fault = (lethe_json_fault){.bad = LETHE_JSON_CUT, .at = text.n};
}

/* Feeds the text up to the scan's fault: what yajl finds before it comes first. */
static lethe_err feed(lethe_json_run *r, const scan *s, lethe_json_fault *fault)
{
    lethe_str text = {s->text, s->at};
    if (setjmp(r->out)) return LETHE_ENOMEM;
    r->handle = yajl_alloc(&callbacks, &r->memory, r);
    yajl_config(r->handle, yajl_dont_validate_strings, 1); // the scan did, where it matters
    yajl_status status = yajl_parse(r->handle, (const unsigned char *)text.at, text.n);
    size_t end = yajl_get_bytes_consumed(r->handle);
    if (status == yajl_status_client_canceled)
        *fault = (lethe_json_fault){.bad = LETHE_JSON_STOPPED, .at = lethe_json_token(text, end)};
    else if (status == yajl_status_error)
        grammar_fault(r, text, end, fault);
    else if (s->bad != LETHE_JSON_GOOD)
        *fault = (lethe_json_fault){s->bad, s->at, "invalid char in json text"};
    else
        finish(r, text, fault);
    return LETHE_OK;
}

lethe_err lethe_json_events(lethe_arena *tmp, lethe_str text, lethe_json_rules rules,
                            const lethe_json_handlers *on, void *ctx, lethe_json_run **run,
                            lethe_json_fault *fault)
{
    *fault = (lethe_json_fault){.bad = LETHE_JSON_GOOD};
    size_t space = 0;
    while (space < text.n && is_space(text.at[space]))
        space++;
    if (space == text.n) {
        *fault = (lethe_json_fault){.bad = LETHE_JSON_EMPTY, .at = space};
        return LETHE_OK;
    }
    scan s = {.tmp = tmp, .text = text.at, .n = text.n, .lenient = rules.lenient};
    // Ends at the first fault, or past the text.
    while (s.bad == LETHE_JSON_GOOD && s.at < s.n) {
        if (s.in_text)
            LETHE_TRY(scan_in_text(&s));
        else
            scan_between(&s);
    }
    if (s.at > s.n) s.at = s.n; // a backslash was the last byte
    lethe_json_run *r = lethe_new(tmp, lethe_json_run, 1);
    if (!r) return LETHE_ENOMEM;
    *r = (lethe_json_run){.tmp = tmp, .on = on, .ctx = ctx};
    r->memory = (yajl_alloc_funcs){memory_get, memory_more, memory_drop, r};
    *run = r;
    return feed(r, &s, fault);
}
