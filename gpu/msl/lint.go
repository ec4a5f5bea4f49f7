package msl

import "slices"

// lint reports what Apple's compiler refuses and C++ would accept. If it is not certain, it reports nothing.
func (u *Unit) lint() {
	u.findVague()
	for i := range u.tokens {
		if !u.tokens[i].drop {
			u.lintToken(i)
			u.lintLambda(i)
			u.lintOperation(i)
			u.lintHalfName(i)
			u.lintLiteral(i)
			u.lintAssembly(i)
		}
	}
	for _, f := range u.functions {
		u.lintLengths(f)
	}
	u.lintPointers()
	u.lintCalls()
}

// refusedWords are C++ keywords that the language does not have, each with its error message.
var refusedWords = map[string]string{
	"double":          "64-bit floating point is not supported: use float",
	"new":             "new is not supported: a kernel cannot allocate memory",
	"virtual":         "virtual functions are not supported",
	"dynamic_cast":    "dynamic_cast is not supported",
	"typeid":          "typeid is not supported",
	"throw":           "exceptions are not supported",
	"try":             "exceptions are not supported",
	"catch":           "exceptions are not supported",
	"goto":            "goto is not supported",
	"thread_local":    "thread_local is not supported",
	"__float128":      "128-bit floating point is not supported: use float",
	"co_await":        "coroutines are not supported",
	"co_yield":        "coroutines are not supported",
	"co_return":       "coroutines are not supported",
	"texture1d":       "textures are not supported",
	"texture2d":       "textures are not supported",
	"texture2d_array": "textures are not supported",
	"texture3d":       "textures are not supported",
	"texturecube":     "textures are not supported",
	"texture_buffer":  "textures are not supported",
	"texture1d_array": "textures are not supported",
	"depth2d":         "depth textures are not supported",
}

func (u *Unit) lintToken(i int) {
	t := &u.tokens[i]
	if t.is("delete") && !u.deleted(i) {
		u.errorf(i, "delete is not supported: a kernel cannot allocate memory")
		return
	}
	if u.refused[i] {
		return
	}
	u.lintSampler(i)
	message := refusedWords[t.text]
	if message == "" || t.literal() || u.text(u.prev(i-1)) == "operator" || u.isMember(i) {
		return
	}
	if t.identifier() && u.structs[t.text] {
		return
	}
	u.errorf(i, "%s", message)
}

// deleted reports whether delete at i ends a declaration.
func (u *Unit) deleted(i int) bool {
	p := u.text(u.prev(i - 1))
	return p == "=" || p == "operator"
}

// isMember reports whether the name at i is one within an object.
func (u *Unit) isMember(i int) bool {
	p := u.text(u.prev(i - 1))
	return p == "." || p == "->"
}

// pointerStart are the tokens after which the type of a declaration, a cast or a template argument begins.
var pointerStart = []string{"(", ",", "{", "}", ";", "<", "using", "public", "private", ":", "typedef", "static", "inline", "const", "volatile"}

// lintPointers finds pointers and references to types of the language or the program that have no address space among their
// specifiers.
func (u *Unit) lintPointers() {
	for i := range u.tokens {
		t := &u.tokens[i]
		if t.drop || !t.is("*") && !t.is("&") {
			continue
		}
		if base := u.prev(i - 1); base >= 0 && (u.isConcrete(base) || u.isKnownType(base)) {
			u.lintPointer(base, i)
		}
	}
}

// isConcrete reports whether a token is the name of a known type without template arguments.
func (u *Unit) isConcrete(i int) bool {
	t := &u.tokens[i]
	if t.identifier() {
		return isBuiltinType(t.text)
	}
	return slices.Contains(builtinWords, t.text) && !t.is("auto")
}

// lintPointer checks the specifiers around a type name at base whose * or & is at mark.
func (u *Unit) lintPointer(base, mark int) {
	i := base
	for ; i >= 0; i-- {
		t := &u.tokens[i]
		if slices.Contains(spaces, t.text) || t.is("auto") {
			return
		}
		if !t.drop && i != base && !slices.Contains([]string{"const", "volatile", "constexpr", "unsigned", "signed", "long", "short", "::", "metal"}, t.text) {
			break
		}
	}
	if i < 0 || !slices.Contains(pointerStart, u.tokens[i].text) || !u.declares(i, mark) {
		return
	}
	u.lintNoSpace(base, mark)
}

// lintNoSpace refuses the pointer or reference at mark to the type named at base.
func (u *Unit) lintNoSpace(base, mark int) {
	what := "pointer"
	if u.tokens[mark].is("&") {
		what = "reference"
	}
	u.errorf(base, "%s to %s needs an address space: device, constant, threadgroup or thread", what, u.tokens[base].text)
}

// declares reports whether the * or & at mark is part of a type and not an operator: what comes after it can only follow a
// type. start is the token before the specifiers.
func (u *Unit) declares(start, mark int) bool {
	n := u.next(mark + 1)
	if n >= len(u.tokens) {
		return false
	}
	t := &u.tokens[n]
	switch u.tokens[start].text {
	case "<":
		return t.is(">") || t.is(",")
	case "using", ":":
		return false
	}
	return t.identifier() || t.is(")") || t.is(",") || t.is("const")
}
