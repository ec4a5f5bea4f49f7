package weightfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sharded writes files and their index to a folder, and returns the path of the index.
func sharded(t *testing.T, index string, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "model.safetensors.index.json")
	if err := os.WriteFile(path, []byte(index), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// shards are two files of a model.
func shards(t *testing.T) map[string][]byte {
	t.Helper()
	return map[string][]byte{
		"m-1.safetensors": encode(t, map[string]string{"format": "pt"}, content{"a", "F32", []int64{2}, bytesOf(t, []float32{1, 2})},
			content{"b", "F32", []int64{1}, bytesOf(t, []float32{3})}),
		"m-2.safetensors": encode(t, nil, content{"c", "F32", []int64{2}, bytesOf(t, []float32{4, 5})}),
	}
}

func TestShardsAreOneFile(t *testing.T) {
	path := sharded(t, `{"metadata":{"total_size":20},"weight_map":{"c":"m-2.safetensors","a":"m-1.safetensors","b":"m-1.safetensors"}}`, shards(t))
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]float32{"a": {1, 2}, "b": {3}, "c": {4, 5}} {
		if got, err := f.ReadFloat32(name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
		}
	}
	if len(f.Tensors()) != 3 || f.Name() != path || len(f.Parts()) != 2 || f.Metadata()["format"] != "pt" {
		t.Errorf("%d tensors of %s in %v", len(f.Tensors()), f.Name(), f.Parts())
	}
	if err := os.Truncate(f.Parts()[1], 70); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadFloat32("c"); err == nil || !strings.Contains(err.Error(), f.Parts()[1]+`: tensor "c": read at byte`) {
		t.Errorf("a part that was cut short: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.ReadFloat32("a"); err == nil {
		t.Error("a closed file was read")
	}
}

func TestShardsRefuse(t *testing.T) {
	files := shards(t)
	files["twice.safetensors"] = files["m-1.safetensors"]
	files["bad.safetensors"] = []byte("no tensors here")
	for index, want := range map[string]string{
		"":                                       "not a valid index",
		`{"weight_map":{}}`:                      "no weight_map with files",
		`{"weight_map":{"a":1}}`:                 "not a valid index",
		`{"weight_map":{"a":"../m"}}`:            `file "../m", want a name in the same folder`,
		`{"weight_map":{"a":"/etc/passwd"}}`:     "want a name in the same folder",
		`{"weight_map":{"a":""}}`:                "want a name in the same folder",
		`{"weight_map":{"a":"m-3.x"}}`:           `lists file "m-3.x", which is not in its folder`,
		`{"weight_map":{"a":"bad.safetensors"}}`: "not a valid .safetensors file",
		`{"weight_map":{"x":"m-1.safetensors"}}`: `tensor "x": the index has it in "m-1.safetensors", which does not`,
		`{"weight_map":{"c":"m-1.safetensors","a":"m-2.safetensors"}}`:   `tensor "a": the index has it in "m-2.safetensors", which does not`,
		`{"weight_map":{"a":"m-1.safetensors","b":"twice.safetensors"}}`: `tensor "a" is also in`,
	} {
		path := sharded(t, index, files)
		if f, err := Open(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), filepath.Dir(path)) {
			t.Errorf("%s: %v, want %q", index, err, want)
			if err == nil {
				f.Close()
			}
		}
	}
	passwd := filepath.Join(t.TempDir(), "passwd")
	if err := os.WriteFile(passwd, []byte("root:x:0:0:root\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(passwd); err == nil || !strings.Contains(err.Error(), passwd+": not a .gguf or .safetensors file: neither its name") {
		t.Errorf("a file of another kind: %v", err)
	}
	if _, err := OpenAll("many", make([]string, maxParts+1)); err == nil || !strings.Contains(err.Error(), "the limit is 1000") {
		t.Errorf("many files: %v", err)
	}
}
