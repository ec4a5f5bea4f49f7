package app

import (
	"errors"
	"fmt"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/internal/si"
	"assay/workloads"
)

// checkCapture reports why engine cannot capture, when the request asks for it.
func (r *Request) checkCapture(engine gpu.Engine) error {
	if r.Capture == "" {
		return nil
	}
	if _, ok := gpu.As[gpu.Capturer](engine); !ok {
		return fmt.Errorf("capture %s: engine %s cannot capture; Metal can", r.Capture, engine.Info().Engine)
	}
	return nil
}

// CaptureTitle is the title of the note on a capture that was written.
const CaptureTitle = "Capture"

// captured runs the jobs, within a capture if requested.
func (a *activeRun) captured() error {
	if a.request.Capture == "" {
		return a.jobs()
	}
	capturer, _ := gpu.As[gpu.Capturer](a.engine) // checked by checkCapture
	stop, err := capturer.Capture(a.request.Capture)
	if err != nil {
		return err
	}
	err = a.jobs()
	if stopped := stop(); stopped != nil {
		return errors.Join(err, stopped)
	}
	a.event(bundle.Event{Kind: bundle.Noted, Title: CaptureTitle, Text: a.request.Capture + " holds the command buffers of this run"})
	return err
}

// capturedWarning goes with every result of a captured run.
const capturedWarning = "captured: the capture slowed the device, times are not valid"

func (a *activeRun) warnCaptured(rs []workloads.Result) {
	if a.request.Capture == "" {
		return
	}
	for i := range rs {
		rs[i].Warn(workloads.Captured, capturedWarning)
	}
}

// CacheDamagedTitle is the title of the event that reports damaged compiled kernels on disk.
const CacheDamagedTitle = "Kernel cache damaged"

// noteCompiles records how many pipelines this run created, and how long that took without and with the cache on disk.
func (a *activeRun) noteCompiles(before int) {
	all, ok := compiles(a.engine)
	if !ok || len(all) == before {
		return
	}
	var cold, warm, builtIn tally
	crashes, damaged := 0, 0
	for _, c := range all[before:] {
		crashes += c.Retries
		if c.Damaged {
			damaged++
		}
		switch {
		case c.BuiltIn:
			builtIn.add(c.Seconds)
		case c.Warm:
			warm.add(c.Seconds)
		default:
			cold.add(c.Seconds)
		}
	}
	text := fmt.Sprintf("%s; from the cache on disk: %s", cold, warm)
	if builtIn.n > 0 {
		text += fmt.Sprintf("; built in: %s", builtIn)
	}
	a.event(bundle.Event{Kind: bundle.Noted, Title: "Pipelines", Text: text})
	if damaged > 0 {
		a.tell(bundle.Event{
			Kind: bundle.Noted, Severity: severity.Warning, Title: CacheDamagedTitle, Text: si.Counted(damaged, "kernel") + " in the cache on disk did not match the checksum: compiled again",
		})
	}
	if crashes > 0 {
		a.tell(bundle.Event{
			Kind: bundle.Noted, Severity: severity.Warning, Title: "Compiler crashed", Text: si.Counted(crashes, "time") + "; the system started another, which was asked again",
		})
	}
}

// compiles lists the pipelines that the engine has created, if it reports them.
func compiles(engine gpu.Engine) ([]gpu.Compile, bool) {
	log, ok := gpu.As[gpu.CompileLog](engine)
	if !ok {
		return nil, false
	}
	return log.Compiles(), true
}

// tally counts pipelines and sums their seconds.
type tally struct {
	n       int
	seconds float64
}

func (t *tally) add(seconds float64) { t.n, t.seconds = t.n+1, t.seconds+seconds }

func (t tally) String() string {
	if t.n == 0 {
		return "none"
	}
	return fmt.Sprintf("%d compiled in %v", t.n, time.Duration(t.seconds*float64(time.Second)).Round(10*time.Microsecond))
}
