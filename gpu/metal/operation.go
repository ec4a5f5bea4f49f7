//go:build (darwin || metalsim) && cgo

package metal

import (
	"assay/gpu"
)

// operation is an operation of a library for some sizes, which the programs that launch it share.
type operation struct {
	key    string
	native libraryOp
	users  int // launches of programs; guarded by the engine's mu
}

// operation prepares what k does with params, or finds it prepared; dropOperations must follow.
func (e *engine) operation(k *kernel, params any) (*operation, error) {
	spec := specOf(&k.spec).sized(&k.spec, params)
	key := spec.key()
	if op := e.sharedOperation(key, nil); op != nil {
		return op, nil
	}
	native, err := e.device.newLibraryOp(spec, k.label()) // without the lock: the library may load its code first
	if err != nil {
		return nil, gpu.Errorf(refusal(err), "prepare", k.spec.Name, "%w", err)
	}
	made := &operation{key: key, native: native}
	op := e.sharedOperation(key, made)
	if op != made { // another was faster
		native.release()
	}
	return op, nil
}

// sharedOperation adds a user to the operation of that key; where there is none it is made, unless that is nil.
func (e *engine) sharedOperation(key string, made *operation) *operation {
	e.mu.Lock()
	defer e.mu.Unlock()
	op := e.operations[key]
	if op == nil {
		if op = made; op == nil {
			return nil
		}
		e.operations[key] = op
	}
	op.users++
	return op
}

// dropOperations ends uses of operations; what nobody uses any more is released, so that a sweep over sizes leaves none.
func (e *engine) dropOperations(all []*operation) {
	e.mu.Lock()
	var unused []*operation
	for _, op := range all {
		if op.users--; op.users == 0 {
			delete(e.operations, op.key)
			unused = append(unused, op)
		}
	}
	e.mu.Unlock()
	for _, op := range unused {
		op.native.release()
	}
}
