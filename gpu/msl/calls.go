package msl

// lintCalls finds functions that call themselves, directly or through others. Only calls whose target is certain count: of a
// function that is neither a template nor a member, whose name is unique in the program and the library, and that is called
// with as many arguments as it has parameters.
func (u *Unit) lintCalls() {
	known := u.uniqueFunctions()
	calls := map[string][]call{}
	for name, f := range known {
		calls[name] = u.callsIn(f, known)
	}
	done := map[string]bool{}
	for _, f := range u.functions {
		if known[f.name] == f {
			u.findCycle(f.name, calls, map[string]bool{}, done)
		}
	}
}

type call struct {
	name string
	at   int
}

// uniqueFunctions are the functions that a plain call identifies unambiguously.
func (u *Unit) uniqueFunctions() map[string]*function {
	count := map[string]int{}
	for _, f := range u.functions {
		count[f.name]++
	}
	known := map[string]*function{}
	for _, f := range u.functions {
		plain := !f.member && len(f.templates) == 0 && u.tokens[f.at].identifier()
		if plain && count[f.name] == 1 && !u.library[f.name] && !u.structs[f.name] {
			known[f.name] = f
		}
	}
	return known
}

func (u *Unit) callsIn(f *function, known map[string]*function) []call {
	var list []call
	for i := f.body.lo; i+1 < f.body.hi; i++ {
		t := &u.tokens[i]
		target := known[t.text]
		if target == nil || t.drop || !u.tokens[i+1].is("(") || u.tokens[i+1].match < 0 {
			continue
		}
		switch u.text(u.prev(i - 1)) {
		case ".", "->", "::":
			continue
		}
		if p := u.prev(i - 1); p >= 0 && u.tokens[p].word() && !u.tokens[p].is("return") && !u.tokens[p].is("else") {
			continue // a declaration
		}
		if len(u.split(span{i + 2, u.tokens[i+1].match})) == len(u.split(target.params)) {
			list = append(list, call{t.text, i})
		}
	}
	return list
}

// findCycle reports the calls that lead back to a function on the path.
func (u *Unit) findCycle(name string, calls map[string][]call, path, done map[string]bool) {
	if done[name] {
		return
	}
	path[name] = true
	for _, c := range calls[name] {
		if path[c.name] {
			u.errorf(c.at, "recursion is not supported: %s", cycleText(name, c.name))
			continue
		}
		u.findCycle(c.name, calls, path, done)
	}
	delete(path, name)
	done[name] = true
}

func cycleText(from, to string) string {
	if from == to {
		return to + " calls itself"
	}
	return from + " calls " + to + ", which leads back to it"
}
