/* The sizes of the products: all combinations of the lists m, n and k, in which 0 stands for each size of the sweep. */
#include "matmul.h"

#include "descriptor/parameters.h"
#include "descriptor/points.h"

bool matmul_has_sweep(const struct lab_parameters *given)
{
    return lab_parameter_has(given, "m", 0) || lab_parameter_has(given, "n", 0) || lab_parameter_has(given, "k", 0);
}

const char *matmul_largest_size(const struct lab_parameters *given)
{
    static const char *const names[] = {"m", "n", "k"}, *const pointers[] = {"/parameters/m", "/parameters/n",
                                                                             "/parameters/k"};
    int64_t largest = matmul_has_sweep(given) ? lab_parameter_integer(given, "max_size") : 0;
    const char *pointer = "/parameters/max_size";
    for (size_t i = 0; i < 3; i++) {
        const struct lab_values *list = lab_parameter_values(given, names[i]);
        for (size_t v = 0; v < list->count; v++)
            if (list->items[v].integer > largest) {
                largest = list->items[v].integer;
                pointer = pointers[i];
            }
    }
    return pointer;
}

/* Adds the values of a list; 0 stands for `size` or, if that is 0, for all sizes of the sweep. */
static void add_list(const struct lab_points_request *request, const char *name, int64_t size,
                     struct lab_axis_values *values)
{
    const struct lab_values *list = lab_parameter_values(request->parameters, name);
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].integer > 0)
            lab_axis_values_add(values, list->items[i].integer);
        else if (size > 0)
            lab_axis_values_add(values, size);
        else
            lab_axis_values_add_sizes(values, request, "size");
}

void matmul_list_m(const struct lab_points_request *request, const struct lab_point *point,
                   struct lab_axis_values *values)
{
    (void)point;
    add_list(request, "m", 0, values);
}

/* A value of m that is not in its list is a size of the sweep, and then n and k are of the same size. */
static int64_t size_of(const struct lab_points_request *request, const char *name, int64_t value)
{
    return lab_parameter_has(request->parameters, name, value) ? 0 : value;
}

void matmul_list_n(const struct lab_points_request *request, const struct lab_point *point,
                   struct lab_axis_values *values)
{
    add_list(request, "n", size_of(request, "m", point->values[MATMUL_M]), values);
}

void matmul_list_k(const struct lab_points_request *request, const struct lab_point *point,
                   struct lab_axis_values *values)
{
    int64_t size = size_of(request, "m", point->values[MATMUL_M]);
    add_list(request, "k", size > 0 ? size : size_of(request, "n", point->values[MATMUL_N]), values);
}

int64_t matmul_same_size(const struct lab_point *point, int64_t value)
{
    (void)point;
    return value;
}
