/* Reads and prints the JSON documents of the API. */
#ifndef LAB_API_JSON_H
#define LAB_API_JSON_H

#include "core/suggestion.h"

#include <jansson.h>

/* The time in member `name` of `object`, in seconds since 1970; NAN if the member is missing or not a time. */
double lab_time_of(const json_t *object, const char *name);

/* The object in `list` whose member "name" is `name`, borrowed; NULL if there is none. */
json_t *lab_list_find(const json_t *list, const char *name);
/* Searches the list for the name, the member `key` of its objects, that was probably meant. */
void lab_list_suggest(const json_t *list, const char *key, struct lab_suggestion *suggestion);
/* The summary of the experiment with that name in the document {"experiments":[…]}, borrowed; NULL if there is none. */
json_t *lab_document_find_experiment(const json_t *document, const char *name);
/* The device whose id is `word`, or whose index in the list is the number `word`, in the document {"devices":[…]},
 * borrowed; NULL if there is none. */
json_t *lab_document_find_device(const json_t *document, const char *word);

/* Prints a document and a newline to stdout. */
void lab_print_json(const json_t *document);

#endif
