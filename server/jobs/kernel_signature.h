/* What the signature of a compiled kernel says of the arguments that a request gives for it. */
#ifndef LAB_KERNEL_SIGNATURE_H
#define LAB_KERNEL_SIGNATURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Checks the arguments (descriptor/own_kernel.h) by a signature such as "gemm(float const* const*, float**, int)":
 * their number, and that tables of buffers are pointers to pointers, buffers are not, and textures and surfaces are
 * their handles. What it does not say is not checked: that of an extern "C" kernel is its name, or NULL. Returns false
 * with *detail set. */
bool lab_kernel_signature_check(const char *signature, const json_t *arguments, char *detail, size_t size);

#endif
