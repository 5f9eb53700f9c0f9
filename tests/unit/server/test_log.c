/* server/auth/log.c and request_log.c: lines, files that are renamed, readers that do not read. */
#include "auth/log.h"
#include "auth/request_log.h"
#include "support/test.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/gpulab-log-XXXXXX";
static char path[64], renamed[64];

static int make_folder(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/log", folder);
    snprintf(renamed, sizeof renamed, "%s/log.1", folder);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(path);
    unlink(renamed);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

AROUND_EACH_TEST(.setup = make_folder, .teardown = remove_folder)

static struct lab_log *open_log(const char *at)
{
    struct lab_error error = {0};
    struct lab_log *log = lab_log_open(at, &error);
    if (log == NULL)
        fail_msg("%s", error.detail);
    return log;
}

/* The content of a file; the caller frees it. */
static char *content(const char *of)
{
    FILE *file = fopen(of, "r");
    char *text = NULL;
    size_t size = 0;
    assert_non_null(file);
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(file);
    return text;
}

static void expect_content(const char *of, const char *expected)
{
    char *text = content(of);
    assert_string_equal(text, expected);
    free(text);
}

static void log_text(struct lab_log *log, const char *text)
{
    lab_log_line(log, text, strlen(text));
}

/* Waits until the file has the text: the log's thread writes it. */
static void wait_for(const char *of, const char *expected)
{
    for (int i = 0; i < 10000; i++) {
        char *text = access(of, F_OK) == 0 ? content(of) : NULL;
        bool there = text != NULL && strcmp(text, expected) == 0;
        free(text);
        if (there)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    expect_content(of, expected);
}

TEST(test_lines, .teardown = remove_files)
{
    struct stat file;
    struct lab_log *log = open_log(path);
    log_text(log, "first");
    log_text(log, "second");
    lab_log_close(log);
    expect_content(path, "first\nsecond\n");
    log = open_log(path);
    log_text(log, "third");
    lab_log_close(log);
    expect_content(path, "first\nsecond\nthird\n");
    assert_int_equal(stat(path, &file), 0);
    assert_int_equal(file.st_mode & 07, 0);
}

TEST(test_reopen, .teardown = remove_files)
{
    struct lab_log *log = open_log(path);
    log_text(log, "before");
    wait_for(path, "before\n");
    assert_int_equal(rename(path, renamed), 0);
    log_text(log, "between");
    lab_log_reopen(log);
    wait_for(path, "");
    log_text(log, "after");
    lab_log_close(log);
    expect_content(path, "after\n");
    expect_content(renamed, "before\nbetween\n");
}

TEST(test_a_path_that_cannot_be_opened)
{
    struct lab_error error = {0};
    assert_null(lab_log_open("/nowhere/log", &error));
    assert_int_equal(error.code, LAB_ERROR_CANNOT_OPEN_LOG);
    assert_non_null(strstr(error.detail, "/nowhere/log"));
}

/* A reader that does not read keeps neither the threads that log waiting nor the end of the log. */
TEST(test_a_pipe_that_nobody_reads, .teardown = remove_files)
{
    char line[1000];
    memset(line, 'x', sizeof line);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    struct lab_log *log = open_log(path);
    for (int i = 0; i < 5000; i++)
        lab_log_line(log, line, sizeof line);
    lab_log_close(log);
    close(reader);
}

/* Counts the lines of `size` bytes in a text, and the lines that it says were dropped. */
static size_t count_lines(const char *text, size_t size, size_t *dropped)
{
    size_t lines = 0, some;
    *dropped = 0;
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        if (sscanf(text, "%zu lines of this log were dropped", &some) == 1)
            *dropped += some;
        else
            lines += (size_t)(end - text) == size;
    }
    return lines;
}

/* What the buffer cannot hold is counted, and the log says so once the reader reads. */
TEST(test_dropped_lines, .teardown = remove_files)
{
    enum { LINES = 5000 };
    static char got[LINES * 1001 + 10000];
    char line[1000];
    size_t length = 0, dropped;
    memset(line, 'x', sizeof line);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct lab_log *log = open_log(path);
    for (int i = 0; i < LINES; i++)
        lab_log_line(log, line, sizeof line);
    for (int i = 0; i < 10000 && count_lines(got, sizeof line, &dropped) + dropped < LINES; i++) {
        ssize_t some = read(reader, got + length, sizeof got - 1 - length);
        length += some > 0 ? (size_t)some : 0;
        if (some <= 0)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    lab_log_close(log);
    close(reader);
    assert_int_equal(count_lines(got, sizeof line, &dropped) + dropped, LINES);
    assert_true(dropped > 0);
}

static struct lab_request_record record_of(const struct lab_identity *identity, const char *request_path)
{
    return (struct lab_request_record){
        .at_us = 1769860800123456,
        .address = "192.0.2.1",
        .identity = identity,
        .method = "POST",
        .path = request_path,
        .status = 202,
        .bytes = 17,
        .duration_ms = 1.25,
        .id = "5f3a-1",
        .what = "/api/v1/runs/7",
    };
}

TEST(test_formats)
{
    char line[LAB_LOG_LINE_MAX];
    const struct lab_identity ada = {.role = LAB_ROLE_OPERATOR, .name = "ada"}, nobody = {0};
    struct lab_request_record record = record_of(&ada, "/api/v1/runs");
    lab_access_line(LAB_LOG_TEXT, &record, line, sizeof line);
    assert_string_equal(line, "2026-01-31T12:00:00.123456Z access 192.0.2.1 ada POST /api/v1/runs 202 17 1.250 5f3a-1");
    lab_audit_line(LAB_LOG_TEXT, &record, line, sizeof line);
    assert_string_equal(line,
                        "2026-01-31T12:00:00.123456Z audit 192.0.2.1 ada operator POST /api/v1/runs 202 "
                        "/api/v1/runs/7 5f3a-1");
    record.identity = &nobody;
    lab_access_line(LAB_LOG_TEXT, &record, line, sizeof line);
    assert_non_null(strstr(line, " 192.0.2.1 - POST "));
}

static void expect_member(const json_t *object, const char *name, const char *value)
{
    assert_string_equal(json_string_value(json_object_get(object, name)), value);
}

TEST(test_json)
{
    char line[LAB_LOG_LINE_MAX];
    const struct lab_identity ada = {.role = LAB_ROLE_ADMIN, .name = "a\"\n\xff"}, nobody = {0};
    struct lab_request_record record = record_of(&ada, "/a b\"\\\n\x01\xc3\xa9\xff");
    lab_access_line(LAB_LOG_JSON, &record, line, sizeof line);
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    expect_member(object, "log", "access");
    expect_member(object, "name", "a%22%0A%FF");
    expect_member(object, "path", "/a%20b%22%5C%0A%01%C3%A9%FF");
    assert_int_equal(json_integer_value(json_object_get(object, "bytes")), 17);
    json_decref(object);
    record.identity = &nobody;
    lab_audit_line(LAB_LOG_JSON, &record, line, sizeof line);
    object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    expect_member(object, "role", "public");
    expect_member(object, "what", "/api/v1/runs/7");
    assert_true(json_is_null(json_object_get(object, "name")));
    json_decref(object);
}

/* A path of any length makes one whole line. */
TEST(test_long_paths)
{
    static char long_path[20000];
    char line[LAB_LOG_LINE_MAX];
    const struct lab_identity ada = {.role = LAB_ROLE_ADMIN, .name = "ada"};
    memset(long_path, '\xff', sizeof long_path - 1);
    struct lab_request_record record = record_of(&ada, long_path);
    record.what = record.method = long_path;
    for (enum lab_log_format format = LAB_LOG_TEXT; format <= LAB_LOG_JSON; format++) {
        assert_true(lab_access_line(format, &record, line, sizeof line) == strlen(line));
        assert_non_null(strstr(line, "5f3a-1"));
        assert_true(lab_audit_line(format, &record, line, sizeof line) == strlen(line));
        assert_non_null(strstr(line, "5f3a-1"));
    }
}
