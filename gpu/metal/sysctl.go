package metal

import "encoding/binary"

// decodeInteger decodes a sysctl integer of four or eight bytes; 0 for other sizes and for values that are not positive.
func decodeInteger(raw []byte) int64 {
	var n int64
	switch len(raw) {
	case 4:
		n = int64(int32(binary.NativeEndian.Uint32(raw)))
	case 8:
		n = int64(binary.NativeEndian.Uint64(raw))
	}
	return max(0, n)
}
