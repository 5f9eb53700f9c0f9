/* What Jansson does not report about a JSON text. */
#ifndef LAB_HTTP_JSON_TEXT_H
#define LAB_HTTP_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { LAB_JSON_DEPTH_MAX = 32 };

/* Whether arrays and objects are nested more than `depth_max` deep; *where is the offset of the bracket that is. */
bool lab_json_is_too_deep(const char *text, size_t length, size_t depth_max, size_t *where);
/* Writes the JSON pointer of the value at `offset`, or as much of it as fits. */
void lab_json_pointer_at(const char *text, size_t length, size_t offset, char *pointer, size_t size);

#endif
