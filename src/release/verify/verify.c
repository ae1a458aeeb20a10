/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c - does a release keep its promise?  The claims of a new release are checked by the same
 * code before it appears.  What depends on the shape of the data is in verify_shapes.c. */
#include "release/verify/verify_internal.h"
#include "check/check.h"
#include "core/mem.h"
#include "io/read/stored.h"
#include "io/syserr.h"
#include "model/knowledge/results.h"
#include "model/published/published_tree.h"
#include "release/page/report.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

void lethe_report_close(lethe_ctx *ctx, lethe_json_doc *doc, lethe_json *report)
{
    lethe_json *seconds = lethe_json_object(doc);
    lethe_ctx_phase(ctx, NULL, 0); // what is printed from here on needs the place of the bar
    for (size_t i = 0, n = lethe_ctx_phase_count(ctx); i < n; i++) {
        const char *name;
        double s;
        lethe_ctx_phase_at(ctx, i, &name, &s);
        lethe_json_set(doc, seconds, name, lethe_json_new_real(doc, s));
    }
    lethe_json_set(doc, report, "seconds", seconds);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    lethe_set_count(doc, report, "peak_bytes", (uint64_t)usage.ru_maxrss * 1024);
}

/* --- the claims --- */

static lethe_json *reason(lethe_json_doc *doc, const char *text)
{
    lethe_json *why = lethe_json_object(doc);
    lethe_set_text(doc, why, "reason", text);
    return why;
}

static lethe_json *bound_reason(lethe_ctx *ctx, lethe_json_doc *doc)
{
    char text[LETHE_BOUND_TEXT];
    lethe_ctx_bound_text(ctx, text);
    return reason(doc, text);
}

/* A check that cannot decide is a check that failed; only what would stop any work is passed on,
 * and what says nothing of the release: a disk that cannot be read.
 * *decided is false where a limit of time or memory ended it, or it needs a file that was not
 * given. */
static lethe_err claim_check(lethe_published *p, const lethe_json *claim, lethe_json_doc *doc,
                             bool *holds, bool *decided, lethe_json **why)
{
    const lethe_notion *notion =
        lethe_notion_find(lethe_json_text(lethe_json_get(claim, "notion")));
    *holds = false;
    *decided = true;
    *why = NULL;
    p->needs = NULL;
    if (!notion || !(notion->shapes & p->shape)) {
        *why = reason(doc, notion ? "the notion does not fit the data" : "unknown notion");
        return LETHE_OK;
    }
    bool yes = false;
    lethe_err e = notion->check(p, claim, doc, &yes, why);
    if (e == LETHE_ECANCEL && lethe_ctx_bound_met(p->ctx) != LETHE_BOUND_NONE) {
        *why = bound_reason(p->ctx, doc);
        *decided = false;
        lethe_ctx_forget_memory(p->ctx); // the next claim may need less
        return LETHE_OK;
    }
    if (e == LETHE_ECANCEL || e == LETHE_ENOMEM || e == LETHE_EINTERNAL || e == LETHE_EIO) return e;
    if (e != LETHE_OK)
        *why = reason(doc, e == LETHE_EINPUT ? "the published data or the claim is malformed"
                                             : "the check could not be completed");
    *holds = e == LETHE_OK && yes;
    if (e == LETHE_OK && !yes && p->needs) {
        *why = reason(doc, p->needs);
        *decided = false;
    }
    return LETHE_OK;
}

static int64_t undecided_of(const lethe_published *p)
{
    return lethe_json_int(lethe_json_get(p->figures, "undecided"));
}

/* Of one claim: how much of it could not be decided, and why. */
static lethe_json *undecided_told(lethe_json_doc *doc, int64_t n, const char *because)
{
    lethe_json *told = lethe_json_object(doc);
    if (n > 0) lethe_set_count(doc, told, "undecided", (uint64_t)n);
    if (n > 0 && because) lethe_set_text(doc, told, "because", because);
    return told;
}

/* Reads again the results that a claim's step was given.  A fault in them is no verdict: they are
 * the caller's. */
static lethe_err results_reopen(lethe_published *p, const char *path, lethe_results **own)
{
    struct stat st;
    *own = NULL;
    p->results_gone =
        path && (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)));
    if (path && !p->results_gone) LETHE_TRY(lethe_results_read(p->ctx, path, own));
    p->results = *own;
    return LETHE_OK;
}

lethe_err lethe_claims_check(lethe_published *p, const lethe_json *claims,
                             const char *const *results, lethe_json_doc *doc, lethe_json **verdict)
{
    lethe_json *checks = lethe_json_array(doc), *all = lethe_json_object(doc);
    bool every = lethe_json_count(claims) > 0; // a release without a promise is no release
    bool broken = !every;                      // known to be, not merely undecided
    p->claims = claims;
    for (size_t i = 0; i < lethe_json_count(claims); i++) {
        const lethe_json *claim = lethe_json_at(claims, i);
        bool holds, decided;
        lethe_json *why, *check = lethe_json_copy(doc, claim);
        lethe_results *own = NULL;
        int64_t undecided = undecided_of(p);
        if (results) LETHE_TRY(results_reopen(p, results[i], &own));
        p->nothing = p->because = NULL;
        lethe_err e = claim_check(p, claim, doc, &holds, &decided, &why);
        lethe_results_free(own);
        LETHE_TRY(e);
        if (p->undecided)
            lethe_json_push(doc, p->undecided,
                            undecided_told(doc, undecided_of(p) - undecided, p->because));
        lethe_json_set(doc, check, "holds", lethe_json_new_bool(doc, holds));
        const char *nothing = lethe_claim_nothing(claim);
        if (!nothing) nothing = p->nothing;
        if (holds && nothing) lethe_set_text(doc, check, "nothing", nothing);
        if (!decided) lethe_json_set(doc, check, "decided", lethe_json_new_bool(doc, false));
        if (!decided && p->needs) lethe_set_text(doc, check, "needs", p->needs);
        if (!holds && why) lethe_json_set(doc, check, "counterexample", why);
        lethe_json_push(doc, checks, check);
        every = every && holds;
        broken = broken || (!holds && decided);
    }
    lethe_json_set(doc, all, "holds", lethe_json_new_bool(doc, every));
    if (!every && !broken) lethe_json_set(doc, all, "decided", lethe_json_new_bool(doc, false));
    lethe_json_set(doc, all, "checks", checks);
    if (lethe_json_failed(doc)) return lethe_no_memory(p->ctx);
    *verdict = all;
    return every ? LETHE_OK : LETHE_ANSWER_NO;
}

lethe_json *lethe_verdict_told(lethe_json_doc *doc, const lethe_json *verdict,
                               const lethe_json *undecided)
{
    lethe_json *told = lethe_json_object(doc), *checks = lethe_json_array(doc);
    const lethe_json *found = lethe_json_get(verdict, "checks");
    for (size_t i = 0; i < lethe_json_count(found); i++) {
        lethe_json *check = lethe_json_copy(doc, lethe_json_at(found, i));
        const lethe_json *n = lethe_json_get(lethe_json_at(undecided, i), "undecided"),
                         *why = lethe_json_get(lethe_json_at(undecided, i), "because");
        if (n) lethe_json_set(doc, check, "undecided", lethe_json_copy(doc, n));
        if (why) lethe_json_set(doc, check, "because", lethe_json_copy(doc, why));
        lethe_json_push(doc, checks, check);
    }
    lethe_json_set(doc, told, "holds", lethe_json_copy(doc, lethe_json_get(verdict, "holds")));
    if (lethe_json_get(verdict, "decided"))
        lethe_json_set(doc, told, "decided", lethe_json_new_bool(doc, false));
    if (found) lethe_json_set(doc, told, "checks", checks);
    return told;
}

/* --- the files and the manifest --- */

lethe_err lethe_verify_refuse(lethe_verification *v, const char *text)
{
    v->why = reason(v->doc, text);
    return lethe_fail(v->p->ctx, LETHE_ANSWER_NO, "%s", text);
}

void lethe_verify_unchecked(lethe_verification *v, const char *text)
{
    lethe_json_push(v->doc, v->unchecked, lethe_json_new_text(v->doc, lethe_str_of(text)));
}

const lethe_json *lethe_verify_file(const lethe_verification *v, const char *name)
{
    for (size_t i = 0; i < lethe_json_count(v->files); i++) {
        const lethe_json *file = lethe_json_at(v->files, i);
        if (lethe_str_eq(lethe_json_text(lethe_json_get(file, "name")), lethe_str_of(name)))
            return file;
    }
    return NULL;
}

/* A file that is not in the manifest was never checked, and would be handed out with the rest. */
static lethe_err strangers_check(lethe_verification *v)
{
    char name[NAME_MAX + 1], shown[200];
    lethe_diag *d = lethe_ctx_diag(v->p->ctx);
    LETHE_TRY(lethe_manifest_stranger(d, v->p->dirfd, v->p->manifest, true, name));
    // what file managers leave behind is nobody's doing, and tells nothing of the input
    for (char ignored[NAME_MAX + 1] = "";;) {
        LETHE_TRY(lethe_manifest_litter(d, v->p->dirfd, v->p->manifest, ignored));
        if (!ignored[0]) break;
        lethe_show(shown, sizeof shown, lethe_str_of(ignored));
        lethe_note(d, "'%s' is not part of the release, and is ignored", shown);
    }
    if (!name[0]) return LETHE_OK;
    v->why = reason(v->doc, "the folder holds a file that the manifest does not name");
    lethe_set_text(v->doc, v->why, "file", name);
    lethe_show(shown, sizeof shown, lethe_str_of(name));
    return lethe_fail(d, LETHE_ANSWER_NO, "the folder holds '%s', which the manifest does not name",
                      shown);
}

static lethe_err digests_check(lethe_verification *v)
{
    struct stat st;
    int dirfd = v->p->dirfd;
    for (size_t i = 0; i < lethe_json_count(v->files); i++) {
        const lethe_json *file = lethe_json_at(v->files, i);
        lethe_str name = lethe_json_text(lethe_json_get(file, "name"));
        char copy[32], hex[65]; // the manifest was read: its names are our own, and short
        memcpy(copy, name.at, name.n);
        copy[name.n] = '\0';
        uint64_t size = 0;
        bool is_file = fstatat(dirfd, copy, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
        if (is_file) LETHE_TRY(lethe_file_digest(v->p->ctx, dirfd, copy, hex, &size));
        bool same =
            is_file && (int64_t)size == lethe_json_int(lethe_json_get(file, "bytes")) &&
            lethe_str_eq(lethe_str_of(hex), lethe_json_text(lethe_json_get(file, "blake2b")));
        if (same) continue;
        v->why =
            reason(v->doc,
                   is_file ? "a file is not the one that the manifest describes"
                           : "a file that the manifest names is missing, or is not a regular file");
        lethe_set_text(v->doc, v->why, "file", copy);
        return lethe_fail(v->p->ctx, LETHE_ANSWER_NO,
                          "'%s' is not the file that the manifest describes", copy);
    }
    return LETHE_OK;
}

/* Are the parts of the data what one file was cut into, between lines?  Which parts there are the
 * manifest has said, and what is in them the digests. */
static lethe_err data_parts_check(lethe_verification *v)
{
    lethe_stored *data = NULL;
    if (lethe_manifest_data_parts(v->p->manifest) == 0) return LETHE_OK;
    lethe_err e = lethe_stored_open(lethe_ctx_diag(v->p->ctx), v->p->dirfd,
                                    lethe_data_name(v->p->shape), &data);
    lethe_stored_close(data);
    if (e != LETHE_EINPUT) return e;
    return lethe_verify_refuse(v, "the parts of the data are not those of one file");
}

lethe_err lethe_json_same(lethe_diag *d, const lethe_json *a, const lethe_json *b, bool *same)
{
    size_t n, m;
    char *x = lethe_json_write(a, 0, &n), *y = lethe_json_write(b, 0, &m);
    bool written = x && y;
    *same = written && n == m && memcmp(x, y, n) == 0;
    lethe_json_text_free(x);
    lethe_json_text_free(y);
    return written ? LETHE_OK : lethe_no_memory(d);
}

/* Four whole numbers that add up. */
static bool counts_read(const lethe_json *counts, lethe_counts *out)
{
    uint64_t *const to[] = {&out->read, &out->published, &out->suppressed, &out->rejected};
    static const char *const names[] = {"read", "published", "suppressed", "rejected"};
    for (size_t i = 0; i < LETHE_COUNT(names); i++) {
        const lethe_json *v = lethe_json_get(counts, names[i]);
        if (lethe_json_kind(v) != LETHE_JSON_INT || lethe_json_int(v) < 0) return false;
        *to[i] = (uint64_t)lethe_json_int(v);
    }
    // by subtraction: the numbers are anybody's, and a sum may wrap around
    return lethe_json_count(counts) == LETHE_COUNT(names) && out->published <= out->read &&
           out->suppressed <= out->read - out->published &&
           out->rejected == out->read - out->published - out->suppressed;
}

/* Was the release made by this very version, as it says? */
static bool is_this_version(const lethe_json *manifest)
{
    return lethe_str_eq(lethe_json_text(lethe_json_get(manifest, "lethe")),
                        lethe_str_of(lethe_version()));
}

/* A caveat of another version may be true or made up: it is reported as not checked, and not among
 * the caveats.  A few are named. */
static void caveats_set_apart(lethe_verification *v, const lethe_json *unknown)
{
    enum { NAMED = 8, SHOWN = 300 };
    const lethe_json *said = lethe_json_get(v->p->manifest, "caveats");
    size_t n = lethe_json_count(unknown), next = 0;
    char text[SHOWN + 100], caveat[SHOWN];
    for (size_t i = 0; i < n && i < NAMED; i++) {
        lethe_show(caveat, sizeof caveat, lethe_json_text(lethe_json_at(unknown, i)));
        snprintf(text, sizeof text, "a caveat that lethe %s does not know: '%s'", lethe_version(),
                 caveat);
        lethe_verify_unchecked(v, text);
    }
    if (n > NAMED) {
        snprintf(text, sizeof text, "%zu further caveats that lethe %s does not know", n - NAMED,
                 lethe_version());
        lethe_verify_unchecked(v, text);
    }
    v->caveats = lethe_json_array(v->doc);
    for (size_t i = 0; i < lethe_json_count(said); i++) { // the unknown ones are in the same order
        const lethe_json *caveat_said = lethe_json_at(said, i);
        if (next < n && lethe_str_eq(lethe_json_text(caveat_said),
                                     lethe_json_text(lethe_json_at(unknown, next))))
            next++;
        else
            lethe_json_push(v->doc, v->caveats, lethe_json_copy(v->doc, caveat_said));
    }
}

static lethe_err caveats_check(lethe_verification *v)
{
    bool warns;
    lethe_json *unknown;
    LETHE_TRY(
        lethe_manifest_warns(lethe_ctx_diag(v->p->ctx), v->p->manifest, v->doc, &warns, &unknown));
    if (!warns) return lethe_verify_refuse(v, "the manifest lacks caveats that its steps require");
    if (lethe_json_count(unknown) == 0) return LETHE_OK;
    if (is_this_version(v->p->manifest))
        return lethe_verify_refuse(v, "the manifest has caveats that its steps do not have");
    caveats_set_apart(v, unknown);
    return LETHE_OK;
}

/* That steps without a claim were applied at all, no file shows. */
static void unclaimed_say(lethe_verification *v)
{
    const lethe_json *steps = lethe_json_get(v->p->manifest, "steps");
    for (size_t i = 0; i < lethe_json_count(steps); i++) {
        const lethe_json *step = lethe_json_at(steps, i);
        char text[120];
        if (!lethe_json_get(step, LETHE_UNCLAIMED)) continue;
        snprintf(text, sizeof text, "that %s was applied (the publisher's word)",
                 lethe_step_method(step)->name);
        lethe_verify_unchecked(v, text);
    }
}

/* Of a joined release: does what is promised of its parts hold of all of them together? */
static lethe_err joined_check(lethe_verification *v)
{
    const lethe_json *m = v->p->manifest;
    if (lethe_steps_hinder_joining(lethe_json_get(m, "steps"), lethe_json_get(m, "claims")))
        return lethe_verify_refuse(
            v, "the manifest says that parts were joined, which its steps do not allow");
    lethe_verify_unchecked(v, "that no person is in two parts (the publisher's word)");
    return LETHE_OK;
}

/* Does the manifest agree with itself and with its steps? */
static lethe_err manifest_check(lethe_verification *v)
{
    lethe_diag *d = lethe_ctx_diag(v->p->ctx);
    const lethe_json *m = v->p->manifest;
    lethe_counts counts;
    lethe_json *promised;
    bool same;
    lethe_err e = lethe_manifest_claims(d, m, v->doc, &promised);
    if (e == LETHE_EINPUT)
        return lethe_verify_refuse(v, "the manifest's steps are not steps of lethe");
    LETHE_TRY(e);
    if (lethe_step_shape_said(v->last_step) != v->p->shape)
        return lethe_verify_refuse(v, "the manifest's files are not those of its last step");
    LETHE_TRY(lethe_json_same(d, promised, lethe_json_get(m, "claims"), &same));
    if (!same)
        return lethe_verify_refuse(v, "the manifest's claims are not what its steps promise");
    if (!lethe_json_bool(lethe_json_get(lethe_json_get(m, "verdict"), "holds")))
        return lethe_verify_refuse(v,
                                   "the manifest's own verdict is that the promise does not hold");
    if (lethe_manifest_parts(m) > 0) LETHE_TRY(joined_check(v));
    LETHE_TRY(caveats_check(v));
    unclaimed_say(v);
    if (!counts_read(lethe_json_get(m, "counts"), &counts))
        return lethe_verify_refuse(v, "the manifest's counts do not add up");
    v->published = counts.published;
    v->suppressed = counts.suppressed;
    return LETHE_OK;
}

/* Is each claim that promises nothing, as the checks have shown, named among the caveats? */
static bool nothing_is_told(const lethe_json *verdict, const lethe_json *caveats)
{
    const lethe_json *checks = lethe_json_get(verdict, "checks");
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        const lethe_json *nothing = lethe_json_get(lethe_json_at(checks, i), "nothing");
        bool told = !nothing;
        for (size_t k = 0; k < lethe_json_count(caveats) && !told; k++)
            told =
                lethe_str_eq(lethe_json_text(lethe_json_at(caveats, k)), lethe_json_text(nothing));
        if (!told) return false;
    }
    return true;
}

/* Is a file that was not given the only reason to say no? */
static bool only_needs(const lethe_json *verdict)
{
    const lethe_json *checks = lethe_json_get(verdict, "checks");
    for (size_t i = 0; i < lethe_json_count(checks); i++) {
        const lethe_json *check = lethe_json_at(checks, i);
        if (!lethe_json_bool(lethe_json_get(check, "holds")) && !lethe_json_get(check, "needs"))
            return false;
    }
    return lethe_json_count(checks) > 0;
}

/* The verdict that it would be if all held that could not be decided: what a manifest must have. */
static lethe_json *verdict_granted(const lethe_verification *v, const lethe_json *verdict)
{
    lethe_json_doc *doc = v->doc;
    lethe_json *all = lethe_json_object(doc), *checks = lethe_json_array(doc);
    const lethe_json *claims = lethe_json_get(v->p->manifest, "claims"),
                     *found = lethe_json_get(verdict, "checks");
    for (size_t i = 0; i < lethe_json_count(found); i++) {
        const lethe_json *check = lethe_json_at(found, i), *claim = lethe_json_at(claims, i);
        bool needs = lethe_json_get(check, "needs");
        lethe_json *granted = lethe_json_copy(doc, needs ? claim : check);
        const char *nothing = needs ? lethe_claim_nothing(claim) : NULL;
        if (needs) lethe_json_set(doc, granted, "holds", lethe_json_new_bool(doc, true));
        if (nothing) lethe_set_text(doc, granted, "nothing", nothing);
        lethe_json_push(doc, checks, granted);
    }
    lethe_json_set(doc, all, "holds", lethe_json_new_bool(doc, true));
    lethe_json_set(doc, all, "checks", checks);
    return all;
}

static lethe_err claims_check(lethe_verification *v)
{
    bool same;
    lethe_json *verdict = NULL;
    lethe_published *p = v->p;
    lethe_json *undecided = p->undecided = lethe_json_array(v->doc);
    lethe_err e =
        lethe_claims_check(p, lethe_json_get(p->manifest, "claims"), NULL, v->doc, &verdict);
    p->undecided = NULL;
    v->needs = e == LETHE_ANSWER_NO && only_needs(verdict);
    if (e != LETHE_OK && !v->needs) {
        if (verdict) v->verdict = lethe_verdict_told(v->doc, verdict, undecided);
        return e;
    }
    const lethe_json *decided = v->needs ? verdict_granted(v, verdict) : verdict;
    if (v->ops->verify_figures) LETHE_TRY(v->ops->verify_figures(v));
    LETHE_TRY(lethe_json_same(lethe_ctx_diag(p->ctx), decided,
                              lethe_json_get(p->manifest, "verdict"), &same));
    if (!same)
        return lethe_verify_refuse(v,
                                   "the manifest's verdict differs from the checks of its claims");
    if (!nothing_is_told(decided, lethe_json_get(p->manifest, "caveats")))
        return lethe_verify_refuse(v, "the manifest does not say that a claim promises nothing");
    v->verdict = lethe_verdict_told(v->doc, verdict, undecided);
    lethe_verify_counts_say(v);
    return lethe_verify_leaves_say(v);
}

#ifdef LETHE_MINIMAL
static lethe_err page_check(lethe_verification *v)
{
    if (!lethe_verify_file(v, LETHE_REPORT_NAME)) return LETHE_OK;
    return lethe_fail(v->p->ctx, LETHE_EUSAGE,
                      "'%s' cannot be checked: this build of lethe makes no pages",
                      LETHE_REPORT_NAME);
}
#else
/* Of another version's page nobody can tell what in it is true. */
static lethe_err page_refuse(lethe_verification *v)
{
    char text[200];
    lethe_str version = lethe_json_text(lethe_json_get(v->p->manifest, "lethe"));
    if (is_this_version(v->p->manifest))
        return lethe_verify_refuse(v, "report.html is not the page of this release");
    snprintf(text, sizeof text,
             "report.html is not the page of this release as lethe %s makes it; the manifest says "
             "lethe %.*s",
             lethe_version(), (int)version.n, version.at);
    return lethe_verify_refuse(v, text);
}

/* Is report.html the page of this release?  It is made again, whatever version the manifest names:
 * that is anybody's word. */
static lethe_err page_check(lethe_verification *v)
{
    lethe_published *p = v->p;
    lethe_diag *d = lethe_ctx_diag(p->ctx);
    const lethe_json *file = lethe_verify_file(v, LETHE_REPORT_NAME);
    lethe_buf page = {0}, wanted = {0};
    size_t plots;
    if (!file) return LETHE_OK;
    if (v->caveats) // it would show what nobody could check as if it were so
        return lethe_verify_refuse(v, "report.html shows caveats that this version does not know");
    size_t n = (size_t)lethe_json_int(lethe_json_get(file, "bytes")); // as its digest has shown
    const lethe_report_input in = {.manifest = p->manifest,
                                   .shape = p->shape,
                                   .dirfd = p->dirfd,
                                   .n_examples = LETHE_REPORT_EXAMPLES};
    lethe_err e = lethe_report_write(p->ctx, &in, &wanted, &plots);
    bool same = e == LETHE_OK && n == wanted.n; // else it is not read: it may be of any size
    if (same && lethe_buf_reserve(&page, n) != LETHE_OK) e = lethe_no_memory(d);
    if (same && e == LETHE_OK) {
        int fd = openat(p->dirfd, LETHE_REPORT_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        e = fd < 0 ? lethe_fail_sys(d, "open", LETHE_REPORT_NAME, errno)
                   : lethe_pread_all(d, fd, page.at, n, 0, LETHE_REPORT_NAME);
        if (fd >= 0) close(fd);
    }
    same = same && e == LETHE_OK && memcmp(page.at, wanted.at, n) == 0;
    lethe_buf_free(&page);
    lethe_buf_free(&wanted);
    LETHE_TRY(e);
    return same ? LETHE_OK : page_refuse(v);
}
#endif

static lethe_err all_check(lethe_verification *v)
{
    lethe_ctx_phase(v->p->ctx, "digests", 0);
    LETHE_TRY(strangers_check(v));
    LETHE_TRY(digests_check(v));
    LETHE_TRY(data_parts_check(v));
    lethe_ctx_phase(v->p->ctx, "checking", 0);
    LETHE_TRY(manifest_check(v));
    LETHE_TRY(v->ops->verify(v));
    LETHE_TRY(claims_check(v));
    LETHE_TRY(lethe_verify_figures(v));
    if (lethe_json_get(v->p->manifest, "risk"))
        lethe_verify_unchecked(v, "risk: what adversaries found (the publisher's word)");
    if (lethe_json_get(v->p->manifest, "kept"))
        lethe_verify_unchecked(v, "kept: what is left of the original (the publisher's word)");
    if (lethe_json_get(v->p->manifest, "title") || lethe_json_get(v->p->manifest, "date"))
        lethe_verify_unchecked(v, "title and date (the publisher's word)");
    LETHE_TRY(page_check(v));
    return v->needs ? LETHE_ANSWER_NO : LETHE_OK; // everything else is as it should be
}

/* Says which versions made and checked the release, if they are two. */
static void versions_note(const lethe_json *manifest, lethe_json_doc *doc, lethe_json *report)
{
    char text[120];
    lethe_str version = lethe_json_text(lethe_json_get(manifest, "lethe"));
    if (is_this_version(manifest)) return;
    snprintf(text, sizeof text, "made by lethe %.*s; checked by lethe %s", (int)version.n,
             version.at, lethe_version());
    lethe_set_text(doc, report, "note", text);
}

static uint64_t nothing_count(const lethe_json *checks)
{
    uint64_t n = 0;
    for (size_t i = 0; i < lethe_json_count(checks); i++)
        n += lethe_json_get(lethe_json_at(checks, i), "nothing") != NULL;
    return n;
}

static lethe_err release_verify(lethe_published *p, const char *taxonomy, lethe_json_doc *doc,
                                lethe_json *report)
{
    lethe_json *metrics = lethe_json_object(doc);
    const lethe_json *steps = lethe_json_get(p->manifest, "steps");
    lethe_verification v = {.p = p,
                            .ops = lethe_shape_ops_of(p->shape),
                            .files = lethe_json_get(p->manifest, "files"),
                            .last_step = lethe_json_at(steps, lethe_json_count(steps) - 1),
                            .taxonomy = taxonomy,
                            .doc = doc,
                            .unchecked = lethe_json_array(doc)};
    lethe_json_set(doc, metrics, "holds", lethe_json_new_bool(doc, false)); // until it is seen
    p->figures = metrics;
    lethe_err e = all_check(&v);
    p->form = NULL;
    lethe_free(v.least_leaves);
    bool decided = e != LETHE_ECANCEL || lethe_ctx_bound_met(p->ctx) == LETHE_BOUND_NONE;
    bool wrong = v.why, ended = decided; // whatever could not be decided besides
    if (!decided) {
        v.why = bound_reason(p->ctx, doc);
        e = LETHE_ANSWER_NO;
    }
    if (e != LETHE_OK && e != LETHE_ANSWER_NO) return e;
    if (!v.verdict) {
        v.verdict = lethe_json_object(doc);
        lethe_json_set(doc, v.verdict, "holds", lethe_json_new_bool(doc, false));
    }
    const lethe_json *checks = lethe_json_get(v.verdict, "checks");
    for (size_t i = 0; e == LETHE_ANSWER_NO && !v.why && i < lethe_json_count(checks); i++) {
        const lethe_json *first = lethe_json_get(lethe_json_at(checks, i), "counterexample");
        if (first) v.why = lethe_json_copy(doc, first);
    }
    if (e == LETHE_ANSWER_NO && !v.why) v.why = reason(doc, "nothing is promised");
    lethe_json_set(doc, metrics, "holds", lethe_json_new_bool(doc, e == LETHE_OK));
    uint64_t n_nothing = nothing_count(checks);
    if (e == LETHE_OK && n_nothing > 0) lethe_set_count(doc, metrics, "nothing", n_nothing);
    if (lethe_json_get(v.verdict, "decided") && !wrong) decided = false;
    if (!decided) lethe_json_set(doc, metrics, "decided", lethe_json_new_bool(doc, false));
    if (e == LETHE_ANSWER_NO && v.needs && ended && !wrong)
        lethe_json_set(doc, metrics, "needs", lethe_json_new_bool(doc, true));
    if (v.why) lethe_json_set(doc, metrics, "counterexample", v.why);
    if (v.caveats) lethe_json_set(doc, report, "caveats", v.caveats);
    if (e == LETHE_OK) lethe_report_unclaimed(doc, report, steps);
    lethe_set_count(doc, metrics, "unchecked", lethe_json_count(v.unchecked));
    lethe_json_set(doc, report, "metrics", metrics);
    lethe_json_set(doc, report, "verdict", v.verdict);
    lethe_json_set(doc, report, "unchecked", v.unchecked);
    return e;
}

static bool has_taxonomy(const lethe_published *p)
{
    const lethe_json *files = lethe_json_get(p->manifest, "files");
    bool has = false;
    for (size_t i = 0; i < lethe_json_count(files); i++)
        has = has || lethe_str_eq(lethe_json_text(lethe_json_get(lethe_json_at(files, i), "name")),
                                  LETHE_LIT(LETHE_TAXONOMY_NAME));
    return has && p->shape == LETHE_SHAPE_RECORDS;
}

lethe_err lethe_release_verify(lethe_ctx *ctx, const char *folder, const char *results,
                               lethe_json_doc *doc, lethe_json **report)
{
    const lethe_verify_options how = {.results = results};
    return lethe_release_verify_as(ctx, folder, &how, doc, report);
}

/* The population table is the caller's: if it is not the one that the claim names, that is no
 * verdict. */
static lethe_err population_give(lethe_published *p, const lethe_verify_options *how,
                                 lethe_population_given *to)
{
    const lethe_json *claims = lethe_json_get(p->manifest, "claims");
    const lethe_json *claim = lethe_claims_k_map(claims);
    if (how->hierarchies && !how->population)
        return lethe_fail(p->ctx, LETHE_EUSAGE, "--hierarchies applies only with --population");
    if (how->population && !claim)
        return lethe_fail(p->ctx, LETHE_EUSAGE,
                          "--population applies to a release that claims k-map");
    LETHE_TRY(lethe_population_open(p->ctx, claims, how->population, how->hierarchies, to));
    if (!to->given) return LETHE_OK;
    lethe_str digest = lethe_json_text(lethe_json_get(claim, "population"));
    if (!lethe_str_eq(digest, lethe_str_of(to->table.digest)))
        return lethe_fail(p->ctx, LETHE_EINPUT,
                          "'%s' is not the population table of this release: its BLAKE2b is %s, "
                          "and the claim has another",
                          how->population, to->table.digest);
    p->population = &to->table;
    return LETHE_OK;
}

static lethe_err folder_verify(lethe_ctx *ctx, const char *folder, const lethe_verify_options *how,
                               lethe_json_doc *doc, lethe_json **report)
{
    const char *results = how->results;
    static const char *const from_manifest[] = {"claims", "caveats", "counts"};
    lethe_json_doc *manifest_doc;
    lethe_json *r = lethe_json_object(doc);
    lethe_published p;
    *report = r;
    lethe_set_text(doc, r, "command", "verify");
    lethe_json_set(doc, r, "parameters", lethe_json_object(doc));
    lethe_ctx_limit_time(ctx, how->time_limit_s != 0 ? how->time_limit_s : LETHE_VERIFY_SECONDS);
    lethe_err e = lethe_release_open(ctx, folder, &p, &manifest_doc);
    // once, and before anything is judged: a fault in them is not the release's
    lethe_results *given = NULL;
    lethe_population_given population = {.given = false};
    if (e == LETHE_OK && results) e = lethe_results_read(ctx, results, &given);
    if (e == LETHE_OK && how->taxonomy && !has_taxonomy(&p))
        e = lethe_fail(ctx, LETHE_EUSAGE,
                       "--taxonomy applies to records, and the release has no taxonomy of such");
    if (e == LETHE_OK) e = population_give(&p, how, &population);
    if (e == LETHE_OK) {
        p.results = given;
        for (size_t i = 0; i < LETHE_COUNT(from_manifest); i++)
            lethe_json_set(doc, r, from_manifest[i],
                           lethe_json_copy(doc, lethe_json_get(p.manifest, from_manifest[i])));
        versions_note(p.manifest, doc, r);
        e = release_verify(&p, how->taxonomy, doc, r);
    }
    lethe_results_free(given);
    lethe_population_close(&population);
    lethe_release_close(&p, manifest_doc);
    lethe_ctx_limit_time(ctx, 0);
    lethe_report_close(ctx, doc, r);
    if (e == LETHE_OK && lethe_json_failed(doc)) e = lethe_no_memory(ctx);
    return e;
}

lethe_err lethe_release_verify_as(lethe_ctx *ctx, const char *folder,
                                  const lethe_verify_options *how, lethe_json_doc *doc,
                                  lethe_json **report)
{
    lethe_archive a;
    if (!lethe_is_archive(folder)) return folder_verify(ctx, folder, how, doc, report);
    LETHE_TRY(lethe_archive_unpack(ctx, folder, &a));
    lethe_err e = folder_verify(ctx, a.folder, how, doc, report);
    lethe_archive_remove(&a);
    return e;
}
