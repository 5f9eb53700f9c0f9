#include "thread.h"

#include <signal.h>
#include <string.h>

bool lab_host_thread_start(pthread_t *thread, const char *name, const cpu_set_t *cores, void *(*body)(void *),
                           void *context, struct lab_error *error)
{
    static const int raised_by_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    sigset_t blocked, before;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof *cores, cores);
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof raised_by_faults / sizeof raised_by_faults[0]; i++)
        sigdelset(&blocked, raised_by_faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int failure = pthread_create(thread, &attributes, body, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failure != 0)
        return lab_error_set(error, LAB_ERROR_NO_THREAD, "", "the host runtime cannot start its thread %s: %s", name,
                             strerror(failure));
    pthread_setname_np(*thread, name);
    return true;
}
