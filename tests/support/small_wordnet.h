/* SPDX-License-Identifier: Apache-2.0 */
/* small_wordnet.h - a dictionary of a few nouns in WordNet's own format, where $WNSEARCHDIR says,
 * so that tests need no package and can open it thousands of times. */
#ifndef LETHE_TESTS_SMALL_WORDNET_H
#define LETHE_TESTS_SMALL_WORDNET_H
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In order of bytes; entity is above all the others. */
static const char *const small_nouns[] = {"axis", "box",    "boxful",   "car",   "city",
                                          "doe",  "entity", "fish",     "goose", "in",
                                          "man",  "mouse",  "new_york", "watch"};
static const char small_exceptions[] = "axes ax axis\ngeese goose\nmen man\nmice mouse\n";

static char small_folder[64];

static inline FILE *small_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", small_folder, name);
    FILE *f = fopen(path, "w");
    if (!f) abort();
    return f;
}

static inline void small_wordnet_gone(void)
{
    static const char *const names[] = {"index.noun", "data.noun", "noun.exc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", small_folder, names[i]);
        unlink(path);
    }
    rmdir(small_folder);
}

/* Once is enough; it goes when the program ends. */
static inline void small_wordnet(void)
{
    size_t n = sizeof small_nouns / sizeof *small_nouns, at = 0, entity = 0, offset[32];
    if (*small_folder) return;
    snprintf(small_folder, sizeof small_folder, "/tmp/lethe-wordnet-XXXXXX");
    if (!mkdtemp(small_folder)) abort();
    FILE *data = small_file("data.noun"), *index = small_file("index.noun");
    for (int round = 0; round < 2; round++) { /* entity comes first, the others point to it */
        for (size_t i = 0; i < n; i++) {
            bool top = strcmp(small_nouns[i], "entity") == 0;
            if (top != (round == 0)) continue;
            if (top) entity = at;
            offset[i] = at;
            at += (size_t)fprintf(data, "%08zu %02d n 01 %s 0 ", at, top ? 3 : 6, small_nouns[i]);
            at += top ? (size_t)fprintf(data, "000 | all there is  \n")
                      : (size_t)fprintf(data, "001 @ %08zu n 0000 | a thing  \n", entity);
        }
    }
    for (size_t i = 0; i < n; i++) {
        bool top = strcmp(small_nouns[i], "entity") == 0;
        fprintf(index, "%s n 1 %s 1 0 %08zu  \n", small_nouns[i], top ? "0" : "1 @", offset[i]);
    }
    FILE *exceptions = small_file("noun.exc");
    fputs(small_exceptions, exceptions);
    if (fclose(data) != 0 || fclose(index) != 0 || fclose(exceptions) != 0) abort();
    if (setenv("WNSEARCHDIR", small_folder, 1) != 0) abort();
    atexit(small_wordnet_gone);
}

#endif
