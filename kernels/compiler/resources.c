/* Reads ptxas's report, for each kernel lines such as
 *
 *     ptxas info    : Compiling entry function 'k' for 'sm_90'
 *     ptxas info    : Function properties for k
 *     ptxas         .     256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
 *     ptxas info    : Used 72 registers, used 1 barriers, 256 bytes cumulative stack size, 4224 bytes smem
 *
 * and the parameters in the PTX.
 */
#include "resources.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number before `unit` in a line of `length` bytes; 0 if there is none. */
static long number_before(const char *line, size_t length, const char *unit)
{
    const char *at = memmem(line, length, unit, strlen(unit));
    const char *begin = at;
    while (begin != NULL && begin > line && isdigit((unsigned char)begin[-1]))
        begin--;
    return begin != NULL ? strtol(begin, NULL, 10) : 0;
}

/* The size of the parameter that is declared from `at` on, before `end`: ".param .u64 k_param_0" or ".param .align 4
 * .b8 k_param_1[12]". */
static long parameter_bytes(const char *at, const char *end)
{
    long count = 1, bits = 0;
    for (; at < end && *at != ','; at++) {
        if (*at == '[')
            count = strtol(at + 1, NULL, 10);
        else if (*at == '.' && strchr("bfus", at[1]) != NULL && isdigit((unsigned char)at[2]))
            bits = strtol(at + 2, NULL, 10);
    }
    return count * bits / 8;
}

/* The sizes of the parameters of the kernel `name`. */
static json_t *read_parameters(const char *ptx, const char *name)
{
    json_t *sizes = json_array();
    char *entry = NULL;
    if (asprintf(&entry, ".entry %s(", name) < 0)
        return sizes;
    const char *at = strstr(ptx, entry);
    const char *end = at != NULL ? strchr(at, ')') : NULL;
    while (end != NULL && (at = memmem(at, (size_t)(end - at), ".param ", 7)) != NULL) {
        at += 7;
        json_array_append_new(sizes, json_integer(parameter_bytes(at, end)));
    }
    free(entry);
    return sizes;
}

/* The kernel whose report begins in this line; NULL if none does. */
static json_t *read_beginning(const char *line, size_t length, const char *ptx)
{
    static const char words[] = "Compiling entry function '";
    const char *name = memmem(line, length, words, sizeof words - 1);
    if (name == NULL)
        return NULL;
    name += sizeof words - 1;
    json_t *kernel = json_pack("{s:s%}", "name", name, strcspn(name, "'\n"));
    json_object_set_new(kernel, "parameters", read_parameters(ptx, json_string_value(json_object_get(kernel, "name"))));
    return kernel;
}

/* Whether "Function properties for" in this line is about another function than `kernel`, which the kernel calls. */
static bool is_of_other_function(const char *line, size_t length, const json_t *kernel)
{
    static const char words[] = "Function properties for ";
    const char *name = memmem(line, length, words, sizeof words - 1);
    size_t name_length = name != NULL ? (size_t)(line + length - name) - (sizeof words - 1) : 0;
    const json_t *own = json_object_get(kernel, "name");
    return name != NULL && (name_length != json_string_length(own) ||
                            memcmp(name + sizeof words - 1, json_string_value(own), name_length) != 0);
}

static void read_line(const char *line, size_t length, json_t *kernel)
{
    if (memmem(line, length, " bytes stack frame", 18) != NULL) {
        json_object_set_new(kernel, "local_bytes", json_integer(number_before(line, length, " bytes stack frame")));
        json_object_set_new(kernel, "spill_bytes", json_integer(number_before(line, length, " bytes spill stores")));
    } else if (memmem(line, length, " registers", 10) != NULL) {
        long stack = number_before(line, length, " bytes cumulative stack size");
        json_object_set_new(kernel, "registers", json_integer(number_before(line, length, " registers")));
        json_object_set_new(kernel, "shared_bytes", json_integer(number_before(line, length, " bytes smem")));
        if (stack > 0) /* with the functions that it calls */
            json_object_set_new(kernel, "local_bytes", json_integer(stack));
    }
}

json_t *lab_kernel_resources(const char *log, const char *ptx)
{
    json_t *kernels = json_array(), *kernel = NULL;
    bool skipping = false; /* the lines of another function */
    for (size_t length; *log != '\0'; log += length + (log[length] == '\n')) {
        length = strcspn(log, "\n");
        if (strncmp(log, "ptxas ", 6) != 0 && log[0] != ' ')
            continue;
        json_t *next = read_beginning(log, length, ptx);
        if (next != NULL) {
            kernel = next;
            json_array_append_new(kernels, kernel);
        }
        if (memmem(log, length, "Function properties for ", 24) != NULL)
            skipping = is_of_other_function(log, length, kernel);
        else if (kernel != NULL && (!skipping || memmem(log, length, " registers", 10) != NULL))
            read_line(log, length, kernel);
    }
    return kernels;
}
