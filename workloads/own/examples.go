package own

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed templates gallery
var embedded embed.FS

// Example is a kernel that comes with Assay.
type Example struct {
	Name, About string
	Finds       Kind // what is wrong with it; empty: nothing
	Files       Files
	SourceFile  string // the name of the .metal file
}

// Templates are kernels to start from.
func Templates() []Example {
	return examples("templates", []Example{{Name: "elementwise"}, {Name: "reduction"}, {Name: "tiled"}, {Name: "simdgroup"}})
}

// Gallery lists broken kernels that show what Assay finds.
func Gallery() []Example {
	return examples("gallery", []Example{
		{Name: "race", Finds: Race},
		{Name: "divergence", Finds: Diverged},
		{Name: "bounds", Finds: Bounds},
		{Name: "wrong", Finds: Wrong},
		{Name: "endless", Finds: Endless},
	})
}

// examples reads the texts of the examples in an embedded folder; a test checks them.
func examples(folder string, list []Example) []Example {
	for i := range list {
		e := &list[i]
		read := func(name string) string {
			b, err := fs.ReadFile(embedded, path.Join(folder, name))
			if err != nil {
				panic(err)
			}
			return string(b)
		}
		e.SourceFile = e.Name + ".metal"
		e.Files = Files{Path: e.Name + ending, Description: read(e.Name + ending), Source: read(e.SourceFile)}
		d, _ := Parse(e.Files.Path, e.Files.Description)
		e.About = strings.TrimSpace(d.About)
	}
	return list
}
