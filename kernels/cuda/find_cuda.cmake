# Finds nvcc and decides for which GPU architectures to compile. Sets GPULAB_HAVE_CUDA. Without nvcc only the host runtime is
# built, and a message is printed.
set(GPULAB_HAVE_CUDA OFF)
if(NOT GPULAB_CUDA)
    message(STATUS "gpulab: CUDA switched off; building with the host runtime only")
    return()
endif()

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(GPULAB_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
    if(GPULAB_NVCC)
        set(CMAKE_CUDA_COMPILER ${GPULAB_NVCC} CACHE FILEPATH "")
    endif()
endif()

# CMake tests the compiler before the architectures are set below; OFF makes nvcc use its default architecture.
if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES OFF)
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    message(STATUS "gpulab: no nvcc found; building with the host runtime only")
    return()
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
# Code compressed this way takes a fifth of the space. Drivers before CUDA 12.4 cannot read it; code made by CUDA 13 needs
# newer ones anyway.
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
    set(GPULAB_FATBIN_OPTIONS --compress-mode=size)
    string(APPEND CMAKE_CUDA_FLAGS " ${GPULAB_FATBIN_OPTIONS}")
endif()

if(GPULAB_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${GPULAB_CUDA_ARCHITECTURES})
else()
    # The value `native` fails on a machine without a GPU, so nvidia-smi is asked for the GPUs' compute capabilities.
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
    list(REMOVE_DUPLICATES capabilities)
    string(REPLACE "." "" capabilities "${capabilities}")
    if(failed EQUAL 0 AND capabilities)
        set(CMAKE_CUDA_ARCHITECTURES ${capabilities})
    elseif(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
        # all-major without 110, embedded systems, which takes a fifth of the time; they use the PTX of 100.
        set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 90-real 100 120)
    else()
        set(CMAKE_CUDA_ARCHITECTURES all-major)
    endif()
endif()
set(GPULAB_HAVE_CUDA ON)
message(STATUS "gpulab: CUDA ${CUDAToolkit_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
