/* Writes the path and query of a request, percent-encoded. */
#ifndef LAB_URL_H
#define LAB_URL_H

#include <stdbool.h>

/* The longest target that a lab accepts, with its NUL. */
enum { LAB_URL_MAX = 8192 };

struct lab_url {
    char text[LAB_URL_MAX];
    bool cut; /* something did not fit */
};

/* Starts with a path that needs no encoding. */
void lab_url_begin(struct lab_url *url, const char *path);
/* Appends "/SEGMENT". */
void lab_url_segment(struct lab_url *url, const char *segment);
/* Appends "?NAME=VALUE", or "&NAME=VALUE" after the first. Does nothing when `value` is NULL. */
void lab_url_query(struct lab_url *url, const char *name, const char *value);

#endif
