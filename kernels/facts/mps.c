#include "facts/mps.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool lab_mps_is_running(const char *root)
{
    const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s/control", root, folder != NULL ? folder : "/tmp/nvidia-mps");
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}
