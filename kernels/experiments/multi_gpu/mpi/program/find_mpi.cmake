# Finds MPI for gpulab-mpi: sets GPULAB_HAVE_MPI, and makes the target MPI::MPI_C. Included at the top level, so that tests have
# the target too.
set(GPULAB_HAVE_MPI OFF)
if(GPULAB_SANITIZE)
    message(STATUS "gpulab: built without gpulab-mpi, because the sanitizers report what Open MPI itself leaks")
    return()
endif()
find_package(MPI QUIET COMPONENTS C)
if(MPI_C_FOUND)
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
    check_c_source_compiles("#include <mpi.h>
        #if OMPI_MAJOR_VERSION < 4
        #error other MPI
        #endif
        int main(void) { return 0; }" GPULAB_MPI_USABLE)
    unset(CMAKE_REQUIRED_LIBRARIES)
    set(GPULAB_HAVE_MPI ${GPULAB_MPI_USABLE})
endif()
if(NOT GPULAB_HAVE_MPI)
    message(STATUS "gpulab: no Open MPI (4 or later) found; built without gpulab-mpi")
endif()
