#ifndef ASSAY_PARAMS_CONV_H
#define ASSAY_PARAMS_CONV_H
#include "params/types.h"

// Images x and filters of side × side. By channel (NCHW): x[n][c][h][w], filters[o][c][side][side], out[n][o][·][·]. By pixel
// (NHWC): x[n][h][w][c], filters[o][side][side][c], out[n][·][·][o]. Pixels beside the image are 0.
struct ConvParams {
    uint n;
    uint c;
    uint h;
    uint w;
    uint o;
    uint side;
    uint stride;
    uint pad; // pixels on each edge
};

#define CONV_MAX_SIDE 7
#define CONV_MAX_STRIDE 4

// Rows or columns of the output, from those of the input.
#define CONV_OUT(in, p) (((in) + 2 * (p).pad - (p).side) / (p).stride + 1)

// Indices of the constants.
#define CONV_BY_PIXEL 0
#define CONV_HAS_BIAS 1
#define CONV_ACTIVATION 2 // see activation.h

#define CONV_TILE 16 // rows and columns of the output that a threadgroup of the tiled form makes
#define CONV_TILE_FLOATS 5476 // of the input in its memory: 4 channels of the largest filter at stride 2

#endif
