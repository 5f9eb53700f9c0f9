/* Limits, Landlock, and the order in which the protections are switched on. */
#include "sandbox.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void limit(int resource, rlim_t value)
{
    struct rlimit both;
    if (getrlimit((__rlimit_resource_t)resource, &both) != 0)
        return;
    if (value < both.rlim_max)
        both.rlim_max = value;
    both.rlim_cur = both.rlim_max;
    setrlimit((__rlimit_resource_t)resource, &both);
}

bool lab_sandbox_limit(const struct lab_sandbox_limits *limits)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    rlim_t used_s = (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
    /* SIGXCPU at the soft limit, SIGKILL at the hard one. */
    struct rlimit processor = {used_s + limits->processor_s, used_s + limits->processor_s + 1};
    setrlimit(RLIMIT_CPU, &processor);
    limit(RLIMIT_AS, (rlim_t)limits->memory_mib << 20);
    limit(RLIMIT_STACK, (rlim_t)LAB_SANDBOX_STACK_MIB << 20);
    limit(RLIMIT_FSIZE, (rlim_t)LAB_SANDBOX_OUTPUT_MIB << 20);
    limit(RLIMIT_CORE, 0);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/* Adds a rule to a ruleset of Landlock: the file, or those below the folder, can be read and executed. */
static void allow_reading(int ruleset, const char *path)
{
    enum { EXECUTE = 1 << 0, READ_FILE = 1 << 2, RULE_PATH_BENEATH = 1 };
    struct __attribute__((packed)) {
        uint64_t rights;
        int32_t descriptor;
    } rule = {EXECUTE | READ_FILE, open(path, O_PATH | O_CLOEXEC)};
    if (rule.descriptor < 0)
        return;
    syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
    close(rule.descriptor);
}

/* What a ruleset of Landlock handles is forbidden unless a rule allows it. The constants are not taken from the kernel's
 * header, because that of the build machine may be older than the kernel. */
bool lab_sandbox_forbid_files(const char *const readable[], size_t count)
{
    struct {
        uint64_t files, network, scopes;
    } ruleset = {0};
    static const struct {
        unsigned files, network, scopes; /* numbers of rights that each version of the interface knows */
    } rights[] = {{0, 0, 0}, {13, 0, 0}, {14, 0, 0}, {15, 0, 0}, {15, 2, 0}, {16, 2, 0}, {16, 2, 2}};
    enum { NEWEST = sizeof rights / sizeof *rights - 1, ASK_VERSION = 1 };
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
    if (version < 1)
        return false;
    version = version < NEWEST ? version : NEWEST;
    ruleset.files = (UINT64_C(1) << rights[version].files) - 1;
    ruleset.network = (UINT64_C(1) << rights[version].network) - 1;
    ruleset.scopes = (UINT64_C(1) << rights[version].scopes) - 1;
    /* An older kernel accepts a longer structure whose unknown members are 0. */
    int descriptor = (int)syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0);
    for (size_t i = 0; i < count; i++)
        allow_reading(descriptor, readable[i]);
    return descriptor >= 0 && syscall(SYS_landlock_restrict_self, descriptor, 0) == 0;
}

void lab_close_from(int first)
{
    for (long descriptor = first, end = sysconf(_SC_OPEN_MAX);
         descriptor < end && syscall(SYS_close_range, (unsigned)first, ~0U, 0) != 0; descriptor++)
        close((int)descriptor);
}

bool lab_sandbox_enter(const struct lab_sandbox_limits *limits, int kept, struct lab_sandbox *sandbox)
{
    if (!lab_sandbox_limit(limits))
        return false;
    sandbox->files = lab_sandbox_forbid_files(NULL, 0);
    if (kept >= 0)
        dup2(kept, LAB_SANDBOX_KEPT);
    lab_close_from(LAB_SANDBOX_KEPT + (kept >= 0));
    sandbox->system_calls = lab_system_calls_filter();
    return sandbox->system_calls || sandbox->files;
}
