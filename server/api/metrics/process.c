/* The server's process and build, under the names that Prometheus' client libraries use. */
#include "sources.h"

#include "core/build.h"
#include "core/clock.h"

#include <dirent.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* In bytes; 0 when /proc cannot be read. */
static double resident_bytes(void)
{
    unsigned long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%lu %lu", &size, &resident) != 2)
        resident = 0;
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}

static double processor_seconds(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    return seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
}

/* The descriptor that this function has open does not count. */
static double open_descriptors(void)
{
    enum { NOT_DESCRIPTORS = 3 }; /* ".", ".." and the folder itself */
    int count = -NOT_DESCRIPTORS;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        return 0;
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

static double max_descriptors(void)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    return (double)limit.rlim_cur;
}

/* Seconds since 1970. proc(5): the 22nd field of stat is the start in clock ticks since the machine was started; the
 * second, in parentheses, may contain spaces. */
static double start_time(void)
{
    unsigned long long ticks = 0;
    struct timespec since_boot;
    FILE *file = fopen("/proc/self/stat", "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &ticks) != 1)
        ticks = 0;
    fclose(file);
    clock_gettime(CLOCK_BOOTTIME, &since_boot);
    int64_t since_boot_ns = (int64_t)since_boot.tv_sec * 1000000000 + since_boot.tv_nsec;
    return (double)(lab_time_now_ns() - since_boot_ns) * 1e-9 + (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

void lab_metrics_process(FILE *out, const struct lab_api *api)
{
    (void)api;
    static const struct lab_family build = {"gpulab_build_info", LAB_GAUGE, "Version and commit of the server."};
    const struct lab_family_value values[] = {
        {{"process_resident_memory_bytes", LAB_GAUGE, "Memory of the server that is in RAM."}, resident_bytes()},
        {{"process_cpu_seconds_total", LAB_COUNTER, "Processor time of the server."}, processor_seconds()},
        {{"process_open_fds", LAB_GAUGE, "Open file descriptors of the server."}, open_descriptors()},
        {{"process_max_fds", LAB_GAUGE, "File descriptors that the server may open."}, max_descriptors()},
        {{"process_start_time_seconds", LAB_GAUGE, "When the server was started, in seconds since 1970."},
         start_time()},
    };
    lab_family_values(out, values, sizeof values / sizeof values[0]);
    lab_family_begin(out, &build);
    lab_family_sample(out, &build, LAB_LABELS({"version", lab_build.version}, {"commit", lab_build.commit}), 1);
}
