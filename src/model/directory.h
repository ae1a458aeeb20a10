/* directory.h - terms to category paths.  DESIGN: "Directory".
 *
 * Categories are numbered and form a forest: a path such as food/produce/fruit is its last
 * category, whose parents are the rest of the path. */
#ifndef LETHE_MODEL_DIRECTORY_H
#define LETHE_MODEL_DIRECTORY_H
#include "core/ctx.h"
#include "core/mem.h"

typedef struct lethe_directory lethe_directory;

void lethe_directory_free(lethe_directory *dir); /* NULL is fine */

/* The categories of `term` (normalised), distinct, best first, at most `max` of them, into `out`;
 * returns how many.  Safe from several threads. */
size_t lethe_directory_find(const lethe_directory *dir, lethe_str term, size_t max, uint32_t *out);
uint32_t lethe_directory_categories(const lethe_directory *dir); /* numbers below this one */
uint32_t lethe_directory_parent(const lethe_directory *dir, uint32_t category); /* or LETHE_NONE */
uint32_t lethe_directory_level(const lethe_directory *dir,
                               uint32_t category); /* 1: a top category */
/* The last part of its path; lives as long as the directory. */
lethe_str lethe_directory_name(const lethe_directory *dir, uint32_t category);

/* What a kind of directory gives; `self` is freed by `free`. */
typedef struct lethe_directory_kind {
    size_t (*find)(const void *self, lethe_str term, size_t max, uint32_t *out);
    lethe_str (*name)(const void *self, uint32_t category);
    void (*free)(void *self);
} lethe_directory_kind;
/* A directory over `self`, which it takes over, on failure too; parents come before their children
 * in number; `parent` (n numbers) is copied. */
LETHE_MUST_CHECK lethe_err lethe_directory_new(const lethe_directory_kind *kind, void *self,
                                               uint32_t n, const uint32_t *parent,
                                               lethe_directory **out);

#endif
