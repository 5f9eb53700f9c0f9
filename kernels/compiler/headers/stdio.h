/* NVRTC declares the functions of <stdio.h> that device code can call. */
#ifndef LAB_COMPILER_STDIO_H
#define LAB_COMPILER_STDIO_H

namespace std
{
using ::printf;
} // namespace std

#endif
