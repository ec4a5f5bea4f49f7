package advice

// contrastRules are the rules about alternatives that a run measured side by side.
func contrastRules() []Rule {
	var rules []Rule
	for _, c := range contrasts() {
		rules = append(rules, c.rule())
	}
	return rules
}

func contrasts() []contrast {
	return []contrast{
		{
			Rule: Rule{
				ID: "unfused", Title: "Operations that could be fused", Needs: "results of separate and of fused kernels",
				Do: "Run the operations in one kernel: intermediate results then stay out of memory, and there is one launch.",
			},
			slow: []string{"separate"}, fast: []string{"fused"}, slowWords: "separate dispatches", fastWay: "one fused kernel",
		},
		{
			Rule: Rule{
				ID: "wide-format-measured", Title: "A wider number format than needed", Needs: "results in f32 and in f16 of the same case",
				Do: "Store the operands in f16 and sum in f32, if their values stay within ± 65,504 and 3 digits are enough.",
			},
			slow: []string{"f32"}, fast: []string{"f16", "bf16"}, slowWords: "f32", fastWay: "half precision",
		},
		{
			Rule: Rule{
				ID: "unpooled", Title: "Buffers allocated again and again", Needs: "the workload “pool”, with its study of pooling",
				Do: "Take buffers from a pool, and prewarm it with the sizes that are needed.",
			},
			workload: "pool", where: map[string]string{"study": "pooling"}, axis: "way", slow: []string{"unpooled"}, fast: []string{"pooled", "prewarmed"},
			slowWords: "new buffers", fastWay: "taking buffers from a pool",
		},
		{
			Rule: Rule{
				ID: "allocating", Title: "Buffers made for each batch", Needs: "the workload “pool”, with its study of batches",
				Do: "Allocate the buffers of the largest batch once, before the first.",
			},
			workload: "pool", where: map[string]string{"study": "batches"}, slow: []string{"cold"}, fast: []string{"preallocated"},
			slowWords: "making them for each batch", fastWay: "preallocating buffers",
		},
		{
			Rule: Rule{
				ID: "one-dispatch-each", Title: "A command buffer for each dispatch", Needs: "the workload “latency”, with its part “dispatches”",
				Do: "Encode many dispatches into one command buffer, and commit it once.",
			},
			workload: "latency", where: map[string]string{"part": "dispatches"}, slow: []string{"one each"}, fast: []string{"one command buffer"},
			slowWords: "a command buffer for each dispatch", fastWay: "one command buffer for all dispatches",
		},
		{
			Rule: Rule{
				ID: "waiting", Title: "The host waits for each command buffer", Needs: "the workload “latency”, with its part “sync”",
				Do: "Keep two or more command buffers in flight, and wait only where the host reads a result.",
			},
			workload: "latency", where: map[string]string{"part": "sync"}, slow: []string{"wait for each"},
			fast:      []string{"some in flight", "wait at the end", "events"},
			slowWords: "waiting for each command buffer", fastWay: "keeping command buffers in flight",
		},
		{
			Rule: Rule{
				ID: "copied", Title: "Copies where none is needed", Needs: "the workload “transfers”, with its part “once” or “reuse”",
				Do: "Wrap host memory in a buffer without a copy (makeBuffer(bytesNoCopy:), page-aligned), and let kernels read it in place.",
			},
			workload: "transfers", slow: []string{"upload"}, fast: []string{"no copy"}, slowWords: "an upload", fastWay: "using the host’s memory in place",
		},
		{
			Rule: Rule{
				ID: "small-uploads", Title: "Many small uploads", Needs: "the workload “transfers”, with its part “moves”",
				Do: "Gather the data, and transfer it in one piece.",
			},
			workload: "transfers", where: map[string]string{"part": "moves"}, slow: []string{"small uploads"}, fast: []string{"upload"},
			slowWords: "many small ones", fastWay: "one upload",
		},
		{
			Rule: Rule{
				ID: "strided", Title: "Memory accessed out of order", Needs: "the workload “bandwidth”, with its access patterns",
				Do: "Let neighboring threads access neighboring elements; transpose or gather once, in tiles.",
			},
			workload: "bandwidth", where: map[string]string{"access": "patterns"}, slow: []string{"strided", "random"}, fast: []string{"sequential", "copy"},
			slowWords: "strided or random access", fastWay: "sequential access",
		},
		{
			Rule: Rule{
				ID: "columns", Title: "A matrix walked across its rows", Needs: "the workload “bandwidth”, with its layouts",
				Do: "Walk along the rows, or transpose in tiles of threadgroup memory.",
			},
			workload: "bandwidth", where: map[string]string{"access": "layouts"}, slow: []string{"columns"}, fast: []string{"rows"},
			slowWords: "along its columns", fastWay: "walking a matrix along its rows",
		},
		{
			Rule: Rule{
				ID: "serial", Title: "Transfers and compute one after the other", Needs: "the workload “overlap”, with its pipeline",
				Do: "Upload the next chunk while the device works on this one: two buffers, two queues.",
			},
			workload: "overlap", slow: []string{"serial"}, fast: []string{"double-buffered", "prefetch"},
			slowWords: "one after the other", fastWay: "overlapping transfers with compute",
		},
	}
}
