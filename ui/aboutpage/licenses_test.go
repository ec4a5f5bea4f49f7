package aboutpage

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// phrases distinguish the licenses.
var phrases = map[string]string{
	"BSD 3-Clause": "Redistribution and use in source and binary forms", "BSD 2-Clause": "Redistribution and use in source and binary forms",
	"MIT": "Permission is hereby granted, free of charge", "Apache 2.0": "Apache License", "ISC": "Permission to use, copy, modify, and",
	"Mozilla Public License 2.0": "Mozilla Public License", "FreeType": "The FreeType License",
}

// TestLicensesAreThoseOfTheBuild compares the list with the modules of the Linux and macOS builds, and each license with
// the module's license file.
func TestLicensesAreThoseOfTheBuild(t *testing.T) {
	listed := map[string]string{}
	for _, l := range licenses() {
		for _, m := range l.modules {
			listed[m] = l.name
		}
	}
	built := map[string]string{} // folder by module
	for _, system := range []string{"linux", "darwin"} {
		c := exec.Command("go", "list", "-tags", "migrated_fynedo", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Dir}}{{end}}", "assay")
		c.Env = append(os.Environ(), "GOOS="+system, "GOARCH=arm64", "CGO_ENABLED=1")
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if module, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok && module != "assay" {
				built[module] = dir
			}
		}
	}
	for module, dir := range built {
		if listed[module] == "" {
			t.Errorf("the build holds %s, whose license is not told", module)
			continue
		}
		checkLicense(t, module, dir, listed[module])
	}
	for module := range listed {
		if built[module] == "" {
			t.Errorf("%s is told of and not in the build", module)
		}
	}
}

// checkLicense looks for the license's phrases in the module's folder.
func checkLicense(t *testing.T, module, dir, name string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(files, func(f os.DirEntry) bool {
		upper := strings.ToUpper(f.Name())
		return !f.IsDir() && (strings.HasPrefix(upper, "LICEN") || strings.HasPrefix(upper, "COPYING"))
	})
	if i < 0 {
		t.Errorf("%s has no license in %s", module, dir)
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, files[i].Name()))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), phrases[name]) {
		t.Errorf("%s is said to be under %s, and its %s does not say so", module, name, files[i].Name())
	}
}
