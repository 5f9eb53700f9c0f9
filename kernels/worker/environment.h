/* The record of machine and build that is stored with each run, so that its results can be judged years later
 * (METHOD.md 16).
 */
#ifndef LAB_ENVIRONMENT_H
#define LAB_ENVIRONMENT_H

#include "measure/run.h"

/* {version, commit, type, compiler, flags, cuda, architectures, runtime}; a new reference. */
json_t *lab_environment_build(const char *runtime);

/* {machine:{name, kernel, cpu, processors, memory_bytes}, build:{…}, devices:[facts], numa_node, variables:{CUDA_*,
 * NCCL_*}}; a new reference. */
json_t *lab_environment(const struct lab_run *run);

/* Bytes of host memory that can be allocated without swapping; 0 when /proc/meminfo does not contain the number. */
uint64_t lab_environment_available_memory(void);

#endif
