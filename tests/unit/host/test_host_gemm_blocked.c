/* The blocked matrix product of the host runtime, with every vector instruction set that this CPU supports. */
#include "support/gemm_harness.h"
#include "support/test.h"

#include <stdlib.h>

AROUND_EACH_TEST(.setup = open_one, .teardown = close_one)

/* Multiplies with caches so small that there are many parts and short sums. */
static void check_instructions(struct lab_device *device, struct shape shape, enum lab_gemm_type type,
                               enum lab_gemm_layout layout, enum host_instructions instructions)
{
    struct product p = open_product(device, shape, type, layout);
    const struct lab_gemm what = {type, layout, shape.m, shape.n, shape.k, p.a, p.b, c_of(&p)};
    const struct host_gemm_method *step = lab_host_gemm_method("blocked", p.type, instructions);
    struct host_gemm gemm = lab_host_gemm_describe(lab_host_device(device), &what);
    gemm.l1_bytes = 4 * 1024;
    gemm.l2_bytes = 32 * 1024;
    gemm.workspace = aligned_alloc(256, (step->workspace_bytes(&gemm) + 255) / 256 * 256);
    assert_non_null(gemm.workspace);
    step->run(&gemm);
    assert_int_equal(wrong_elements(&p, p.expected), 0);
    assert_guards_untouched(&p);
    free(gemm.workspace);
    close_product(&p);
}

TEST_WITH(test_blocking_with_every_instruction_set, struct lab_device *device)
{
    static const struct shape cut[] = {{143, 301, 205}, {1, 100, 17}, {7, 17, 100}, {17, 7, 1}, {100, 1, 7}};
    for (size_t variant = 0; variant < COUNT(cut) * COUNT(types) * LAB_GEMM_LAYOUTS; variant++)
        for (int instructions = 0; instructions < HOST_INSTRUCTION_SETS; instructions++)
            if (lab_host_has_instructions((enum host_instructions)instructions))
                check_instructions(device, cut[variant / 4], types[variant % 2], variant / 2 % 2,
                                   (enum host_instructions)instructions);
}

/* Tests every height of a tile, and every width up to more than two tiles. */
TEST_WITH(test_every_tile, struct lab_device *device)
{
    enum { SIZES = 40 };
    for (size_t variant = 0; variant < SIZES * COUNT(types); variant++)
        for (int instructions = 0; instructions < HOST_INSTRUCTION_SETS; instructions++)
            if (lab_host_has_instructions((enum host_instructions)instructions))
                check_instructions(device, (struct shape){1 + variant / 2, 1 + variant, 19}, types[variant % 2],
                                   LAB_GEMM_NN, (enum host_instructions)instructions);
}
