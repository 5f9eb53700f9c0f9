// histogram wrong
/* Writes the number of bytes that each value has on average. */
__global__ void histogram(const unsigned char *x, unsigned int *bins, int n)
{
    bins[threadIdx.x] = (n + 255 - threadIdx.x) / 256;
}
