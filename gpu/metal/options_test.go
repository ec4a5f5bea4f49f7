package metal

import (
	"errors"
	"testing"
	"time"

	"assay/gpu"
)

func TestOptions(t *testing.T) {
	set := func(name string) string { return map[string]string{deviceVariable: "from the environment"}[name] }
	unset := func(string) string { return "" }
	o, err := Options{}.complete(unset)
	if err != nil || o != (Options{Timeout: 30 * time.Second, CompileTimeout: 60 * time.Second}) {
		t.Errorf("defaults: %+v, %v", o, err)
	}
	if o, _ = (Options{}).complete(set); o.Device != "from the environment" {
		t.Errorf("device %q, want the environment's", o.Device)
	}
	if o, _ = (Options{Device: "mine", Timeout: time.Second}).complete(set); o.Device != "mine" || o.Timeout != time.Second {
		t.Errorf("%+v, want the caller's device and timeout", o)
	}
	if _, err = (Options{Timeout: -1}).complete(unset); !errors.Is(err, gpu.ErrInvalid) {
		t.Errorf("a negative timeout: %v", err)
	}
}
