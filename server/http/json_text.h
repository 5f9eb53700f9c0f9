/* Finds in a JSON text what Jansson does not report: nesting that is too deep, and the JSON pointer of an offset. */
#ifndef LAB_HTTP_JSON_TEXT_H
#define LAB_HTTP_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { LAB_JSON_DEPTH_MAX = 32 };

/* Whether arrays and objects are nested more than `depth_max` deep; *where is then the offset of the bracket that opens one
 * level too many. */
bool lab_json_is_too_deep(const char *text, size_t length, size_t depth_max, size_t *where);
/* Writes the JSON pointer of the value at `offset`, or as much of it as fits. */
void lab_json_pointer_at(const char *text, size_t length, size_t offset, char *pointer, size_t size);

#endif
