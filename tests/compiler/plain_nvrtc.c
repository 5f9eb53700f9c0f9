/* Has NVRTC compile sources without anything of gpulab, with the include folders of its toolkit. Prints them first, one
 * in a line. Each argument is a header; for each, it prints "HEADER: " and "compiled" or the first error. */
#include "compiler/nvrtc.h"
#include "core/compiler_log.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints the verdict on a kernel behind the header. False if NVRTC failed. */
static bool judge(const struct lab_nvrtc *nvrtc, const char *header, const char *const options[4])
{
    char source[PATH_MAX];
    void *program;
    snprintf(source, sizeof source, "#include <%s>\n__global__ void k(int *p) { p[0] = 1; }\n", header);
    if (nvrtc->create(&program, source, "kernel.cu", 0, NULL, NULL) != 0)
        return false;
    bool compiled = nvrtc->compile(program, 4, options) == 0;
    char *log = lab_nvrtc_log(nvrtc, program);
    const char *rest = log;
    struct lab_message message = {0};
    while (!compiled && rest != NULL && lab_message_next(&rest, &message))
        if (strcmp(message.severity, "error") == 0)
            break;
    if (compiled)
        printf("%s: compiled\n", header);
    else
        printf("%s: %.*s(%ld): %.*s\n", header, (int)message.file.length, message.file.text, message.line,
               (int)message.text.length, message.text.text);
    free(log);
    nvrtc->destroy(&program);
    return true;
}

int main(int argc, char **argv)
{
    struct lab_nvrtc nvrtc;
    char why[256], folder[PATH_MAX], toolkit[PATH_MAX + 2], cccl[PATH_MAX + 8];
    if (!lab_nvrtc_open(&nvrtc, why, sizeof why) || !lab_nvrtc_include_folder(&nvrtc, folder, sizeof folder)) {
        fputs("There is no NVRTC, or it has no headers.\n", stderr);
        return 2;
    }
    snprintf(toolkit, sizeof toolkit, "-I%s", folder);
    snprintf(cccl, sizeof cccl, "-I%s/cccl", folder);
    printf("%s\n%s/cccl\n", folder, folder);
    const char *const options[4] = {"--gpu-architecture=sm_90", "--std=c++17", toolkit, cccl};
    for (int i = 1; i < argc; i++)
        if (!judge(&nvrtc, argv[i], options))
            return 1;
    return 0;
}
