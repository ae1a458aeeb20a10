/* SPDX-License-Identifier: Apache-2.0 */
/* click_sites.c - the site of a clicked URL: its host in lower case, without "www.". */
#include "algo/text/click_sites.h"
#include "text/normalize.h"

static bool has_www(lethe_str host) { return host.n > 4 && memcmp(host.at, "www.", 4) == 0; }

static lethe_str tail(lethe_str s, size_t from) { return (lethe_str){s.at + from, s.n - from}; }

lethe_err lethe_site_of_url(lethe_str url, lethe_buf *buf, lethe_str *site, bool *has_host)
{
    lethe_str host;
    LETHE_TRY(lethe_url_host(url, buf, &host));
    *has_host = host.n > 0;
    *site = !*has_host ? url : has_www(host) ? tail(host, 4) : host;
    return LETHE_OK;
}

static bool stays(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || (uint8_t)c >= 0x80;
}

lethe_err lethe_dotted(lethe_str text, lethe_buf *out)
{
    out->n = 0;
    LETHE_TRY(lethe_buf_reserve(out, text.n + 2));
    out->at[out->n++] = '.';
    for (size_t i = 0; i < text.n; i++) {
        if (stays(text.at[i]))
            out->at[out->n++] = (uint8_t)text.at[i];
        else if (out->at[out->n - 1] != '.')
            out->at[out->n++] = '.';
    }
    if (out->at[out->n - 1] != '.') out->at[out->n++] = '.';
    return LETHE_OK;
}

/* Where the last label of s[0..end-1] begins. */
static size_t label_start(lethe_str s, size_t end)
{
    while (end > 0 && s.at[end - 1] != '.')
        end--;
    return end;
}

/* The last label of a name is no number: lethe_url_host() sees to that. */
static bool is_address(lethe_str host)
{
    size_t i = host.n;
    while (i > 0 && host.at[i - 1] >= '0' && host.at[i - 1] <= '9')
        i--;
    return host.at[0] == '[' || i == 0 || (i < host.n && host.at[i - 1] == '.');
}

static bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

static lethe_str domain_of(lethe_str host)
{
    if (is_address(host)) return host;
    if (has_www(host) && memchr(host.at + 4, '.', host.n - 4)) host = tail(host, 4);
    size_t last = label_start(host, host.n);
    if (last == 0) return host;
    size_t second = label_start(host, last - 1);
    bool country = host.n - last == 2 && is_letter(host.at[last]) && is_letter(host.at[last + 1]);
    if (!country || last - 1 - second > 3 || second == 0) return tail(host, second);
    return tail(host, label_start(host, second - 1));
}

lethe_err lethe_dotted_names(lethe_str dotted, lethe_str host, lethe_buf *buf, bool *names)
{
    *names = false;
    if (host.n == 0) return LETHE_OK;
    LETHE_TRY(lethe_dotted(domain_of(host), buf)); // a label may have an underscore
    *names = buf->n > 1 && memmem(dotted.at, dotted.n, buf->at, buf->n) != NULL;
    return LETHE_OK;
}
