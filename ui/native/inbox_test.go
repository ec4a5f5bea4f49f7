package native

import (
	"slices"
	"testing"
)

func TestInboxKeepsWhatComesEarly(t *testing.T) {
	var opened []string
	i := &Inbox{}
	i.Put([]string{"a"})
	i.Put([]string{"b", "c"})
	i.Connect(func(paths []string) { opened = append(opened, paths...) })
	i.Put([]string{"d"})
	if !slices.Equal(opened, []string{"a", "b", "c", "d"}) {
		t.Errorf("opened %v", opened)
	}
}
