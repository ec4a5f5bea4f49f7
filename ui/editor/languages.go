package editor

import (
	"slices"
	"strings"
)

// MSL is the Metal Shading Language.
func MSL() *Language {
	return &Language{
		Line: "//", Open: "/*", Close: "*/", Directive: "#", Attributes: true, Quotes: `"'`,
		Keywords: strings.Fields(`alignas alignof auto break case class const constant constexpr continue decltype default device do
			else enum explicit extern false for fragment friend if inline kernel mutable namespace nullptr operator private
			protected public ray_data return sizeof static static_assert static_cast struct switch template thread threadgroup
			threadgroup_imageblock true typedef typename union using vertex visible volatile while`),
		Types: strings.Fields(`array atomic atomic_bool atomic_float atomic_int atomic_uint bfloat bool char cooperative_tensor
			extents float half int int16_t int32_t int64_t int8_t long ptrdiff_t short signed simdgroup_bfloat8x8
			simdgroup_float8x8 simdgroup_half8x8 simdgroup_matrix size_t tensor tensor_handle tensor_inline uchar uint uint16_t
			uint32_t uint64_t uint8_t ulong unsigned ushort vec void`),
		Vectors: strings.Fields("bfloat bool char float half int long packed_char packed_float packed_half packed_int packed_short packed_uchar packed_uint packed_ushort short uchar uint ulong ushort"),
	}
}

// OpGraph is the language of op graphs, in which operations have names.
func OpGraph(operations []string) *Language {
	types := append([]string{"f16", "f32"}, operations...)
	slices.Sort(types)
	return &Language{Line: "#", Keywords: []string{"input", "output", "size"}, Types: types}
}

// TOML is the language of descriptions.
func TOML() *Language {
	return &Language{Line: "#", Quotes: `"'`, Triple: true, Keywords: []string{"false", "true"}, Directive: "["}
}
