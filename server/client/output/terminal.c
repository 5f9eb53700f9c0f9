/* The terminal's width and colours. */
#include "terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The value of COLUMNS; 0 if it is not a positive number. */
static size_t width_of_environment(void)
{
    const char *text = getenv("COLUMNS");
    char *end;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return 0;
    unsigned long width = strtoul(text, &end, 10); /* too large: ULONG_MAX, which is no limit */
    return *end == '\0' ? width : 0;
}

size_t lab_terminal_width(FILE *out)
{
    enum { UNKNOWN_WIDTH = 80 };
    struct winsize size;
    if (isatty(fileno(out)) != 1)
        return SIZE_MAX;
    size_t width = width_of_environment();
    if (width > 0)
        return width;
    return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : UNKNOWN_WIDTH;
}

bool lab_terminal_has_blocks(FILE *out)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && (locale == NULL || locale[0] == '\0'); i++)
        locale = getenv(variables[i]);
    return locale != NULL && (strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL) &&
           isatty(fileno(out)) == 1;
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
