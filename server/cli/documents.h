/* Finding one's way in the documents that the API gives.
 */
#ifndef LAB_DOCUMENTS_H
#define LAB_DOCUMENTS_H

#include <jansson.h>

/* A member that is text; "" where it is none. Borrowed. */
const char *lab_text_of(const json_t *object, const char *name);
/* A member that is a number; NAN where it is none. */
double lab_number_of(const json_t *object, const char *name);

/* The object of that name in a list of {"name", …}; borrowed, NULL when there is none. */
json_t *lab_find_named(const json_t *list, const char *name);
/* The experiment of that name in {"experiments":[…]}. */
json_t *lab_find_experiment(const json_t *document, const char *name);
/* The device with that id, or with that number in the list, in {"devices":[…]}. */
json_t *lab_find_device(const json_t *document, const char *word);

/* Prints a document as JSON, and a newline, to stdout. */
void lab_print_json(const json_t *document);

#endif
