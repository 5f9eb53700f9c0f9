/* Chooses and checks the devices of a run, which are of one node unless the experiment spans nodes. */
#ifndef LAB_RUN_DEVICES_H
#define LAB_RUN_DEVICES_H

#include "descriptor/experiment.h"
#include "devices.h"

/* Returns the devices of a run, [{id, name, node}], ordered by node, a new reference. `ids` is a request's list of ids;
 * NULL: those of a node that are available, as many as the experiment takes: of the node with that name, or, if `node`
 * is NULL, of the first that has enough. `experiment` may be NULL: then nothing is chosen and the number is not
 * checked. Everything that is wrong is added to *errors, with pointers below "/devices" and "/node". */
json_t *lab_devices_choose(struct lab_devices *devices, const struct lab_experiment *experiment, const json_t *ids,
                           const char *node, struct lab_errors *errors);

/* The name of the node that has the devices of a run, or the first of them, borrowed; "" if there are none. */
const char *lab_node_of_run(const json_t *devices);
/* Whether the devices of a run are of several nodes. */
bool lab_run_spans_nodes(const json_t *devices);

#endif
