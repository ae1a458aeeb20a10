/* SPDX-License-Identifier: Apache-2.0 */
/* Rejected lines: the first few of each cause are named, the rest counted.  Each worker keeps its
 * own lowest three of a cause, and the lowest three of all workers are the file's, for any number
 * of threads. */
#include "model/log/rejects.h"
#include <stdio.h>
#include <stdlib.h>

static lethe_err cause_find(lethe_rejects *r, const char *text, lethe_cause **out)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->causes[i].text == text || strcmp(r->causes[i].text, text) == 0) {
            *out = &r->causes[i];
            return LETHE_OK;
        }
    }
    if (!r->causes) {
        r->causes = lethe_alloc(LETHE_CAUSES_MAX, sizeof *r->causes);
        if (!r->causes) return LETHE_ENOMEM;
    }
    if (r->n < LETHE_CAUSES_MAX) r->causes[r->n++] = (lethe_cause){.text = text};
    *out = &r->causes[r->n - 1];
    return LETHE_OK;
}

static size_t samples_of(const lethe_cause *c)
{
    size_t n = 0;
    while (n < LETHE_SAMPLES && c->samples[n].line != 0)
        n++;
    return n;
}

/* Puts a sample where its line belongs; what falls off the end is freed. */
static void sample_insert(lethe_cause *c, lethe_sample s)
{
    for (size_t i = 0; i < LETHE_SAMPLES; i++) {
        lethe_sample *at = &c->samples[i];
        if (at->line != 0 && at->line <= s.line) continue;
        lethe_sample pushed = *at;
        *at = s;
        s = pushed;
    }
    lethe_free_all(s.content, s.value);
}

/* The value as it is shown; NULL: no memory. */
static char *value_shown(lethe_str value)
{
    enum { SHOWN = 80 };
    char *shown = lethe_alloc(SHOWN, 1);
    if (shown) lethe_show(shown, SHOWN, value);
    return shown;
}

static lethe_err reject_add(lethe_rejects *r, uint64_t line, uint32_t column, const char *cause,
                            lethe_str content, const lethe_str *value)
{
    lethe_cause *c = NULL;
    LETHE_TRY(cause_find(r, cause, &c));
    size_t n_samples = samples_of(c);
    if (n_samples < LETHE_SAMPLES || line < c->samples[n_samples - 1].line) {
        size_t n = LETHE_MIN(content.n, (size_t)LETHE_CONTENT_MAX);
        char *copy = lethe_alloc(n, 1), *shown = value ? value_shown(*value) : NULL;
        if (!copy || (value && !shown)) {
            lethe_free_all(copy, shown);
            return LETHE_ENOMEM;
        }
        if (n > 0) memcpy(copy, content.at, n);
        sample_insert(c, (lethe_sample){line, column, (uint32_t)n, copy, shown});
    }
    c->n++;
    return LETHE_OK;
}

lethe_err lethe_rejects_add(lethe_rejects *r, uint64_t line, uint32_t column, const char *cause,
                            lethe_str content)
{
    return reject_add(r, line, column, cause, content, NULL);
}

lethe_err lethe_rejects_add_value(lethe_rejects *r, uint64_t line, uint32_t column,
                                  const char *cause, lethe_str content, lethe_str value)
{
    return reject_add(r, line, column, cause, content, &value);
}

lethe_err lethe_rejects_merge(lethe_rejects *r, lethe_rejects *from)
{
    for (size_t i = 0; i < from->n; i++) {
        lethe_cause *c = NULL, *f = &from->causes[i];
        LETHE_TRY(cause_find(r, f->text, &c));
        c->n += f->n;
        for (size_t k = 0; k < LETHE_SAMPLES && f->samples[k].line != 0; k++) {
            sample_insert(c, f->samples[k]);
            f->samples[k] = (lethe_sample){0};
        }
    }
    return LETHE_OK;
}

typedef struct report_line {
    const lethe_sample *sample;
    const lethe_cause *cause;
} report_line;

static int by_line(const void *a, const void *b)
{
    uint64_t x = ((const report_line *)a)->sample->line, y = ((const report_line *)b)->sample->line;
    return (x > y) - (x < y);
}

static void say_sample(lethe_diag *d, lethe_severity severity, const char *file,
                       const report_line *s)
{
    lethe_message m = {.severity = severity,
                       .file = file,
                       .line = s->sample->line,
                       .column = s->sample->column,
                       .text = s->cause->text,
                       .content = {s->sample->content, s->sample->n}};
    char text[512];
    if (s->sample->value) {
        snprintf(text, sizeof text, "%s: '%s'", s->cause->text, s->sample->value);
        m.text = text;
    }
    lethe_say(d, &m);
}

static void say_more(lethe_diag *d, const char *file, const lethe_cause *c)
{
    uint64_t more = c->n - samples_of(c);
    if (more == 0) return;
    char text[256];
    snprintf(text, sizeof text, "\xE2\x80\xA6 and %llu more line%s: %s", (unsigned long long)more,
             more == 1 ? "" : "s", c->text);
    lethe_message m = {.severity = LETHE_WARNING, .file = file, .text = text};
    lethe_say(d, &m);
}

lethe_err lethe_rejects_say(lethe_diag *d, const char *file, const lethe_rejects *r)
{
    if (r->n == 0) return LETHE_OK;
    size_t n = 0;
    report_line *all = lethe_alloc(r->n * LETHE_SAMPLES, sizeof *all);
    if (!all) return LETHE_ENOMEM;
    for (size_t i = 0; i < r->n; i++) {
        const lethe_cause *c = &r->causes[i];
        for (size_t k = 0; k < samples_of(c); k++)
            all[n++] = (report_line){&c->samples[k], c};
    }
    qsort(all, n, sizeof *all, by_line);
    for (size_t i = 0; i < n; i++)
        say_sample(d, LETHE_WARNING, file, &all[i]);
    for (size_t i = 0; i < n; i++) // causes in the order in which they first occur
        if (all[i].sample == &all[i].cause->samples[0]) say_more(d, file, all[i].cause);
    lethe_free(all);
    return LETHE_OK;
}

const char *lethe_rejects_say_first(lethe_diag *d, const char *file, const lethe_rejects *r)
{
    report_line first = {0};
    for (size_t i = 0; i < r->n; i++) {
        const lethe_cause *c = &r->causes[i];
        if (!first.sample || c->samples[0].line < first.sample->line)
            first = (report_line){&c->samples[0], c};
    }
    if (!first.sample) return NULL;
    say_sample(d, LETHE_ERROR, file, &first);
    return first.cause->text;
}

bool lethe_rejects_have(const lethe_rejects *r, const char *cause)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->causes[i].text, cause) == 0) return true;
    return false;
}

void lethe_rejects_clear(lethe_rejects *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < LETHE_SAMPLES; k++)
            lethe_free_all(r->causes[i].samples[k].content, r->causes[i].samples[k].value);
    r->n = 0;
}

void lethe_rejects_free(lethe_rejects *r)
{
    lethe_rejects_clear(r);
    lethe_free(r->causes);
    *r = (lethe_rejects){0};
}
