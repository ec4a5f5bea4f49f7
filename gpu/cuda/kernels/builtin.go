package kernels

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"assay/gpu/msl/shim/cuda"
	"assay/shaders"
	"assay/shaders/catalog"
)

// ptx has a file for each kernel, of its variants, and where generate was told so another of those of the catalog's cases, which
// Git ignores. Each variant begins with a line that marks it.
//
//go:embed all:ptx
var ptx embed.FS

// variants lists what workloads ask for beside the catalog's own cases: a kernel's name and its constants, a line each.
//
//go:embed variants.txt
var variants string

// mark begins the line before a variant: mark, the source's stamp, the key of the constants.
const mark = "//assay "

// files are the variants of kernels by name, unpacked when the first of them is requested.
var files sync.Map // name → func() map[string][]byte by key

// builtIn finds the kernel among the embedded ones. A user's source is not among them.
func builtIn(k *shaders.Kernel) (Code, bool) {
	if k.Impl.Library != shaders.Own || strings.Contains(k.ID(), "#") {
		return Code{}, false
	}
	load, _ := files.LoadOrStore(k.Name, sync.OnceValue(func() map[string][]byte { return unpack(k.Name, Stamp(k)) }))
	text, ok := load.(func() map[string][]byte)()[Key(k)]
	return Code{PTX: text, Entry: k.Name, Source: fromProgram, Warm: true}, ok
}

// Key returns the function constants that a kernel's code depends on.
func Key(k *shaders.Kernel) string {
	var all []string
	for _, v := range k.Values() {
		all = append(all, v.String())
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// unpack reads a kernel's files, if there are any.
func unpack(name, stamp string) map[string][]byte {
	all := map[string][]byte{}
	for _, file := range []string{name + ".gz", name + CasesSuffix} {
		if packed, err := ptx.ReadFile("ptx/" + file); err == nil {
			maps.Copy(all, unpackBytes(packed, stamp))
		}
	}
	return all
}

// CasesSuffix ends the names of files of the catalog's cases.
const CasesSuffix = ".cases.gz"

// unpackBytes undoes Pack. Variants with another stamp belong to another source and are left out.
func unpackBytes(packed []byte, stamp string) map[string][]byte {
	all := map[string][]byte{}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return all
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return all
	}
	for _, part := range strings.Split("\n"+string(text), "\n"+mark)[1:] {
		head, body, _ := strings.Cut(part, "\n")
		if of, key, _ := strings.Cut(head, " "); of == stamp {
			all[key] = []byte(body)
		}
	}
	return all
}

// Pack returns the file of a kernel's variants by key.
func Pack(stamp string, all map[string][]byte) ([]byte, error) {
	keys := make([]string, 0, len(all))
	for key := range all {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		fmt.Fprintf(z, "%s%s %s\n%s\n", mark, stamp, key, bytes.TrimSpace(all[key]))
	}
	err = z.Close()
	return packed.Bytes(), err
}

// shim is the hash of the headers that kernels are compiled with.
var shim = sync.OnceValue(func() string {
	h := sha256.New()
	headers := cuda.Target{}.Headers()
	err := fs.WalkDir(headers, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(headers, path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(text), text)
		return err
	})
	if err != nil {
		panic("gpu/cuda/kernels: " + err.Error()) // embedded files can be read
	}
	fmt.Fprint(h, cuda.Target{}.Flags("", false, false))
	return hex.EncodeToString(h.Sum(nil))
})

// Stamp identifies what a kernel's PTX was built from: its source, the headers and the compiler's flags.
func Stamp(k *shaders.Kernel) string {
	sum := sha256.Sum256([]byte(k.Impl.Source.Hash() + shim()))
	return hex.EncodeToString(sum[:8])
}

// Wanted returns the kernels to build in, by ID: the catalog's, and those that variants.txt adds.
func Wanted() (map[string]shaders.Kernel, error) {
	all, byName := map[string]shaders.Kernel{}, map[string]shaders.Kernel{}
	for _, k := range catalog.All() {
		if k.Impl.Library == shaders.Own {
			all[k.ID()], byName[k.Name] = k, k
		}
	}
	for line := range strings.Lines(variants) {
		name, key, _ := strings.Cut(strings.TrimSpace(line), " ")
		k, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("variants.txt names no kernel: %q", name)
		}
		c, err := shaders.ParseConstants(key)
		if err == nil {
			k = k.With(c)
			err = k.CheckConstants()
		}
		if err != nil {
			return nil, fmt.Errorf("variants.txt: %s: %w", name, err)
		}
		all[k.ID()] = k
	}
	return all, nil
}

// Cases returns the kernels with the constants of their cases in the catalog, by ID, which the contract of engines needs.
func Cases() map[string]shaders.Kernel {
	all := map[string]shaders.Kernel{}
	for _, k := range catalog.All() {
		if k.Impl.Library != shaders.Own {
			continue
		}
		for _, c := range k.Cases() {
			with := k.With(c.Constants)
			all[with.ID()] = with
		}
	}
	return all
}
