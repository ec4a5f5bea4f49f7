package remote

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"

	"assay/app/bundle"
)

// frame is a message from the machine that runs the job: a piece of a file, or how the job ended. Each is one line of JSON.
type frame struct {
	File  string            `json:"file,omitempty"` // "err", or "runs/ID.assayrun/events.jsonl"
	At    int64             `json:"at,omitempty"`   // where the piece belongs; Whole: it is the entire file
	Whole bool              `json:"whole,omitempty"`
	Data  []byte            `json:"data,omitempty"`
	Ended *End              `json:"ended,omitempty"`
	Sums  map[string]string `json:"sums,omitempty"` // with Ended: SHA-256 of each file
}

// End is how a job ended.
type End struct {
	Code int    `json:"code"`          // exit status of Assay
	Why  string `json:"why,omitempty"` // if it did not exit
}

// Limits of a message, since it comes from another machine.
const (
	piece        = 256 << 10
	maxWhole     = 64 << 20 // of a file that is replaced, such as run.json
	maxFrameLine = maxWhole*4/3 + 4096
)

// frames reads messages until one has Ended, or the stream does.
func frames(r io.Reader, each func(*frame) error) (ended bool, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxFrameLine)
	lines.Split(whole)
	for lines.Scan() {
		var f frame
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return false, fmt.Errorf("invalid message from the other Assay: %w", err)
		}
		if err := each(&f); err != nil {
			return false, err
		}
		if f.Ended != nil {
			return true, nil
		}
	}
	return false, lines.Err()
}

// whole splits into lines, without the rest of a stream that broke off within one.
func whole(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if atEOF && bytes.IndexByte(data, '\n') < 0 {
		return len(data), nil, nil
	}
	return bufio.ScanLines(data, atEOF)
}

// What the job printed.
const (
	outputFile = "out"
	errorsFile = "err"
)

var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]*$`)

// place splits the name of a job's file: output of the job, or a bundle's folder and the file in it.
func place(file string) (folder, name string, err error) {
	if file == outputFile || file == errorsFile {
		return "", file, nil
	}
	parts := strings.Split(file, "/")
	if len(parts) != 3 || parts[0] != runsFolder || path.Ext(parts[1]) != bundle.Extension || !plainName.MatchString(parts[1]) || !plainName.MatchString(parts[2]) {
		return "", "", fmt.Errorf("the other Assay named the file %q, which is none of a run's", file)
	}
	return parts[1], parts[2], nil
}
