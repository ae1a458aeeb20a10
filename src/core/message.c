/* SPDX-License-Identifier: Apache-2.0 */
/* Messages are written with the options of the command line (--min-urls, -k).  A caller that sets
 * them otherwise reads them as it writes them. */
#include "core/message.h"
#include <stdio.h>

static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_name(char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '-'; }

/* The number of bytes of the option at `s`, with its dashes; 0: there is none. */
static size_t option_at(const char *s)
{
    if (s[0] != '-') return 0;
    if (s[1] != '-') return is_lower(s[1]) && !is_name(s[2]) && s[2] != '_' ? 2 : 0;
    size_t n = 2;
    if (!is_lower(s[2])) return 0;
    while (is_name(s[n]))
        n++;
    return s[n - 1] == '-' ? n - 1 : n;
}

static bool begins_word(const char *text, const char *s)
{
    return s == text || s[-1] == ' ' || s[-1] == '(';
}

/* The option `s`, of n bytes with its dashes, as the style has it; returns its length. */
static size_t option_write(char *out, size_t cap, const char *s, size_t n, size_t dashes,
                           lethe_option_style style)
{
    int length = (int)(n - dashes);
    int written = style == LETHE_OPTIONS_DASHED ? snprintf(out, cap, "%.*s", (int)n, s)
                  : style == LETHE_OPTIONS_QUOTED
                      ? snprintf(out, cap, "'%.*s'", length, s + dashes)
                      : snprintf(out, cap, "%.*s%s", length, s + dashes, s[n] == ':' ? "" : "=");
    size_t used = written < 0 ? 0 : LETHE_MIN((size_t)written, cap - 1);
    for (size_t i = 0; style == LETHE_OPTIONS_KEYWORDS && i < used; i++)
        if (out[i] == '-') out[i] = '_';
    return used;
}

void lethe_message_options(const char *text, lethe_option_style style,
                           char out[LETHE_MESSAGE_BYTES], char option[LETHE_OPTION_BYTES])
{
    size_t n = 0;
    option[0] = '\0';
    for (const char *s = text; *s && n + 1 < LETHE_MESSAGE_BYTES;) {
        size_t length = begins_word(text, s) ? option_at(s) : 0, dashes = s[1] == '-' ? 2 : 1;
        if (length == 0) {
            out[n++] = *s++;
            continue;
        }
        if (!option[0])
            snprintf(option, LETHE_OPTION_BYTES, "%.*s", (int)(length - dashes), s + dashes);
        n += option_write(out + n, LETHE_MESSAGE_BYTES - n, s, length, dashes, style);
        s += length;
    }
    out[n] = '\0';
}

void lethe_message_keep(lethe_kept_message *kept, const lethe_message *m)
{
    kept->message = *m;
    kept->message.size = sizeof kept->message;
    kept->message.content = (lethe_str){0};
    snprintf(kept->text, sizeof kept->text, "%s", m->text ? m->text : "");
    kept->message.text = kept->text;
    if (m->file) {
        snprintf(kept->file, sizeof kept->file, "%s", m->file);
        kept->message.file = kept->file;
    }
    if (m->option) {
        snprintf(kept->option, sizeof kept->option, "%s", m->option);
        kept->message.option = kept->option;
    }
}
