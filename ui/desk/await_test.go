package desk_test

import (
	"testing"
	"time"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// TestWhatTakesLongIsTold waits for something slow, and for something that ends at once.
func TestWhatTakesLongIsTold(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	const words = "Reading a run."
	fast := d.Await("Reading another run.")
	fast()
	done := d.Await(words)
	for end := time.Now().Add(10 * time.Second); d.Model.Notice == "" && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		d.Settle()
	}
	if d.Model.Notice != words {
		t.Errorf("told %q", d.Model.Notice)
	}
	if done(); d.Model.Notice != "" {
		t.Errorf("when it is over it still tells %q", d.Model.Notice)
	}
	done = d.Await(words)
	d.Say("Something else.")
	if done(); d.Model.Notice != "Something else." {
		t.Error("the end of the wait takes another notice away")
	}
}

// TestNothingBeginsOnceTheWindowCloses starts work after the window has closed: the window would have to wait for it.
func TestNothingBeginsOnceTheWindowCloses(t *testing.T) {
	d := uitest.Open(t, blank(), kit.AlwaysDark, uitest.Usual).Desk
	d.Shut()
	d.Background(func() func() {
		t.Error("it began")
		return nil
	})
	d.Wait()
}
