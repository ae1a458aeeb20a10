/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - hands every file below the given folders to a fuzz target, once: the corpus as a test,
 * with any compiler and any sanitizer.  Also tries the empty input.  A folder without any file is
 * an error: a test that tests nothing must not pass. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static size_t n_files;

static void die(const char *what, const char *path)
{
    fprintf(stderr, "replay: %s '%s': %s\n", what, path, strerror(errno));
    exit(1);
}

static void replay_file(const char *path, size_t n)
{
    FILE *f = fopen(path, "rb");
    if (!f) die("cannot open", path);
    /* Exactly as long as the input, so that one byte too far is noticed. */
    uint8_t *data = malloc(n ? n : 1);
    if (!data) die("no memory for", path);
    if (fread(data, 1, n, f) != n) die("cannot read", path);
    fclose(f);
    /* Said before, so that whoever crashes is known by name. */
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, n);
    free(data);
    n_files++;
}

static void replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) die("cannot find", path);
    if (!S_ISDIR(st.st_mode)) {
        replay_file(path, (size_t)st.st_size);
        return;
    }
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);
    if (n < 0) die("cannot list", path);
    for (int i = 0; i < n; i++) {
        char inner[4096];
        if (names[i]->d_name[0] != '.') {
            int len = snprintf(inner, sizeof inner, "%s/%s", path, names[i]->d_name);
            if (len < 0 || (size_t)len >= sizeof inner) die("name too long below", path);
            replay(inner);
        }
        free(names[i]);
    }
    free(names);
}

int main(int argc, char **argv)
{
    uint8_t nothing[1] = {0};
    LLVMFuzzerTestOneInput(nothing, 0);
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    if (n_files == 0) {
        fprintf(stderr, "replay: no input found\n");
        return 1;
    }
    printf("%zu inputs replayed\n", n_files);
    return 0;
}
