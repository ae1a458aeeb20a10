/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - a page about a release, or about a study of several: one HTML file for people who
 * decide whether it may go out.  It loads nothing and runs nothing.
 *
 * What it says of a release comes from the manifest and the published bytes, and nothing else, so
 * it may be handed out with them; only `measure`, `attack` and `original`, where they are given,
 * say what the original adds, and the page then says so too.  The same input gives the same bytes.
 */
#ifndef LETHE_RELEASE_PAGE_REPORT_H
#define LETHE_RELEASE_PAGE_REPORT_H
#include "release/release.h"

#define LETHE_REPORT_NAME "report.html"
#define LETHE_REPORT_EXAMPLES 10 /* rows that a page shows */

/* How much has at least so many users behind it (of records: so many that are equal). */
enum { LETHE_LEVELS = 11 };
extern const uint64_t lethe_levels[LETHE_LEVELS]; /* 1, 2, 3, 5, 10, 20, 50, .. 1000 */
typedef struct lethe_survival {
    uint64_t rows[LETHE_LEVELS];  /* rows whose text has; [0]: all of them */
    uint64_t texts[LETHE_LEVELS]; /* distinct texts that have */
    uint64_t users;               /* of a log */
    uint64_t empty;               /* of records: those without items */
} lethe_survival;
/* Of a log, walked once.  LETHE_ECANCEL. */
LETHE_MUST_CHECK lethe_err lethe_survival_log(lethe_ctx *ctx, lethe_log *log, lethe_survival *out);
/* Of published data: of a log texts by users, of a sealed one QueryIDs by users, of records those
 * that are equal.  Of a table: all zero. */
LETHE_MUST_CHECK lethe_err lethe_survival_published(lethe_ctx *ctx, int dirfd, lethe_shape shape,
                                                    lethe_survival *out);

typedef struct lethe_report_input {
    /* A manifest, or what is about to be one: `lethe`, `steps`, `claims`, `files`, `counts`,
     * `metrics`, `verdict`, `caveats`.  What is missing is not shown; the page's own row in `files`
     * never is.  NULL: the page is about a study alone. */
    const lethe_json *manifest;
    lethe_shape shape;
    const char *title, *date; /* of the data set; NULL: those of the manifest, if any */
    double bound;             /* up to which a risk is low; 0: LETHE_RISK_BOUND */
    int dirfd;         /* the folder with the data, or of the study; -1: no examples and no plot of
                          its texts */
    size_t n_examples; /* rows shown; 0: none */
    bool glosses;      /* explain WordNet's names by its glosses, if it is installed here: not for a
                          page that is to be made again elsewhere */
    /* Reports of `measure` and `attack` (their `metrics` are shown), and what the original log's
     * texts have behind them; NULL: none. */
    const lethe_json *measure, *attack;
    const char *attack_lacks; /* why nothing was attacked; NULL: it was */
    const lethe_survival *original;
    /* `rows`: an array of objects with
     *   method, label, name (of its release), notion (texts), parameters (object or text), holds
     *   (true or false), utility (a share: a number from 0 to 1), risk (object: by kind of
     * adversary the greatest, a share), attacks, measures (objects: see lethe_compare_make()),
     * seconds, peak_bytes (numbers), error (text: why there is no release), nothing, command
     * (texts) each of which may be missing or null.  Where there is no `risk`, it is what the
     * adversaries found.  Beside it, as texts and where they are there: `utility_meaning`,
     * `varied`. NULL: none. */
    const lethe_json *study;
} lethe_report_input;

/* The page, behind what `out` holds.  LETHE_EINPUT, LETHE_EIO: the data could not be read. */
LETHE_MUST_CHECK lethe_err lethe_report_write(lethe_ctx *ctx, const lethe_report_input *in,
                                              lethe_buf *out, size_t *n_plots);
/* The same into a sink, which is neither committed nor aborted. */
LETHE_MUST_CHECK lethe_err lethe_report_html(lethe_ctx *ctx, const lethe_report_input *in,
                                             lethe_sink *to);

#endif
