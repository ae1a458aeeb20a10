/* SPDX-License-Identifier: Apache-2.0 */
/* report_page.h - what the page's files share; nobody else includes it.
 *
 *   report.c           the frame of the page, tables and figures as all parts use them
 *   report_style.c     its looks
 *   report_answer.c    the promise, and what adversaries still find, in one box
 *   report_left.c      what is left of the original
 *   report_promise.c   what a claim means, in plain words
 *   report_release.c   what was done, the verdict, the figures
 *   report_against.c   beside the original: measures and adversaries
 *   report_table.c     the same for a table: loss, groups, risk, values
 *   report_survival.c  how many users stand behind the texts
 *   report_examples.c  rows as they are published
 *   report_study.c     several releases side by side */
#ifndef LETHE_RELEASE_PAGE_REPORT_PAGE_H
#define LETHE_RELEASE_PAGE_REPORT_PAGE_H
#include "attack/risk.h"
#include "release/page/report.h"
#include "release/page/svg.h"

typedef struct lethe_page {
    lethe_html h;
    lethe_ctx *ctx;
    lethe_diag *diag;
    const lethe_report_input *in;
    lethe_arena *arena;
    size_t n_plots, n_boxes;
    lethe_survival survival; /* of the release */
} lethe_page;

extern const char *const lethe_page_style[]; /* ends with NULL */

/* A section with its heading; lethe_html_end() ends it. */
void lethe_page_section(lethe_page *p, const char *id, const char *heading);
void lethe_page_paragraph(lethe_page *p, const char *text);
LETHE_PRINTF(2, 3) void lethe_page_say(lethe_page *p, const char *fmt, ...);

/* A table in a box of its own that scrolls, and can be reached by keyboard.  `columns` ends with
 * NULL; a name with '#' first is a column of numbers, and is written without it. */
void lethe_page_table(lethe_page *p, const char *caption, const char *const *columns);
void lethe_page_table_end(lethe_page *p);
void lethe_page_row(lethe_page *p, const char *head); /* NULL: cells alone */
void lethe_page_row_end(lethe_page *p);
void lethe_page_cell(lethe_page *p, const char *text);
/* The same for a word of the formats, in a fixed-width font. */
void lethe_page_code(lethe_page *p, const char *text);
void lethe_page_number(lethe_page *p, double x, lethe_unit unit);
/* Raw text, at most `max` characters, in a direction of its own. */
void lethe_page_raw(lethe_page *p, const char *element, lethe_str text, size_t max);
/* "holds" or "does not hold", not by colour alone. */
void lethe_page_verdict(lethe_page *p, bool holds);

/* A figure: the plot is drawn by the caller between begin and caption, the table of its numbers
 * between caption and end.  The plot's id lives in the page. */
lethe_plot lethe_page_figure(lethe_page *p, const char *title, const char *desc);
lethe_plot lethe_page_wide_figure(lethe_page *p, const char *title, const char *desc);
void lethe_page_caption(lethe_page *p, const char *text);
void lethe_page_figure_end(lethe_page *p);

/* A value as people read it: numbers grouped, yes and no, texts as they are, several parted by
 * commas.  Lives in the page; lack of memory is remembered. */
const char *lethe_page_value(lethe_page *p, const lethe_json *v);
bool lethe_page_is_number(const lethe_json *v);
/* A member of an object that is a number; NaN: it is none. */
double lethe_page_member(const lethe_json *object, const char *name);
/* A copy that lives in the page, NUL-ended; "" for lack of memory, which is remembered. */
const char *lethe_page_copy(lethe_page *p, lethe_str s);
LETHE_PRINTF(2, 3) const char *lethe_page_format(lethe_page *p, const char *fmt, ...);

/* With a capital letter and a full stop, or what ends it already. */
const char *lethe_page_sentence(lethe_page *p, const char *text);

/* The parts. */
/* A claim, and its check in the verdict (NULL: there is none). */
void lethe_page_promise(lethe_page *p, const lethe_json *claim, const lethe_json *check);
/* "promises nothing" or "promises next to nothing", where that is so of the check, or of all
 * checks; NULL where something is promised. */
const char *lethe_page_nothing(lethe_page *p, const lethe_json *check);
const char *lethe_page_nothing_at_all(lethe_page *p, const lethe_json *verdict);
/* How much of the promises the published files do not show, in words; NULL: all is decided. */
const char *lethe_page_undecided(lethe_page *p);
/* What the notion is called in plain words; the notion's own name where it is not known. */
const char *lethe_page_notion(lethe_page *p, const lethe_json *claim);
/* "t = 5, by = users" */
const char *lethe_page_parameters(lethe_page *p, const lethe_json *object, const char *but);
void lethe_page_answer(lethe_page *p);
void lethe_page_left(lethe_page *p);
void lethe_page_promised(lethe_page *p); /* caveats, promise */
void lethe_page_method(lethe_page *p);   /* settings, files, check, figures */
void lethe_page_survival(lethe_page *p);
LETHE_MUST_CHECK lethe_err lethe_page_examples(lethe_page *p);
void lethe_page_measures(lethe_page *p);
void lethe_page_attacks(lethe_page *p);
void lethe_page_risks(lethe_page *p); /* as the manifest has them */
/* Of a table that keeps its promise and was not measured: the answer as the manifest has it. */
void lethe_page_table_promised(lethe_page *p);
/* Of a table that was measured: the answer in a few numbers; and all of it. */
void lethe_page_table_facts(lethe_page *p);
void lethe_page_table_measures(lethe_page *p, const lethe_json *metrics);
LETHE_MUST_CHECK lethe_err lethe_page_study(lethe_page *p);
/* A few rows of a study's release as a list, if the study has it; and the way to its page: NULL if
 * there is none. */
LETHE_MUST_CHECK lethe_err lethe_page_study_rows(lethe_page *p, const char *name, size_t n);
const char *lethe_page_study_link(lethe_page *p, const char *name);

#endif
