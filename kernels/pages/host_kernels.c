/* Finds the definitions of kernels for host devices. */
#include "pages/host_kernels.h"

#include <string.h>
#include <unistd.h>

/* The name of the kernel that a line defines; NULL if it defines none. */
static const char *defined_in(const char *line, const char *experiment)
{
    size_t macro = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"), length = strlen(experiment);
    const char *name = line + macro + 1;
    if (macro == 0 || line[macro] != '(' || strncmp(name, experiment, length) != 0 ||
        strchr("_,)", name[length]) == NULL)
        return NULL;
    return lab_keep(name, strcspn(name, ",)"));
}

static void for_each(const struct lab_source_file *file, const char *experiment, const char *format, FILE *out)
{
    for (const char *at = file->text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        const char *kernel = defined_in(at, experiment);
        for (const char *f = format; kernel != NULL && *f != '\0'; f++)
            *f == '%' ? fputs(kernel, out) : fputc(*f, out);
    }
}

void lab_host_kernels_write(struct lab_source_files *files, const char *folder, const char *name, FILE *out)
{
    const char *path = lab_keep_format("%s/%s_host.c", folder, name);
    if (access(path, R_OK) != 0)
        return;
    const struct lab_source_file *file = lab_source_file(files, path);
    for_each(file, name, "void host_%(const struct lab_host_part *part, const struct lab_argument *arguments);\n", out);
    fprintf(out, "const struct lab_host_kernel %s_host_kernels[] = {\n", name);
    for_each(file, name, "    {\"%\", host_%},\n", out);
    fputs("    {0},\n};\n\n", out);
}
