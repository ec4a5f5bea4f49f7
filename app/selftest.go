package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/kept"
	"assay/internal/severity"
	"assay/workloads/bench"
)

// SelfTestsFile, in the runs' folder, has the newest self-test of each device.
const SelfTestsFile = "selftests.json"

// Limits of the file.
const (
	maxSelfTests     = 100
	maxSelfTestsSize = 4 << 20
)

// UseSelfTest is the lease of a self-test.
const UseSelfTest Use = "a self-test of the device"

func (s *Session) selfTestsFile() kept.File {
	return kept.File{Path: filepath.Join(s.runsDir(), SelfTestsFile), What: "a file of self-tests", Limit: maxSelfTestsSize}
}

// sameSubject reports whether two self-tests are of the same device, system and build.
func sameSubject(a, b *bundle.SelfTest) bool {
	return a.Engine == b.Engine && a.Device == b.Device && a.System == b.System && a.Build == b.Build
}

// selfTestOf returns an empty self-test that identifies the engine's device, system and build.
func (s *Session) selfTestOf(info *gpu.Info) bundle.SelfTest {
	system := []string{s.Host().Platform}
	return bundle.SelfTest{Engine: info.Engine, Device: info.Device, System: strings.Join(append(system, info.Features...), ", "), Build: buildID(s.config.Version)}
}

// buildID distinguishes builds, even those of the same version.
func buildID(version string) string {
	words := []string{version}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, kv := range info.Settings {
			if kv.Key == "vcs.revision" {
				words = append(words, kv.Value[:min(12, len(kv.Value))])
			}
		}
	}
	if self, err := os.Executable(); err == nil {
		if file, err := os.Stat(self); err == nil {
			words = append(words, fmt.Sprintf("%d B of %s", file.Size(), file.ModTime().UTC().Format(time.RFC3339)))
		}
	}
	return strings.Join(words, ", ")
}

// KeptSelfTest returns the self-test of a device that was made earlier with this build; nil: there is none.
func (s *Session) KeptSelfTest(info gpu.Info) *bundle.SelfTest {
	var all []bundle.SelfTest
	if s.selfTestsFile().Read(&all) != nil {
		return nil
	}
	subject := s.selfTestOf(&info)
	if i := slices.IndexFunc(all, func(t bundle.SelfTest) bool { return sameSubject(&t, &subject) }); i >= 0 {
		return &all[i]
	}
	return nil
}

// selfTest returns the kept self-test if everything passed; otherwise it makes one and keeps it. The caller holds the device.
func (s *Session) selfTest(ctx context.Context, e gpu.Engine) (*bundle.SelfTest, error) {
	if before := s.KeptSelfTest(e.Info()); before != nil && len(before.Failed()) == 0 {
		return before, nil
	}
	return s.newSelfTest(ctx, e)
}

// newSelfTest makes the self-test and keeps it. The caller holds the device.
func (s *Session) newSelfTest(ctx context.Context, e gpu.Engine) (*bundle.SelfTest, error) {
	info := e.Info()
	t := s.selfTestOf(&info)
	tried, err := bench.SelfTest(ctx, e)
	if err != nil {
		return nil, err
	}
	t.Done = time.Now().Round(time.Second)
	for _, one := range tried {
		c := bundle.SelfTested{Name: one.Name, Title: one.Title, State: bundle.SelfPassed, Why: one.Why}
		switch {
		case one.Absent:
			c.State = bundle.SelfAbsent
		case !one.OK:
			c.State = bundle.SelfFailed
		}
		t.Checks = append(t.Checks, c)
	}
	if len(t.Failed()) > 0 {
		s.raise(selfTestAlert, t.String())
	} else {
		s.clear(selfTestAlert)
	}
	return &t, s.keepSelfTest(&t)
}

// keepSelfTest replaces the self-test of the same device.
func (s *Session) keepSelfTest(t *bundle.SelfTest) error {
	file := s.selfTestsFile()
	return file.Change(func() error {
		var all []bundle.SelfTest
		if err := file.Read(&all); err != nil {
			all = nil
			if errors.Is(err, kept.ErrDamaged) {
				err = file.SetAside()
			}
			if err != nil {
				return err
			}
		}
		all = slices.DeleteFunc(all, func(old bundle.SelfTest) bool { return old.Engine == t.Engine && old.Device == t.Device })
		all = append(all, *t)
		return file.Write(all[max(0, len(all)-maxSelfTests):])
	})
}

// testDevice makes the self-test at the first run on a device. A failure is reported, and the run continues: its measurements are
// verified.
func (a *activeRun) testDevice() {
	if !a.session.config.SelfTest || a.ctx.Err() != nil {
		return
	}
	if err := a.session.selfTestsFile().Read(new([]bundle.SelfTest)); err != nil {
		a.noted("Self-test", severity.Warning, "done again: earlier ones cannot be read: "+err.Error())
	}
	t, err := a.session.selfTest(a.ctx, a.engine)
	if err != nil && a.ctx.Err() == nil {
		a.noted("Self-test", severity.Warning, "not done or not kept: "+err.Error())
	}
	if t == nil {
		return
	}
	a.keep(a.bundle.Tested(t))
	if failed := t.Failed(); len(failed) > 0 {
		a.event(bundle.Event{Kind: bundle.ErrorSeen, Severity: severity.Critical, Title: "Self-test failed", Text: t.String()})
		return
	}
	a.noted("Self-test", severity.Info, t.String())
}

// SelfTest repeats the self-test of the open engine of that name, whatever is kept: the caller wants to know the device's state
// now. It acquires the device.
func (e *Engines) SelfTest(ctx context.Context, name string) (*bundle.SelfTest, error) {
	return withOpen(ctx, e.session, name, UseSelfTest, func(engine gpu.Engine) (*bundle.SelfTest, error) {
		return e.session.newSelfTest(ctx, engine)
	})
}
