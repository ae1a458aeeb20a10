/* SPDX-License-Identifier: Apache-2.0 */
/* open.c - what a sealed log gives away: its rows grouped by QueryID (open_group.c), and those that
 * could be opened written as a log. */
#include "app/open/open.h"
#include "app/evaluate.h"
#include "io/read/parts.h"
#include "io/read/source.h"
#include "release/publish/lines.h"
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef lethe_open_totals totals;
typedef lethe_open_worker worker;
typedef lethe_open_run open_run;

/* Is the file of `st` a part of the data in the folder `path`? */
static bool is_part_of(const struct stat *st, const char *path)
{
    bool is = false;
    uint32_t n = 0;
    struct stat part;
    char name[LETHE_PART_NAME];
    int dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dirfd < 0) return false;
    // in a folder with other names, those that there are
    n = lethe_parts_count(NULL, dirfd, "tsv", &n) == LETHE_OK ? n : LETHE_PARTS_MAX;
    for (uint32_t i = 0; i < n && !is; i++) {
        lethe_part_name(i, "tsv", name);
        is = fstatat(dirfd, name, &part, 0) == 0 && part.st_dev == st->st_dev &&
             part.st_ino == st->st_ino;
    }
    close(dirfd);
    return is;
}

/* The sink, the paths of the data (a folder stands for the data in it), and room. */
static lethe_err open_run_begin(open_run *g)
{
    lethe_diag *d = lethe_ctx_diag(g->ctx);
    const lethe_open_options *o = g->o;
    unsigned n_stdin = 0;
    for (size_t i = 0; i < o->n_inputs; i++)
        n_stdin += strcmp(o->inputs[i], "-") == 0;
    if (o->n_inputs == 0)
        return lethe_fail(d, LETHE_EUSAGE,
                          "no input given: name a sealed log "
                          "to open");
    if (n_stdin > 1) return lethe_fail(d, LETHE_EUSAGE, "standard input can be read only once");
    bool to_stdout = strcmp(o->out, "-") == 0;
    if (to_stdout)
        LETHE_TRY(lethe_sink_stdout(d, &g->sink));
    else
        LETHE_TRY(lethe_sink_open(d, o->out, o->force ? LETHE_SINK_REPLACE : LETHE_SINK_NEW, 0666,
                                  &g->sink));
    g->paths = lethe_alloc_zero(o->n_inputs, sizeof *g->paths);
    if (!g->paths) return lethe_no_memory(d);
    for (size_t i = 0; i < o->n_inputs; i++) {
        const char *path = o->inputs[i];
        struct stat st;
        bool folder = lethe_source_is_path(d, path) && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        size_t n = strlen(path), size = n + sizeof "/data.tsv";
        while (folder && n > 1 && path[n - 1] == '/')
            n--;
        if (!(g->paths[i] = lethe_alloc(size, 1))) return lethe_no_memory(d);
        snprintf(g->paths[i], size, "%.*s%s", (int)n, path, folder ? "/data.tsv" : "");
    }
    if (!to_stdout) {
        // spill files go beside the target: where that has room, they will have
        const char *slash = strrchr(o->out, '/');
        size_t n = !slash || slash == o->out ? 1 : (size_t)(slash - o->out);
        char *beside = lethe_alloc(n + 1, 1);
        if (!beside) return lethe_no_memory(d);
        memcpy(beside, slash ? o->out : ".", n);
        beside[n] = '\0';
        lethe_err e = lethe_spill_begin(g->ctx, beside, &g->spill_dir);
        lethe_free(beside);
        LETHE_TRY(e);
        // --force replaces an old log, not the sealed one: queries that stay closed would be lost
        struct stat out;
        for (size_t i = 0; lstat(o->out, &out) == 0 && i < o->n_inputs; i++)
            if (lethe_is_same_file(&out, g->paths[i]) || is_part_of(&out, o->inputs[i]))
                return lethe_fail(d, LETHE_EUSAGE, "'%s' would replace an input", o->out);
    }
    return lethe_open_begin(g, o->n_inputs);
}

/* A folder with a manifest is a release, and must be the one that its manifest describes. */
static lethe_err release_check(lethe_ctx *ctx, const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool release = fd >= 0 && fstatat(fd, LETHE_MANIFEST, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (fd >= 0) close(fd);
    if (!release) return LETHE_OK;
    lethe_json_doc *doc = lethe_json_doc_new();
    if (!doc) return lethe_no_memory(ctx);
    lethe_err e = lethe_release_must_hold(ctx, path, &(lethe_verify_options){0}, "it is not opened",
                                          doc, NULL);
    lethe_json_doc_free(doc);
    return e;
}

static const char *name_of(const open_run *g, size_t i)
{
    return strcmp(g->paths[i], "-") == 0 ? "standard input" : g->paths[i];
}

/* The parts of the data, if the input is a folder with such in place of data.tsv; else NULL. */
static lethe_err parts_open(open_run *g, size_t i, lethe_stored **out)
{
    lethe_diag *d = lethe_ctx_diag(g->ctx);
    struct stat st;
    uint32_t n = 0;
    *out = NULL;
    if (!lethe_source_is_path(d, g->o->inputs[i]) || stat(g->paths[i], &st) == 0) return LETHE_OK;
    int dirfd = open(g->o->inputs[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dirfd < 0) return LETHE_OK; // opening the path says why
    lethe_err e = lethe_parts_count(d, dirfd, "tsv", &n);
    if (e == LETHE_OK && n > 0) e = lethe_stored_open(d, dirfd, "data.tsv", out);
    close(dirfd);
    return e;
}

static lethe_err input_read(open_run *g, size_t i, const lethe_sealed_walk *how)
{
    lethe_diag *d = lethe_ctx_diag(g->ctx);
    lethe_source *source = NULL;
    lethe_stored *parts;
    LETHE_TRY(parts_open(g, i, &parts));
    lethe_err e =
        parts ? lethe_source_stored(d, parts, &source) : lethe_source_open(d, g->paths[i], &source);
    if (e == LETHE_OK)
        e = lethe_sealed_read(g->ctx, source, how, &g->form, &g->rejects[i], &g->read);
    lethe_stored_close(parts);
    return e;
}

static lethe_err open_run_all(open_run *g)
{
    lethe_diag *d = lethe_ctx_diag(g->ctx);
    LETHE_TRY(open_run_begin(g));
    for (size_t i = 0; i < g->o->n_inputs; i++)
        if (lethe_source_is_path(d, g->o->inputs[i]))
            LETHE_TRY(release_check(g->ctx, g->o->inputs[i]));
    lethe_sealed_walk how = {.strict = g->o->strict, .row = lethe_open_row, .arg = g};
    lethe_ctx_phase(g->ctx, "read", 0);
    for (size_t i = 0; i < g->o->n_inputs; i++) {
        g->file = (uint32_t)i;
        LETHE_TRY(input_read(g, i, &how));
    }
    lethe_ctx_phase(g->ctx, "open", lethe_sorter_count(g->groups));
    LETHE_TRY(lethe_sorter_each(g->groups, lethe_open_part, g));
    // what was wrong with the lines, file by file
    for (size_t i = 0; i < g->o->n_inputs; i++) {
        if (g->rejects[i].n == 0) continue;
        if (g->o->strict) {
            lethe_rejects_say_first(d, name_of(g, i), &g->rejects[i]);
            return LETHE_EINPUT;
        }
        if (lethe_rejects_say(d, name_of(g, i), &g->rejects[i]) != LETHE_OK)
            return lethe_no_memory(d);
    }
    if (lethe_sorter_count(g->lines) == 0)
        return lethe_fail(d, LETHE_ANSWER_NO,
                          "nothing to open: no query has %u good shares and a box that opens",
                          g->form.t);
    // standard output sees nothing of what fails
    lethe_str head = LETHE_LIT(LETHE_LOG_HEADER);
    lethe_ctx_phase(g->ctx, "write", lethe_sorter_count(g->lines));
    return strcmp(g->o->out, "-") == 0 ? lethe_sorted_lines_print(g->ctx, g->lines, head, g->sink)
                                       : lethe_sorted_lines_write(g->ctx, g->lines, head, g->sink);
}

static int by_text(const void *a, const void *b)
{
    const lethe_cause *x = *(const lethe_cause *const *)a, *y = *(const lethe_cause *const *)b;
    return strcmp(x->text, y->text);
}

/* Rows by cause, over all files, in alphabetical order: workers find them in any. */
static lethe_err damage_fill(lethe_json_doc *doc, lethe_json *o, const open_run *g)
{
    size_t n = 0, n_all = 0;
    for (size_t i = 0; g->rejects && i < g->o->n_inputs; i++)
        n_all += g->rejects[i].n;
    const lethe_cause **all = lethe_alloc(n_all, sizeof *all);
    if (!all) return LETHE_ENOMEM;
    for (size_t i = 0; g->rejects && i < g->o->n_inputs; i++)
        for (size_t k = 0; k < g->rejects[i].n; k++)
            all[n++] = &g->rejects[i].causes[k];
    qsort(all, n, sizeof *all, by_text);
    for (size_t i = 0, next; i < n; i = next) {
        uint64_t rows = 0;
        for (next = i; next < n && strcmp(all[next]->text, all[i]->text) == 0; next++)
            rows += all[next]->n;
        lethe_set_count(doc, o, all[i]->text, rows);
    }
    lethe_free(all);
    return LETHE_OK;
}

static lethe_err report_fill(lethe_json_doc *doc, lethe_json *r, const open_run *g)
{
    totals sum = {0};
    for (unsigned w = 0; g->workers && w < g->n_workers; w++) {
        const totals *one = &g->workers[w].sum;
        sum.rows_opened += one->rows_opened;
        sum.rows_closed += one->rows_closed;
        sum.rows_damaged += one->rows_damaged;
        sum.queries_opened += one->queries_opened;
        sum.queries_closed += one->queries_closed;
    }
    lethe_json *metrics = lethe_json_object(doc), *parameters = lethe_json_object(doc),
               *by_cause = lethe_json_object(doc);
    lethe_counts counts = {.read = g->read.lines,
                           .published = sum.rows_opened,
                           .suppressed = sum.rows_closed,
                           .rejected = g->read.rejected + sum.rows_damaged};
    lethe_set_text(doc, r, "command", "open");
    if (g->form.t > 0) {
        lethe_set_count(doc, parameters, "t", g->form.t);
        lethe_set_count(doc, parameters, "n", g->form.n);
        lethe_set_text(doc, parameters, "scheme", lethe_scheme_names[g->form.scheme]);
    }
    lethe_json_set(doc, r, "parameters", parameters);
    lethe_set_count(doc, metrics, "rows_opened", sum.rows_opened);
    lethe_set_count(doc, metrics, "queries_opened", sum.queries_opened);
    lethe_set_count(doc, metrics, "queries_closed", sum.queries_closed);
    lethe_err e = damage_fill(doc, by_cause, g);
    lethe_json_set(doc, metrics, "rows_damaged", by_cause);
    lethe_json_set(doc, r, "metrics", metrics);
    lethe_json_set(doc, r, "counts", lethe_counts_json(doc, &counts));
    lethe_report_close(g->ctx, doc, r);
    return e == LETHE_OK && lethe_json_failed(doc) ? LETHE_ENOMEM : e;
}

lethe_err lethe_open_sealed(lethe_ctx *ctx, const lethe_open_options *o, lethe_json_doc *doc,
                            lethe_json **report)
{
    open_run g = {.ctx = ctx, .o = o, .n_workers = lethe_ctx_threads(ctx)};
    pthread_mutex_init(&g.lock, NULL);
    *report = lethe_json_object(doc);
    lethe_err e = open_run_all(&g);
    lethe_err filled = report_fill(doc, *report, &g);
    if (e == LETHE_OK) e = filled;
    if (e == LETHE_ENOMEM) e = lethe_no_memory(ctx);
    if (e == LETHE_OK && o->on_report) e = o->on_report(o->user, *report);
    if (e == LETHE_OK && lethe_ctx_cancelled(ctx)) e = LETHE_ECANCEL;
    if (e == LETHE_OK) {
        lethe_sink *sink = g.sink;
        g.sink = NULL;
        e = lethe_sink_commit(sink);
    }
    lethe_sink_abort(g.sink);
    for (size_t i = 0; g.paths && i < g.o->n_inputs; i++)
        lethe_free(g.paths[i]);
    lethe_free(g.paths);
    lethe_spill_end(g.ctx, g.spill_dir);
    lethe_open_end(&g, g.o->n_inputs);
    return e;
}
