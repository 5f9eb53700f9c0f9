/* Declarations shared by the files of mpi, mpi.c (descriptor), points.c (axes and plan) and run.c (how a point is
 * measured), and with the program gpulab-mpi (program/), of which the ranks are processes.
 */
#ifndef LAB_MPI_H
#define LAB_MPI_H

#include "descriptor/points.h"

/* The axes: indices into struct lab_point.values. */
enum lab_mpi_axis {
    LAB_MPI_AXIS_RANKS,
    LAB_MPI_AXIS_TRANSPORT,
    LAB_MPI_AXIS_OPERATION,
    LAB_MPI_AXIS_RANK_DEVICES,
    LAB_MPI_AXIS_WEIGHT,
    LAB_MPI_AXIS_MEMORY,
    LAB_MPI_AXIS_BYTES
};

enum lab_mpi_operation {
    LAB_MPI_PING_PONG,
    LAB_MPI_HALO,
    LAB_MPI_ALL_REDUCE,
    LAB_MPI_TRANSPOSE,
    LAB_MPI_JOB,
    LAB_MPI_OPERATIONS
};

/* Where the data are, and what MPI is given: an address in host memory, in page-locked host memory to which device
 * memory is copied, or in device memory. */
enum lab_mpi_memory { LAB_MPI_HOST, LAB_MPI_STAGED, LAB_MPI_DEVICE, LAB_MPI_MEMORIES };

/* What carries the messages: what MPI chooses, shared memory, or TCP. */
enum lab_mpi_transport { LAB_MPI_AUTOMATIC, LAB_MPI_SHARED, LAB_MPI_TCP, LAB_MPI_TRANSPORTS };

enum lab_mpi_launcher { LAB_MPI_LAUNCHER_AUTO, LAB_MPI_MPIRUN, LAB_MPI_SRUN, LAB_MPI_LAUNCHERS };

enum { LAB_MPI_RANKS_MAX = 64 };

/* The names of the enumerations' values; they end with NULL. */
extern const char *const lab_mpi_operations[], *const lab_mpi_memories[], *const lab_mpi_transports[],
                                                                              *const lab_mpi_launchers[];

/* Into how many parts the data of a point are divided: ranks, or all devices of all ranks of a job. */
size_t lab_mpi_parts(const struct lab_point *point);

LAB_RUN(mpi);

#endif
