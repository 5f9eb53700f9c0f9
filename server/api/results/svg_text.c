#include "results/svg_text.h"

#include "core/text.h"
#include "core/xml_text.h"

#include <string.h>

void lab_svg_write_cut(FILE *out, const char *text, size_t most)
{
    size_t length = strlen(text), count = lab_utf8_count(text, length);
    lab_xml_write(out, text, count > most ? lab_utf8_prefix(text, most - 1) : length);
    if (count > most)
        fputs("\xE2\x80\xA6", out);
}

void lab_svg_write_text(FILE *out, double x, double y, const char *anchor, const char *text, size_t most)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    lab_svg_write_cut(out, text, most);
    fputs("</text>\n", out);
}
