/* The test pattern on regions. Work is counted in words of the pattern, which run through the rows without a break: a
 * word may begin in one row and end in another. Whole words within a row take the fast way, those few the slow one. */
#include "pattern.h"
#include "internal.h"

#include <string.h>

static size_t total_bytes(const struct lab_region *region)
{
    return region->width * region->height;
}

size_t lab_host_pattern_words(const struct lab_region *region)
{
    return total_bytes(region) / 4 + (total_bytes(region) % 4 != 0);
}

/* A run of whole words that lie one behind the other. */
struct run {
    unsigned char *address;
    size_t words;
};

/* The whole words from `word` on that lie in one row, none beyond `end`; none when `word` itself does not. */
static struct run run_at(const struct lab_region *region, size_t word, size_t end)
{
    unsigned char *start = region->address;
    size_t byte = word * 4;
    size_t row = region->height == 1 ? 0 : byte / region->width;
    size_t column = byte - row * region->width;
    size_t words = (region->width - column) / 4;
    return (struct run){start + (row > 0 ? row * region->pitch : 0) + column, words < end - word ? words : end - word};
}

/* Where byte `byte` of the region is. */
static unsigned char *byte_at(const struct lab_region *region, size_t byte)
{
    unsigned char *start = region->address;
    return start + byte / region->width * region->pitch + byte % region->width;
}

static unsigned bytes_of_word(const struct lab_region *region, size_t word)
{
    size_t left = total_bytes(region) - word * 4;
    return left < 4 ? (unsigned)left : 4;
}

/* Words and little-endian bytes are the same on every machine that this runs on. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the pattern is little-endian");

static void fill_run(struct run run, size_t word, uint64_t seed)
{
    for (size_t i = 0; i < run.words; i++) {
        uint32_t value = lab_pattern_word(word + i, seed);
        memcpy(run.address + 4 * i, &value, 4);
    }
}

static uint64_t check_run(struct run run, size_t word, uint64_t seed)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < run.words; i++) {
        uint32_t value;
        memcpy(&value, run.address + 4 * i, 4);
        wrong += value != lab_pattern_word(word + i, seed);
    }
    return wrong;
}

void lab_host_pattern_fill(const struct lab_region *region, uint64_t seed, size_t begin, size_t end)
{
    for (size_t word = begin; word < end;) {
        struct run run = run_at(region, word, end);
        if (run.words > 0) {
            fill_run(run, word, seed);
            word += run.words;
            continue;
        }
        uint32_t value = lab_pattern_word(word, seed);
        for (unsigned i = 0; i < bytes_of_word(region, word); i++)
            *byte_at(region, word * 4 + i) = (unsigned char)(value >> (8 * i));
        word++;
    }
}

uint64_t lab_host_pattern_check(const struct lab_region *region, uint64_t seed, size_t begin, size_t end)
{
    uint64_t wrong = 0;
    for (size_t word = begin; word < end;) {
        struct run run = run_at(region, word, end);
        if (run.words > 0) {
            wrong += check_run(run, word, seed);
            word += run.words;
            continue;
        }
        uint32_t value = lab_pattern_word(word, seed);
        bool differs = false;
        for (unsigned i = 0; i < bytes_of_word(region, word); i++)
            differs |= *byte_at(region, word * 4 + i) != (unsigned char)(value >> (8 * i));
        wrong += differs;
        word++;
    }
    return wrong;
}
