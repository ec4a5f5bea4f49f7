package desk

import (
	"fmt"
	"log"
	"slices"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"assay/internal/severity"
	"assay/internal/si"
	"assay/monitor"
)

// Rules returns the alert rules in force. A notice reports entries of the rules file that are not valid.
func (d *Desk) Rules() []monitor.Rule {
	rules, err := d.Session.Rules.List()
	if err != nil {
		d.Fail("Some alert rules are not valid; their defaults are used", err)
	}
	d.Model.Record.SetRules(rules)
	return rules
}

// recallRules makes the charts draw the limits in force.
func (d *Desk) recallRules() {
	if rules, err := d.Session.Rules.List(); err != nil {
		log.Print(err)
	} else {
		d.Model.Record.SetRules(rules)
	}
}

// SetRule changes fields of an alert rule, or adds one.
func (d *Desk) SetRule(id string, texts map[string]string) error {
	err := d.Session.Rules.Set(id, texts)
	d.rulesChanged()
	return err
}

// ResetRules restores the defaults of rules, or of all rules if none are named.
func (d *Desk) ResetRules(ids ...string) {
	if err := d.Session.Rules.Reset(ids...); err != nil {
		d.Fail("Cannot reset alert rules", err)
	}
	d.rulesChanged()
}

func (d *Desk) rulesChanged() {
	d.recallRules()
	d.Redraw(ChangedAlerts | ChangedTick)
}

// notifyEvery is the minimum time between two desktop notifications: alerts that come sooner are reported together later.
const notifyEvery = 30 * time.Second

// notifier reports alerts on the desktop.
type notifier struct {
	last    time.Time // of the last notification
	waiting []monitor.Alert
	timer   *time.Timer
}

const choiceNotify = "alerts.notify"

// Notifies reports whether alerts are shown as desktop notifications.
func (s Settings) Notifies() bool {
	on, _ := s.Kept(choiceNotify)
	return on == strconv.FormatBool(true)
}

// SetNotifies remembers it.
func (s Settings) SetNotifies(on bool) { s.SetChoice(choiceNotify, strconv.FormatBool(on)) }

// notify reports an alert on the desktop, if the user wants that, it is more than information, and it was not active before.
func (d *Desk) notify(a monitor.Alert, stood bool) {
	n := &d.told
	switch {
	case !a.Active():
		n.waiting = slices.DeleteFunc(n.waiting, func(b monitor.Alert) bool { return b.ID == a.ID })
		return
	case stood || !d.Settings.Notifies() || a.Severity.Rank() < severity.Warning.Rank():
		return
	}
	n.waiting = append(n.waiting, a)
	wait := notifyEvery - d.now().Sub(n.last)
	if wait <= 0 {
		d.TellWaiting()
		return
	}
	if n.timer == nil {
		n.timer = time.AfterFunc(wait, func() { d.Post(d.TellWaiting) })
	}
}

// TellWaiting reports all waiting alerts in one notification.
func (d *Desk) TellWaiting() {
	n := &d.told
	list := n.waiting
	n.waiting, n.timer = nil, nil
	if len(list) == 0 || d.shut {
		return
	}
	n.last = d.now()
	d.App.SendNotification(notification(list))
}

// notification describes one alert with its cause, or several by their titles.
func notification(list []monitor.Alert) *fyne.Notification {
	if len(list) == 1 {
		return fyne.NewNotification("Assay: "+list[0].Title, list[0].Cause)
	}
	var titles []string
	for _, a := range list {
		titles = append(titles, a.Title)
	}
	return fyne.NewNotification(fmt.Sprintf("Assay: %s", si.Counted(len(list), "alert")), strings.Join(titles, ", "))
}
