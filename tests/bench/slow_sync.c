/* A library for LD_PRELOAD: each fsync and fdatasync takes at least GPULAB_BENCH_SYNC_MS milliseconds, as on a slow
 * disk. */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int slowly(const char *name, int file)
{
    const char *text = getenv("GPULAB_BENCH_SYNC_MS");
    long milliseconds = text != NULL ? strtol(text, NULL, 10) : 0;
    int (*sync)(int file);
    *(void **)&sync = dlsym(RTLD_NEXT, name);
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
    return sync(file);
}

int fsync(int file)
{
    return slowly("fsync", file);
}

int fdatasync(int file)
{
    return slowly("fdatasync", file);
}
