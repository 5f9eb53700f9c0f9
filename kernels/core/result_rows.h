/* Results as JSON: converts the structs whose members are declared in result_members.h. A table ends with name NULL. */
#ifndef LAB_RESULT_ROWS_H
#define LAB_RESULT_ROWS_H

#include "core/result_members.h"

#include <jansson.h>

/* An object with a member for each row of the table: a new reference. A member that the struct has elsewhere is null;
 * so is a document that cannot be read, or {} or [] where null is not allowed, and its name is added to the list
 * `unreadable` (NULL: it is not). */
json_t *lab_row_to_json(const struct lab_row_member *members, const void *row, json_t *unreadable);
/* Sets the members of `row` from an object. Texts are borrowed from it; documents belong to `row`. */
void lab_row_from_json(const struct lab_row_member *members, void *row, const json_t *object);
/* Frees the documents of a row that was set so. */
void lab_row_release(const struct lab_row_member *members, void *row);

#endif
