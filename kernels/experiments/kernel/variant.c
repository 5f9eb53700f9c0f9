#include "variant.h"

#include "definition.h"

#include <string.h>

/* Whether the variant was compiled with the value that a point has on the axis of a macro. */
static bool has_value(const struct kernel_definition *definition, const struct lab_own_variant *variant,
                      const struct kernel_macro *macro, const struct lab_point *point)
{
    const json_t *value = json_object_get(variant->macros, macro->name);
    size_t axis = 0;
    while (strcmp(definition->axes[axis].name, macro->name) != 0)
        axis++;
    int64_t at = point->values[axis];
    return macro->choices != NULL ? json_is_string(value) && strcmp(json_string_value(value), macro->choices[at]) == 0
                                  : json_is_integer(value) && json_integer_value(value) == at;
}

const struct lab_own_variant *kernel_variant_at(struct lab_run *run, const struct lab_point *point)
{
    const struct kernel_definition *definition = kernel_definition_of(run->experiment);
    const struct lab_own_kernels *own = run->own_kernels;
    for (size_t i = 0; i < own->variant_count; i++) {
        bool found = true;
        for (size_t m = 0; m < definition->macro_count; m++)
            found = found && has_value(definition, &own->variants[i], &definition->macros[m], point);
        if (found)
            return &own->variants[i];
    }
    lab_error_set(&run->error, LAB_ERROR_INVALID_REQUEST, "/kernel/variants",
                  "no image was compiled with the macros of the point");
    return NULL;
}
