/* Sizes, grid and blocks. */
#include "geometry.h"

#include <math.h>

/* The largest integer whose square is at most `value`; values are below 2^50, so that double is exact. */
static size_t square_root(size_t value)
{
    return (size_t)sqrt((double)value);
}

static size_t at_least_one(size_t value)
{
    return value > 0 ? value : 1;
}

size_t lab_mpi_domain_side(size_t bytes)
{
    return at_least_one(square_root(bytes / LAB_MPI_ELEMENT_BYTES));
}

size_t lab_mpi_block_side(size_t ranks, size_t bytes)
{
    return at_least_one(square_root(bytes / LAB_MPI_ELEMENT_BYTES / ranks));
}

size_t lab_mpi_round(enum lab_mpi_operation operation, size_t parts, size_t bytes)
{
    size_t side;
    switch (operation) {
    case LAB_MPI_HALO:
        side = lab_mpi_domain_side(bytes);
        return side * side * LAB_MPI_ELEMENT_BYTES;
    case LAB_MPI_ALL_REDUCE:
        return at_least_one(bytes / LAB_MPI_ELEMENT_BYTES) * LAB_MPI_ELEMENT_BYTES;
    case LAB_MPI_TRANSPOSE:
        side = lab_mpi_block_side(parts, bytes);
        return parts * side * side * LAB_MPI_ELEMENT_BYTES;
    case LAB_MPI_JOB:
        return at_least_one(bytes / LAB_MPI_ELEMENT_BYTES / parts) * parts * LAB_MPI_ELEMENT_BYTES;
    case LAB_MPI_PING_PONG:
    case LAB_MPI_OPERATIONS:
        break;
    }
    return bytes;
}

double lab_mpi_sent_bytes(enum lab_mpi_operation operation, size_t ranks, size_t bytes)
{
    double others = (double)(ranks - 1) / (double)ranks;
    switch (operation) {
    case LAB_MPI_HALO:
        return (double)(LAB_MPI_SIDES * lab_mpi_domain_side(bytes) * LAB_MPI_ELEMENT_BYTES);
    case LAB_MPI_ALL_REDUCE:
        return 2 * others * (double)bytes;
    case LAB_MPI_TRANSPOSE:
        return others * (double)bytes;
    case LAB_MPI_JOB: /* a barrier sends no data */
        return 0;
    case LAB_MPI_PING_PONG:
    case LAB_MPI_OPERATIONS:
        break;
    }
    return (double)bytes;
}

size_t lab_mpi_job_devices(size_t ranks, size_t rank_devices, size_t run_devices)
{
    return ranks * rank_devices < run_devices ? ranks * rank_devices : run_devices;
}

struct lab_mpi_grid lab_mpi_grid(size_t ranks)
{
    size_t rows = square_root(ranks);
    while (ranks % rows != 0)
        rows--;
    return (struct lab_mpi_grid){rows, ranks / rows};
}

size_t lab_mpi_neighbour(size_t ranks, size_t rank, enum lab_mpi_side side)
{
    struct lab_mpi_grid grid = lab_mpi_grid(ranks);
    size_t row = rank / grid.columns, column = rank % grid.columns;
    switch (side) {
    case LAB_MPI_UP:
        row = (row + grid.rows - 1) % grid.rows;
        break;
    case LAB_MPI_DOWN:
        row = (row + 1) % grid.rows;
        break;
    case LAB_MPI_LEFT:
        column = (column + grid.columns - 1) % grid.columns;
        break;
    case LAB_MPI_RIGHT:
        column = (column + 1) % grid.columns;
        break;
    case LAB_MPI_SIDES:
        break;
    }
    return row * grid.columns + column;
}

struct lab_mpi_line lab_mpi_edge(size_t domain_side, enum lab_mpi_side side, bool halo)
{
    size_t pitch = domain_side + 2;
    bool far_end = side == LAB_MPI_DOWN || side == LAB_MPI_RIGHT;
    size_t at = far_end ? domain_side + halo : (size_t)!halo;
    bool row = side == LAB_MPI_UP || side == LAB_MPI_DOWN;
    return row ? (struct lab_mpi_line){at * pitch + 1, 1} : (struct lab_mpi_line){pitch + at, pitch};
}
