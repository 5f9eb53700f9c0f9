/* Reads the file with a token. */
#include "token_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool check_mode(int file, const char *path, struct lab_error *error)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return lab_error_set(error, LAB_ERROR_TOKEN_FILE, "--token-file", "%s cannot be read: %m.", path);
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) == 0)
        return true;
    return lab_error_set(error, LAB_ERROR_TOKEN_FILE, "--token-file",
                         "Other users may access %s, which contains a token. Use: chmod 600 '%s'", path, path);
}

/* Removes spaces, tabs and line ends around the text, in place. */
static char *trim(char *text)
{
    static const char blank[] = " \t\r\n";
    size_t length = strlen(text);
    while (length > 0 && strchr(blank, text[length - 1]) != NULL)
        text[--length] = '\0';
    return text + strspn(text, blank);
}

static bool is_token(const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        if (*c <= ' ' || *c > '~')
            return false;
    return text[0] != '\0';
}

bool lab_token_read(const char *path, char token[LAB_TOKEN_MAX], struct lab_error *error)
{
    char text[LAB_TOKEN_MAX] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return lab_error_set(error, LAB_ERROR_TOKEN_FILE, "--token-file", "%s cannot be read: %m.", path);
    bool good = check_mode(file, path, error);
    ssize_t length = good ? read(file, text, sizeof text - 1) : 0;
    close(file);
    if (!good)
        return false;
    const char *found = trim(text);
    if (length < 0 || strlen(text) >= sizeof text - 1 || !is_token(found))
        return lab_error_set(error, LAB_ERROR_TOKEN_FILE, "--token-file",
                             "%s must contain one line, the token, of at most %d characters.", path, LAB_TOKEN_MAX - 2);
    memmove(token, found, strlen(found) + 1);
    return true;
}
