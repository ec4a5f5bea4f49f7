package drill

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/metric"
	"assay/monitor"
	"assay/workloads"
)

// readEvery is the monitor's interval in drills of sensors.
const readEvery = 100 * time.Millisecond

// silent is a sensor that never answers.
type silent struct{ asked chan struct{} }

// Name is part of monitor.Source.
func (silent) Name() string { return "drill" }

// Read is part of monitor.Source. Like a driver, it ignores cancellation.
func (s silent) Read(context.Context) []monitor.Reading {
	close(s.asked)
	select {}
}

// hungSensor makes a run next to a sensor that never answers.
func hungSensor(ctx context.Context, s *stage) (string, error) {
	hung := silent{make(chan struct{})}
	c := s.Config
	c.Sources, c.Interval = []monitor.Source{hung}, readEvery
	session, err := app.New(c)
	if err != nil {
		return "", err
	}
	session.Start()
	saw, err := s.besides(ctx, session, hung.asked)
	return saw, errors.Join(err, session.Close())
}

// besides runs once the sensor is asked.
func (s *stage) besides(ctx context.Context, session *app.Session, asked <-chan struct{}) (string, error) {
	run, err := s.whileAsked(ctx, session, asked)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d of %d results were measured meanwhile", measured(run), len(run.Results)), nil
}

func (s *stage) whileAsked(ctx context.Context, session *app.Session, asked <-chan struct{}) (*bundle.Run, error) {
	request, err := s.request()
	if err != nil {
		return nil, err
	}
	select {
	case <-asked:
	case <-time.After(5 * time.Second):
		return nil, errors.New("the sensor was not asked within 5 s")
	}
	run, err := session.Runs().Do(ctx, request)
	if err != nil {
		return nil, err
	}
	if measured(run) == 0 {
		return nil, fmt.Errorf("none of %d results were measured", len(run.Results))
	}
	return run, nil
}

// lie is a metric with values that no machine can have, which come one after another.
type lie struct {
	metric string
	values []float64
}

// lies are about metrics that results and alerts depend on. The first one claims at each reading that the device is throttled.
func lies() []lie {
	return []lie{
		{monitor.Throttling, []float64{1e9}},
		{monitor.HostOthers, []float64{1e9}},
		{monitor.Temperature, []float64{1e9, -1e9, math.NaN()}},
		{monitor.Power, []float64{math.NaN(), -1e9, math.Inf(1)}},
	}
}

// liar is a sensor that reports lies.
type liar struct {
	lies  []lie
	asked chan struct{}
	once  sync.Once
	reads int
}

// Name is part of monitor.Source.
func (*liar) Name() string { return "drill" }

// Read is part of monitor.Source.
func (l *liar) Read(context.Context) (all []monitor.Reading) {
	l.once.Do(func() { close(l.asked) })
	for _, one := range l.lies {
		r := monitor.Template(one.metric, "a sensor that lies")
		r.Value, r.Status, r.Provenance = one.values[l.reads%len(one.values)], monitor.OK, monitor.Measured
		all = append(all, r)
	}
	l.reads++
	return all
}

// lieFor is longer than any rule waits before it raises an alert on these values.
const lieFor = 4 * time.Second

// lyingSensor makes a run next to a sensor whose values are nonsense.
func lyingSensor(ctx context.Context, s *stage) (string, error) { return s.besideLies(ctx, lies()) }

func (s *stage) besideLies(ctx context.Context, lies []lie) (string, error) {
	l := &liar{lies: lies, asked: make(chan struct{})}
	c := s.Config
	c.Sources, c.Interval = []monitor.Source{l}, readEvery
	session, err := app.New(c)
	if err != nil {
		return "", err
	}
	session.Start()
	began := time.Now()
	run, err := s.whileAsked(ctx, session, l.asked)
	if err == nil {
		select {
		case <-time.After(lieFor - time.Since(began)):
		case <-ctx.Done():
		}
	}
	alerts := session.Alerts()
	if err = errors.Join(err, session.Close()); err != nil {
		return "", err
	}
	if len(alerts) > 0 {
		return "", fmt.Errorf("the nonsense raised the alert “%s”: %s", alerts[0].Title, alerts[0].Cause)
	}
	return undeceived(run, lies)
}

// undeceived returns what a run made of lies, which must be nothing.
func undeceived(run *bundle.Run, lies []lie) (string, error) {
	loaded, err := bundle.Load(run.Dir)
	if err != nil {
		return "", fmt.Errorf("the bundle cannot be read: %w", err)
	}
	refused, why := 0, ""
	for _, one := range lies {
		of := 0
		for i := range loaded.Snapshots {
			r, ok := loaded.Snapshots[i].Find(one.metric)
			switch {
			case ok && r.Status == monitor.OK:
				return "", fmt.Errorf("nonsense is in the bundle as a value: %s of %s", r.Metric, r)
			case ok && strings.Contains(r.Reason, "implausible"):
				of++
				why = r.Reason
			}
		}
		if of == 0 {
			return "", fmt.Errorf("nothing in the bundle reports the nonsense values of %s", one.metric)
		}
		refused += of
	}
	for i := range loaded.Results {
		r := &loaded.Results[i]
		for _, q := range []metric.Name{workloads.Throttled, workloads.Hottest, workloads.Power} {
			if v := r.Number(q); !math.IsNaN(v) {
				return "", fmt.Errorf("result %s has the nonsense as a figure: %s of %g", r.ID, q, v)
			}
		}
	}
	return fmt.Sprintf("%d readings were refused, such as “%s”. No alert was raised, no result has the nonsense as a figure, and %d of %d results were measured", refused, why,
		measured(run), len(run.Results)), nil
}
