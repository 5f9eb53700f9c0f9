// --entry attention --reference attention_simple --arg 'q:fp32[64 * n]' --arg 'k:fp32[64 * n]' --arg 'v:fp32[64 * n]' --arg 'o:fp32[64 * n]:out' --arg n:i32=512 --grid n --block 64 --reference-grid n --reference-block 1 --tolerance 1e-3
/* A block computes a row with the softmax in one pass: largest score and sum are corrected as they grow. */
__global__ void attention(const float *q, const float *k, const float *v, float *o, int n)
{
    __shared__ float partial[64];
    float own = q[blockIdx.x * 64 + threadIdx.x], largest = -INFINITY, sum = 0, result = 0;
    for (int j = 0; j < n; j++) {
        partial[threadIdx.x] = own * k[j * 64 + threadIdx.x];
        __syncthreads();
        for (int half = 32; half > 0; half /= 2) {
            if (threadIdx.x < half)
                partial[threadIdx.x] += partial[threadIdx.x + half];
            __syncthreads();
        }
        float score = partial[0] * 0.125f, next = fmaxf(largest, score), correction = expf(largest - next),
              weight = expf(score - next);
        __syncthreads();
        sum = sum * correction + weight;
        result = result * correction + weight * v[j * 64 + threadIdx.x];
        largest = next;
    }
    o[blockIdx.x * 64 + threadIdx.x] = result / sum;
}

__global__ void attention_simple(const float *q, const float *k, const float *v, float *o, int n)
{
    float sum = 0, result[64] = {0};
    for (int j = 0; j < n; j++) {
        float score = 0;
        for (int d = 0; d < 64; d++)
            score += q[blockIdx.x * 64 + d] * k[j * 64 + d];
        float weight = expf(score * 0.125f);
        sum += weight;
        for (int d = 0; d < 64; d++)
            result[d] += weight * v[j * 64 + d];
    }
    for (int d = 0; d < 64; d++)
        o[blockIdx.x * 64 + d] = result[d] / sum;
}
