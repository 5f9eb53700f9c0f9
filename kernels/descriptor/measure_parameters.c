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
    {LAB_INTEGER(
         "min_samples", "Minimum samples",
         "Every point takes at least this many samples. Lowered to max_samples where that is smaller and min_samples "
         "is not given.",
         10),
     .advanced = true, .minimum = 1, .maximum = 100000},
    {LAB_INTEGER("max_samples", "Maximum samples", "Sampling of a point stops after this many samples.", 1000),
     .advanced = true, .minimum = 1, .maximum = 100000},
    {LAB_NUMBER(
         "max_noise", "Maximum noise",
         "Sampling of a point stops when the standard deviation of its samples, divided by their mean, is at most "
         "this value and the samples do not drift.",
         0.005),
     .unit = "1", .advanced = true, .minimum = 0, .maximum = 1},
    {LAB_NUMBER(
         "min_time_s", "Minimum measured time",
         "The samples of a point last at least this long together, unless the time budget or max_samples ends it. "
         "Pauses (rest_s) count.",
         0.1),
     .unit = "s", .advanced = true, .minimum = 0, .maximum = 60},
    {LAB_NUMBER("sample_s", "Sample duration",
                "A sample repeats the operation for at least this time. 0: automatic, 100 us or longer.", 0),
     .unit = "s", .advanced = true, .minimum = 0, .maximum = 10},
    {LAB_NUMBER(
         "settle_s", "Settling time",
         "A compute kernel runs at least this long before its first sample, and then until its speed changes by at "
         "most 1 %, so that the clock has settled at the power limit. 0: no settling. Copies need none.",
         0.1),
     .unit = "s", .advanced = true, .minimum = 0, .maximum = 60},
    {LAB_NUMBER(
         "rest_s", "Pause before a sample",
         "The devices are idle this long before every sample, without settling: of bursts only, where the experiment "
         "has the parameter `load`. 0: automatic, 0.1 s before samples of bursts and none before others.",
         0),
     .unit = "s", .advanced = true, .minimum = 0, .maximum = 10},
    {LAB_NUMBER(
         "time_budget_s", "Time budget",
         "Time for all points of the run together, divided among them. Sampling of a point stops when its share is "
         "used up. Where it is not given and there are more than 120 points, it is 0.1 s for each, but at most "
         "300 s. In a comparison it is at least 0.5 s for each pair of points.",
         12),
     .unit = "s", .advanced = true, .minimum = 0.01, .maximum = 86400},
    {LAB_INTEGER("seed", "Seed",
                 "Seed of the test pattern and of all random inputs. Runs with the same seed use the same data.", 1),
     .advanced = true, .minimum = 0, .maximum = LARGEST_INTEGER},
    {.name = NULL},
};
