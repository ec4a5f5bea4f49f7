package app

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/internal/race"
)

// sparseModel is a .safetensors file of zeros that takes no space on disk: a few tensors of that many bytes each.
func sparseModel(t *testing.T, tensors int, bytes int64) string {
	t.Helper()
	var parts []string
	for i := range int64(tensors) {
		parts = append(parts, fmt.Sprintf(`"w%d":{"dtype":"F16","shape":[%d,1024],"data_offsets":[%d,%d]}`, i, bytes/2048, i*bytes, (i+1)*bytes))
	}
	header := "{" + strings.Join(parts, ",") + "}"
	path := filepath.Join(t.TempDir(), "sparse.safetensors")
	if err := os.WriteFile(path, append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(8+len(header))+int64(tensors)*bytes); err != nil {
		t.Fatal(err)
	}
	return path
}

// A model goes through one buffer in parts, however large it is; resident, it takes a buffer per tensor. All are freed.
func TestWeightsLoad(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	const tensors, size = 3, int64(40 << 20) // a part and a bit more
	r := LoadRequest{Paths: []string{sparseModel(t, tensors, size)}}
	var last SurveyProgress
	l, err := s.Weights().Load(t.Context(), r, func(p SurveyProgress) { last = p })
	if err != nil {
		t.Fatal(err)
	}
	if l.Bytes != tensors*size || l.Tensors != tensors || l.Buffers != LoadPart || l.Seconds <= 0 || len(l.Points) < 2 {
		t.Errorf("loaded %d B of %d tensors through %d B in %g s, %d samples", l.Bytes, l.Tensors, l.Buffers, l.Seconds, len(l.Points))
	}
	most := int64(LoadPart) * 3 / 2
	if race.On {
		most *= 3 // the detector keeps two bytes for each byte that is written
	}
	if l.Footprint == "" && (l.Before <= 0 || l.Peak < l.Before || l.Peak-l.Before > most) {
		t.Errorf("took %d B at most, %d before", l.Peak, l.Before)
	}
	if last.Done != l.Bytes || last.Total != l.Bytes || last.Tensor != "w2" {
		t.Errorf("the last progress is %+v", last)
	}
	r.Resident = true
	if l, err = s.Weights().Load(t.Context(), r, func(SurveyProgress) {}); err != nil || l.Buffers != tensors*size {
		t.Errorf("resident: %+v, %v", l, err)
	}
	checkFreed(t, s)
}

// checkFreed checks that no buffers are left.
func checkFreed(t *testing.T, s *Session) {
	t.Helper()
	engine, _, err := s.engines.get("auto")
	if err != nil {
		t.Fatal(err)
	}
	if n := engine.Memory().Bytes; n != 0 {
		t.Errorf("buffers of %d B are left", n)
	}
}

// An error names the tensor, and leaves no buffer; a canceled load says so.
func TestWeightsLoadFails(t *testing.T) {
	s, _ := session(t, gputest.Script{MemoryLimit: 50 << 20})
	r := LoadRequest{Paths: []string{sparseModel(t, 2, 40<<20)}, Resident: true}
	if _, err := s.Weights().Load(t.Context(), r, func(SurveyProgress) {}); err == nil || !strings.Contains(err.Error(), `tensor "w1"`) {
		t.Errorf("beyond the memory: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.Resident = false
	if _, err := s.Weights().Load(ctx, r, func(SurveyProgress) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	r.Engine = "abacus"
	if _, err := s.Weights().Load(t.Context(), r, func(SurveyProgress) {}); err == nil || !strings.Contains(err.Error(), `no engine "abacus"`) {
		t.Errorf("an unknown engine: %v", err)
	}
	checkFreed(t, s)
}

// A long load keeps few samples, including the highest.
func TestLoadSamplesAreThinned(t *testing.T) {
	l := &loading{Load: &Load{}}
	for i := range maxLoadPoint + 1 {
		l.Points = append(l.Points, LoadPoint{Seconds: float64(i), Process: int64(i % 7)})
	}
	l.every = loadInterval
	l.thin()
	if len(l.Points) != maxLoadPoint/2+1 || l.every != 2*loadInterval || l.Points[3].Process != 6 {
		t.Errorf("%d samples, the next after %v, %+v", len(l.Points), l.every, l.Points[3])
	}
}
