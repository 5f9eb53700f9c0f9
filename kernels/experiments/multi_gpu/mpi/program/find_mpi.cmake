# Finds MPI for gpulab-mpi: sets GPULAB_HAVE_MPI, and makes the target MPI::MPI_C. Included at the top level, so that tests have
# the target too.
set(GPULAB_HAVE_MPI OFF)
if(GPULAB_SANITIZE)
    message(STATUS "gpulab: built without gpulab-mpi, because the sanitizers report what Open MPI itself leaks")
    return()
endif()
find_program(MPI_C_COMPILER mpicc)
if(MPI_C_COMPILER)
    # Tried before FindMPI is called, which ends the configuration where mpicc is installed without Open MPI's headers.
    set(source ${CMAKE_BINARY_DIR}/CMakeFiles/open_mpi.c)
    file(WRITE ${source} "#include <mpi.h>
#if OMPI_MAJOR_VERSION < 4
#error other MPI
#endif
int main(void) { return MPI_Finalize(); }
")
    execute_process(COMMAND ${MPI_C_COMPILER} ${source} -o ${source}.out RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
        find_package(MPI QUIET COMPONENTS C)
        set(GPULAB_HAVE_MPI ${MPI_C_FOUND})
    endif()
endif()
if(NOT GPULAB_HAVE_MPI)
    message(STATUS "gpulab: no Open MPI (4 or later) found; built without gpulab-mpi")
endif()
