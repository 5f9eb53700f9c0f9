/* The list of all experiments, by subject. A new experiment adds its descriptor here. */
#include "descriptor/experiment.h"

extern const struct lab_experiment lab_transfer, lab_break_even;
extern const struct lab_experiment lab_overlap, lab_launch, lab_concurrent_kernels, lab_default_stream, lab_waiting,
    lab_host_work;
extern const struct lab_experiment lab_stream, lab_coalescing, lab_gather_scatter, lab_access_width,
    lab_memory_hierarchy, lab_l1_cache, lab_bank_conflicts, lab_constant_texture, lab_async_copy, lab_local_memory,
    lab_pitch, lab_transpose, lab_managed_memory;
extern const struct lab_experiment lab_vector_add, lab_thread_map, lab_block_shape, lab_occupancy_ilp, lab_divergence,
    lab_intrinsics, lab_atomics, lab_atomic_operations, lab_reduction, lab_summation;
extern const struct lab_experiment lab_matmul;
extern const struct lab_experiment lab_monte_carlo, lab_finite_differences, lab_laplace, lab_fft, lab_spectral;
extern const struct lab_experiment lab_scaling, lab_peer, lab_peer_transpose, lab_collectives, lab_mpi;
extern const struct lab_experiment lab_health;

const struct lab_experiment *const lab_experiments[] = {
    /* transfer */
    &lab_transfer,
    &lab_break_even,
    /* overlap */
    &lab_overlap,
    &lab_launch,
    &lab_concurrent_kernels,
    &lab_default_stream,
    &lab_waiting,
    &lab_host_work,
    /* memory */
    &lab_stream,
    &lab_coalescing,
    &lab_gather_scatter,
    &lab_access_width,
    &lab_memory_hierarchy,
    &lab_l1_cache,
    &lab_bank_conflicts,
    &lab_constant_texture,
    &lab_async_copy,
    &lab_local_memory,
    &lab_pitch,
    &lab_transpose,
    &lab_managed_memory,
    /* execution */
    &lab_vector_add,
    &lab_thread_map,
    &lab_block_shape,
    &lab_occupancy_ilp,
    &lab_divergence,
    &lab_intrinsics,
    &lab_atomics,
    &lab_atomic_operations,
    &lab_reduction,
    &lab_summation,
    /* matmul */
    &lab_matmul,
    /* cases */
    &lab_monte_carlo,
    &lab_finite_differences,
    &lab_laplace,
    &lab_fft,
    &lab_spectral,
    /* multi-gpu */
    &lab_scaling,
    &lab_peer,
    &lab_peer_transpose,
    &lab_collectives,
    &lab_mpi,
    /* health */
    &lab_health,
    NULL,
};
