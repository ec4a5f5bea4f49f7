package monitor

/*
#include "hid_darwin.h"
#include "smc_darwin.h"
*/
import "C"

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"unsafe"
)

func newSensorSource() *sensorSource { return &sensorSource{openSMC: openSMC, openHID: openHID} }

// smcConnection is an open connection to the controller.
type smcConnection struct{ port C.uint32_t }

func openSMC() (*smc, error) {
	var code C.int
	port := C.assay_smc_open(&code)
	switch {
	case code != 0:
		return nil, absent(fmt.Sprintf("the SMC refuses this process (%#x)", uint32(code)))
	case port == 0:
		return nil, absent("this machine has no SMC")
	}
	c := &smcConnection{port}
	runtime.AddCleanup(c, func(p C.uint32_t) { C.assay_smc_close(p) }, port)
	order := binary.ByteOrder(binary.BigEndian)
	if runtime.GOARCH == "arm64" {
		order = binary.LittleEndian
	}
	return newSMC(c, order), nil
}

func (c *smcConnection) call(request smcMessage) (answer smcMessage, err error) {
	code := C.assay_smc_call(c.port, unsafe.Pointer(&request), unsafe.Pointer(&answer))
	runtime.KeepAlive(c)
	if code != 0 {
		return smcMessage{}, fmt.Errorf("IOConnectCallStructMethod: %#x", uint32(code))
	}
	return answer, nil
}

// hidClient is an open client of the HID system.
type hidClient struct {
	handle *C.assay_hid
	rows   []C.assay_hid_temperature
}

func openHID() (hidReader, error) {
	var why [128]C.char
	handle := C.assay_hid_open(&why[0], C.int(len(why)))
	if handle == nil {
		return nil, absent(C.GoString(&why[0]))
	}
	h := &hidClient{handle, make([]C.assay_hid_temperature, C.assay_hid_sensors(handle))}
	runtime.AddCleanup(h, func(p *C.assay_hid) { C.assay_hid_close(p) }, handle)
	return h, nil
}

func (h *hidClient) read() ([]hidTemperature, error) {
	n := C.assay_hid_read(h.handle, &h.rows[0], C.int(len(h.rows)))
	runtime.KeepAlive(h)
	temperatures := make([]hidTemperature, n)
	for i := range temperatures {
		temperatures[i] = hidTemperature{C.GoString(&h.rows[i].name[0]), float64(h.rows[i].celsius)}
	}
	return temperatures, nil
}
