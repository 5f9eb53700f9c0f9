/* Reports what devices say about themselves. Each reading is a measurement of its own, on the axes of a check. */
#include "health.h"

#include "descriptor/parameters.h"

/* The largest value that the link of the device can have; 0 for a reading that has none. */
static double largest_of(const struct lab_device_facts *device, enum lab_reading reading)
{
    int64_t largest = reading == LAB_READING_LINK_WIDTH        ? device->pcie_max_width
                      : reading == LAB_READING_LINK_GENERATION ? device->pcie_max_generation
                                                               : LAB_UNKNOWN;
    return largest != LAB_UNKNOWN ? (double)largest : 0;
}

static bool report_reading(struct lab_run *run, size_t device, enum lab_reading reading, int64_t value)
{
    const struct lab_point point = {
        {[HEALTH_DEVICE] = (int64_t)device, [HEALTH_CHECK] = HEALTH_READINGS + reading, [HEALTH_PEER] = LAB_NO_VALUE}};
    const struct lab_report report = {.run = run, .point = &point};
    const struct lab_peak peak = {largest_of(&run->devices[device]->facts, reading),
                                  "the most that card and slot both support"};
    if (value != LAB_UNKNOWN)
        return lab_report_value_of_peak(&report, "reading", (double)value, &peak);
    lab_report_skipped(&report, "reading", "the device or its driver does not report it");
    return true;
}

static void read_all(struct lab_run *run, size_t device, int64_t readings[LAB_READINGS])
{
    for (size_t i = 0; i < LAB_READINGS; i++)
        readings[i] = LAB_UNKNOWN;
    if (run->monitor.readings != NULL)
        run->monitor.readings(run->monitor.context, run->devices[device], readings);
}

bool health_report_link(struct lab_run *run, size_t device, const struct lab_work *work)
{
    enum { COPIES = 4 };
    struct lab_device *on = run->devices[device];
    int64_t readings[LAB_READINGS];
    for (size_t i = 0; i < COPIES; i++)
        if (!lab_run_forward_error(run, on, work->enqueue(work->context)))
            return false;
    read_all(run, device, readings);
    if (!lab_run_forward_error(run, on, on->runtime->stream_synchronize(on, work->lanes[0].stream)))
        return false;
    for (size_t i = 0; i <= LAB_READING_LINK_GENERATION; i++)
        if (!report_reading(run, device, (enum lab_reading)i, readings[i]))
            return false;
    return true;
}

bool health_report_errors(struct lab_run *run, size_t device)
{
    int64_t readings[LAB_READINGS];
    read_all(run, device, readings);
    for (size_t i = LAB_READING_LINK_GENERATION + 1; i < LAB_READINGS; i++)
        if (!report_reading(run, device, (enum lab_reading)i, readings[i]))
            return false;
    return true;
}
