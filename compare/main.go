// Compare measures this package beside other decoders of CBOR for Go: fxamacker/cbor,
// ugorji/go codec and the one of aws/smithy-go.
//
//	go run ./compare                   # at the root of the repository: everything
//	go run ./compare -run 'Map|Object' # some of it
//	go run ./compare -write            # everything, into BENCHMARKS.md and chart.svg
//
// For each workload it checks once that all contenders return the same value. Then
// it runs them in interleaved rounds in this one process, each for a short time,
// and prints medians of the ratios of a round with their quartiles, so that what
// disturbs the machine for a while disturbs all of them.
//
// It exits with 1 if a contender fails or they disagree, and with 2 if it was used
// in a wrong way; the figures do not change the status.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"time"
)

// options are the flags.
type options struct {
	rounds int
	time   time.Duration
	match  *regexp.Regexp
	scale  int
	heap   int // MiB
	cold   bool
	write  bool
}

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(2)
	}
	if err := compare(o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// parse reads the flags.
func parse(args []string, w io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.SetOutput(w)
	f.IntVar(&o.rounds, "rounds", 10, "measure in `n` rounds")
	f.DurationVar(&o.time, "time", 20*time.Millisecond, "run a contender for this `time` in each round")
	f.IntVar(&o.heap, "heap", 64, "hold `n` MiB of live memory without pointers; with none, Go collects every 4 MB")
	f.BoolVar(&o.cold, "cold", false, "let contenders get their memory from the system instead of touching it before")
	match := f.String("run", "", "run the workloads whose \"group, name\" the `regexp` matches")
	short := f.Bool("short", false, "one round of a millisecond on shorter inputs, to see that everything works")
	f.BoolVar(&o.write, "write", false, "write BENCHMARKS.md and compare/chart.svg")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.scale = 1
	if *short {
		o.rounds, o.time, o.scale = 1, time.Millisecond, 20
	}
	var err error
	if o.match, err = regexp.Compile(*match); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("there are no arguments, only flags; got %q", f.Arg(0))
	case o.rounds < 1 || o.time <= 0 || o.heap < 0:
		return o, errors.New("-rounds and -time must be positive, and -heap not negative")
	case o.write && (*match != "" || *short || o.cold):
		return o, errors.New("-write needs a full run, without -run, -short and -cold")
	}
	return o, nil
}

// compare runs the workloads and prints the tables to w and the progress to log.
func compare(o options, w, log io.Writer) error {
	root, err := findRoot()
	if err != nil {
		return err
	}
	now := time.Now()
	for _, line := range environment(o, now) {
		fmt.Fprintln(w, line)
	}
	results, err := runAll(root, o, w, log)
	if err != nil {
		return err
	}
	printVerdicts(w, results)
	if o.write {
		return write(root, results, o, now)
	}
	return nil
}

// runAll runs the workloads and prints the tables of each group when it is done.
func runAll(root string, o options, w, log io.Writer) ([]result, error) {
	defer runtime.KeepAlive(make([]byte, o.heap<<20))
	var results []result
	first := 0 // of the group that is running
	flush := func() {
		if first < len(results) {
			printGroup(w, results[first:])
			first = len(results)
		}
	}
	for _, x := range workloads(root, o.scale) {
		if !o.match.MatchString(x.group + ", " + x.name) {
			continue
		}
		if first < len(results) && results[first].group != x.group {
			flush()
		}
		fmt.Fprintf(log, "measuring %s, %s\n", x.group, x.name)
		r, err := run(x, o)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	flush()
	if len(results) == 0 {
		return nil, fmt.Errorf("no workload matches %q", o.match)
	}
	return results, nil
}

// findRoot returns the folder of the repository: the current one or that above it.
func findRoot() (string, error) {
	for _, dir := range []string{".", ".."} {
		if _, err := os.Stat(filepath.Join(dir, "compare", "workloads.go")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("run it at the root of the repository or in the folder compare")
}
