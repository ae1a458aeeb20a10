/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the manifest of a release: what is taken for one has the form of one, promises the
 * same each time it is asked, and survives being written and read again. */
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/base.h"
#include "release/release.h"
#include "fuzz.h"

static int folder = -1;
static char folder_path[64];

static void folder_end(void)
{
    unlinkat(folder, LETHE_MANIFEST, 0);
    close(folder);
    rmdir(folder_path);
}

static void folder_begin(void)
{
    snprintf(folder_path, sizeof folder_path, "%s/lethe-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    MUST(mkdtemp(folder_path));
    folder = open(folder_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    MUST(folder >= 0);
    atexit(folder_end);
}

static void write_manifest(const void *bytes, size_t n)
{
    int fd = openat(folder, LETHE_MANIFEST, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    MUST(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    close(fd);
}

/* The promises of the steps as text; NULL: they are not steps of lethe. */
static char *promises(const lethe_json *manifest)
{
    lethe_json_doc *doc = lethe_json_doc_new();
    lethe_json *claims = NULL;
    MUST(doc);
    lethe_err e = lethe_manifest_claims(NULL, manifest, doc, &claims);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (claims != NULL));
    size_t n_steps = lethe_json_count(lethe_json_get(manifest, "steps"));
    if (claims) MUST(n_steps > 0 && lethe_json_count(claims) >= n_steps); // each claims something
    char *text = claims ? lethe_json_write(claims, 0, NULL) : NULL;
    lethe_json_doc_free(doc);
    return text;
}

static void look_at(const lethe_json *m)
{
    static const char *const members[] = {"lethe",  "steps",   "claims",  "files",
                                          "counts", "metrics", "verdict", "caveats"};
    MUST(lethe_json_count(m) == LETHE_COUNT(members));
    for (size_t i = 0; i < LETHE_COUNT(members); i++)
        MUST(lethe_json_get(m, members[i]));
    MUST(lethe_manifest_shape(m) != LETHE_SHAPE_NONE);
    const lethe_json *files = lethe_json_get(m, "files");
    for (size_t i = 0; i < lethe_json_count(files); i++) {
        lethe_str name = lethe_json_text(lethe_json_get(lethe_json_at(files, i), "name"));
        MUST(name.n > 0 && name.n < 16 && !memchr(name.at, '/', name.n) && name.at[0] != '.');
    }
}

static void write_and_read_again(const lethe_json *m)
{
    size_t n;
    char *text = lethe_json_write(m, 2, &n), *promised = promises(m), *again;
    lethe_json_doc *doc = NULL;
    lethe_json *m2 = NULL;
    MUST(text);
    write_manifest(text, n);
    MUST(lethe_manifest_read(NULL, folder, &doc, &m2) == LETHE_OK);
    char *text2 = lethe_json_write(m2, 2, NULL);
    MUST(text2 && strcmp(text, text2) == 0);
    again = promises(m2);
    MUST(!promised == !again && (!promised || strcmp(promised, again) == 0));
    lethe_json_text_free(text);
    lethe_json_text_free(text2);
    lethe_json_text_free(promised);
    lethe_json_text_free(again);
    lethe_json_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    lethe_json_doc *doc = NULL;
    lethe_json *m = NULL;
    if (folder < 0) folder_begin();
    write_manifest(data, n);
    lethe_err e = lethe_manifest_read(NULL, folder, &doc, &m);
    MUST(e == LETHE_OK || e == LETHE_EINPUT);
    MUST((e == LETHE_OK) == (doc != NULL) && (e == LETHE_OK) == (m != NULL));
    if (e == LETHE_OK) {
        look_at(m);
        write_and_read_again(m);
        lethe_json_doc_free(doc);
    }
    return 0;
}
