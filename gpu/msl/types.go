package msl

import (
	"slices"
	"strings"
)

// scalars are the scalar types of the language whose names are one word.
var scalars = []string{
	"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "bfloat", "float", "size_t", "ptrdiff_t",
	"int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
}

// isBuiltinType reports whether a name is that of a scalar, vector, packed vector or matrix type.
func isBuiltinType(name string) bool {
	name = strings.TrimPrefix(name, "packed_")
	if slices.Contains(scalars, name) {
		return true
	}
	base := strings.TrimRight(name, "234x")
	shape := name[len(base):]
	if !slices.Contains(scalars, base) || strings.HasSuffix(base, "_t") {
		return false
	}
	return len(shape) == 1 && shape != "x" || len(shape) == 3 && shape[1] == 'x' && shape[0] != 'x' && shape[2] != 'x'
}
