/* release.h - the pipeline's own parts: publishing rows, the manifest, the checks. */
#ifndef LETHE_RELEASE_RELEASE_H
#define LETHE_RELEASE_RELEASE_H
#include "lethe/job.h"
#include "core/rng.h"
#include "io/json/json.h"
#include "io/write/sink.h"
#include "method/method.h"
#include <limits.h>

/* The public enumeration and the model's are the same one under two names: they are cast. */
_Static_assert((int)LETHE_TIMES_EXACT == (int)LETHE_TIME_EXACT &&
                   (int)LETHE_TIMES_HOUR == (int)LETHE_TIME_HOUR &&
                   (int)LETHE_TIMES_DAY == (int)LETHE_TIME_DAY &&
                   (int)LETHE_TIMES_DROP == (int)LETHE_TIME_DROP,
               "one order of units");

#define LETHE_LOG_HEADER "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"

/* --- publishing: rows become coarse, pseudonymous lines, sorted by their bytes --- */

typedef struct lethe_publisher lethe_publisher;

/* How lines begin, and which columns they have. */
typedef struct lethe_line_layout {
    char head[LETHE_HEAD_MAX]; /* the first lines of the file, ended by NUL */
    bool clicks;               /* are there ranks and URLs? */
} lethe_line_layout;
/* As the last step's method wants it. */
lethe_line_layout lethe_line_layout_of(const lethe_step *last);

/* `key` keys pseudonyms; `cap_bytes` is for the sorter of lines. */
LETHE_MUST_CHECK lethe_err lethe_publisher_new(lethe_ctx *ctx, const lethe_publish_options *how,
                                               const lethe_line_layout *layout,
                                               const lethe_secret *key, uint64_t cap_bytes,
                                               lethe_publisher **out);
void lethe_publisher_free(lethe_publisher *p);
LETHE_MUST_CHECK lethe_err lethe_publisher_row(lethe_publisher *p, unsigned w,
                                               const lethe_row *row);
/* The line, with its LF, after what `line` holds, instead of putting it among those to be sorted.
 */
LETHE_MUST_CHECK lethe_err lethe_publisher_line(lethe_publisher *p, unsigned w,
                                                const lethe_row *row, lethe_buf *line);
/* Once, when all rows are in and before anything below is asked. */
LETHE_MUST_CHECK lethe_err lethe_publisher_finish(lethe_publisher *p);
/* What a reader may expect of rows that are published so. */
lethe_log_form lethe_form_of(const lethe_publish_options *how);
uint64_t lethe_publisher_rows(const lethe_publisher *p);  /* published so far */
uint64_t lethe_publisher_uncut(const lethe_publisher *p); /* URLs left out: no host could be told */
/* Header and sorted lines, into a new file of the folder, or on standard output once all is sorted.
 */
LETHE_MUST_CHECK lethe_err lethe_publisher_write(lethe_publisher *p, lethe_folder *folder,
                                                 const char *name);
LETHE_MUST_CHECK lethe_err lethe_publisher_print(lethe_publisher *p);
/* `original TAB published` lines, sorted, each once; needs how->map. */
LETHE_MUST_CHECK lethe_err lethe_publisher_map(lethe_publisher *p, lethe_sink *sink);

/* --- the manifest --- */

#define LETHE_MANIFEST "manifest.json"
#define LETHE_MANIFEST_MAX ((size_t)64 << 20)

/* The file that holds the data of a shape: data.tsv, data.txt, data.csv. */
const char *lethe_data_name(lethe_shape shape);

typedef struct lethe_counts {
    uint64_t read, published, suppressed, rejected;
} lethe_counts;
lethe_json *lethe_counts_json(lethe_json_doc *doc, const lethe_counts *c);

/* Steps with every parameter but keys, seeds and paths; the first carries how the log was read, the
 * last how it is published.  `of_records`: records were read, and what is of logs alone is left
 * out. */
lethe_json *lethe_steps_json(lethe_json_doc *doc, const lethe_job *job, bool of_records);
/* Was the release made from records?  So says its one step. */
bool lethe_manifest_of_records(const lethe_json *manifest);
/* Are its rows drawn, and no lines of the input?  So says its last step. */
bool lethe_manifest_samples(const lethe_json *manifest);
/* What may follow a method: bits of lethe_shape. */
unsigned lethe_shape_after(const lethe_method *m);
/* What the first step reads: a table, or a log (which may be given as records). */
unsigned lethe_shape_before(const lethe_method *m);
/* Claims that follow from the steps of a job, and from those of a manifest. */
lethe_json *lethe_steps_claims(lethe_json_doc *doc, const lethe_step *steps, size_t n);
LETHE_MUST_CHECK lethe_err lethe_manifest_claims(lethe_diag *d, const lethe_json *manifest,
                                                 lethe_json_doc *doc, lethe_json **out);

/* The method that a step of a manifest names; NULL: none that is known. */
const lethe_method *lethe_step_method(const lethe_json *step);

/* A step of a manifest, its values in `a`; what is made on the way, in `doc`.  LETHE_EINPUT: it is
 * none. */
LETHE_MUST_CHECK lethe_err lethe_step_read(lethe_diag *d, lethe_arena *a, const lethe_json *step,
                                           lethe_json_doc *doc, lethe_step *out);

/* What is to be warned of besides the methods' own caveats: how many texts, and they. */
enum { LETHE_MAX_CAVEATS = 4 };
size_t lethe_records_caveats(const lethe_values *v, const char *out[LETHE_MAX_CAVEATS]);
size_t lethe_publishing_caveats(const lethe_publish_options *how, bool renamed,
                                const char *out[LETHE_MAX_CAVEATS]);
/* Do all caveats that follow from its steps stand in the manifest?  Decided only of one of this
 * very version; of others *warns = true.  What is made on the way, in `doc`. */
LETHE_MUST_CHECK lethe_err lethe_manifest_warns(lethe_diag *d, const lethe_json *manifest,
                                                lethe_json_doc *doc, bool *warns);

/* A published file: an array of {name, bytes, blake2b}. */
typedef struct lethe_file_entry {
    const char *name;
    uint64_t bytes;
    char digest[65];
} lethe_file_entry;
lethe_json *lethe_files_json(lethe_json_doc *doc, const lethe_file_entry *at, size_t n);
LETHE_MUST_CHECK lethe_err lethe_manifest_write(lethe_ctx *ctx, lethe_folder *folder,
                                                const lethe_json *manifest);

/* How the log was read, as far as it changes what is counted: members of `o`. */
void lethe_reading_json(lethe_json_doc *doc, lethe_json *o, const lethe_read_options *r);

/* Reads the manifest of an open folder and checks that it is one: the members, their types, the
 * file names.  LETHE_EINPUT otherwise. */
LETHE_MUST_CHECK lethe_err lethe_manifest_read(lethe_diag *d, int dirfd, lethe_json_doc **doc,
                                               lethe_json **out);
/* keep_users, times and urls as the last step has them; false: it does not say, or not so. */
bool lethe_manifest_publishing(const lethe_json *manifest, lethe_publish_options *out);
/* Does the last step say anything of the kind? */
bool lethe_manifest_coarsens(const lethe_json *manifest);
/* Opens a release: *p with folder, shape and manifest, which lives in *doc.
 * lethe_release_close() in any case. */
LETHE_MUST_CHECK lethe_err lethe_release_open(lethe_ctx *ctx, const char *folder,
                                              lethe_published *p, lethe_json_doc **doc);
void lethe_release_close(lethe_published *p, lethe_json_doc *doc);
/* A file that a later step may or may not look into: better refused now than silently ignored.
 * NULL is fine. */
LETHE_MUST_CHECK lethe_err lethe_readable(lethe_ctx *ctx, const char *path);
/* The least name in the folder that is neither the manifest's own nor in it; empty: there is none.
 */
LETHE_MUST_CHECK lethe_err lethe_manifest_stranger(lethe_diag *d, int dirfd,
                                                   const lethe_json *manifest,
                                                   char name[NAME_MAX + 1]);
/* May a folder be exchanged for a new release?  For lethe_folder_begin. */
lethe_err lethe_manifest_may_replace(lethe_diag *d, const char *path, int dirfd);
/* By its data file, and the last step; NONE: no such. */
lethe_shape lethe_manifest_shape(const lethe_json *manifest);

/* --- checks --- */

/* Runs the checker of every claim over the published bytes.  *verdict = {"holds": .., "checks":
 * [..]}. LETHE_ANSWER_NO where one does not hold or did not finish.  `results`: what p->results is
 * for each claim; NULL: the same for all. */
LETHE_MUST_CHECK lethe_err lethe_claims_check(lethe_published *p, const lethe_json *claims,
                                              const char *const *results, lethe_json_doc *doc,
                                              lethe_json **verdict);

/* --- the report --- */

/* Adds `seconds`, `peak_bytes`. */
void lethe_report_close(lethe_ctx *ctx, lethe_json_doc *doc, lethe_json *report);

#endif
