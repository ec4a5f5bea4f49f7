package metal

import "testing"

func TestValidationIsWhatTheEnvironmentSays(t *testing.T) {
	for _, c := range []struct {
		set       map[string]string
		simulated bool
		want      string
	}{
		{nil, false, ""},
		{map[string]string{"MTL_DEBUG_LAYER": "0"}, false, ""},
		{map[string]string{"MTL_DEBUG_LAYER": "1"}, false, "Metal’s API validation"},
		{map[string]string{"MTL_DEBUG_LAYER": "1", "MTL_SHADER_VALIDATION": "1"}, false, "Metal’s API validation and Metal’s shader validation"},
		{map[string]string{"MTL_DEBUG_LAYER": "1"}, true, "the simulated Metal’s checks"},
	} {
		if got := validation(func(name string) string { return c.set[name] }, c.simulated); got != c.want {
			t.Errorf("%v: %q, want %q", c.set, got, c.want)
		}
	}
	if all := validationVariables(); len(all) != 2 || all[0] != "MTL_DEBUG_LAYER=1" {
		t.Errorf("%v", all)
	}
}
