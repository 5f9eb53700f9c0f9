/* The data of memory-hierarchy: the chain is a single cycle that ends where it is predicted, and the sums of what the
 * blocks read are those of their words. */
#include "experiments/memory/memory_hierarchy/memory_hierarchy.h"
#include "support/test.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LINES_MAX = 7 << 12, SEED = 3 };

/* Whether the chain visits all lines before it returns to line 0; asserts that it ends where it is predicted. */
static bool is_single_cycle(uint64_t lines)
{
    static bool visited[LINES_MAX];
    uint64_t line = 0;
    memset(visited, 0, sizeof visited);
    for (uint64_t step = 0; step < lines; step++) {
        if (visited[line])
            return false;
        visited[line] = true;
        line = memory_hierarchy_next(line, lines, SEED);
        if (step % 61 == 0)
            assert_int_equal(memory_hierarchy_end(step + 1, lines, SEED), line);
    }
    return line == 0;
}

TEST(the_chain_is_a_single_cycle)
{
    for (uint64_t unit = 2; unit <= 1 << 12; unit *= 2)
        for (uint64_t lines = 4 * unit; lines < 8 * unit; lines += unit)
            assert_true(is_single_cycle(lines));
    assert_int_equal(memory_hierarchy_end(UINT64_C(1) << 28, UINT64_C(1) << 28, SEED), 0);
}

/* What block `block` reads, word by word. */
static uint32_t sum_by_word(uint64_t block, const uint64_t parameters[3])
{
    uint64_t vectors = parameters[0], first = block * parameters[1];
    uint32_t sum = 0;
    for (uint64_t i = 0; i < parameters[2]; i++)
        for (uint64_t word = 0; word < 4; word++)
            sum += memory_hierarchy_word((first + i % vectors) * 4 + word, SEED, parameters);
    return sum;
}

TEST(the_sums_of_blocks_are_those_of_their_words)
{
    static const uint64_t cases[][3] = {{64, 64, 512}, {320, 0, 512}, {4096, 4100, 1024}, {3, 3, 4096}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t block = 0; block < 5; block++)
            assert_int_equal(memory_hierarchy_block_sum(block, SEED, cases[i]), sum_by_word(block, cases[i]));
}
