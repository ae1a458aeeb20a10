/* SPDX-License-Identifier: Apache-2.0 */
/* json_tree.h - the inside of values, for the files of json alone. */
#ifndef LETHE_IO_JSON_JSON_TREE_H
#define LETHE_IO_JSON_JSON_TREE_H
#include "lethe/json.h"
#include "core/mem.h"

typedef struct lethe_json_member {
    lethe_str name; /* empty in an array */
    lethe_json *value;
} lethe_json_member;

struct lethe_json {
    lethe_json_type type;
    union {
        bool b;
        int64_t i;
        double x;
        lethe_str text;
        struct {
            lethe_json_member *at;
            size_t n, cap;
        } list; /* of an array or an object, in order */
    };
};

struct lethe_json_doc {
    lethe_arena *arena;
    bool failed;
};

/* A new value of `doc`, null; NULL: no memory, and the document remembers. */
lethe_json *lethe_json_make(lethe_json_doc *doc, lethe_json_type type);

#endif
