/* Every route of the server except the files of static/: how it is checked, who may call it, and how the OpenAPI
 * document describes it. API.md explains them. */
#include "resources.h"
#include "runs/fields.h"
#include "runs/query.h"

#include "descriptor/build_options.h"
#include "descriptor/own_kernel.h"
#include "descriptor/results.h"

/* --- the fields of queries and bodies ----------------------------------------------------------------------------- */

#define SAMPLES                                                                                                        \
    {                                                                                                                  \
        .name = "samples", .type = LAB_TYPE_BOOLEAN, .fallback = "false",                                              \
        .text = "Whether the samples of each measurement are included."                                                \
    }
static const struct lab_schema samples_query[] = {SAMPLES, {0}};
static const struct lab_schema timeline_query[] = {
    {.name = "position",
     .type = LAB_TYPE_INTEGER,
     .maximum = LAB_SPANS_MAX,
     .text = "Returns only the span with this number in the list, counted from 0, or none."},
    {0},
};
static const struct lab_schema measurements_query[] = {
    SAMPLES,
    {.name = "position",
     .type = LAB_TYPE_INTEGER,
     .maximum = LAB_MEASUREMENTS_MAX,
     .text = "Returns only the measurement with this number in the list, counted from 0, or none."},
    {0},
};

/* The server itself reads this parameter (http.h). */
static const struct lab_schema wait_query[] = {
    {.name = "wait",
     .type = LAB_TYPE_INTEGER,
     .maximum = 60,
     .fallback = "0",
     .text = "Seconds that the answer may be held back until all of it has ended; 0: answers at once."},
    {0},
};

static const struct lab_schema new_run_query[] = {
    {.name = "dry_run",
     .type = LAB_TYPE_BOOLEAN,
     .fallback = "false",
     .text = "Whether the request is only checked, and the answer says what the run would take."},
    {0},
};

static const char *const backends[] = {"cuda", "host", NULL};
static const struct lab_schema source_query[] = {
    {.name = "backend",
     .type = LAB_TYPE_CHOICE,
     .choices = backends,
     .text = "The runtime whose code is returned; by default that of the step's first source."},
    {0},
};

static const struct lab_schema experiments_query[] = {
    {.name = "q",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 64,
     .text = "Only those that mention every word of this text, case ignored."},
    {0},
};

static const struct lab_schema references_query[] = {
    {.name = "experiment",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 64,
     .text = "References of this experiment; by default of all."},
    {0},
};

static const struct lab_schema events_query[] = {
    {.name = "run",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 64,
     .text = "Only events about the run with this id."},
    {0},
};

#define NAME(name_, what_) .name = (name_), .type = LAB_TYPE_STRING, .minimum = 1, .maximum = 128, .text = (what_)

static const struct lab_schema compare_query[] = {
    {NAME("base",
          "The id of a run, or `pinned`: the newest pinned run with the head's experiment, device model and points.")},
    {NAME("head", "The id of the run that is compared with the base.")},
    {NAME("run", "The id of a run with `compare_with`, whose two sides are compared; then without `base` and `head`.")},
    {.name = "minimum_effect",
     .type = LAB_TYPE_NUMBER,
     .minimum = 0,
     .maximum = 1,
     .fallback = "0.01",
     .text = "A relative difference that is smaller counts as the same."},
    {0},
};

static const struct lab_schema series_query[] = {
    {NAME("experiment", "The name of an experiment."), .required = true},
    {NAME("metric", "One of its metrics."), .required = true},
    {.name = "axes",
     .type = LAB_TYPE_STRING,
     .required = true,
     .minimum = 2,
     .maximum = 4096,
     .text = "The point: a JSON object with a value for each of its axes."},
    {NAME("device", "Runs on the device with this id or name; by default those on the model of the newest run.")},
    {.name = "limit",
     .type = LAB_TYPE_INTEGER,
     .minimum = 1,
     .maximum = 1000,
     .fallback = "200",
     .text = "Runs of a page."},
    {NAME("before", "Only runs older than the one with this id: `next` of the page before.")},
    {.name = "since", .type = LAB_TYPE_TIME, .text = "Only runs created at this time or later."},
    {.name = "until", .type = LAB_TYPE_TIME, .text = "Only runs created before this time."},
    {0},
};

static const struct lab_schema chart_query[] = {
    {NAME("view",
          "The name of a line chart or a bar chart of the experiment, or of a metric; by default the first chart, or "
          "the metric of the first result.")},
    {0},
};

static const struct lab_schema import_query[] = {
    {NAME("format",
          "The format of another tool's result file, such as `google-benchmark`: the file becomes a run. By "
          "default the runs of an export, or of a document.")},
    {NAME("host", "The machine on which it was measured; by default the one that the file names.")},
    {NAME("device", "The device on which it was measured; by default those that the file names.")},
    {.name = "at",
     .type = LAB_TYPE_TIME,
     .text = "When it was measured; by default the date of the file, or where it has none the time of the import."},
    {0},
};

static const struct lab_schema measured_query[] = {
    {NAME("experiment", "The name of an experiment."), .required = true},
    {NAME("device", "Values on this device model; by default the GPU with the most runs of the experiment.")},
    {0},
};

static const struct lab_schema points_query[] = {
    {NAME("experiment", "The name of an experiment."), .required = true},
    {NAME("metric", "Points of this metric.")},
    {NAME("device", "Points that were measured on this device model.")},
    {.name = "limit",
     .type = LAB_TYPE_INTEGER,
     .minimum = 1,
     .maximum = 1000,
     .fallback = "200",
     .text = "How many points are listed."},
    {0},
};

static const struct lab_schema queue_body[] = {
    {.name = "paused", .type = LAB_TYPE_BOOLEAN, .required = true, .text = "Whether the queue starts no runs."},
    {0},
};

static const struct lab_schema new_run_headers[] = {
    {.name = "Idempotency-Key",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 255,
     .text = "A repeated request with this key and an equal body returns the run that the first one created."},
    {0},
};

static const struct lab_schema compile_body[] = {
    {.name = "source",
     .type = LAB_TYPE_STRING,
     .required = true,
     .maximum = 262144,
     .text = "CUDA C++ of at most 256 KiB: kernels, and no host code."},
    {.name = "architecture",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 16,
     .text = "The architecture to compile for, such as sm_90; GET /api/v1/compiler lists them."},
    {.name = "device",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 64,
     .text = "The id of a device for which it is compiled, instead of `architecture`."},
    {.name = "entry",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 1024,
     .text = "The kernel that is to be launched: of a template, its instance is compiled, such as scale<4>."},
    {.name = "edits",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 129,
     .text = "EXPERIMENT/STEP, of whose source this is an edited text; it is compiled as a part of its file."},
    {.name = "name",
     .type = LAB_TYPE_STRING,
     .minimum = 1,
     .maximum = 64,
     .text = "The file name of the source in messages; by default kernel.cu."},
    {.name = "options",
     .type = LAB_TYPE_OBJECT,
     .members = lab_compile_option_members,
     .text = "Options of the compiler. Of a macro with a list of values the first is compiled."},
    {.name = "files",
     .type = LAB_TYPE_OBJECT,
     .open = true,
     .text = "Texts that the source can include, by their names."},
    {0},
};

static const struct lab_schema change_headers[] = {
    {.name = "If-Match",
     .type = LAB_TYPE_STRING,
     .required = true,
     .minimum = 1,
     .maximum = 255,
     .text = "The run's `revision` in quotes, or * for any."},
    {0},
};

static const struct lab_schema token_body[] = {
    {.name = "name",
     .type = LAB_TYPE_STRING,
     .required = true,
     .minimum = 1,
     .maximum = LAB_PERSON_MAX,
     .text = "Who gets the token: letters, digits and the characters . _ @ + -"},
    {.name = "role",
     .type = LAB_TYPE_CHOICE,
     .required = true,
     .choices = lab_role_names + LAB_ROLE_PARTICIPANT,
     .text = "What its holder may do; each role from viewer on includes those before it."},
    {0},
};

static const struct lab_schema session_body[] = {
    {.name = "token",
     .type = LAB_TYPE_STRING,
     .required = true,
     .minimum = 1,
     .maximum = 256,
     .text = "The secret of a token."},
    {0},
};

#define COMMENT_TEXT                                                                                                   \
    {                                                                                                                  \
        .name = "text", .type = LAB_TYPE_STRING, .required = true, .minimum = 1, .maximum = 4096,                      \
        .text = "The text, with at least one character that is not a blank."                                           \
    }
static const struct lab_schema comment_body[] = {COMMENT_TEXT, {0}};
static const struct lab_schema mark_body[] = {
    COMMENT_TEXT,
    {.name = "at", .type = LAB_TYPE_TIME, .text = "When it happened, at most a day in the future; by default now."},
    {NAME("node", "The name of the machine that it is about; by default it is about all.")},
    {0},
};
static const struct lab_schema marks_query[] = {
    {.name = "since", .type = LAB_TYPE_TIME, .text = "Only marks at this time or later."},
    {.name = "until", .type = LAB_TYPE_TIME, .text = "Only marks before this time."},
    {0},
};

static const struct lab_schema challenge_change_body[] = {
    {.name = "closes_at",
     .type = LAB_TYPE_TIME,
     .required = true,
     .text = "When submissions end and become visible to all, at most 366 days in the future."},
    {0},
};

static const struct lab_schema ranking_query[] = {
    {NAME("device", "A device model; by default the one with the most submissions.")},
    {0},
};

static const struct lab_schema doctor_query[] = {
    {NAME("node", "The node whose machine is examined; by default that of the lab.")},
    {0},
};

/* --- answers and problems ----------------------------------------------------------------------------------------- */

#define NO_RUN LAB_ERROR_NOT_FOUND, "There is no run with this id."
#define OF_ANOTHER LAB_ERROR_RUN_OF_ANOTHER, "Another person requested it."
#define NO_SWEEP LAB_ERROR_NOT_FOUND, "There is no sweep with this id."
#define QUEUE_FULL LAB_ERROR_QUEUE_FULL, "The queue is full, or has as many whole programs as the lab takes."
#define NOT_READY LAB_ERROR_NOT_READY, "No worker has listed the devices yet."
#define NO_EXPERIMENT LAB_ERROR_NOT_FOUND, "There is no experiment of this name."
#define NO_COMPILER LAB_ERROR_NO_COMPILER, "This lab has no NVRTC, or cannot protect itself from what it compiles."
#define COMPILER_FAILED LAB_ERROR_COMPILER_FAILED, "The compiler ended without an answer."
#define RUN_IN_PROGRESS LAB_ERROR_RUN_IN_PROGRESS, "A run is being measured, and did not end within 5 s."
#define TOO_MANY_COMMENTS LAB_ERROR_TOO_MANY_COMMENTS, "There are 1000 already."
#define NO_CHALLENGE LAB_ERROR_NOT_FOUND, "There is no challenge of this name, or it has not begun."
#define WRITTEN_BY_ANOTHER LAB_ERROR_RUN_OF_ANOTHER, "Another person wrote it."
#define NO_CHANNEL LAB_ERROR_NOT_FOUND, "There is no channel with this id."
#define NO_PLACE_TO_WAIT LAB_ERROR_TOO_MANY_STREAMS, "Too many event streams are open, or requests wait."
#define STORE LAB_ERROR_STORE_UNAVAILABLE, "The database cannot be read or written now."

#define EXPORT                                                                                                                                     \
    "A line of type run, then its lines of type measurement, samples, span, field and comment, and after the last run marks and one of type end. " \
    "With the format csv: text/csv, a row for each measurement."

/* --- the routes --------------------------------------------------------------------------------------------------- */

const struct lab_route lab_api_routes[] = {
    {"GET", "/api/v1/devices", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_list_devices, .participants = true,
     .summary = "Lists the devices.", .answers = {{200, "Devices"}}},
    {"GET", "/api/v1/devices/{id}", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_device, .participants = true,
     .summary = "Returns a device.", .answers = {{200, "Device"}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no device with this id."}}},
    {"GET", "/api/v1/devices/{id}/card.svg", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_card,
     .summary = "Returns the summary of a device as a picture.", .answers = {{200, .content_type = "image/svg+xml"}},
     .problems = {{LAB_ERROR_NOT_FOUND, "Neither the lab nor a run of it has a device with this id."}, {STORE}}},
    {"GET", "/api/v1/recorded-devices", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_list_recorded_devices,
     .summary = "Lists the devices that runs had.", .answers = {{200, "RecordedDevices"}}, .problems = {{STORE}}},
    {"GET", "/api/v1/nodes", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_list_nodes,
     .summary = "Lists the machines on which runs are executed.", .answers = {{200, "Nodes"}}},
    {"GET", "/api/v1/nodes/{name}", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_get_node, .summary = "Returns a node.",
     .answers = {{200, "Node"}}, .problems = {{LAB_ERROR_NOT_FOUND, "There is no node of this name."}}},
    {"GET", "/api/v1/nodes/{name}/commands", LAB_ROUTE_READS, LAB_ROLE_OPERATOR, lab_api_list_commands,
     .summary = "Lists the commands that a node offers to programs.", .answers = {{200, "Commands"}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no node of this name."}}},
    {"GET", "/api/v1/doctor", LAB_ROUTE_WRITES, LAB_ROLE_VIEWER, lab_api_get_doctor,
     .summary = "Examines a machine: what works, what is missing, what disturbs measurements.", .query = doctor_query,
     .answers = {{200, "Examination"}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no node of this name."},
                  {LAB_ERROR_RUN_IN_PROGRESS, "A run is being measured there, and did not end within 20 s."},
                  {LAB_ERROR_NOT_EXAMINED,
                   "The machine cannot be reached, no worker can be started there, or it was not examined in time."}}},
    {"GET", "/api/v1/experiments", LAB_ROUTE_INLINE, LAB_ROLE_ANONYMOUS, lab_api_list_experiments,
     .cache_tag = lab_tag_of_build, .participants = true, .summary = "Lists the experiments.",
     .query = experiments_query, .answers = {{200, "Experiments"}}},
    {"GET", "/api/v1/experiments/{name}", LAB_ROUTE_INLINE, LAB_ROLE_ANONYMOUS, lab_api_get_experiment,
     .cache_tag = lab_tag_of_build, .participants = true, .summary = "Returns an experiment.",
     .answers = {{200, "Experiment"}}, .problems = {{NO_EXPERIMENT}}},
    {"GET", "/api/v1/experiments/{name}/sources/{step}", LAB_ROUTE_INLINE, LAB_ROLE_ANONYMOUS, lab_api_get_source,
     .cache_tag = lab_tag_of_build, .participants = true, .summary = "Returns the source code of a step.",
     .query = source_query, .answers = {{200, .content_type = "text/plain; charset=utf-8"}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no such experiment, step, or source for the backend."}}},
    {"GET", "/api/v1/programs", LAB_ROUTE_INLINE, LAB_ROLE_ANONYMOUS, lab_api_list_programs,
     .cache_tag = lab_tag_of_build, .participants = true, .summary = "Lists whole programs to open, run and change.",
     .answers = {{200, "SamplePrograms"}}},
    {"GET", "/api/v1/guide", LAB_ROUTE_INLINE, LAB_ROLE_ANONYMOUS, lab_api_get_guide, .cache_tag = lab_tag_of_build,
     .participants = true, .summary = "Returns pages about CUDA, the terms of the field, and published devices.",
     .answers = {{200, "Guide"}}},

    {"GET", "/api/v1/compiler", LAB_ROUTE_COMPILES, LAB_ROLE_VIEWER, lab_api_get_compiler, .participants = true,
     .summary = "Returns what kernels can be compiled for.", .answers = {{200, "Compiler"}},
     .problems = {{NO_COMPILER}, {COMPILER_FAILED}, {RUN_IN_PROGRESS}}},
    {"POST", "/api/v1/compile", LAB_ROUTE_COMPILES, LAB_ROLE_OPERATOR, lab_api_compile, .participants = true,
     .summary = "Compiles a source and runs nothing.", .body = compile_body,
     .answers = {{200, "Compilation", "The source was compiled, or rejected with messages."}},
     .problems = {{NO_COMPILER}, {COMPILER_FAILED}, {RUN_IN_PROGRESS}}},

    {"POST", "/api/v1/runs", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_create_run, .participants = true,
     .summary = "Creates and queues a run.", .query = new_run_query, .headers = new_run_headers,
     .body = lab_new_run_fields, .add_errors = lab_api_add_run_errors,
     .answers = {{202, "Run", "The run was stored and queued; Location has its path."},
                 {200, "Plan", "With dry_run: what the run would take. Nothing was stored."}},
     .problems = {{LAB_ERROR_IDEMPOTENCY_KEY_REUSED, "The Idempotency-Key was used with another body."},
                  {QUEUE_FULL},
                  {NOT_READY},
                  {STORE}}},
    {"GET", "/api/v1/runs", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_list_runs, .cache_tag = lab_tag_of_state,
     .participants = true, .summary = "Lists the runs, newest first, in pages.", .query = lab_run_query_fields,
     .answers = {{200, "Runs"}},
     .problems = {{LAB_ERROR_BAD_CURSOR, "The cursor cannot be read, or belongs to other filters."}, {STORE}}},
    {"GET", "/api/v1/runs/{id}", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_run, .cache_tag = lab_tag_of_state,
     .participants = true, .summary = "Returns a run with its environment and measurements.", .query = wait_query,
     .answers = {{200, "Run"}}, .problems = {{NO_RUN}, {NO_PLACE_TO_WAIT}, {STORE}}},
    {"DELETE", "/api/v1/runs/{id}", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_delete_run,
     .summary = "Removes a run and its results.", .answers = {{.status = 204}},
     .problems = {{NO_RUN},
                  {OF_ANOTHER},
                  {LAB_ERROR_RUN_IS_LIVE, "The run is queued or running."},
                  {LAB_ERROR_RUN_IS_PINNED, "The run is pinned."},
                  {STORE}}},
    {"PATCH", "/api/v1/runs/{id}", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_change_run,
     .summary = "Changes tags, note, pinned and public of a run.", .headers = change_headers,
     .body = lab_run_change_fields, .answers = {{200, "Run"}},
     .problems = {{NO_RUN},
                  {OF_ANOTHER},
                  {LAB_ERROR_RUN_IS_LIVE, "A run that is queued or running cannot be pinned."},
                  {LAB_ERROR_REVISION_MISMATCH, "If-Match does not have the run's revision."},
                  {LAB_ERROR_PRECONDITION_REQUIRED, "If-Match is missing."},
                  {STORE}}},
    {"POST", "/api/v1/runs/{id}/repeat", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_repeat_run, .participants = true,
     .summary = "Creates a run with the same experiment, devices, parameters and tags.", .headers = new_run_headers,
     .body = lab_repeat_fields, .answers = {{202, "Run", "The run was stored and queued; Location has its path."}},
     .problems = {{NO_RUN},
                  {LAB_ERROR_IDEMPOTENCY_KEY_REUSED, "The Idempotency-Key was used with another body."},
                  {LAB_ERROR_SUBMISSIONS_ARE_SECRET, "It is a submission to a challenge that has not ended."},
                  {LAB_ERROR_QUEUE_FULL, "The queue is full."},
                  {STORE}}},
    {"POST", "/api/v1/runs/{id}/cancel", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_cancel_run, .participants = true,
     .summary = "Cancels a queued or running run.",
     .answers = {{202, "Run", "The run is being cancelled."}, {200, "Run", "The run was cancelled before."}},
     .problems = {{NO_RUN}, {OF_ANOTHER}, {LAB_ERROR_RUN_IS_FINISHED, "The run has finished."}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/experiment", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_run_experiment,
     .cache_tag = lab_tag_of_store, .participants = true, .summary = "Returns the experiment of a run.",
     .answers = {{200, "Experiment"}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no run with this id, or the lab does not have its experiment."},
                  {STORE}}},
    {"GET", "/api/v1/runs/{id}/measurements", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_measurements,
     .participants = true, .summary = "Lists the measurements of a run.", .query = measurements_query,
     .answers = {{200, "Measurements"}}, .problems = {{NO_RUN}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/points/{position}/explanation", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS,
     lab_api_get_explanation, .cache_tag = lab_tag_of_state, .participants = true,
     .summary = "Explains the point of a measurement, given by its position in the list of measurements.",
     .answers = {{200, "Explanation"}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no run with this id, or no measurement at this position."}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/measurements.csv", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_measurements_csv,
     .participants = true, .summary = "Lists the measurements of a run as CSV.", .query = samples_query,
     .answers = {{200, .content_type = "text/csv; charset=utf-8; header=present"}}, .problems = {{NO_RUN}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/chart.svg", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_chart, .participants = true,
     .summary = "Returns a chart of a run as a picture.", .query = chart_query,
     .answers = {{200, .content_type = "image/svg+xml"}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no run with this id, or it has no results for this view."}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/points.csv", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_points_csv,
     .participants = true,
     .summary = "Returns the medians of a run as CSV: a row for each point, a column for each metric.",
     .answers = {{200, .content_type = "text/csv; charset=utf-8; header=present"}}, .problems = {{NO_RUN}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/bencher.json", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_get_bencher,
     .participants = true, .summary = "Returns the results of a run in the Bencher Metric Format.",
     .answers = {{200, "BencherMetrics"}}, .problems = {{NO_RUN}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/google-benchmark.json", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_get_google_benchmark,
     .participants = true, .summary = "Returns the results of a run as Google Benchmark writes them.",
     .answers = {{200, "GoogleBenchmark"}}, .problems = {{NO_RUN}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/timeline", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_timeline,
     .participants = true, .summary = "Lists the spans of a run's timeline.", .query = timeline_query,
     .answers = {{200, "Timeline"}}, .problems = {{NO_RUN}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/timeline/columns", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_timeline_columns,
     .participants = true, .summary = "Returns the spans of a run's timeline as columns, without details.",
     .answers = {{200, "TimelineColumns"}}, .problems = {{NO_RUN}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/timeline.trace.json", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_timeline_trace,
     .participants = true, .summary = "Returns a run's timeline in the Trace Event format.",
     .answers = {{200, "Trace"}}, .problems = {{NO_RUN}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/fields", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_fields, .participants = true,
     .summary = "Lists the fields of a run: values on rectangles.", .answers = {{200, "Fields"}},
     .problems = {{NO_RUN}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/fields/{name}", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_field,
     .participants = true,
     .summary = "Returns the first field of this name, such as a saved output of an own kernel, as a file of NumPy.",
     .answers = {{200, .content_type = "application/octet-stream"}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no run with this id, or it has no field of this name."}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/normal", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_normal,
     .cache_tag = lab_tag_of_store,
     .summary = "Compares the headlines of a run with earlier runs and published results.",
     .answers = {{200, "Normal"}}, .problems = {{NO_RUN}, {STORE}}},
    {"GET", "/api/v1/runs/{id}/health", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_get_health,
     .cache_tag = lab_tag_of_state, .summary = "Judges the devices of a run of the experiment health.",
     .answers = {{200, "MachineHealth"}}, .problems = {{NO_RUN}, {STORE}}},

    {"GET", "/api/v1/runs/{id}/comments", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_list_comments, .participants = true,
     .summary = "Lists the comments on a run.", .answers = {{200, "Comments"}}, .problems = {{NO_RUN}, {STORE}}},
    {"POST", "/api/v1/runs/{id}/comments", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_add_comment,
     .summary = "Adds a comment on a run.", .body = comment_body,
     .answers = {{201, "Comment", "It was added; Location has its path."}},
     .problems = {{NO_RUN}, {TOO_MANY_COMMENTS}, {STORE}}},
    {"DELETE", "/api/v1/runs/{id}/comments/{comment}", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_delete_comment,
     .summary = "Deletes a comment on a run.", .answers = {{.status = 204}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no such comment on this run."}, {WRITTEN_BY_ANOTHER}, {STORE}}},
    {"GET", "/api/v1/marks", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_list_marks,
     .summary = "Lists what happened to the machines, as people have noted.", .query = marks_query,
     .answers = {{200, "Marks"}}, .problems = {{STORE}}},
    {"POST", "/api/v1/marks", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_add_comment,
     .summary = "Marks a time at which something happened.", .body = mark_body,
     .answers = {{201, "Mark", "It was added; Location has its path."}}, .problems = {{TOO_MANY_COMMENTS}, {STORE}}},
    {"DELETE", "/api/v1/marks/{mark}", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_delete_comment,
     .summary = "Deletes a mark.", .answers = {{.status = 204}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no such mark."}, {WRITTEN_BY_ANOTHER}, {STORE}}},

    {"GET", "/api/v1/compare", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_compare, .cache_tag = lab_tag_of_store,
     .participants = true, .summary = "Compares two runs, or the two sides of a run, point by point.",
     .query = compare_query, .answers = {{200, "Comparison"}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no run with one of the ids, or no pinned run to compare with."},
                  {STORE}}},
    {"GET", "/api/v1/series", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_get_series, .cache_tag = lab_tag_of_store,
     .summary = "Returns what runs have measured at a point, newest first, with lasting shifts.", .query = series_query,
     .answers = {{200, "Series"}}, .problems = {{LAB_ERROR_NOT_FOUND, "No run has measured this point."}, {STORE}}},
    {"GET", "/api/v1/series/points", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_list_series_points,
     .cache_tag = lab_tag_of_store, .summary = "Lists the points that have a series.", .query = points_query,
     .answers = {{200, "SeriesPoints"}}, .problems = {{STORE}}},

    {"POST", "/api/v1/sweeps", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_create_sweep,
     .summary = "Creates and queues the runs of a sweep.", .query = new_run_query, .body = lab_new_sweep_fields,
     .answers = {{202, "Sweep", "The runs were stored and queued; Location has the sweep's path."},
                 {200, "SweepPlan", "With dry_run: what the runs would take together. Nothing was stored."}},
     .problems = {{QUEUE_FULL}, {NOT_READY}, {STORE}}},
    {"GET", "/api/v1/sweeps/{id}", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_get_sweep, .cache_tag = lab_tag_of_state,
     .summary = "Returns a sweep.", .query = wait_query, .answers = {{200, "Sweep"}},
     .problems = {{NO_SWEEP}, {NO_PLACE_TO_WAIT}, {STORE}}},
    {"POST", "/api/v1/sweeps/{id}/cancel", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_cancel_sweep,
     .summary = "Cancels the queued and running runs of a sweep.", .answers = {{202, "Sweep"}},
     .problems = {{NO_SWEEP}, {OF_ANOTHER}, {STORE}}},

    {"GET", "/api/v1/export", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_export, .participants = true,
     .summary = "Returns runs with their results, oldest first, as JSON lines or CSV.",
     .query = lab_export_query_fields, .answers = {{200, .content_type = "application/x-ndjson", .sentence = EXPORT}},
     .problems = {{STORE}}},
    {"POST", "/api/v1/import", LAB_ROUTE_WRITES, LAB_ROLE_ADMIN, lab_api_import,
     .summary =
         "Adds the runs and marks of an export, the run of a document, or the run of another tool's result file; runs that the "
         "lab has are skipped, or get samples.",
     .query = import_query, .body = lab_raw_body, .body_type = "application/x-ndjson", .body_max = LAB_IMPORT_MAX,
     .body_gzip = true, .answers = {{200, "Import"}}, .problems = {{STORE}}},
    {"GET", "/api/v1/backup", LAB_ROUTE_READS, LAB_ROLE_ADMIN, lab_api_get_backup,
     .summary = "Returns a copy of the database as an SQLite file.",
     .answers = {{200, .content_type = "application/vnd.sqlite3"}}, .problems = {{STORE}}},

    {"GET", "/api/v1/references", LAB_ROUTE_INLINE, LAB_ROLE_ANONYMOUS, lab_api_list_references,
     .cache_tag = lab_tag_of_build, .participants = true, .summary = "Lists published results.",
     .query = references_query, .answers = {{200, "References"}}},
    {"GET", "/api/v1/references/measured", LAB_ROUTE_READS, LAB_ROLE_ANONYMOUS, lab_api_list_measured,
     .cache_tag = lab_tag_of_store, .summary = "Lists the published results of an experiment beside those of this lab.",
     .query = measured_query, .answers = {{200, "MeasuredReferences"}}, .problems = {{STORE}}},
    {"GET", "/api/v1/queue", LAB_ROUTE_INLINE, LAB_ROLE_VIEWER, lab_api_get_queue, .participants = true,
     .summary = "Returns the state of the queue.", .answers = {{200, "Queue"}}},
    {"PUT", "/api/v1/queue", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_put_queue,
     .summary = "Pauses or resumes the queue.", .body = queue_body, .answers = {{200, "Queue"}}, .problems = {{STORE}}},
    {"GET", "/api/v1/events", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_stream_events, .participants = true,
     .summary = "Streams server-sent events.", .query = events_query,
     .answers = {{200, "Event", .content_type = "text/event-stream"}},
     .problems = {{LAB_ERROR_TOO_MANY_STREAMS, "Too many event streams are open."}}},

    {"GET", "/api/v1/tokens", LAB_ROUTE_INLINE, LAB_ROLE_ADMIN, lab_api_list_tokens, .summary = "Lists the tokens.",
     .answers = {{200, "Tokens"}}},
    {"POST", "/api/v1/tokens", LAB_ROUTE_WRITES, LAB_ROLE_ADMIN, lab_api_create_token, .summary = "Adds a token.",
     .body = token_body,
     .answers = {{201, "NewToken", "Its secret is in this answer and nowhere else; Location has its path."}},
     .problems = {{LAB_ERROR_NAME_IN_USE, "An active token has this name."},
                  {LAB_ERROR_TOO_MANY_TOKENS, "There are 256 tokens."},
                  {LAB_ERROR_NO_RANDOMNESS, "The system has no randomness for a secret."},
                  {STORE}}},
    {"DELETE", "/api/v1/tokens/{id}", LAB_ROUTE_WRITES, LAB_ROLE_ADMIN, lab_api_delete_token,
     .summary = "Revokes a token and ends its sessions.", .answers = {{.status = 204}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no token with this id."}, {STORE}}},

    {"GET", "/api/v1/challenges", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_list_challenges, .participants = true,
     .summary = "Lists the challenges.", .answers = {{200, "Challenges"}}, .problems = {{STORE}}},
    {"GET", "/api/v1/ready-challenges", LAB_ROUTE_INLINE, LAB_ROLE_ADMIN, lab_api_list_ready_challenges,
     .cache_tag = lab_tag_of_build, .summary = "Lists challenges that come with the lab, ready to be published.",
     .answers = {{200, "ReadyChallenges"}}},
    {"POST", "/api/v1/challenges", LAB_ROUTE_WRITES, LAB_ROLE_ADMIN, lab_api_publish_challenge,
     .summary = "Publishes a challenge.", .body = lab_challenge_body,
     .answers = {{201, "Challenge", "It was published; Location has its path."}},
     .problems = {{LAB_ERROR_NAME_IN_USE, "A challenge has this name, or there are too many."}, {STORE}}},
    {"GET", "/api/v1/challenges/{name}", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_get_challenge, .participants = true,
     .summary = "Returns a challenge.", .answers = {{200, "Challenge"}}, .problems = {{NO_CHALLENGE}, {STORE}}},
    {"PATCH", "/api/v1/challenges/{name}", LAB_ROUTE_WRITES, LAB_ROLE_ADMIN, lab_api_change_challenge,
     .summary = "Changes when a challenge ends.", .body = challenge_change_body, .answers = {{200, "Challenge"}},
     .problems = {{NO_CHALLENGE}, {LAB_ERROR_CHALLENGE_NOT_OPEN, "It has ended and would begin again."}, {STORE}}},
    {"DELETE", "/api/v1/challenges/{name}", LAB_ROUTE_WRITES, LAB_ROLE_ADMIN, lab_api_delete_challenge,
     .summary = "Deletes a challenge; its submissions stay, as runs like others.", .answers = {{.status = 204}},
     .problems = {{NO_CHALLENGE},
                  {LAB_ERROR_SUBMISSIONS_ARE_SECRET, "A submission is queued, running or secret."},
                  {STORE}}},
    {"GET", "/api/v1/challenges/{name}/ranking", LAB_ROUTE_READS, LAB_ROLE_VIEWER, lab_api_get_ranking,
     .participants = true, .summary = "Ranks the best submission of each person on a device model.",
     .query = ranking_query, .answers = {{200, "Ranking"}}, .problems = {{NO_CHALLENGE}, {STORE}}},
    {"POST", "/api/v1/challenges/{name}/submissions", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_submit,
     .participants = true, .summary = "Submits a source to a challenge: creates and queues a run, which is secret.",
     .headers = new_run_headers, .body = lab_own_submission_members,
     .answers = {{202, "Run", "The run was stored and queued; Location has its path."}},
     .problems = {{NO_CHALLENGE},
                  {LAB_ERROR_CHALLENGE_NOT_OPEN, "It has ended, or not begun."},
                  {LAB_ERROR_IDEMPOTENCY_KEY_REUSED, "The Idempotency-Key was used with another body."},
                  {QUEUE_FULL},
                  {NOT_READY}}},

    {"GET", "/api/v1/channels", LAB_ROUTE_READS, LAB_ROLE_OPERATOR, lab_api_list_channels,
     .summary = "Lists the channels by which notices go out.", .answers = {{200, "Channels"}}, .problems = {{STORE}}},
    {"POST", "/api/v1/channels", LAB_ROUTE_WRITES, LAB_ROLE_ADMIN, lab_api_create_channel, .summary = "Adds a channel.",
     .body = lab_channel_body, .answers = {{201, "Channel", "Without address and secret; Location has its path."}},
     .problems = {{LAB_ERROR_NAME_IN_USE, "A channel has this name, or there are 64."}, {STORE}}},
    {"DELETE", "/api/v1/channels/{id}", LAB_ROUTE_WRITES, LAB_ROLE_ADMIN, lab_api_delete_channel,
     .summary = "Deletes a channel, what is watched for it, and its notices.", .answers = {{.status = 204}},
     .problems = {{NO_CHANNEL}, {STORE}}},
    {"POST", "/api/v1/channels/{id}/test", LAB_ROUTE_WRITES, LAB_ROLE_ADMIN, lab_api_test_channel,
     .summary = "Sends a test notice.",
     .answers = {{202, "Delivery", "It waits; GET /api/v1/notices says what became of it."}},
     .problems = {{NO_CHANNEL}, {STORE}}},
    {"GET", "/api/v1/watches", LAB_ROUTE_READS, LAB_ROLE_OPERATOR, lab_api_list_watches,
     .summary = "Lists what is watched, and who is told.", .answers = {{200, "Watches"}}, .problems = {{STORE}}},
    {"POST", "/api/v1/watches", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_create_watch,
     .summary = "Watches something for a channel.", .body = lab_watch_body,
     .answers = {{201, "Watch", "Location has its path."}}, .problems = {{STORE}}},
    {"DELETE", "/api/v1/watches/{id}", LAB_ROUTE_WRITES, LAB_ROLE_OPERATOR, lab_api_delete_watch,
     .summary = "Watches it no longer.", .answers = {{.status = 204}},
     .problems = {{LAB_ERROR_NOT_FOUND, "There is no watch with this id."}, {WRITTEN_BY_ANOTHER}, {STORE}}},
    {"GET", "/api/v1/notices", LAB_ROUTE_READS, LAB_ROLE_OPERATOR, lab_api_list_notices,
     .summary = "Lists the newest notices, and what became of them.", .answers = {{200, "Notices"}},
     .problems = {{STORE}}},

    {"GET", "/api/v1/session", LAB_ROUTE_INLINE, LAB_ROLE_PUBLIC, lab_api_get_session,
     .summary = "Says who sends the request.", .answers = {{200, "Session"}}},
    {"POST", "/api/v1/session", LAB_ROUTE_INLINE, LAB_ROLE_PUBLIC, lab_api_create_session,
     .summary = "Opens a session of 30 days for a browser, in a cookie.", .body = session_body,
     .answers = {{200, "Session"}},
     .problems = {{LAB_ERROR_UNKNOWN_TOKEN, "The token is unknown or was revoked."},
                  {LAB_ERROR_NO_RANDOMNESS, "The system has no randomness for a secret."}}},
    {"DELETE", "/api/v1/session", LAB_ROUTE_INLINE, LAB_ROLE_PUBLIC, lab_api_delete_session,
     .summary = "Ends the session of a browser.", .answers = {{.status = 204}}},

    {"GET", "/api/v1/openapi.json", LAB_ROUTE_INLINE, LAB_ROLE_PUBLIC, lab_api_get_openapi,
     .cache_tag = lab_tag_of_build, .summary = "Returns this description.", .answers = {{200, "OpenAPI"}}},
    {"GET", "/api/v1/version", LAB_ROUTE_INLINE, LAB_ROLE_PUBLIC, lab_api_get_version,
     .summary = "Returns the build's version.", .answers = {{200, "Version"}}},
    {"GET", "/healthz", LAB_ROUTE_INLINE, LAB_ROLE_PUBLIC, lab_api_healthz,
     .summary = "Says that the process responds.", .answers = {{200, "Health"}}},
    {"GET", "/readyz", LAB_ROUTE_INLINE, LAB_ROLE_PUBLIC, lab_api_readyz,
     .summary = "Says whether runs can be stored and started.", .answers = {{200, "Health"}},
     .problems = {{LAB_ERROR_NOT_READY, "Runs cannot be stored or started; `errors` has every reason."}}},
    {"GET", "/metrics", LAB_ROUTE_INLINE, LAB_ROLE_VIEWER, lab_api_get_metrics,
     .summary = "Returns the server's metrics for Prometheus.",
     .answers = {{200, .content_type = "text/plain; version=0.0.4; charset=utf-8"}}},
    {0},
};
