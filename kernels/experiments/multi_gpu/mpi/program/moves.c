/* Copies rows, columns and blocks in host memory, on the calling thread. */
#include "moves.h"

#include "experiments/multi_gpu/mpi/block.h"

#include <string.h>

static unsigned char *row_of(const struct lab_region *region, size_t row)
{
    return (unsigned char *)region->address + row * region->pitch;
}

/* A copy of constant length compiles to one instruction, which matters for columns. */
static void copy_rows(const struct move *move)
{
    size_t width = move->source.width;
    for (size_t row = 0; row < move->source.height; row++)
        if (width == sizeof(uint32_t))
            memcpy(row_of(&move->destination, row), row_of(&move->source, row), sizeof(uint32_t));
        else
            memcpy(row_of(&move->destination, row), row_of(&move->source, row), width);
}

void move_on_host(const struct move *move)
{
    if (move->transposed)
        lab_mpi_transpose_rows(&move->destination, &move->source, 0, move->source.height);
    else
        copy_rows(move);
}
