/* Names and sentences for the values of sandbox.h. */
#include "sandbox.h"

const char *lab_sandbox_way_name(enum lab_sandbox_way way)
{
    static const char *const names[] = {
        [LAB_SANDBOX_NONE] = "none", [LAB_SANDBOX_LANDLOCK] = "landlock", [LAB_SANDBOX_BUBBLEWRAP] = "bubblewrap"};
    return names[way];
}

const char *lab_sandbox_end_text(enum lab_sandbox_end end)
{
    static const char *const texts[] = {
        [LAB_SANDBOX_NOT_STARTED] = "The program was not started.",
        [LAB_SANDBOX_ITSELF] = "",
        [LAB_SANDBOX_CANCELLED] = "The program was cancelled.",
        [LAB_SANDBOX_WALL_LIMIT] = "The program ran longer than its time limit.",
        [LAB_SANDBOX_PROCESSOR_LIMIT] = "The program used more processor time than its limit.",
        [LAB_SANDBOX_MEMORY_LIMIT] = "The program used more memory than its limit.",
        [LAB_SANDBOX_TASK_LIMIT] = "The program had more processes and threads than its limit.",
        [LAB_SANDBOX_FOLDER_LIMIT] =
            "The program wrote more into its folder than its limits: size, number of files, 64 folders in one another.",
        [LAB_SANDBOX_DISK_LIMIT] = "The file system of the program's folder is nearly full.",
        [LAB_SANDBOX_OUTPUT_LIMIT] = "The program wrote more output than its limit.",
        [LAB_SANDBOX_LOST] = "The supervisor of the program ended before the program.",
    };
    return texts[end];
}
