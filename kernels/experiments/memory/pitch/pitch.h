/* The result of pitch, compiled for device and host. */
#ifndef LAB_PITCH_H
#define LAB_PITCH_H

#include "runtime/pattern.h"

/* The bits of word `i` of the copy, which has its padding too. The input holds LAB_CONTENT_WORDS of `seed`. The
 * parameters are the words from one row to the next, and how many of them are copied; the others keep what they were
 * overwritten with before. */
LAB_HOST_DEVICE uint32_t pitch_expected(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    return lab_pattern_word(i, i % parameters[0] < parameters[1] ? seed : ~seed);
}

#endif
