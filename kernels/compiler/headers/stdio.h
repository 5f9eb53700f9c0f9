/* NVRTC declares the functions of <stdio.h> that device code can call. */
