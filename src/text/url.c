/* SPDX-License-Identifier: Apache-2.0 */
/* The host of a clicked URL.  Whoever publishes hosts trusts that nothing of path, query or user is
 * left in them, so what is not plainly a host gives nothing (RFC 3986, section 3.2; RFC 1123). */
#include "text/normalize.h"

#define HOST_MAX 253 /* RFC 1035, section 2.3.4 */
#define LABEL_MAX 63
#define PORT_DIGITS 5

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }
static bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

static lethe_str cut(lethe_str s, size_t from, size_t to)
{
    return (lethe_str){s.at + from, to - from};
}

/* Browsers take a backslash for a slash, so it ends the authority too. */
static lethe_str authority_of(lethe_str s)
{
    size_t i = 0;
    while (i < s.n && s.at[i] != '/' && s.at[i] != '\\' && s.at[i] != '?' && s.at[i] != '#')
        i++;
    return cut(s, 0, i);
}

static bool is_port(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_digit(s.at[i])) return false;
    return s.n <= PORT_DIGITS;
}

/* What follows "scheme://", or all of it where there is no scheme; false for a scheme without an
 * authority (mailto:, data:, javascript:). */
static bool after_scheme(lethe_str s, lethe_str *rest)
{
    *rest = s;
    if (s.n >= 2 && s.at[0] == '/' && s.at[1] == '/') {
        *rest = cut(s, 2, s.n);
        return true;
    }
    if (s.n == 0 || !is_letter(s.at[0])) return true;
    size_t i = 1;
    while (i < s.n && (is_letter(s.at[i]) || is_digit(s.at[i]) || strchr("+.-", s.at[i])) &&
           s.at[i] != '\0')
        i++;
    if (i == s.n || s.at[i] != ':') return true;
    if (s.n - i >= 3 && s.at[i + 1] == '/' && s.at[i + 2] == '/') {
        *rest = cut(s, i + 3, s.n);
        return true;
    }
    lethe_str port = authority_of(cut(s, i + 1, s.n));
    return port.n > 0 && is_port(port); // "host:80/path"
}

/* Takes user and port off an authority; false: not to be told for sure. */
static bool bare_host(lethe_str *host)
{
    lethe_str s = *host;
    for (size_t i = s.n; i > 0; i--) {
        if (s.at[i - 1] == '@') {
            s = cut(s, i, s.n);
            break;
        }
    }
    size_t end = 0;
    if (s.n > 0 && s.at[0] == '[') {
        while (end < s.n && s.at[end] != ']')
            end++;
        if (end == s.n) return false;
        end++;
    } else {
        while (end < s.n && s.at[end] != ':')
            end++;
    }
    if (end < s.n && (s.at[end] != ':' || !is_port(cut(s, end + 1, s.n)))) return false;
    *host = cut(s, 0, end);
    return true;
}

/* "[::1]": hexadecimal digits, colons and dots, with at least two colons. */
static bool is_ipv6(lethe_str s)
{
    size_t colons = 0;
    if (s.n < 4 || s.n > 47 || s.at[0] != '[' || s.at[s.n - 1] != ']') return false;
    for (size_t i = 1; i + 1 < s.n; i++) {
        char c = lower(s.at[i]);
        colons += c == ':';
        if (!is_digit(c) && !(c >= 'a' && c <= 'f') && c != ':' && c != '.') return false;
    }
    return colons >= 2;
}

/* Four numbers up to 255. */
static bool is_ipv4(lethe_str s)
{
    size_t numbers = 1;
    uint32_t v = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.at[i] == '.') {
            numbers++;
            v = 0;
        } else {
            v = v * 10 + (uint32_t)(s.at[i] - '0');
        }
        if (!(is_digit(s.at[i]) || s.at[i] == '.') || v > 255) return false;
    }
    return numbers == 4;
}

/* A number at the end is no top domain, and may be anything: a telephone, a social security number.
 */
static bool ends_in_number(lethe_str s)
{
    size_t i = s.n;
    while (i > 0 && is_digit(s.at[i - 1]))
        i--;
    return i < s.n && (i == 0 || s.at[i - 1] == '.') && !is_ipv4(s);
}

/* Labels of letters, digits, '-' and '_', separated by single dots. */
static bool is_name(lethe_str s)
{
    size_t label = 0;
    if (s.n == 0 || s.n > HOST_MAX) return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.at[i];
        if (c == '.') {
            if (label == 0) return false;
            label = 0;
            continue;
        }
        if (!is_letter(c) && !is_digit(c) && c != '-' && c != '_') return false;
        if (++label > LABEL_MAX) return false;
    }
    return label > 0 && !ends_in_number(s);
}

/* Signs of a label in lower case. */
static const bool of_label[256] = {
    ['-'] = true, ['_'] = true, ['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true,
    ['4'] = true, ['5'] = true, ['6'] = true, ['7'] = true, ['8'] = true, ['9'] = true,
    ['a'] = true, ['b'] = true, ['c'] = true, ['d'] = true, ['e'] = true, ['f'] = true,
    ['g'] = true, ['h'] = true, ['i'] = true, ['j'] = true, ['k'] = true, ['l'] = true,
    ['m'] = true, ['n'] = true, ['o'] = true, ['p'] = true, ['q'] = true, ['r'] = true,
    ['s'] = true, ['t'] = true, ['u'] = true, ['v'] = true, ['w'] = true, ['x'] = true,
    ['y'] = true, ['z'] = true,
};

/* A name in lower case from `from` on, up to the end or a slash; 0: there is none, else where it
 * ends. */
static size_t plain_name(lethe_str s, size_t from)
{
    size_t i = from;
    for (size_t start = from;; i++) {
        if (i < s.n && of_label[(uint8_t)s.at[i]]) continue;
        if (i == start || i - start > LABEL_MAX) return 0;
        if (i == s.n || s.at[i] == '/') break;
        if (s.at[i] != '.') return 0;
        start = i + 1;
    }
    return i - from <= HOST_MAX && !ends_in_number(cut(s, from, i)) ? i : 0;
}

bool lethe_is_host(lethe_str s)
{
    if (s.n > 0 && plain_name(s, 0) == s.n) return true;
    for (size_t i = 0; i < s.n; i++)
        if (lower(s.at[i]) != s.at[i]) return false;
    return is_ipv6(s);
}

bool lethe_is_bare_word(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!of_label[(uint8_t)lower(s.at[i])] && s.at[i] != '~') return false;
    return s.n > 0;
}

static bool host_of(lethe_str url, lethe_str *host)
{
    lethe_str s;
    if (!after_scheme(url, &s)) return false;
    // Without a scheme it need not be a URL at all: a single word could be anybody's name.
    bool sure = s.at != url.at;
    s = authority_of(s);
    if (s.n == 0) return false;
    if (!sure && memchr(s.at, '@', s.n)) return false;
    if (!bare_host(&s) || s.n == 0) return false;
    if (s.n > 1 && s.at[s.n - 1] == '.') s.n--; // the root's dot says nothing
    if (!sure && !memchr(s.at, '.', s.n) && s.at[0] != '[') return false;
    *host = s;
    return is_ipv6(s) || is_name(s);
}

/* Most clicks of most logs: "http://" and labels in lower case up to the end or a slash, in one
 * pass. false: not so plain, and the long way decides. */
static bool plain_host(lethe_str url, lethe_str *host)
{
    enum { SCHEME = 7 };
    if (url.n <= SCHEME || memcmp(url.at, "http://", SCHEME) != 0) return false;
    size_t end = plain_name(url, SCHEME);
    *host = cut(url, SCHEME, end ? end : SCHEME);
    return end > 0;
}

lethe_err lethe_url_host(lethe_str in, lethe_buf *buf, lethe_str *out)
{
    buf->n = 0;
    lethe_str s;
    if (plain_host(in, out)) return LETHE_OK;
    if (!host_of(in, &s)) s = (lethe_str){in.at, 0};
    bool changes = false;
    for (size_t i = 0; i < s.n; i++)
        changes |= lower(s.at[i]) != s.at[i];
    if (!changes) {
        *out = s;
        return LETHE_OK;
    }
    LETHE_TRY(lethe_buf_reserve(buf, s.n));
    for (size_t i = 0; i < s.n; i++)
        buf->at[i] = (uint8_t)lower(s.at[i]);
    buf->n = s.n;
    *out = (lethe_str){(const char *)buf->at, buf->n};
    return LETHE_OK;
}
