/* SPDX-License-Identifier: Apache-2.0 */
/* click_draw.c - one click of each URL. */
#include "method/disconnect/click_draw.h"

lethe_err lethe_click_draw_begin(lethe_click_draw *d, const uint64_t *clicks, size_t n)
{
    d->left.n = 0;
    return lethe_buf_put(&d->left, clicks, n * sizeof *clicks);
}

bool lethe_click_draw_takes(lethe_click_draw *d, uint32_t url)
{
    uint64_t *left = (uint64_t *)(void *)d->left.at + url;
    if (*left == 0) return false;
    bool takes = *left == 1 || lethe_rng_below(&d->rng, *left) == 0;
    *left = takes ? 0 : *left - 1;
    return takes;
}

void lethe_click_draw_free(lethe_click_draw *d)
{
    lethe_buf_free(&d->left);
    lethe_rng_wipe(&d->rng);
}
