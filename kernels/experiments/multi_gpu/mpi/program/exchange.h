/* A prepared operation: the rank's data, what MPI sends and receives, and the content that the result must have. Data
 * that are not contiguous are packed into the send buffer and unpacked from the receive buffer, by CPU loops in host
 * memory and by kernels in device memory. Buffers that are staged have a copy in page-locked host memory, which is what
 * MPI is given.
 */
#ifndef GPULAB_MPI_EXCHANGE_H
#define GPULAB_MPI_EXCHANGE_H

#include "benchmark/offload.h"
#include "experiments/multi_gpu/mpi/mpi.h"
#include "rank.h"

enum { EXCHANGE_ALLOCATIONS_MAX = 6, EXCHANGE_MOVES_MAX = LAB_MPI_RANKS_MAX, EXCHANGE_RESULTS_MAX = 4 };

/* A buffer that MPI sends or receives. */
struct message {
    void *address; /* in the memory of the data */
    void *staged;  /* what MPI is given: `address`, unless it is staged */
    size_t bytes;
};

/* Copies of regions between the data and a message, or transposes of square ones of 4-byte elements. */
struct moves {
    size_t count;
    struct move {
        bool transposed;
        struct lab_region destination, source;
        struct lab_plan *plan; /* in device memory; NULL in host memory */
    } items[EXCHANGE_MOVES_MAX];
};

/* What is prepared: bytes that are the same on all ranks. */
struct exchange_point {
    enum lab_mpi_operation operation;
    enum lab_mpi_memory memory;
    uint64_t bytes, seed;
    uint64_t devices; /* of a rank; 1 but for a job */
    uint64_t weight;  /* of a job */
};

struct exchange {
    struct rank *rank;
    const struct exchange_operation *operation;
    enum lab_mpi_memory memory;
    size_t bytes;
    uint64_t seed;
    uint32_t weight;
    size_t allocation_count;
    struct allocation {
        enum lab_memory kind;
        void *address;
    } allocations[EXCHANGE_ALLOCATIONS_MAX];
    void *array, *result; /* the rank's data */
    struct message send, receive;
    struct moves pack, unpack;
    struct lab_module *module; /* of the launches that transpose; NULL: there are none */
    struct job_part {
        struct lab_offload job;
        struct lab_plan *plan;
    } * parts; /* of a job, for each device of the rank; NULL: it is none */
    size_t result_count;
    struct {
        struct lab_region region;
        struct lab_expectation expected;
    } results[EXCHANGE_RESULTS_MAX];
};

/* What distinguishes the operations. */
struct exchange_operation {
    /* Allocates, fills and describes the data. Returns false with the rank's error set. */
    bool (*prepare)(struct exchange *exchange);
    /* Sends and receives the staged messages. NULL: `repeat` is given. */
    void (*communicate)(const struct exchange *exchange);
    /* Runs one repetition; NULL: pack, stage, communicate, stage, unpack. */
    void (*repeat)(struct exchange *exchange);
    /* As exchange_poison and exchange_verify, and what else is to be released; NULL: nothing but the results of the
     * exchange. */
    bool (*poison)(struct exchange *exchange);
    bool (*verify)(struct exchange *exchange, uint64_t *wrong);
    void (*release)(struct exchange *exchange);
    double operations;   /* that one repetition is: 2 for a round trip, of which each message is one */
    bool timed_by_first; /* the time is that of rank 0; false: of the slowest rank */
};

extern const struct exchange_operation ping_pong_operation, halo_operation, all_reduce_operation, transpose_operation,
    job_operation;

/* Prepares an operation. Returns false with the rank's error set; the exchange has to be released in either case. */
bool exchange_prepare(struct exchange *exchange, struct rank *rank, const struct exchange_point *point);
void exchange_release(struct exchange *exchange);

/* Sets *seconds to the time of one operation, of `repetitions`. All ranks call it; the time is valid on rank 0. */
void exchange_sample(struct exchange *exchange, uint64_t repetitions, double *seconds);

/* Overwrites the results with other data. Sets *wrong to the number of wrong elements. Return false with the rank's
 * error set. */
bool exchange_poison(struct exchange *exchange);
bool exchange_verify(struct exchange *exchange, uint64_t *wrong);

/* --- for the operations ------------------------------------------------------------------------------------------- */

/* Allocates in the memory of the data. Returns NULL with the rank's error set. */
void *exchange_allocate(struct exchange *exchange, size_t bytes);
/* Makes a message of `bytes` bytes at `address`; NULL: allocates it. */
bool exchange_message(struct exchange *exchange, struct message *message, void *address, size_t bytes);
/* Writes a content to a region of the data. */
bool exchange_fill(struct exchange *exchange, struct lab_region region, struct lab_expectation content);
/* Writes `bytes` bytes of host memory to the data. */
bool exchange_write(struct exchange *exchange, void *address, const void *from, size_t bytes);
/* Adds a region of the result and what it must contain. */
void exchange_expect(struct exchange *exchange, struct lab_region region, struct lab_expectation expected);
/* Add a copy, a transpose to `moves`. Return false with the rank's error set. */
bool exchange_add_copy(struct exchange *exchange, struct moves *moves, struct lab_region destination,
                       struct lab_region source);
bool exchange_add_transpose(struct exchange *exchange, struct moves *moves, struct lab_region destination,
                            struct lab_region source);

/* Steps of a repetition; a failure ends all ranks. After stage_out MPI may send, after stage_in the result is
 * complete. */
void exchange_stage_out(struct exchange *exchange);
void exchange_stage_in(struct exchange *exchange);

#endif
