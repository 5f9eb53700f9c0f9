#include "output/findings.h"

#include "lab/api_json.h"
#include "output/terminal.h"

#include "core/finding_groups.h"
#include "core/json_members.h"

#include <string.h>

static void print_finding(FILE *out, const json_t *finding)
{
    const json_t *packages = json_object_get(finding, "packages");
    const char *enables = lab_text_of(finding, "enables"), *remedy = lab_text_of(finding, "remedy");
    bool blocks = json_is_true(json_object_get(finding, "blocks"));
    fputs("  ", out);
    lab_print_styled(out, blocks ? LAB_STYLE_BAD : LAB_STYLE_PLAIN, lab_text_of(finding, "title"));
    fprintf(out, "%s: %s", blocks ? " (needed)" : "", lab_text_of(finding, "text"));
    if (enables[0] != '\0')
        fprintf(out, " (for %s)", enables);
    fputs("\n", out);
    if (json_is_object(packages))
        fprintf(out, "      Debian, Ubuntu: %s; RHEL: %s\n", lab_text_of(packages, "debian"),
                lab_text_of(packages, "rhel"));
    if (remedy[0] != '\0')
        fprintf(out, "      %s\n", remedy);
}

/* Prints the findings of a group below its title; without any, nothing. Returns their number. */
static size_t print_group(FILE *out, const json_t *findings, const char *group, enum lab_style style, const char *title)
{
    size_t index, count = 0;
    json_t *finding;
    json_array_foreach(findings, index, finding)
    {
        if (strcmp(lab_text_of(finding, "group"), group) != 0)
            continue;
        if (count++ == 0) {
            lab_print_styled(out, style, title);
            fputs("\n", out);
        }
        print_finding(out, finding);
    }
    fputs(count > 0 ? "\n" : "", out);
    return count;
}

/* "gpulab does not work here: CUDA runtime, disk of /tmp." */
static void print_verdict(FILE *out, const json_t *examination)
{
    size_t index;
    json_t *finding;
    const char *separator = ": ";
    if (json_is_true(json_object_get(examination, "works"))) {
        fputs("gpulab works here.\n", out);
        return;
    }
    fputs("gpulab does not work here", out);
    json_array_foreach(json_object_get(examination, "findings"), index, finding)
    {
        if (!json_is_true(json_object_get(finding, "blocks")))
            continue;
        fprintf(out, "%s%s", separator, lab_text_of(finding, "title"));
        separator = ", ";
    }
    fputs(".\n", out);
}

void lab_findings_print(FILE *out, const json_t *examination)
{
    const json_t *findings = json_object_get(examination, "findings");
    fprintf(out, "gpulab %s, %s\n\n", lab_text_of(examination, "version"), lab_text_of(examination, "at"));
    print_group(out, findings, LAB_FINDING_WORKS, LAB_STYLE_GOOD, "Works");
    print_group(out, findings, LAB_FINDING_MISSING, LAB_STYLE_PLAIN, "Missing");
    if (print_group(out, findings, LAB_FINDING_DISTURBS, LAB_STYLE_DOUBTFUL, "Disturbs measurements") == 0)
        fputs("Nothing that disturbs measurements was found.\n\n", out);
    print_verdict(out, examination);
}
