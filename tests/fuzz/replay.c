/* Runs a fuzz target on files, for builds without libFuzzer. Each argument is a file or a folder of files. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* False when the file cannot be read. */
static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    uint8_t *data = NULL;
    int good = file != NULL && fstat(fileno(file), &status) == 0 &&
               (data = malloc((size_t)status.st_size + 1)) != NULL &&
               fread(data, 1, (size_t)status.st_size, file) == (size_t)status.st_size;
    if (good)
        LLVMFuzzerTestOneInput(data, (size_t)status.st_size);
    else
        perror(path);
    free(data);
    if (file != NULL)
        fclose(file);
    return good;
}

/* Returns how many files were replayed, -1 when one could not be read. */
static int replay_folder(const char *path)
{
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort), replayed = 0;
    for (int i = 0; i < count; i++) {
        char *file = NULL;
        if (names[i]->d_name[0] != '.' && replayed >= 0 && asprintf(&file, "%s/%s", path, names[i]->d_name) > 0)
            replayed = replay_file(file) ? replayed + 1 : -1;
        free(file);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return count < 0 ? -1 : replayed;
}

int main(int argc, char **argv)
{
    int total = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        int folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
        int replayed = folder ? replay_folder(argv[i]) : replay_file(argv[i]) ? 1 : -1;
        if (replayed < 0)
            return 1;
        total += replayed;
    }
    printf("%d inputs replayed\n", total);
    return total > 0 ? 0 : 1;
}
