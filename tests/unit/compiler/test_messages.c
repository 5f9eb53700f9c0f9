/* kernels/compiler/messages.c and resources.c: what is read from the logs of NVRTC and ptxas, of CUDA 12 and 13. */
#include "compiler/messages.h"
#include "compiler/resources.h"
#include "core/compiler_log.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

/* Checks a list against its JSON text. */
static void check(json_t *list, const char *expected)
{
    json_error_t error;
    json_t *wanted = json_loads(expected, 0, &error);
    char *text = json_dumps(list, JSON_COMPACT | JSON_SORT_KEYS),
         *wanted_text = json_dumps(wanted, JSON_COMPACT | JSON_SORT_KEYS);
    assert_non_null(wanted);
    assert_string_equal(text, wanted_text);
    free(text);
    free(wanted_text);
    json_decref(list);
    json_decref(wanted);
}

TEST(a_message_has_a_place_and_a_column_in_characters)
{
    check(
        lab_messages(
            "k.cu(3): error: identifier \"z\" is undefined\n  /* \xc3\xa9 */ int a = z;\n                    ^\n\n"
            "1 error detected in the compilation of \"k.cu\".\n",
            "k.cu", NULL),
        "[{\"severity\":\"error\",\"file\":\"k.cu\",\"line\":3,\"column\":18,\"text\":\"identifier \\\"z\\\" is undefined\"}]");
    check(lab_messages("k.cu(1): warning #177-D: unused\n  \tint a;\n  \t    ^\n", "k.cu", NULL),
          "[{\"severity\":\"warning\",\"file\":\"k.cu\",\"line\":1,\"column\":6,\"text\":\"unused\"}]");
}

TEST(a_message_can_have_several_lines)
{
    check(lab_messages("k.cu(2): error: no instance matches\n            argument types are: (int)\n  f(1);\n  ^\n"
                       "          detected during instantiation of k\n\n",
                       "k.cu", NULL),
          "[{\"severity\":\"error\",\"file\":\"k.cu\",\"line\":2,\"column\":1,"
          "\"text\":\"no instance matches\\n            argument types are: (int)\"}]");
}

TEST(errors_come_before_warnings)
{
    check(lab_messages("k.cu(1): warning: first\nk.cu(2): catastrophic error: second\n"
                       "At end of source: error: third\nk.cu(1): note #3196-D: fourth\n",
                       "k.cu", NULL),
          "[{\"severity\":\"error\",\"file\":\"k.cu\",\"line\":2,\"text\":\"second\"},"
          "{\"severity\":\"error\",\"text\":\"third\"},"
          "{\"severity\":\"warning\",\"file\":\"k.cu\",\"line\":1,\"text\":\"first\"},"
          "{\"severity\":\"note\",\"file\":\"k.cu\",\"line\":1,\"text\":\"fourth\"}]");
}

TEST(warnings_about_headers_are_left_out)
{
    check(lab_messages("h.h(1): warning: of a header\nh.h(2): error: an error\nk.cu(3): warning: of the source\n",
                       "k.cu", NULL),
          "[{\"severity\":\"error\",\"file\":\"h.h\",\"line\":2,\"text\":\"an error\"},"
          "{\"severity\":\"warning\",\"file\":\"k.cu\",\"line\":3,\"text\":\"of the source\"}]");
}

TEST(messages_of_the_assembler_have_no_place)
{
    check(lab_messages("ptxas error   : Entry function 'k' uses too much shared data\n"
                       "ptxas application ptx input, line 23; fatal   : Parsing error near '.incbin': syntax error\n"
                       "ptxas info    : 0 bytes gmem\nptxas warning : Value of threads per SM is out of range\n",
                       "k.cu", NULL),
          "[{\"severity\":\"error\",\"text\":\"Entry function 'k' uses too much shared data\"},"
          "{\"severity\":\"error\",\"text\":\"Parsing error near '.incbin': syntax error\"},"
          "{\"severity\":\"warning\",\"text\":\"Value of threads per SM is out of range\"}]");
}

TEST(lists_and_texts_are_bounded)
{
    static const char line[] = "k.cu(1): error: again\n";
    char *log = calloc(1000, sizeof line), *at = log;
    for (int i = 0; i < 1000; i++)
        at = stpcpy(at, line);
    json_t *list = lab_messages(log, "k.cu", NULL);
    assert_int_equal(json_array_size(list), LAB_MESSAGES_MAX);
    json_decref(list);
    memset(log, 'x', 10000);
    memcpy(log, "k.cu(1): error: ", 16);
    for (size_t i = 16; i + 1 < 10000; i += 2)
        memcpy(log + i, "\xc3\xa9", 2);
    log[10000] = '\0';
    list = lab_messages(log, "k.cu", NULL);
    assert_int_equal(json_string_length(json_object_get(json_array_get(list, 0), "text")), LAB_MESSAGE_BYTES_MAX);
    json_decref(list);
    free(log);
}

TEST(other_lines_are_no_messages)
{
    check(lab_messages("", "k.cu", NULL), "[]");
    check(lab_messages("k.cu(x): error: no\nk.cu(0): error: no\nk.cu(1): hello: no\n): \n(1): \nptxas ;\nerror\n^\n  ^",
                       "k.cu", NULL),
          "[]");
}

TEST(resources_of_each_kernel_are_read)
{
    check(
        lab_kernel_resources(
            "ptxas info    : 0 bytes gmem\n"
            "ptxas info    : Compiling entry function '_Z1bPf' for 'sm_90'\n"
            "ptxas info    : Function properties for _Z1bPf\n"
            "ptxas         .     256 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
            "ptxas info    : Used 72 registers, used 0 barriers, 264 bytes cumulative stack size\n"
            "ptxas info    : Function properties for helper\n"
            "ptxas         .     64 bytes stack frame, 1 bytes spill stores, 1 bytes spill loads\n"
            "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
            "ptxas info    : Function properties for a\n"
            "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
            "ptxas info    : Used 10 registers, used 1 barriers, 4224 bytes smem, 360 bytes cmem[0]\n",
            ".visible .entry a(\n\t.param .u64 .ptr .global .align 1 a_param_0,\n\t.param .align 4 .b8 a_param_1[12]\n)\n"
            "{\n\tld.param.u64 %rd1, [a_param_0];\n}\n.visible .entry _Z1bPf()\n{\n.param .u64 x\n}\n"),
        "[{\"name\":\"_Z1bPf\",\"registers\":72,\"shared_bytes\":0,\"local_bytes\":264,\"spill_bytes\":8,\"parameters\":[]},"
        "{\"name\":\"a\",\"registers\":10,\"shared_bytes\":4224,\"local_bytes\":0,\"spill_bytes\":0,\"parameters\":[8,12]}]");
}

TEST(a_log_without_kernels_has_no_resources)
{
    check(lab_kernel_resources("ptxas info    : Function properties for f\n    8 bytes stack frame\n", ""), "[]");
}
