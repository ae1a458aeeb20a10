/* SPDX-License-Identifier: Apache-2.0 */
/* well_formed.h - is a text well-formed, as XML is?  Every element closed in its turn, attributes
 * quoted and named once, nothing loose.  Written apart from what writes pages, and no more than
 * these tests need: no comments, no CDATA, one DOCTYPE. */
#ifndef LETHE_TESTS_WELL_FORMED_H
#define LETHE_TESTS_WELL_FORMED_H
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct wf {
    const char *at;
    char open[64][32];
    int depth, elements;
    char fault[96];
} wf;

static inline bool wf_fails(wf *w, const char *why)
{
    if (!w->fault[0]) snprintf(w->fault, sizeof w->fault, "%s: %.40s", why, w->at);
    return false;
}

static inline bool wf_name(wf *w, char out[32])
{
    size_t n = 0;
    while (isalnum((unsigned char)w->at[n]) || w->at[n] == '-')
        n++;
    if (n == 0 || n > 31) return wf_fails(w, "no name");
    memcpy(out, w->at, n);
    out[n] = '\0';
    w->at += n;
    return true;
}

/* After '&': one of the five, or a number. */
static inline bool wf_entity(wf *w)
{
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(w->at, names[i], strlen(names[i])) == 0) {
            w->at += strlen(names[i]);
            return true;
        }
    return wf_fails(w, "loose &");
}

static inline bool wf_attributes(wf *w)
{
    char seen[16][32];
    int n = 0;
    while (*w->at == ' ' && w->at[1] != '/') {
        w->at++;
        if (n == 16 || !wf_name(w, seen[n])) return wf_fails(w, "attribute");
        for (int i = 0; i < n; i++)
            if (strcmp(seen[i], seen[n]) == 0) return wf_fails(w, "attribute twice");
        n++;
        if (strncmp(w->at, "=\"", 2) != 0) return wf_fails(w, "not quoted");
        for (w->at += 2; *w->at != '"';) {
            if (!*w->at || *w->at == '<' || *w->at == '>') return wf_fails(w, "open quote");
            if (*w->at == '&') {
                if (!wf_entity(w)) return false;
            } else {
                w->at++;
            }
        }
        w->at++;
    }
    return true;
}

static inline bool wf_tag(wf *w)
{
    char name[32];
    bool closes = w->at[1] == '/';
    w->at += closes ? 2 : 1;
    if (!wf_name(w, name)) return false;
    if (closes) {
        if (w->depth == 0 || strcmp(w->open[w->depth - 1], name) != 0)
            return wf_fails(w, "closes what is not open");
        w->depth--;
        if (*w->at++ != '>') return wf_fails(w, "end tag");
        return true;
    }
    if (!wf_attributes(w)) return false;
    w->elements++;
    if (strncmp(w->at, " />", 3) == 0) {
        w->at += 3;
        return true;
    }
    if (*w->at++ != '>' || w->depth == 64) return wf_fails(w, "start tag");
    strcpy(w->open[w->depth++], name);
    return true;
}

/* "" or what is wrong.  Bytes under 0x20 but tab and LF are. */
static inline const char *well_formed(const char *text)
{
    static wf w;
    w = (wf){.at = text};
    if (strncmp(w.at, "<!DOCTYPE html>", 15) == 0) w.at += 15;
    while (*w.at && !w.fault[0]) {
        if (*w.at == '<') {
            if (!wf_tag(&w)) break;
        } else if (*w.at == '&') {
            if (!wf_entity(&w)) break;
        } else if ((unsigned char)*w.at < 0x20 && *w.at != '\n' && *w.at != '\t') {
            wf_fails(&w, "control character");
        } else if (w.depth == 0 && *w.at != '\n') {
            wf_fails(&w, "text outside");
        } else {
            w.at++;
        }
    }
    if (!w.fault[0] && w.depth > 0) wf_fails(&w, w.open[w.depth - 1]);
    if (!w.fault[0] && w.elements == 0) wf_fails(&w, "nothing there");
    return w.fault;
}

#endif
