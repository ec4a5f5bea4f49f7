// Assay measures compute workloads on Apple GPUs and CPUs, and watches what the machine does meanwhile.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"assay/app"
	"assay/app/cli"
	"assay/assets"
	"assay/gpu/cpu"
	"assay/gpu/metal"
	"assay/monitor"
	"assay/ui"
	_ "assay/ui/locale" // before Fyne
	"assay/workloads/suite"
)

func main() { os.Exit(run(os.Args[1:])) }

func config() app.Config {
	folder, _ := os.Getwd() // without one, runs record no commit
	return app.Config{
		Version: assets.Version, Folder: folder,
		Engines: []app.Engine{
			{Name: "metal", Title: "Metal", Open: metal.Open},
			{Name: "cpu", Title: "CPU", Open: cpu.Open},
		},
		Workloads: suite.All(), Sources: monitor.Sources(),
		Probe: func() app.Probe { return monitor.NewProbe() },
	}
}

// endings are the signals that end Assay in an orderly way: the run is stopped and kept. A hangup that is ignored at the start,
// as under nohup, stays ignored.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// run opens the window, with the documents that are named if any; with other arguments or without a display it works on
// the command line.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	context.AfterFunc(ctx, func() {
		signal.Ignore(syscall.SIGHUP) // a terminal that closes sends several
		stop()                        // a second signal of another kind ends the process at once
	})
	if len(args) == 0 && !ui.HasDisplay() {
		fmt.Fprintln(os.Stderr, "No display (neither DISPLAY nor WAYLAND_DISPLAY is set): running the quick suite in the terminal.")
		args = []string{"run", "--quick"}
	}
	if slices.ContainsFunc(args, func(a string) bool { return !ui.IsDocument(a) }) {
		return cli.Main(ctx, config(), args, os.Stdout, os.Stderr)
	}
	for _, name := range args {
		if _, err := os.Stat(name); err != nil {
			fmt.Fprintln(os.Stderr, "assay: cannot open", name+":", errors.Unwrap(err))
			return 1
		}
	}
	if err := ui.Open(ctx, config(), args); err != nil {
		fmt.Fprintln(os.Stderr, "assay:", err)
		return 1
	}
	return 0
}
