/* SPDX-License-Identifier: Apache-2.0 */
/* wordnet_gloss.c - what a node is, in WordNet's words: a look into the files, without reading all
 * of them. */
#include "lexicon/wordnet/wordnet.h"
#include "core/parse.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES = 16384 }; /* the longest line of WordNet 3.0's nouns has 13,000 */

static int noun_file(const char *dir, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", lethe_wordnet_folder(dir), name);
    if (n < 0 || (size_t)n >= sizeof path) return -1;
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* The line behind the one that `at` is in; of 0 the first line.  False: there is none. */
static bool line_behind(int fd, off_t at, char line[LINE_BYTES], size_t *n)
{
    off_t from = at;
    for (int i = 0; i < 2; i++) {
        ssize_t got = pread(fd, line, LINE_BYTES - 1, from);
        if (got <= 0) return false;
        char *end = memchr(line, '\n', (size_t)got);
        if (!end) return false;
        *n = (size_t)(end - line);
        if (i == 1 || at == 0) break;
        from += (off_t)*n + 1;
    }
    line[*n] = '\0';
    return true;
}

/* The line of a word in index.noun, which is in order of bytes. */
static bool index_find(int fd, lethe_str word, char line[LINE_BYTES], size_t *n)
{
    struct stat about;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return false;
    off_t low = 0, high = about.st_size;
    while (low < high) { // the line that follows a place comes later for a later place
        off_t middle = low + (high - low) / 2;
        if (!line_behind(fd, middle, line, n)) {
            high = middle;
            continue;
        }
        size_t m = strcspn(line, " "); // 0: of the licence, which comes first
        int order = memcmp(line, word.at, LETHE_MIN(m, word.n));
        if (order == 0 && m == word.n) return true;
        if (order < 0 || (order == 0 && m < word.n))
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* "word n 3 2 @ ~ 3 1 offset offset offset": the offset of a sense, from 1. */
static bool offset_of(const char *line, uint64_t sense, off_t *out)
{
    uint64_t field[2] = {0, 0}, skip;
    const char *at = line;
    char word[32];
    for (uint64_t i = 0; *at; i++) {
        size_t n = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)LETHE_MIN(n, sizeof word - 1), at);
        if ((i == 2 || i == 3) && !lethe_parse_u64(lethe_str_of(word), &field[i - 2])) return false;
        skip = 6 + field[1]; // word n senses pointers [pointers] senses tagged
        if (i >= 4 && i == skip + sense - 1) {
            uint64_t offset;
            if (sense > field[0] || !lethe_parse_u64(lethe_str_of(word), &offset)) return false;
            *out = (off_t)offset;
            return true;
        }
        at += n + strspn(at + n, " ");
    }
    return false;
}

bool lethe_wordnet_gloss(const char *dir, lethe_str name, char out[LETHE_GLOSS_MAX])
{
    static const char mark[] = ".n.";
    char line[LINE_BYTES];
    size_t n, dot = name.n;
    uint64_t sense;
    off_t offset = 0;
    while (dot > 0 && name.at[dot - 1] != '.')
        dot--;
    if (dot < sizeof mark || memcmp(name.at + dot - 3, mark, 3) != 0 ||
        !lethe_parse_u64((lethe_str){name.at + dot, name.n - dot}, &sense) || sense == 0)
        return false;
    int index = noun_file(dir, "index.noun"), data = noun_file(dir, "data.noun");
    bool found = index >= 0 && data >= 0 &&
                 index_find(index, (lethe_str){name.at, dot - 3}, line, &n) &&
                 offset_of(line, sense, &offset);
    ssize_t got = found ? pread(data, line, LINE_BYTES - 1, offset) : -1;
    if (index >= 0) close(index);
    if (data >= 0) close(data);
    if (got <= 0) return false;
    line[got] = '\0';
    line[strcspn(line, "\n")] = '\0';
    const char *gloss = strstr(line, " | ");
    if (!gloss) return false;
    gloss += 3;
    // examples and further senses follow
    n = strcspn(gloss, ";\"");
    while (n > 0 && (gloss[n - 1] == ' ' || gloss[n - 1] == ':'))
        n--;
    if (n == 0 || n >= LETHE_GLOSS_MAX) return false;
    snprintf(out, LETHE_GLOSS_MAX, "%.*s", (int)n, gloss);
    return true;
}
