# Finds the headers of CUPTI, with which it can be used; its library is loaded at run time. They are in the toolkit's include folder or
# in extras/CUPTI. Versions before CUDA 12 are not used, because their records differ. Sets GPULAB_HAVE_CUPTI and
# GPULAB_CUPTI_INCLUDE_DIRS, in which cuda.h is too. Where CUDA is switched off, the toolkit is looked for in its usual folder.
set(cuda_folders ${CUDAToolkit_INCLUDE_DIRS})
if(NOT cuda_folders)
    find_path(GPULAB_CUDA_INCLUDE_DIR cuda.h HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES include)
    if(GPULAB_CUDA_INCLUDE_DIR)
        set(cuda_folders ${GPULAB_CUDA_INCLUDE_DIR})
    endif()
endif()
set(cupti_folders ${cuda_folders})
foreach(folder IN LISTS cuda_folders)
    list(APPEND cupti_folders ${folder}/../extras/CUPTI/include ${folder}/../../../extras/CUPTI/include)
endforeach()
find_path(GPULAB_CUPTI_INCLUDE_DIR cupti.h PATHS ${cupti_folders} NO_DEFAULT_PATH)
set(GPULAB_HAVE_CUPTI OFF)
if(GPULAB_CUPTI_INCLUDE_DIR)
    include(CheckCSourceCompiles)
    set(GPULAB_CUPTI_INCLUDE_DIRS ${GPULAB_CUPTI_INCLUDE_DIR} ${cuda_folders})
    set(CMAKE_REQUIRED_INCLUDES ${GPULAB_CUPTI_INCLUDE_DIRS})
    check_c_source_compiles("#include <cupti.h>
        int main(void) { return sizeof(CUpti_ActivityKernel9) == 0 || sizeof(CUpti_ActivityMemcpy5) == 0; }"
        GPULAB_CUPTI_USABLE)
    unset(CMAKE_REQUIRED_INCLUDES)
    set(GPULAB_HAVE_CUPTI ${GPULAB_CUPTI_USABLE})
endif()
