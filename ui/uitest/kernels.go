package uitest

import (
	"fmt"

	"assay/app"
)

// Kernels is a service of a few kernels that stay the same, whatever the catalog has.
type Kernels struct{ Disk *KernelCache }

// List is part of desk.KernelService.
func (Kernels) List() []app.KernelInfo {
	header := app.KernelFile{Name: "include/common.h", Text: "#include <metal_stdlib>\nusing namespace metal;\n"}
	return []app.KernelInfo{
		{
			ID: "scale/plain", Family: "Elementwise", Operation: "scale", Implementation: "plain", About: "out = x · factor",
			Kernels: kernelTypes("scale", "plain", "f32", "f16"),
			Args:    []app.KernelArg{{Name: "x", Access: "in", Type: "f32, f16"}, {Name: "out", Access: "out", Type: "f32, f16"}},
			Params:  []app.KernelParam{{Name: "n", Type: "uint"}, {Name: "factor", Type: "float"}},
			Cost:    app.KernelCost{Params: "n=4096, factor=0.5", Ops: 4096, Bytes: 32768},
			Launch:  &app.KernelLaunch{Threads: 256}, Hash: "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
			Files: []app.KernelFile{{Name: "scale.metal", Text: scaleSource}, header},
		},
		product("tiled", "", app.KernelFile{Name: "product.metal", Text: productSource}, header),
		product("mps", "Apple’s MPS"),
		{
			ID: "norm/plain", Family: "Normalization", Operation: "norm", Implementation: "plain",
			About:   "x[r,c] = x[r,c] / sqrt(mean of x[r,·]²), in place",
			Kernels: kernelTypes("norm", "plain", "f32", "bf16"), Args: []app.KernelArg{{Name: "x", Access: "in and out", Type: "f32, bf16"}},
			Params: []app.KernelParam{{Name: "rows", Type: "uint"}, {Name: "cols", Type: "uint"}},
			Tunables: []app.KernelTunable{
				{Name: "threads", Values: []int32{32, 64, 128, 256, 1024}, Default: 256, About: "threads that share a row"},
			},
			Cost: app.KernelCost{Params: "rows=33, cols=100", Ops: 9900, Bytes: 26400}, Launch: &app.KernelLaunch{Threads: 1024, Shared: 128}, Hash: "99aabbccddeeff00112233445566778899",
			Files: []app.KernelFile{{Name: "norm.metal", Text: normSource}, header},
		},
	}
}

// product returns an implementation of a GEMM; one from a library has no files.
func product(implementation, library string, files ...app.KernelFile) app.KernelInfo {
	k := app.KernelInfo{
		ID: "product/" + implementation, Family: "Matrix multiplication", Operation: "product", Implementation: implementation,
		About: "out[m,n] = a[m,k] · b, row-major; b is [k,n], or [n,k] with transpose_b", Library: library, Files: files,
		Kernels: kernelTypes("product", implementation, "f32", "f16"),
		Args: []app.KernelArg{
			{Name: "a", Access: "in", Type: "f32, f16"},
			{Name: "b", Access: "in", Type: "f32, f16"},
			{Name: "bias", Access: "in", Type: "f32, f16", If: "has_bias"},
			{Name: "out", Access: "out", Type: "f32, f16"},
		},
		Cost:      app.KernelCost{Params: "m=130, n=70, k=33", Ops: 600600, Bytes: 62800},
		Params:    []app.KernelParam{{Name: "m", Type: "uint"}, {Name: "n", Type: "uint"}, {Name: "k", Type: "uint"}},
		Constants: []app.KernelConstant{{Name: "transpose_b", Max: 1, About: "b is stored as [n,k]"}, {Name: "has_bias", Max: 1, About: "a bias per column is added"}},
	}
	if library == "" {
		k.Launch, k.Hash = &app.KernelLaunch{Threads: 256}, "a1b2c3d4e5f60718293a4b5c6d7e8f90"
	}
	return k
}

// kernelTypes are the kernels of an implementation.
func kernelTypes(op, implementation string, types ...string) []app.KernelType {
	var list []app.KernelType
	for _, t := range types {
		k := app.KernelType{Type: t, ID: op + "/" + implementation + "/" + t, Entry: op + "_" + t}
		if t == "bf16" {
			k.Needs = "bfloat"
		}
		list = append(list, k)
	}
	return list
}

// Support is part of desk.KernelService: the CPU engine lacks the library and bf16.
func (Kernels) Support(engine string) (app.KernelSupport, error) {
	if engine != "cpu" {
		return app.KernelSupport{}, fmt.Errorf("engine %s is not available: needs macOS", engine)
	}
	const library = "the CPU engine does not have MPS"
	return app.KernelSupport{Engine: "cpu", Title: "CPU", Refused: map[string]string{
		"product/mps/f32": library, "product/mps/f16": library, "norm/plain/bf16": "the CPU engine has no C code for it",
	}}, nil
}

const scaleSource = `// A vector times a number.
#include "common.h"

kernel void scale_f32(device const float *x [[buffer(0)]],
                      device float *out [[buffer(1)]],
                      constant ScaleParams &p [[buffer(2)]],
                      uint i [[thread_position_in_grid]]) {
    if (i < p.N) {
        out[i] = x[i] * p.Factor; // rounded once
    }
}
`

const productSource = `// A product of matrices in tiles of 64 × 64, one per threadgroup of 16 × 16 threads. Each thread adds up 4 × 4 elements.
#include "common.h"

constant bool transpose_b [[function_constant(0)]];
constant bool has_bias [[function_constant(1)]];

constant uint tile = 64;
constant uint depth = 16;

struct Panels {
    float a[depth][tile];
    float b[depth][tile];
};

template <typename T>
[[kernel]] void product(device const T *a [[buffer(0)]],
                        device const T *b [[buffer(1)]],
                        device const T *bias [[buffer(2), function_constant(has_bias)]],
                        device T *out [[buffer(3)]],
                        constant ProductParams &p [[buffer(4)]],
                        uint2 group [[threadgroup_position_in_grid]],
                        uint2 local [[thread_position_in_threadgroup]]) {
    threadgroup Panels panels;
    float sum[4][4] = {};
    for (uint k = 0; k < p.K; k += depth) {
        threadgroup_barrier(mem_flags::mem_threadgroup); // the panels of the step before have been read
        load(panels, a, b, p, group, local, k);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        multiply(panels, sum, local);
    }
    store(out, bias, sum, p, group, local);
}

template [[host_name("product_f32")]] [[kernel]] void product<float>(
    device const float *, device const float *, device const float *, device float *, constant ProductParams &, uint2, uint2);
template [[host_name("product_f16")]] [[kernel]] void product<half>(
    device const half *, device const half *, device const half *, device half *, constant ProductParams &, uint2, uint2);
`

const normSource = `// Rows divided by their root mean square.
#include "common.h"
`
