/* kernels/experiments/kernel/outputs.c, judge.c: outputs of an own kernel that are judged by what another process
 * computes. The kernels are C functions; those that cheat do on the host what a kernel would do on a GPU. */
#include "experiments/kernel/definition.h"
#include "experiments/kernel/outputs.h"

#include "support/benchmark_harness.h"

#include <sys/stat.h>
#include <unistd.h>

/* Samples of a point; before them there are a launch that warms up and one that calibrates, and after them the last
 * one. */
enum { SAMPLES = 12, FIRST_SAMPLE = 3, LAST_LAUNCH = FIRST_SAMPLE + SAMPLES };
#define PARAMETERS "{\"min_samples\": 12, \"max_samples\": 12, \"settle_s\": 0, \"time_budget_s\": 600}"

/* --- kernels: y = 2 x --------------------------------------------------------------------------------------------- */

static size_t launches;     /* of the kernel so far */
static float kept[1 << 14]; /* where a cheat remembers what it has computed */

/* The arguments of a launch, all of which its first part executes. */
struct doubling {
    const float *x;
    float *y;
    uint64_t n;
};

/* Counts a launch. False in the parts that do nothing. */
static bool begins(const struct lab_host_part *part, const struct lab_argument *arguments, struct doubling *d)
{
    *d = (struct doubling){arguments[0].pointer, arguments[1].pointer, arguments[2].u32};
    launches += part->index == 0;
    return part->index == 0;
}

static void compute(const struct doubling *d, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        d->y[i] = 2 * d->x[i];
}

static void right(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    struct doubling d;
    if (begins(part, arguments, &d))
        compute(&d, 0, d.n);
}

/* Works until its speed is measured. */
static void until_measured(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    struct doubling d;
    if (begins(part, arguments, &d) && (launches < FIRST_SAMPLE || launches >= LAST_LAUNCH))
        compute(&d, 0, d.n);
}

/* Works in every other sample, which the median does not show. */
static void every_other(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    struct doubling d;
    if (begins(part, arguments, &d) && (launches % 2 == 0 || launches >= LAST_LAUNCH))
        compute(&d, 0, d.n);
}

/* Computes once and then copies, as if the inputs were the same. */
static void remembers(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    struct doubling d;
    if (!begins(part, arguments, &d))
        return;
    if (launches == 1) {
        compute(&d, 0, d.n);
        memcpy(kept, d.y, d.n * sizeof *kept);
    }
    memcpy(d.y, kept, d.n * sizeof *kept);
}

/* Leaves what an earlier launch has written. */
static void only_first(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    struct doubling d;
    if (begins(part, arguments, &d) && launches == 1)
        compute(&d, 0, d.n);
}

/* Leaves half of its work to be done when its time has been taken: it does it when it is launched again. */
static void works_later(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    static float half[1 << 13];
    struct doubling d;
    if (!begins(part, arguments, &d))
        return;
    memcpy(d.y + d.n / 2, half, d.n / 2 * sizeof *half);
    compute(&d, 0, d.n / 2);
    for (uint64_t i = 0; i < d.n / 2; i++)
        half[i] = 2 * d.x[d.n / 2 + i];
}

/* Omits the last element. */
static void skips_the_last(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    struct doubling d;
    if (begins(part, arguments, &d))
        compute(&d, 0, d.n - 1);
}

static const struct lab_host_kernel kernels[] = {{"right", right},
                                                 {"until_measured", until_measured},
                                                 {"every_other", every_other},
                                                 {"remembers", remembers},
                                                 {"only_first", only_first},
                                                 {"works_later", works_later},
                                                 {"skips_the_last", skips_the_last},
                                                 {NULL, NULL}};

static const struct lab_image image = {.name = "the source", .host = kernels};

/* --- both processes ----------------------------------------------------------------------------------------------- */

#define KERNEL(sizes, reference)                                                                                       \
    "{\"secret\": true, \"grid\": 1, \"block\": 1, \"arguments\": ["                                                   \
    "{\"name\": \"x\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": \"n\"},"                                   \
    "{\"name\": \"y\", \"kind\": \"buffer\", \"type\": \"fp32\", \"count\": \"n\", \"direction\": \"out\"},"           \
    "{\"name\": \"n\", \"kind\": \"scalar\", \"type\": \"i32\", \"value\": " sizes "}]" reference "}"
#define REFERENCE ", \"reference\": {\"grid\": 1, \"block\": 1}"

static char path[64];

static void setup_file(void)
{
    snprintf(path, sizeof path, "/tmp/gpulab_judge_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

/* Runs the kernel with the file: alone, or the reference alone. */
static void run_side(struct lab_device *device, const char *text, struct lab_own_variant variant, bool judges,
                     struct results *results)
{
    struct lab_errors errors = {0};
    json_t *kernel = json_loads(text, 0, NULL);
    const struct lab_experiment *experiment = kernel_define(kernel, &errors);
    assert_non_null(experiment);
    const struct lab_own_kernels own = {.step = "", .variant_count = 1, .variants = &variant};
    run_as((struct lab_run){.experiment = experiment, .own_kernels = &own, .outputs = path, .judges = judges}, device,
           PARAMETERS, results);
    kernel_undefine(experiment);
    json_decref(kernel);
}

static void run_submission(struct lab_device *device, const char *entry, struct results *results)
{
    launches = 0;
    run_side(device, KERNEL("10001", ""), (struct lab_own_variant){.own = {image, entry}}, false, results);
}

static void judge(struct lab_device *device, struct results *results)
{
    run_side(device, KERNEL("10001", REFERENCE), (struct lab_own_variant){.reference = {image, "right"}}, true,
             results);
}

/* The wrong elements that the verdict finds of a kernel. */
static long judge_kernel(struct lab_device *device, const char *entry, struct results *results)
{
    setup_file();
    run_submission(device, entry, results);
    if (!results->good)
        fail_msg("%s", results->error.detail);
    assert_int_equal(launches, LAST_LAUNCH);
    assert_int_equal(results->items[0].summary.n, SAMPLES);
    assert_string_equal(results->items[0].cache, "cold");
    assert_false(results->items[0].verified_known);
    judge(device, results);
    if (!results->good)
        fail_msg("%s", results->error.detail);
    assert_int_equal(results->count, 0);
    unlink(path);
    static const char words[] = "{\"n\":10001} ";
    assert_memory_equal(results->verdicts, words, strlen(words));
    return strtol(results->verdicts + strlen(words), NULL, 10);
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

DEVICE_TEST(a_right_kernel_is_judged_right)
{
    struct results results;
    assert_int_equal(judge_kernel(device, "right", &results), 0);
    assert_string_equal(results.first_wrong, "");
}

DEVICE_TEST(kernels_that_do_not_work_in_every_sample_are_wrong)
{
    static const char *const entries[] = {"until_measured", "every_other", "remembers", "only_first", "works_later"};
    struct results results;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (judge_kernel(device, entries[i], &results) < KERNEL_PIECES)
            fail_msg("%s: %s", entries[i], results.verdicts);
}

DEVICE_TEST(one_wrong_element_is_found_and_shown)
{
    struct results results;
    assert_int_equal(judge_kernel(device, "skips_the_last", &results), 1);
    static const char words[] = "n 10001: element 10000 of y is the first that differs from the reference: ";
    assert_memory_equal(results.first_wrong, words, strlen(words));
}

DEVICE_TEST(without_all_outputs_there_is_no_verdict)
{
    struct results results;
    struct stat file;
    setup_file();
    run_submission(device, "right", &results);
    assert_int_equal(stat(path, &file), 0);
    const off_t cut[] = {file.st_size - 1, file.st_size - 10001 * 4, 10};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        assert_int_equal(truncate(path, cut[i]), 0);
        judge(device, &results);
        assert_false(results.good);
        assert_string_equal(results.error.detail, "The file of the outputs is not complete.");
        assert_string_equal(results.verdicts, "");
    }
    unlink(path);
    judge(device, &results);
    assert_string_equal(results.error.detail, "The file of the outputs cannot be opened: No such file or directory.");
}

DEVICE_TEST(outputs_that_cannot_be_written_end_the_run)
{
    struct results results;
    snprintf(path, sizeof path, "/dev/full");
    run_submission(device, "right", &results);
    assert_false(results.good);
    assert_string_equal(results.error.detail, "The outputs cannot be written to their file: No space left on device.");
}

DEVICE_TEST(inputs_are_new_for_every_launch_and_run)
{
    struct results results;
    struct kernel_record records[2][SAMPLES + 1];
    for (size_t run = 0; run < 2; run++) {
        setup_file();
        run_submission(device, "right", &results);
        FILE *file = fopen(path, "rb");
        for (size_t i = 0; i <= SAMPLES; i++) {
            assert_int_equal(fread(&records[run][i], sizeof **records, 1, file), 1);
            assert_int_equal(fseek(file, (long)records[run][i].bytes, SEEK_CUR), 0);
        }
        assert_int_equal(fgetc(file), EOF);
        fclose(file);
        unlink(path);
    }
    const struct kernel_record *all = records[0];
    for (size_t i = 0; i < 2 * (SAMPLES + 1); i++) {
        assert_int_equal(all[i].places == 0, i % (SAMPLES + 1) == SAMPLES);
        for (size_t k = 0; k < i; k++)
            assert_true(all[i].seed != all[k].seed && (all[i].places != all[k].places || all[i].places == 0));
    }
}

TEST(pieces_are_within_the_output)
{
    struct lab_errors errors = {0};
    json_t *kernel = json_loads(KERNEL("[3, 64, 65, 1000]", ""), 0, NULL);
    const struct lab_experiment *experiment = kernel_define(kernel, &errors);
    const struct kernel_definition *definition = kernel_definition_of(experiment);
    static const uint64_t counts[] = {3, 64, 65, 1000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        bool differ = false;
        struct kernel_record record = {.point = {{(int64_t)counts[c]}}, .places = 7};
        for (size_t i = 0; i < KERNEL_PIECES; i++) {
            struct kernel_piece piece = kernel_piece_of(&record, &definition->arguments[1], 1, i);
            assert_int_equal(piece.count, counts[c] < 64 ? counts[c] : 64);
            assert_true(piece.first + piece.count <= counts[c]);
            differ = differ || piece.first > 0;
        }
        assert_int_equal(differ, counts[c] > 64);
        record.places = 0;
        assert_int_equal(kernel_record_bytes(definition, &record), 4 * counts[c]);
    }
    kernel_undefine(experiment);
    json_decref(kernel);
}

/* The first words of Random123's known answers for philox4x32-10 with counter and key 0. */
TEST(secret_elements_are_those_of_philox)
{
    assert_true(kernel_secret(KERNEL_U64, 0, 0) == UINT64_C(0xe169c58d6627e8d5));
    assert_true(kernel_secret(KERNEL_U32, 1, 0) != kernel_secret(KERNEL_U32, 0, 1));
    assert_true(kernel_value_of(KERNEL_FP32, kernel_secret(KERNEL_FP32, 0, 0)) == (double)0x6627e8 / 0x1000000);
}
