// Package shim holds what the targets' headers share. Each folder below is the metal_stdlib of one target of gpu/msl.
package shim

import (
	"io/fs"
	"regexp"
)

// name finds names of three letters or more: no function of the library has fewer.
var name = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]{2,}`)

// Names are all names that the files mention.
func Names(files fs.FS) (map[string]bool, error) {
	names := map[string]bool{}
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		for _, n := range name.FindAllString(string(text), -1) {
			names[n] = true
		}
		return err
	})
	return names, err
}
