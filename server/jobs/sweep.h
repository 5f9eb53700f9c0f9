/* Sweeps: a request with lists of values, and the requests for runs that it stands for. */
#ifndef LAB_SWEEP_H
#define LAB_SWEEP_H

#include "core/errors.h"

#include <jansson.h>

enum { LAB_SWEEP_RUNS_MAX = 1000 };

/* Returns the requests for runs (bodies of POST /runs) that a sweep stands for: the product of all parameters that are
 * given as lists, of which a list item may be a list itself, and of `devices` if it is a list of lists of ids, or of
 * `nodes`, whose items become `node`; the last parameter varies fastest, devices and nodes slowest. All other fields
 * are the same in each. A new reference to an array, whose items share values with the request; NULL with *errors when
 * a list is empty, `devices` has items of several kinds, `nodes` is there together with `devices` or `node`, or there
 * would be more than LAB_SWEEP_RUNS_MAX runs. `request` is an object whose fields have the right types. */
json_t *lab_sweep_expand(const json_t *request, struct lab_errors *errors);

#endif
