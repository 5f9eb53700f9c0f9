/* Transposes blocks in host memory, and for host devices. */
#include "block.h"

#include <string.h>

enum { TILE = 16 }; /* rows and columns of words; two tiles fit in the first-level cache */

static unsigned char *row_of(const struct lab_region *region, size_t row)
{
    return (unsigned char *)region->address + row * region->pitch;
}

static void transpose_tile(const struct lab_region *destination, const struct lab_region *source, size_t row,
                           size_t column, size_t end)
{
    size_t side = source->height;
    size_t row_end = row + TILE < end ? row + TILE : end, column_end = column + TILE < side ? column + TILE : side;
    for (size_t r = row; r < row_end; r++)
        for (size_t c = column; c < column_end; c++)
            memcpy(row_of(destination, c) + r * sizeof(uint32_t), row_of(source, r) + c * sizeof(uint32_t),
                   sizeof(uint32_t));
}

void lab_mpi_transpose_rows(const struct lab_region *destination, const struct lab_region *source, size_t begin,
                            size_t end)
{
    for (size_t row = begin; row < end; row += TILE)
        for (size_t column = 0; column < source->height; column += TILE)
            transpose_tile(destination, source, row, column, end);
}

static void transpose_block(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const uint32_t side = arguments[4].u32;
    const struct lab_region destination = {arguments[0].pointer, 4 * (size_t)side, side, arguments[1].u64},
                            source = {arguments[2].pointer, 4 * (size_t)side, side, arguments[3].u64};
    uint64_t begin, end;
    lab_host_part_range(part, side, TILE, &begin, &end);
    lab_mpi_transpose_rows(&destination, &source, begin, end);
}

extern const struct lab_binary lab_binary_mpi;
static const struct lab_host_kernel host_kernels[] = {{"transpose_block", transpose_block}, {NULL, NULL}};
const struct lab_image lab_mpi_image = {"mpi", &lab_binary_mpi, host_kernels};
