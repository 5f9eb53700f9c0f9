/* The limits of a compilation, and the order in which the protections are switched on. */
#include "protection.h"

#include "sandbox/landlock.h"
#include "sandbox/limits.h"
#include "sandbox/system_calls.h"

#include <sys/resource.h>
#include <unistd.h>

bool lab_protection_limit(const struct lab_protection_limits *limits)
{
    lab_limit_processor(limits->processor_s);
    lab_limit_set(RLIMIT_AS, (uint64_t)limits->memory_mib << 20);
    lab_limit_set(RLIMIT_STACK, (uint64_t)LAB_PROTECTION_STACK_MIB << 20);
    lab_limit_set(RLIMIT_FSIZE, (uint64_t)LAB_PROTECTION_OUTPUT_MIB << 20);
    lab_limit_core();
    return lab_limit_rights();
}

bool lab_protection_enter(const struct lab_protection_limits *limits, int kept, struct lab_protection *protection)
{
    if (!lab_protection_limit(limits))
        return false;
    protection->files = lab_landlock_restrict(NULL, 0, LAB_LANDLOCK_NO_TCP);
    if (kept >= 0)
        dup2(kept, LAB_PROTECTION_KEPT);
    lab_close_from(LAB_PROTECTION_KEPT + (kept >= 0));
    protection->system_calls = lab_system_calls_allow_few();
    return protection->system_calls || protection->files;
}
