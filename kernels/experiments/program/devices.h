/* The device files and variables by which a program has the devices of a run, and no others. */
#ifndef LAB_PROGRAM_DEVICES_H
#define LAB_PROGRAM_DEVICES_H

#include "measure/run.h"

enum { PROGRAM_DEVICE_FILES_MAX = 64, PROGRAM_DEVICE_FILE_SIZE = 64 };

struct program_devices {
    size_t count;
    char files[PROGRAM_DEVICE_FILES_MAX][PROGRAM_DEVICE_FILE_SIZE];
    char visible[LAB_RUN_DEVICES_MAX * LAB_ID_MAX +
                 64]; /* "CUDA_VISIBLE_DEVICES=GPU-…,GPU-…"; without a CUDA device none is visible */
};

/* Finds the device files of the run's CUDA devices below `root`, which is "" but for tests. If a device's own file
 * cannot be told from those of others, the files of all are taken. */
void program_devices_find(struct program_devices *devices, const struct lab_run *run, const char *root);

#endif
