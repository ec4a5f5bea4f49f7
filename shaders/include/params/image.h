#ifndef ASSAY_PARAMS_IMAGE_H
#define ASSAY_PARAMS_IMAGE_H
#include "params/types.h"

#define IMAGE_WIDE 0 // index of the function constant

// n images of h × w pixels of c channels, and the size of the results. Sizes are at most 16384, so that positions are exact
// integers.
struct ResizeParams {
    uint n;
    uint h;
    uint w;
    uint c;
    uint outh;
    uint outw;
};

// n images of h × w pixels of c channels.
struct BlurParams {
    uint n;
    uint h;
    uint w;
    uint c;
};

// The pixels of any number of images, of `channels` channels.
struct NormalizeParams {
    uint pixels;
    uint channels;
};

struct GrayParams {
    uint pixels;
    uint channels;
};

// The weights of red, green and blue in gray (ITU-R BT.601).
#define GRAY_RED 0.299f
#define GRAY_GREEN 0.587f
#define GRAY_BLUE 0.114f

#endif
