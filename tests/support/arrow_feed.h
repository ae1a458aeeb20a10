/* SPDX-License-Identifier: Apache-2.0 */
/* arrow_feed.h - arrays and streams of Arrow made of plain tables, which count what is released. */
#ifndef LETHE_TESTS_ARROW_FEED_H
#define LETHE_TESTS_ARROW_FEED_H
#include "lethe/arrow.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_BUFFERS = 6 };

/* An array and its type; buffers are borrowed. */
typedef struct arrow_node {
    const char *format, *name;
    int64_t length, null_count, offset;
    int64_t n_buffers;
    const void *buffers[NODE_BUFFERS];
    int64_t n_children;
    const struct arrow_node *const *children;
    const struct arrow_node *dictionary;
} arrow_node;

/* What a producer has: batches of one type, and where it fails. */
typedef struct arrow_feed {
    const arrow_node *const *batches;
    size_t n_batches, next;
    const arrow_node *type; /* NULL: that of the first batch */
    int fail_schema;        /* an errno, or 0 */
    int fail_next;          /* the same, where `fail_at` batches have been handed out */
    size_t fail_at;
    const char *error;  /* what get_last_error() says */
    int made, released; /* schemas, arrays and streams together; each child counts */
    int twice;          /* released once more */
} arrow_feed;

typedef struct arrow_owner {
    arrow_feed *feed;
    void *children, *child, *buffers, *dictionary;
} arrow_owner;

static inline void owner_free(arrow_owner *o)
{
    o->feed->released++;
    free(o->children);
    free(o->child);
    free(o->buffers);
    free(o->dictionary);
    free(o);
}

static inline arrow_owner *owner_new(arrow_feed *feed)
{
    arrow_owner *o = calloc(1, sizeof *o);
    o->feed = feed;
    feed->made++;
    return o;
}

static inline void node_schema_release(struct ArrowSchema *s)
{
    arrow_owner *o = s->private_data;
    for (int64_t i = 0; i < s->n_children; i++)
        if (s->children[i]->release) s->children[i]->release(s->children[i]);
    if (s->dictionary && s->dictionary->release) s->dictionary->release(s->dictionary);
    owner_free(o);
    s->release = NULL;
}

static inline void node_schema(arrow_feed *feed, const arrow_node *n, struct ArrowSchema *out)
{
    arrow_owner *o = owner_new(feed);
    size_t k = (size_t)n->n_children;
    struct ArrowSchema **children = o->children = calloc(k + 1, sizeof *children),
                       *child = o->child = calloc(k + 1, sizeof *child);
    for (size_t i = 0; i < k; i++) {
        node_schema(feed, n->children[i], &child[i]);
        children[i] = &child[i];
    }
    if (n->dictionary) {
        o->dictionary = calloc(1, sizeof *child);
        node_schema(feed, n->dictionary, o->dictionary);
    }
    *out = (struct ArrowSchema){.format = n->format,
                                .name = n->name,
                                .flags = ARROW_FLAG_NULLABLE,
                                .n_children = n->n_children,
                                .children = children,
                                .dictionary = o->dictionary,
                                .release = node_schema_release,
                                .private_data = o};
}

static inline void node_array_release(struct ArrowArray *a)
{
    arrow_owner *o = a->private_data;
    for (int64_t i = 0; i < a->n_children; i++)
        if (a->children[i]->release) a->children[i]->release(a->children[i]);
    if (a->dictionary && a->dictionary->release) a->dictionary->release(a->dictionary);
    owner_free(o);
    a->release = NULL;
}

static inline void node_array(arrow_feed *feed, const arrow_node *n, struct ArrowArray *out)
{
    arrow_owner *o = owner_new(feed);
    size_t k = (size_t)n->n_children;
    struct ArrowArray **children = o->children = calloc(k + 1, sizeof *children),
                      *child = o->child = calloc(k + 1, sizeof *child);
    const void **buffers = o->buffers = calloc(NODE_BUFFERS, sizeof *buffers);
    memcpy(buffers, n->buffers, sizeof n->buffers);
    for (size_t i = 0; i < k; i++) {
        node_array(feed, n->children[i], &child[i]);
        children[i] = &child[i];
    }
    if (n->dictionary) {
        o->dictionary = calloc(1, sizeof *child);
        node_array(feed, n->dictionary, o->dictionary);
    }
    *out = (struct ArrowArray){.length = n->length,
                               .null_count = n->null_count,
                               .offset = n->offset,
                               .n_buffers = n->n_buffers,
                               .n_children = n->n_children,
                               .buffers = buffers,
                               .children = children,
                               .dictionary = o->dictionary,
                               .release = node_array_release,
                               .private_data = o};
}

static inline int feed_schema(struct ArrowArrayStream *in, struct ArrowSchema *out)
{
    arrow_feed *feed = in->private_data;
    if (feed->fail_schema) return feed->fail_schema;
    node_schema(feed, feed->type ? feed->type : feed->batches[0], out);
    return 0;
}

static inline int feed_next(struct ArrowArrayStream *in, struct ArrowArray *out)
{
    arrow_feed *feed = in->private_data;
    if (feed->fail_next && feed->next == feed->fail_at) return feed->fail_next;
    if (feed->next < feed->n_batches)
        node_array(feed, feed->batches[feed->next++], out);
    else
        *out = (struct ArrowArray){0};
    return 0;
}

static inline const char *feed_error(struct ArrowArrayStream *in)
{
    const arrow_feed *feed = in->private_data;
    return feed->error;
}

static inline void feed_release(struct ArrowArrayStream *in)
{
    arrow_feed *feed = in->private_data;
    feed->released++;
    in->release = NULL;
}

static inline struct ArrowArrayStream feed_stream(arrow_feed *feed)
{
    feed->made++;
    feed->next = 0;
    return (struct ArrowArrayStream){feed_schema, feed_next, feed_error, feed_release, feed};
}

/* --- nodes for what tests need most --- */

/* A struct of these columns: what a batch is. */
#define ROWS(n, ...)                                                                               \
    {                                                                                              \
        .format = "+s", .name = "", .length = (n), .n_buffers = 1,                                 \
        .n_children = sizeof((const arrow_node *[]){__VA_ARGS__}) / sizeof(arrow_node *),          \
        .children = (const arrow_node *[])                                                         \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
/* Text: `offsets` of int32_t. */
#define TEXT_COLUMN(title, n, offsets, bytes)                                                      \
    {                                                                                              \
        .format = "u", .name = (title), .length = (n), .n_buffers = 3, .buffers = {                \
            NULL,                                                                                  \
            (offsets),                                                                             \
            (bytes)                                                                                \
        }                                                                                          \
    }
/* What has one buffer of values. */
#define PLAIN_COLUMN(kind, title, n, values)                                                       \
    {                                                                                              \
        .format = (kind), .name = (title), .length = (n), .n_buffers = 2, .buffers = {             \
            NULL,                                                                                  \
            (values)                                                                               \
        }                                                                                          \
    }

#endif
