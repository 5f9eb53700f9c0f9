/* Stands in for libcuda.so.1 on a machine with a GPU: the driver reserves 12 GiB of addresses when it is
 * initialised. */
#include <stdlib.h>
#include <sys/mman.h>

__attribute__((constructor)) static void reserve(void)
{
    size_t bytes = (size_t)12 << 30;
    if (mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
        abort();
}
