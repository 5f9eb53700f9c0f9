/* The list of all experiments. A new experiment adds its descriptor here. */
#include "experiment/experiment.h"

extern const struct lab_experiment lab_transfer, lab_overlap, lab_matmul, lab_scaling, lab_peer, lab_peer_transpose,
    lab_collectives, lab_vector_add, lab_coalescing, lab_stream, lab_transpose;
    lab_collectives, lab_vector_add, lab_coalescing, lab_stream, lab_occupancy_ilp;
    lab_collectives, lab_vector_add, lab_coalescing, lab_stream, lab_thread_map;

/* In the order of the subjects. */
const struct lab_experiment *const lab_experiments[] = {
    &lab_transfer,
    /* overlap */
    &lab_overlap,
    /* memory */
    &lab_stream,
    &lab_coalescing,
    &lab_transpose,
    /* execution */
    &lab_vector_add,
    &lab_occupancy_ilp,
    &lab_thread_map,
    /* matmul */
    &lab_matmul,
    /* multi-gpu */
    &lab_scaling,
    &lab_peer,
    &lab_peer_transpose,
    &lab_collectives,
    NULL,
};
