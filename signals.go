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

// untilSignaled returns a context that ends with the first of these signals.
func untilSignaled() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	context.AfterFunc(ctx, func() {
		signal.Ignore(syscall.SIGHUP) // a terminal that closes sends several
		stop()                        // a second signal of another kind ends the process at once
	})
	return ctx, stop
}
