/* Builds a program of its files, with nvcc where one of them is CUDA, in a sandbox without devices. */
#ifndef LAB_PROGRAM_BUILD_H
#define LAB_PROGRAM_BUILD_H

#include "execute.h"

/* The name of what is built, in the folder of the program. */
#define PROGRAM_EXECUTABLE "gpulab-program.out"

/* Builds the program in its folder, which has the files. What the compilers print becomes the run's output, and what
 * they say of the files its messages. Returns false with run->error set: code "compile-failed" if a file was
 * rejected. */
bool program_build(struct program *program);

#endif
