/* The macros of an own kernel, the option `defines`: "NAME", "NAME=VALUE", or "NAME=VALUE,VALUE". Those that have an
 * integer, or a list of values, are axes: the kernel is compiled with each combination of their values.
 */
#ifndef LAB_MACROS_H
#define LAB_MACROS_H

#include "descriptor/own_kernel.h"

#include <jansson.h>

/* The most combinations of a run. */
enum { LAB_MACRO_COMBINATIONS_MAX = 64 };

/* The values of a macro that is an axis, a new reference: a list of integers, or of texts where one is none. NULL if
 * the macro is no axis. Sets `name` to its name, shortened if it is too long. */
json_t *lab_macro_values(const char *define, char name[LAB_OWN_NAME_MAX + 1]);

/* Whether the macro has several values, so that it has to be an axis. */
bool lab_macro_is_list(const char *define);

/* The options of a kernel with one value of each macro that is an axis, a new reference: that of {name: value}, or else
 * the first. NULL is allowed for both. */
json_t *lab_macros_choose(const json_t *options, const json_t *chosen);

/* All combinations of the values that the parameters of a run give the macros that are axes, [{name: value}…]: at least
 * one, which is empty where there are none. A new reference. */
json_t *lab_macros_combine(const json_t *options, const json_t *parameters);

#endif
