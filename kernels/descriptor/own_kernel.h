/* The members of a person's own kernel in a request, as rows of core/schema.h. The API checks all of them, the
 * experiment `kernel` those of which it makes its work.
 */
#ifndef LAB_OWN_KERNEL_MEMBERS_H
#define LAB_OWN_KERNEL_MEMBERS_H

#include "core/protocol.h"
#include "core/schema.h"
#include "descriptor/build_options.h"
#include "descriptor/source_files.h"

enum { LAB_CHECK_SOURCE_MAX = 64 * 1024 };
enum { LAB_OWN_ARGUMENTS_MAX = 16, LAB_OWN_NAME_MAX = 32, LAB_OWN_FIELDS_MAX = 16 };
/* Characters of a saved output in Base64. */
enum { LAB_SAVED_BASE64_MAX = (LAB_SAVED_OUTPUT_MAX + 2) / 3 * 4 };

/* The members of an own kernel, and of one of its arguments. The choices are in the order of the enumerations in
 * experiments/kernel. */
extern const struct lab_schema lab_own_kernel_members[], lab_own_argument_members[];

/* The members that people give of a kernel whose others are fixed: none of them says what its outputs must be. */
extern const struct lab_schema lab_own_submission_members[];

/* The name of a type of elements, by its number in that enumeration. */
const char *lab_own_type_name(size_t type);

/* Whether a text is a name as C has it that an axis can have: not that of a parameter of every experiment. */
bool lab_own_name_is_valid(const char *text);

/* Whether a text is a name as C has it, such as that of a field, of at most LAB_OWN_NAME_MAX characters. */
bool lab_own_field_is_valid(const char *text);

#endif
