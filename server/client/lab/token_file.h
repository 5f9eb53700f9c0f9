/* The file with the token that a command sends to a lab (--token-file). */
#ifndef LAB_TOKEN_FILE_H
#define LAB_TOKEN_FILE_H

#include "core/errors.h"

#include <stdbool.h>

enum { LAB_TOKEN_MAX = 256 };

/* Reads the token, which is the only line of the file, without spaces around it. Returns false with *error set when the
 * file cannot be read, when users other than its owner may read it, or when it is not one line of printable ASCII
 * characters. */
bool lab_token_read(const char *path, char token[LAB_TOKEN_MAX], struct lab_error *error);

#endif
