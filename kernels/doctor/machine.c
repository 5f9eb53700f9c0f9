/* What of the CPUs and of other programs disturbs measurements, and the errors that the driver has reported. */
#include "facts/mps.h"
#include "facts/xids.h"

#include "files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char cpus[] = "/sys/devices/system/cpu";

/* --- CPUs --------------------------------------------------------------------------------------------------------- */

struct governors {
    const struct doctor *doctor;
    size_t cpus, others; /* CPUs with a governor, and those whose governor is not performance */
    char other[32];      /* one of these */
};

static void count_governor(void *context, const char *name)
{
    struct governors *governors = context;
    char path[128], governor[32];
    snprintf(path, sizeof path, "%s/%.32s/cpufreq/scaling_governor", cpus, name);
    if (!doctor_read_line(governors->doctor, path, governor, sizeof governor))
        return;
    governors->cpus++;
    if (strcmp(governor, "performance") == 0)
        return;
    governors->others++;
    memcpy(governors->other, governor, sizeof governor);
}

static void examine_governor(struct doctor *doctor, const struct doctor_check *check)
{
    struct governors governors = {.doctor = doctor};
    doctor_each_numbered(doctor, cpus, "cpu", count_governor, &governors);
    if (governors.others > 0)
        doctor_disturbs(doctor, check, "cpupower frequency-set -g performance",
                        "%s on %zu of %zu processors: their clocks follow the load with a delay", governors.other,
                        governors.others, governors.cpus);
}

static void count_cpu(void *context, const char *name)
{
    (void)name;
    ++*(size_t *)context;
}

static void examine_load(struct doctor *doctor, const struct doctor_check *check)
{
    static const double much = 0.25; /* of the processors */
    double load;
    size_t count = 0;
    doctor_each_numbered(doctor, cpus, "cpu", count_cpu, &count);
    if (count > 0 && doctor_read_number(doctor, "/proc/loadavg", &load) && load > much * (double)count)
        doctor_disturbs(doctor, check, "Measure when other programs have ended",
                        "%.1f threads ran or waited on %zu processors in the last minute", load, count);
}

/* cpu.max of the process's own cgroup is "QUOTA PERIOD", in microseconds, or "max PERIOD". */
static void examine_quota(struct doctor *doctor, const struct doctor_check *check)
{
    char cgroup[512], name[600], line[64];
    double quota, period;
    doctor_find_line(doctor, "/proc/self/cgroup", "0::", cgroup, sizeof cgroup);
    snprintf(name, sizeof name, "/sys/fs/cgroup%s/cpu.max", cgroup);
    if (doctor_read_line(doctor, name, line, sizeof line) && sscanf(line, "%lf %lf", &quota, &period) == 2 &&
        period > 0)
        doctor_disturbs(doctor, check, "A container or a service without a limit of processor time",
                        "%.1f processors: beyond that, the kernel stops this container or service for a while",
                        quota / period);
}

/* --- other programs ----------------------------------------------------------------------------------------------- */

static void examine_mps(struct doctor *doctor, const struct doctor_check *check)
{
    if (lab_mps_is_running(doctor->options->root))
        doctor_disturbs(doctor, check, "echo quit | nvidia-cuda-mps-control",
                        "runs: programs share the GPU, and a context is one of its server");
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

/* The errors of devices in the kernel's log. */
struct log_xids {
    size_t count;
    unsigned last;
};

/* Counts the Xid in a record of the kernel's log, such as "6,123,456,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has
 * fallen off the bus.", unless a program causes it or facts/xids.h does not have it. */
static void take_record(struct log_xids *xids, const char *record)
{
    const char *found = strstr(record, "NVRM: Xid "), *number = found != NULL ? strstr(found, "): ") : NULL;
    unsigned xid = number != NULL ? (unsigned)strtoul(number + 3, NULL, 10) : 0;
    if (xid == 0 || lab_xid_text(xid) == NULL || lab_xid_is_of_program(xid))
        return;
    xids->count++;
    xids->last = xid;
}

/* Each read of /dev/kmsg returns one record; a file has several. */
static void read_log(const char *path, struct log_xids *xids)
{
    char text[8192];
    int log = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    for (ssize_t size; log >= 0 && (size = read(log, text, sizeof text - 1)) > 0;) {
        char *rest;
        text[size] = '\0';
        for (const char *record = strtok_r(text, "\n", &rest); record != NULL; record = strtok_r(NULL, "\n", &rest))
            take_record(xids, record);
    }
    if (log >= 0)
        close(log);
}

static void examine_xids(struct doctor *doctor, const struct doctor_check *check)
{
    struct log_xids xids = {0};
    char path[PATH_MAX];
    read_log(doctor_path(doctor, "/dev/kmsg", path), &xids);
    if (xids.count > 0)
        doctor_disturbs(doctor, check, "gpulab health checks the GPU",
                        "%zu since the machine started, the last one Xid %u: %s", xids.count, xids.last,
                        lab_xid_text(xids.last));
}

const struct doctor_check doctor_machine_checks[] = {
    {.name = "xid", .title = "errors of the GPU", .examine = examine_xids},
    {.name = "mps", .title = "MPS", .examine = examine_mps},
    {.name = "governor", .title = "CPU governor", .examine = examine_governor},
    {.name = "load", .title = "load", .examine = examine_load},
    {.name = "cpu-quota", .title = "processor time", .examine = examine_quota},
    {0},
};
