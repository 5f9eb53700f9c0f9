// --entry product --reference product_simple --arg 'a:fp16[n*n]' --arg 'b:fp16[n*n]' --arg 'c:fp32[n*n]:out' --arg n:i32=512 --grid 'n / 16; n / 16' --block 32 --reference-block '16; 16' --operations '2 * n * n * n' --tolerance 1e-2
#include <mma.h>

using namespace nvcuda;

__global__ void product(const half *a, const half *b, float *c, int n)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
        wmma::load_matrix_sync(fb, b + k * n + blockIdx.x * 16, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, wmma::mem_row_major);
}

__global__ void product_simple(const half *a, const half *b, float *c, int n)
{
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += __half2float(a[row * n + k]) * __half2float(b[k * n + column]);
    c[row * n + column] = sum;
}
