// Command jobs writes kernels as PTX, and how to launch each, for scripts/peers/cuda.py, which compares their times with a
// vendor's: jobs LIST FOLDER. LIST is JSON: objects with Label, Vendor, Kernel, Key (its constants), Params, and Preferred if the
// job should use the kernel of the same operation and type that Assay prefers for the call.
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"assay/gpu/cuda/kernels"
	"assay/shaders"
	"assay/shaders/catalog"
)

// job is a launch: the request, then the result.
type job struct {
	Label, Vendor, Kernel, Key string // Vendor names the function of cuda.py to compare with
	Params                     json.RawMessage
	Preferred                  bool `json:",omitempty"`

	PTX             string // the file's name
	Bytes           string // the parameter struct, in hexadecimal
	Groups, Threads [3]uint32
	Shared          []int
	Args            []argument
	Ops, Moved      float64 // operations and bytes, by the cost model
}

// argument is an argument of a kernel; Len and Size are 0 for one that is absent under its constants.
type argument struct {
	Type      string
	Used      bool
	Len, Size int
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: jobs LIST FOLDER")
		os.Exit(2)
	}
	if err := write(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "jobs:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context, list, dir string) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	var jobs []job
	if err := json.Unmarshal(text, &jobs); err != nil {
		return fmt.Errorf("%s: %w", list, err)
	}
	for i := range jobs {
		if err := jobs[i].make(ctx, dir); err != nil {
			return fmt.Errorf("%s %s: %w", jobs[i].Kernel, jobs[i].Key, err)
		}
	}
	if text, err = json.MarshalIndent(jobs, "", " "); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "jobs.json"), text, 0o644)
}

// hopper is the device for which kernels are preferred.
var hopper = shaders.Device{Compute: 90, Supports: func(shaders.Kernel) error { return nil }}

// kernel returns the kernel that the job names, with its constants, or the preferred one; and the parameters of the call.
func (j *job) kernel() (shaders.Kernel, any, error) {
	k, ok := catalog.Find(j.Kernel)
	if !ok {
		return k, nil, errors.New("no such kernel")
	}
	c, err := shaders.ParseConstants(j.Key)
	if err != nil {
		return k, nil, err
	}
	p := reflect.New(reflect.TypeOf(k.Impl.Op.Params))
	if err := json.Unmarshal(j.Params, p.Interface()); err != nil {
		return k, nil, err
	}
	params := p.Elem().Interface()
	if !j.Preferred {
		return k.With(c), params, nil
	}
	k, _, err = catalog.Choose(shaders.Pick{Op: k.Impl.Op.Name, Type: k.Type}, c, params, hopper)
	j.Kernel, j.Key = k.Name, k.Key()
	return k, params, err
}

// make writes the kernel's code and completes the job.
func (j *job) make(ctx context.Context, dir string) error {
	k, params, err := j.kernel()
	if err != nil {
		return err
	}
	if err := k.Check(params); err != nil {
		return err
	}
	l, err := k.Launch(params, shaders.Limits{Threads: 1024, Shared: 200 << 10})
	if err != nil {
		return err
	}
	cost := k.Cost(params)
	j.Groups, j.Threads, j.Shared, j.Ops, j.Moved = l.Groups, l.Threads, l.Shared, cost.Ops, cost.Bytes
	j.Bytes = hex.EncodeToString(shaders.EncodeParams(params))
	for i, a := range k.Args {
		arg := argument{Type: a.Type.String(), Used: k.Uses(i)}
		if arg.Used {
			arg.Len, arg.Size = k.Len(i, params), k.Bytes(i, params)
		}
		j.Args = append(j.Args, arg)
	}
	code, err := kernels.Of(ctx, k, false)
	if err != nil {
		return err
	}
	j.PTX = k.Name + "-" + j.Key + ".ptx"
	return os.WriteFile(filepath.Join(dir, j.PTX), code.PTX, 0o644)
}
