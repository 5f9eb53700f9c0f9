/* The record of machine and build that is stored with each run, so that its results can be judged years later
 * (METHOD.md 16).
 */
#ifndef LAB_ENVIRONMENT_H
#define LAB_ENVIRONMENT_H

#include "measure/run.h"

/* {version, commit, type, compiler, flags, cuda, cuda_flags, architectures, runtime, fallback}; a new reference.
 * `fallback`: why this is not the runtime that `auto` prefers; without that member if it is NULL. */
json_t *lab_environment_build(const char *runtime, const char *fallback);

/* The environment variables that can change results, CUDA_*, NCCL_*, CUBLAS_*, OPENBLAS_*, OMP_* and
 * NVIDIA_TF32_OVERRIDE, as {name: value}; others may contain secrets. Bytes that are not UTF-8 become question marks. A
 * new reference. To be called before a run, because runs may set such variables for a library. */
json_t *lab_environment_variables(void);

/* {name, kernel, cpu, processors, memory_bytes} of this machine; a new reference. */
json_t *lab_environment_machine(void);

/* {machine:{…}, build:{…}, devices:[facts], numa_node, variables, sharing:{mig, mps}, sandbox:{…}}: the devices of the
 * run, then those that only its base uses; of a run of a program run->sandbox, else no `sandbox`. `runtime` and
 * `fallback` as above. A new reference. */
json_t *lab_environment(const struct lab_run *run, const char *runtime, const char *fallback, json_t *variables);

/* {name: version}, null for a library that this process has not opened, such as {"cublas":"13.0.2","nccl":null}; a new
 * reference. Opening some of them takes a second, so a version is known only after a run that needed the library. */
json_t *lab_environment_libraries(const char *runtime);

/* Bytes of host memory that can be allocated without swapping; 0 when /proc/meminfo does not contain the number. */
uint64_t lab_environment_available_memory(void);

#endif
