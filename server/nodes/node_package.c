/* Reads the programs that a lab copies to its machines. */
#include "node_package.h"

#include "elf_file.h"

#include "core/build.h"

#include <errno.h>
#include <gnutls/crypto.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What the worker finds in its folder (lab_program_find_own). Files that this build does not have are left out.
 * gpulab.h is a text in the worker. */
static const char *const companions[] = {"gpulab-sandbox", "gpulab-mpi", "gpulab-trace.so"};

enum { FILE_SIZE_MAX = 1 << 29 };

static void write_sha256(const void *bytes, size_t size, char text[LAB_SHA256_TEXT])
{
    unsigned char digest[32] = {0};
    gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, size, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* Appends the content of a file to the bytes. Returns 0 or an errno value. */
static int append_content(struct lab_package *package, const char *path, size_t *added)
{
    struct stat status;
    FILE *file = fopen(path, "re");
    if (file == NULL || fstat(fileno(file), &status) != 0 || status.st_size > FILE_SIZE_MAX) {
        int code = file == NULL ? errno : EFBIG;
        if (file != NULL)
            fclose(file);
        return code;
    }
    *added = (size_t)status.st_size;
    unsigned char *bytes = realloc(package->bytes, package->size + *added + 1);
    bool whole = bytes != NULL && fread(bytes + package->size, 1, *added, file) == *added;
    fclose(file);
    if (bytes != NULL)
        package->bytes = bytes;
    return bytes == NULL ? ENOMEM : whole ? 0 : EIO;
}

/* Adds a file under a name. Returns 0 or an errno value. */
static int add_file(struct lab_package *package, const char *path, const char *folder, const char *name)
{
    struct lab_package_file *file = &package->files[package->file_count];
    if (package->file_count == LAB_PACKAGE_FILES_MAX)
        return E2BIG;
    int code = append_content(package, path, &file->size);
    if (code != 0)
        return code;
    snprintf(file->name, sizeof file->name, "%s/%s", folder, name);
    write_sha256(package->bytes + package->size, file->size, file->sha256);
    package->size += file->size;
    package->file_count++;
    return 0;
}

/* Adds the files that stand beside the worker. */
static int add_companions(struct lab_package *package, const char *worker)
{
    char path[PATH_MAX];
    const char *slash = strrchr(worker, '/');
    int folder = slash != NULL ? (int)(slash - worker) : 0;
    int code = 0;
    for (size_t i = 0; code == 0 && i < sizeof companions / sizeof *companions; i++) {
        int length = snprintf(path, sizeof path, "%.*s/%s", folder, slash != NULL ? worker : "", companions[i]);
        if (length > 0 && length < PATH_MAX)
            code = add_file(package, slash != NULL ? path : companions[i], "bin", companions[i]);
        if (code == ENOENT)
            code = 0;
    }
    return code;
}

/* --- shared libraries --------------------------------------------------------------------------------------------- */

/* A library of this process, or what is looked for. */
struct loaded {
    const char *name;
    char path[PATH_MAX]; /* "": not found */
};

static int compare_loaded(struct dl_phdr_info *object, size_t size, void *context)
{
    struct loaded *loaded = context;
    const char *slash = strrchr(object->dlpi_name, '/');
    (void)size;
    if (slash == NULL || strcmp(slash + 1, loaded->name) != 0)
        return 0;
    snprintf(loaded->path, sizeof loaded->path, "%s", object->dlpi_name);
    return 1;
}

/* The C library must be the machine's own, and so must MPI, which has to fit its launcher. */
static bool stays_here(const char *name)
{
    static const char *const prefixes[] = {"ld-linux", "libc.so",  "libm.so",      "libmvec.so", "libpthread.so",
                                           "libdl.so", "librt.so", "libresolv.so", "libutil.so", "libmpi"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static bool has_file(const struct lab_package *package, const char *name)
{
    for (size_t i = 0; i < package->file_count; i++)
        if (strcmp(strrchr(package->files[i].name, '/') + 1, name) == 0)
            return true;
    return false;
}

/* Adds the libraries that a file needs. This program is linked with the same ones as the worker, so they are where the
 * loader found them for this process; a library that is not loaded here has to be on the machine. */
static int add_libraries(struct lab_package *package, const struct lab_elf_needs *needs)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < needs->library_count; i++) {
        struct loaded loaded = {.name = needs->libraries[i]};
        if (stays_here(loaded.name) || has_file(package, loaded.name) || dl_iterate_phdr(compare_loaded, &loaded) == 0)
            continue;
        code = add_file(package, loaded.path, "lib", loaded.name);
    }
    return code;
}

/* Notes what all files need, and adds their libraries, whose own needs are noted in turn. */
static int add_needs(struct lab_package *package)
{
    int code = 0;
    size_t at = 0;
    for (size_t i = 0; code == 0 && i < package->file_count; i++) {
        struct lab_elf_needs needs;
        size_t size = package->files[i].size;
        unsigned char *copy = malloc(size + 1); /* the bytes move when a library is added */
        if (copy == NULL)
            return ENOMEM;
        memcpy(copy, package->bytes + at, size);
        lab_elf_read(copy, size, &needs);
        if (i == 0)
            package->machine = needs.machine;
        if (needs.glibc_minor > package->glibc_minor)
            package->glibc_minor = needs.glibc_minor;
        code = add_libraries(package, &needs);
        free(copy);
        at += size;
    }
    return code;
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

/* Names the folder by the text `sums`, as sha256sum writes it and node_files.sh does. */
static void name_folder(struct lab_package *package)
{
    char sums[LAB_PACKAGE_FILES_MAX * (LAB_SHA256_TEXT + sizeof package->files->name + 3)], hash[LAB_SHA256_TEXT];
    size_t used = 0;
    for (size_t i = 0; i < package->file_count; i++)
        used += (size_t)snprintf(sums + used, sizeof sums - used, "%s  %s\n", package->files[i].sha256,
                                 package->files[i].name);
    write_sha256(sums, used, hash);
    snprintf(package->folder, sizeof package->folder, "%.40s-%.16s", lab_build.version, hash);
}

struct lab_package *lab_package_read(const char *worker, struct lab_error *error)
{
    struct lab_package *package = calloc(1, sizeof *package);
    if (package != NULL)
        sem_init(&package->copies, 0, LAB_PACKAGE_COPIES_MAX);
    int code = package != NULL ? add_file(package, worker, "bin", "gpulab-worker") : ENOMEM;
    if (code == 0)
        code = add_companions(package, worker);
    if (code == 0)
        code = add_needs(package);
    if (code == 0) {
        name_folder(package);
        return package;
    }
    lab_error_set(error, code == ENOMEM ? LAB_ERROR_OUT_OF_MEMORY : LAB_ERROR_NODE_LIST, "--nodes",
                  "The worker %.200s and the files beside it cannot be read, to be copied to other machines: %s.",
                  worker, strerrordesc_np(code));
    lab_package_free(package);
    return NULL;
}

void lab_package_free(struct lab_package *package)
{
    if (package == NULL)
        return;
    sem_destroy(&package->copies);
    free(package->bytes);
    free(package);
}
