/* SPDX-License-Identifier: Apache-2.0 */
/* records_internal.h - what the readers of the forms of records share. */
#ifndef LETHE_MODEL_RECORDS_RECORDS_INTERNAL_H
#define LETHE_MODEL_RECORDS_RECORDS_INTERNAL_H
#include "io/read/blocks.h"
#include "model/log/rejects.h"
#include "model/records/records.h"
#include "model/table/table.h"

/* A column of the long form: a position from 1, or a name of the header. */
typedef struct lethe_item_column {
    uint32_t position;
    lethe_str name; /* .at NULL: by position */
} lethe_item_column;

typedef struct lethe_records_reader {
    lethe_ctx *ctx;
    bool strict;
    lethe_records_builder *builder;
    lethe_record_counts counts; /* of all files */
    lethe_buf repaired;
    uint64_t beside;       /* bytes that stay in memory, too: the texts that are read */
    uint64_t taken, bytes; /* of all files, as they are stored; 0: not known */
    bool told;             /* warnings about the form have been given */
    /* of the file at hand */
    const char *name;
    lethe_rejects rejects;
    uint64_t n_lines, n_rejected;
    /* with a delimiter, and in the long form */
    bool told_header; /* --header */
    bool headed;      /* in the long form: the first line is a header, whatever is in it */
    char delimiter;   /* 0: items are separated by spaces */
    lethe_str *fields;
    uint32_t n_fields;
    lethe_buf scratch, item;
    bool is_long;
    lethe_item_column person, thing;
    bool settled; /* of the file at hand: where these are, by `at` */
    uint32_t at[2];
    lethe_arena *arena; /* for the two below */
    lethe_dict *persons, *things;
    lethe_u32s pair_person, pair_thing; /* line by line */
    lethe_u64s first_line;              /* by person: its origin */
} lethe_records_reader;

LETHE_MUST_CHECK lethe_err lethe_records_reject(lethe_records_reader *r, uint64_t line,
                                                uint32_t column, const char *cause,
                                                lethe_str content);
extern const char lethe_record_too_long[];

/* --- records_columns.c --- */

/* Takes --delimiter and --columns.  LETHE_EUSAGE: malformed. */
LETHE_MUST_CHECK lethe_err lethe_records_form(lethe_records_reader *r,
                                              const lethe_read_options *reading);
/* Settles the delimiter of a file in the long form from its first bytes. */
LETHE_MUST_CHECK lethe_err lethe_records_file_begin(lethe_records_reader *r, lethe_blocks *blocks,
                                                    char given);
/* The lines of a block, with a delimiter or in the long form.  Reports no LETHE_ENOMEM. */
LETHE_MUST_CHECK lethe_err lethe_records_fields(lethe_records_reader *r, const lethe_block *block);
/* Hands what the long form has gathered to the builder, person by person. */
LETHE_MUST_CHECK lethe_err lethe_records_gathered(lethe_records_reader *r);
uint64_t lethe_records_gathered_bytes(const lethe_records_reader *r);
void lethe_records_form_free(lethe_records_reader *r);

/* --- records_doubts.c --- */

/* Warns where the first bytes of a file do not look like one record per line. */
LETHE_MUST_CHECK lethe_err lethe_records_doubt(lethe_diag *d, const char *name, lethe_str head);
/* Is it a name that headers of such files have: of persons, or of items? */
bool lethe_names_persons(lethe_str field);
bool lethe_names_items(lethe_str field);

#endif
