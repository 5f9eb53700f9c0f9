/* kernels/compiler/occupancy: resident warps by registers, shared memory and architecture. The expected values are
 * those of cudaOccupancyMaxActiveBlocksPerMultiprocessor's algorithm (cuda_occupancy.h of the toolkit), computed by
 * hand.
 */
#include "compiler/occupancy.h"
#include "support/test.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Checks the entry for blocks of `threads`. */
static void expect(const char *architecture, long registers, long shared_bytes, long threads, long warps,
                   const char *limit)
{
    json_t *list = lab_occupancy(architecture, registers, shared_bytes), *entry;
    size_t index;
    bool found = false;
    json_array_foreach(list, index, entry)
    {
        if (json_integer_value(json_object_get(entry, "threads")) != threads)
            continue;
        found = true;
        assert_int_equal(json_integer_value(json_object_get(entry, "warps")), warps);
        assert_string_equal(json_string_value(json_object_get(entry, "limit")), limit);
    }
    assert_true(found);
    json_decref(list);
}

TEST(few_registers_leave_the_limits_of_blocks_and_warps)
{
    expect("sm_90", 16, 0, 32, 32, "blocks");
    expect("sm_90", 16, 0, 256, 64, "warps");
    expect("sm_75", 16, 0, 32, 16, "blocks");
    expect("sm_89", 16, 0, 1024, 32, "warps"); /* 48 warps do not hold two blocks of 32 */
}

TEST(registers_are_allotted_by_warp_and_quarter)
{
    expect("sm_90", 64, 0, 256, 32, "registers");
    expect("sm_90", 65, 0, 256, 24, "registers"); /* 72 registers of each thread: 7 warps of each quarter */
    expect("sm_90", 255, 0, 512, 0, "registers"); /* 8 warps of a multiprocessor, fewer than a block */
    expect("sm_90", 255, 0, 256, 8, "registers");
}

TEST(shared_memory_has_a_part_that_the_system_takes)
{
    expect("sm_90", 16, 48 * 1024, 128, 16, "shared memory"); /* 228 KiB hold 4 of 49 KiB */
    expect("sm_75", 16, 48 * 1024, 128, 4, "shared memory");
    expect("sm_90", 16, 1, 1024, 64, "warps");
}

TEST(architectures_follow_their_generation)
{
    expect("sm_90a", 16, 0, 256, 64, "warps");
    expect("sm_88", 16, 0, 256, 48, "warps"); /* as 8.7 */
    expect("sm_121", 16, 0, 256, 48, "warps");
    json_t *unknown = lab_occupancy("sm_200", 16, 0);
    assert_int_equal(json_array_size(unknown), 0);
    json_decref(unknown);
}
