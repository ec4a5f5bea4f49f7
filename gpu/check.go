package gpu

// Wrapper is a Buffer that stands for another, as a Pool's lease does.
type Wrapper interface {
	// Unwrap is the buffer behind, or ErrReleased.
	Unwrap() (Buffer, error)
}

// Resolve follows wrappers down to the engine's own buffer.
func Resolve(b Buffer) (Buffer, error) {
	for {
		w, ok := b.(Wrapper)
		if !ok {
			return b, nil
		}
		inner, err := w.Unwrap()
		if err != nil {
			return nil, err
		}
		b = inner
	}
}

// CheckSize refuses buffer sizes that no engine takes, in the same words everywhere.
func CheckSize(bytes int, limit int64, label string) error {
	if bytes < 1 {
		return Errorf(ErrInvalid, "allocate", "", "%q: %d B, want at least 1 B", label, bytes)
	}
	if int64(bytes) > limit {
		return Errorf(ErrOutOfMemory, "allocate", "", "%q: %d B, the limit for one buffer is %d B", label, bytes, limit)
	}
	return nil
}

// CheckRange refuses an access of n bytes at off in a buffer of size bytes.
func CheckRange(op string, off, n, size int) error {
	if off < 0 || n < 0 || off > size-n {
		return Errorf(ErrRange, op, "", "%d B at offset %d in a buffer of %d B", n, off, size)
	}
	return nil
}

// Check refuses a dispatch whose parameters or bindings do not fit its kernel: every engine's Submit begins with it.
func (d *Dispatch) Check() error {
	if d.Kernel == nil {
		return Errorf(ErrInvalid, "dispatch", "", "no kernel")
	}
	k := d.Kernel.Spec()
	if err := k.Check(d.Params, d.Kernel.Constants()); err != nil {
		return Errorf(ErrInvalid, "dispatch", k.Name, "%v", err)
	}
	if len(d.Bindings) != len(k.Args) {
		return Errorf(ErrInvalid, "dispatch", k.Name, "%d bindings, want %d", len(d.Bindings), len(k.Args))
	}
	for i := range k.Args {
		if err := d.checkBinding(i); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dispatch) checkBinding(i int) error {
	k, b := d.Kernel.Spec(), d.Bindings[i]
	arg := k.Args[i].Name
	if !k.Uses(i, d.Kernel.Constants()) {
		if b.Buffer != nil {
			return Errorf(ErrInvalid, "dispatch", k.Name, "argument %s does not exist with these constants", arg)
		}
		return nil
	}
	if b.Buffer == nil {
		return Errorf(ErrInvalid, "dispatch", k.Name, "argument %s has no buffer", arg)
	}
	if b.Offset%Align != 0 {
		return Errorf(ErrInvalid, "dispatch", k.Name, "argument %s: offset %d is no multiple of %d", arg, b.Offset, Align)
	}
	need, size := k.Bytes(i, d.Params), b.Buffer.Size()
	if b.Offset < 0 || b.Offset > size-need {
		return Errorf(ErrRange, "dispatch", k.Name, "argument %s needs %d B, the buffer has %d B from offset %d", arg, need,
			size-b.Offset, b.Offset)
	}
	return nil
}
