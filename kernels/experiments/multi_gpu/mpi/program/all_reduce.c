/* Every rank receives the sum of the arrays of all ranks. */
#include "exchange.h"
#include "experiments/multi_gpu/mpi/geometry.h"
#include "summand.h"

#include <mpi.h>
#include <stdlib.h>

static bool all_reduce_prepare(struct exchange *e)
{
    size_t count = e->bytes / sizeof(float);
    float *summands = malloc(e->bytes);
    if (summands == NULL)
        return lab_error_set(&e->rank->error, LAB_ERROR_INSUFFICIENT_MEMORY, "", "a rank cannot allocate %zu bytes",
                             e->bytes);
    for (size_t i = 0; i < count; i++)
        summands[i] = summand(i, e->seed, (uint32_t)e->rank->number, (uint32_t)e->rank->count);
    e->array = exchange_allocate(e, e->bytes);
    e->result = e->array != NULL ? exchange_allocate(e, e->bytes) : NULL;
    bool good = e->result != NULL && exchange_message(e, &e->send, e->array, e->bytes) &&
                exchange_message(e, &e->receive, e->result, e->bytes) &&
                exchange_write(e, e->array, summands, e->bytes);
    exchange_expect(e, lab_region_of(e->result, e->bytes),
                    (struct lab_expectation){.content = LAB_CONTENT_FLOATS, .seed = e->seed});
    free(summands);
    return good;
}

static void all_reduce_communicate(const struct exchange *e)
{
    MPI_Allreduce(e->send.staged, e->receive.staged, (int)(e->bytes / sizeof(float)), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
}

const struct exchange_operation all_reduce_operation = {
    .prepare = all_reduce_prepare, .communicate = all_reduce_communicate, .operations = 1};
