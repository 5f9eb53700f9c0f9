/* Reads the facts of CUDA devices.
 */
#ifndef LAB_CUDA_FACTS_H
#define LAB_CUDA_FACTS_H

#include "core/errors.h"
#include "facts/facts.h"

/* Reads all facts of a device except its peers, without creating a context. Returns false with *error set. */
bool lab_cuda_read_facts(int ordinal, struct lab_device_facts *facts, struct lab_error *error);

/* Sets the peers of device `ordinal`: one entry for each other device in `all`, which has `count` devices. The ids of
 * all devices must be set. */
void lab_cuda_read_peers(struct lab_device_facts *all, size_t count, size_t ordinal);

#endif
