/* The transpose of a block of a matrix: the image with the kernel `transpose_block`, and a loop for host memory. Blocks
 * are square regions of 4-byte elements.
 */
#ifndef LAB_MPI_BLOCK_H
#define LAB_MPI_BLOCK_H

#include <stdint.h>

/* The kernel has TILE x TILE_ROWS threads for each tile of TILE x TILE elements. Its arguments: address and pitch of
 * the destination, those of the source, rows. */
enum { LAB_MPI_TILE = 32, LAB_MPI_TILE_ROWS = 8 };

#ifndef __CUDACC__
#include "runtime/runtime.h"

extern const struct lab_image lab_mpi_image;

/* Transposes the rows begin <= row < end of the source, on the calling thread. */
void lab_mpi_transpose_rows(const struct lab_region *destination, const struct lab_region *source, size_t begin,
                            size_t end);
#endif

#endif
