#ifndef ASSAY_PARAMS_CONV_H
#define ASSAY_PARAMS_CONV_H
#include "params/types.h"

// Images x and filters of side × side. By channel (NCHW): x[n][c][h][w], filters[o][c][side][side], out[n][o][·][·]. By pixel
// (NHWC): x[n][h][w][c], filters[o][side][side][c], out[n][·][·][o]. Pixels outside the image are 0.
struct ConvParams {
    uint n;
    uint c;
    uint h;
    uint w;
    uint o;
    uint side;
    uint stride;
    uint pad; // pixels of padding on each edge
};

#define CONV_MAX_SIDE 7
#define CONV_MAX_STRIDE 4

// Rows or columns of the output, from those of the input.
#define CONV_OUT(in, p) (((in) + 2 * (p).pad - (p).side) / (p).stride + 1)

// Indices of the function constants.
#define CONV_BY_PIXEL 0
#define CONV_HAS_BIAS 1
#define CONV_ACTIVATION 2 // see activation.h

// The tiled form: rows and columns of output pixels per threadgroup, output channels per thread, and floats of pixels and filters
// in threadgroup memory, of which every GPU has 32 KiB.
#define CONV_TILE 16
#define CONV_TILE_OUTPUTS 8
#define CONV_TILE_FLOATS 8192

// Rows and columns of the input that a tile needs, floats per input channel, and input channels per iteration. One channel fits
// even with the largest filter at the largest stride.
#define CONV_TILE_EDGE(p) ((CONV_TILE - 1) * (p).stride + (p).side)
#define CONV_TILE_CHANNEL(p) (CONV_TILE_EDGE(p) * CONV_TILE_EDGE(p) + CONV_TILE_OUTPUTS * (p).side * (p).side)
#define CONV_TILE_CHANNELS(p) (CONV_TILE_FLOATS / CONV_TILE_CHANNEL(p))

#endif
