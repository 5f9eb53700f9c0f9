/* Variables of the device, which copies find by their names. */
#include "transfer.h"

__device__ unsigned char transfer_variable[TRANSFER_VARIABLE_BYTES];
__constant__ unsigned char transfer_constant[TRANSFER_CONSTANT_BYTES];

/* Is never launched: a compiler may leave out variables that no kernel uses. */
extern "C" __global__ void transfer_use(unsigned char *out)
{
    out[threadIdx.x] = transfer_variable[threadIdx.x] + transfer_constant[threadIdx.x];
}
