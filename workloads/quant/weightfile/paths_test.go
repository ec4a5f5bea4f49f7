package weightfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder stands for the model in it: its index, or all of its files.
func TestFolderIsOneFile(t *testing.T) {
	index := sharded(t, `{"weight_map":{"c":"m-2.safetensors","a":"m-1.safetensors","b":"m-1.safetensors"}}`, shards(t))
	folder := filepath.Dir(index)
	for _, name := range []string{index, folder} {
		if name == folder { // without its index
			if err := os.Remove(index); err != nil {
				t.Fatal(err)
			}
		}
		f, err := OpenPaths([]string{folder})
		if err != nil {
			t.Fatal(err)
		}
		all := f.Tensors()
		if len(all) != 3 || f.Name() != folder || filepath.Base(f.PartOf(&all[2])) != "m-2.safetensors" {
			t.Errorf("%d tensors of %s", len(all), f.Name())
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	one, two := filepath.Join(folder, "m-1.safetensors"), filepath.Join(folder, "m-2.safetensors")
	f, err := OpenPaths([]string{one, two})
	if err != nil || len(f.Parts()) != 2 || f.Name() != one+" and 1 more" {
		t.Fatalf("two files: %v", err)
	}
	if w, err := f.ReadFloat32("c"); err != nil || len(w) != 2 || w[1] != 5 {
		t.Errorf("the tensor of the second file: %v, %v", w, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestPathsThatCannotBeOpened(t *testing.T) {
	folder := filepath.Dir(sharded(t, `{"weight_map":{"a":"m-1.safetensors"}}`, shards(t)))
	second := filepath.Join(folder, "b.safetensors.index.json")
	if err := os.WriteFile(second, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	one := filepath.Join(folder, "m-1.safetensors")
	for _, tc := range []struct {
		paths []string
		says  string
	}{
		{nil, "no file of weights is named"},
		{[]string{t.TempDir()}, "no .gguf or .safetensors file in this folder"},
		{[]string{folder}, "2 indexes, want one of them: b.safetensors.index.json, model.safetensors.index.json"},
		{[]string{one, one}, `tensor "a" is also in ` + one},
		{[]string{filepath.Join(folder, "gone.gguf")}, "gone.gguf"},
	} {
		if f, err := OpenPaths(tc.paths); err == nil || f != nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%v: %v, want %q", tc.paths, err, tc.says)
		}
	}
}
