package cuda

import (
	"fmt"

	"assay/gpu"
)

// Codes of CUresult that the engine refers to, and the engine's own.
const (
	codeNoHostMemory = -1 // of bridge.h
	codeStuck        = -2 // of bridge.h
	codeBLAS         = -3 // any status of cuBLAS
	codeOutOfMemory  = 2
)

// meaning is what a code of the driver means to the engine.
type meaning struct {
	kind  error
	about string
	// sticky codes are permanent: after one of them the driver returns it from every call of this process.
	sticky bool
}

// meanings returns the meanings of the codes that can be expected, by cuda.h.
func meanings() map[int]meaning {
	fault := func(about string) meaning { return meaning{gpu.ErrExecution, about, true} }
	build := func(about string) meaning { return meaning{gpu.ErrCompile, about, false} }
	absent := func(about string) meaning { return meaning{gpu.ErrUnsupported, about, false} }
	return map[int]meaning{
		codeNoHostMemory: {gpu.ErrOutOfMemory, "the host has no memory", false},
		codeStuck:        {gpu.ErrTimeout, "the device does not answer", true},
		codeBLAS:         {gpu.ErrExecution, "cuBLAS failed", false},

		1:               {gpu.ErrExecution, "the driver refuses a value", false},
		codeOutOfMemory: {gpu.ErrOutOfMemory, "the device has no memory", false},
		3:               absent("the driver could not be initialized"),
		4:               {gpu.ErrDeviceLost, "the driver is shutting down", true},
		34:              absent("the library is a stub, which has no driver behind it"),
		46:              absent("the device is not available: it is in use by another process alone, or in a state that needs a reset"),
		100:             absent("no NVIDIA GPU is visible to this process (CUDA_VISIBLE_DEVICES hides those that it does not list)"),
		101:             absent("there is no such device"),
		200:             build("the code is not for the driver"),
		209:             build("the code is not for this device"),
		214:             fault("an error in the device's memory that ECC cannot correct"),
		218:             build("the PTX is not valid"),
		220:             fault("an error of the link between devices that cannot be corrected"),
		221:             absent("the driver's compiler for PTX (libnvidia-ptxjitcompiler.so) is not installed"),
		222:             build("the PTX is of a later version than the driver knows: a newer driver runs it"),
		300:             build("the source is not valid"),
		700:             fault("a kernel read or wrote an address that is not its own"),
		701:             {gpu.ErrUnsupported, "too many threads, registers or bytes of threadgroup memory for one threadgroup", false},
		702:             {gpu.ErrTimeout, "the driver stopped a kernel that ran too long", true},
		710:             fault("an assertion in a kernel failed"),
		714:             fault("an error in a kernel's stack"),
		715:             fault("a kernel reached an instruction that is not valid"),
		716:             fault("a kernel read or wrote an address that is not aligned"),
		717:             fault("a kernel used an address of another address space"),
		718:             fault("a kernel's program counter left its code"),
		719:             fault("a kernel failed"),
		801:             absent("the driver does not support it"),
		802:             absent("the system is not ready: the fabric manager that this device needs does not run"),
		803:             absent("the driver's library and kernel module are of different versions: a reboot loads the new one"),
		804:             absent("the driver is older than the library for this device"),
		999:             {gpu.ErrExecution, "an unknown error of the driver", false},
	}
}

// meaningOf returns the meaning of a code; for one that is not listed, a failure without consequences.
func meaningOf(code int) meaning {
	if m, known := meanings()[code]; known {
		return m
	}
	return meaning{gpu.ErrExecution, "the driver failed", false}
}

// restart returns the advice after a loss.
func restart() error {
	return fmt.Errorf("CUDA cannot be used any more in this process: %w", gpu.ErrRestart)
}

// lossOf returns why the device is lost after a sticky code.
func lossOf(code int) error { return fmt.Errorf("%s; %w", meaningOf(code).about, restart()) }
