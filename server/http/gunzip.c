/* Decompresses with zlib as the reader asks for bytes. */
#include "gunzip.h"

#include "core/text.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

/* GZIP_ONLY: zlib takes no other format with these bits. */
enum { INPUT = 64 * 1024, GZIP_ONLY = 15 + 16, SIZE_TEXT = 32 };

static const unsigned char magic[] = {0x1f, 0x8b};

struct gunzip {
    FILE *file;
    const struct lab_gunzip_limits *limits;
    struct lab_error *error;
    z_stream stream;
    unsigned long long read, written; /* bytes of the file and of the text */
    bool between;                     /* a member has ended */
    unsigned char input[INPUT];
};

bool lab_is_gzip(FILE *file)
{
    int first = getc(file), second = first == magic[0] ? getc(file) : EOF;
    fseeko(file, first == EOF ? 0 : second == EOF ? -1 : -2, SEEK_CUR);
    return second == magic[1];
}

static ssize_t fail(const struct gunzip *gunzip, const char *what)
{
    lab_error_set(gunzip->error, LAB_ERROR_CORRUPT_GZIP, "", "The gzip file %s, after %llu bytes of text.", what,
                  gunzip->written);
    errno = EIO;
    return -1;
}

/* Reads more of the file. False at its end. */
static bool refill(struct gunzip *gunzip)
{
    if (gunzip->stream.avail_in > 0)
        return true;
    gunzip->stream.next_in = gunzip->input;
    gunzip->stream.avail_in = (uInt)fread(gunzip->input, 1, INPUT, gunzip->file);
    gunzip->read += gunzip->stream.avail_in;
    return gunzip->stream.avail_in > 0;
}

static ssize_t check_limits(const struct gunzip *gunzip, ssize_t length)
{
    const struct lab_gunzip_limits *limits = gunzip->limits;
    char size[SIZE_TEXT], what[96];
    if (gunzip->written > limits->size_max) {
        lab_text_size(limits->size_max, size, sizeof size);
        snprintf(what, sizeof what, "becomes longer than %s", size);
        return fail(gunzip, what);
    }
    if (gunzip->written > limits->free_bytes && gunzip->written / limits->ratio_max > gunzip->read) {
        snprintf(what, sizeof what, "is compressed more than %u to 1", limits->ratio_max);
        return fail(gunzip, what);
    }
    return length;
}

static ssize_t read_text(void *cookie, char *buffer, size_t size)
{
    struct gunzip *gunzip = cookie;
    z_stream *stream = &gunzip->stream;
    stream->next_out = (Bytef *)buffer;
    stream->avail_out = (uInt)(size < INPUT ? size : INPUT);
    const uInt wanted = stream->avail_out;
    while (stream->avail_out == wanted) {
        if (!refill(gunzip))
            return ferror(gunzip->file) ? fail(gunzip, "cannot be read")
                   : gunzip->between    ? 0
                                        : fail(gunzip, "is cut: it ends before its last member does");
        if (gunzip->between && inflateReset(stream) != Z_OK)
            return fail(gunzip, "cannot be decompressed");
        gunzip->between = false;
        int result = inflate(stream, Z_NO_FLUSH);
        gunzip->between = result == Z_STREAM_END;
        if (result == Z_MEM_ERROR)
            return fail(gunzip, "cannot be decompressed: out of memory");
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return fail(gunzip, "is corrupt");
    }
    ssize_t length = (ssize_t)(wanted - stream->avail_out);
    gunzip->written += (unsigned long long)length;
    return check_limits(gunzip, length);
}

static int close_text(void *cookie)
{
    struct gunzip *gunzip = cookie;
    inflateEnd(&gunzip->stream);
    free(gunzip);
    return 0;
}

FILE *lab_gunzip_open(FILE *file, const struct lab_gunzip_limits *limits, struct lab_error *error)
{
    struct gunzip *gunzip = calloc(1, sizeof *gunzip);
    if (gunzip == NULL || inflateInit2(&gunzip->stream, GZIP_ONLY) != Z_OK) {
        free(gunzip);
        return NULL;
    }
    gunzip->file = file;
    gunzip->limits = limits;
    gunzip->error = error;
    FILE *text = fopencookie(gunzip, "r", (cookie_io_functions_t){.read = read_text, .close = close_text});
    if (text == NULL)
        close_text(gunzip);
    return text;
}
