/* Which thread am I?
 *
 * The same 256 threads as a grid of one, two and three dimensions. Within a block the threads are counted along x
 * first, then y, then z; 32 that follow one another are a warp, which executes together. The threads identify
 * themselves: each writes where it is to its element, and the program prints the first thread of each warp. Change the
 * sizes of grid and block, and see what follows.
 *
 * Lessons: block-shape, thread-map, divergence
 */
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        if (cudaError_t error_ = (call)) {                                                                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));                 \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

struct place {
    uint3 block, thread;
    unsigned in_block, warp; /* the number of the thread in its block, and of its warp */
};

/* Works for all grids: what has one or two dimensions has the size 1 in the others. */
__global__ void identify(place *places)
{
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned in_block = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned size = blockDim.x * blockDim.y * blockDim.z;
    places[block * size + in_block] = {blockIdx, threadIdx, in_block, in_block / warpSize};
}

/* Runs the kernel with a grid and a block, and prints its places. Returns how many are not as expected. */
static int run(const char *title, dim3 grid, dim3 block)
{
    const unsigned size = block.x * block.y * block.z, threads = grid.x * grid.y * grid.z * size;
    std::vector<place> places(threads);
    place *device;
    int wrong = 0;
    CHECK(cudaMalloc(&device, threads * sizeof(place)));
    CHECK(cudaMemset(device, 255, threads * sizeof(place)));
    identify<<<grid, block>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(places.data(), device, threads * sizeof(place), cudaMemcpyDeviceToHost)); /* after the kernel */
    CHECK(cudaFree(device));
    printf("%s: a grid of %ux%ux%u blocks, each of %ux%ux%u threads\n", title, grid.x, grid.y, grid.z, block.x, block.y,
           block.z);
    for (unsigned i = 0; i < threads; i++) {
        const place &p = places[i];
        if (p.in_block % 32 == 0)
            printf("  element %3u: block (%u,%u,%u), thread (%u,%u,%u) is number %2u of its block, in warp %u\n", i,
                   p.block.x, p.block.y, p.block.z, p.thread.x, p.thread.y, p.thread.z, p.in_block, p.warp);
        unsigned b = i / size, t = i % size; /* the way back from the element */
        wrong += p.block.x != b % grid.x || p.block.y != b / grid.x % grid.y || p.block.z != b / grid.x / grid.y;
        wrong +=
            p.thread.x != t % block.x || p.thread.y != t / block.x % block.y || p.thread.z != t / block.x / block.y;
        wrong += p.in_block != t || p.warp != t / 32;
    }
    return wrong;
}

int main()
{
    int wrong = run("1D", dim3(4), dim3(64));
    wrong += run("2D", dim3(2, 2), dim3(16, 4));
    wrong += run("3D", dim3(2, 1, 2), dim3(4, 4, 4));
    printf("%d wrong places\n", wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
