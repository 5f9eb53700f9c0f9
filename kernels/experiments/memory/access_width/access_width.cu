/* Copies with elements of 1 to 16 bytes, and of structures as an array of structures or as a structure of arrays. Each
 * thread copies one of the n elements. */
#include "access_width.h"
#include "benchmark/check.h"

// region copy
template <typename Element>
__device__ static void copy(const Element *__restrict__ in, Element *__restrict__ out, uint64_t n)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}
// end

// steps use copy

// region vector "Vector types"
/* One instruction for each element: a warp moves 32 to 512 contiguous bytes. The same bytes need 16 times as many
 * threads with char as with int4. */
extern "C" __global__ void access_width_1(const char *in, char *out, uint64_t n)
{
    copy(in, out, n);
}

extern "C" __global__ void access_width_2(const short *in, short *out, uint64_t n)
{
    copy(in, out, n);
}

extern "C" __global__ void access_width_4(const int *in, int *out, uint64_t n)
{
    copy(in, out, n);
}

extern "C" __global__ void access_width_8(const int2 *in, int2 *out, uint64_t n)
{
    copy(in, out, n);
}

extern "C" __global__ void access_width_16(const int4 *in, int4 *out, uint64_t n)
{
    copy(in, out, n);
}
// end

// region aos
/* Structures are aligned as their members: to 4 bytes. */
struct xyz {
    float x, y, z;
};

struct xyzw {
    float x, y, z, w;
};

extern "C" __global__ void access_width_aos_12(const xyz *in, xyz *out, uint64_t n)
{
    copy(in, out, n);
}

extern "C" __global__ void access_width_aos_16(const xyzw *in, xyzw *out, uint64_t n)
{
    copy(in, out, n);
}
// end

// region aos-aligned "Aligned structures"
/* The same four members. The alignment allows one instruction of 16 bytes. */
struct __align__(16) xyzw_aligned
{
    float x, y, z, w;
};

extern "C" __global__ void access_width_aos_aligned(const xyzw_aligned *in, xyzw_aligned *out, uint64_t n)
{
    copy(in, out, n);
}
// end

// region aos-5 "Structures of five floats"
/* Five loads and five stores of 4 bytes. The structures follow each other without gaps, 20 bytes apart. */
struct five {
    float a, b, c, d, e;
};

extern "C" __global__ void access_width_aos_5(const five *in, five *out, uint64_t n)
{
    copy(in, out, n);
}
// end

// region aos-5-aligned "Aligned structures of five floats"
/* Two loads and two stores of 16 bytes. The size of a structure is a multiple of its alignment, so 12 of its 32 bytes
 * are padding. */
struct __align__(16) five_aligned
{
    float a, b, c, d, e;
};

extern "C" __global__ void access_width_aos_5_aligned(const five_aligned *in, five_aligned *out, uint64_t n)
{
    copy(in, out, n);
}
// end

// region soa
/* One array for each member, one after the other. */
template <int MEMBERS>
__device__ static void copy_members(const float *__restrict__ in, float *__restrict__ out, uint64_t n)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
#pragma unroll
    for (int member = 0; member < MEMBERS; member++)
        out[member * n + i] = in[member * n + i];
}

extern "C" __global__ void access_width_soa_12(const float *in, float *out, uint64_t n)
{
    copy_members<3>(in, out, n);
}

extern "C" __global__ void access_width_soa_16(const float *in, float *out, uint64_t n)
{
    copy_members<4>(in, out, n);
}

extern "C" __global__ void access_width_soa_5(const float *in, float *out, uint64_t n)
{
    copy_members<5>(in, out, n);
}
// end

// step aos "Array of structures" shows copy, aos, one
/* The structures are aligned to 4 bytes, so each member is loaded and stored by an instruction of its own. The
 * addresses of a warp are 12 or 16 bytes apart. */

// step soa "Structure of arrays" shows soa, one
/* Each member has an array of its own. Every instruction of a warp accesses 128 contiguous bytes, and a kernel that
 * needs one member reads only that. */

// step soa-5 "A structure of arrays of five floats" shows soa
/* Five arrays without padding. Each of the five loads and stores of a warp accesses 128 contiguous bytes. */

// region one
/* Only the member x. */
template <typename Element>
__device__ static void copy_x(const Element *__restrict__ in, float *__restrict__ out, uint64_t n)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i].x;
}

extern "C" __global__ void access_width_aos_12_one(const xyz *in, float *out, uint64_t n)
{
    copy_x(in, out, n);
}

extern "C" __global__ void access_width_aos_16_one(const xyzw *in, float *out, uint64_t n)
{
    copy_x(in, out, n);
}

extern "C" __global__ void access_width_soa_one(const float *in, float *out, uint64_t n)
{
    copy_members<1>(in, out, n);
}
// end

LAB_CHECK_KERNEL(access_width_check, access_width_expected)

/* The same for structures of `words` words, the first `members` of which are compared: what the padding holds is up to
 * the compiler. */
extern "C" __global__ void access_width_check_padded(const uint32_t *result, uint64_t count, uint64_t seed,
                                                     uint64_t words, uint64_t members, uint64_t,
                                                     struct lab_check_result *of_check)
{
    const uint64_t every_word[3] = {1};
    unsigned long long found = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (uint64_t)gridDim.x * blockDim.x)
        found += i % words < members && result[i] != access_width_expected(i, seed, every_word);
    if (found > 0)
        atomicAdd(&of_check->wrong, found);
}
