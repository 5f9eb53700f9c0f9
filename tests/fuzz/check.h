/* What the fuzz targets check of every answer. */
#ifndef LAB_FUZZ_CHECK_H
#define LAB_FUZZ_CHECK_H

#include "core/errors.h"

/* Ends the process if `holds` is false, in every build, also without assert(). */
void must(bool holds, const char *what);

/* The text is valid UTF-8, and not NULL. */
void check_text(const char *text, const char *what);

/* The error has a code, a detail and a JSON pointer, which a problem document can have. */
void check_error(const struct lab_error *error);

/* There are errors exactly if the input was refused, and each is a complete one. */
void check_errors(bool accepted, const struct lab_errors *errors);

#endif
