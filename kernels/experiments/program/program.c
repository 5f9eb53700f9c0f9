/* program: a whole program, of host and device code, that a person brings. It is compiled on the machine that has the
 * device and executed in a sandbox there, by itself: the worker has closed the device meanwhile. What it prints is the
 * run's output; what it measures, the run's results; and what it does on the device is the run's timeline.
 */
#include "counting.h"
#include "run.h"

#include "descriptor/estimate.h"
#include "descriptor/parameters.h"

#include <math.h>

static const struct lab_schema parameters[] = {
    {LAB_INTEGER("runs", "Executions", "How often the program is executed. Each execution is a sample of every result.",
                 1),
     .minimum = 1, .maximum = 1000},
    {.name = "limit_s",
     .title = "Time limit",
     .text = "An execution that takes longer is ended.",
     .unit = "s",
     .type = LAB_TYPE_NUMBER,
     .minimum = 0,
     .above = true,
     .maximum = 3600,
     .fallback = "60"},
    {.name = "timeline",
     .title = "Timeline",
     .text =
         "Whether the program's calls and work on CUDA devices are recorded. If the program is executed several times, "
         "an additional execution before the others is recorded; if once, recording makes it about 30 ms longer.",
     .type = LAB_TYPE_BOOLEAN,
     .fallback = "true"},
    {LAB_BOOLEAN(
        "counters", "Hardware counters",
        "Whether the program is executed up to 8 times more, while the hardware counters of CUDA devices are read "
        "for each launch of a kernel: bytes of memory, sectors, bank conflicts, occupancy, use of its units and "
        "why warps wait. The program must launch the same kernels each time.",
        false)},
    {0},
};

static const struct lab_axis axes[] = {{0}};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("elapsed", "Elapsed time", "s", "time from the start of the program to its end")},
    {LAB_METRIC("processor", "Processor time", "s", "time of all its threads on processors, in user and kernel mode")},
    {LAB_METRIC("launches", "Launches", "1",
                "launches of the kernel in one execution, whose hardware counters were read")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("timeline", "timeline", "What the program did", "elapsed", "program")},
    {LAB_VIEW("table", "launches", "Kernels with hardware counters", "launches", "kernel")},
    {0},
};

static const struct lab_headline headlines[] = {{LAB_HEADLINE("Elapsed", "elapsed"), .lowest = true}, {0}};

static bool plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
                 struct lab_estimate *estimate, struct lab_errors *errors)
{
    static const double compiling_s = 5, most_compiling_s = 120, execution_s = 1, pass_s = 2.5;
    double runs = (double)lab_parameter_integer(given, "runs");
    double passes = lab_parameter_counters(given) ? PROGRAM_PASSES_MAX : 0;
    double most_s = most_compiling_s + (runs + 1 + passes) * lab_parameter_number(given, "limit_s");
    (void)devices;
    (void)device_count;
    (void)errors;
    /* The time limit of a run is a multiple of what is planned, and must leave the executions theirs. */
    double seconds = fmax(compiling_s + runs * execution_s + passes * pass_s, most_s / 10);
    *estimate = (struct lab_estimate){.points = 1, .seconds = seconds, .least_seconds = seconds};
    return true;
}

LAB_PAGE(program);
const struct lab_experiment lab_program = {
    .name = "program",
    .title = "Own program",
    .subject = "execution",
    .summary = "A whole program of one's own: what it prints, what it measures, and what it does on the device.",
    LAB_TABLE_FIELDS(program, axes),
    .devices_min = 1,
    .devices_max = 16,
    .devices_usual = 1,
    .programs = true,
    .plan = plan,
    .run = program_run,
};
