package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// A sample is what one round measured: averages of one call.
type sample struct{ ns, bytes, allocs float64 }

// A series has the samples of a contender, one a round.
type series struct {
	name    string
	samples []sample
	refused error // the contender cannot do the work
}

// A result is what was measured of a workload.
type result struct {
	work
	n, items int
	series   []series
}

// run measures a workload in interleaved rounds: in each one, every contender runs
// for about the given time. The order is another one in each round, so that no
// contender always has the same one before it.
func run(w work, o options) (result, error) {
	in := w.load()
	if w.base == "" {
		w.base = fxamacker
	}
	r := result{work: w, n: in.n, items: in.items}
	refused, err := agree(in.by)
	if err != nil {
		return r, fmt.Errorf("%s, %s: %w", w.group, w.name, err)
	}
	calls := make([]int, len(in.by))
	for i, c := range in.by {
		r.series = append(r.series, series{name: c.name, refused: refused[i]})
		if refused[i] == nil {
			calls[i] = calibrate(c, o.time)
		}
	}
	order := rand.New(rand.NewPCG(1, 2))
	for round := range o.rounds {
		for _, i := range order.Perm(len(in.by)) {
			if s := &r.series[i]; s.refused == nil && (round == 0 || !in.by[i].once) {
				if !o.cold {
					touch()
				}
				s.samples = append(s.samples, measure(in.by[i], calls[i]))
			}
		}
	}
	return r, nil
}

// calibrate returns how many calls take about the time d.
func calibrate(c contender, d time.Duration) int {
	if c.once {
		return 1
	}
	for n := 1; ; {
		s := measure(c, n)
		if spent := s.ns * float64(n); spent >= float64(d)/2 {
			return max(1, int(float64(d)/s.ns))
		}
		n = max(2*n, min(100*n, int(0.7*float64(d)/(s.ns+1))))
	}
}

// touch uses 64 MiB for a moment, which then are free and at hand: the same for each
// contender, and at the default of -heap about what it can allocate before Go collects.
// Go gives free memory back to the system, and to get it again can take longer than
// decoding.
func touch() {
	const total, size, page = 64 << 20, 128 << 10, 4 << 10
	var held [][]byte
	for range total / size {
		b := make([]byte, size)
		for i := 0; i < size; i += page {
			b[i] = 1
		}
		held = append(held, b)
	}
	runtime.KeepAlive(held)
}

// measure calls the contender n times. The garbage of what ran before is collected
// first, which is not measured.
func measure(c contender, n int) sample {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range n {
		if _, err := c.do(); err != nil {
			panic(fmt.Sprintf("%s failed after it had succeeded: %v", c.name, err))
		}
	}
	ns := time.Since(start).Nanoseconds()
	runtime.ReadMemStats(&after)
	per := func(total uint64) float64 { return float64(total) / float64(n) }
	return sample{
		ns:     max(per(uint64(ns)), 0.1),
		bytes:  per(after.TotalAlloc - before.TotalAlloc),
		allocs: per(after.Mallocs - before.Mallocs),
	}
}

// A spread is the median of values and their quartiles.
type spread struct {
	median, low, high float64
	count             int
}

// spreadOf returns the spread of values, of which there is at least one.
func spreadOf(values []float64) spread {
	v := slices.Sorted(slices.Values(values))
	at := func(q float64) float64 { // between the two neighbours
		x := q * float64(len(v)-1)
		i := int(x)
		if i+1 == len(v) {
			return v[i]
		}
		return v[i] + (x-float64(i))*(v[i+1]-v[i])
	}
	return spread{at(0.5), at(0.25), at(0.75), len(v)}
}

// find returns the series of a contender that was measured.
func (r result) find(name string) (series, bool) {
	for _, s := range r.series {
		if s.name == name && len(s.samples) > 0 {
			return s, true
		}
	}
	return series{}, false
}

// faster returns how many times as fast as other the contender was, round by round.
func (r result) faster(name, other string) (spread, bool) {
	a, ok := r.find(name)
	b, ok2 := r.find(other)
	if !ok || !ok2 {
		return spread{}, false
	}
	var ratios []float64
	for i := range min(len(a.samples), len(b.samples)) {
		ratios = append(ratios, b.samples[i].ns/a.samples[i].ns)
	}
	return spreadOf(ratios), true
}

// median returns the median of one measure of a series.
func (s series) median(measure func(sample) float64) float64 {
	var values []float64
	for _, x := range s.samples {
		values = append(values, measure(x))
	}
	return spreadOf(values).median
}

func nanoseconds(s sample) float64 { return s.ns }
func allocated(s sample) float64   { return s.bytes }
func allocations(s sample) float64 { return s.allocs }
