// Assay measures compute workloads on Apple and NVIDIA GPUs and on CPUs, and watches what the machine does in the meantime.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"assay/app"
	"assay/app/cli"
	"assay/assets"
	"assay/gpu/cpu"
	"assay/gpu/cuda"
	"assay/gpu/metal"
	"assay/monitor"
	"assay/workloads/suite"
)

func main() { os.Exit(run(os.Args[1:])) }

func config() app.Config {
	folder, _ := os.Getwd() // if this fails, runs record no commit
	return app.Config{
		Version: assets.Version, Folder: folder,
		Engines: []app.Engine{
			{Name: "metal", Title: "Metal", Open: metal.Open, OpenOn: metal.OpenOn},
			{Name: "cuda", Title: "CUDA", Open: cuda.Open, OpenOn: cuda.OpenOn},
			{Name: "cpu", Title: "CPU", Open: cpu.Open},
		},
		Workloads: suite.All(), Sources: monitor.Sources(),
		Energy: app.EnergyCounters{GPU: monitor.OpenGPUEnergy, CPU: monitor.OpenCPUEnergy},
		Probe:  func() app.Probe { return monitor.NewProbe() }, SelfTest: true,
		Restart: restart, Validation: metal.ValidationVariables(), Capturing: metal.CaptureVariables(),
	}
}

// run opens the window, with the named documents if any; with other arguments or without a display it works on
// the command line.
func run(args []string) int {
	ctx, stop := untilSignaled()
	defer stop()
	limitHeap()
	restoreEnvironment()
	if why := noWindow(); len(args) == 0 && why != "" {
		fmt.Fprintln(os.Stderr, why+": running the quick suite in the terminal.")
		args = []string{"run", "--quick"}
	}
	if slices.ContainsFunc(args, func(a string) bool { return !app.IsDocument(a) }) {
		return cli.Main(ctx, config(), args, os.Stdout, os.Stderr)
	}
	for _, name := range args {
		if _, err := os.Stat(name); err != nil {
			fmt.Fprintln(os.Stderr, "assay: cannot open", name+":", errors.Unwrap(err))
			return 1
		}
	}
	if err := openWindow(ctx, config(), args); err != nil {
		fmt.Fprintln(os.Stderr, "assay:", err)
		return 1
	}
	return 0
}
