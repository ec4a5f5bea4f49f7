// Command macos does the parts of packaging for macOS for which Apple's own tools only run on macOS.
//
//	macos icns PICTURE ICNS    renders an application's icon file from a picture of 1024 × 1024 pixels
//	macos check APP            checks that an application bundle is intact
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packaging/macos:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "icns":
		return makeIcon(args[1], args[2])
	case len(args) == 2 && args[0] == "check":
		lines, err := checkBundle(args[1])
		for _, line := range lines {
			fmt.Println(line)
		}
		return err
	}
	return fmt.Errorf("got %q, want: icns PICTURE ICNS, or: check APP", args)
}
