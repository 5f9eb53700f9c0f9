/* Writes what a program prints. */
#include "printed.h"

#include <stdio.h>
#include <string.h>

bool lab_printed_add(struct lab_printed *printed, const char *stream, size_t offset, const char *text)
{
    size_t end = offset + strlen(text);
    if (offset > printed->bytes)
        return false;
    if (end <= printed->bytes)
        return true;
    bool to_stdout = stream == NULL || strcmp(stream, "stdout") == 0;
    FILE *out = to_stdout ? stdout : stderr;
    fputs(text + (printed->bytes - offset), out);
    fflush(out); /* in the order in which the texts came */
    printed->bytes = end;
    *(to_stdout ? &printed->out_begun : &printed->err_begun) = text[strlen(text) - 1] != '\n';
    return true;
}

void lab_printed_end(struct lab_printed *printed)
{
    if (printed->out_begun)
        fputc('\n', stdout);
    if (printed->err_begun)
        fputc('\n', stderr);
    printed->out_begun = printed->err_begun = false;
}
