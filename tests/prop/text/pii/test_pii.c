/* SPDX-License-Identifier: Apache-2.0 */
/* The detectors of personal data against slow ones written from the definitions in pii.h: for every
 * pair of places in a short text, is what stands between them a finding?  And what must hold of
 * masking whatever the detectors find. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "text/normalize.h"
#include "text/pii/pii.h"
#include "seeds.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* --- random texts --- */

static uint64_t seed_of_run = 1, state;

static uint32_t draw(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % n);
}

enum { TEXT_MAX = 96 };
static char text_bytes[TEXT_MAX * 2];
static size_t text_n;

static void put(const char *s)
{
    size_t n = strlen(s);
    if (text_n + n > TEXT_MAX) return;
    memcpy(text_bytes + text_n, s, n);
    text_n += n;
}

static lethe_str random_signs(const char *alphabet, uint32_t max)
{
    uint32_t n = draw(max);
    text_n = 0;
    for (uint32_t i = 0; i < n; i++)
        text_bytes[text_n++] = alphabet[draw((uint32_t)strlen(alphabet))];
    return (lethe_str){text_bytes, text_n};
}

static lethe_str random_pieces(const char *const *pieces, size_t n_pieces, uint32_t max)
{
    uint32_t n = draw(max);
    text_n = 0;
    for (uint32_t i = 0; i < n; i++)
        put(pieces[draw((uint32_t)n_pieces)]);
    return (lethe_str){text_bytes, text_n};
}

static const char *const number_pieces[] = {"555",
                                            "12",
                                            "1234",
                                            "666",
                                            "00",
                                            "4111",
                                            "1111",
                                            "4242",
                                            "5105",
                                            "37",
                                            "1999",
                                            "2006",
                                            "-",
                                            "-",
                                            "-",
                                            " ",
                                            " ",
                                            " ",
                                            ".",
                                            ".",
                                            "4111111111111111",
                                            "123456789",
                                            "078051120",
                                            "03",
                                            "01",
                                            "a",
                                            "[ssn]",
                                            "1",
                                            "7",
                                            "378282246310005",
                                            "1861",
                                            "1500",
                                            "30569309025904",
                                            "6304000000000000",
                                            "@",
                                            "/",
                                            "467",
                                            "3395",
                                            "800",
                                            ":",
                                            "1024",
                                            "768",
                                            "\xE2\x80\x91",
                                            ",",
                                            ", ",
                                            "_",
                                            "--",
                                            " - ",
                                            "078",
                                            "05",
                                            "1120",
                                            "883",
                                            "1200",
                                            "501",
                                            "505",
                                            "517",
                                            "1850",
                                            "1004",
                                            "1005",
                                            "\xEF\xBF\xBD",
                                            "\xC2\xB7",
                                            "\xCC\xB6",
                                            "\xEF\xB8\x8F\xE2\x83\xA3",
                                            "\xD9\xA1",
                                            "\xD9\xA3\xD9\xA4"};
static const char *const net_pieces[] = {
    "a",       "1",       "com",      ".",        ".",
    "@",       "@",       "/",        "/",        ":",
    ":",       "::",      "www.",     "http",     "://",
    "x.org",   "?",       "q=1",      "fe80",     "db8",
    "1.2.3.4", "255",     "256",      "-",        "_",
    "%",       "+",       " ",        " ",        "[ip]",
    "[",       "#",       "joe",      "user:pw@", "be",
    "8080",    "co.uk",   "\xC3\xA9", "\\",       "\\",
    "file",    "aol,com", ",",        "v",        "\xD1\x80\xD1\x84",
    "!",       "b.zz",    "0",        "12345",    "ffff",
    "'"};

/* --- the oracle --- */

typedef struct view {
    const char *p;
    int lo, n; /* what stands before lo is a mask */
} view;

static int at(const view *v, int i) { return i >= v->lo && i < v->n ? (unsigned char)v->p[i] : 0; }
static bool digit(int c) { return c >= '0' && c <= '9'; }
static bool alnum(int c) { return digit(c) || (c >= 'a' && c <= 'z'); }
static bool wordy(int c) { return alnum(c) || c >= 0x80; }

/* Length of the hyphen at i, and of one that ends there. */
static int hyphen(const view *v, int i)
{
    static const char *const all[] = {"-",
                                      "\xE2\x80\x90",
                                      "\xE2\x80\x91",
                                      "\xE2\x80\x92",
                                      "\xE2\x80\x93",
                                      "\xE2\x80\x94",
                                      "\xE2\x80\x95",
                                      "\xE2\x80\xA2",
                                      "\xE2\x81\x83",
                                      "\xC2\xB7",
                                      "\xEF\xBF\xBD",
                                      "\xE2\x88\x92"};
    for (size_t k = 0; k < LETHE_COUNT(all); k++) {
        int n = (int)strlen(all[k]);
        if (i >= v->lo && i + n <= v->n && memcmp(v->p + i, all[k], (size_t)n) == 0) return n;
    }
    return 0;
}
static int hyphen_to(const view *v, int i)
{
    for (int n = 1; n <= 3; n++)
        if (hyphen(v, i - n) == n) return n;
    return 0;
}

/* Known in this test: the marks of its pieces. */
static int marks(const view *v, int i)
{
    static const char *const all[] = {"\xCC\xB6", "\xCC\x81", "\xE2\x83\xA3", "\xEF\xB8\x8F"};
    int from = i;
    for (int left = 4; left > 0; left--)
        for (size_t k = 0; k < LETHE_COUNT(all); k++) {
            int n = (int)strlen(all[k]);
            if (i + n > v->n || memcmp(v->p + i, all[k], (size_t)n) != 0) continue;
            i += n;
            break;
        }
    return i - from;
}

static bool free_left(const view *v, int s)
{
    int tie = at(v, s - 1) == '.' ? 1 : hyphen_to(v, s);
    return !alnum(at(v, s - 1)) && !(tie && digit(at(v, s - 1 - tie)));
}
static bool free_right(const view *v, int e)
{
    int tie = at(v, e) == '.' ? 1 : hyphen(v, e);
    return !alnum(at(v, e)) && !(tie && digit(at(v, e + tie)));
}

/* The digits of s..e-1 if it is groups of digits, each with its marks, parted by one to three
 * signs; the lengths of the groups too.  Number of groups, 0 if it is not so. */
static int groups_of(const view *v, int s, int e, char *digits, int *len)
{
    int n = 0, signs = 0, k = 0;
    len[0] = 0;
    for (int i = s; i < e;) {
        if (digit(at(v, i))) {
            if (signs > 0) len[++n] = 0;
            signs = 0;
            digits[k++] = (char)at(v, i++);
            len[n]++;
            i += marks(v, i);
            if (i > e) return 0;
        } else {
            int h = hyphen(v, i);
            if (!h && !strchr(" ./,_", at(v, i))) return 0;
            if (i == s || ++signs > 3) return 0;
            i += h ? h : 1;
        }
    }
    digits[k] = '\0';
    return signs > 0 ? 0 : n + 1;
}

static bool is_ssn(const view *v, int s, int e)
{
    char d[TEXT_MAX];
    int len[TEXT_MAX], n = groups_of(v, s, e, d, len);
    if (!(n == 1 && len[0] == 9) && !(n == 3 && len[0] == 3 && len[1] == 2 && len[2] == 4))
        return false;
    if (strncmp(d, "000", 3) == 0 || strncmp(d, "666", 3) == 0 || d[0] == '9') return false;
    if (strncmp(d + 3, "00", 2) == 0 || strcmp(d + 5, "0000") == 0) return false;
    return free_left(v, s) && free_right(v, e);
}

/* Does the number begin with one of these, and has it so many digits? */
static bool issued(const char *d)
{
    static const struct {
        const char *from, *to;
        const char *lengths;
    } rows[] = {{"4", "4", " 13 16 19 "},
                {"51", "55", " 16 "},
                {"2221", "2720", " 16 "},
                {"34", "34", " 15 "},
                {"37", "37", " 15 "},
                {"300", "305", " 14 15 16 17 18 19 "},
                {"3095", "3095", " 14 15 16 17 18 19 "},
                {"36", "36", " 14 15 16 17 18 19 "},
                {"38", "39", " 14 15 16 17 18 19 "},
                {"35", "35", " 16 17 18 19 "},
                {"1800", "1800", " 15 "},
                {"2131", "2131", " 15 "},
                {"50", "50", " 12 13 14 15 16 17 18 19 "},
                {"56", "69", " 12 13 14 15 16 17 18 19 "}};
    char n[8];
    snprintf(n, sizeof n, " %zu ", strlen(d));
    for (size_t k = 0; k < LETHE_COUNT(rows); k++) {
        size_t m = strlen(rows[k].from);
        if (strncmp(d, rows[k].from, m) >= 0 && strncmp(d, rows[k].to, m) <= 0 &&
            strstr(rows[k].lengths, n))
            return true;
    }
    return false;
}

static bool luhn(const char *d)
{
    static const int twice[10] = {0, 2, 4, 6, 8, 1, 3, 5, 7, 9};
    int sum = 0, n = (int)strlen(d);
    for (int k = 0; k < n; k++)
        sum += (n - k) % 2 ? d[k] - '0' : twice[d[k] - '0'];
    return sum % 10 == 0;
}

static bool is_card(const view *v, int s, int e)
{
    char d[TEXT_MAX];
    int len[TEXT_MAX], n = groups_of(v, s, e, d, len);
    if (n == 0) return false;
    for (int k = 0; k < n; k++)
        if (len[k] < 2) return false;
    return issued(d) && luhn(d) && free_left(v, s) && free_right(v, e);
}

static bool four_numbers(const char *p, int n)
{
    int parts = 1, value = 0, length = 0;
    for (int i = 0; i < n; i++) {
        if (p[i] == '.') {
            if (length == 0) return false;
            parts++;
            value = length = 0;
        } else if (!digit((unsigned char)p[i]) || ++length > 3 ||
                   (value = value * 10 + p[i] - '0') > 255) {
            return false;
        }
    }
    return parts == 4 && length > 0;
}

/* Four numbers, whose digits may have marks. */
static bool four_marked(const view *v, int s, int e)
{
    char plain[TEXT_MAX];
    int n = 0;
    for (int i = s; i < e;) {
        int c = at(v, i++);
        plain[n++] = (char)c;
        if (digit(c)) i += marks(v, i);
        if (i > e) return false;
    }
    return four_numbers(plain, n);
}

static bool is_ipv4(const view *v, int s, int e)
{
    if (!four_marked(v, s, e)) return false;
    if (digit(at(v, s - 1)) || (at(v, s - 1) == '.' && digit(at(v, s - 2)))) return false;
    if (at(v, s - 1) == 'v' && !wordy(at(v, s - 2))) return false;
    return !digit(at(v, e)) && !(at(v, e) == '.' && digit(at(v, e + 1)));
}

/* Does an IPv4 address begin at `i`, in the place of the last two of eight groups that begin at
 * `s`, and go on behind `e`?  Then no group of six or fewer before it is cut off there. */
static bool goes_on_as_ipv4(const view *v, int s, int i, int e)
{
    int groups = 0;
    for (int k = s; k < i; k++)
        groups += at(v, k) != ':' && at(v, k + 1) == ':';
    for (int end = e + 1; groups <= 6 && end <= v->n; end++)
        if (four_marked(v, i, end) && !alnum(at(v, end)) &&
            !(at(v, end) == '.' && digit(at(v, end + 1))))
            return true;
    return false;
}

static bool is_ipv6(const view *v, int s, int e)
{
    char copy[TEXT_MAX + 16];
    struct in6_addr address;
    int after = e - 1;
    bool any = false;
    for (int i = s; i < e; i++) {
        if (at(v, i) >= 'A' && at(v, i) <= 'Z') return false;
        any |= digit(at(v, i));
    }
    while (after > s && at(v, after - 1) != ':')
        after--;
    snprintf(copy, sizeof copy, "%.*s", e - s, v->p + s);
    // leading zeros are no reason to refuse the last four numbers
    if (memchr(v->p + after, '.', (size_t)(e - after))) {
        if (!four_marked(v, after, e)) return false;
        snprintf(copy, sizeof copy, "%.*s1.1.1.1", after - s, v->p + s);
    }
    if (!any || inet_pton(AF_INET6, copy, &address) != 1) return false;
    if (goes_on_as_ipv4(v, s, after, e)) return false;
    int b = at(v, s - 1), a = at(v, e), aa = at(v, e + 1);
    return !alnum(b) && b != ':' && !alnum(a) && !(a == ':' && (aa == ':' || alnum(aa)));
}

static bool local(int c) { return wordy(c) || (c && strchr("._%+-'&=~", c)); }

/* Where what ends at `e`, made of such signs and begun by a word's, begins at its longest. */
static int longest_back(const view *v, int e, bool (*of)(int), int max)
{
    int best = e;
    for (int s = e; s > v->lo && e - s < max && of(at(v, s - 1)); s--)
        if (wordy(at(v, s - 1)) && (at(v, s - 1) & 0xC0) != 0x80) best = s - 1;
    return best;
}

/* Known in this test: the top-level domains that its pieces and alphabets can make. */
static bool is_top(const view *v, int s, int e)
{
    static const char *const known[] = {"com", "org", "uk", "be", "co", "ac", "ba",
                                        "bb",  "ca",  "cc", "cf", "af", "ao", "va"};
    bool far = false, letters = true;
    for (size_t k = 0; k < LETHE_COUNT(known); k++)
        if ((int)strlen(known[k]) == e - s && memcmp(v->p + s, known[k], strlen(known[k])) == 0)
            return true;
    for (int i = s; i < e; i++) {
        letters &= wordy(at(v, i)) && !digit(at(v, i));
        far |= at(v, i) >= 0x80;
    }
    return far && letters && e - s >= 4;
}

static int letters_from(const view *v, int i)
{
    while (wordy(at(v, i)) && !digit(at(v, i)))
        i++;
    return i;
}

/* A domain from s to e?  A comma before a top-level domain that is known is a point. */
static bool is_domain(const view *v, int s, int e, bool known)
{
    int label = s, labels = 1;
    for (int i = s; i < e; i++) {
        int c = at(v, i);
        if (c == '.' || c == ',') {
            if (i == label || (c == ',' && !is_top(v, i + 1, letters_from(v, i + 1)))) return false;
            labels++;
            label = i + 1;
        } else if (!wordy(c) && (i == label || (c != '-' && c != '_'))) {
            return false;
        }
    }
    if (labels < 2 || e - label < 2 || letters_from(v, label) != e) return false;
    return !known || is_top(v, label, e);
}

static bool is_email(const view *v, int s, int e)
{
    for (int k = s + 1; k < e; k++) {
        if (at(v, k) != '@') continue;
        int before = at(v, k - 1) == ' ', after = at(v, k + 1) == ' ';
        if (longest_back(v, k - before, local, 64) == s && s < k - before &&
            is_domain(v, k + 1 + after, e, before || after))
            return true;
    }
    return false;
}

static bool scheme_sign(int c) { return alnum(c) || (c && strchr("+-.", c)); }
static bool user_sign(int c) { return local(c) || c == ':'; }
static bool host_sign(int c) { return wordy(c) || (c && strchr("._-", c)); }

static bool is_mask(const view *v, int i)
{
    return i >= v->lo && i < v->n &&
           lethe_pii_mask_at((lethe_str){v->p, (size_t)v->n}, (size_t)i) > 0;
}

static bool is_host(const view *v, int s, int e)
{
    int label = s, labels = 1;
    bool letters = true;
    if (four_marked(v, s, e)) return !alnum(at(v, e)) && !(at(v, e) == '.' && digit(at(v, e + 1)));
    for (int i = s; i <= e; i++) {
        if (i == e || at(v, i) == '.') {
            if (i == label || at(v, label) == '-' || at(v, i - 1) == '-') return false;
            if (i == e) break;
            labels++;
            label = i + 1;
        } else if (!host_sign(at(v, i))) {
            return false;
        }
    }
    if (labels < 2) return false;
    for (int i = label; i < e; i++)
        letters &= wordy(at(v, i)) && !digit(at(v, i));
    if (is_top(v, label, e)) return true;
    return letters && e - label >= 2 &&
           (labels > 2 || (e - s > 4 && memcmp(v->p + s, "www.", 4) == 0));
}

/* The longest host that ends at `e`, every label of which counts; e: none. */
static int longest_host(const view *v, int e)
{
    int run = longest_back(v, e, host_sign, 253);
    // labels from the right on, as long as they are good
    int s = e;
    for (int k = e; k > run;) {
        int dot = k;
        while (dot > run && at(v, dot - 1) != '.')
            dot--;
        if (dot == k || at(v, dot) == '-' || at(v, k - 1) == '-') break;
        s = dot;
        if (dot == run) break;
        k = dot - 1;
    }
    return s < e && is_host(v, s, e) ? s : e;
}

static bool slash(int c) { return c == '/' || c == '\\'; }
static int url_stop(const view *v, int i)
{
    while (i < v->n && at(v, i) != ' ' && !is_mask(v, i))
        i++;
    return i;
}
static bool word_in(const view *v, int s, int e)
{
    for (; s < e; s++)
        if (wordy(at(v, s))) return true;
    return false;
}

static bool is_url(const view *v, int s, int e)
{
    for (int i = s; i < e; i++)
        if (at(v, i) == ' ' || is_mask(v, i)) return false;
    for (int k = s; k < e; k++) {
        if (slash(at(v, k)) && at(v, k - 1) == ':' && slash(at(v, k + 1)) && k - 1 > s) {
            int from = longest_back(v, k - 1, scheme_sign, 16), host = k + 2, end = host;
            bool user = false, some = false;
            while (from < k - 1 && !isalpha(at(v, from)))
                from++;
            for (; end < v->n && end - host < 512 && !is_mask(v, end) &&
                   !strchr(" /\\?#", at(v, end));
                 end++) {
                user |= at(v, end) == '@';
                some |= wordy(at(v, end));
            }
            int next = end < v->n ? at(v, end) : 0, stop = url_stop(v, end);
            bool path = slash(next) || ((next == '?' || next == '#') && stop > end + 1);
            if (k - 1 - from == 4 && memcmp(v->p + from, "file", 4) == 0)
                some |= word_in(v, end, stop);
            if (from == s && stop == e && some && (user || path)) return true;
            continue;
        }
        int port = k, end, stop = url_stop(v, k);
        bool more = (at(v, k) == '?' || at(v, k) == '#') && word_in(v, k + 1, stop);
        if (!slash(at(v, k)) && !more) continue;
        while (port > v->lo && digit(at(v, port - 1)))
            port--;
        end = k - port <= 5 && at(v, port - 1) == ':' ? port - 1 : k;
        int host = longest_host(v, end), from = host;
        if (host == end) continue;
        if (at(v, host - 1) == '@' && longest_back(v, host - 1, user_sign, 64) < host - 1)
            from = longest_back(v, host - 1, user_sign, 64);
        if (from == s && stop == e) return true;
    }
    return false;
}

/* --- long numbers --- */

typedef struct group {
    int s, e, n;
    long value; /* -1: not of ASCII, or long */
} group;

/* Arabic digits are those of other scripts here. */
static int digit_len(const view *v, int i)
{
    int n = digit(at(v, i));
    if (at(v, i) == 0xD9 && at(v, i + 1) >= 0xA0 && at(v, i + 1) <= 0xA9) n = 2;
    return n > 0 ? n + marks(v, i + n) : 0;
}

static int find_groups(const view *v, group *g)
{
    int n = 0;
    for (int i = v->lo; i < v->n;) {
        if (digit_len(v, i) == 0) {
            i++;
            continue;
        }
        g[n] = (group){i, i, 0, 0};
        for (int d; (d = digit_len(v, i)) > 0; i += d) {
            g[n].n++;
            g[n].value = !digit(at(v, i)) || g[n].n > 9 || g[n].value < 0
                             ? -1
                             : g[n].value * 10 + at(v, i) - '0';
        }
        g[n++].e = i;
    }
    return n;
}

static bool year(const group *g, int from)
{
    return g->n == 4 && g->value >= from && g->value <= 2099;
}

/* Length of a sign, or two hyphens, that ties a group to digits: before i, and from it on. */
static int tie_to(const view *v, int i)
{
    if (at(v, i - 1) == '.') return 1;
    int h = hyphen_to(v, i);
    return h ? h + hyphen_to(v, i - h) : 0;
}
static int tie_from(const view *v, int i)
{
    if (at(v, i) == '.') return 1;
    int h = hyphen(v, i);
    return h ? h + hyphen(v, i + h) : 0;
}

static bool a_word(const view *v, const group *g)
{
    int b = at(v, g->s - 1), a = at(v, g->e), d = digit_len(v, g->e + 1);
    if (alnum(b) || alnum(a) || (b && strchr("@_:$", b)) || (a && strchr("@_:%", a))) return false;
    if (tie_to(v, g->s) && digit(at(v, g->s - 1 - tie_to(v, g->s)))) return false;
    if (tie_from(v, g->e) && digit_len(v, g->e + tie_from(v, g->e))) return false;
    // a price or a fraction: a single digit beside it
    if ((b == ',' || b == '/') && digit(at(v, g->s - 2)) && !digit(at(v, g->s - 3))) return false;
    return !((a == ',' || a == '/') && d && !digit_len(v, g->e + 1 + d));
}

/* What parts g[0] and g[1]: 't' for what ties, ',' and ';' for a comma without and with a space,
 * 's' for a space, a slash or a hyphen with spaces, 0 if they do not belong together. */
static int joined(const view *v, const group *g)
{
    int from = g[0].e, to = g[1].s, how = 0;
    if (g[0].n < 2 || g[1].n < 2) return 0;
    for (int before = 0; before < 2; before++) {
        for (int after = 0; after < 2; after++) {
            if (before && at(v, from) != ' ') continue;
            if (after && at(v, to - 1) != ' ') continue;
            int s = from + before, e = to - after, h = hyphen(v, s);
            if (s >= e) continue;
            if (h == e - s) how = before || after ? 's' : 't';
            if (h && !before && !after && h + hyphen(v, s + h) == e - s) how = 't';
            if (e - s == 1 && at(v, s) == ',' && !before) how = after ? ';' : ',';
            if (e - s != 1 || before || after) continue;
            if (at(v, s) == '.' || at(v, s) == '_') how = 't';
            if (at(v, s) == ' ' || at(v, s) == '/') how = 's';
        }
    }
    return how == 't' || (a_word(v, &g[0]) && a_word(v, &g[1])) ? how : 0;
}

static bool is_date(const group *g)
{
    long a = g[0].value, b = g[1].value, c = g[2].value;
    if (year(&g[0], 1000))
        return g[1].n == 2 && g[2].n == 2 && b >= 1 && b <= 12 && c >= 1 && c <= 31;
    return g[0].n == 2 && g[1].n == 2 && year(&g[2], 1000) && a >= 1 && b >= 1 && a <= 31 &&
           b <= 31 && (a <= 12 || b <= 12);
}

static bool round_group(const group *g)
{
    static const long least[] = {0, 0, 0, 100, 1000, 10000, 100000};
    return g->n >= 3 && g->n <= 6 && (g->value == 0 || g->value >= least[g->n]) &&
           (year(g, 1900) || g->value % 50 == 0 || (g->value <= 4096 && g->value % 8 == 0));
}

/* Models, or anything that is counted up with commas. */
static bool list_of(const group *g, const int *how, int n)
{
    bool commas = true, same = true;
    for (int k = 1; k < n; k++) {
        if (g[k - 1].value < 0 || g[k].value <= g[k - 1].value) return false;
        commas &= how[k] == ',' || how[k] == ';';
        same &= g[k].n == g[0].n;
    }
    if (n > 2 && commas) return true;
    if (same && (g[0].n == 3 || g[0].n == 4))
        return n > 2 ? (double)g[n - 1].value <= 1.3 * (double)g[0].value + 1e-6
                     : g[1].value - g[0].value <= 10;
    return n == 2 && g[0].n == 3 && g[1].n == 4 && g[1].value % 50 == 0 &&
           g[1].value < 2 * g[0].value;
}

/* Groups of three behind commas. */
static bool price(const group *g, const int *how, int n)
{
    for (int k = 1; k < n; k++)
        if (how[k] != ',' || g[k].n != 3) return false;
    return g[0].n <= 3;
}

/* Is the row a number?  how[k]: what stands before g[k]; *s, *e: from where to where. */
static bool is_row(const group *g, const int *how, int n, int *s, int *e)
{
    int digits = 0, years = 0, old = 0, three = 0, round = 0;
    bool tight = n > 1 && how[1] == 't';
    if (!tight) {
        while (n > 1 && year(g, 1900))
            g++, how++, n--;
        while (n > 1 && year(&g[n - 1], 1900))
            n--;
    }
    for (int k = 0; k < n; k++) {
        digits += g[k].n;
        years += year(&g[k], 1000) && (k == 0 || g[k].value > g[k - 1].value);
        three += g[k].n >= 3 && !year(&g[k], 1900);
        old += year(&g[k], 1500);
        round += round_group(&g[k]);
    }
    *s = g[0].s;
    *e = g[n - 1].e;
    if (digits < 7) return false;
    if (n == 1) return true;
    if (n == 3 && is_date(g)) return false;
    if (tight) return years < n;
    if (old == n || price(g, how, n) || list_of(g, how, n)) return false;
    return round < n && three > 0 && (digits > 7 || (n == 2 && g[0].n == 3));
}

/* --- the winner --- */

enum {
    KINDS = 1 << LETHE_PII_SSN | 1 << LETHE_PII_CARD | 1 << LETHE_PII_EMAIL | 1 << LETHE_PII_IP |
            1 << LETHE_PII_NUMBER | 1 << LETHE_PII_URL
};

static void offer(lethe_finding *best, int s, int e, lethe_pii kind)
{
    lethe_finding f = {(size_t)s, (size_t)(e - s), kind};
    if (best->n == 0 || f.at < best->at || (f.at == best->at && f.n > best->n) ||
        (f.at == best->at && f.n == best->n && f.kind < best->kind))
        *best = f;
}

/* Does a card, social-security number or IPv4 address begin there? */
static bool other_begins(const view *v, int s)
{
    for (int e = s + 1; e <= v->n; e++)
        if (is_ssn(v, s, e) || is_card(v, s, e) || is_ipv4(v, s, e)) return true;
    return false;
}

static void offer_numbers(const view *v, lethe_finding *best)
{
    group g[TEXT_MAX];
    int n = find_groups(v, g), s, e;
    for (int i = 0; i < n;) {
        int k = i + 1, how[TEXT_MAX] = {0};
        if (other_begins(v, g[i].s)) {
            i++;
            continue;
        }
        for (int j; k < n && !other_begins(v, g[k].s) && (j = joined(v, &g[k - 1])) != 0; k++) {
            if (k > i + 1 && (how[1] == 't') != (j == 't')) break;
            how[k - i] = j;
        }
        if (is_row(g + i, how, k - i, &s, &e)) offer(best, s, e, LETHE_PII_NUMBER);
        i = k;
    }
}

static bool slow_next(lethe_str text, size_t from, lethe_finding *out)
{
    view v = {text.at, (int)from, (int)text.n};
    lethe_finding best = {0};
    for (int s = v.lo; s < v.n && (best.n == 0 || (size_t)s <= best.at); s++) {
        for (int e = s + 1; e <= v.n; e++) {
            if (is_ssn(&v, s, e)) offer(&best, s, e, LETHE_PII_SSN);
            if (is_card(&v, s, e)) offer(&best, s, e, LETHE_PII_CARD);
            if (is_email(&v, s, e)) offer(&best, s, e, LETHE_PII_EMAIL);
            if (is_ipv4(&v, s, e) || is_ipv6(&v, s, e)) offer(&best, s, e, LETHE_PII_IP);
            if (is_url(&v, s, e)) offer(&best, s, e, LETHE_PII_URL);
        }
    }
    offer_numbers(&v, &best);
    *out = best;
    return best.n > 0;
}

static void compare(lethe_str text, uint64_t run)
{
    lethe_detector d = {KINDS, NULL};
    lethe_finding a = {0}, b = {0};
    for (size_t from = 0;; from = a.at + a.n) {
        bool fast = lethe_pii_next(&d, text, from, &a), slow = slow_next(text, from, &b);
        if (fast != slow || (fast && (a.at != b.at || a.n != b.n || a.kind != b.kind)))
            fail_msg("seed %llu run %llu: '%.*s' from %zu: %s %zu+%zu, want %s %zu+%zu",
                     (unsigned long long)seed_of_run, (unsigned long long)run, (int)text.n, text.at,
                     from, fast ? lethe_pii_names[a.kind] : "nothing", a.at, a.n,
                     slow ? lethe_pii_names[b.kind] : "nothing", b.at, b.n);
        if (!fast) return;
    }
}

static void findings_are_those_of_the_definitions(void **unused)
{
    (void)unused;
    static const char *const alphabets[] = {
        "0123456789-", "01- .", "12 ",     "19-. 0",   "a1@.",       "a.@-_1",
        "a1:",         "1:.f",  "a./:@?1", "ab.c/",    "4111-",      "20061-. ",
        "12.a@/: -",   "123, ", "12,/ -_", "0578, -/", "a.cf/\\#?!", "a @.co,"};
    const uint64_t runs = seeds(1000);
    state = seed_of_run;
    for (uint64_t run = 0; run < runs; run++) {
        for (size_t k = 0; k < LETHE_COUNT(alphabets); k++)
            compare(random_signs(alphabets[k], 24), run);
        compare(random_pieces(number_pieces, LETHE_COUNT(number_pieces), 14), run);
        compare(random_pieces(number_pieces, LETHE_COUNT(number_pieces), 9), run);
        compare(random_pieces(net_pieces, LETHE_COUNT(net_pieces), 14), run);
    }
}

/* --- what must hold of every kind --- */

static const char *const all_pieces[] = {"12",
                                         "4417",
                                         "elm",
                                         "maple",
                                         " ",
                                         " ",
                                         " ",
                                         " ",
                                         "st",
                                         "ave",
                                         "way",
                                         "n",
                                         "apt",
                                         "po",
                                         "box",
                                         "rue",
                                         "de",
                                         "via",
                                         "strasse",
                                         "haupt",
                                         "555",
                                         "1234",
                                         "-",
                                         ".",
                                         "(",
                                         ")",
                                         "+",
                                         "44",
                                         "020",
                                         "x",
                                         "ext",
                                         "@",
                                         "com",
                                         "/",
                                         ":",
                                         "::",
                                         "?",
                                         "john",
                                         "smith",
                                         "[list]",
                                         "[",
                                         "]",
                                         "'",
                                         ",",
                                         "#",
                                         "1/2",
                                         "hour",
                                         "louis",
                                         "hwy",
                                         "41",
                                         "12345678",
                                         "1.2.3.4",
                                         "www.",
                                         "\xC3\xA9",
                                         "\xE2\x80\x93",
                                         "\xD9\xA1\xD9\xA2\xD9\xA3\xD9\xA4",
                                         "\xCC\x81",
                                         "psc",
                                         "0",
                                         "1999",
                                         "dr",
                                         "_",
                                         "\\",
                                         "file",
                                         "\xCC\xB6",
                                         "\xEF\xBF\xBD",
                                         "run",
                                         "av",
                                         "p.o.",
                                         "o"};

static const char *const name_pieces[] = {" ",
                                          " ",
                                          " ",
                                          " ",
                                          " ",
                                          " ",
                                          "john",
                                          "smith",
                                          "mr.",
                                          "mary",
                                          "j.",
                                          "o'brien",
                                          "'s",
                                          ", ",
                                          ". ",
                                          "san",
                                          "jose",
                                          "ca",
                                          "new",
                                          "york",
                                          "in",
                                          "hotel",
                                          "\xE2\x80\x99s",
                                          "zden\xC4\x9Bk",
                                          "[person]",
                                          "[ssn]",
                                          "-",
                                          "born ",
                                          "12/3/1970",
                                          "ab12 cde",
                                          "gb82west12345698765432",
                                          "@",
                                          "_",
                                          "dear",
                                          "the",
                                          "by",
                                          "x1",
                                          "12345678z",
                                          "\xE6\x97\xA5",
                                          "sons",
                                          "and",
                                          "call",
                                          "lives",
                                          "weather",
                                          "springfield",
                                          "il"};

static lethe_phrases *small_list(void)
{
    lethe_phrases *p;
    assert_int_equal(
        lethe_phrases_memory(
            NULL, lethe_str_of("john smith\nelm\n12 elm\nsmith\nx x\no'smith john\n\xC3\xA9\n"),
            &p),
        LETHE_OK);
    return p;
}

/* The parts of `masked` between masks stand in `text` in that order, the first at its beginning
 * and the last at its end. */
static bool only_findings_changed(lethe_str text, lethe_str masked)
{
    size_t from = 0, i = 0;
    bool first = true;
    for (;;) {
        size_t start = i, mask = 0;
        while (i < masked.n && (mask = lethe_pii_mask_at(masked, i)) == 0)
            i++;
        lethe_str part = {masked.at + start, i - start};
        if (i >= masked.n)
            return part.n <= text.n - from &&
                   memcmp(text.at + text.n - part.n, part.at, part.n) == 0 &&
                   (!first || part.n == text.n);
        const char *p =
            part.n ? memmem(text.at + from, text.n - from, part.at, part.n) : text.at + from;
        if (!p || (first && p != text.at)) return false;
        from = (size_t)(p - text.at) + part.n;
        first = false;
        i += mask;
    }
}

static void check_mask(const lethe_detector *d, lethe_str raw, uint64_t run)
{
    lethe_buf normal = {0}, buf = {0}, again = {0};
    lethe_str text, masked, twice;
    bool invalid;
    uint64_t found[LETHE_N_PII] = {0}, none[LETHE_N_PII] = {0}, sum = 0;
    lethe_finding f;
    assert_int_equal(lethe_normalize(raw, &normal, &text, &invalid), LETHE_OK);
    assert_int_equal(lethe_pii_mask(d, text, &buf, &masked, found), LETHE_OK);
    assert_int_equal(lethe_pii_mask(d, masked, &again, &twice, none), LETHE_OK);
    for (int k = 0; k < LETHE_N_PII; k++) {
        sum += found[k];
        if (none[k])
            fail_msg("run %llu: something is left in '%.*s'", (unsigned long long)run,
                     (int)masked.n, masked.at);
    }
    assert_true(twice.at == masked.at && twice.n == masked.n);
    assert_true((sum == 0) == (masked.at == text.at));
    if (!only_findings_changed(text, masked))
        fail_msg("run %llu: '%.*s' became '%.*s'", (unsigned long long)run, (int)text.n, text.at,
                 (int)masked.n, masked.at);
    assert_int_equal(lethe_normalize(masked, &again, &twice, &invalid), LETHE_OK);
    if (!lethe_str_eq(masked, twice))
        fail_msg("run %llu: '%.*s' is not normal", (unsigned long long)run, (int)masked.n,
                 masked.at);
    // what stands before `from` is not looked at
    for (size_t from = 0; lethe_pii_next(d, text, from, &f); from = f.at + f.n) {
        lethe_finding g;
        lethe_str rest = {text.at + from, text.n - from};
        assert_true(f.n > 0 && f.at >= from && f.at + f.n <= text.n);
        assert_true(lethe_pii_next(d, rest, 0, &g));
        if (g.at + from != f.at || g.n != f.n || g.kind != f.kind)
            fail_msg("run %llu: '%.*s' from %zu", (unsigned long long)run, (int)text.n, text.at,
                     from);
    }
    lethe_buf_free(&normal);
    lethe_buf_free(&buf);
    lethe_buf_free(&again);
}

static void masks_leave_nothing_and_nothing_else(void **unused)
{
    (void)unused;
    lethe_phrases *phrases = small_list();
    state = seed_of_run + 1;
    for (uint64_t run = 0; run < seeds(20000); run++) {
        unsigned all = draw(2) ? LETHE_PII_ALL : LETHE_PII_EVERY;
        lethe_detector d = {draw(4) ? all : draw(all + 1), draw(2) ? phrases : NULL};
        check_mask(&d, random_pieces(all_pieces, LETHE_COUNT(all_pieces), 16), run);
        check_mask(&d, random_pieces(number_pieces, LETHE_COUNT(number_pieces), 12), run);
        check_mask(&d, random_pieces(net_pieces, LETHE_COUNT(net_pieces), 12), run);
        check_mask(&d, random_pieces(name_pieces, LETHE_COUNT(name_pieces), 20), run);
    }
    lethe_phrases_free(phrases);
}

/* --- phrases --- */

/* The words of a text of ASCII; a mask is one that no phrase has. */
static int words_of(lethe_str s, lethe_str *w)
{
    int n = 0;
    for (size_t i = 0; i < s.n;) {
        size_t mask = lethe_pii_mask_at(s, i), k = i;
        if (mask) {
            w[n++] = (lethe_str){s.at + i, mask};
            i += mask;
            continue;
        }
        while (k < s.n && alnum((unsigned char)s.at[k]))
            k++;
        if (k > i) w[n++] = (lethe_str){s.at + i, k - i};
        i = k > i ? k : i + 1;
    }
    return n;
}

static bool slow_phrase(lethe_str text, size_t from, const char *const *phrases, size_t n_phrases,
                        lethe_finding *out)
{
    lethe_str w[TEXT_MAX], p[TEXT_MAX];
    int n = words_of((lethe_str){text.at + from, text.n - from}, w);
    for (int i = 0; i < n; i++) {
        out->n = 0;
        for (size_t k = 0; k < n_phrases; k++) {
            int m = words_of(lethe_str_of(phrases[k]), p), j = 0;
            while (j < m && i + j < n && lethe_str_eq(p[j], w[i + j]))
                j++;
            size_t length = j == m ? (size_t)(w[i + m - 1].at + w[i + m - 1].n - w[i].at) : 0;
            if (length > out->n)
                *out = (lethe_finding){(size_t)(w[i].at - text.at), length, LETHE_PII_LIST};
        }
        if (out->n > 0) return true;
    }
    return false;
}

static void phrases_are_found_as_whole_words(void **unused)
{
    (void)unused;
    static const char *const words[] = {"a", "b", "ab", "ba", "1", "a1"};
    static const char *const gaps[] = {" ", " ", ".", "-", ", ", "'", "[ssn]", "", "@"};
    state = seed_of_run + 2;
    for (int run = 0; run < (int)seeds(1500); run++) {
        char lines[8][32], list[512] = "";
        const char *phrases[8];
        size_t n = 1 + draw(8);
        for (size_t k = 0; k < n; k++) {
            lines[k][0] = '\0';
            for (uint32_t j = 0, m = 1 + draw(4); j < m; j++) {
                if (j > 0) strcat(lines[k], draw(2) ? " " : "-");
                strcat(lines[k], words[draw(LETHE_COUNT(words))]);
            }
            phrases[k] = lines[k];
            strcat(strcat(list, lines[k]), "\n");
        }
        lethe_phrases *p;
        assert_int_equal(lethe_phrases_memory(NULL, lethe_str_of(list), &p), LETHE_OK);
        for (int t = 0; t < 10; t++) {
            text_n = 0;
            for (uint32_t j = 0, m = draw(14); j < m; j++) {
                put(words[draw(LETHE_COUNT(words))]);
                put(gaps[draw(LETHE_COUNT(gaps))]);
            }
            lethe_str text = {text_bytes, text_n};
            lethe_detector d = {0, p};
            lethe_finding a = {0}, b = {0};
            for (size_t from = 0;; from = a.at + a.n) {
                bool fast = lethe_pii_next(&d, text, from, &a),
                     slow = slow_phrase(text, from, phrases, n, &b);
                if (fast != slow || (fast && (a.at != b.at || a.n != b.n)))
                    fail_msg("run %d: '%.*s' from %zu with\n%s", run, (int)text.n, text.at, from,
                             list);
                if (!fast) break;
            }
        }
        lethe_phrases_free(p);
    }
}

/* --- a phrase beside other kinds, over texts longer than the search's windows --- */

static void phrases_and_forms_win_in_order(void **unused)
{
    (void)unused;
    static const char *const pieces[] = {"john ",           "john.",       "john@aol.com ",
                                         "555-12-1234 ",    "zzzz ",       "yyyyyyyyyyyyyyyy ",
                                         "johnstrasse 12 ", "rue john 7 ", "john:",
                                         "fe80::john ",     "12 john st "};
    lethe_phrases *p;
    assert_int_equal(lethe_phrases_memory(NULL, LETHE_LIT("john\nfe80\nrue\n"), &p), LETHE_OK);
    static char text[4096];
    state = seed_of_run + 3;
    for (int run = 0; run < (int)seeds(1500); run++) {
        size_t n = 0;
        for (uint32_t k = draw(60); k > 0; k--) {
            const char *s = pieces[draw(4) ? 4 + draw(2) : draw(LETHE_COUNT(pieces))];
            memcpy(text + n, s, strlen(s));
            n += strlen(s);
        }
        // what wins is the better of what each finds by itself
        lethe_detector both = {LETHE_PII_ALL, p}, forms = {LETHE_PII_ALL, NULL}, list = {0, p};
        lethe_finding f = {0}, a = {0}, b = {0};
        for (size_t from = 0;; from = f.at + f.n) {
            bool any = lethe_pii_next(&both, (lethe_str){text, n}, from, &f);
            bool x = lethe_pii_next(&forms, (lethe_str){text, n}, from, &a);
            bool y = lethe_pii_next(&list, (lethe_str){text, n}, from, &b);
            assert_int_equal(any, x || y);
            if (!any) break;
            if (!x || (y && (b.at < a.at || (b.at == a.at && b.n > a.n)))) a = b;
            if (a.at != f.at || a.n != f.n || a.kind != f.kind)
                fail_msg("run %d from %zu: '%.*s'", run, from, (int)n, text);
        }
    }
    lethe_phrases_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_those_of_the_definitions),
        cmocka_unit_test(masks_leave_nothing_and_nothing_else),
        cmocka_unit_test(phrases_are_found_as_whole_words),
        cmocka_unit_test(phrases_and_forms_win_in_order),
    };
    const char *seed = getenv("LETHE_TEST_SEED");
    if (seed) seed_of_run = strtoull(seed, NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
