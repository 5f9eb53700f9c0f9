/* Reads a PTX text, whose parts that matter here are
 *
 *     .const .align 4 .b8 taps[20];
 *     .const .align 4 .b8 filled[8] = {0, 0, 128, 63, 0, 0, 0, 64};
 *     .visible .entry k(
 *         .param .u64 k_param_0
 *     )
 *     {
 *         mov.u32 %r3, %envreg2;
 *         ld.const.f32 %f1, [taps+4];
 *     }
 *
 * The synchronisation of a grid finds its counters by the registers %envreg1 and %envreg2, which nothing else reads.
 */
#include "ptx_facts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct span {
    const char *text;
    size_t length;
};

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Whether the span has the name as a whole word. */
static bool mentions(struct span span, struct span name)
{
    const char *at = span.text, *end = span.text + span.length;
    while ((at = memmem(at, (size_t)(end - at), name.text, name.length)) != NULL) {
        const char *after = at + name.length;
        if (!is_of_name(at[-1]) && (after == end || !is_of_name(*after)))
            return true;
        at = after;
    }
    return false;
}

/* The body of the kernel `name`; empty if there is none. */
static struct span body_of(const char *ptx, const char *name)
{
    char *entry = NULL;
    if (asprintf(&entry, ".entry %s(", name) < 0)
        return (struct span){ptx, 0};
    const char *at = strstr(ptx, entry), *begin = at != NULL ? strstr(at, "\n{") : NULL;
    const char *end = begin != NULL ? strstr(begin, "\n}") : NULL;
    free(entry);
    return end != NULL ? (struct span){begin, (size_t)(end - begin)} : (struct span){ptx, 0};
}

/* The next __constant__ variable without contents from *at on, which is moved behind it; length 0: there is none. */
static struct span next_empty_constant(const char **at)
{
    while ((*at = strstr(*at, ".const ")) != NULL) {
        size_t length = strcspn(*at, "=;");
        const char *end = *at + length, *bracket = memchr(*at, '[', length);
        const char *after = bracket != NULL ? bracket : end;
        while (after > *at && !is_of_name(after[-1]))
            after--;
        const char *begin = after;
        while (begin > *at && is_of_name(begin[-1]))
            begin--;
        *at = end;
        if (*end == ';')
            return (struct span){begin, (size_t)(after - begin)};
    }
    return (struct span){0};
}

static json_t *empty_constants(const char *ptx, struct span body)
{
    json_t *names = json_array();
    struct span name;
    for (const char *at = ptx; (name = next_empty_constant(&at)).length > 0;)
        if (body.length > 0 && mentions(body, name))
            json_array_append_new(names, json_stringn(name.text, name.length));
    return names;
}

void lab_ptx_facts(const char *ptx, json_t *kernels)
{
    static const char grid_register[] = "%envreg2";
    size_t index;
    json_t *kernel;
    json_array_foreach(kernels, index, kernel)
    {
        struct span body = body_of(ptx, json_string_value(json_object_get(kernel, "name")));
        bool sync = memmem(body.text, body.length, grid_register, sizeof grid_register - 1) != NULL;
        json_object_set_new(kernel, "grid_sync", json_boolean(sync));
        json_object_set_new(kernel, "constants", empty_constants(ptx, body));
    }
}
