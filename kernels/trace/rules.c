#include "trace/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool lab_finding_write(struct lab_finding *finding, double concerned_ns, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
    finding->concerned_ns = concerned_ns;
    return true;
}

bool lab_finding_add(struct lab_finding *finding, const char *format, ...)
{
    size_t length = strlen(finding->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text + length, sizeof finding->text - length, format, arguments);
    va_end(arguments);
    return true;
}
