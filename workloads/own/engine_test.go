package own

import (
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

// A kernel must not be timed at the speed of the bus to a GPU with memory of its own.
func TestBuffersLieWhereTheDeviceWorks(t *testing.T) {
	for _, discrete := range []bool{false, true} {
		e := gputest.NewFake(gputest.Script{Discrete: discrete})
		c := &call{}
		c.buffers[0] = []byte{1, 2, 3, 4}
		r := &engineRunner{c: c}
		if err := r.allocate(e, 2); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 4)
		if err := r.buffers[0].Read(0, got); err != nil || string(got) != string(c.buffers[0]) || r.buffers[1] != nil {
			t.Errorf("discrete %t: %v, %v, %v", discrete, got, err, r.buffers[1])
		}
		if private := r.buffers[0].Storage() == gpu.Private; private != discrete {
			t.Errorf("discrete %t: %v", discrete, r.buffers[0].Storage())
		}
		r.close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
