/* Fills and compares regions. Elements that are completely within a row are processed in runs; elements that span two
 * rows are processed byte by byte. */
#include "pattern.h"

#include <math.h>
#include <string.h>

static size_t total_bytes(const struct lab_region *region)
{
    return region->width * region->height;
}

size_t lab_host_pattern_elements(const struct lab_region *region)
{
    return total_bytes(region) / 4 + (total_bytes(region) % 4 != 0);
}

/* Complete elements that are contiguous in memory. */
struct run {
    unsigned char *address;
    size_t count;
};

/* The complete elements from `element` on, before `end`, that are in the same row. Their count is 0 if `element` spans
 * two rows. */
static struct run run_at(const struct lab_region *region, size_t element, size_t end)
{
    unsigned char *start = region->address;
    size_t byte = element * 4;
    size_t row = region->height == 1 ? 0 : byte / region->width;
    size_t column = byte - row * region->width;
    size_t count = (region->width - column) / 4;
    return (struct run){start + (row > 0 ? row * region->pitch : 0) + column,
                        count < end - element ? count : end - element};
}

/* The address of byte number `byte` of the region. */
static unsigned char *byte_at(const struct lab_region *region, size_t byte)
{
    unsigned char *start = region->address;
    return start + byte / region->width * region->pitch + byte % region->width;
}

static unsigned bytes_of_element(const struct lab_region *region, size_t element)
{
    size_t left = total_bytes(region) - element * 4;
    return left < 4 ? (unsigned)left : 4;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the pattern is defined as little-endian, so the CPU must be");

/* Compares one element. LAB_CONTENT_FLOATS_PLUS_ONE allows for rounding errors; a NaN is wrong. */
static void compare(const struct lab_expectation *content, uint64_t index, uint32_t found,
                    struct lab_mismatch *comparison)
{
    if (content->content != LAB_CONTENT_FLOATS_PLUS_ONE) {
        comparison->wrong += found != lab_expected_bits(content, index);
        return;
    }
    float value;
    memcpy(&value, &found, sizeof value);
    double error = fabs((double)value - ((double)lab_pattern_float(content->first + index, content->seed) + 1));
    if (!(error <= LAB_FLOAT_ERROR_MAX))
        comparison->wrong++;
    if (error > comparison->max_error)
        comparison->max_error = error;
}

/* Fills a run. LAB_CONTENT_WORDS, which most buffers hold, has its own loop, so that the compiler vectorises it. */
static void fill_run(struct run run, uint64_t index, const struct lab_expectation *content)
{
    if (content->content == LAB_CONTENT_WORDS) {
        for (size_t i = 0; i < run.count; i++) {
            uint32_t value = lab_pattern_word(content->first + index + i, content->seed);
            memcpy(run.address + 4 * i, &value, 4);
        }
        return;
    }
    for (size_t i = 0; i < run.count; i++) {
        uint32_t value = lab_expected_bits(content, index + i);
        memcpy(run.address + 4 * i, &value, 4);
    }
}

static void check_run(struct run run, uint64_t index, const struct lab_expectation *content,
                      struct lab_mismatch *comparison)
{
    if (content->content == LAB_CONTENT_WORDS) {
        uint64_t wrong = 0;
        for (size_t i = 0; i < run.count; i++) {
            uint32_t value;
            memcpy(&value, run.address + 4 * i, 4);
            wrong += value != lab_pattern_word(content->first + index + i, content->seed);
        }
        comparison->wrong += wrong;
        return;
    }
    for (size_t i = 0; i < run.count; i++) {
        uint32_t value;
        memcpy(&value, run.address + 4 * i, 4);
        compare(content, index + i, value, comparison);
    }
}

void lab_host_pattern_fill(const struct lab_region *region, struct lab_expectation content, size_t begin, size_t end)
{
    for (size_t element = begin; element < end;) {
        struct run run = run_at(region, element, end);
        if (run.count > 0) {
            fill_run(run, element, &content);
            element += run.count;
            continue;
        }
        uint32_t value = lab_expected_bits(&content, element);
        for (unsigned i = 0; i < bytes_of_element(region, element); i++)
            *byte_at(region, element * 4 + i) = (unsigned char)(value >> (8 * i));
        element++;
    }
}

struct lab_mismatch lab_host_pattern_check(const struct lab_region *region, struct lab_expectation content,
                                           size_t begin, size_t end)
{
    struct lab_mismatch comparison = {0};
    for (size_t element = begin; element < end;) {
        struct run run = run_at(region, element, end);
        if (run.count > 0) {
            check_run(run, element, &content, &comparison);
            element += run.count;
            continue;
        }
        /* If the last element has fewer than 4 bytes, the missing bytes count as correct. */
        uint32_t found = lab_expected_bits(&content, element);
        for (unsigned i = 0; i < bytes_of_element(region, element); i++)
            found = (found & ~(0xFFu << (8 * i))) | (uint32_t)*byte_at(region, element * 4 + i) << (8 * i);
        compare(&content, element, found, &comparison);
        element++;
    }
    return comparison;
}
