/* The kernels of launch on host devices: an engine's thread takes the launch, and the cores execute it. */
#include "benchmark/check.h"
#include "launch.h"

// region kernels
static void add(const struct lab_host_part *part, const struct lab_argument *arguments, uint32_t value)
{
    if (part->index == 0)
        *(uint32_t *)arguments[0].pointer += value;
}

static void count(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    add(part, arguments, 1);
}

/* The last word of the second argument is 1. */
static void count_words(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    const uint32_t *words = arguments[1].pointer;
    add(part, arguments, words[arguments[1].bytes / sizeof *words - 1]);
}
// end kernels

LAB_CHECK_HOST(check, launch_expected)

extern const struct lab_host_kernel launch_host_kernels[];
const struct lab_host_kernel launch_host_kernels[] = {{"launch_8", count},         {"launch_64", count_words},
                                                      {"launch_512", count_words}, {"launch_4096", count_words},
                                                      {"launch_check", check},     {NULL, NULL}};
