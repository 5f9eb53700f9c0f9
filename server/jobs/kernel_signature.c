#include "kernel_signature.h"

#include "core/text.h"

#include <stdio.h>
#include <string.h>

/* A parameter's type within a signature. */
struct parameter {
    const char *type;
    size_t length;
};

enum { LAB_PARAMETERS_MAX = 64 };

/* The bracket with which the parameters begin; NULL: the signature does not have them. */
static const char *parameters_begin(const char *signature)
{
    const char *at = signature + strlen(signature);
    int depth = 0;
    if (at == signature || at[-1] != ')')
        return NULL;
    do {
        at--;
        depth += (*at == ')') - (*at == '(');
    } while (depth > 0 && at > signature);
    return depth == 0 ? at : NULL;
}

/* Splits "(float*, std::pair<int, int>)" at the commas between parameters, and returns their number. */
static size_t split(const char *begin, struct parameter parameters[LAB_PARAMETERS_MAX])
{
    int depth = 0;
    size_t count = 0;
    const char *from = begin + 1;
    for (const char *at = from; *at != '\0' && count < LAB_PARAMETERS_MAX; at++) {
        bool ends = (at[1] == '\0' || (*at == ',' && depth == 0)) && at > from;
        if (ends) {
            parameters[count++] = (struct parameter){from, (size_t)(at - from)};
            from = at + 2;
        }
        depth += (*at == '(' || *at == '<') - (*at == ')' || *at == '>');
    }
    return count;
}

/* How often a type is a pointer, outside of the arguments of templates. */
static size_t pointers_of(const struct parameter *parameter)
{
    int depth = 0;
    size_t stars = 0;
    for (size_t i = 0; i < parameter->length; i++) {
        depth += (parameter->type[i] == '<') - (parameter->type[i] == '>');
        stars += depth == 0 && parameter->type[i] == '*';
    }
    return stars;
}

static bool is_kind(const json_t *argument, const char *kind)
{
    const char *own = json_string_value(json_object_get(argument, "kind"));
    return own != NULL && strcmp(own, kind) == 0;
}

/* What an argument must be for the parameter; NULL: what it is. */
static const char *wanted(const json_t *argument, const struct parameter *parameter)
{
    static const char handle[] = "unsigned long long"; /* of which CUDA's headers make the handles */
    size_t stars = pointers_of(parameter);
    if (is_kind(argument, "table"))
        return stars >= 2 ? NULL : "no table, because the parameter is no pointer to pointers";
    if (is_kind(argument, "buffer"))
        return stars < 2 ? NULL : "a table of buffers, because the parameter is a pointer to pointers";
    if ((is_kind(argument, "texture") || is_kind(argument, "surface")) &&
        (parameter->length != strlen(handle) || strncmp(parameter->type, handle, parameter->length) != 0))
        return "no texture or surface, because the parameter is no cudaTextureObject_t or cudaSurfaceObject_t";
    return NULL;
}

bool lab_kernel_signature_check(const char *signature, const json_t *arguments, char *detail, size_t size)
{
    struct parameter parameters[LAB_PARAMETERS_MAX];
    const char *begin = signature != NULL ? parameters_begin(signature) : NULL, *must;
    size_t count = begin != NULL ? split(begin, parameters) : 0, index, given = 0;
    json_t *argument;
    if (begin == NULL)
        return true;
    json_array_foreach(arguments, index, argument)
    {
        if (is_kind(argument, "variable"))
            continue;
        if (given < count && (must = wanted(argument, &parameters[given])) != NULL) {
            snprintf(detail, size, "Argument %zu of %.120s, '%.32s', must be %s (%.*s).", given + 1, signature,
                     json_string_value(json_object_get(argument, "name")), must,
                     (int)(parameters[given].length < 80 ? parameters[given].length : 80), parameters[given].type);
            lab_utf8_drop_invalid(detail);
            return false;
        }
        given++;
    }
    if (given == count)
        return true;
    snprintf(detail, size, "The kernel %.160s has %zu parameters; %zu arguments are given.", signature, count, given);
    lab_utf8_drop_invalid(detail);
    return false;
}
