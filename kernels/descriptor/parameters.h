/* Checks the `parameters` object of a request and turns it into values, or into a list of errors with a pointer for
 * each. The server and the worker both use these functions, so that the worker accepts everything that the server
 * accepts.
 */
#ifndef LAB_PARAMETERS_H
#define LAB_PARAMETERS_H

#include "descriptor/experiment.h"

/* The parameters that all experiments have: how long and how precisely they measure, and the seed. Ends with an entry
 * whose name is NULL. */
extern const struct lab_schema lab_measure_parameters[];

/* Whether a device that its power limits is measured steadily or in short bursts (METHOD.md 6): the values of the
 * parameter `load`, which experiments have that have an axis with the choices lab_loads (LAB_LOAD_AXIS,
 * benchmark/axes.h). Without the parameter, a request that gives rest_s has bursts only. */
enum lab_load { LAB_SUSTAINED, LAB_BURST };
extern const char *const lab_loads[];
extern const struct lab_schema lab_load_parameter;

/* The index of that axis; -1 if there is none. */
int lab_load_axis(const struct lab_experiment *experiment);

/* Checks `given` (an object, or NULL for none) against the experiment's tables and fills in the defaults. Integers may
 * be texts of sizes (core/number.h), "64KiB". Returns NULL with all errors added to *errors when anything is wrong;
 * their pointers start with "/parameters". The result must be freed with lab_parameters_free. */
struct lab_parameters *lab_parameters_parse(const struct lab_experiment *experiment, const json_t *given,
                                            struct lab_errors *errors);
/* Raises the time budget of a request that does not give one, so that each of its `points` has 0.1 s, or 0.25 s if it
 * is `compared` (then the points of both sides count), but at most to 300 s. Returns whether it has changed; the
 * request is to be planned again then. */
bool lab_parameters_raise_budget(struct lab_parameters *parameters, size_t points, bool compared);

/* Frees the parameters; NULL is allowed and does nothing. */
void lab_parameters_free(struct lab_parameters *parameters);

/* All values as an object. A list parameter is always written as a list, also with a single value. A new reference. */
json_t *lab_parameters_to_json(const struct lab_parameters *parameters);

/* The JSON Schema (2020-12) of an experiment's parameters, an object schema. Every property has title, description and
 * default, and where they apply minimum, maximum, pattern (of the text of an integer), enum, x-unit and x-advanced.
 * A new reference. */
json_t *lab_parameters_schema(const struct lab_experiment *experiment);

/* Returns the values of the parameter `name`, which must exist: the process is aborted otherwise. lab_parameter_integer
 * and lab_parameter_number return its first value. */
const struct lab_values *lab_parameter_values(const struct lab_parameters *parameters, const char *name);
int64_t lab_parameter_integer(const struct lab_parameters *parameters, const char *name);
double lab_parameter_number(const struct lab_parameters *parameters, const char *name);

/* Whether `value` is one of the values of a parameter of integers or choices. */
bool lab_parameter_has(const struct lab_parameters *parameters, const char *name, int64_t value);

/* The values of the parameter `load`; NULL if the experiment does not have it. */
const struct lab_values *lab_parameter_loads(const struct lab_parameters *parameters);

/* Seconds that the devices are idle before each sample of a point with this load, LAB_NO_VALUE if the experiment has
 * none; 0: they are not. */
double lab_parameter_rest_s(const struct lab_parameters *parameters, int64_t load);

/* Whether the hardware counters of the points are wanted: the parameter `counters`, a row {LAB_COUNTERS_PARAMETER} of
 * the tables of those experiments whose work is kernels on one device; false if the experiment does not have it. It is
 * on where lessons predict what is counted; elsewhere the row is {LAB_COUNTERS_PARAMETER_OFF}. */
#define LAB_COUNTERS_TEXT                                                                                              \
    "After its samples, each point runs again while the device counts what it does: bytes of memory, sectors, bank "   \
    "conflicts, occupancy, use of its units and why warps wait. CUDA devices only."
#define LAB_COUNTERS_PARAMETER LAB_BOOLEAN("counters", "Hardware counters", LAB_COUNTERS_TEXT, true)
#define LAB_COUNTERS_PARAMETER_OFF LAB_BOOLEAN("counters", "Hardware counters", LAB_COUNTERS_TEXT, false)
bool lab_parameter_counters(const struct lab_parameters *parameters);

/* Parses one `key=value` of a command line and sets object[key]. The value is parsed as JSON if it is valid JSON;
 * otherwise a comma separates the items of a list, a decimal is a number, and everything else is a string, as which
 * lab_parameters_parse takes sizes. The values of a choice are strings, even if they look like numbers: of the
 * parameters that `schema`, that of lab_parameters_schema, says to be one; NULL: no parameter is known. Returns false
 * with an error when there is no key, no '=', a value of this key already, or the text is not valid UTF-8. */
bool lab_parameter_assign(json_t *object, const json_t *schema, const char *assignment, struct lab_error *error);

#endif
