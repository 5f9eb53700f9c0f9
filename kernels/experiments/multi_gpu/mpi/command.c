/* Finds the launcher and gpulab-mpi, and writes the command line of both. */
#include "command.h"

#include "core/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- programs ----------------------------------------------------------------------------------------------------- */

/* Sets `path` to the first executable of that name in the folders of the variable PATH. */
static bool find_on_path(const char *name, char path[LAB_MPI_PATH_MAX])
{
    const char *folders = getenv("PATH");
    for (const char *folder = folders != NULL ? folders : ""; *folder != '\0';) {
        size_t length = strcspn(folder, ":");
        int written = snprintf(path, LAB_MPI_PATH_MAX, "%.*s/%s", (int)length, folder, name);
        if (folder[0] == '/' && written < LAB_MPI_PATH_MAX && access(path, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

bool lab_mpi_find_programs(enum lab_mpi_launcher launcher, struct lab_mpi_programs *programs, struct lab_error *error)
{
    bool allocated = getenv("SLURM_JOB_ID") != NULL;
    programs->slurm = launcher == LAB_MPI_SRUN || (launcher == LAB_MPI_LAUNCHER_AUTO && allocated);
    const char *name = programs->slurm ? "srun" : "mpirun";
    if (!lab_program_find_own("gpulab-mpi", programs->ranks))
        return lab_error_set(error, LAB_ERROR_UNSUPPORTED, "",
                             "the program %s is missing; it is built where Open MPI is installed "
                             "(libopenmpi-dev)",
                             programs->ranks);
    if (programs->slurm && !allocated)
        return lab_error_set(error, LAB_ERROR_UNSUPPORTED, "",
                             "srun starts ranks within an allocation of Slurm only, and SLURM_JOB_ID is not set");
    if (!find_on_path(name, programs->launcher))
        return lab_error_set(error, LAB_ERROR_UNSUPPORTED, "", "%s was not found in the folders of PATH", name);
    return true;
}

/* --- the command line --------------------------------------------------------------------------------------------- */

/* Appends a word. Words beyond the limits end the process: the longest command line is known. */
__attribute__((format(printf, 2, 3))) static void add(struct lab_mpi_command *command, const char *format, ...)
{
    char *word = command->text + command->length;
    size_t space = sizeof command->text - command->length;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(word, space, format, arguments);
    va_end(arguments);
    if (written < 0 || (size_t)written >= space || command->count == LAB_MPI_WORDS_MAX)
        abort();
    command->items[command->count++] = word;
    command->length += (size_t)written + 1;
}

/* Open MPI's name of the transport in shared memory is vader; newer versions know it by this name too. The transports
 * are those of ob1: without it, another library such as UCX could carry the messages. */
static void add_environment(struct lab_mpi_command *command, const struct lab_mpi_job *job)
{
    add(command, "/usr/bin/env");
    if (job->as_root) {
        add(command, "OMPI_ALLOW_RUN_AS_ROOT=1");
        add(command, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
    }
    if (job->transport != LAB_MPI_AUTOMATIC) {
        add(command, "OMPI_MCA_pml=ob1");
        add(command, "OMPI_MCA_btl=%s,self", job->transport == LAB_MPI_TCP ? "tcp" : "vader");
    }
}

/* srun: --overlap, because the lab itself may be a step of the allocation; --input=0 gives the requests to rank 0
 * only. */
static void add_launcher(struct lab_mpi_command *command, const struct lab_mpi_programs *programs,
                         const struct lab_mpi_job *job)
{
    add(command, "%s", programs->launcher);
    if (programs->slurm) {
        add(command, "--mpi=pmix");
        add(command, "--kill-on-bad-exit=1");
        add(command, "--overlap");
        add(command, "--input=0");
        add(command, "--cpu-bind=cores");
    } else {
        add(command, "--map-by");
        add(command, "core%s", job->host_file ? "" : ":OVERSUBSCRIBE");
        add(command, "--bind-to");
        add(command, "core:overload-allowed");
    }
    add(command, "-n");
    add(command, "%zu", job->ranks);
}

static void add_ranks(struct lab_mpi_command *command, const struct lab_mpi_programs *programs,
                      const struct lab_mpi_job *job)
{
    const struct lab_runtime *runtime = job->devices[0]->runtime;
    add(command, "%s", programs->ranks);
    add(command, "--runtime");
    add(command, "%s", runtime->name);
    add(command, "--host-devices");
    add(command, "%zu", runtime->device_count());
    for (size_t i = 0; i < job->device_count; i++)
        add(command, "%s", job->devices[i]->facts.id);
}

void lab_mpi_command_write(struct lab_mpi_command *command, const struct lab_mpi_programs *programs,
                           const struct lab_mpi_job *job)
{
    *command = (struct lab_mpi_command){0};
    add_environment(command, job);
    add_launcher(command, programs, job);
    add_ranks(command, programs, job);
}
