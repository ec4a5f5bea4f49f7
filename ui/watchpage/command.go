package watchpage

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
)

// commandForm says which command to start, and how to watch it.
type commandForm struct {
	desk   *desk.Desk
	form   *kit.Form
	object fyne.CanvasObject
}

// Names of the fields, under which they are stored.
const (
	fieldCommand   = "watch.command"
	fieldMark      = "watch.mark"
	fieldFor       = "watch.for"
	fieldTolerance = "watch.tolerance"
)

// howFields are the fields of any watch.
func howFields() []kit.FieldRow {
	return []kit.FieldRow{
		{Fields: []kit.Field{{
			Name: fieldFor, Title: "Watch for", Kind: kit.ChoiceField, Wide: true, About: "10 minutes distinguish a leak from a filling cache.",
			Options: []kit.Choice{{Value: "0s", Title: "Until it ends"}, {Value: "1m", Title: "1 minute"}, {Value: "10m", Title: "10 minutes"}, {Value: "1h", Title: "1 hour"}},
		}}},
		{Fields: []kit.Field{{
			Name: fieldTolerance, Title: "Tolerance", Wide: true, About: "Memory growth per minute that is not a leak.",
			Read: readTolerance,
		}}},
	}
}

func readTolerance(s string) (any, error) {
	bytes, err := si.ParseBytes(s)
	if err == nil && bytes < 1 {
		err = errors.New("enter at least 1 B")
	}
	return s, err
}

// atFirst returns the values before the user has chosen any.
func atFirst() map[string]any {
	return map[string]any{fieldCommand: "", fieldMark: "", fieldFor: "0s", fieldTolerance: "500 kB"}
}

func newCommandForm(d *desk.Desk, changed func()) *commandForm {
	f := &commandForm{desk: d}
	rows := append([]kit.FieldRow{
		{Fields: []kit.Field{{
			Name: fieldCommand, Title: "Command", Wide: true, Read: readCommand,
			About: "The program and its arguments, as in a terminal; use quotes around spaces.",
		}}},
		{Fields: []kit.Field{{
			Name: fieldMark, Title: "Marks", Wide: true, Read: readMark,
			About: `A pattern in the program’s output that marks the curves, such as epoch \d+. Empty: none.`,
		}}},
	}, howFields()...)
	f.form = kit.NewForm(rows, 220, func(in *kit.Input, _ bool) { remember(d, in); changed() })
	f.form.Set(recalled(d))
	f.object = f.form.Object
	return f
}

// remember stores a value for the next start.
func remember(d *desk.Desk, in *kit.Input) {
	if text, ok := in.Value.(string); ok && in.Err == nil {
		d.Settings.SetChoice(in.Name, text)
	}
}

// recalled returns the values from last time.
func recalled(d *desk.Desk) map[string]any {
	values := atFirst()
	for name := range values {
		if kept, ok := d.Settings.Kept(name); ok {
			values[name] = kept
		}
	}
	return values
}

func readCommand(s string) (any, error) {
	_, err := app.SplitCommand(s)
	return s, err
}

func readMark(s string) (any, error) {
	if _, err := regexp.Compile(s); err != nil {
		return s, fmt.Errorf("not a regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return s, nil
}

// request returns what the form asks for; why says what is missing.
func (f *commandForm) request() (r app.WatchRequest, why string) {
	if err := f.form.Err(); err != nil {
		return r, "Correct what is marked on the left."
	}
	v := f.form.Values()
	r.Command, _ = app.SplitCommand(text(v, fieldCommand))
	if len(r.Command) == 0 {
		return r, "Enter a command to start, or choose a running process. Assay watches its memory, GPU memory, handles and threads for leaks."
	}
	if pattern := text(v, fieldMark); pattern != "" {
		r.Mark = regexp.MustCompile(pattern) // readMark has compiled it
	}
	how(&r, v)
	return r, ""
}

func text(values map[string]any, name string) string {
	s, _ := values[name].(string)
	return s
}

// how puts the fields of any watch into a request.
func how(r *app.WatchRequest, v map[string]any) {
	r.For, _ = time.ParseDuration(text(v, fieldFor))
	if bytes, err := si.ParseBytes(text(v, fieldTolerance)); err == nil {
		r.Tolerance = float64(bytes)
	}
}
