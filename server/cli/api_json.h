/* Reads and prints the JSON documents of the API.
 */
#ifndef LAB_API_JSON_H
#define LAB_API_JSON_H

#include <jansson.h>

/* A member that is a string; "" where it is missing or has another type. Borrowed. */
const char *lab_text_of(const json_t *object, const char *name);
/* A member that is a number; NAN where it is missing or has another type. */
double lab_number_of(const json_t *object, const char *name);

/* The object with that "name" in a list; borrowed. NULL when there is none. */
json_t *lab_find_named(const json_t *list, const char *name);
/* The same in {"experiments":[…]}. */
json_t *lab_find_experiment(const json_t *document, const char *name);
/* The device with that id, or at that index, in {"devices":[…]}. */
json_t *lab_find_device(const json_t *document, const char *word);

/* Prints a document and a newline to stdout. */
void lab_print_json(const json_t *document);

#endif
