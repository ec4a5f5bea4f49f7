//go:build (darwin || metalsim) && cgo

package metal

import (
	"assay/gpu"
)

// operation is a library operation prepared for certain sizes and shared by the programs that launch it.
type operation struct {
	key    string
	native libraryOp
	users  int // launches of programs; guarded by the engine's mu
}

// operation returns the library operation that k runs with params, prepared if it was not yet. The caller must release it
// with dropOperations.
func (e *engine) operation(k *kernel, params any) (*operation, error) {
	spec := specOf(&k.spec).sized(&k.spec, params)
	key := spec.key()
	if op := e.sharedOperation(key, nil); op != nil {
		return op, nil
	}
	native, err := e.device.newLibraryOp(spec, k.label()) // without the lock, since the library may have to load its code
	if err != nil {
		return nil, gpu.Errorf(refusal(err), "prepare", k.spec.Name, "%w", err)
	}
	made := &operation{key: key, native: native}
	op := e.sharedOperation(key, made)
	if op != made { // another goroutine was faster
		native.release()
	}
	return op, nil
}

// sharedOperation adds a user to the operation of that key. If there is none, it registers made, unless that is nil.
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

// dropOperations releases uses of operations. Operations without users are freed, so that a sweep over sizes keeps none.
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
