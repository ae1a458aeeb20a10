/* SPDX-License-Identifier: Apache-2.0 */
/* pages.h - the page that a URL names, for comparing URLs. */
#ifndef LETHE_ATTACK_PAGES_H
#define LETHE_ATTACK_PAGES_H
#include "core/mem.h"

/* A page and its site, by their numbers. */
typedef struct lethe_page_site {
    uint32_t page, site;
} lethe_page_site;

/* The part of a URL after scheme, user and host: port, path, query; empty for a lone slash.  Only
 * for a URL that has a host. */
lethe_str lethe_url_rest(lethe_str url);

/* Two URLs are one page where host and rest are the same.  `//host` and the rest; of a URL without
 * a host its own bytes.  A view of `url` or of `page` (emptied first). */
LETHE_MUST_CHECK lethe_err lethe_page_of(lethe_str url, lethe_buf *host, lethe_buf *page,
                                         lethe_str *out);
/* The same of a URL that was cut to its host, where it has one. */
LETHE_MUST_CHECK lethe_err lethe_page_of_host(lethe_str url, lethe_buf *host, lethe_buf *page,
                                              lethe_str *out);

#endif
