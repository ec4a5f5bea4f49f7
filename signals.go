package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// endings are the signals that end Assay in an orderly way: the run is stopped and kept. A hangup that is ignored at the start,
// as under nohup, stays ignored.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// untilSignaled returns a context that ends with the first of these signals. A terminal that closes sends several hangups: those after
// the first are ignored, also while the process ends. A second signal of another kind ends it at once.
func untilSignaled() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	end := func() {
		if ctx.Err() != nil {
			signal.Ignore(syscall.SIGHUP) // before stop, which would let it end the process
		}
		stop()
	}
	context.AfterFunc(ctx, end)
	return ctx, end
}

// restart starts this program again in place of the process, with more variables.
func restart(variables ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(self, os.Args, append(os.Environ(), variables...))
}
