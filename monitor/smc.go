package monitor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// smcMessage is a request to the system management controller, or its response. The numbers in it are in the
// processor's order, which is little-endian on every Mac that macOS 12 runs on.
type smcMessage [80]byte

// Offsets in a message.
const (
	smcKey     = 0
	smcSize    = 28
	smcKind    = 32
	smcResult  = 40
	smcCommand = 42
	smcIndex   = 44
	smcData    = 48 // to the end
)

// Commands, and the result for an unknown key.
const (
	smcReadValue = 5
	smcReadIndex = 8
	smcReadInfo  = 9
	smcNotFound  = 0x84
)

// smcPort sends a message to the controller and returns its answer.
type smcPort interface {
	call(smcMessage) (smcMessage, error)
}

// smc reads the controller's keys: names of four letters, each with a type and up to 32 bytes.
type smc struct {
	port  smcPort
	order binary.ByteOrder // of integers: the processor's on Apple silicon, big-endian on Intel
	info  map[string]smcInfo
}

// smcInfo is a key's type, four letters such as "flt ", and the length of its value.
type smcInfo struct {
	kind string
	size uint32
}

func newSMC(port smcPort, order binary.ByteOrder) *smc {
	return &smc{port: port, order: order, info: map[string]smcInfo{}}
}

func (s *smc) call(request smcMessage) (smcMessage, error) {
	answer, err := s.port.call(request)
	switch {
	case err != nil:
		return smcMessage{}, fmt.Errorf("SMC: %w", err)
	case answer[smcResult] == smcNotFound:
		return smcMessage{}, absent("this machine’s SMC has no such key")
	case answer[smcResult] != 0:
		return smcMessage{}, fmt.Errorf("SMC: result %#x", answer[smcResult])
	}
	return answer, nil
}

// letters and number turn a key or a type to its number and back: the first letter is the highest byte.
func number4(letters string) uint32 { return binary.BigEndian.Uint32([]byte(letters)) }

func letters4(number uint32) string {
	return string(binary.BigEndian.AppendUint32(nil, number))
}

func request(command byte, key string) (m smcMessage) {
	m[smcCommand] = command
	binary.LittleEndian.PutUint32(m[smcKey:], number4(key))
	return m
}

// about is a key's type and length, queried once.
func (s *smc) about(key string) (smcInfo, error) {
	if info, known := s.info[key]; known {
		return info, nil
	}
	answer, err := s.call(request(smcReadInfo, key))
	if err != nil {
		return smcInfo{}, err
	}
	info := smcInfo{
		kind: letters4(binary.LittleEndian.Uint32(answer[smcKind:])),
		size: binary.LittleEndian.Uint32(answer[smcSize:]),
	}
	if info.size == 0 || info.size > uint32(len(answer)-smcData) {
		return smcInfo{}, fmt.Errorf("SMC: key %s is %d bytes long, want 1 to %d", key, info.size, len(answer)-smcData)
	}
	s.info[key] = info
	return info, nil
}

// bytes is a key's raw value.
func (s *smc) bytes(key string) (smcInfo, []byte, error) {
	info, err := s.about(key)
	if err != nil {
		return smcInfo{}, nil, err
	}
	ask := request(smcReadValue, key)
	binary.LittleEndian.PutUint32(ask[smcSize:], info.size)
	binary.LittleEndian.PutUint32(ask[smcKind:], number4(info.kind))
	answer, err := s.call(ask)
	if err != nil {
		return smcInfo{}, nil, err
	}
	return info, answer[smcData : smcData+info.size], nil
}

// number is a key's value.
func (s *smc) number(key string) (float64, error) {
	info, b, err := s.bytes(key)
	if err != nil {
		return 0, err
	}
	v, ok := decodeSMC(info.kind, b, s.order)
	if !ok {
		return 0, fmt.Errorf("SMC: key %s of type %q in %d bytes is not a number", key, info.kind, len(b))
	}
	return v, nil
}

// count is the number of keys. It is big-endian on every Mac.
func (s *smc) count() (uint32, error) {
	_, b, err := s.bytes("#KEY")
	switch {
	case err != nil:
		return 0, err
	case len(b) != 4:
		return 0, errors.New("SMC: the key count is not 4 bytes long")
	}
	return binary.BigEndian.Uint32(b), nil
}

// at is the key of an index.
func (s *smc) at(index uint32) (string, error) {
	ask := smcMessage{smcCommand: smcReadIndex}
	binary.LittleEndian.PutUint32(ask[smcIndex:], index)
	answer, err := s.call(ask)
	if err != nil {
		return "", err
	}
	return letters4(binary.LittleEndian.Uint32(answer[smcKey:])), nil
}

// keys are those with a prefix, at most limit. The controller keeps its keys sorted, and there are thousands: reading all
// would take tens of milliseconds.
func (s *smc) keys(prefix string, limit int) ([]string, error) {
	n, err := s.count()
	if err != nil {
		return nil, err
	}
	low, high := uint32(0), n
	for low < high {
		middle := low + (high-low)/2
		key, err := s.at(middle)
		if err != nil {
			return nil, err
		}
		if key < prefix {
			low = middle + 1
		} else {
			high = middle
		}
	}
	var found []string
	for ; low < n && len(found) < limit; low++ {
		key, err := s.at(low)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(key, prefix) {
			break
		}
		found = append(found, key)
	}
	return found, nil
}

// decodeSMC reads a value of the controller: a float, an integer in the given order, or a fixed-point number. ok is
// false for other types, wrong lengths and values that are not finite.
func decodeSMC(kind string, b []byte, order binary.ByteOrder) (v float64, ok bool) {
	switch {
	case kind == "flt " && len(b) == 4:
		v = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case kind == "ioft" && len(b) == 8:
		v = float64(int64(binary.LittleEndian.Uint64(b))) / 65536
	case kind == "ui8 " && len(b) == 1:
		v = float64(b[0])
	case kind == "si8 " && len(b) == 1:
		v = float64(int8(b[0]))
	case kind == "ui16" && len(b) == 2:
		v = float64(order.Uint16(b))
	case kind == "si16" && len(b) == 2:
		v = float64(int16(order.Uint16(b)))
	case kind == "ui32" && len(b) == 4:
		v = float64(order.Uint32(b))
	case kind == "si32" && len(b) == 4:
		v = float64(int32(order.Uint32(b)))
	default:
		return decodeFixed(kind, b)
	}
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}

// decodeFixed reads 16-bit fixed-point numbers, big-endian. The last two letters of their types are the whole and the
// fractional bits in hexadecimal: "fpe2" has 14 and 2; "sp78" has 7 and 8 and a sign.
func decodeFixed(kind string, b []byte) (v float64, ok bool) {
	if len(kind) != 4 || len(b) != 2 {
		return 0, false
	}
	whole, err := strconv.ParseUint(kind[2:3], 16, 8)
	fraction, err2 := strconv.ParseUint(kind[3:], 16, 8)
	if err != nil || err2 != nil {
		return 0, false
	}
	bits := binary.BigEndian.Uint16(b)
	switch {
	case kind[:2] == "fp" && whole+fraction == 16:
		v = float64(bits)
	case kind[:2] == "sp" && whole+fraction == 15:
		v = float64(int16(bits))
	default:
		return 0, false
	}
	return math.Ldexp(v, -int(fraction)), true
}
