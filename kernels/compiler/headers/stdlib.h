/* NVRTC declares the functions of <stdlib.h> that device code can call. */
