/* NAME.json: the presets and the references of an experiment, which gpulab-pages compiles into the tables
 * lab_NAME_presets and lab_NAME_references (LAB_PAGE in descriptor/experiment.h). README.md has the members.
 */
#ifndef LAB_DATA_H
#define LAB_DATA_H

#include "core/errors.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { LAB_DATA_PATH_MAX = 512 };

/* A file NAME.json. Zero-initialised; released by lab_data_release, also after an error. */
struct lab_data {
    char path[LAB_DATA_PATH_MAX];
    char *text; /* NUL-terminated */
    json_t *document;
};

/* Reads the file of the experiment whose folder is given, and checks its members. Returns false when something is
 * wrong, which is printed to `messages`. */
bool lab_data_read(struct lab_data *data, const char *folder, FILE *messages);
void lab_data_release(struct lab_data *data);

/* Prints errors, whose pointers lead into the document, as "FILE:LINE: POINTER: DETAIL". */
void lab_data_print(const struct lab_data *data, const struct lab_errors *errors, FILE *messages);

/* Adds the figures that a row of a group of references stands for to a list, each with its axes, metric, unit and
 * value. Returns false when out of memory. */
bool lab_data_add_figures(json_t *figures, const json_t *group, const json_t *row);

/* Writes the tables of the experiment NAME, a name in C. Returns false when out of memory. */
bool lab_data_write(const struct lab_data *data, const char *name, FILE *out);

#endif
