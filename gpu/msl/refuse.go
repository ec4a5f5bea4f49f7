package msl

import "strings"

// refusedTypes are kinds of arguments that are not supported.
var refusedTypes = []struct{ prefix, what string }{
	{"texture", "textures"},
	{"depth", "depth textures"},
	{"sampler", "samplers"},
	{"visible_function_table", "visible functions"},
	{"intersection_function_table", "ray tracing"},
	{"acceleration_structure", "ray tracing"},
	{"instance_acceleration_structure", "ray tracing"},
	{"primitive_acceleration_structure", "ray tracing"},
	{"imageblock", "imageblocks"},
	{"cooperative_tensor", "cooperative tensors as arguments"},
	{"command_buffer", "indirect command buffers"},
	{"render_pipeline_state", "indirect command buffers"},
	{"compute_pipeline_state", "indirect command buffers"},
	{"mesh_grid_properties", "mesh shaders"},
}

// refusedParam refuses arguments of features that are not supported, and names the feature.
func (u *Unit) refusedParam(p span, a Arg, attrs []attribute) bool {
	for _, at := range attrs {
		what := ""
		switch at.name {
		case "texture":
			what = "textures"
		case "sampler":
			what = "samplers"
		case "stage_in":
			what = "stage_in arguments"
		case "payload":
			what = "mesh shaders"
		}
		if what != "" {
			u.errorf(at.at, "%s are not supported: argument %s", what, a.Name)
			u.refuse(p)
			return true
		}
	}
	for i := p.lo; i < p.hi; i++ {
		t := &u.tokens[i]
		if t.drop || !t.identifier() {
			continue
		}
		for _, r := range refusedTypes {
			if matchesRefused(t.text, r.prefix) {
				u.errorf(i, "%s are not supported: argument %s", r.what, a.Name)
				u.refuse(p)
				return true
			}
		}
	}
	return false
}

// refuse marks an argument that already has an error.
func (u *Unit) refuse(p span) {
	for i := p.lo; i < p.hi; i++ {
		u.refused[i] = true
	}
}

// matchesRefused reports whether a type name is the prefix, or a family such as texture2d_array of it.
func matchesRefused(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return false
	}
	if prefix == "texture" || prefix == "depth" {
		return len(rest) > 1 && rest[0] >= '1' && rest[0] <= '3' && rest[1] == 'd' || strings.HasPrefix(rest, "cube") || rest == "_buffer"
	}
	return rest == ""
}
