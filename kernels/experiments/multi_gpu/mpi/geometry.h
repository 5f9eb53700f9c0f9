/* How data are divided among ranks: the sizes of an operation, the grid of the halo exchange, the blocks of the
 * transpose. Elements have 4 bytes.
 */
#ifndef LAB_MPI_GEOMETRY_H
#define LAB_MPI_GEOMETRY_H

#include "mpi.h"

enum { LAB_MPI_ELEMENT_BYTES = 4 };

/* Rounds the size of a rank's data, or of a job's, down to one that the operation can have, and up to its smallest:
 * whole elements, a square domain (halo), square blocks, one for each rank (transpose), or equal parts (job). `parts`:
 * lab_mpi_parts. */
size_t lab_mpi_round(enum lab_mpi_operation operation, size_t parts, size_t bytes);

/* Bytes that one rank sends to others in an operation on `bytes` bytes, for bandwidths; all-reduce: 2 (n - 1) / n of
 * its array, as in nccl-tests (busbw). */
double lab_mpi_sent_bytes(enum lab_mpi_operation operation, size_t ranks, size_t bytes);

/* The different devices that the ranks of one machine use for a job; each has `rank_devices`, in turn of the
 * `run_devices` of the run. */
size_t lab_mpi_job_devices(size_t ranks, size_t rank_devices, size_t run_devices);

/* The rows and columns of the largest square domain in `bytes` bytes. */
size_t lab_mpi_domain_side(size_t bytes);

/* The rows and columns of the blocks of a transpose, in which each rank has `bytes` bytes of the matrix. The matrix has
 * ranks * side rows and columns, of which each rank has `side` rows. */
size_t lab_mpi_block_side(size_t ranks, size_t bytes);

/* The grid of ranks, as square as possible; ranks are numbered row by row. */
struct lab_mpi_grid {
    size_t rows, columns; /* rows <= columns */
};
struct lab_mpi_grid lab_mpi_grid(size_t ranks);

/* The sides of a domain, so that opposite ones differ in the last bit. */
enum lab_mpi_side { LAB_MPI_UP, LAB_MPI_DOWN, LAB_MPI_LEFT, LAB_MPI_RIGHT, LAB_MPI_SIDES };

static inline enum lab_mpi_side lab_mpi_opposite(enum lab_mpi_side side)
{
    return (enum lab_mpi_side)(side ^ 1u);
}

/* The rank whose domain is next to that of `rank`. The grid is periodic, so every rank has four neighbours; with few
 * ranks a neighbour may be the rank itself, or the same on two sides. */
size_t lab_mpi_neighbour(size_t ranks, size_t rank, enum lab_mpi_side side);

/* A row or column of a domain with a halo: index of its first element and the distance between two elements. The domain
 * is stored by rows of side + 2 elements, with the halo around it. */
struct lab_mpi_line {
    size_t first, step;
};

/* The outermost elements of the domain on a side, which are sent; or the halo on that side, which receives. */
struct lab_mpi_line lab_mpi_edge(size_t domain_side, enum lab_mpi_side side, bool halo);

#endif
