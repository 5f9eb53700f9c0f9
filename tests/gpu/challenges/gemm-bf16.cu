// --grid 'ceil_div(n, 64); ceil_div(n, 64)' --block 128
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda::wmma;

__global__ void gemm(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n)
{
    __shared__ __nv_bfloat16 tile_a[64][32], tile_b[32][64];
    __shared__ float tile_c[64][64];
    int row = blockIdx.y * 64, column = blockIdx.x * 64, y = threadIdx.x / 64 * 32, x = threadIdx.x / 32 % 2 * 32;
    fragment<accumulator, 16, 16, 16, float> sums[2][2];
    for (int i = 0; i < 4; i++)
        fill_fragment(sums[i / 2][i % 2], 0);
    for (int first = 0; first < n; first += 32) {
        for (int i = threadIdx.x; i < 2048; i += 128) {
            int r = row + i / 32, k = first + i % 32;
            tile_a[i / 32][i % 32] = r < n && k < n ? a[r * n + k] : __nv_bfloat16(0.0f);
            int s = column + i % 64, l = first + i / 64;
            tile_b[i / 64][i % 64] = s < n && l < n ? b[l * n + s] : __nv_bfloat16(0.0f);
        }
        __syncthreads();
        for (int k = 0; k < 32; k += 16)
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) {
                    fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> part_a;
                    fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> part_b;
                    load_matrix_sync(part_a, &tile_a[y + 16 * i][k], 32);
                    load_matrix_sync(part_b, &tile_b[k][x + 16 * j], 64);
                    mma_sync(sums[i][j], part_a, part_b, sums[i][j]);
                }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        store_matrix_sync(&tile_c[y + 16 * (i / 2)][x + 16 * (i % 2)], sums[i / 2][i % 2], 64, mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += 128)
        if (row + i / 64 < n && column + i % 64 < n)
            c[(row + i / 64) * n + column + i % 64] = tile_c[i / 64][i % 64];
}
