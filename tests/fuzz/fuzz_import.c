/* Fuzzes POST /import: an input is its body, of an export and of each format. Checks that runs are stored whole or not
 * at all, that the answer tells the truth about the store, that the same body again changes nothing, and that every
 * error is a sentence in valid UTF-8.
 */
#include "api/exchange/import.h"
#include "api/exchange/import_file.h"
#include "core/clock.h"
#include "http/gunzip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64], path[96];
static struct lab_store *store;

/* Fails in every build, also without assert(). */
static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* --- the store ---------------------------------------------------------------------------------------------------- */

static void close_store(void)
{
    static const char *const ends[] = {"", "-wal", "-shm", ".lock", ".reserve"};
    char file[128];
    lab_store_close(store);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(file, sizeof file, "%s%s", path, ends[i]);
        unlink(file);
    }
    rmdir(folder);
}

/* Opens a store in memory where there is a file system for that. */
static void open_store(void)
{
    char message[256];
    snprintf(folder, sizeof folder, "%s/fuzz_import.XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    must(mkdtemp(folder) != NULL, "there is a folder for the store");
    snprintf(path, sizeof path, "%s/lab.db", folder);
    store = lab_store_open(path, message, sizeof message);
    must(store != NULL, "the store opens");
    atexit(close_store);
}

/* --- runs --------------------------------------------------------------------------------------------------------- */

enum { RUNS_MAX = 64 };

struct runs {
    size_t count;
    char ids[RUNS_MAX][LAB_RUN_ID_SIZE];
    int64_t measurement_counts[RUNS_MAX];
};

static void take_run(void *context, const struct lab_run_row *row)
{
    struct runs *runs = context;
    must(!lab_status_live(row->status), "an imported run has ended");
    snprintf(runs->ids[runs->count], LAB_RUN_ID_SIZE, "%s", row->id);
    runs->measurement_counts[runs->count++] = row->measurement_count;
}

/* What is stored, at most RUNS_MAX runs. */
static struct runs list_runs(void)
{
    struct runs runs = {0};
    bool more;
    const struct lab_run_filter filter = {.since = LAB_NO_TIME, .until = LAB_NO_TIME, .limit = RUNS_MAX};
    must(lab_store_list_runs(store, &filter, take_run, &runs, &more) == LAB_STORE_OK, "runs can be listed");
    return runs;
}

struct measured {
    const char *run;
    int64_t count;
    uint64_t digest; /* of positions and figures */
};

static void take_measurement(void *context, const struct lab_measurement_row *row)
{
    struct measured *measured = context;
    size_t total = 0;
    double first = 0;
    uint64_t bits;
    must(row->position == measured->count++, "positions have no gaps");
    must(row->n >= 0 && (row->sample_count == 0 || (int64_t)row->sample_count == row->n),
         "there are n samples, or none");
    must(!(row->q1 > row->median) && !(row->median > row->q3) && !(row->min > row->max), "figures are in order");
    must(row->n > 0 || row->median != row->median, "without samples there is no median");
    must(lab_store_read_samples(store, measured->run, row->position, 0, 1, &first, &total) == LAB_STORE_OK &&
             total == row->sample_count,
         "all samples are stored");
    memcpy(&bits, &row->median, sizeof bits);
    measured->digest = measured->digest * 31 + bits + row->sample_count;
}

/* Checks that all stored runs are whole. Returns a digest of them. */
static uint64_t check_runs(const struct runs *runs)
{
    uint64_t digest = runs->count;
    for (size_t i = 0; i < runs->count; i++) {
        struct measured measured = {.run = runs->ids[i]};
        must(lab_store_list_measurements(store, runs->ids[i], 0, SIZE_MAX, take_measurement, &measured) == LAB_STORE_OK,
             "measurements can be listed");
        must(measured.count == runs->measurement_counts[i], "a run has the measurements that it says");
        digest = digest * 31 + measured.digest;
    }
    return digest;
}

static void delete_runs(const struct runs *runs)
{
    static const bool no = false;
    const struct lab_run_patch unpin = {.pinned = &no};
    for (size_t i = 0; i < runs->count; i++)
        must(lab_store_patch_run(store, runs->ids[i], &unpin, NULL) == LAB_STORE_OK &&
                 lab_store_delete_run(store, runs->ids[i]) == LAB_STORE_OK,
             "a run can be deleted");
}

/* --- a body ------------------------------------------------------------------------------------------------------- */

static json_int_t number_of(const json_t *answer, const char *name)
{
    const json_t *value = json_object_get(answer, name);
    must(json_is_integer(value) && json_integer_value(value) >= 0, "the answer has its numbers");
    return json_integer_value(value);
}

/* The detail of an error. */
static void check_text(const char *text)
{
    json_t *copy = json_string(text);
    must(copy != NULL && text[0] != '\0', "an error has a detail in valid UTF-8");
    json_decref(copy);
}

static void check_errors(const json_t *errors)
{
    size_t index;
    json_t *each;
    must(json_is_array(errors), "the answer has errors");
    json_array_foreach(errors, index, each)
    {
        check_text(json_string_value(json_object_get(each, "detail")));
        must(json_integer_value(json_object_get(each, "line")) >= 1, "an error has a line");
    }
}

/* Imports the text as a file of a format, or of an export (NULL). A new reference; NULL: the file was refused. */
static json_t *import_text(FILE *text, const struct lab_error *unreadable, const struct lab_result_format *format)
{
    static const int64_t at = INT64_C(1700000000000000);
    const struct lab_import_origin origin = {.format = format, .at = at};
    struct lab_errors errors = {0};
    json_t *answer = NULL;
    enum lab_store_result result = format != NULL ? lab_import_file(store, text, unreadable, &origin, &answer, &errors)
                                                  : lab_import(store, text, unreadable, &answer);
    must(result == LAB_STORE_OK, "no body makes the store fail");
    must((answer == NULL) == (errors.count > 0), "a file is refused with errors, and only then");
    for (size_t i = 0; i < errors.count; i++)
        check_text(errors.items[i].detail);
    return answer;
}

/* Imports the body. A new reference; NULL as above. */
static json_t *import(const uint8_t *data, size_t size, const struct lab_result_format *format)
{
    static const struct lab_gunzip_limits limits = {.size_max = 1 << 20, .free_bytes = 1 << 16, .ratio_max = 250};
    struct lab_error unreadable = {0};
    FILE *body = fmemopen((void *)(uintptr_t)data, size, "r"), *text = body;
    must(body != NULL, "memory is sufficient");
    if (lab_is_gzip(body))
        text = lab_gunzip_open(body, &limits, &unreadable);
    json_t *answer = import_text(text, &unreadable, format);
    if (text != body)
        fclose(text);
    fclose(body);
    if (answer != NULL)
        check_errors(json_object_get(answer, "errors"));
    return answer;
}

static void check_import(const uint8_t *data, size_t size, const struct lab_result_format *format)
{
    json_t *answer = import(data, size, format);
    if (answer != NULL && number_of(answer, "imported") > 0) {
        struct runs runs = list_runs();
        must((json_int_t)runs.count == number_of(answer, "imported") || runs.count == RUNS_MAX,
             "what was imported is there");
        uint64_t digest = check_runs(&runs);
        json_t *again = import(data, size, format);
        must(number_of(again, "imported") == 0, "an import can be repeated");
        json_decref(again);
        struct runs same = list_runs();
        must(check_runs(&same) == digest, "an import that is repeated changes nothing");
        while (same.count > 0) {
            delete_runs(&same);
            same = list_runs();
        }
    }
    json_decref(answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (store == NULL)
        open_store();
    if (size == 0)
        return 0;
    check_import(data, size, NULL);
    for (const struct lab_result_format *format = lab_result_formats; format->name != NULL; format++)
        check_import(data, size, format);
    return 0;
}
