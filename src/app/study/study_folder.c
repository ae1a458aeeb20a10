/* SPDX-License-Identifier: Apache-2.0 */
/* study_folder.c - the folder of a study.
 *
 *   settings.json     what the study is of; it comes first
 *   rows/NAME.json    what came of a run; it comes when release, measures and attacks are done
 *   releases/NAME/    its release, which may be handed out
 *   maps/NAME.tsv     its map, which may not
 *   study.json, study.csv, report.html
 *
 * All but the releases is for the owner alone.  Each file appears when it is complete, so a study
 * that died is one with rows missing: what has no row is removed and made again. */
#include "app/study/study.h"
#include "io/syserr.h"
#include "release/page/report.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char settings_name[] = "settings.json";
static const char *const folders[] = {"rows", "releases", "maps"};
enum { ROWS, RELEASES, MAPS };
#define ROW_MAX ((size_t)64 << 20)

/* --- names --- */

/* Is it what sinks and folders build under: .NAME.lethe-XXXXXX? */
static bool is_temporary(const char *name)
{
    static const char mark[] = ".lethe-";
    enum { TAIL = 6 };
    size_t n = strlen(name), m = sizeof mark - 1;
    return name[0] == '.' && n > m + TAIL && memcmp(name + n - TAIL - m, mark, m) == 0;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* --- looking --- */

static int folder_at(int dirfd, const char *name)
{
    return openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Calls `fn` for what is in a folder, but for . and ..; NULL: there is no such folder, which is
 * fine. */
typedef lethe_err (*entry_fn)(void *arg, int dirfd, const char *name);
static lethe_err entries_each(lethe_diag *d, int dirfd, const char *name, entry_fn fn, void *arg)
{
    int fd = folder_at(dirfd, name);
    if (fd < 0) return errno == ENOENT ? LETHE_OK : lethe_fail_sys(d, "read", name, errno);
    DIR *dir = fdopendir(fd);
    lethe_err e = LETHE_OK;
    if (!dir) {
        e = lethe_fail_sys(d, "read", name, errno);
        close(fd);
        return e;
    }
    for (struct dirent *entry; e == LETHE_OK && (errno = 0, entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            e = fn(arg, fd, entry->d_name);
    if (e == LETHE_OK && errno) e = lethe_fail_sys(d, "read", name, errno);
    closedir(dir);
    return e;
}

typedef struct folder_scan {
    lethe_diag *d;
    const char *path; /* of the study, for messages */
    int which;        /* folder that is looked into; -1: the study's own */
} folder_scan;

static lethe_err stranger(const folder_scan *l, const char *name)
{
    return lethe_fail(l->d, LETHE_EUSAGE,
                      "'%s' holds '%s%s%s', which does not belong to a study: it was not changed",
                      l->path, l->which < 0 ? "" : folders[l->which], l->which < 0 ? "" : "/",
                      name);
}

/* A release may be removed if it is one, and nothing else is in its folder. */
static lethe_err release_look(const folder_scan *l, int dirfd, const char *name)
{
    int fd = folder_at(dirfd, name);
    if (fd < 0) return stranger(l, name);
    lethe_err e = lethe_manifest_may_replace(l->d, name, fd);
    close(fd);
    return e;
}

/* LETHE_EUSAGE: no study has put this there. */
static lethe_err entry_look(void *arg, int dirfd, const char *name)
{
    static const char *const files[] = {settings_name, LETHE_STUDY_NAME, LETHE_STUDY_CSV,
                                        LETHE_REPORT_NAME};
    folder_scan *l = arg;
    bool fine = false;
    if (is_temporary(name)) return LETHE_OK;
    if (l->which == RELEASES) return release_look(l, dirfd, name);
    if (l->which == ROWS) fine = ends_with(name, ".json");
    if (l->which == MAPS) fine = ends_with(name, ".tsv");
    for (size_t i = 0; l->which < 0 && i < LETHE_COUNT(files); i++)
        fine = fine || strcmp(name, files[i]) == 0;
    for (size_t i = 0; l->which < 0 && i < LETHE_COUNT(folders); i++)
        fine = fine || strcmp(name, folders[i]) == 0;
    return fine ? LETHE_OK : stranger(l, name);
}

static lethe_err entry_seen(void *arg, int dirfd, const char *name)
{
    bool *any = arg; // but temporary files
    (void)dirfd;
    *any = *any || !is_temporary(name);
    return LETHE_OK;
}

/* --- removing --- */

static lethe_err file_remove(void *arg, int dirfd, const char *name)
{
    if (unlinkat(dirfd, name, 0) == 0 || errno == ENOENT) return LETHE_OK;
    return lethe_fail_sys(arg, "remove", name, errno);
}

/* A file, or a folder of files: what lethe builds has none inside. */
static lethe_err entry_remove(void *arg, int dirfd, const char *name)
{
    lethe_diag *d = arg;
    if (unlinkat(dirfd, name, 0) == 0 || errno == ENOENT) return LETHE_OK;
    if (errno != EISDIR && errno != EPERM) return lethe_fail_sys(d, "remove", name, errno);
    LETHE_TRY(entries_each(d, dirfd, name, file_remove, d));
    if (unlinkat(dirfd, name, AT_REMOVEDIR) == 0) return LETHE_OK;
    return lethe_fail_sys(d, "remove", name, errno);
}

typedef struct leftover_scan {
    lethe_diag *d;
    const char *folder;
} leftover_scan;

/* LETHE_EUSAGE: no unfinished release has such a file. */
static lethe_err leftover_look(void *arg, int dirfd, const char *name)
{
    const leftover_scan *l = arg;
    (void)dirfd;
    if (lethe_is_release_file(name)) return LETHE_OK;
    return lethe_fail(l->d, LETHE_EUSAGE,
                      "'%s' holds '%s', which does not belong to a study: it was not changed",
                      l->folder, name);
}

static lethe_err temporary_remove(void *arg, int dirfd, const char *name)
{
    struct stat st;
    leftover_scan l = {.d = arg, .folder = name};
    if (!is_temporary(name)) return LETHE_OK;
    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
        LETHE_TRY(entries_each(arg, dirfd, name, leftover_look, &l));
    return entry_remove(arg, dirfd, name);
}

/* Rows go first: what has none is never believed. */
static lethe_err study_clear(lethe_diag *d, const lethe_study_folder *f)
{
    static const char *const files[] = {LETHE_STUDY_NAME, LETHE_STUDY_CSV, LETHE_REPORT_NAME};
    for (size_t i = 0; i < LETHE_COUNT(folders); i++)
        LETHE_TRY(entries_each(d, f->fd, folders[i], entry_remove, d));
    for (size_t i = 0; i < LETHE_COUNT(files); i++)
        LETHE_TRY(file_remove(d, f->fd, files[i]));
    return LETHE_OK;
}

static lethe_err temporaries_clear(lethe_diag *d, const lethe_study_folder *f)
{
    LETHE_TRY(entries_each(d, f->fd, ".", temporary_remove, d));
    for (size_t i = 0; i < LETHE_COUNT(folders); i++)
        LETHE_TRY(entries_each(d, f->fd, folders[i], temporary_remove, d));
    return LETHE_OK;
}

/* --- opening --- */

/* Which member of the settings is another: *what; NULL: none. */
static lethe_err settings_differ(const lethe_json *a, const lethe_json *b, const char **what)
{
    *what = NULL;
    static const struct {
        const char *name, *word;
    } members[] = {{"inputs", "another input"},
                   {"lethe", "another version"},
                   {"reading", "another way to read"},
                   {"options", "other options"},
                   {"publishing", "another seed, or other ways to publish"},
                   {"runs", "other methods or values"}};
    for (size_t i = 0; i < LETHE_COUNT(members) && !*what; i++) {
        char *x = lethe_json_write(lethe_json_get(a, members[i].name), 0, NULL),
             *y = lethe_json_write(lethe_json_get(b, members[i].name), 0, NULL);
        bool known = x && y;
        if (known && strcmp(x, y) != 0) *what = members[i].word;
        lethe_json_text_free(x);
        lethe_json_text_free(y);
        if (!known) return LETHE_ENOMEM;
    }
    return LETHE_OK;
}

/* An old study: may it go on, or be begun anew? */
static lethe_err settings_check(lethe_diag *d, lethe_study_folder *f,
                                const lethe_compare_options *c, const lethe_json *settings,
                                bool again)
{
    lethe_json_doc *doc = NULL;
    lethe_json *old = NULL;
    struct stat st;
    if (fstatat(f->fd, settings_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return lethe_fail(d, LETHE_EUSAGE, "'%s' exists and is not the folder of a study", f->path);
    if (c->publishing.force) { // all of it goes: is it a study's own?
        folder_scan l = {.d = d, .path = f->path, .which = -1};
        LETHE_TRY(entries_each(d, f->fd, ".", entry_look, &l));
        for (l.which = 0; l.which < (int)LETHE_COUNT(folders); l.which++)
            LETHE_TRY(entries_each(d, f->fd, folders[l.which], entry_look, &l));
        return LETHE_OK;
    }
    LETHE_TRY(lethe_json_read_at(d, f->fd, settings_name, ROW_MAX, &doc, &old));
    const char *other;
    lethe_err e = settings_differ(old, settings, &other);
    lethe_json_doc_free(doc);
    if (e != LETHE_OK) return lethe_no_memory(d);
    if (other)
        return lethe_fail(d, LETHE_EUSAGE, "'%s' is a study of %s (use --force to start it again)",
                          f->path, other);
    if (!again)
        return lethe_fail(d, LETHE_EUSAGE,
                          "'%s' is a study of an input that is not a file, so it cannot be "
                          "continued (use --force to start it again)",
                          f->path);
    f->begun = true;
    return LETHE_OK;
}

/* A study without a folder of its own that was killed: it holds maps, and nobody else knows of it.
 */
static lethe_err abandoned_name(void *arg, int dirfd, const char *name)
{
    static const char head[] = "lethe-study-";
    enum { RANDOM = 6, YOUNG_S = 60 };
    const folder_scan *l = arg;
    struct stat st;
    size_t n = sizeof head - 1;
    if (strncmp(name, head, n) != 0 || strlen(name) != n + RANDOM) return LETHE_OK;
    int fd = folder_at(dirfd, name);
    if (fd < 0) return LETHE_OK;
    // a study that lives holds a lock on its folder, unless it has just made it
    if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && time(NULL) - st.st_mtime > YOUNG_S &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        lethe_warn(l->d,
                   "'%s/%s' was left by a study that was killed: it holds raw data, remove it",
                   l->path, name);
    close(fd);
    return LETHE_OK;
}

lethe_err lethe_study_open(lethe_ctx *ctx, lethe_arena *a, const lethe_compare_options *c,
                           const lethe_json *settings, bool again, lethe_study_folder *out)
{
    lethe_diag *d = lethe_ctx_diag(ctx);
    *out = (lethe_study_folder){.fd = -1, .temporary = !c->out};
    bool any = false;
    if (!c->out) {
        const char *dir = lethe_ctx_spill_dir(ctx);
        char *path = lethe_arena_printf(a, "%s/lethe-study-XXXXXX", dir);
        folder_scan l = {.d = d, .path = dir};
        if (!path) return lethe_no_memory(d);
        (void)entries_each(NULL, AT_FDCWD, dir, abandoned_name, &l); // that is no reason to stop
        if (!mkdtemp(path)) return lethe_fail_sys(d, "write to", dir, errno);
        out->path = path;
        out->made = true;
    } else {
        if (!*c->out || strcmp(c->out, "-") == 0)
            return lethe_fail(d, LETHE_EUSAGE, "a study needs a folder, not '%s'", c->out);
        size_t n = strlen(c->out);
        while (n > 1 && c->out[n - 1] == '/') // before a slash, a link would be followed
            n--;
        out->path = out->parents = lethe_arena_dup(a, (lethe_str){c->out, n});
        if (!out->path) return lethe_no_memory(d);
        LETHE_TRY(lethe_parents_make(d, out->parents, &out->parents_made));
        out->made = mkdir(out->path, 0700) == 0;
        if (!out->made && errno != EEXIST) return lethe_fail_sys(d, "create", out->path, errno);
    }
    struct stat st;
    out->fd = open(out->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (out->fd < 0 && lstat(out->path, &st) == 0 && !S_ISDIR(st.st_mode))
        return lethe_fail(d, LETHE_EUSAGE, "'%s' exists and is not a folder", out->path);
    if (out->fd < 0) return lethe_fail_sys(d, "open", out->path, errno);
    if (flock(out->fd, LOCK_EX | LOCK_NB) != 0)
        return lethe_fail(d, LETHE_EUSAGE, "'%s' is in use by another process", out->path);
    if (out->made) return LETHE_OK;
    LETHE_TRY(entries_each(d, out->fd, ".", entry_seen, &any));
    return any ? settings_check(d, out, c, settings, again) : LETHE_OK;
}

/* --- beginning --- */

lethe_err lethe_study_file(lethe_diag *d, const lethe_study_folder *f, const char *name,
                           lethe_sink **out)
{
    size_t n = strlen(f->path) + strlen(name) + 2;
    char *path = lethe_alloc(n, 1);
    if (!path) return lethe_no_memory(d);
    snprintf(path, n, "%s/%s", f->path, name);
    lethe_err e = lethe_sink_open(d, path, LETHE_SINK_REPLACE, 0600, out);
    lethe_free(path);
    return e;
}

lethe_err lethe_study_json(lethe_diag *d, const lethe_study_folder *f, const char *name,
                           const lethe_json *v)
{
    size_t n;
    lethe_sink *to = NULL;
    LETHE_TRY(lethe_study_file(d, f, name, &to));
    char *text = lethe_json_write(v, 2, &n);
    lethe_err e = text ? lethe_sink_write(to, text, n) : lethe_no_memory(d);
    lethe_json_text_free(text);
    if (e == LETHE_OK) e = lethe_sink_write(to, "\n", 1);
    if (e == LETHE_OK) return lethe_sink_commit(to);
    lethe_sink_abort(to);
    return e;
}

lethe_err lethe_study_begin(lethe_diag *d, lethe_study_folder *f, bool force,
                            const lethe_json *settings)
{
    LETHE_TRY(temporaries_clear(d, f));
    if (force) {
        LETHE_TRY(study_clear(d, f));
        f->begun = false;
    }
    if (!f->begun) {
        LETHE_TRY(lethe_study_json(d, f, settings_name, settings));
        f->begun = true;
    }
    // an empty folder that was there may be open to others, and maps go into it
    if (fchmod(f->fd, 0700) != 0) return lethe_fail_sys(d, "close to others", f->path, errno);
    for (size_t i = 0; i < LETHE_COUNT(folders); i++)
        if (mkdirat(f->fd, folders[i], i == RELEASES ? 0755 : 0700) != 0 && errno != EEXIST)
            return lethe_fail_sys(d, "create", folders[i], errno);
    return LETHE_OK;
}

/* --- runs --- */

static void inner_name(char out[NAME_MAX + 1], const lethe_planned_run *run, const char *end)
{
    snprintf(out, NAME_MAX + 1, "%s%s", run->name, end);
}

char *lethe_study_release(lethe_arena *a, const lethe_study_folder *f, const lethe_planned_run *run)
{
    return lethe_arena_printf(a, "%s/%s/%s", f->path, folders[RELEASES], run->name);
}

char *lethe_study_map(lethe_arena *a, const lethe_study_folder *f, const lethe_planned_run *run)
{
    return lethe_arena_printf(a, "%s/%s/%s.tsv", f->path, folders[MAPS], run->name);
}

/* One thing in a folder of the study; that it is not there is fine. */
static lethe_err inner_remove(lethe_diag *d, const lethe_study_folder *f, int which,
                              const char *name)
{
    int fd = folder_at(f->fd, folders[which]);
    if (fd < 0) return errno == ENOENT ? LETHE_OK : lethe_fail_sys(d, "read", f->path, errno);
    lethe_err e = entry_remove(d, fd, name);
    close(fd);
    return e;
}

lethe_err lethe_study_drop(lethe_diag *d, const lethe_study_folder *f, const lethe_planned_run *run)
{
    char name[NAME_MAX + 1];
    LETHE_TRY(inner_remove(d, f, RELEASES, run->name));
    inner_name(name, run, ".tsv");
    return inner_remove(d, f, MAPS, name);
}

lethe_err lethe_study_resume(lethe_diag *d, lethe_study_folder *f, const lethe_planned_run *run,
                             lethe_json_doc **doc, lethe_json **row)
{
    char name[NAME_MAX + 1], manifest[NAME_MAX + 64];
    struct stat st;
    int fd = folder_at(f->fd, folders[ROWS]);
    inner_name(name, run, ".json");
    *doc = NULL;
    *row = NULL;
    lethe_err e = fd < 0 ? LETHE_OK : lethe_json_read_at(NULL, fd, name, ROW_MAX, doc, row);
    if (fd >= 0) close(fd);
    if (e == LETHE_ENOMEM) return lethe_no_memory(d);
    if (fd >= 0 && e == LETHE_OK) { // a row that cannot be read is as good as none
        bool same =
            lethe_str_eq(lethe_json_text(lethe_json_get(*row, "label")), lethe_str_of(run->label));
        snprintf(manifest, sizeof manifest, "%s/%s/" LETHE_MANIFEST, folders[RELEASES], run->name);
        // a row that stands for a release needs that release
        if (same && (!lethe_json_bool(lethe_json_get(*row, "holds")) ||
                     fstatat(f->fd, manifest, &st, AT_SYMLINK_NOFOLLOW) == 0))
            return LETHE_OK;
        lethe_json_doc_free(*doc);
        *doc = NULL;
        *row = NULL;
    }
    return lethe_study_forget(d, f, run);
}

lethe_err lethe_study_forget(lethe_diag *d, const lethe_study_folder *f,
                             const lethe_planned_run *run)
{
    char name[NAME_MAX + 1];
    folder_scan l = {.d = d, .path = f->path, .which = RELEASES};
    int fd = folder_at(f->fd, folders[RELEASES]);
    struct stat st;
    bool there = fd >= 0 && fstatat(fd, run->name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    lethe_err e = there ? release_look(&l, fd, run->name) : LETHE_OK;
    if (fd >= 0) close(fd);
    LETHE_TRY(e);
    inner_name(name, run, ".json");
    LETHE_TRY(inner_remove(d, f, ROWS, name));
    return lethe_study_drop(d, f, run);
}

lethe_err lethe_study_row_write(lethe_diag *d, const lethe_study_folder *f,
                                const lethe_planned_run *run, const lethe_json *row)
{
    char name[NAME_MAX + 64];
    snprintf(name, sizeof name, "%s/%s.json", folders[ROWS], run->name);
    return lethe_study_json(d, f, name, row);
}

void lethe_study_close(lethe_diag *d, lethe_study_folder *f)
{
    bool goes = f->temporary || (f->made && !f->begun);
    lethe_err e = LETHE_OK;
    if (f->fd >= 0 && goes) {
        if (f->temporary) e = study_clear(d, f);
        for (size_t i = 0; i < LETHE_COUNT(folders); i++)
            (void)unlinkat(f->fd, folders[i], AT_REMOVEDIR);
        (void)unlinkat(f->fd, settings_name, 0);
        if (temporaries_clear(d, f) != LETHE_OK) e = LETHE_EIO;
        if (rmdir(f->path) != 0 && e == LETHE_OK) lethe_warn(d, "cannot remove '%s'", f->path);
    }
    if (f->fd >= 0) close(f->fd);
    if (f->parents) lethe_parents_unmake(f->parents, f->parents_made);
    f->fd = -1;
}
