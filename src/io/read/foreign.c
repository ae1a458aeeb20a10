/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of files that people have their logs and tables in and that are no text.  Read as
 * text, they would end in messages about rejected lines, which help nobody. */
#include "io/read/foreign.h"
#include <stdio.h>

typedef struct foreign_kind {
    lethe_str magic;
    bool binary;      /* letters that a text may begin with: a byte that no text has must follow */
    const char *what; /* with its article */
    const char *ends; /* of a name, where the real one cannot be shown in a command */
    const char *how;  /* %1$s: the file, %2$s: the same with .csv for its ending */
} foreign_kind;

#define DUCKDB(from) "duckdb -c \"COPY (SELECT * FROM " from ") TO '%2$s' (HEADER)\""
#define MAGIC(bytes) (bytes), sizeof(bytes) - 1
#define OFFICE "an Excel workbook (or another file of Office)"
#define SPREADSHEET "libreoffice --headless --convert-to csv %1$s"

static const foreign_kind kinds[] = {
    {{MAGIC("PAR1")}, true, "a Parquet file", "parquet", DUCKDB("'%1$s'")},
    {{MAGIC("PK\3\4")}, false, "a zip archive", "zip", "unzip -p %1$s > %2$s"},
    {{MAGIC("SQLite format 3\0")},
     false,
     "an SQLite database",
     "db",
     "sqlite3 -header -csv %1$s 'SELECT * FROM name_of_table' > %2$s"},
    {{MAGIC("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")}, false, OFFICE, "xls", SPREADSHEET},
    {{MAGIC("Obj\1")},
     false,
     "an Avro file",
     "avro",
     "duckdb -c \"INSTALL avro; LOAD avro; COPY (SELECT * FROM read_avro('%1$s')) TO '%2$s' "
     "(HEADER)\""},
    {{MAGIC("ORC")},
     true,
     "an ORC file",
     "orc",
     "python3 -c \"import pyarrow.orc as o, pyarrow.csv as c; "
     "c.write_csv(o.read_table('%1$s'), '%2$s')\""},
    {{MAGIC("ARROW1\0\0")},
     false,
     "an Arrow file",
     "arrow",
     "python3 -c \"import pyarrow.feather as f, pyarrow.csv as c; "
     "c.write_csv(f.read_table('%1$s'), '%2$s')\""},
    {{MAGIC("%PDF-")}, false, "a PDF document", "pdf", NULL},
    {{MAGIC("\x89HDF\r\n\x1A\n")}, false, "an HDF5 file", "h5", NULL},
    {{MAGIC("7z\xBC\xAF\x27\x1C")}, false, "a 7-Zip archive", "7z", "7z x -so %1$s > %2$s"},
};

/* What programs pack into zip, by the name of the first file in it. */
static const foreign_kind packed[] = {
    {{MAGIC("[Content_Types].xml")}, false, OFFICE, "xlsx", SPREADSHEET},
    {{MAGIC("_rels/")}, false, OFFICE, "xlsx", SPREADSHEET},
    {{MAGIC("xl/")}, false, "an Excel workbook", "xlsx", SPREADSHEET},
    {{MAGIC("docProps/")}, false, OFFICE, "xlsx", SPREADSHEET},
    {{MAGIC("mimetype")}, false, "an OpenDocument file", "ods", SPREADSHEET},
};
enum { ZIP_NAME = 30 }; /* where that name stands */

static bool begins(lethe_str s, lethe_str with)
{
    return s.n >= with.n && memcmp(s.at, with.at, with.n) == 0;
}

static bool has_binary(lethe_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.at[i] < '\t' || s.at[i] == 0x15) return true; // 0x15: of Thrift
    return false;
}

static const foreign_kind *kind_of(lethe_str head)
{
    for (size_t i = 0; i < LETHE_COUNT(kinds); i++)
        if (begins(head, kinds[i].magic) && (!kinds[i].binary || has_binary(head)))
            return &kinds[i];
    return NULL;
}

bool lethe_foreign_suspected(lethe_str head)
{
    head.n = LETHE_MIN(head.n, (size_t)LETHE_FOREIGN_LEAST);
    return kind_of(head) != NULL;
}

/* A name that needs no quoting, in the shell and in SQL. */
static bool is_simple(const char *name)
{
    return name[0] != '-' &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789._/-")] == '\0';
}

/* Writes the command into `out`; names that need quotes stay out of it. */
static void command_write(const foreign_kind *k, const char *name, char *out, size_t cap)
{
    char from[160], to[160];
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const char *dot = strrchr(base, '.');
    bool shown = is_simple(name) && dot && dot > base && strlen(name) < sizeof from - 4;
    int stem = shown ? (int)(dot - name) : 4;
    snprintf(from, sizeof from, shown ? "%s" : "FILE.%s", shown ? name : k->ends);
    snprintf(to, sizeof to, "%.*s.csv", stem, shown ? name : "FILE");
    const char *at = k->how;
    size_t n = 0;
    while (*at && n + 1 < cap) {
        const char *put = at[0] == '%' ? (at[1] == '1' ? from : to) : NULL;
        if (put)
            n += (size_t)snprintf(out + n, cap - n, "%s", put);
        else
            out[n++] = *at;
        n = LETHE_MIN(n, cap - 1);
        at += put ? 4 : 1;
    }
    out[n] = '\0';
}

lethe_err lethe_foreign_refuse(lethe_diag *d, const char *name, lethe_str head)
{
    const foreign_kind *k = kind_of(head);
    if (!k) return LETHE_OK;
    if (strcmp(k->ends, "zip") == 0 && head.n > ZIP_NAME) {
        lethe_str first = {head.at + ZIP_NAME, head.n - ZIP_NAME};
        for (size_t i = 0; i < LETHE_COUNT(packed); i++)
            if (begins(first, packed[i].magic)) k = &packed[i];
    }
    if (!k->how)
        return lethe_fail(d, LETHE_EINPUT, "'%s' is %s: export what it holds as CSV first", name,
                          k->what);
    char command[600];
    command_write(k, name, command, sizeof command);
    return lethe_fail(d, LETHE_EINPUT, "'%s' is %s: convert it first: %s", name, k->what, command);
}
