/* kernels/core/lines.c: lines of bounded length, and writing that signals interrupt. */
#include "core/lines.h"
#include "support/test.h"

#include "core/protocol.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A descriptor from which `size` bytes are read, then the end. */
static int file_of(const char *bytes, size_t size)
{
    int file = memfd_create("lines", MFD_CLOEXEC);
    assert_true(file >= 0);
    assert_true(lab_write_all(file, bytes, size));
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    return file;
}

/* Reads all lines; returns how many. *longest receives the length of the longest one. The reader's memory is
 * bounded. */
static size_t read_lines(struct lab_line_reader *reader, int file, size_t *longest)
{
    size_t count = 0, length = 0;
    *longest = 0;
    while (lab_line_reader_read(reader, file)) {
        assert_true(reader->capacity <= LAB_LINE_MAX);
        for (const char *line; (line = lab_line_reader_next(reader, &length)) != NULL; count++) {
            assert_int_equal(strlen(line), length);
            *longest = length > *longest ? length : *longest;
        }
    }
    return count;
}

TEST(lines_of_any_length_are_read)
{
    static char text[8 * LAB_LINE_MAX];
    size_t size = 0, longest, count = 0;
    for (size_t length = 0; size + length + 1 < sizeof text; length = 2 * length + 1, count++) {
        memset(text + size, 'x', length);
        text[size + length] = '\n';
        size += length + 1;
        if (2 * length + 2 > LAB_LINE_MAX)
            length = 0;
    }
    struct lab_line_reader reader = {0};
    int file = file_of(text, size);
    assert_int_equal(read_lines(&reader, file, &longest), count);
    assert_int_equal(longest, LAB_LINE_MAX - 1); /* and its newline */
    assert_true(reader.ended && !reader.too_long);
    close(file);
    lab_line_reader_release(&reader);
}

/* 64 MiB without a newline, after a short line. */
TEST(a_line_beyond_the_limit_is_not_kept)
{
    const size_t size = (size_t)64 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'x', size);
    text[3] = '\n';
    struct lab_line_reader reader = {0};
    int file = file_of(text, size);
    size_t longest;
    assert_int_equal(read_lines(&reader, file, &longest), 1);
    assert_int_equal(longest, 3);
    assert_true(reader.too_long && !reader.ended);
    assert_true(lseek(file, 0, SEEK_CUR) <= LAB_LINE_MAX + 4);
    assert_false(lab_line_reader_read(&reader, file));
    close(file);
    free(text);
    lab_line_reader_release(&reader);
}

TEST(one_byte_more_than_the_limit_is_too_long)
{
    char *text = malloc(LAB_LINE_MAX + 1);
    assert_non_null(text);
    memset(text, 'x', LAB_LINE_MAX);
    text[LAB_LINE_MAX] = '\n';
    struct lab_line_reader reader = {0};
    int file = file_of(text, LAB_LINE_MAX + 1);
    size_t longest;
    assert_int_equal(read_lines(&reader, file, &longest), 0);
    assert_true(reader.too_long);
    close(file);
    free(text);
    lab_line_reader_release(&reader);
}

/* A caller that takes no lines fills the buffer once; it can go on after it has taken them. */
TEST(a_full_buffer_of_lines_is_not_too_long)
{
    char *text = malloc(LAB_LINE_MAX + 2);
    assert_non_null(text);
    memset(text, 'x', LAB_LINE_MAX);
    text[9] = '\n';
    memcpy(text + LAB_LINE_MAX, "x\n", 2);
    struct lab_line_reader reader = {0};
    int file = file_of(text, LAB_LINE_MAX + 2);
    while (lab_line_reader_read(&reader, file))
        assert_true(reader.capacity <= LAB_LINE_MAX);
    assert_false(reader.too_long || reader.ended);
    size_t length, longest;
    assert_non_null(lab_line_reader_next(&reader, &length));
    assert_int_equal(read_lines(&reader, file, &longest), 1);
    assert_int_equal(longest, LAB_LINE_MAX + 2 - 10 - 1);
    assert_true(reader.ended);
    close(file);
    free(text);
    lab_line_reader_release(&reader);
}

TEST(nothing_to_read_is_not_the_end)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    struct lab_line_reader reader = {0};
    size_t length;
    assert_false(lab_line_reader_read(&reader, ends[0]));
    assert_false(reader.ended);
    assert_true(lab_write_all(ends[1], "half", 4));
    assert_true(lab_line_reader_read(&reader, ends[0]));
    assert_null(lab_line_reader_next(&reader, &length));
    assert_true(lab_write_all(ends[1], " a line\n", 8));
    assert_true(lab_line_reader_read(&reader, ends[0]));
    assert_string_equal(lab_line_reader_next(&reader, &length), "half a line");
    close(ends[1]);
    assert_false(lab_line_reader_read(&reader, ends[0]));
    assert_true(reader.ended);
    close(ends[0]);
    lab_line_reader_release(&reader);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

enum { WRITTEN = 1 << 20 };

struct writing {
    int descriptor;
    bool good;
};

static void *write_pattern(void *context)
{
    struct writing *writing = context;
    char *bytes = malloc(WRITTEN);
    for (size_t i = 0; bytes != NULL && i < WRITTEN; i++)
        bytes[i] = (char)(i % 251);
    writing->good = bytes != NULL && lab_write_all(writing->descriptor, bytes, WRITTEN);
    free(bytes);
    close(writing->descriptor);
    return NULL;
}

static void ignore_signal(int number)
{
    (void)number;
}

/* Two signals before each read interrupt the thread while the pipe is full: the first makes its call return fewer bytes
 * than it has, the second EINTR. */
TEST(signals_do_not_cut_what_is_written)
{
    const struct sigaction action = {.sa_handler = ignore_signal}; /* without SA_RESTART */
    struct sigaction before;
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    struct writing writing = {.descriptor = ends[1]};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_pattern, &writing), 0);
    char chunk[10000];
    size_t total = 0, different = 0;
    for (bool ended = false; !ended;) {
        for (int i = 0; i < 2; i++) {
            if (total < WRITTEN / 2) /* later the thread may have ended */
                pthread_kill(thread, SIGUSR1);
            usleep(1000);
        }
        ssize_t count = read(ends[0], chunk, sizeof chunk);
        ended = count <= 0;
        for (ssize_t i = 0; i < count; i++)
            different += chunk[i] != (char)(total++ % 251);
    }
    pthread_join(thread, NULL);
    assert_true(writing.good);
    assert_int_equal(total, WRITTEN);
    assert_int_equal(different, 0);
    close(ends[0]);
    sigaction(SIGUSR1, &before, NULL);
}

TEST(writing_to_a_closed_pipe_fails)
{
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    close(ends[0]);
    assert_false(lab_write_all(ends[1], "x", 1));
    close(ends[1]);
}
