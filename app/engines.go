package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/probe"
	"assay/workloads"
)

// Engine is one engine that the user can choose.
type Engine struct {
	Name, Title string
	Open        func() (gpu.Engine, error) // nil if not part of this build
	Missing     string                     // why not, if Open is nil
	// OpenOn opens the device that a user names; nil if there is no choice.
	OpenOn func(device string) (gpu.Engine, error)
}

// EngineState is the outcome of opening an engine.
type EngineState struct {
	Name, Title string
	Available   bool
	Reason      string // why it is not available
	Info        gpu.Info
	Devices     []gpu.Device     // the devices that it could open, the one in use first; empty if there is no choice
	SelfTest    *bundle.SelfTest // of the device, the newest one with this build; nil: none was made
	Validates   bool             // its system can check each call if Assay is started that way
	Validation  string           // what checks each call; empty: nothing
	Captures    bool             // its command buffers can be recorded for a debugger if NoCapture is empty
	NoCapture   string           // why that is impossible now; empty: it is possible
	Trace       string           // command line of the system's profiler for this process; empty if there is none
	// Lacks lists what it cannot measure, by workload; workloads that it measures completely are left out.
	Lacks map[string]workloads.Lacks
}

// engines opens each engine at most once, on first use.
type engines struct {
	mu      sync.Mutex
	specs   []Engine
	devices map[string]string // chosen by the user, by engine
	wanted  string            // the device that the engine must have, for errors; empty: any
	open    map[string]gpu.Engine
	meter   *gpu.Meter
	pools   *pools
	last    atomic.Pointer[gpu.Engine] // last returned by get, or opened first; readable while another opens
}

func newEngines(specs []Engine) *engines {
	return &engines{specs: specs, devices: map[string]string{}, open: map[string]gpu.Engine{}, meter: gpu.NewMeter(), pools: newPools()}
}

// found is an open engine and the reason for choosing it.
type found struct {
	engine gpu.Engine
	spec   Engine
	why    string
}

// get opens the engine of that name, or with "auto" the first that opens, and says why it was chosen. "auto" chooses a
// simulated device only if no other opens.
func (e *engines) get(name string) (gpu.Engine, string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f, err := e.find(name)
	if err != nil {
		return nil, "", err
	}
	e.last.Store(&f.engine)
	return f.engine, f.why, nil
}

// peek is get without making the engine the current one.
func (e *engines) peek(name string) (found, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.find(name)
}

func (e *engines) find(name string) (found, error) {
	if name == "auto" {
		return e.first()
	}
	var names []string
	for _, spec := range e.specs {
		names = append(names, spec.Name)
		if name != spec.Name {
			continue
		}
		engine, err := e.get1(spec)
		if err != nil {
			return found{}, fmt.Errorf("engine %s is not available: %w", name, reduced(err))
		}
		return found{engine, spec, bundle.EngineAsked}, nil
	}
	return found{}, fmt.Errorf("no engine %q: want one of auto, %s", name, strings.Join(names, ", "))
}

func (e *engines) first() (found, error) {
	var why []string
	var simulated found
	for _, spec := range e.specs {
		engine, err := e.get1(spec)
		switch {
		case err != nil:
			why = append(why, fmt.Sprintf("no %s: %v", spec.Title, reduced(err)))
		case !engine.Info().Simulated:
			return found{engine, spec, strings.Join(why, "; ")}, nil
		default:
			why = append(why, spec.Title+": simulated")
			if simulated.engine == nil {
				simulated = found{engine: engine, spec: spec}
			}
		}
	}
	if simulated.engine == nil {
		return found{}, fmt.Errorf("no engine opens%s: %s", e.wanted, strings.Join(why, "; "))
	}
	simulated.why = strings.Join(append(why, "no other opens"), "; ")
	return simulated, nil
}

func (e *engines) get1(spec Engine) (gpu.Engine, error) {
	if engine, ok := e.open[spec.Name]; ok {
		return engine, nil
	}
	if spec.Open == nil {
		return nil, fmt.Errorf("%s", spec.Missing)
	}
	open := spec.Open
	if device := e.devices[spec.Name]; device != "" {
		open = func() (gpu.Engine, error) { return spec.OpenOn(device) }
	}
	engine, err := open()
	if err != nil {
		return nil, err
	}
	engine = e.meter.Wrap(engine)
	e.open[spec.Name] = engine
	e.last.CompareAndSwap(nil, &engine)
	return engine, nil
}

// only keeps the engines that let the user choose a device, and opens that device with each that has it.
func (e *engines) only(device string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.wanted = fmt.Sprintf(" device %q", device)
	for i := range e.specs {
		spec := &e.specs[i]
		switch {
		case spec.OpenOn != nil:
			e.devices[spec.Name] = device
		case spec.Open != nil:
			spec.Open, spec.Missing = nil, "it has no device to choose"
		}
	}
}

// choose makes the next use of the engine open that device; empty: its default device. The caller holds the device.
func (e *engines) choose(name, device string) error {
	e.mu.Lock()
	i := slices.IndexFunc(e.specs, func(s Engine) bool { return s.Name == name })
	if i < 0 || e.specs[i].OpenOn == nil {
		e.mu.Unlock()
		return fmt.Errorf("engine %s has no device to choose", name)
	}
	changed := e.devices[name] != device
	e.devices[name] = device
	open := e.open[name]
	e.mu.Unlock()
	if changed && open != nil {
		return e.shut(open, errors.New("another device was chosen; the next run opens it"))
	}
	return nil
}

// chosen returns the device that a user chose for the engine of that name; empty: its default device.
func (e *engines) chosen(name string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.devices[name]
}

// plainError is an error worded for people.
type plainError struct {
	words string
	error // with the operations that led to it
}

func (e plainError) Error() string { return e.words }

// Unwrap is the error itself.
func (e plainError) Unwrap() error { return e.error }

// reduced reduces an unsupported error to what is missing: "Metal needs macOS", rather than that opening it failed.
func reduced(err error) error {
	var seam *gpu.Error
	if errors.As(err, &seam) && errors.Is(seam.Kind, gpu.ErrUnsupported) && seam.Detail != "" {
		return plainError{seam.Detail, err}
	}
	return err
}

// opened returns the engine of that name if it is open; "auto" and "" mean the current one.
func (e *engines) opened(name string) (gpu.Engine, bool) {
	if name == "auto" || name == "" {
		return e.current()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	engine, ok := e.open[name]
	return engine, ok
}

// current returns the engine last returned by get, if any.
func (e *engines) current() (gpu.Engine, bool) {
	if p := e.last.Load(); p != nil {
		return *p, true
	}
	return nil, false
}

// deviceID returns the ID of the current engine's device, for sources that read one of several; empty: unknown.
func (e *engines) deviceID() string {
	engine, ok := e.current()
	if !ok {
		return ""
	}
	if identified, ok := gpu.As[gpu.Identified](engine); ok {
		return identified.DeviceID()
	}
	return ""
}

// drop closes a failed engine and its pool, so that the next use reopens both. The caller holds the device.
func (e *engines) drop(engine gpu.Engine) {
	why := fmt.Errorf("%w; the next run reopens it", gpu.ErrDeviceLost)
	if errors.Is(gpu.Lost(engine), gpu.ErrRestart) {
		why = fmt.Errorf("%w: %w to use it again", gpu.ErrDeviceLost, gpu.ErrRestart)
	}
	_ = e.shut(engine, why) // the engine is lost anyway: an error adds nothing
}

// shut closes an engine and its pool, which reports why.
func (e *engines) shut(engine gpu.Engine, why error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var err error
	for name, open := range e.open {
		if open == engine {
			e.pools.drop(engine, why)
			err = engine.Close()
			delete(e.open, name)
			if last := e.last.Load(); last != nil && *last == engine {
				e.last.CompareAndSwap(last, nil)
			}
		}
	}
	return err
}

// close closes all engines. The caller holds the device.
func (e *engines) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var first error
	for name, engine := range e.open {
		e.pools.drop(engine, errors.New("the session is closed"))
		if err := engine.Close(); err != nil && first == nil {
			first = fmt.Errorf("engine %s: %w", name, err)
		}
		delete(e.open, name)
	}
	e.last.Store(nil)
	return first
}

// Engines is the service that opens engines.
type Engines struct{ session *Session }

// Engines is the service that opens engines.
func (s *Session) Engines() *Engines { return &Engines{s} }

// List opens every engine to find out which ones work, and closes none that is in use.
func (e *Engines) List() []EngineState {
	s := e.session
	var states []EngineState
	for _, spec := range s.config.Engines {
		state := EngineState{Name: spec.Name, Title: spec.Title}
		s.engines.mu.Lock()
		engine, err := s.engines.get1(spec)
		s.engines.mu.Unlock()
		if err != nil {
			state.Reason = reduced(err).Error()
		} else {
			state.Available, state.Info, state.Lacks = true, engine.Info(), lacks(s.config.Workloads, engine)
			_, state.Validates = gpu.As[gpu.Validating](engine)
			state.Validation = gpu.Validation(engine)
			if capturer, ok := gpu.As[gpu.Capturer](engine); ok {
				state.Captures = true
				if err := capturer.Capturable(); err != nil {
					state.NoCapture = reduced(err).Error()
				}
			}
			if s.config.SelfTest {
				state.SelfTest = s.KeptSelfTest(state.Info)
			}
			if tracer, ok := gpu.As[gpu.Tracer](engine); ok {
				state.Trace = tracer.TraceCommand()
			}
			if chooser, ok := gpu.As[gpu.Chooser](engine); ok && spec.OpenOn != nil {
				state.Devices, _ = chooser.Devices()
			}
		}
		states = append(states, state)
	}
	return states
}

// UseDevice makes an engine open that device from now on, by its ID, index or name; empty: its default device. It
// acquires the device: ErrBusy while something is measured.
func (e *Engines) UseDevice(ctx context.Context, engine, device string) error {
	s := e.session
	s.tuner.stop(context.Canceled)
	lease, err := s.device.Acquire(ctx, UseDevice)
	if err != nil {
		return err
	}
	defer lease.Release()
	s.tuner.closeBench()
	return s.engines.choose(engine, device)
}

// Abilities tries the optional features of the engine of that name. It acquires the device.
func (e *Engines) Abilities(ctx context.Context, name string) ([]probe.Ability, error) {
	return withOpen(ctx, e.session, name, UseProbe, func(engine gpu.Engine) ([]probe.Ability, error) {
		return probe.Abilities(ctx, engine), nil
	})
}

// withOpen calls do with the open engine of that name while holding the device for use.
func withOpen[T any](ctx context.Context, s *Session, name string, use Use, do func(gpu.Engine) (T, error)) (T, error) {
	var none T
	lease, err := s.device.Acquire(ctx, use)
	if err != nil {
		return none, err
	}
	defer lease.Release()
	engine, ok := s.engines.opened(name)
	if !ok {
		return none, fmt.Errorf("engine %s is not open", name)
	}
	return do(engine)
}

// WhyAutomatic says why "auto" chooses its engine, as a run's engine_reason does: what the ones before it lack. Empty: it is
// the first.
func WhyAutomatic(states []EngineState) string {
	chosen := Automatic(states)
	var why []string
	for i := range states {
		switch s := &states[i]; {
		case s == chosen:
			return strings.Join(why, "; ")
		case !s.Available:
			why = append(why, fmt.Sprintf("no %s: %s", s.Title, s.Reason))
		default:
			why = append(why, s.Title+": simulated")
		}
	}
	return strings.Join(why, "; ")
}

// Automatic returns the open engine that "auto" chooses; nil if none opens.
func Automatic(states []EngineState) *EngineState {
	var simulated *EngineState
	for i := range states {
		switch s := &states[i]; {
		case !s.Available:
		case !s.Info.Simulated:
			return s
		case simulated == nil:
			simulated = s
		}
	}
	return simulated
}
