#include "findings.h"

#include "core/finding_groups.h"
#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The version of CUDA as packages are called, "13-0": of the one that gpulab was built with, else the newest. */
static void write_version(const struct doctor *doctor, char version[16])
{
    int major = 13, minor = 0;
    sscanf(doctor->options->cuda, "%d.%d", &major, &minor);
    snprintf(version, 16, "%d-%d", major, minor);
}

/* The name of a package, whose "@" is replaced; null for NULL. */
static json_t *package(const struct doctor *doctor, const char *name)
{
    char version[16];
    const char *at = name != NULL ? strchr(name, '@') : NULL;
    write_version(doctor, version);
    if (at != NULL)
        return json_sprintf("%.*s%s%s", (int)(at - name), name, version, at + 1);
    return name != NULL ? json_string(name) : json_null();
}

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static void add(struct doctor *doctor, const struct doctor_check *check, const char *group, bool blocks,
                const char *remedy, const char *format, va_list arguments)
{
    char text[DOCTOR_TEXT_MAX];
    vsnprintf(text, sizeof text, format, arguments);
    lab_utf8_replace_invalid(text);
    bool packaged = check->debian != NULL && strcmp(group, LAB_FINDING_MISSING) == 0;
    json_t *packages = packaged ? json_pack("{s:o, s:o}", "debian", package(doctor, check->debian), "rhel",
                                            package(doctor, check->rhel))
                                : json_null();
    json_array_append_new(doctor->findings, json_pack("{s:s, s:s, s:s, s:b, s:s, s:o, s:o, s:o}", "name", check->name,
                                                      "title", check->title, "group", group, "blocks", blocks, "text",
                                                      text, "enables", text_or_null(check->enables), "packages",
                                                      packages, "remedy", text_or_null(remedy)));
}

void doctor_works(struct doctor *doctor, const struct doctor_check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(doctor, check, LAB_FINDING_WORKS, false, NULL, format, arguments);
    va_end(arguments);
}

void doctor_missing(struct doctor *doctor, const struct doctor_check *check, const char *remedy, const char *format,
                    ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(doctor, check, LAB_FINDING_MISSING, false, remedy, format, arguments);
    va_end(arguments);
}

void doctor_blocks(struct doctor *doctor, const struct doctor_check *check, const char *remedy, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(doctor, check, LAB_FINDING_MISSING, true, remedy, format, arguments);
    va_end(arguments);
}

void doctor_disturbs(struct doctor *doctor, const struct doctor_check *check, const char *remedy, const char *format,
                     ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(doctor, check, LAB_FINDING_DISTURBS, false, remedy, format, arguments);
    va_end(arguments);
}
