/* SPDX-License-Identifier: Apache-2.0 */
/* ubi_lines.h - lines of User Behavior Insights, for tests that are written out. */
#ifndef LETHE_TESTS_UBI_LINES_H
#define LETHE_TESTS_UBI_LINES_H
#include "model/log/log.h"

#define T1 "2025-01-24T07:31:52.102+0000"
#define W1 "2025-01-24 07:31:52"
#define T2 "2025-01-24T07:31:53Z"
#define W2 "2025-01-24 07:31:53"

#define DOC(id, client, query, time)                                                               \
    "{\"application\":\"shop\",\"query_id\":\"" id "\",\"client_id\":\"" client                    \
    "\",\"user_query\":\"" query "\",\"query_attributes\":{},\"timestamp\":\"" time "\"}\n"
#define CLICK(id, client, object, ordinal)                                                         \
    "{\"action_name\":\"click\",\"query_id\":\"" id "\",\"client_id\":\"" client                   \
    "\",\"timestamp\":\"2025-01-25T00:00:00Z\",\"event_attributes\":{\"object\":{\"object_id\":\"" \
    "" object "\",\"object_id_field\":\"sku\"},\"position\":{\"ordinal\":" ordinal                 \
    "}},\"user_query\":\"whatever\"}\n"
#define EVENT(action, id)                                                                          \
    "{\"action_name\":\"" action "\",\"query_id\":\"" id "\",\"timestamp\":\"" T1 "\"}\n"
#define ACTION(index) "{\"index\": {\"_index\": \"" index "\", \"_id\": \"x\"}}\n"

/* Lines enough that one rejected is not too many. */
#define FIVE(t)                                                                                    \
    DOC(t "1", "n", "nine", T2)                                                                    \
    DOC(t "2", "n", "nine", T2)                                                                    \
    DOC(t "3", "n", "nine", T2) DOC(t "4", "n", "nine", T2) DOC(t "5", "n", "nine", T2)
#define TWENTY FIVE("a") FIVE("b") FIVE("c") FIVE("d")

static const lethe_read_options ubi = {.format = LETHE_FORMAT_UBI};

#define HOW "(--from and --columns say how to read it)\n"

#endif
