/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of the network: e-mail, URLs that say more than their host, IPv4 and IPv6. */
#include "text/pii/pii_internal.h"

enum {
    LOCAL_MAX = 64,      /* RFC 5321, section 4.5.3.1 */
    HOST_MAX = 253,      /* RFC 1035, section 2.3.4 */
    AUTHORITY_MAX = 512, /* user, password, host and port */
    SCHEME_MAX = 16,
    PORT_DIGITS = 5,
};

/* --- signs --- */

static bool of_local(char c)
{
    return lethe_pii_wordy(c) || (c != '\0' && strchr("._%+-'&=~", c) != NULL);
}
static bool of_user(char c) { return of_local(c) || c == ':'; }
static bool of_label(char c) { return lethe_pii_wordy(c) || c == '-' || c == '_'; }
static bool of_host(char c) { return of_label(c) || c == '.'; }
static bool of_scheme(char c) { return lethe_pii_alnum(c) || c == '+' || c == '-' || c == '.'; }

/* Where the run of signs that ends at `i` begins, at most `max` bytes back, cut to begin with a
 * byte of a word; `i`: there is none. */
static size_t run_start(const lethe_pii_view *v, size_t i, bool (*of)(char), size_t max)
{
    size_t least = i - v->lo > max ? i - max : v->lo, k = i;
    while (k > least && of(v->p[k - 1]))
        k--;
    while (k < i && (!lethe_pii_wordy(v->p[k]) || lethe_pii_inner(v->p[k])))
        k++;
    return k;
}

/* --- top-level domains --- */

/* Top-level domains of countries, each followed by a space. */
static const char countries[] =
    "ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br "
    "bs bt bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz "
    "ec ee eg er es et eu fi fj fk fm fo fr ga gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw "
    "gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw "
    "ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu "
    "mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt "
    "pw py qa re ro rs ru rw sa sb sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc "
    "td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws "
    "ye yt za zm zw ";
/* And those of more letters that hosts are mostly found under. */
static const char *const generics[] = {
    "aero",   "app",    "arpa", "asia",   "biz",   "blog",  "cat",    "cloud", "club",    "com",
    "coop",   "design", "dev",  "edu",    "email", "fun",   "global", "gov",   "guru",    "icu",
    "info",   "int",    "jobs", "life",   "link",  "live",  "ltd",    "media", "mil",     "mobi",
    "museum", "name",   "net",  "news",   "ngo",   "one",   "online", "org",   "page",    "photo",
    "photos", "post",   "pro",  "rocks",  "shop",  "site",  "social", "space", "store",   "tech",
    "tel",    "today",  "top",  "travel", "tv",    "video", "vip",    "web",   "website", "wiki",
    "work",   "world",  "xxx",  "xyz",    "zone",
};

/* A domain of another script: letters alone, more than one of them (U+0440 U+0444). */
static bool is_foreign(const char *p, size_t n)
{
    bool far = false;
    for (size_t k = 0; k < n; k++) {
        if (!lethe_pii_wordy(p[k]) || lethe_pii_digit(p[k])) return false;
        far |= (signed char)p[k] < 0;
    }
    return far && n >= 4;
}

static bool is_top_domain(const char *p, size_t n)
{
    if (n == 2)
        for (size_t k = 0; k + 3 <= sizeof countries; k += 3)
            if (memcmp(p, countries + k, 2) == 0) return true;
    for (size_t k = 0; k < LETHE_COUNT(generics); k++)
        if (strlen(generics[k]) == n && memcmp(p, generics[k], n) == 0) return true;
    return (n > 4 && memcmp(p, "xn--", 4) == 0) || is_foreign(p, n);
}

/* --- e-mail --- */

static size_t letters_end(const lethe_pii_view *v, size_t i, size_t stop)
{
    while (i < stop && lethe_pii_wordy(v->p[i]) && !lethe_pii_digit(v->p[i]))
        i++;
    return i;
}

/* The end of a domain that begins at `i`: labels separated by points (or a comma before a top-level
 * domain that is known), the last that counts one with two letters or more at its beginning, where
 * the domain ends; if `known`, only where these are a top-level domain.  0: none. */
static size_t domain_end(const lethe_pii_view *v, size_t i, bool known)
{
    size_t stop = LETHE_MIN(v->n, i + HOST_MAX), end = 0;
    bool comma = false;
    for (bool first = true; i < stop; first = false) {
        size_t k = i, letters = letters_end(v, i, stop);
        while (k < stop && of_label(v->p[k]))
            k++;
        if (k == i || v->p[i] == '-' || v->p[i] == '_') break;
        bool top = is_top_domain(v->p + i, letters - i);
        if (comma && !top) break;
        if (!first && letters - i >= 2 && (top || !known)) end = letters;
        comma = k < stop && v->p[k] == ',';
        if (k == stop || (v->p[k] != '.' && !comma)) break;
        i = k + 1;
    }
    // not in the middle of a code point, where the longest domain was cut
    while (end > 0 && end < v->n && lethe_pii_inner(v->p[end]))
        end++;
    return end;
}

bool lethe_pii_email(const lethe_pii_view *v, size_t i, lethe_finding *out)
{
    // "joe @ aol.com"
    bool before = lethe_pii_before(v, i) == ' ', after = lethe_pii_at(v, i + 1) == ' ';
    size_t at = run_start(v, i - before, of_local, LOCAL_MAX);
    if (at == i - before) return false;
    size_t end = domain_end(v, i + 1 + after, before || after);
    if (end == 0) return false;
    *out = (lethe_finding){at, end - at, LETHE_PII_EMAIL};
    return true;
}

/* --- IPv4 --- */

/* The end of four numbers that no fifth one follows. */
static size_t four_end(const lethe_pii_view *v, size_t i)
{
    for (int part = 0; part < 4; part++) {
        unsigned x = 0, digits = 0;
        for (size_t n; digits < 4 && (n = lethe_pii_digit_at(v, i)) > 0; i += n, digits++)
            x = x * 10 + (unsigned)(v->p[i] - '0');
        if (digits == 0 || digits > 3 || x > 255) return 0;
        if (part < 3 && lethe_pii_at(v, i++) != '.') return 0;
    }
    return lethe_pii_at(v, i) == '.' && lethe_pii_digit(lethe_pii_at(v, i + 1)) ? 0 : i;
}

size_t lethe_pii_ipv4_end(const lethe_pii_view *v, size_t i)
{
    size_t end = four_end(v, i);
    return end > 0 && !lethe_pii_alnum(lethe_pii_at(v, end)) ? end : 0;
}

bool lethe_pii_ipv4(const lethe_pii_view *v, size_t i, lethe_finding *out)
{
    char c = lethe_pii_before(v, i);
    if (lethe_pii_digit(c) || (c == '.' && lethe_pii_digit(lethe_pii_before(v, i - 1))))
        return false;
    // v1.2.3.4: a version
    if (c == 'v' && !lethe_pii_wordy(lethe_pii_before(v, i - 1))) return false;
    size_t end = four_end(v, i);
    if (end == 0) return false;
    *out = (lethe_finding){i, end - i, LETHE_PII_IP};
    return true;
}

/* --- IPv6 --- */

static bool is_hex(char c) { return lethe_pii_digit(c) || (c >= 'a' && c <= 'f'); }

/* Groups of up to four hexadecimal digits (RFC 4291, section 2.2): eight, or fewer where "::"
 * stands once for the missing ones; the last two may be written as IPv4.  A digit must be among
 * them, or words of letters a to f would do.  Returns the end, 0: none. */
static size_t ipv6_end(const lethe_pii_view *v, size_t i)
{
    int groups = 0;
    bool gap = false, digit = false;
    size_t from;
    if (lethe_pii_at(v, i) == ':') {
        if (lethe_pii_at(v, i + 1) != ':') return 0;
        gap = true;
        i += 2;
    }
    for (;;) {
        size_t four = groups <= 6 ? lethe_pii_ipv4_end(v, i) : 0;
        if (four > 0) {
            groups += 2;
            digit = true;
            i = four;
            break;
        }
        for (from = i; i < v->n && i - from < 4 && is_hex(v->p[i]); i++)
            digit |= lethe_pii_digit(v->p[i]);
        if (i > from) groups++;
        if (i == from || groups == 8) break;
        if (lethe_pii_at(v, i) != ':') break;
        if (lethe_pii_at(v, i + 1) == ':') {
            if (gap) return 0;
            gap = true;
            i += 2;
        } else if (is_hex(lethe_pii_at(v, i + 1))) {
            i++;
        } else {
            break;
        }
    }
    if (!digit || (gap ? groups > 7 : groups != 8)) return 0;
    char c = lethe_pii_at(v, i), after = lethe_pii_at(v, i + 1);
    return lethe_pii_alnum(c) || (c == ':' && (after == ':' || lethe_pii_alnum(after))) ? 0 : i;
}

bool lethe_pii_ipv6(const lethe_pii_view *v, size_t i, lethe_finding *out)
{
    size_t at = i;
    while (at > v->lo && i - at < 5 && is_hex(v->p[at - 1]))
        at--;
    char c = lethe_pii_before(v, at);
    if (i - at > 4 || lethe_pii_alnum(c) || c == ':') return false;
    size_t end = ipv6_end(v, at);
    if (end == 0) return false;
    *out = (lethe_finding){at, end - at, LETHE_PII_IP};
    return true;
}

/* --- URLs --- */

/* Where the host that ends at `end` begins: two labels or more, the last one a top-level domain
 * that is known, or one of letters where there are three labels or the first is www; or IPv4.
 * `end`: there is none. */
static size_t host_start(const lethe_pii_view *v, size_t end)
{
    size_t run = run_start(v, end, of_host, HOST_MAX), at = end, labels = 0, top = 0;
    bool letters = true;
    for (size_t k = end; k > run;) {
        size_t dot = k;
        while (dot > run && v->p[dot - 1] != '.')
            dot--;
        if (dot == k || v->p[dot] == '-' || v->p[k - 1] == '-') break;
        if (labels++ == 0) {
            top = dot;
            for (size_t j = dot; j < k; j++)
                letters &= lethe_pii_wordy(v->p[j]) && !lethe_pii_digit(v->p[j]);
        }
        at = dot;
        if (dot == run) break;
        k = dot - 1;
    }
    if (labels < 2) return end;
    if (labels == 4 && lethe_pii_ipv4_end(v, at) == end) return at;
    if (is_top_domain(v->p + top, end - top)) return at;
    if (!letters || end - top < 2) return end;
    bool www = end - at > 4 && memcmp(v->p + at, "www.", 4) == 0;
    return labels > 2 || www ? at : end;
}

/* Does the URL end here: at a space or a mask? */
static bool url_ends(const lethe_pii_view *v, size_t i)
{
    if (i >= v->n || v->p[i] == ' ') return true;
    return v->p[i] == '[' && lethe_pii_mask_at((lethe_str){v->p, v->n}, i) > 0;
}
static size_t url_end(const lethe_pii_view *v, size_t i)
{
    while (!url_ends(v, i))
        i++;
    return i;
}

/* Does a byte of a word stand in what is left of the URL? */
static bool has_word(const lethe_pii_view *v, size_t i)
{
    while (!url_ends(v, i) && !lethe_pii_wordy(v->p[i]))
        i++;
    return !url_ends(v, i);
}

/* "scheme://authority" with a path, a query, a fragment or a user; `i` is the first slash.  Files
 * have no host (file:///home/joe). */
static bool url_with_scheme(const lethe_pii_view *v, size_t i, lethe_finding *out)
{
    size_t at = run_start(v, i - 1, of_scheme, SCHEME_MAX);
    while (at < i - 1 && !lethe_pii_letter(v->p[at]))
        at++;
    if (at == i - 1) return false;
    bool user = false, host = false;
    size_t k = i + 2, stop = LETHE_MIN(v->n, k + AUTHORITY_MAX);
    for (; k < stop; k++) {
        char c = v->p[k];
        if (url_ends(v, k) || lethe_pii_slash(c) || c == '?' || c == '#') break;
        user |= c == '@';
        host |= lethe_pii_wordy(c);
    }
    bool path = k < stop && lethe_pii_slash(v->p[k]);
    if (k < stop && (v->p[k] == '?' || v->p[k] == '#')) path = !url_ends(v, k + 1);
    if (!host && i - 1 - at == 4 && memcmp(v->p + at, "file", 4) == 0) host = has_word(v, k);
    if (!host || !(user || path)) return false;
    *out = (lethe_finding){at, url_end(v, k) - at, LETHE_PII_URL};
    return true;
}

/* Without a scheme: a host, perhaps with a port behind it and a user before it. */
bool lethe_pii_url(const lethe_pii_view *v, size_t i, lethe_finding *out)
{
    char before = lethe_pii_before(v, i);
    if (lethe_pii_slash(v->p[i]) && before == ':' && lethe_pii_slash(lethe_pii_at(v, i + 1)))
        return url_with_scheme(v, i, out);
    if (!lethe_pii_wordy(before) && before != ':') return false;
    size_t end = i, digits = i;
    while (digits > v->lo && i - digits <= PORT_DIGITS && lethe_pii_digit(v->p[digits - 1]))
        digits--;
    if (i - digits <= PORT_DIGITS && lethe_pii_before(v, digits) == ':') end = digits - 1;
    size_t at = host_start(v, end);
    if (at == end) return false;
    if (lethe_pii_before(v, at) == '@') {
        size_t user = run_start(v, at - 1, of_user, LOCAL_MAX);
        if (user < at - 1) at = user;
    }
    // a question mark may just be one: something must follow
    if (!lethe_pii_slash(v->p[i]) && !has_word(v, i + 1)) return false;
    *out = (lethe_finding){at, url_end(v, i) - at, LETHE_PII_URL};
    return true;
}
