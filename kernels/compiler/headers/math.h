/* NVRTC declares the functions of <math.h> that device code can call. */
