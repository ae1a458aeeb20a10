/* SPDX-License-Identifier: Apache-2.0 */
/* Small text files line by line, on top of blocks. */
#include "io/read/lines.h"
#include <stdarg.h>
#include <stdio.h>

static lethe_err begin(lethe_lines *l, lethe_source *s)
{
    if (l->err == LETHE_OK)
        l->err = lethe_blocks_new(l->diag, s, LETHE_CUT_LINES, 0, (size_t)64 << 10, &l->blocks);
    if (l->err == LETHE_OK) l->name = lethe_source_name(lethe_blocks_source(l->blocks));
    return l->err;
}

lethe_err lethe_lines_open(lethe_lines *l, lethe_diag *d, const char *path)
{
    lethe_source *s = NULL;
    *l = (lethe_lines){.diag = d};
    l->err = lethe_source_open(d, path, &s);
    return begin(l, s);
}

lethe_err lethe_lines_memory(lethe_lines *l, lethe_diag *d, lethe_str bytes)
{
    lethe_source *s = NULL;
    *l = (lethe_lines){.diag = d};
    l->err = lethe_source_memory(d, bytes, &s);
    return begin(l, s);
}

void lethe_lines_close(lethe_lines *l)
{
    lethe_block_free(&l->block);
    lethe_blocks_free(l->blocks);
    l->blocks = NULL;
}

bool lethe_lines_next(lethe_lines *l, lethe_str *line)
{
    if (l->err != LETHE_OK || !l->blocks) return false;
    while (l->at >= l->block.text.n) {
        bool more = false;
        l->err = lethe_blocks_next(l->blocks, &l->block, &more);
        if (l->err != LETHE_OK || !more) return false;
        l->at = 0;
        l->number = l->block.first_line - 1;
        if (!l->block.too_long) continue;
        l->number++;
        l->err = lethe_lines_fault(l, 0, "the line is longer than %zu bytes", LETHE_LINE_MAX);
        return false;
    }
    const char *from = l->block.text.at + l->at;
    size_t left = l->block.text.n - l->at;
    const char *lf = memchr(from, '\n', left);
    size_t n = lf ? (size_t)(lf - from) : left;
    l->at += n + (lf != NULL);
    l->number++;
    if (n > 0 && from[n - 1] == '\r') n--;
    *line = (lethe_str){from, n};
    return true;
}

size_t lethe_tabs_split(lethe_str line, lethe_str *f, size_t max)
{
    size_t n = 0;
    for (size_t from = 0; from <= line.n; n++) {
        const char *tab = from < line.n ? memchr(line.at + from, '\t', line.n - from) : NULL;
        size_t to = tab ? (size_t)(tab - line.at) : line.n;
        if (n < max) f[n] = (lethe_str){line.at + from, to - from};
        from = to + 1;
    }
    return n;
}

lethe_err lethe_lines_fault(const lethe_lines *l, uint32_t column, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return lethe_fail_at(l->diag, LETHE_EINPUT, l->name, l->number, column, "%s", text);
}
