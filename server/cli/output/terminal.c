/* The terminal's width and colours. */
#include "terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t lab_terminal_width(FILE *out)
{
    enum { WIDTH_OF_FILES = 80 };
    struct winsize size;
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : WIDTH_OF_FILES;
}

static bool has_colours(FILE *out)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return (no_color == NULL || no_color[0] == '\0') && terminal != NULL && strcmp(terminal, "dumb") != 0 &&
           isatty(fileno(out)) == 1;
}

void lab_print_styled(FILE *out, enum lab_style style, const char *text)
{
    static const char *const colours[] = {
        [LAB_STYLE_GOOD] = "\033[32m", [LAB_STYLE_BAD] = "\033[31m", [LAB_STYLE_DOUBTFUL] = "\033[33m"};
    if (style == LAB_STYLE_PLAIN || !has_colours(out))
        fputs(text, out);
    else
        fprintf(out, "%s%s\033[0m", colours[style], text);
}
