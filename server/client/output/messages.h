/* Prints what compilers say of a source. */
#ifndef LAB_CLIENT_MESSAGES_H
#define LAB_CLIENT_MESSAGES_H

#include <jansson.h>
#include <stdio.h>

/* Prints "FILE:LINE:COLUMN: SEVERITY: TEXT" for each message, as compilers do. `path` stands for the source of a
 * kernel, which has no other name; NULL: it is left out. */
void lab_messages_print(FILE *out, const json_t *messages, const char *path);

#endif
