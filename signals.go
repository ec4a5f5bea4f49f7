package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// endings are the signals that end Assay in an orderly way: the run is stopped and kept. A hangup that is ignored at startup,
// as under nohup, stays ignored.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// untilSignaled returns a context that ends on the first of these signals. A terminal that closes sends several hangups: those
// after the first have no effect, even while the process ends. A second signal of another kind ends it at once.
func untilSignaled() (context.Context, context.CancelFunc) {
	all := endings()
	ctx, stop := signal.NotifyContext(context.Background(), all...)
	if slices.Contains(all, os.Signal(syscall.SIGHUP)) {
		// This receiver of hangups is never stopped: with signal.Ignore, a hangup could for a moment still end the process.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// restart replaces this process with a new one of the same program, with more environment variables.
func restart(variables ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(self, os.Args, append(os.Environ(), variables...))
}
