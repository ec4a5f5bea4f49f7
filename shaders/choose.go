package shaders

import "maps"

// Device is what the choice of an implementation depends on.
type Device struct {
	// Family is the family of an Apple GPU: 7 is M1, 8 M2, 9 M3 and M4. 0: another device, or not known.
	Family int
	// Compute is the compute capability of an NVIDIA GPU, times ten: 80 is Ampere, 90 Hopper. 0: another device.
	Compute  int
	Supports func(k Kernel) error
}

// Preference names the implementation to use for some calls on some devices.
type Preference struct {
	Impl     string
	Tunables Constants
	// Families are the first and the last Apple GPU family that it applies to; 0 and 0 without NVIDIA: every device.
	Families [2]int
	NVIDIA   bool              // applies to NVIDIA GPUs
	For      func(c Call) bool // nil: every call
	Why      string            // in a few words
}

// fits reports whether the preference applies to a call on a device.
func (p *Preference) fits(c Call, d Device) bool {
	known := p.Families == [2]int{} || d.Family >= p.Families[0] && d.Family <= p.Families[1]
	if p.NVIDIA && d.Compute == 0 {
		known = false
	}
	return known && (p.For == nil || p.For(c))
}

// Choose is Pick for a call with constants and params. If no implementation is named, it uses the first of the operation's
// preferences that fits and that the device supports, and returns the reason. If a named one is Tuned, it uses the first
// preference for this implementation, with its tunables.
func (c *Catalog) Choose(p Pick, with Constants, params any, d Device) (k Kernel, why string, err error) {
	first, err := c.Pick(p)
	if err != nil {
		return first, "", err
	}
	if p.Impl != "" && !p.Tuned {
		return first.With(with), "", nil
	}
	for _, prefer := range first.Impl.Op.Prefer {
		if p.Impl != "" && p.Impl != prefer.Impl {
			continue
		}
		if k, ok := c.preferred(&prefer, p, with, params, d); ok {
			return k, prefer.Why, nil
		}
	}
	switch {
	case p.Impl != "":
		return first.With(with), "", nil
	case len(first.Impl.Op.Prefer) == 0:
		return first.With(with), "the default", nil
	}
	return first.With(with), "no other kernel on this device supports the call", nil
}

// preferred returns the kernel of a preference; false if it does not apply to the call or the device.
func (c *Catalog) preferred(prefer *Preference, p Pick, with Constants, params any, d Device) (Kernel, bool) {
	at, known := c.byPick[Pick{Op: p.Op, Impl: prefer.Impl, Type: p.Type}]
	if !known {
		return Kernel{}, false
	}
	constants := maps.Clone(prefer.Tunables)
	if constants == nil {
		constants = Constants{}
	}
	maps.Copy(constants, with)
	k := c.kernels[at].With(constants)
	return k, k.Check(params) == nil && prefer.fits(k.Call(params), d) && d.Supports(k) == nil
}
