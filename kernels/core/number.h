/* Numbers as people write them: on a command line, in requests, in forms and in expressions of own kernels.
 *
 *     decimal = DIGITS [ "." [ DIGITS ] ] [ exponent ] | "." DIGITS [ exponent ]
 *     size    = decimal [ [ " " ] unit ]
 *     literal = [ "-" | "+" ] size | DIGITS ( "^" | "<<" ) DIGITS
 *
 * Units are written in upper or lower case: K, M, G, T, Ki to Ti and KiB to TiB are powers of 1024, KB to TB powers of
 * 1000, and B is 1. "2^20" and "1<<20" are literals only as a whole text; there may be blanks around the operator. The
 * texts that are taken and refused are listed in tests/sizes.json, to which the page's parser is held too.
 */
#ifndef LAB_NUMBER_H
#define LAB_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Examples for messages and help. */
#define LAB_SIZE_EXAMPLES "65536, 64KiB, 1MiB, 64MB, 2^20"

/* What lab_size_parse takes, as a regular expression of JSON Schema. */
#define LAB_SIZE_PATTERN                                                                                               \
    "^ *([-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)? ?([KkMmGgTt][Ii]?[Bb]?|[Bb])?|[0-9]+ *(\\^|<<) *[0-9]+) *$"

/* The largest integer that is exact in a double and in every JSON reader, with all below it: 2^53 - 1. */
#define LAB_INTEGER_MAX 9007199254740991.0

/* Reads the size at the beginning of a text. Returns its length in bytes, 0 if there is none. *unit is the offset of
 * the unit in it, or the length where there is no unit. */
size_t lab_size_read(const char *text, double *value, size_t *unit);

/* Parses a text that is a literal; blanks around it are allowed. The value is infinite where it is too large for a
 * double. */
bool lab_size_parse(const char *text, double *value);

/* Parses a text that is a decimal with no unit, with a sign or none. */
bool lab_decimal_parse(const char *text, double *value);

#endif
