/* server/client/output/explanation.c: the text of an explanation. */
#include "client/output/explanation.h"
#include "support/test.h"

#include <stdlib.h>

/* An explanation with one row in each table, and a value that is not known. */
static const char explanation_text[] =
    "{\"title\":\"Bandwidth\",\"side\":null,\"axes\":{\"step\":\"naive\"},\"unit\":\"GB/s\",\"value\":500,"
    "\"limit\":{\"basis\":\"counters\",\"text\":\"The limit is device memory.\"},\"samples\":\"9 samples.\",\"conditions\":["
    "\"The cache was cold.\"],\"beside\":{\"text\":\"With step tiled it is twice as good.\",\"differences\":[{\"title\":"
    "\"Ways\",\"unit\":\"1\",\"value\":32,\"other\":1}]},\"predictions\":[{\"title\":\"Predicted time\",\"unit\":\"s\","
    "\"predicted\":0.001,\"counted\":null,\"measured\":0.002,\"text\":\"What was measured is 2 times that.\"}],"
    "\"devices\":[{\"name\":\"A GPU\",\"run\":\"r2\",\"value\":250,\"ratio\":2}],\"references\":[{\"system\":\"Another GPU\","
    "\"source\":\"A book\",\"value\":1000,\"ratio\":0.5}],\"counters\":[{\"title\":\"DRAM bytes read\",\"unit\":\"B\","
    "\"value\":1024,\"metric\":\"dram__bytes_read.sum\"}],\"more\":null}";

static void assert_printed(const char *explanation, const char *expected)
{
    json_t *document = json_loads(explanation, 0, NULL),
           *experiment = json_pack("{s:[{s:s, s:n}]}", "axes", "name", "step", "unit");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_non_null(document);
    lab_explanation_print(out, document, experiment);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    json_decref(experiment);
    json_decref(document);
}

TEST(each_part_of_an_explanation_is_a_table_with_its_heading)
{
    assert_printed(explanation_text,
                   "Bandwidth, step naive: 500.0 GB/s\n"
                   "\n"
                   "The limit is device memory.\n"
                   "\n"
                   "Samples: 9 samples.\n"
                   "The cache was cold.\n"
                   "\n"
                   "With step tiled it is twice as good.\n"
                   "\n"
                   "What differs there\n"
                   "       here  there\n"
                   "Ways  32.00  1.000\n"
                   "\n"
                   "Predicted and counted\n"
                   "                predicted  counted  measured  \n"
                   "Predicted time   1.000 ms           2.000 ms  What was measured is 2 times that.\n"
                   "\n"
                   "Other devices\n"
                   "            value  here / there  run\n"
                   "A GPU  250.0 GB/s         2.000  r2\n"
                   "\n"
                   "Published\n"
                   "                  value  here / there  source\n"
                   "Another GPU  1.000 TB/s        0.5000  A book\n"
                   "\n"
                   "Hardware counters of one repetition\n"
                   "                 value  metric of the device\n"
                   "DRAM bytes read  1 KiB  dram__bytes_read.sum\n");
}

TEST(parts_without_rows_are_left_out)
{
    assert_printed(
        "{\"title\":\"Time\",\"side\":\"head\",\"axes\":{},\"unit\":\"s\",\"value\":null,\"limit\":{\"basis\":"
        "\"not-measured\",\"text\":\"The point was not measured.\"},\"samples\":\"None.\",\"conditions\":[],"
        "\"beside\":null,\"predictions\":[],\"devices\":[],\"references\":[],\"counters\":null,"
        "\"more\":\"Counters would say more.\"}",
        "Time, side head: -\n"
        "\n"
        "The point was not measured.\n"
        "\n"
        "Samples: None.\n"
        "\n"
        "Counters would say more.\n");
}
