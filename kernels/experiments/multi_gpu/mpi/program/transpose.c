/* The transpose of a matrix of which each rank has some rows: each block is transposed while it is packed, sent to the
 * rank that has its rows in the result, and put in place there.
 */
#include "exchange.h"
#include "experiments/multi_gpu/mpi/geometry.h"

#include <mpi.h>

/* Block `index` of an array with rows of `pitch` bytes, or of a message, where each block is contiguous. */
static struct lab_region block_of(void *array, size_t index, size_t side, size_t pitch)
{
    size_t width = side * LAB_MPI_ELEMENT_BYTES;
    size_t offset = pitch == width ? index * side * width : index * width;
    return (struct lab_region){(unsigned char *)array + offset, width, side, pitch};
}

static bool mpi_transpose_prepare(struct exchange *e)
{
    size_t ranks = (size_t)e->rank->count, side = lab_mpi_block_side(ranks, e->bytes);
    size_t width = side * LAB_MPI_ELEMENT_BYTES, pitch = ranks * width;
    uint64_t rank = (uint64_t)e->rank->number;
    e->array = exchange_allocate(e, e->bytes);
    e->result = e->array != NULL ? exchange_allocate(e, e->bytes) : NULL;
    if (e->result == NULL || !exchange_message(e, &e->send, NULL, e->bytes) ||
        !exchange_message(e, &e->receive, NULL, e->bytes))
        return false;
    bool good = exchange_fill(e, lab_region_of(e->array, e->bytes),
                              (struct lab_expectation){.seed = e->seed, .first = rank * ranks * side * side});
    for (size_t i = 0; good && i < ranks; i++)
        good = exchange_add_transpose(e, &e->pack, block_of(e->send.address, i, side, width),
                                      block_of(e->array, i, side, pitch)) &&
               exchange_add_copy(e, &e->unpack, block_of(e->result, i, side, pitch),
                                 block_of(e->receive.address, i, side, width));
    exchange_expect(
        e, lab_region_of(e->result, e->bytes),
        (struct lab_expectation){
            .content = LAB_CONTENT_TRANSPOSED, .seed = e->seed, .first = rank * side, .width = ranks * side});
    return good;
}

static void transpose_communicate(const struct exchange *e)
{
    int words = (int)(e->bytes / LAB_MPI_ELEMENT_BYTES / (size_t)e->rank->count);
    MPI_Alltoall(e->send.staged, words, MPI_UINT32_T, e->receive.staged, words, MPI_UINT32_T, MPI_COMM_WORLD);
}

const struct exchange_operation transpose_operation = {
    .prepare = mpi_transpose_prepare, .communicate = transpose_communicate, .operations = 1};
