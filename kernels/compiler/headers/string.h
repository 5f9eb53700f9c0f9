/* NVRTC declares the functions of <string.h> that device code can call. */
