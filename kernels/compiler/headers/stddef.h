/* The types of <stddef.h> and <cstddef>; NVRTC declares size_t and ptrdiff_t. */
#ifndef LAB_COMPILER_STDDEF_H
#define LAB_COMPILER_STDDEF_H

#define offsetof(type, member) __builtin_offsetof(type, member)

namespace std
{
using ::ptrdiff_t;
using ::size_t;
} // namespace std

#endif
