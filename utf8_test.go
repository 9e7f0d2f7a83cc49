package cbor

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// textWay is a way to check text.
type textWay struct {
	name  string
	valid func([]byte) bool
}

// textWays are the ways that validUTF8 can take in this build.
var textWays = []textWay{
	{"validUTF8", validUTF8},
	{"validText", validText},
}

func checkText(t testing.TB, s []byte) {
	t.Helper()
	want := utf8.Valid(s)
	for _, w := range textWays {
		if got := w.valid(s); got != want {
			t.Fatalf("%s(%x), %d bytes: got %v, want %v", w.name, s, len(s), got, want)
		}
	}
}

// The first and last sequences of each row of table 3-7 of The Unicode
// Standard, and the sequences beside them.
var textRows = []struct {
	valid   []string
	invalid []string
}{
	{[]string{"\x00", "\x7f"}, []string{"\x80", "\xbf"}},
	{[]string{"\xc2\x80", "\xdf\xbf"}, []string{"\xc1\xbf", "\xc0\x80", "\xc2\x7f", "\xc2\xc0", "\xdf"}},
	{[]string{"\xe0\xa0\x80", "\xe0\xbf\xbf"}, []string{"\xe0\x9f\xbf", "\xe0\x80\x80", "\xe0\xa0\x7f", "\xe0\xa0"}},
	{[]string{"\xe1\x80\x80", "\xec\xbf\xbf"}, []string{"\xe1\x7f\x80", "\xe1\x80\xc0", "\xe1\xc0\x80", "\xec\xbf"}},
	{[]string{"\xed\x80\x80", "\xed\x9f\xbf"}, []string{"\xed\xa0\x80", "\xed\xbf\xbf", "\xed\x80"}},
	{[]string{"\xee\x80\x80", "\xef\xbf\xbf"}, []string{"\xee\x80", "\xef\xbf\xff", "\xee\x80\x80\x80"}},
	{[]string{"\xf0\x90\x80\x80", "\xf0\xbf\xbf\xbf"}, []string{"\xf0\x8f\xbf\xbf", "\xf0\x80\x80\x80", "\xf0\x90\x80"}},
	{[]string{"\xf1\x80\x80\x80", "\xf3\xbf\xbf\xbf"}, []string{"\xf1\x80\x80", "\xf3\xbf\xbf\x7f", "\xf1\x80\x80\x80\x80"}},
	{[]string{"\xf4\x80\x80\x80", "\xf4\x8f\xbf\xbf"}, []string{"\xf4\x90\x80\x80", "\xf4\xbf\xbf\xbf", "\xf4\x8f"}},
	{nil, []string{"\xf5\x80\x80\x80", "\xf7\xbf\xbf\xbf", "\xf8\x88\x80\x80\x80", "\xfc\x84\x80\x80\x80\x80", "\xfe", "\xff"}},
}

func TestValidUTF8Rows(t *testing.T) {
	try := func(seq string, want bool) {
		for before := range 70 {
			for _, after := range []int{0, 1, 3, 7, 31, 40, 100} {
				s := []byte(strings.Repeat("a", before) + seq + strings.Repeat("a", after))
				for _, w := range textWays {
					if got := w.valid(s); got != want {
						t.Fatalf("%s of %x after %d and before %d bytes: got %v, want %v", w.name, seq, before, after, got, want)
					}
				}
			}
		}
	}
	try("", true)
	for _, row := range textRows {
		for _, seq := range row.valid {
			try(seq, true)
		}
		for _, seq := range row.invalid {
			try(seq, false)
		}
	}
}

// Every length up to 300 bytes at every alignment, and the same with one byte
// changed near the start, the middle and the end.
func TestValidUTF8Lengths(t *testing.T) {
	mem := make([]byte, 64+300)
	step := 1
	if testing.Short() {
		step = 9
	}
	for n := range 301 {
		for _, c := range sweepContents {
			text := sweepText(max(n, 4), c.first, c.fill, c.last)[:n]
			for align := 0; align < 64; align += step {
				s := mem[align : align+n]
				copy(s, text)
				checkText(t, s)
				if n == 0 {
					continue
				}
				for _, i := range []int{0, n / 2, max(0, n-4), max(0, n-3), max(0, n-2), n - 1} {
					for _, b := range []byte{0x80, 0xc3, 0xe4, 0xf0} {
						s[i] = b
						checkText(t, s)
						s[i] = text[i]
					}
				}
			}
		}
	}
}

// edges calls f with each place for two bytes in n that is up to 4 before the
// end or up to 3 from a multiple of 16.
func edges(n int, f func(i int)) {
	for i := range n - 1 {
		if i >= n-4 || (i+3)%16 <= 6 {
			f(i)
		}
	}
}

// classBytes has the ends of each range of bytes that some row of table 3-7
// tells apart.
const classBytes = "\x00\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff"

// Each pair of bytes at each edge of some lengths, and each pair of classBytes
// at each edge of all lengths up to 130 bytes.
func TestValidUTF8Pairs(t *testing.T) {
	for n := 2; n <= 130; n++ {
		s := bytes.Repeat([]byte("a"), n)
		edges(n, func(i int) {
			eachSequence(s[i:i+2], func() { checkText(t, s) })
			s[i], s[i+1] = 'a', 'a'
		})
	}
	if testing.Short() {
		return
	}
	for _, n := range []int{5, 12, 31, 35, 66} {
		s := bytes.Repeat([]byte("a"), n)
		edges(n, func(i int) {
			for pair := range 1 << 16 {
				s[i], s[i+1] = byte(pair>>8), byte(pair)
				checkText(t, s)
			}
			s[i], s[i+1] = 'a', 'a'
		})
	}
}

// Each sequence of four bytes out of classBytes over the edges of blocks, in
// ASCII and in text that is not.
func TestValidUTF8Sequences(t *testing.T) {
	size := 4
	if testing.Short() {
		size = 3
	}
	for _, at := range []struct{ n, i int }{
		{6, 1}, {14, 5}, {14, 10}, {28, 13}, {28, 24}, {36, 30}, {36, 32}, {52, 18}, {130, 61}, {130, 62}, {130, 64}, {130, 126},
	} {
		for _, fill := range []string{"a", "é"} {
			s := []byte(strings.Repeat(fill, at.n/len(fill)))
			eachSequence(s[at.i:at.i+size], func() { checkText(t, s) })
		}
	}
}

// eachSequence calls f with s set to each sequence of classBytes.
func eachSequence(s []byte, f func()) {
	if len(s) == 0 {
		f()
		return
	}
	for _, b := range []byte(classBytes) {
		s[0] = b
		eachSequence(s[1:], f)
	}
}

func FuzzValidUTF8(f *testing.F) {
	for _, c := range sweepContents {
		for _, n := range []int{4, 15, 33, 64, 129, 300} {
			f.Add(sweepText(n, c.first, c.fill, c.last), uint8(n), []byte("\xed\xa0"))
		}
	}
	f.Fuzz(func(t *testing.T, s []byte, place uint8, change []byte) {
		checkText(t, s)
		for align := range 32 {
			mem := append(make([]byte, align, align+len(s)), s...)
			checkText(t, mem[align:])
		}
		if len(s) > 0 {
			copy(s[int(place)%len(s):], change)
			checkText(t, s)
			checkText(t, s[int(place)%len(s):])
		}
	})
}
