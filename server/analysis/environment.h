/* What differs between the environments of two runs: the record of machine, devices and software that a worker sends
 * with `started` (kernels/worker/environment.h).
 *
 * One table in environment.c says which facts usually explain a difference, in which order, and which are left out
 * because they always differ (temperatures, memory in use) or follow from others (peaks from clocks).
 */
#ifndef LAB_ENVIRONMENT_DIFFERENCES_H
#define LAB_ENVIRONMENT_DIFFERENCES_H

#include <jansson.h>

/* Returns a new array of {path, kind, base, head}, those first that usually explain a difference of results; NULL when
 * out of memory. `path` is a JSON pointer into the environment. `base` and `head` are text, numbers or booleans, or
 * null where a side does not know the fact. `kind` is one of: device, driver, clocks, mode, sandbox, cuda, library,
 * system, host, link, variable, gpulab, unit (another device of the same model), other. Where the models of devices
 * differ, properties that follow from the model are left out. `base` and `head` may be NULL or no objects: a side
 * without facts. */
json_t *lab_environment_differences(const json_t *base, const json_t *head);

/* Returns the facts that mark a change in a series of runs as text, which the caller frees; NULL when out of memory.
 * The text is equal for equal facts, whatever the order of members. It has no facts of kind unit or link and no name of
 * a machine, because runs that alternate between equal devices are one series. */
char *lab_environment_key(const json_t *environment);

#endif
