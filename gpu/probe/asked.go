package probe

import (
	"context"
	"fmt"
	"strings"

	"assay/gpu"
	"assay/internal/si"
	"assay/shaders/catalog"
)

// Abilities that are only queried, not tried.

// compileLog compiles a kernel, so that there is an entry.
func compileLog(_ context.Context, e gpu.Engine) (string, error) {
	log, err := offered[gpu.CompileLog](e, "the engine logs no compilation")
	if err != nil {
		return "", err
	}
	if _, err := e.Kernel(catalog.MustFind(kernel)); err != nil {
		return "", err
	}
	all := log.Compiles()
	if len(all) == 0 {
		return "", fmt.Errorf("%s was compiled and is not in the log", kernel)
	}
	last := all[len(all)-1]
	return fmt.Sprintf("%s in %s, pipeline cache: %s", last.Kernel, si.Time(last.Seconds), last.Cache), nil
}

func recompile(ctx context.Context, e gpu.Engine) (string, error) {
	compiler, err := offered[gpu.Compiler](e, "the engine has built-in kernels")
	if err != nil {
		return "", err
	}
	done, err := compiler.Recompile(ctx, catalog.MustFind(kernel), true)
	return fmt.Sprintf("%s, cold, in %s", kernel, si.Time(done.Seconds)), err
}

func deviceMemory(_ context.Context, e gpu.Engine) (string, error) {
	reporter, err := offered[gpu.MemoryReporter](e, "the engine counts its buffers only")
	if err != nil {
		return "", err
	}
	m, err := reporter.DeviceMemory()
	if err != nil {
		return "", err
	}
	if m.ResourceLimit > 0 {
		return fmt.Sprintf("%s, at most %d buffers in a process", si.Bytes(float64(m.Allocated)), m.ResourceLimit), nil
	}
	return si.Bytes(float64(m.Allocated)), nil
}

func deviceLoss(_ context.Context, e gpu.Engine) (string, error) {
	losable, err := offered[gpu.Losable](e, "the device cannot be lost, or the engine would not know")
	if err != nil {
		return "", err
	}
	if err := losable.Lost(); err != nil {
		return "", err
	}
	return "the device is there", nil
}

func capture(_ context.Context, e gpu.Engine) (string, error) {
	capturer, err := offered[gpu.Capturer](e, "the engine has no command buffers a debugger can read")
	if err == nil {
		err = capturer.Capturable()
	}
	return "not tried; assay run --capture makes one", err
}

func trace(_ context.Context, e gpu.Engine) (string, error) {
	tracer, err := offered[gpu.Tracer](e, "no system profiler supports the engine")
	if err != nil {
		return "", err
	}
	return "not tried; " + tracer.TraceCommand(), nil
}

func devices(_ context.Context, e gpu.Engine) (string, error) {
	chooser, err := offered[gpu.Chooser](e, "the engine always runs on the same device")
	if err != nil {
		return "", err
	}
	all, how := chooser.Devices()
	if len(all) == 1 {
		return all[0].Name + ", the only one", nil
	}
	var others []string
	for _, d := range all[1:] {
		others = append(others, d.Name)
	}
	return fmt.Sprintf("%s in use; --device or %s takes another: %s", all[0].Name, how, strings.Join(others, ", ")), nil
}
