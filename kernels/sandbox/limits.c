#include "limits.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

void lab_limit_set(int resource, uint64_t value)
{
    struct rlimit both;
    if (getrlimit((__rlimit_resource_t)resource, &both) != 0)
        return;
    if (value < both.rlim_max)
        both.rlim_max = value;
    both.rlim_cur = both.rlim_max;
    setrlimit((__rlimit_resource_t)resource, &both);
}

void lab_limit_processor(uint64_t seconds)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    rlim_t used_s = (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
    /* SIGXCPU at the soft limit, SIGKILL at the hard one. */
    struct rlimit processor = {used_s + seconds, used_s + seconds + 1};
    setrlimit(RLIMIT_CPU, &processor);
}

/* The kernel ignores the limit of such a program, but for the value 1. A file of one byte is none. */
void lab_limit_core(void)
{
    lab_limit_set(RLIMIT_CORE, 1);
}

bool lab_limit_rights(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

void lab_close_from(int first)
{
    for (long descriptor = first, end = sysconf(_SC_OPEN_MAX);
         descriptor < end && syscall(SYS_close_range, (unsigned)first, ~0U, 0) != 0; descriptor++)
        close((int)descriptor);
}
