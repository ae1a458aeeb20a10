/* log.h - how to read a search log. */
#ifndef LETHE_LOG_H
#define LETHE_LOG_H
#include "lethe/base.h"
LETHE_API_BEGIN

typedef enum lethe_format {
    LETHE_FORMAT_GUESS,
    LETHE_FORMAT_AOL,
    LETHE_FORMAT_CSV,
    LETHE_FORMAT_JSONL,
    LETHE_FORMAT_UBI, /* OpenSearch User Behavior Insights: queries and clicks, joined by query id
                       */
    LETHE_FORMAT_RECORDS, /* no log: records of items, for the methods that take them */
    LETHE_FORMAT_TABLE    /* no log: a table with a header, for the methods that take one */
} lethe_format;

/* What --from, --columns, --delimiter, --users-with and --strict-input say.  All zero: guess. */
typedef struct lethe_read_options {
    lethe_format format;
    char delimiter; /* 0: guess */
    /* "user=1,time=2,query=3,rank=4,url=5", numbers or names; NULL: by format, and so always for
     * UBI, whose fields have their names */
    const char *columns;
    bool has_users_with;
    uint64_t users_with_min, users_with_max; /* clicked queries */
    bool strict;
} lethe_read_options;

/* Parses "100-300" (also "100-": no upper end; "5": exactly).  false: malformed. */
bool lethe_users_with_parse(const char *s, lethe_read_options *r);

LETHE_API_END
#endif
