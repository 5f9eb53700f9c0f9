/* Reads the result files of other tools, and those that programs write with gpulab.h. A file becomes measurements,
 * notes, and what it says of its machine. README.md says for each format what is read and how it is named.
 *
 * Metrics and axes have gpulab's names where gpulab has the same quantity ("time", "bandwidth", "busbw"), else the
 * file's. Units are gpulab's: s, B, GB/s, G/s, GFLOP/s, Gop/s, Hz, J, 1; values are converted where the file or its
 * tool names the unit. A unit that is not known stays as its text, with the value as it is.
 */
#ifndef LAB_FORMATS_H
#define LAB_FORMATS_H

#include "core/errors.h"
#include "core/schema.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a file may have. Lengths are in characters. */
enum {
    LAB_RESULT_SIZE_MAX = 32 * 1024 * 1024,
    LAB_RESULT_VALUES_MAX = 1000000, /* of a JSON document or line, which then takes at most 250 MB of memory */
    LAB_RESULT_MEASUREMENTS_MAX = 100000,
    LAB_RESULT_SAMPLES_MAX = 1000000, /* of a measurement */
    LAB_RESULT_AXES_MAX = 12,         /* of a measurement */
    LAB_RESULT_NAME_MAX = 128,        /* of a metric, an axis or a unit */
    LAB_RESULT_TEXT_MAX = 1024,       /* on an axis */
    LAB_RESULT_NOTES_MAX = 1000,
};

/* The summary of samples that the file does not have. NAN: the file does not say; median or mean is always there. */
struct lab_result_figures {
    size_t n; /* samples that the tool took, at least 1 */
    double median, q1, q3, min, max, mean, stdev;
};

/* The results of a metric at a point. A file has no two of the same metric and axes: what it has several times, such as
 * the repetitions of a benchmark or the rows of a table, are the samples of one measurement, in the order of the
 * file. */
struct lab_result_measurement {
    char *metric, *unit;
    json_t *axes; /* an object: a text, a finite number or a boolean for each axis, in the order of the file */
    size_t sample_count;
    double *samples;                   /* finite; a figure that the file has alone is one sample */
    struct lab_result_figures figures; /* where sample_count is 0; else n is 0 */
    int64_t wrong;                     /* elements of the results that were wrong; -1: not checked */
};

struct lab_result_file {
    size_t count;
    struct lab_result_measurement *measurements;
    /* Sentences: what was skipped or has failed, and what the file says beside its figures. */
    size_t note_count, notes_dropped;
    char **notes;
    /* What the file says of its machine. NULL: nothing. */
    char *version; /* of the tool */
    char *date;    /* as in the file */
    int64_t at;    /* the date as a time (core/clock.h); LAB_NO_TIME: none, or its text has no offset from UTC */
    /* Lists of names, of devices one for each device; and {"driver": "550.54", "cuda": "12.4", "nccl": "2.21.5"}, what
     * of it the file has. Never NULL after a read. */
    json_t *hosts, *devices, *versions;
};

struct lab_reader;
struct lab_result_text;

/* A row of the table of formats. */
struct lab_result_format {
    const char *name;  /* "google-benchmark": of options and requests */
    const char *title; /* "Google Benchmark" */
    const char *made;  /* how a tool is told to write the file: "--benchmark_out=FILE --benchmark_out_format=json" */
    /* For formats that are JSON documents: the members, whose required ones distinguish the format from others, and the
     * reader, which is called when the document has these members. NULL: the format is a text. */
    const struct lab_schema *members;
    void (*read_document)(struct lab_reader *reader, const json_t *document);
    /* For formats that are texts; NULL: the format is a JSON document. */
    bool (*recognises)(const struct lab_result_text *text);
    void (*read_text)(struct lab_reader *reader, const struct lab_result_text *text);
};

/* All formats, in the order in which they are tried; ends with name NULL. */
extern const struct lab_result_format lab_result_formats[];

/* The format of that name; NULL if there is none. */
const struct lab_result_format *lab_result_format_find(const char *name);

/* Sets the error for a name that no format has: its detail lists those that there are. Returns false. */
bool lab_result_format_refuse(const char *name, enum lab_error_code code, const char *pointer, struct lab_error *error);

/* The format of a file; NULL: it is none, or the file is not what any format can be (size, UTF-8, depth). */
const struct lab_result_format *lab_result_format_guess(const char *text, size_t size);

/* Reads a file of `size` bytes; the text need not end with NUL. `file` is zero-initialised and released by the caller,
 * also after an error. False with errors added, whose pointers are into a JSON document; for a text the message begins
 * with the line. `file` then has what was read besides. A file that has neither measurements nor notes is an error. */
bool lab_result_format_read(const struct lab_result_format *format, const char *text, size_t size,
                            struct lab_result_file *file, struct lab_errors *errors);
void lab_result_file_release(struct lab_result_file *file);

/* The axes of a result as the lab stores them: a number that is no integer becomes a text of 15 digits. A new
 * reference. */
json_t *lab_result_axes(const json_t *axes);

/* The figure that stands for figures without samples: the median, or where there is none the mean. */
double lab_result_figures_value(const struct lab_result_figures *figures);

#endif
