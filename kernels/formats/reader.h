/* What the readers of all formats share: they collect measurements, whose names, units and values are checked and
 * converted here, and notes. Functions return false with an error added.
 */
#ifndef LAB_FORMATS_READER_H
#define LAB_FORMATS_READER_H

#include "formats/formats.h"

struct lab_reader {
    struct lab_result_file *file;
    struct lab_errors *errors;
    json_t *known; /* the index of each measurement, by its axes and metric */
};

/* Where a value is: a JSON pointer, or a line of a text. */
struct lab_place {
    const char *pointer; /* "" in a text */
    size_t line;         /* from 1; 0: in a JSON document */
};

/* Returns false. */
bool lab_reader_refuse(struct lab_reader *reader, const struct lab_place *at, enum lab_error_code code,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Parses a value within the bounds of formats.h: a new reference. NULL with an error that begins with `what`. */
json_t *lab_reader_parse(struct lab_reader *reader, const struct lab_place *at, const char *what, const char *text,
                         size_t length);
/* Whether a text is worth reading further: there are not more errors than would be said. */
bool lab_reader_goes_on(const struct lab_reader *reader);
/* Adds a sentence; control characters in it become blanks. One that is equal to the last is left out. */
void lab_reader_note(struct lab_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Sets a text about the machine, which may be NULL, unless it is set. */
void lab_reader_set(char **fact, const char *text);
/* Adds a name to a list or an object of `file`; of a text of `length` bytes. */
void lab_reader_list(json_t *list, const char *text, size_t length);
void lab_reader_version(struct lab_reader *reader, const char *of, const char *version);

/* Parses a text that is a decimal (core/number.h) below the largest double. */
bool lab_finite_parse(const char *text, double *value);

/* --- axes --------------------------------------------------------------------------------------------------------- */

/* Set an axis. A name that the point has already is written with "axis_" before it, so that an axis of the file cannot
 * replace one that the reader gives to all points. */
bool lab_reader_axis_text(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                          const char *text);
bool lab_reader_axis_number(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                            double number);
bool lab_reader_axis_boolean(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                             bool boolean);
/* Sets an axis from a text, which may stand for a number, true or false. An integer that a double cannot represent
 * stays a text; "" sets nothing. */
bool lab_reader_axis_parsed(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                            const char *text);

/* Sets an axis from a JSON value, which must be a text, a number or a boolean. */
bool lab_reader_axis_json(struct lab_reader *reader, const struct lab_place *at, json_t *axes, const char *name,
                          const json_t *value);

/* --- measurements ------------------------------------------------------------------------------------------------- */

/* What is measured. The axes are shared by the measurements of a point. */
struct lab_measured {
    struct lab_place at;
    json_t *axes;
    const char *metric, *unit; /* the unit as the file has it; it is converted, with the values */
};

bool lab_reader_sample(struct lab_reader *reader, const struct lab_measured *what, double value);
/* The numbers of a JSON list from `first` on. */
bool lab_reader_samples(struct lab_reader *reader, const struct lab_measured *what, const json_t *list, size_t first);
/* Samples of which only figures are known; with neither median nor mean nothing is added. */
bool lab_reader_figures(struct lab_reader *reader, const struct lab_measured *what,
                        const struct lab_result_figures *figures);
/* Says how many elements of the results were wrong, for a measurement that was added. */
void lab_reader_wrong(struct lab_reader *reader, const struct lab_measured *what, double wrong);

extern const struct lab_result_figures lab_no_figures; /* n is 1, the rest NAN */

#endif
