package gpu

// Wrapper is a Buffer that stands for another, as a Pool's lease does.
type Wrapper interface {
	// Unwrap returns the buffer behind it, or ErrReleased.
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

// CheckSize refuses buffer sizes that no engine accepts, with the same wording everywhere.
func CheckSize(bytes int, limit int64, label string) error {
	if bytes < 1 {
		return Errorf(ErrInvalid, "allocate", "", "%q: %d B, want at least 1 B", label, bytes)
	}
	if int64(bytes) > limit {
		return Errorf(ErrOutOfMemory, "allocate", "", "%q: %d B, the limit for one buffer is %d B", label, bytes, limit)
	}
	return nil
}

// CheckRange refuses an access of n bytes at offset off in a buffer of size bytes.
func CheckRange(op string, off, n, size int) error {
	if off < 0 || n < 0 || off > size-n {
		return Errorf(ErrRange, op, "", "%d B at offset %d in a buffer of %d B", n, off, size)
	}
	return nil
}

// Check refuses a command that cannot run on any engine; every engine's Prepare calls it first.
func Check(c Command) error {
	switch c := c.(type) {
	case Launch:
		return c.Check()
	case Copy:
		return c.check()
	case Fill:
		return checkPlace("fill", "to", c.To, c.Bytes)
	case Signal:
		return checkEvent("signal", c.Event)
	case Await:
		return checkEvent("await", c.Event)
	}
	return Errorf(ErrInvalid, "prepare", "", "%T is not a command: want Launch, Copy, Fill, Signal or Await", c)
}

func checkEvent(op string, e Event) error {
	if e == nil {
		return Errorf(ErrInvalid, op, "", "no event")
	}
	return nil
}

func (c *Copy) check() error {
	if err := checkPlace("copy", "from", c.From, c.Bytes); err != nil {
		return err
	}
	if err := checkPlace("copy", "to", c.To, c.Bytes); err != nil {
		return err
	}
	from, err := Resolve(c.From.Buffer)
	if err != nil {
		return Errorf(ErrReleased, "copy", "", "from: %w", err)
	}
	to, err := Resolve(c.To.Buffer)
	if err != nil {
		return Errorf(ErrReleased, "copy", "", "to: %w", err)
	}
	if from == to && c.From.Offset < c.To.Offset+c.Bytes && c.To.Offset < c.From.Offset+c.Bytes {
		return Errorf(ErrInvalid, "copy", "", "%d B from offset %d to offset %d of the same buffer overlap", c.Bytes,
			c.From.Offset, c.To.Offset)
	}
	return nil
}

// checkPlace refuses n bytes at a place that does not hold that many, or whose offset is not a multiple of CopyAlign.
func checkPlace(op, what string, b Binding, n int) error {
	if b.Buffer == nil {
		return Errorf(ErrInvalid, op, "", "%s: no buffer", what)
	}
	if b.Offset%CopyAlign != 0 || n%CopyAlign != 0 {
		return Errorf(ErrInvalid, op, "", "%s: %d B at offset %d, want multiples of %d", what, n, b.Offset, CopyAlign)
	}
	return CheckRange(op, b.Offset, n, b.Buffer.Size())
}

// CheckRepeat refuses to submit a program less than once.
func CheckRepeat(repeat int) error {
	if repeat < 1 {
		return Errorf(ErrInvalid, "submit", "", "repeat is %d, want at least 1", repeat)
	}
	return nil
}

// Check refuses a launch whose parameters or bindings do not fit its kernel.
func (l *Launch) Check() error {
	if l.Kernel == nil {
		return Errorf(ErrInvalid, "launch", "", "no kernel")
	}
	k := l.Kernel.Spec()
	if err := k.Check(l.Params); err != nil {
		return Errorf(ErrInvalid, "launch", k.Name, "%w", err)
	}
	if len(l.Bindings) != len(k.Args) {
		return Errorf(ErrInvalid, "launch", k.Name, "%d bindings, want %d", len(l.Bindings), len(k.Args))
	}
	for i := range k.Args {
		if err := l.checkBinding(i); err != nil {
			return err
		}
	}
	return nil
}

func (l *Launch) checkBinding(i int) error {
	k, b := l.Kernel.Spec(), l.Bindings[i]
	arg := k.Args[i].Name
	if !k.Uses(i) {
		if b.Buffer != nil {
			return Errorf(ErrInvalid, "launch", k.Name, "argument %s does not exist with these constants", arg)
		}
		return nil
	}
	if b.Buffer == nil {
		return Errorf(ErrInvalid, "launch", k.Name, "argument %s has no buffer", arg)
	}
	if b.Offset%Align != 0 {
		return Errorf(ErrInvalid, "launch", k.Name, "argument %s: offset %d is not a multiple of %d", arg, b.Offset, Align)
	}
	need, size := k.Bytes(i, l.Params), b.Buffer.Size()
	if b.Offset < 0 || b.Offset > size-need {
		return Errorf(ErrRange, "launch", k.Name, "argument %s needs %d B, the buffer has %d B from offset %d", arg, need,
			size-b.Offset, b.Offset)
	}
	return nil
}
