package runpage

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/ui/kit"
)

// weightsFile is a file of two matrices and a vector.
func weightsFile(t *testing.T) string {
	t.Helper()
	header := `{"norm":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},` +
		`"head":{"dtype":"F16","shape":[2,4],"data_offsets":[16,32]},"up":{"dtype":"F32","shape":[3,2],"data_offsets":[32,56]}}`
	data := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	path := filepath.Join(t.TempDir(), "layer.safetensors")
	if err := os.WriteFile(path, append(data, make([]byte, 56)...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTensorsOfTheFileAreOffered chooses a file: the weights come from it, its matrices are offered, and the size of generated
// weights cannot be set.
func TestTensorsOfTheFileAreOffered(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	chooseNamed(t, p, "quantization")
	tensor, weights := fieldNamed(t, p, "tensor"), fieldNamed(t, p, "weights")
	if !tensor.Select.Disabled() {
		t.Error("a tensor can be chosen of no file")
	}
	enter(fieldNamed(t, p, "file"), weightsFile(t))
	p.desk.Settle()
	want := []string{"The largest matrix", "head · 2 × 4 · F16", "up · 3 × 2 · F32"}
	if got := tensor.Select.Options; !slices.Equal(got, want) {
		t.Errorf("offered %q, want %q", got, want)
	}
	if weights.Value != "file" || tensor.Select.Disabled() || !fieldNamed(t, p, "rows").Slider.Disabled() || !fieldNamed(t, p, "cols").Entry.Disabled() {
		t.Errorf("weights %v, the tensor is disabled: %v, the rows: %v", weights.Value, tensor.Select.Disabled(), fieldNamed(t, p, "rows").Slider.Disabled())
	}
	tensor.Select.SetSelected(want[2])
	if v, err := p.form().values(); err != nil || v["tensor"] != "up" {
		t.Errorf("values %v, %v", v, err)
	}
	tensor.Set("of another file")
	enter(fieldNamed(t, p, "file"), weightsFile(t))
	p.desk.Settle()
	if v, err := p.form().values(); err != nil || v["tensor"] != "" || !slices.Equal(tensor.Select.Options, want) {
		t.Errorf("a tensor that the new file lacks stays: %v, %v of %q", v["tensor"], err, tensor.Select.Options)
	}
	enter(fieldNamed(t, p, "file"), "")
	if weights.Value != "all" || fieldNamed(t, p, "rows").Slider.Disabled() || len(tensor.Select.Options) != 1 || tensor.Value != "" {
		t.Errorf("without a file: weights %v, tensors %q, chosen %v", weights.Value, tensor.Select.Options, tensor.Value)
	}
}
