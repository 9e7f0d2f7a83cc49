package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"
)

// columns is the order of the contenders in tables.
var columns = []string{ours, alias, ordered, orderedAlias, memory, fxamacker, ugorji, ugorjiUTF8, ugorjiZero, smithyGo}

// A table has a first row of headings.
type table [][]string

// text writes the table in columns.
func (t table) text(w io.Writer) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range t {
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	tw.Flush()
}

// markdown writes the table as Markdown.
func (t table) markdown(w io.Writer) {
	for i, row := range t {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintln(w, "|---"+strings.Repeat("|---:", len(row)-1)+"|")
		}
	}
}

// present returns the columns that any of the results has.
func present(results []result) []string {
	var names []string
	for _, name := range columns {
		for _, r := range results {
			if _, ok := r.find(name); ok {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// ratios is the table of how many times as fast as the base each contender is.
func ratios(results []result) table {
	names := present(results)
	t := table{append([]string{"", "bytes", "base"}, names...)}
	for _, r := range results {
		base, ok := r.find(r.base)
		if !ok {
			continue
		}
		row := []string{r.name, strconv.Itoa(r.n), r.base + " " + duration(base.median(nanoseconds))}
		for _, name := range names {
			cell := r.absent(name)
			if s, ok := r.faster(name, r.base); ok && name != r.base {
				cell = s.String()
			} else if ok {
				cell = "1"
			}
			row = append(row, cell)
		}
		t = append(t, row)
	}
	return t
}

// absent is the cell of a contender that was not measured.
func (r result) absent(name string) string {
	for _, s := range r.series {
		if s.name == name && s.refused != nil {
			return "refuses"
		}
	}
	return ""
}

// costs is the table of time, bytes and allocations for each item.
func costs(results []result) table {
	names := present(results)
	t := table{append([]string{"", "items"}, names...)}
	for _, r := range results {
		row := []string{r.name, strconv.Itoa(r.items)}
		for _, name := range names {
			cell := r.absent(name)
			if s, ok := r.find(name); ok {
				per := float64(r.items)
				cell = fmt.Sprintf("%s, %s, %s", duration(s.median(nanoseconds)/per), size(s.median(allocated)/per),
					short(s.median(allocations)/per))
			}
			row = append(row, cell)
		}
		t = append(t, row)
	}
	return t
}

// throughput is the table of gigabytes a second.
func throughput(results []result) table {
	names := present(results)
	t := table{append([]string{"GB/s"}, names...)}
	for _, r := range results {
		row := []string{r.name}
		for _, name := range names {
			cell := r.absent(name)
			if s, ok := r.find(name); ok {
				cell = fmt.Sprintf("%.2f", float64(r.n)/s.median(nanoseconds))
			}
			row = append(row, cell)
		}
		t = append(t, row)
	}
	return t
}

// reached is the table of the figures.
func reached(judgements []judgement) table {
	t := table{{"", "way", "what", "to reach", "goal", "measured", "verdict"}}
	for _, j := range judgements {
		goal := ""
		if j.goal != 0 {
			goal = short(j.goal)
		}
		t = append(t, []string{j.group + ", " + j.name, j.by, j.what(), short(j.must), goal, j.reached.String(), j.verdict()})
	}
	return t
}

// String returns the median and, if there was more than one round, the quartiles.
func (s spread) String() string {
	if s.count == 1 {
		return short(s.median) + " (once)"
	}
	return fmt.Sprintf("%s (%s–%s)", short(s.median), short(s.low), short(s.high))
}

// short writes a number with two or three digits, or as an integer.
func short(x float64) string {
	switch {
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
	}
	s := strconv.FormatFloat(x, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func duration(ns float64) string {
	for _, u := range []string{"ns", "µs", "ms"} {
		if ns < 1000 {
			return short(ns) + " " + u
		}
		ns /= 1000
	}
	return short(ns) + " s"
}

func size(n float64) string {
	for _, u := range []string{"B", "kB", "MB"} {
		if n < 1000 {
			return short(n) + " " + u
		}
		n /= 1000
	}
	return short(n) + " GB"
}

// environment says on what, with what and when the run was made.
func environment(o options, now time.Time) []string {
	lines := []string{
		fmt.Sprintf("Date: %s", now.UTC().Format(time.DateOnly)),
		fmt.Sprintf("Machine: %s, %d CPUs, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH),
		fmt.Sprintf("Go: %s, GOMAXPROCS %d, %d MiB of live memory held", runtime.Version(), runtime.GOMAXPROCS(0), o.heap),
		fmt.Sprintf("Rounds: %d, of %v for each contender", o.rounds, o.time),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		var with []string
		for _, m := range info.Deps {
			for _, path := range []string{"github.com/fxamacker/cbor/v2", "github.com/ugorji/go/codec", "github.com/aws/smithy-go"} {
				if m.Path == path {
					with = append(with, m.Path+" "+m.Version)
				}
			}
		}
		if len(with) > 0 {
			lines = append(lines, "Packages: "+strings.Join(with, ", "))
		}
	}
	return lines
}

// processor returns the name of the processor where the system tells it.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// groups splits the results by group, in their order.
func groups(results []result) [][]result {
	var all [][]result
	for i, r := range results {
		if i == 0 || r.group != results[i-1].group {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], r)
	}
	return all
}

// heading writes the name of a section and a line below it.
func heading(w io.Writer, s string) {
	fmt.Fprintf(w, "\n%s\n%s\n", s, strings.Repeat("-", utf8.RuneCountInString(s)))
}

// printGroup writes the tables of one group as text.
func printGroup(w io.Writer, results []result) {
	heading(w, results[0].group+": times as fast as the base, median (quartiles)")
	ratios(results).text(w)
	heading(w, results[0].group+": time, bytes and allocations for each item")
	costs(results).text(w)
	if results[0].group == walking {
		heading(w, results[0].group+": throughput")
		throughput(results).text(w)
	}
}

// printVerdicts writes what the figures and the peers say.
func printVerdicts(w io.Writer, results []result) {
	if judgements := judge(results); len(judgements) > 0 {
		heading(w, "Figures")
		reached(judgements).text(w)
	}
	heading(w, "Slower than a peer that does the same work or less, by more than 10 % and 3 ns")
	printList(w, "", behind(results))
	heading(w, "Work that a peer refuses")
	printList(w, "", refusals(results))
}

// printList writes each line after a prefix, or that there is none.
func printList(w io.Writer, prefix string, lines []string) {
	if len(lines) == 0 {
		lines = []string{"nothing"}
	}
	for _, line := range lines {
		fmt.Fprintln(w, prefix+line)
	}
}
