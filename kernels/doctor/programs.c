/* The programs that gpulab starts. */
#include "core/program.h"

#include "findings.h"

#include <stdio.h>

/* The name of the check is that of the program. */
static void examine_program(struct doctor *doctor, const struct doctor_check *check)
{
    char path[PATH_MAX];
    if (lab_program_find(check->name, NULL, path))
        doctor_works(doctor, check, "found");
    else
        doctor_missing(doctor, check, NULL, "not in the folders of PATH");
}

/* Programs of the toolkit, which need a GPU or are for its code. */
static void examine_toolkit_program(struct doctor *doctor, const struct doctor_check *check)
{
    if (doctor->has_gpu || doctor->options->cuda[0] != '\0')
        examine_program(doctor, check);
}

/* What runs where the lab is. */
static void examine_lab_program(struct doctor *doctor, const struct doctor_check *check)
{
    if (doctor->options->database != NULL)
        examine_program(doctor, check);
}

static void examine_mpi(struct doctor *doctor, const struct doctor_check *check)
{
    char path[PATH_MAX];
    if (!lab_program_find_own("gpulab-mpi", path))
        doctor_missing(doctor, check, "Build gpulab where Open MPI is installed, with the packages",
                       "this gpulab was built without MPI");
    else if (!lab_program_find("mpirun", NULL, path) && !lab_program_find("srun", NULL, path))
        doctor_missing(doctor, check, NULL, "neither mpirun nor srun is in the folders of PATH");
    else
        doctor_works(doctor, check, "found");
}

/* Slurm is looked for by the program with which the lab asks for its nodes. */
static void examine_slurm(struct doctor *doctor, const struct doctor_check *check)
{
    char path[PATH_MAX];
    if (doctor->options->database == NULL)
        return;
    if (lab_program_find("sinfo", NULL, path) && lab_program_find("srun", NULL, path))
        doctor_works(doctor, check, "found");
    else
        doctor_missing(doctor, check, NULL, "sinfo and srun are not in the folders of PATH");
}

const struct doctor_check doctor_program_checks[] = {
    {.name = "nvcc",
     .title = "nvcc",
     .enables = "program: files in CUDA",
     .debian = "cuda-nvcc-@",
     .rhel = "cuda-nvcc-@",
     .examine = examine_toolkit_program},
    {.name = "nvdisasm",
     .title = "nvdisasm",
     .enables = "SASS of a kernel: gpulab compile --sass, the kernels of the page",
     .debian = "cuda-nvdisasm-@",
     .rhel = "cuda-nvdisasm-@",
     .examine = examine_lab_program},
    {.name = "compute-sanitizer",
     .title = "compute-sanitizer",
     .enables = "gpulab kernel --sanitize",
     .debian = "cuda-sanitizer-@",
     .rhel = "cuda-sanitizer-@",
     .examine = examine_toolkit_program},
    {.name = "c++",
     .title = "C++ compiler",
     .enables = "program: files in C++",
     .debian = "g++",
     .rhel = "gcc-c++",
     .examine = examine_program},
    {.name = "cc",
     .title = "C compiler",
     .enables = "program: files in C; kernel: checks in C",
     .debian = "gcc",
     .rhel = "gcc",
     .examine = examine_program},
    {.name = "mpi",
     .title = "Open MPI",
     .enables = "mpi",
     .debian = "openmpi-bin libopenmpi-dev",
     .rhel = "openmpi openmpi-devel",
     .examine = examine_mpi},
    {.name = "ssh",
     .title = "ssh",
     .enables = "nodes that are reached by ssh",
     .debian = "openssh-client",
     .rhel = "openssh-clients",
     .examine = examine_lab_program},
    {.name = "slurm",
     .title = "Slurm",
     .enables = "nodes of a cluster",
     .debian = "slurm-client",
     .rhel = "slurm",
     .examine = examine_slurm},
    {0},
};
