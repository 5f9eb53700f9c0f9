/* The list of all experiments, by subject. A new experiment adds its descriptor here. */
#include "experiment/experiment.h"

extern const struct lab_experiment lab_transfer;
extern const struct lab_experiment lab_overlap;
extern const struct lab_experiment lab_stream, lab_coalescing, lab_transpose;
extern const struct lab_experiment lab_vector_add, lab_thread_map, lab_occupancy_ilp, lab_intrinsics;
extern const struct lab_experiment lab_memory_hierarchy;
extern const struct lab_experiment lab_memory_hierarchy, lab_bank_conflicts;
extern const struct lab_experiment lab_stream, lab_coalescing, lab_access_width, lab_transpose;
extern const struct lab_experiment lab_vector_add, lab_thread_map, lab_occupancy_ilp;
extern const struct lab_experiment lab_vector_add, lab_thread_map, lab_occupancy_ilp, lab_reduction;
extern const struct lab_experiment lab_matmul;
extern const struct lab_experiment lab_scaling, lab_peer, lab_peer_transpose, lab_collectives;
extern const struct lab_experiment lab_transfer, lab_overlap, lab_matmul, lab_scaling, lab_peer, lab_peer_transpose,
    lab_collectives, lab_vector_add, lab_coalescing, lab_stream, lab_local_memory;
    lab_collectives, lab_vector_add, lab_coalescing, lab_stream, lab_atomics;

const struct lab_experiment *const lab_experiments[] = {
    /* transfer */
    &lab_transfer,
    /* overlap */
    &lab_overlap,
    /* memory */
    &lab_stream,
    &lab_coalescing,
    &lab_memory_hierarchy,
    &lab_bank_conflicts,
    &lab_access_width,
    &lab_transpose,
    &lab_local_memory,
    /* execution */
    &lab_vector_add,
    &lab_thread_map,
    &lab_occupancy_ilp,
    &lab_intrinsics,
    &lab_reduction,
    &lab_atomics,
    /* matmul */
    &lab_matmul,
    /* multi-gpu */
    &lab_scaling,
    &lab_peer,
    &lab_peer_transpose,
    &lab_collectives,
    NULL,
};
