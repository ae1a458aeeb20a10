/* SPDX-License-Identifier: Apache-2.0 */
/* study_settings.c - what must be the same for a study to go on where it was stopped: the version,
 * the input, every option, the runs.  A file counts as the same by its name, size and time. */
#include "app/study/study.h"
#include "io/read/source.h"
#include "io/syserr.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void stat_set(lethe_json_doc *doc, lethe_json *o, const struct stat *st)
{
    int64_t ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
    lethe_set_count(doc, o, "bytes", (uint64_t)st->st_size);
    lethe_json_set(doc, o, "modified_ns", lethe_json_new_int(doc, ns));
}

/* A file, or a folder (of hierarchies): that is what is in it, names in order, each with size and
 * time.  *errnum: the system could not say. */
static lethe_json *file_json(lethe_json_doc *doc, const char *path, bool *regular, int *errnum)
{
    struct stat st;
    lethe_json *o = lethe_json_object(doc);
    bool is_file = strcmp(path, "-") != 0, there = is_file && stat(path, &st) == 0;
    if (is_file && !there && errno != ENOENT && errno != ENOTDIR) *errnum = errno;
    lethe_set_text(doc, o, "name", path);
    *regular = there && S_ISREG(st.st_mode);
    if (*regular) stat_set(doc, o, &st);
    if (!there || !S_ISDIR(st.st_mode)) return o;
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort),
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    lethe_json *files = lethe_json_object(doc);
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.' && fd >= 0 && fstatat(fd, names[i]->d_name, &st, 0) == 0) {
            lethe_json *file = lethe_json_object(doc);
            stat_set(doc, file, &st);
            lethe_json_set(doc, files, names[i]->d_name, file);
        }
        free(names[i]);
    }
    if (n >= 0) free(names);
    if (fd >= 0) close(fd);
    lethe_json_set(doc, o, "files", files);
    return o;
}

static lethe_json *options_json(lethe_json_doc *doc, const lethe_values *v, int *errnum)
{
    lethe_json *o = lethe_json_object(doc);
    for (size_t i = 0; v && i < v->n; i++) {
        bool regular;
        const lethe_value *value = &v->at[i];
        const char *name = v->table[i].name, *text = value->text ? value->text : "";
        // the folder may be called by another name, and what is shown or left out is not kept
        bool is_own =
            strcmp(name, "output") == 0 || strcmp(name, "within") == 0 || strcmp(name, "all") == 0;
        if (!value->given || is_own) continue;
        if (v->table[i].type == LETHE_OPT_PATH && !value->word)
            lethe_json_set(doc, o, name, file_json(doc, text, &regular, errnum));
        else
            lethe_set_text(doc, o, name, text);
    }
    return o;
}

lethe_err lethe_study_settings(lethe_diag *d, lethe_json_doc *doc, const lethe_compare_options *c,
                               const lethe_plan *plan, lethe_json **out, bool *again)
{
    lethe_json *o = lethe_json_object(doc), *inputs = lethe_json_array(doc),
               *reading = lethe_json_object(doc), *publishing = lethe_json_object(doc),
               *runs = lethe_json_array(doc);
    const lethe_read_options *r = &c->reading;
    const lethe_publish_options *how = &c->publishing;
    bool all_regular = true;
    int errnum = 0;
    for (size_t i = 0; i < c->n_inputs; i++) {
        bool regular = false;
        lethe_json *stream = lethe_source_is_path(d, c->inputs[i]) ? NULL : lethe_json_object(doc);
        if (stream) lethe_set_text(doc, stream, "name", c->inputs[i]);
        lethe_json_push(doc, inputs,
                        stream ? stream : file_json(doc, c->inputs[i], &regular, &errnum));
        all_regular = all_regular && regular; // what was in a pipe is gone
    }
    lethe_set_count(doc, reading, "format", (uint64_t)r->format);
    lethe_set_count(doc, reading, "delimiter", (uint8_t)r->delimiter);
    if (r->columns) lethe_set_text(doc, reading, "columns", r->columns);
    if (r->time_format) lethe_set_text(doc, reading, "time-format", r->time_format);
    if (r->header) lethe_json_set(doc, reading, "header", lethe_json_new_bool(doc, true));
    if (r->null_texts) lethe_set_text(doc, reading, "null", r->null_texts);
    if (r->encoding) lethe_set_text(doc, reading, "encoding", r->encoding);
    if (r->actions) lethe_set_text(doc, reading, "actions", r->actions);
    lethe_json_set(doc, reading, "strict", lethe_json_new_bool(doc, r->strict));
    if (r->has_users_with) {
        lethe_set_count(doc, reading, "users_with_min", r->users_with_min);
        lethe_set_count(doc, reading, "users_with_max", r->users_with_max);
    }
    lethe_json_set(doc, publishing, "keep-users", lethe_json_new_bool(doc, how->keep_users));
    lethe_set_count(doc, publishing, "time", (uint64_t)how->times);
    if (c->has_urls) lethe_set_count(doc, publishing, "urls", (uint64_t)how->urls);
    if (how->has_seed) {
        uint8_t number[8], digest[16]; // whether it is the same seed, not which
        char hex[2 * sizeof digest + 1];
        lethe_be64_put(number, how->seed);
        crypto_generichash(digest, sizeof digest, number, sizeof number,
                           (const uint8_t *)"lethe study seed", 16);
        sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
        lethe_set_text(doc, publishing, "seed", hex);
    }
    for (size_t i = 0; i < plan->n; i++)
        lethe_json_push(doc, runs, lethe_json_new_text(doc, lethe_str_of(plan->at[i].label)));
    lethe_set_text(doc, o, "lethe", lethe_version());
    lethe_json_set(doc, o, "inputs", inputs);
    lethe_json_set(doc, o, "reading", reading);
    lethe_json_set(doc, o, "options", options_json(doc, c->values, &errnum));
    lethe_json_set(doc, o, "publishing", publishing);
    lethe_json_set(doc, o, "runs", runs);
    if (errnum) return lethe_fail_sys(d, "open", "the files of the study", errnum);
    if (lethe_json_failed(doc)) return lethe_no_memory(d);
    *out = o;
    *again = all_regular;
    return LETHE_OK;
}
