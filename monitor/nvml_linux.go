package monitor

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "nvml_linux.h"
*/
import "C"

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// nvmlLibraryName is the name that every driver installs; it is part of the driver, not of a toolkit.
const nvmlLibraryName = "libnvidia-ml.so.1"

// newNVMLSource reads NVIDIA's GPUs. Reading takes about a millisecond, and 40 ms more if the driver does not count the bytes on PCI
// Express: sources run on their own goroutines.
func newNVMLSource(library string) *nvmlSource {
	return &nvmlSource{library: nvmlLibraryName, open: func() (nvmlReader, error) { return openNVML(library) }}
}

// nvmlDriver is the open library and the GPU being read.
type nvmlDriver struct {
	library unsafe.Pointer
	symbols map[string]unsafe.Pointer // nil: the library has no such function
	version string                    // of the driver
	start   time.Time
	card    unsafe.Pointer
	of      string
	fields  []C.assay_nvml_field
	uses    [128]C.assay_nvml_use
	hidden  error // why processes cannot be distinguished
	// counters outlive the driver until its cleanup.
	counters *nvmlCounters
}

func openNVML(library string) (*nvmlDriver, error) {
	name := C.CString(library)
	defer C.free(unsafe.Pointer(name))
	var why [256]C.char
	handle := C.assay_nvml_load(name, &why[0], C.int(len(why)))
	if handle == nil {
		return nil, absent("no NVIDIA driver: " + C.GoString(&why[0]))
	}
	d := &nvmlDriver{library: handle, symbols: map[string]unsafe.Pointer{}, start: time.Now(), hidden: hiddenProcesses("/proc/self/ns/pid"), counters: &nvmlCounters{}}
	if err := d.begin(); err != nil {
		C.assay_nvml_unload(handle)
		return nil, err
	}
	shutdown, _ := d.find("nvmlShutdown")
	free, _ := d.find("nvmlGpmSampleFree")
	counters := d.counters
	runtime.AddCleanup(d, func(handle unsafe.Pointer) {
		counters.free(free)
		if shutdown != nil {
			C.assay_nvml_plain(shutdown)
		}
		C.assay_nvml_unload(handle)
	}, handle)
	return d, nil
}

// begin initializes NVML and reads the driver's version.
func (d *nvmlDriver) begin() error {
	begin, name := d.find("nvmlInit_v2", "nvmlInit")
	if begin == nil {
		return nvmlMissing(name)
	}
	if err := d.check(name, C.assay_nvml_plain(begin)); err != nil {
		return err
	}
	version, _ := d.find("nvmlSystemGetDriverVersion")
	var text [96]C.char
	if version != nil && C.assay_nvml_version(version, &text[0], C.uint32_t(len(text))) == 0 {
		d.version = C.GoString(&text[0])
	} else {
		d.version = "of unknown version"
	}
	return nil
}

// find returns the first of several functions that the library has, and its name; if there is none, the name of the first.
func (d *nvmlDriver) find(names ...string) (unsafe.Pointer, string) {
	for _, name := range names {
		symbol, known := d.symbols[name]
		if !known {
			c := C.CString(name)
			symbol = C.assay_nvml_symbol(d.library, c)
			C.free(unsafe.Pointer(c))
			d.symbols[name] = symbol
		}
		if symbol != nil {
			return symbol, name
		}
	}
	return nil, names[0]
}

// check converts a code to an error.
func (d *nvmlDriver) check(function string, code C.int) error {
	text := ""
	if f, _ := d.find("nvmlErrorString"); f != nil && code != 0 {
		if words := C.assay_nvml_error(f, code); words != nil {
			text = C.GoString(words)
		}
	}
	return nvmlError(function, int(code), text)
}

// choose is part of nvmlReader.
func (d *nvmlDriver) choose(id string) error {
	var count C.uint32_t
	f, name := d.find("nvmlDeviceGetCount_v2", "nvmlDeviceGetCount")
	if f == nil {
		return nvmlMissing(name)
	}
	if err := d.check(name, C.assay_nvml_count(f, &count)); err != nil {
		return err
	}
	if count == 0 {
		return absent("the NVIDIA driver has no GPU")
	}
	d.card = nil
	d.counters.another()
	if err := d.handle(id); err != nil {
		return err
	}
	d.of = "driver " + d.version + ", " + d.text("nvmlDeviceGetName")
	if count > 1 {
		d.of += fmt.Sprintf(", one of %d: %s", count, d.text("nvmlDeviceGetUUID"))
	}
	return nil
}

// handle finds the GPU with an ID, or the first.
func (d *nvmlDriver) handle(id string) error {
	if id == "" {
		f, name := d.find("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex")
		if f == nil {
			return nvmlMissing(name)
		}
		return d.check(name, C.assay_nvml_at(f, 0, &d.card))
	}
	f, name := d.find("nvmlDeviceGetHandleByUUID")
	if f == nil {
		return nvmlMissing(name)
	}
	c := C.CString(id)
	defer C.free(unsafe.Pointer(c))
	code := C.assay_nvml_by_id(f, c, &d.card)
	if code == nvmlNotFound {
		return absent("the NVIDIA driver does not know the engine's GPU, " + id)
	}
	return d.check(name, code)
}

// text returns a text that describes the GPU.
func (d *nvmlDriver) text(function string) string {
	f, _ := d.find(function)
	var text [96]C.char
	if f == nil || C.assay_nvml_text(f, d.card, &text[0], C.uint32_t(len(text))) != 0 {
		return "a GPU that does not report it"
	}
	return C.GoString(&text[0])
}

// sample is part of nvmlReader.
func (d *nvmlDriver) sample(slow bool) *nvmlSample {
	s := &nvmlSample{of: d.of, seconds: time.Since(d.start).Seconds()}
	questions := nvmlQuestions()
	d.askFields(s, questions)
	d.askCounters(s, questions)
	for i := range questions {
		q := &questions[i]
		rate := q.item == nvmlSentRate || q.item == nvmlReceivedRate
		switch {
		case q.kind == nvmlField, q.kind == nvmlCounter:
		case rate && !slow:
			s.answers[q.item] = nvmlAnswer{function: q.functions[0], err: absent("read from the next sample on")}
		default:
			s.answers[q.item] = d.ask(q)
		}
	}
	return s
}

// ask makes one query.
func (d *nvmlDriver) ask(q *nvmlQuestion) (a nvmlAnswer) {
	f, name := d.find(q.functions...)
	a.function = name
	if f == nil {
		a.err = nvmlMissing(name)
		return a
	}
	var value, other C.uint64_t
	var code C.int
	which := C.uint32_t(q.which)
	switch q.kind {
	case nvmlU32:
		code = C.assay_nvml_u32(f, d.card, &value)
	case nvmlU64:
		code = C.assay_nvml_u64(f, d.card, &value)
	case nvmlChosen:
		code = C.assay_nvml_chosen(f, d.card, which, &value)
	case nvmlPair:
		code = C.assay_nvml_pair(f, d.card, which, &value)
	case nvmlMemoryInfo:
		version := C.int(1)
		if strings.HasSuffix(name, "_v2") {
			version = 2
		}
		if code = C.assay_nvml_memory(f, d.card, version, &value, &other); which == 1 {
			value = other
		}
	case nvmlRunning:
		var count C.uint32_t
		if code = C.assay_nvml_processes(f, d.card, nil, &count); code == nvmlInsufficientSize {
			code = 0 // there are some, but no buffer was provided
		}
		value = C.uint64_t(count)
	case nvmlUse:
		a.value, a.err = d.others(f, name)
		return a
	}
	a.value, a.err = uint64(value), d.check(name, code)
	return a
}

// askFields queries all fields at once.
func (d *nvmlDriver) askFields(s *nvmlSample, questions []nvmlQuestion) {
	d.fields = d.fields[:0]
	var asked []*nvmlQuestion
	for i := range questions {
		if q := &questions[i]; q.kind == nvmlField {
			d.fields, asked = append(d.fields, C.assay_nvml_field{id: C.uint32_t(q.which)}), append(asked, q)
		}
	}
	f, name := d.find(asked[0].functions...)
	err := nvmlMissing(name)
	if f != nil {
		err = d.check(name, C.assay_nvml_fields(f, d.card, &d.fields[0], C.int(len(d.fields))))
	}
	for i, q := range asked {
		a := nvmlAnswer{function: name + ", field " + strconv.Itoa(int(q.which)), err: err}
		if err == nil {
			a.err = d.check(a.function, C.int(d.fields[i].status))
		}
		if a.err == nil {
			a.value, a.narrow, a.err = fieldValue(&d.fields[i])
		}
		s.answers[q.item] = a
	}
}

// fieldValue returns the value of a field by its type; narrow: it has 32 bits or fewer.
func fieldValue(f *C.assay_nvml_field) (value uint64, narrow bool, err error) {
	p := unsafe.Pointer(&f.value)
	switch f._type {
	case 0:
		value = uint64(max(0, *(*float64)(p)))
	case 1:
		value, narrow = uint64(*(*uint32)(p)), true
	case 2, 3:
		value = *(*uint64)(p)
	case 4:
		value = uint64(max(0, *(*int64)(p)))
	case 5:
		value, narrow = uint64(max(0, *(*int32)(p))), true
	case 6:
		value, narrow = uint64(*(*uint16)(p)), true
	default:
		err = fmt.Errorf("field %d has values of the unknown type %d", f.id, f._type)
	}
	return value, narrow, err
}

// usedLately is how far back process usage is queried: the driver averages over up to a second.
const usedLately = 2 * time.Second

// others returns the percentage of time that processes other than this one used the GPU, from the driver's newest average for each.
func (d *nvmlDriver) others(f unsafe.Pointer, name string) (percent uint64, err error) {
	if d.hidden != nil {
		return 0, d.hidden
	}
	count := C.uint32_t(len(d.uses))
	since := time.Now().Add(-usedLately).UnixMicro()
	code := C.assay_nvml_uses(f, d.card, &d.uses[0], &count, C.uint64_t(since))
	if code == nvmlNotFound { // nothing used it
		return 0, nil
	}
	if err := d.check(name, code); err != nil {
		return 0, err
	}
	newest := map[C.uint32_t]C.assay_nvml_use{}
	for _, u := range d.uses[:min(int(count), len(d.uses))] {
		if u.stamp >= newest[u.pid].stamp {
			newest[u.pid] = u
		}
	}
	for pid, u := range newest {
		if !ownProcess("/proc", int(pid)) {
			percent += uint64(u.percent)
		}
	}
	return percent, nil
}

// ownProcess reports whether a process is this one or a child of it.
func ownProcess(proc string, pid int) bool {
	if pid == os.Getpid() {
		return true
	}
	b, err := os.ReadFile(proc + "/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:]) // after the name: state, parent
	return len(fields) > 1 && string(fields[1]) == strconv.Itoa(os.Getpid())
}

// firstNamespace is the kernel's initial namespace of process IDs, in which the driver counts.
const firstNamespace = "pid:[4026531836]"

// hiddenProcesses returns why this process cannot be distinguished from others in the driver's list; nil if it can.
func hiddenProcesses(link string) error {
	switch namespace, err := os.Readlink(link); {
	case err != nil:
		return err
	case namespace != firstNamespace:
		return absent("in a container the driver's process IDs are not this system's, so that Assay's own work cannot be distinguished")
	}
	return nil
}
