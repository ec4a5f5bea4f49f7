//go:build metalsim && cgo && !darwin

package metal

import (
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/catalog"
)

func TestContract(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	gputest.Contract(t, func() (gpu.Engine, error) { return OpenWith(o) })
}

// encoding is an engine that encodes all programs in one way.
type encoding struct {
	gpu.Engine
	how gpu.Encoding
}

func (e encoding) Prepare(commands ...gpu.Command) (gpu.Program, error) {
	return e.Engine.(gpu.Encoder).PrepareWith(e.how, commands...)
}

// Unwrap returns the engine, for its optional interfaces.
func (e encoding) Unwrap() gpu.Engine { return e.Engine }

func openEncoding(o Options, how gpu.Encoding) (gpu.Engine, error) {
	e, err := OpenWith(o)
	return encoding{e, how}, err
}

// TestContractConcurrent runs the contract with encoders whose independent dispatches have no order: the simulator
// runs them from the last to the first.
func TestContractConcurrent(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	gputest.EncodedContract(t, func() (gpu.Engine, error) { return openEncoding(o, gpu.Encoding{Concurrent: true}) })
}

// TestContractCounters runs it with an encoder and two samples for every dispatch.
func TestContractCounters(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	gputest.EncodedContract(t, func() (gpu.Engine, error) { return openEncoding(o, gpu.Encoding{Stages: true}) })
}

// An Apple GPU with Metal Performance Shaders runs every kernel except those of other engines' libraries.
func TestSupportsAll(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	for _, k := range catalog.All() {
		library := k.Impl.Library
		foreign := library != shaders.Own && library.Engine() != e.Info().Engine
		if err := e.Supports(k); (err != nil) != foreign {
			t.Errorf("kernel %s of library %q: %v", k.Name, library, err)
		}
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
