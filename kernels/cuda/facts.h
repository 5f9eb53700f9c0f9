/* Reading the facts of a device.
 */
#ifndef LAB_CUDA_FACTS_H
#define LAB_CUDA_FACTS_H

#include "core/errors.h"
#include "facts/facts.h"

/* Reads all facts of a device except its peers, without creating a context. False with *error. */
bool lab_cuda_read_facts(int ordinal, struct lab_device_facts *facts, struct lab_error *error);

/* Fills in which of the `count` devices in `all` device `ordinal` can access. Needs the ids of all. */
void lab_cuda_read_peers(struct lab_device_facts *all, size_t count, size_t ordinal);

#endif
