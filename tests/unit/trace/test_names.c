/* Short names of kernels and calls. */
#include "support/test.h"
#include "trace/names.h"

TEST(names_of_kernels_lack_type_and_parameters)
{
    static const char *const names[][2] = {
        {"scale(float*, int)", "scale"},
        {"void ns::scale<float, (ns::mode)1>(float*, int)", "ns::scale<float, (ns::mode)1>"},
        {"void (anonymous namespace)::k(int)", "(anonymous namespace)::k"},
        {"std::pair<int, int> f<A<B> >(void (*)(int))", "f<A<B> >"},
        {"_Z5scalePfi", "_Z5scalePfi"},
        {"plain", "plain"},
        {"", "kernel"},
        {")", ")"},
        {"a)", "a)"},
        {"()", "()"},
        {"<< >> ", "<< >> "},
    };
    char name[LAB_TRACE_NAME_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lab_trace_kernel_name(names[i][0], name);
        assert_string_equal(name, names[i][1]);
    }
}

TEST(names_of_calls_lack_the_version)
{
    static const char *const names[][2] = {
        {"cudaMemcpyAsync_v3020", "cudaMemcpyAsync"},
        {"cudaLaunchKernel_ptsz_v7000", "cudaLaunchKernel_ptsz"},
        {"cuInit", "cuInit"},
        {"cuEventRecord_v2", "cuEventRecord"},
        {"_v3", "_v3"},
        {"7", "7"},
        {"", "call"},
        {"cuda_v", "cuda_v"},
    };
    char name[LAB_TRACE_NAME_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lab_trace_call_name(names[i][0], name);
        assert_string_equal(name, names[i][1]);
    }
}
