#include "core/cpu_list.h"

#include <stdlib.h>

bool lab_cpu_list_parse(const char *text, cpu_set_t *cpus)
{
    CPU_ZERO(cpus);
    for (const char *at = text; *at != '\0' && *at != '\n';) {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (end == at)
            return false;
        at = end;
        if (*at == '-') {
            last = strtoul(at + 1, &end, 10);
            if (end == at + 1 || last < first)
                return false;
            at = end;
        }
        for (unsigned long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
            CPU_SET(cpu, cpus);
        if (*at == ',')
            at++;
        else if (*at != '\0' && *at != '\n')
            return false;
    }
    return CPU_COUNT(cpus) > 0;
}
