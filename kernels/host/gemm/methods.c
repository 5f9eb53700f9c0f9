/* Tables of the kernels by method, element type and, for vectorised kernels, instruction set. The build compiles an
 * object for each combination (CMakeLists.txt); the CPU may not support all of the instruction sets. */
#include "gemm.h"

#include <string.h>

extern const struct host_gemm_method lab_host_gemm_naive_float, lab_host_gemm_naive_double;
extern const struct host_gemm_method lab_host_gemm_tiled_8_float, lab_host_gemm_tiled_8_double;
extern const struct host_gemm_method lab_host_gemm_tiled_16_float, lab_host_gemm_tiled_16_double;
extern const struct host_gemm_method lab_host_gemm_tiled_32_float, lab_host_gemm_tiled_32_double;
extern const struct host_gemm_method lab_host_gemm_openblas_float, lab_host_gemm_openblas_double;

static const struct {
    const char *method;
    const struct host_gemm_method *kernels[HOST_ELEMENTS];
} methods[] = {
    {"naive", {&lab_host_gemm_naive_float, &lab_host_gemm_naive_double}},
    {"tiled-8", {&lab_host_gemm_tiled_8_float, &lab_host_gemm_tiled_8_double}},
    {"tiled-16", {&lab_host_gemm_tiled_16_float, &lab_host_gemm_tiled_16_double}},
    {"tiled-32", {&lab_host_gemm_tiled_32_float, &lab_host_gemm_tiled_32_double}},
    {"openblas", {&lab_host_gemm_openblas_float, &lab_host_gemm_openblas_double}},
};

/* --- vectorised functions ----------------------------------------------------------------------------------------- */

extern const struct host_gemm_method lab_host_gemm_blocked_baseline_float, lab_host_gemm_blocked_baseline_double;
extern host_multiply_adds lab_host_gemm_multiply_adds_baseline_float, lab_host_gemm_multiply_adds_baseline_double;
#ifdef __x86_64__
extern const struct host_gemm_method lab_host_gemm_blocked_avx2_float, lab_host_gemm_blocked_avx2_double;
extern const struct host_gemm_method lab_host_gemm_blocked_avx512_float, lab_host_gemm_blocked_avx512_double;
extern host_multiply_adds lab_host_gemm_multiply_adds_avx2_float, lab_host_gemm_multiply_adds_avx2_double;
extern host_multiply_adds lab_host_gemm_multiply_adds_avx512_float, lab_host_gemm_multiply_adds_avx512_double;
#endif

const struct host_vectors lab_host_vectors[HOST_INSTRUCTION_SETS] = {
    [HOST_BASELINE] = {{&lab_host_gemm_blocked_baseline_float, &lab_host_gemm_blocked_baseline_double},
                       {lab_host_gemm_multiply_adds_baseline_float, lab_host_gemm_multiply_adds_baseline_double}},
#ifdef __x86_64__
    [HOST_AVX2] = {{&lab_host_gemm_blocked_avx2_float, &lab_host_gemm_blocked_avx2_double},
                   {lab_host_gemm_multiply_adds_avx2_float, lab_host_gemm_multiply_adds_avx2_double}},
    [HOST_AVX512] = {{&lab_host_gemm_blocked_avx512_float, &lab_host_gemm_blocked_avx512_double},
                     {lab_host_gemm_multiply_adds_avx512_float, lab_host_gemm_multiply_adds_avx512_double}},
#endif
};

bool lab_host_has_instructions(enum host_instructions instructions)
{
#ifdef __x86_64__
    if (instructions == HOST_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (instructions == HOST_AVX512)
        return __builtin_cpu_supports("avx512f");
#endif
    return instructions == HOST_BASELINE;
}

enum host_instructions lab_host_best_instructions(void)
{
    enum host_instructions best = HOST_INSTRUCTION_SETS - 1;
    while (!lab_host_has_instructions(best))
        best--;
    return best;
}

const struct host_gemm_method *lab_host_gemm_method(const char *method, enum lab_gemm_type type,
                                                    enum host_instructions instructions)
{
    if ((size_t)type >= HOST_ELEMENTS)
        return NULL;
    if (strcmp(method, "blocked") == 0)
        return lab_host_vectors[instructions].blocked[type];
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].method, method) == 0)
            return methods[i].kernels[type];
    return NULL;
}
