/* The bytes of samples in the file. */
#include "store_internal.h"

#include <endian.h>
#include <string.h>

void lab_samples_copy(double *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &from[i], sizeof bits);
        bits = htole64(bits);
        memcpy(&to[i], &bits, sizeof bits);
    }
}
