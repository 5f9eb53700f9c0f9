/* The parameter checker: turns the `parameters` object of a request into resolved values, or into a list of errors with
 * a pointer for each. The server and the worker use the same one, so what the server accepts the worker can run.
 */
#ifndef LAB_PARAMETERS_H
#define LAB_PARAMETERS_H

#include "experiment/experiment.h"

/* The parameters every experiment has: min_samples, max_samples, max_noise, time_budget_s, seed. Ends with name NULL.
 */
extern const struct lab_parameter lab_measure_parameters[];

/* Checks `given` (an object, or NULL for none) against the experiment's tables and fills in the defaults. Pointers
 * start with `/parameters`. NULL with *errors filled when anything is wrong; else to be freed by lab_parameters_free.
 */
struct lab_parameters *lab_parameters_parse(const struct lab_experiment *experiment, const json_t *given,
                                            struct lab_errors *errors);
void lab_parameters_free(struct lab_parameters *parameters);

/* All resolved values as an object; lists stay lists, single values of a list parameter become a list of one. A new
 * reference. */
json_t *lab_parameters_to_json(const struct lab_parameters *parameters);

/* JSON Schema 2020-12 object schema of an experiment's parameters; every property carries title, description, default,
 * and where they apply minimum, maximum, enum, unit and advanced. A new reference. */
json_t *lab_parameters_schema(const struct lab_experiment *experiment);

/* The values of a parameter that exists (asserted). The short forms read its first value. */
const struct lab_values *lab_parameter_values(const struct lab_parameters *parameters, const char *name);
int64_t lab_parameter_integer(const struct lab_parameters *parameters, const char *name);
double lab_parameter_number(const struct lab_parameters *parameters, const char *name);

/* Parses one `key=value` of a command line into `object`: the value is JSON where it parses as JSON, a comma makes a
 * list, sizes may end in KiB, MiB, GiB, and anything else is a string. False with an error on a missing '='. */
bool lab_parameter_assign(json_t *object, const char *assignment, struct lab_error *error);

#endif
