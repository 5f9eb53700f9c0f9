/* Answers <helper_string.h> of NVIDIA's CUDA samples: arguments of the command line, "-NAME", "--NAME" and
 * "-NAME=VALUE", whose names have no case. Written for gpulab from what the samples call; C++. */
#ifndef HELPER_STRING_H
#define HELPER_STRING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2 /* of a sample that cannot run on this machine */
#endif

/* The text behind the name in the first argument of that name: "" or "=VALUE"; NULL if there is none. Some samples
 * write "NAME=". */
inline const char *findCmdLineArgument(int argc, const char **argv, const char *name)
{
    size_t length = strcspn(name, "=");
    for (int i = 1; i < argc; i++) {
        const char *found = argv[i] + strspn(argv[i], "-");
        if (found > argv[i] && strcspn(found, "=") == length && strncasecmp(found, name, length) == 0)
            return found + length;
    }
    return NULL;
}

/* The text of "-NAME=VALUE"; NULL without a value. */
inline const char *findCmdLineValue(int argc, const char **argv, const char *name)
{
    const char *found = findCmdLineArgument(argc, argv, name);
    return found != NULL && *found == '=' ? found + 1 : NULL;
}

inline bool checkCmdLineFlag(int argc, const char **argv, const char *name)
{
    return findCmdLineArgument(argc, argv, name) != NULL;
}

/* The integer; 0 without a value. */
inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name)
{
    const char *value = findCmdLineValue(argc, argv, name);
    return value != NULL ? atoi(value) : 0;
}

inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name)
{
    const char *value = findCmdLineValue(argc, argv, name);
    return value != NULL ? (float)atof(value) : 0.0f;
}

/* Returns whether there is a value; *text is it, or NULL. */
inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name, char **text)
{
    *text = const_cast<char *>(findCmdLineValue(argc, argv, name));
    return *text != NULL;
}

#endif
