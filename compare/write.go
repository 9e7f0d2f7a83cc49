package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The part of BENCHMARKS.md between these lines is written by the command.
const (
	begin = "<!-- begin: written by go run ./compare -write -->"
	end   = "<!-- end -->"
)

// write puts the results into BENCHMARKS.md and compare/chart.svg.
func write(root string, results []result, o options, now time.Time) error {
	path := filepath.Join(root, "BENCHMARKS.md")
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page, err := replace(old, markdown(results, o, now))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	svg, err := chart(results)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "compare", "chart.svg"), svg, 0o644); err != nil {
		return err
	}
	return os.WriteFile(path, page, 0o644)
}

// replace puts part between the lines of page that mark it.
func replace(page, part []byte) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(begin+"\n"))
	_, after, ok2 := bytes.Cut(rest, []byte(end+"\n"))
	if !ok || !ok2 {
		return nil, errors.New("the lines that mark the part to write are not there")
	}
	return bytes.Join([][]byte{before, []byte(begin + "\n"), part, []byte(end + "\n"), after}, nil), nil
}

// markdown is the part of BENCHMARKS.md that comes from a run.
func markdown(results []result, o options, now time.Time) []byte {
	var b bytes.Buffer
	b.WriteString("\n")
	for _, line := range environment(o, now) {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	for _, g := range groups(results) {
		fmt.Fprintf(&b, "\n## %s\n\nTimes as fast as the base, median (quartiles):\n\n", g[0].group)
		ratios(g).markdown(&b)
		if g[0].group == walking {
			fmt.Fprint(&b, "\nThroughput:\n\n")
			throughput(g).markdown(&b)
			continue
		}
		fmt.Fprint(&b, "\nTime, bytes and allocations for each item:\n\n")
		costs(g).markdown(&b)
	}
	fmt.Fprint(&b, "\n## Figures to reach\n\n")
	reached(judge(results)).markdown(&b)
	fmt.Fprint(&b, "\n## Slower than a peer\n\nBy more than 10 % and 3 ns, than one that does the same work or less:\n\n")
	printList(&b, "- ", behind(results))
	fmt.Fprint(&b, "\n## Work that a peer refuses\n\n")
	printList(&b, "- ", refusals(results))
	b.WriteString("\n")
	return b.Bytes()
}
