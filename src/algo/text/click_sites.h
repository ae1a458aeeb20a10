/* SPDX-License-Identifier: Apache-2.0 */
/* click_sites.h - the site of a clicked URL, and whether a query names it. */
#ifndef LETHE_ALGO_TEXT_CLICK_SITES_H
#define LETHE_ALGO_TEXT_CLICK_SITES_H
#include "core/mem.h"

/* The host (text/normalize.h) without a leading "www."; *has_host.  A URL whose host cannot be told
 * is a site of its own.  A view of `url`, or in `buf` (emptied first).  LETHE_ENOMEM is not said.
 */
LETHE_MUST_CHECK lethe_err lethe_site_of_url(lethe_str url, lethe_buf *buf, lethe_str *site,
                                             bool *has_host);

/* A text for the question below, in `out` (emptied first): dots for all bytes but a-z, 0-9, - and
 * those from 0x80 on, one for several in a row, and one at either end.  So spaces are dots: who
 * types "example com" means example.com. */
LETHE_MUST_CHECK lethe_err lethe_dotted(lethe_str text, lethe_buf *out);

/* Does a text, dotted, hold the domain of this host (or of a site with one)?  That is its last two
 * labels, or three where the last has two letters and the one before at most three (example.co.uk),
 * a leading "www." not counted; an IP address whole.  `buf` is scratch. */
LETHE_MUST_CHECK lethe_err lethe_dotted_names(lethe_str dotted, lethe_str host, lethe_buf *buf,
                                              bool *names);

#endif
