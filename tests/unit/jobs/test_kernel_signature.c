/* server/jobs/kernel_signature.c: arguments that do not fit the parameters of a compiled kernel are refused. */
#include "jobs/kernel_signature.h"
#include "support/test.h"

#include <string.h>

/* An argument of each letter: b buffer, s scalar, v variable, t texture, f surface, T table. */
static json_t *arguments_of(const char *letters)
{
    static const char *const kinds[] = {
        ['b'] = "buffer", ['s'] = "scalar", ['v'] = "variable", ['t'] = "texture", ['f'] = "surface", ['T'] = "table"};
    json_t *arguments = json_array();
    for (; *letters != '\0'; letters++)
        json_array_append_new(arguments,
                              json_pack("{s:s%, s:s}", "name", letters, (size_t)1, "kind", kinds[(size_t)*letters]));
    return arguments;
}

TEST(arguments_are_compared_with_the_parameters)
{
    static const struct {
        const char *signature, *arguments, *detail;
    } examples[] = {
        {"k()", "", NULL},
        {"k()", "v", NULL},
        {"k", "bTt", NULL},
        {NULL, "b", NULL},
        {"axpy(int, float, float const*, float*)", "ssbb", NULL},
        {"void k<4, std::pair<int, int> >(std::pair<int, int>*, (anonymous namespace)::p)", "bs", NULL},
        {"gemm(float const* const*, float**, int)", "TTs", NULL},
        {"gemm(float const* const*, float**, int)", "Tbs",
         "Argument 2 of gemm(float const* const*, float**, int), 'b', must be a table of buffers, because the parameter is a "
         "pointer to pointers (float**)."},
        {"k(std::tuple<int**>*)", "T",
         "Argument 1 of k(std::tuple<int**>*), 'T', must be no table, because the parameter is no pointer to pointers "
         "(std::tuple<int**>*)."},
        {"k(unsigned long long, unsigned long long)", "tf", NULL},
        {"k(unsigned long long, float*)", "st",
         "Argument 2 of k(unsigned long long, float*), 't', must be no texture or surface, because the parameter is no "
         "cudaTextureObject_t or cudaSurfaceObject_t (float*)."},
        {"k(int, float*)", "sbb", "The kernel k(int, float*) has 2 parameters; 3 arguments are given."},
        {"k(int, float*)", "", "The kernel k(int, float*) has 2 parameters; 0 arguments are given."},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char detail[512] = "";
        json_t *arguments = arguments_of(examples[i].arguments);
        bool good = lab_kernel_signature_check(examples[i].signature, arguments, detail, sizeof detail);
        assert_int_equal(good, examples[i].detail == NULL);
        assert_string_equal(detail, examples[i].detail != NULL ? examples[i].detail : "");
        json_decref(arguments);
    }
}
