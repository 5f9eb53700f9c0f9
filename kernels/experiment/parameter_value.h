/* One value of a parameter of a request; parameters.c checks all of them. */
#ifndef LAB_PARAMETER_VALUE_H
#define LAB_PARAMETER_VALUE_H

#include "experiment/experiment.h"

#include <jansson.h>

/* The value that is being checked: its parameter, the JSON pointer to it, and where errors are added. */
struct lab_parameter_location {
    const struct lab_parameter *parameter;
    char pointer[LAB_POINTER_MAX];
    struct lab_errors *errors;
};

/* The kind of a value for a message: "a list". */
const char *lab_json_kind(const json_t *value);

/* Sets *result to a value of a request. Returns false with an error added if it is not one of the parameter's. */
bool lab_parameter_check_value(const struct lab_parameter_location *location, const json_t *value,
                               struct lab_value *result);

#endif
