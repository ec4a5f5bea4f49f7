package own

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	starmath "go.starlark.net/lib/math"
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Limits on references. Memory is limited by the process that they run in.
const (
	stepsEach       = 20_000_000  // per element
	stepsInAll      = 200_000_000 // for all elements of an output
	maxStarlark     = 64 << 10    // bytes of text
	defaultCompared = 4096        // elements per output
)

// errSteps ends a comparison: what was compared before it counts.
var errSteps = errors.New("steps spent")

// starlarkFile is the reference's name in messages from the interpreter.
const starlarkFile = "reference"

func dialect() *syntax.FileOptions {
	return &syntax.FileOptions{While: true, TopLevelControl: true, Set: true, GlobalReassign: true}
}

// checkStarlark reports whether a reference has a function and no syntax error.
func checkStarlark(text string) error {
	if len(text) > maxStarlark {
		return fmt.Errorf("it has %d bytes, want at most %d", len(text), maxStarlark)
	}
	f, err := dialect().Parse(starlarkFile, text, 0)
	if err != nil {
		return starlarkError(err)
	}
	for _, s := range f.Stmts {
		if _, ok := s.(*syntax.DefStmt); ok {
			return nil
		}
	}
	return fmt.Errorf("it defines no function: want one of each output's name, of an element's index")
}

// numbers presents the elements of an argument to a reference, indexed from 0.
type numbers struct {
	name string
	view View
}

// String is part of starlark.Value.
func (n numbers) String() string { return fmt.Sprintf("%s (%d numbers)", n.name, n.Len()) }

// Type is part of starlark.Value.
func (n numbers) Type() string { return "numbers" }

// Freeze is part of starlark.Value.
func (n numbers) Freeze() {}

// Truth is part of starlark.Value.
func (n numbers) Truth() starlark.Bool { return n.Len() > 0 }

// Hash is part of starlark.Value.
func (n numbers) Hash() (uint32, error) { return 0, fmt.Errorf("%s cannot be a key", n.name) }

// Index is part of starlark.Indexable.
func (n numbers) Index(i int) starlark.Value { return n.view.starlark(i) }

// Len is part of starlark.Indexable.
func (n numbers) Len() int { return n.view.Len() }

// inScript returns an argument's name in a reference: arg_in if the name is a Starlark keyword, such as in.
func inScript(name string) string {
	const words = " and as assert async await break class continue def del elif else except finally for from global if import in is " +
		"lambda load nonlocal not or pass raise return try while with yield "
	if strings.Contains(words, " "+name+" ") {
		return "arg_" + name
	}
	return name
}

// sizeNumber converts a size for a reference: to an integer if it is one.
func sizeNumber(v float64) starlark.Value {
	if v != math.Trunc(v) {
		return starlark.Float(v)
	}
	return starlark.MakeInt64(int64(v))
}

// script is a reference that is ready to be called.
type script struct {
	globals starlark.StringDict
	thread  *starlark.Thread
	began   uint64 // steps of the thread when it began this output
	stop    func() bool
}

// newScript runs a reference's text, with the arguments and sizes predeclared.
func newScript(ctx context.Context, text string, names starlark.StringDict) (*script, error) {
	names["math"] = starmath.Module
	thread := &starlark.Thread{Name: starlarkFile, Print: func(*starlark.Thread, string) {}}
	thread.SetMaxExecutionSteps(stepsEach)
	s := &script{thread: thread, stop: context.AfterFunc(ctx, func() { thread.Cancel(ctx.Err().Error()) })}
	var err error
	if s.globals, err = starlark.ExecFileOptions(dialect(), thread, starlarkFile, text, names); err != nil {
		s.stop()
		return nil, starlarkError(err)
	}
	return s, nil
}

func (s *script) close() { s.stop() }

// function returns the reference of an output; nil if there is none.
func (s *script) function(name string) *starlark.Function {
	f, _ := s.globals[inScript(name)].(*starlark.Function)
	return f
}

// begin grants the steps of an output.
func (s *script) begin() { s.began = s.thread.Steps }

// element calls a function for one element of the given type.
func (s *script) element(f *starlark.Function, i int, e Element) (Number, error) {
	if s.thread.Steps-s.began > stepsInAll {
		return Number{}, errSteps
	}
	s.thread.SetMaxExecutionSteps(s.thread.Steps + stepsEach)
	v, err := starlark.Call(s.thread, f, starlark.Tuple{starlark.MakeInt(i)}, nil)
	if err != nil {
		return Number{}, starlarkError(err)
	}
	switch x := v.(type) {
	case starlark.Int:
		return wholeNumber(f, i, x, e)
	case starlark.Float:
		return Number{Value: float64(x)}, nil
	case starlark.Bool:
		return wholeNumber(f, i, starlark.MakeInt(int(one(bool(x)))), e)
	}
	return Number{}, fmt.Errorf("%s(%d) returned %s, want a number", f.Name(), i, v.Type())
}

// wholeNumber returns an integer that a function returned: exact if the element type is exact.
func wholeNumber(f *starlark.Function, i int, x starlark.Int, e Element) (Number, error) {
	n := Number{Value: float64(x.Float())}
	wide, signed := e.wide()
	if !wide {
		return n, nil
	}
	if signed {
		var whole int64
		whole, n.exact = x.Int64()
		n.Whole = uint64(whole)
	} else {
		n.Whole, n.exact = x.Uint64()
	}
	if !n.exact {
		return n, fmt.Errorf("%s(%d) returned %v, which is no %s", f.Name(), i, x, e.Name)
	}
	return n, nil
}

// scriptError is an error at a line of a reference, counted from 1; 0: not known.
type scriptError struct {
	line    int
	message string
}

// Error names the line.
func (e *scriptError) Error() string {
	if e.line == 0 {
		return e.message
	}
	return fmt.Sprintf("line %d of the reference: %s", e.line, e.message)
}

// starlarkError returns an error with the line of the reference.
func starlarkError(err error) error {
	var wrong syntax.Error
	if errors.As(err, &wrong) {
		return &scriptError{int(wrong.Pos.Line), wrong.Msg}
	}
	var unresolved resolve.ErrorList
	if errors.As(err, &unresolved) && len(unresolved) > 0 {
		return &scriptError{int(unresolved[0].Pos.Line), unresolved[0].Msg}
	}
	var e *starlark.EvalError
	if !errors.As(err, &e) {
		return err
	}
	if strings.Contains(e.Msg, "too many steps") {
		e.Msg = fmt.Sprintf("more than %d million steps for one element", stepsEach/1_000_000)
	}
	for i := len(e.CallStack) - 1; i >= 0; i-- {
		if pos := e.CallStack[i].Pos; pos.Filename() == starlarkFile {
			return &scriptError{int(pos.Line), e.Msg}
		}
	}
	return errors.New(e.Msg)
}

// scriptProblem converts an error of the reference to a problem at its line in the description.
func (p *parser) scriptProblem(err error) {
	const key = "reference.starlark"
	p.problem(key, "%v", err)
	found := &p.problems[len(p.problems)-1]
	found.Kind = Reference
	var at *scriptError
	if lines := strings.Split(p.text, "\n"); errors.As(err, &at) && at.line > 0 && found.Line > 0 {
		first := strings.TrimSpace(lines[found.Line-1])
		if found.Line += at.line; !strings.HasSuffix(first, `"""`) && !strings.HasSuffix(first, `'''`) {
			found.Line-- // the text begins on the line of the key
		}
		found.Line = min(found.Line, len(lines))
	}
}
