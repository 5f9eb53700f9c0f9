/* Restricts file access by Landlock. Defines its constants, because linux/landlock.h of the build machine may be older
 * than the Linux kernel that runs the program. */
#include "landlock.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Rights to files: those that a file that is no folder can have, and those to read. */
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_FOLDER = 1 << 3,
    TRUNCATE = 1 << 14,
    CONTROL_DEVICE = 1 << 15,
    OF_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | CONTROL_DEVICE,
};

static const uint64_t rights_of[] = {
    [LAB_LANDLOCK_READ] = EXECUTE | READ_FILE | READ_FOLDER,
    [LAB_LANDLOCK_USE] = WRITE_FILE | READ_FILE | READ_FOLDER | TRUNCATE | CONTROL_DEVICE,
    [LAB_LANDLOCK_WRITE] = ~UINT64_C(0),
};

/* Numbers of rights that each version of the interface knows. */
static const struct {
    unsigned files, network, scopes;
} known[] = {{0, 0, 0}, {13, 0, 0}, {14, 0, 0}, {15, 0, 0}, {15, 2, 0}, {16, 2, 0}, {16, 2, 2}};

int lab_landlock_version(void)
{
    enum { ASK_VERSION = 1 };
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
    return version > 0 ? (int)version : 0;
}

static void allow(int ruleset, const struct lab_landlock_path *path, uint64_t handled)
{
    enum { RULE_PATH_BENEATH = 1 };
    struct __attribute__((packed)) {
        uint64_t rights;
        int32_t descriptor;
    } rule = {rights_of[path->access] & handled, open(path->path, O_PATH | O_CLOEXEC)};
    struct stat file;
    if (rule.descriptor < 0)
        return;
    if (fstat(rule.descriptor, &file) == 0 && !S_ISDIR(file.st_mode))
        rule.rights &= OF_FILE;
    syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
    close(rule.descriptor);
}

/* What a ruleset handles is forbidden unless a rule allows it. */
bool lab_landlock_restrict(const struct lab_landlock_path *paths, size_t count, enum lab_landlock_network network)
{
    struct {
        uint64_t files, network, scopes;
    } ruleset = {0};
    enum { NEWEST = sizeof known / sizeof *known - 1 };
    int version = lab_landlock_version();
    if (version < 1)
        return false;
    version = version < NEWEST ? version : NEWEST;
    ruleset.files = (UINT64_C(1) << known[version].files) - 1;
    if (network == LAB_LANDLOCK_NO_TCP)
        ruleset.network = (UINT64_C(1) << known[version].network) - 1;
    ruleset.scopes = (UINT64_C(1) << known[version].scopes) - 1;
    /* An older kernel accepts a longer structure whose unknown members are 0. */
    int descriptor = (int)syscall(SYS_landlock_create_ruleset, &ruleset, sizeof ruleset, 0);
    for (size_t i = 0; i < count; i++)
        allow(descriptor, &paths[i], ruleset.files);
    bool good = descriptor >= 0 && syscall(SYS_landlock_restrict_self, descriptor, 0) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return good;
}
