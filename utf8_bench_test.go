package cbor

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var sweepLengths = []int{4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 4096, 65536}

// sweepContents are texts of any length: first, then as much of fill as there
// is room for, then last.
var sweepContents = []struct{ name, first, fill, last string }{
	{"ASCII", "", "a", ""},
	{"ASCII+2", "", "a", "é"},
	{"2+ASCII", "é", "a", ""},
	{"2-byte", "", "é", ""},
	{"CJK", "", "中", ""},
	{"emoji", "", "😀", ""},
}

func sweepText(n int, first, fill, last string) []byte {
	n -= len(first) + len(last)
	return []byte(first + strings.Repeat(fill, n/len(fill)) + strings.Repeat("a", n%len(fill)) + last)
}

// textStrategies are validUTF8, at 0, and what it is made of, each for every length.
var textStrategies = []struct {
	name string
	min  int // bytes it takes
	f    func([]byte) bool
}{
	{"validUTF8", 0, validUTF8},
	{"bytes", 0, validBytes},
	{"words", 8, validWords},
	{"utf8.Valid", 0, utf8.Valid},
	{"validText", 4, validText},
}

// validBytes looks for ASCII byte by byte.
func validBytes(s []byte) bool {
	for i, c := range s {
		if c >= utf8.RuneSelf {
			return utf8.Valid(s[i:])
		}
	}
	return true
}

// validWords looks for ASCII by words of 8 bytes, four at a time; the last ones overlap.
func validWords(s []byte) bool {
	n := len(s)
	var w uint64
	switch {
	case n <= 16:
		w = binary.LittleEndian.Uint64(s) | binary.LittleEndian.Uint64(s[n-8:])
	case n <= 32:
		w = or16(s) | or16(s[n-16:])
	default:
		w = or32(s[n-32:])
		for t := s; len(t) >= 32 && w&highBits == 0; t = t[32:] {
			w |= or32(t)
		}
	}
	return w&highBits == 0 || utf8.Valid(s)
}

func BenchmarkValidUTF8(b *testing.B) {
	for _, c := range sweepContents {
		for _, n := range sweepLengths {
			text := sweepText(n, c.first, c.fill, c.last)
			for _, s := range textStrategies {
				if n < s.min {
					continue
				}
				b.Run(fmt.Sprintf("%s/%d/%s", c.name, n, s.name), func(b *testing.B) {
					b.SetBytes(int64(n))
					b.ReportAllocs()
					for b.Loop() {
						s.f(text)
					}
				})
			}
		}
	}
}

// BenchmarkTextCrossovers prints the sweep, timed in interleaved rounds, and the
// lengths from which on validText takes less time than the other strategies,
// which the limit of 64 bytes in utf8.go follows. Run it with -benchtime 1x.
func BenchmarkTextCrossovers(b *testing.B) {
	for b.Loop() {
		var out strings.Builder
		fmt.Fprintf(&out, "ns a call\n%-8s %6s", "content", "bytes")
		for _, s := range textStrategies {
			fmt.Fprintf(&out, " %10s", s.name)
		}
		fmt.Fprintf(&out, " %9s %9s\n", "of best", "of Valid")
		for _, c := range sweepContents {
			for _, n := range sweepLengths {
				t := timeStrategies(sweepText(n, c.first, c.fill, c.last), 201)
				fmt.Fprintf(&out, "%-8s %6d", c.name, n)
				for _, ns := range t {
					fmt.Fprintf(&out, " %10.1f", ns)
				}
				best := t[1]
				for _, ns := range t[2:] {
					if ns < best {
						best = ns
					}
				}
				mark := ""
				if t[0] > max(1.15*best, best+2) {
					mark = " slower"
				}
				fmt.Fprintf(&out, " %9.2f %9.2f%s\n", t[0]/best, t[0]/t[3], mark)
			}
		}
		out.WriteString("bytes from which on validText takes less time\n")
		for _, c := range sweepContents {
			fmt.Fprintf(&out, "%-8s than words %-4d than utf8.Valid %-4d\n", c.name, crossover(2, c.first, c.fill, c.last), crossover(3, c.first, c.fill, c.last))
		}
		fmt.Print(out.String())
	}
}

// crossover returns the length from which on validText takes less time than
// the strategy other, at three in four of the lengths up to 128 bytes.
func crossover(other int, first, fill, last string) int {
	from, wins := 128, 0
	for n := 128; n >= 8; n-- {
		t := timeStrategies(sweepText(n, first, fill, last), 21)
		if t[4] < t[other] {
			wins++
		}
		if 4*wins < 3*(129-n) {
			break
		}
		if t[4] < t[other] {
			from = n
		}
	}
	return from
}

// timeStrategies returns the least time of a call of textStrategies in a
// number of rounds, in nanoseconds: NaN for those that do not take text.
func timeStrategies(text []byte, rounds int) []float64 {
	calls := max(1, 20_000/(len(text)+20))
	t := make([]float64, len(textStrategies))
	for round := range rounds {
		for i, s := range textStrategies {
			if len(text) < s.min {
				t[i] = math.NaN()
				continue
			}
			start := time.Now()
			for range calls {
				s.f(text)
			}
			if d := float64(time.Since(start)) / float64(calls); round == 0 || d < t[i] {
				t[i] = d
			}
		}
	}
	return t
}
