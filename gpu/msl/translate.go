package msl

import "context"

// Translate converts the tokens of a file to C++. For what the language does not have, the error is a *CompileError. name is
// the file's; library are the names in the language's headers (Target.Names).
func Translate(ctx context.Context, name string, tokens Tokens, library map[string]bool) (*Unit, error) {
	u := newUnit(name, tokens)
	u.library = library
	if i := matchBrackets(u.tokens); i >= 0 {
		u.errorf(i, "unmatched %s", u.tokens[i].text)
		return nil, u.failure()
	}
	for _, pass := range []func(){
		u.findTensors, u.takeAttributes, func() { u.scan(span{0, len(tokens)}, &scope{}, 0) }, u.resolve, u.lint, u.finish,
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pass()
	}
	sortDiagnostics(u.diags)
	if err := u.failure(); err != nil {
		return nil, err
	}
	return u, nil
}

// Entries lists the entry points, in the order of the source.
func (u *Unit) Entries() []Entry {
	all := make([]Entry, len(u.entries))
	for i, e := range u.entries {
		all[i] = e.Entry
	}
	return all
}

// AtEntry is an error at the place of an entry point's kernel, by its index in Entries.
func (u *Unit) AtEntry(index int, message string) Diagnostic {
	p := u.tokens[u.entries[index].kernel.at].at
	return Diagnostic{p.file, p.line, p.col, "error", Printable(message)}
}

// Constants lists the function constants, in the order of the source.
func (u *Unit) Constants() []Constant {
	all := make([]Constant, len(u.constants))
	for i, c := range u.constants {
		all[i] = c.Constant
		all[i].Required = !c.asked
	}
	return all
}

// Sample chooses one instance of each kernel template for each first template argument, as indices of Entries. Conditional
// expressions that need a fix depend on a type, mostly that one, so a sample finds most of them in much less time.
func (u *Unit) Sample() []int {
	var chosen []int
	seen := map[string]bool{}
	for i, e := range u.entries {
		if len(e.argumentText) == 0 {
			continue // the body of what is not a template is checked in every piece
		}
		k := itoa(e.kernel.at) + " " + e.argumentText[0]
		if !seen[k] {
			seen[k] = true
			chosen = append(chosen, i)
		}
	}
	return chosen
}
