/* The command line that starts the ranks: the programs that it needs, and its words.
 */
#ifndef LAB_MPI_COMMAND_H
#define LAB_MPI_COMMAND_H

#include "measure/run.h"
#include "mpi.h"

#include <limits.h>

enum { LAB_MPI_PATH_MAX = 512, LAB_MPI_WORDS_MAX = 40, LAB_MPI_TEXT_MAX = 8192 };

/* What starts the ranks on this machine. */
struct lab_mpi_programs {
    bool slurm;                      /* the launcher is srun; false: mpirun */
    char launcher[LAB_MPI_PATH_MAX]; /* absolute path */
    char ranks[PATH_MAX];            /* of gpulab-mpi */
};

/* Finds the programs. LAB_MPI_LAUNCHER_AUTO takes srun within an allocation of Slurm (SLURM_JOB_ID is set), else
 * mpirun. Returns false with code "unsupported" and the reason when one is missing. */
bool lab_mpi_find_programs(enum lab_mpi_launcher launcher, struct lab_mpi_programs *programs, struct lab_error *error);

/* What the ranks are started for. */
struct lab_mpi_job {
    size_t ranks;
    enum lab_mpi_transport transport;
    bool as_root;   /* mpirun refuses to run as root unless it is told to */
    bool host_file; /* the user names the machines, by Open MPI's own setting */
    size_t device_count;
    struct lab_device *const *devices; /* of the run; the ranks of a machine use them in turn */
};

/* Words of a command line; items[count] is NULL. */
struct lab_mpi_command {
    size_t count;
    char *items[LAB_MPI_WORDS_MAX + 1];
    size_t length;
    char text[LAB_MPI_TEXT_MAX]; /* the words */
};

/* Writes the command line, whose first word is the absolute path of env, which sets the environment of MPI. Each rank
 * is bound to a core; mpirun starts more ranks than there are cores, unless a host file says how many a machine may
 * have. */
void lab_mpi_command_write(struct lab_mpi_command *command, const struct lab_mpi_programs *programs,
                           const struct lab_mpi_job *job);

#endif
