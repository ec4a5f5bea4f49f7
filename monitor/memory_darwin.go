package monitor

/*
#include "vm_darwin.h"
*/
import "C"

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// memorySource reads the host's memory and swap from the kernel's own counts.
type memorySource struct {
	swap rate
	memoryTemplates
	compressed Reading
	out        []Reading
}

func newMemorySource() *memorySource {
	s := &memorySource{memoryTemplates: newMemoryTemplates("host_statistics64", "sysctl vm.swapusage")}
	s.total.Source = "sysctl hw.memsize"
	s.compressed = Template(HostMemoryCompressed, s.used.Source)
	return s
}

func (s *memorySource) Name() string { return "memory" }

func (s *memorySource) Read(context.Context) []Reading {
	var vm C.assay_vm
	C.assay_vm_read(&vm)
	s.out = append(s.out[:0], s.readTotal(&vm))
	s.out = s.readUsed(&vm, s.out)
	s.out = s.readSwap(&vm, s.out)
	return s.out
}

func (s *memorySource) readTotal(vm *C.assay_vm) Reading {
	if vm.total_error != 0 {
		return s.total.without(syscall.Errno(vm.total_error))
	}
	return s.total.ok(float64(vm.total))
}

func (s *memorySource) readUsed(vm *C.assay_vm, to []Reading) []Reading {
	pages := vmPages{
		pageSize: uint64(vm.page_size), internal: uint64(vm.internal), purgeable: uint64(vm.purgeable),
		wired: uint64(vm.wired), compressor: uint64(vm.compressor),
	}
	used, err := pages.used()
	if vm.pages_error != 0 {
		err = kernError("host_statistics64", vm.pages_error)
	}
	if err != nil {
		return append(to, s.used.without(err), s.full.without(err), s.compressed.without(err))
	}
	full := s.full.unavailable("the memory size is not known")
	if vm.total > 0 {
		full = s.full.ok(float64(used) / float64(vm.total))
	}
	return append(to, s.used.ok(float64(used)), full, s.compressed.ok(float64(pages.compressed())))
}

// readSwap appends swap in use and its growth. macOS creates swap files on demand, so no file means 0 B in use.
func (s *memorySource) readSwap(vm *C.assay_vm, to []Reading) []Reading {
	if vm.swap_error != 0 {
		err := syscall.Errno(vm.swap_error)
		return append(to, s.swapped.without(err), s.growth.without(err))
	}
	used := float64(vm.swap_used)
	growth := s.growth.unavailable(needsTwo)
	if perSecond, ok := s.swap.next(used, time.Now()); ok {
		growth = s.growth.ok(perSecond)
	}
	return append(to, s.swapped.ok(used), growth)
}

func kernError(call string, code C.int) error {
	return fmt.Errorf("%s: kern_return_t %d", call, int(code))
}
