/* SPDX-License-Identifier: Apache-2.0 */
/* release_options.h - rows of the option tables of `measure`, `attack` and `report`: what helps to
 * compare a release with its original. */
#ifndef LETHE_APP_CALL_RELEASE_OPTIONS_H
#define LETHE_APP_CALL_RELEASE_OPTIONS_H
#include "lethe/option.h"

/* clang-format off */
#define MAP_OPTION                                                                                 \
    {.name = "map", .type = LETHE_OPT_PATH, .arg = "FILE",                                         \
     .help = "the map that was written with the release"}
#define TAXONOMY_OPTION                                                                            \
    {.name = "taxonomy", .type = LETHE_OPT_PATH, .arg = "FILE",                                    \
     .help = "taxonomy that the records were generalized with, if it was a file"}
#define HIERARCHIES_OPTION(text)                                                                   \
    {.name = "hierarchies", .type = LETHE_OPT_PATH, .arg = "DIR",                                  \
     .help = "hierarchies that the table was generalized with" text}
/* clang-format on */

#endif
