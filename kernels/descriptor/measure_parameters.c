/* The parameters that all experiments have. */
#include "descriptor/parameters.h"

#define LARGEST_INTEGER 9007199254740991.0 /* 2^53 - 1: exact in every JSON reader */

const char *const lab_loads[] = {[LAB_SUSTAINED] = "sustained", [LAB_BURST] = "burst", NULL};

const struct lab_schema lab_load_parameter = {LAB_CHOICES(
    "load", "Load",
    "sustained: as in a long job, after the clock has settled at what the power limit allows; burst: as in a "
    "short job, after a pause before each sample (`rest_s`, 0.1 s if that is 0), so bursts need a longer "
    "time budget. With both, every point is measured twice. If only `rest_s` is given, burst.",
    lab_loads, "sustained")};

const struct lab_schema lab_measure_parameters[] = {
    {.name = "min_samples",
     .title = "Minimum samples",
     .text =
         "Every point takes at least this many samples. Lowered to max_samples where that is smaller and min_samples "
         "is not given.",
     .type = LAB_TYPE_SIZE,
     .advanced = true,
     .minimum = 1,
     .maximum = 100000,
     .fallback = "10"},
    {.name = "max_samples",
     .title = "Maximum samples",
     .text = "Sampling of a point stops after this many samples.",
     .type = LAB_TYPE_SIZE,
     .advanced = true,
     .minimum = 1,
     .maximum = 100000,
     .fallback = "1000"},
    {.name = "max_noise",
     .title = "Maximum noise",
     .text = "Sampling of a point stops when the standard deviation of its samples, divided by their mean, is at most "
             "this value and the samples do not drift.",
     .unit = "1",
     .type = LAB_TYPE_NUMBER,
     .advanced = true,
     .minimum = 0,
     .maximum = 1,
     .fallback = "0.005"},
    {.name = "min_time_s",
     .title = "Minimum measured time",
     .text = "The samples of a point last at least this long together, unless the time budget or max_samples ends it. "
             "Pauses (rest_s) count.",
     .unit = "s",
     .type = LAB_TYPE_NUMBER,
     .advanced = true,
     .minimum = 0,
     .maximum = 60,
     .fallback = "0.1"},
    {.name = "sample_s",
     .title = "Sample duration",
     .text = "A sample repeats the operation for at least this time. 0: automatic, 100 us or longer.",
     .unit = "s",
     .type = LAB_TYPE_NUMBER,
     .advanced = true,
     .minimum = 0,
     .maximum = 10,
     .fallback = "0"},
    {.name = "settle_s",
     .title = "Settling time",
     .text = "A compute kernel runs at least this long before its first sample, and then until its speed changes by at "
             "most 1 %, so that the clock has settled at the power limit. 0: no settling. Copies need none.",
     .unit = "s",
     .type = LAB_TYPE_NUMBER,
     .advanced = true,
     .minimum = 0,
     .maximum = 60,
     .fallback = "0.1"},
    {.name = "rest_s",
     .title = "Pause before a sample",
     .text =
         "The devices are idle this long before every sample, without settling: of bursts only, where the experiment "
         "has the parameter `load`. 0: automatic, 0.1 s before samples of bursts and none before others.",
     .unit = "s",
     .type = LAB_TYPE_NUMBER,
     .advanced = true,
     .minimum = 0,
     .maximum = 10,
     .fallback = "0"},
    {.name = "time_budget_s",
     .title = "Time budget",
     .text = "Time for all points of the run together, divided among them. Sampling of a point stops when its share is "
             "used up. Where it is not given and there are more than 120 points, it is 0.1 s for each, but at most "
             "300 s. In a comparison it is at least 0.5 s for each pair of points.",
     .unit = "s",
     .type = LAB_TYPE_NUMBER,
     .advanced = true,
     .minimum = 0.01,
     .maximum = 86400,
     .fallback = "12"},
    {.name = "seed",
     .title = "Seed",
     .text = "Seed of the test pattern and of all random inputs. Runs with the same seed use the same data.",
     .type = LAB_TYPE_SIZE,
     .advanced = true,
     .minimum = 0,
     .maximum = LARGEST_INTEGER,
     .fallback = "1"},
    {.name = NULL},
};
