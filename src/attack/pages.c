/* SPDX-License-Identifier: Apache-2.0 */
/* pages.c - the part of a URL that names a page. */
#include "attack/pages.h"
#include "text/normalize.h"

static size_t find_any(lethe_str s, size_t from, const char *stop)
{
    while (from < s.n && (s.at[from] == '\0' || !strchr(stop, s.at[from])))
        from++;
    return from;
}

lethe_str lethe_url_rest(lethe_str url)
{
    size_t colon = find_any(url, 0, ":/\\?#"), at = 0;
    if (colon + 2 < url.n && memcmp(url.at + colon, "://", 3) == 0) at = colon + 3;
    if (url.n >= 2 && memcmp(url.at, "//", 2) == 0) at = 2;
    size_t end = find_any(url, at, "/\\?#");
    for (size_t i = at; i < end; i++)
        if (url.at[i] == '@') at = i + 1;
    if (at < end && url.at[at] == '[') at = find_any(url, at, "]");
    at = LETHE_MIN(find_any(url, at, ":"), end);
    lethe_str rest = {url.at + at, url.n - at};
    if (rest.n == 1 && rest.at[0] == '/') rest.n = 0;
    return rest;
}

static lethe_err page_of(lethe_str url, bool rest, lethe_buf *host, lethe_buf *page, lethe_str *out)
{
    lethe_str name;
    LETHE_TRY(lethe_url_host(url, host, &name));
    *out = url;
    if (name.n == 0) return LETHE_OK;
    page->n = 0;
    LETHE_TRY(lethe_buf_put(page, "//", 2));
    LETHE_TRY(lethe_buf_str(page, name));
    if (rest) LETHE_TRY(lethe_buf_str(page, lethe_url_rest(url)));
    *out = (lethe_str){(const char *)page->at, page->n};
    return LETHE_OK;
}

lethe_err lethe_page_of(lethe_str url, lethe_buf *host, lethe_buf *page, lethe_str *out)
{
    return page_of(url, true, host, page, out);
}

lethe_err lethe_page_of_host(lethe_str url, lethe_buf *host, lethe_buf *page, lethe_str *out)
{
    return page_of(url, false, host, page, out);
}
