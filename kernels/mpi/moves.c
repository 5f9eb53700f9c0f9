/* Copies rows, columns and blocks in host memory, on the calling thread. */
#include "moves.h"

#include <string.h>

enum { TILE = 16 }; /* rows and columns of words; two tiles fit in the first-level cache */

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

static void transpose_tile(const struct move *move, size_t row, size_t column, size_t side)
{
    size_t row_end = row + TILE < side ? row + TILE : side, column_end = column + TILE < side ? column + TILE : side;
    for (size_t r = row; r < row_end; r++)
        for (size_t c = column; c < column_end; c++)
            memcpy(row_of(&move->destination, c) + r * sizeof(uint32_t),
                   row_of(&move->source, r) + c * sizeof(uint32_t), sizeof(uint32_t));
}

void move_on_host(const struct move *move)
{
    size_t side = move->source.height;
    if (move->kind == LAB_OPERATION_COPY)
        copy_rows(move);
    else
        for (size_t row = 0; row < side; row += TILE)
            for (size_t column = 0; column < side; column += TILE)
                transpose_tile(move, row, column, side);
}
