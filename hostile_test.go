package cbor_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/streamcbor/cbor"
)

// Bounds for hostile inputs: each ends within a second on an idle machine, the
// worst in half of that, and allocates at most so many times its length. Claims are lengths that do not come true. A Go map
// takes 336 bytes for {"": …}, two bytes of input, so that such maps in each
// other pass 160 a little.
const (
	maxTime        = 3 * time.Second // the machine may be busy
	maxFactor      = 160
	maxMapsFactor  = 170
	maxClaimFactor = 64
	maxFixed       = 256 << 10 // bytes that a small input may allocate
)

// A hostile is an input made to cost time or memory.
type hostile struct {
	name   string
	data   []byte
	o      cbor.Options
	factor uint64 // 0 is maxFactor
	valid  bool   // Decode accepts it
}

const (
	mebi = 1 << 20
	kibi = 1 << 10
)

// repeat returns n times the bytes of s, between those of before and after.
func repeat(before, s string, n int, after string) []byte {
	return []byte(before + strings.Repeat(s, n) + after)
}

// arrayOf returns an array of the item s, over and over for size bytes.
func arrayOf(s string, size int) []byte {
	n := size / len(s)
	return repeat(string(binary.BigEndian.AppendUint32([]byte{0x9a}, uint32(n))), s, n, "")
}

// deep raises the limit of levels beyond what inputs of 1 MiB need.
var deep = cbor.Options{MaxDepth: 2_000_000}

// claims are nested heads that each claim the rest of 1 MiB or more.
func claims() (tests []hostile) {
	heads := map[string]string{
		"arrays": "\x9a\x00\x0f\xff\xff", "maps in values": "\xba\x00\x07\xff\xff\x00", "maps in keys": "\xba\x00\x07\xff\xff",
		"arrays of 2^63": "\x9b\x80\x00\x00\x00\x00\x00\x00\x00", "maps of 2^63": "\xbb\x80\x00\x00\x00\x00\x00\x00\x00\x00",
		"arrays in tags": "\xc6\x9a\x00\x0f\xff\xff", "maps in tag 259": "\xd9\x01\x03\xba\x00\x07\xff\xff\x00",
		"arrays in keys": "\xba\x00\x07\xff\xff\x9a\x00\x0f\xff\xff", "arrays in indefinite ones": "\x9f\x9a\x00\x0f\xff\xff",
		"arrays of 65535": "\x99\xff\xff", "maps of 65535": "\xb9\xff\xff\x00", "text": "\x81\x7a\x00\x0f\xff\xf0", "chunks": "\x5f\x5a\x00\x0f\xff\xf0",
	}
	for name, head := range heads {
		data := repeat("", head, mebi/len(head), "")
		tests = append(tests, hostile{name + ", default depth", data, cbor.Options{}, maxClaimFactor, false},
			hostile{name, data, deep, maxClaimFactor, false})
		ordered := deep
		ordered.Maps = cbor.MapOrdered
		tests = append(tests, hostile{name + ", ordered", data, ordered, maxClaimFactor, false})
	}
	return tests
}

// nesting are a million nested heads, and whole items of 30,000 levels.
func nesting() (tests []hostile) {
	heads := []struct {
		name, open, end string
		levels          int
	}{
		{"arrays", "\x81", "", 1}, {"maps", "\xa1\x00", "", 1}, {"maps of text", "\xa1\x60", "", 1}, {"tags", "\xc6", "", 1},
		{"self-described", "\xd9\xd9\xf7", "", 1}, {"indefinite arrays", "\x9f", "\xff", 1}, {"indefinite maps", "\xbf\x00", "\xff", 1},
		{"pairs of arrays", "\x82\x80", "", 1}, {"keys", "\xa1", "\x00", 1}, {"keys in arrays", "\xa1\x81", "\x00", 2},
		{"keys and values", "\xa2\x00\x00", "\x00", 1}, {"tagged keys", "\xa1\xc6", "\x00", 2},
	}
	ordered := deep
	ordered.Maps = cbor.MapOrdered
	for _, h := range heads {
		data := repeat("", h.open, 1_000_000, "")
		n := 30_000 / h.levels
		whole := repeat(strings.Repeat(h.open, n), "\x80", 1, strings.Repeat(h.end, n))
		malformed := repeat("", h.open, n, "\x1c")
		tests = append(tests,
			hostile{h.name + ", default depth", data, cbor.Options{}, 0, false},
			hostile{h.name + ", raised depth", data, deep, 0, false},
			hostile{h.name + ", whole", whole, deep, 0, true},
			hostile{h.name + ", whole, ordered", whole, ordered, 0, true},
			hostile{h.name + ", malformed at the bottom", malformed, deep, 0, false})
	}
	return tests
}

// manyKeys returns a map of n pairs with the keys of f.
func manyKeys(n int, f func(b []byte, i int) []byte, value string) []byte {
	b := binary.BigEndian.AppendUint32([]byte{0xba}, uint32(n))
	for i := range n {
		b = append(f(b, i), value...)
	}
	return b
}

// keys are maps with many keys that are made to collide or to cost much.
func keys() (tests []hostile) {
	be64 := binary.BigEndian.AppendUint64
	maps := map[string][]byte{}
	for name, key := range map[string]func(b []byte, i int) []byte{
		"integers with equal low bits": func(b []byte, i int) []byte { return be64(append(b, 0x1b), uint64(i)<<40) },
		"integers, golden ratio":       func(b []byte, i int) []byte { return be64(append(b, 0x1b), uint64(i)*0xf1de83e19937733d>>1) },
		"integers beyond int64":        func(b []byte, i int) []byte { return be64(append(b, 0x1b), 1<<63|uint64(i)<<32) },
		"floats":                       func(b []byte, i int) []byte { return be64(append(b, 0xfb), uint64(i)<<40) },
		"text with equal ends":         func(b []byte, i int) []byte { return fmt.Appendf(b, "\x78\x18aaaaaaaa%08daaaaaaaa", i) },
		"text of 16 bytes":             func(b []byte, i int) []byte { return fmt.Appendf(b, "\x70%05dabcdefg%04d", i/10000, 9999-i%10000) },
		"bytes with equal ends":        func(b []byte, i int) []byte { return fmt.Appendf(b, "\x58\x18aaaaaaaa%08daaaaaaaa", i) },
		"NaNs":                         func(b []byte, i int) []byte { return be64(append(b, 0xfb), 0x7ff<<52|uint64(i+1)<<20) },
	} {
		maps[name] = manyKeys(200_000, key, "\x00")
	}
	for name, key := range map[string]func(b []byte, i int) []byte{
		"integers below int64": func(b []byte, i int) []byte { return be64(append(b, 0x3b), 1<<63|uint64(i)<<32) },
		"arrays":               func(b []byte, i int) []byte { return be64(append(b, 0x81, 0x1b), uint64(i)<<40) },
		"small arrays": func(b []byte, i int) []byte {
			return append(b, 0x83, 0x18, byte(i>>16), 0x18, byte(i>>8), 0x18, byte(i))
		},
		"maps":    func(b []byte, i int) []byte { return append(be64(append(b, 0xa1, 0x1b), uint64(i)<<40), 0) },
		"tags":    func(b []byte, i int) []byte { return be64(append(b, 0xc6, 0x1b), uint64(i)<<40) },
		"bignums": func(b []byte, i int) []byte { return be64(append(b, 0xc2, 0x48), uint64(i)<<40) },
	} {
		maps[name] = manyKeys(100_000, key, "\x00")
	}
	text := manyKeys(100_000, func(b []byte, i int) []byte { return fmt.Appendf(b, "\x66%06d", i) }, "\x00")
	binary.BigEndian.PutUint32(text[1:], 100_001)
	maps["text, then an array"] = append(text, 0x80, 0x00)
	for name, data := range maps {
		for _, m := range []cbor.MapMode{cbor.MapAuto, cbor.MapOrdered} {
			for _, allow := range []bool{false, true} {
				o := cbor.Options{Maps: m, AllowDuplicateKeys: allow}
				tests = append(tests, hostile{fmt.Sprintf("%s, mode %d, allow %v", name, m, allow), data, o, 0, true})
			}
		}
	}
	// Small maps whose keys all fall into one place of a filter.
	small := "\xb8\x20"
	for i := range 32 {
		small += fmt.Sprintf("\x78\x18aaaaaaaa%08daaaaaaaa\x00", 31-i)
	}
	tests = append(tests, hostile{"small maps", arrayOf(small, mebi), cbor.Options{Maps: cbor.MapOrdered}, 0, true})
	same := repeat("\xba\x00\x05\x55\x55", "\x61a\x00", 0x55555, "")
	tests = append(tests, hostile{"the same key", same, cbor.Options{AllowDuplicateKeys: true}, 0, true},
		hostile{"the same key, ordered", same, cbor.Options{AllowDuplicateKeys: true, Maps: cbor.MapOrdered}, 0, true},
		hostile{"duplicates", same, cbor.Options{}, 0, false},
		hostile{"duplicates, indefinite", repeat("\xbf", "\x00\x00", mebi/2, "\xff"), cbor.Options{}, 0, false},
		hostile{"the same key, indefinite", repeat("\xbf", "\x00\x00", mebi/2, "\xff"), cbor.Options{AllowDuplicateKeys: true}, 0, true},
		hostile{"the same odd key", repeat("\xbf", "\x80\x00", mebi/2, "\xff"), cbor.Options{AllowDuplicateKeys: true}, 0, true},
		hostile{"the same odd keys, not ended", repeat("\xbf", "\x80\x00", mebi/2, ""), cbor.Options{}, 0, false})
	return append(tests, nestedKeys()...)
}

// nestedKeys are keys inside keys, deep and wide.
func nestedKeys() []hostile {
	wide := string(manyKeys(100_000, func(b []byte, i int) []byte { return fmt.Appendf(b, "\x66%06d", 100_000-i) }, "\x00"))
	odd := string(manyKeys(40_000, func(b []byte, i int) []byte {
		return binary.BigEndian.AppendUint64(append(b, 0x81, 0x1b), uint64(i)<<40)
	}, "\x00"))
	long := "\x7a\x00\x10\x00\x00" + strings.Repeat("x", mebi)
	levels := func(n int, s string) []byte {
		return repeat(strings.Repeat("\xa1", n), s, 1, strings.Repeat("\x00", n))
	}
	values := func(n int, s string) []byte { // one key, with maps in values in it
		return []byte("\xa1" + strings.Repeat("\xa1\x00", n) + s + "\x00")
	}
	return []hostile{
		{"deep keys of 1 MiB", arrayOf(string(levels(250, "\x00")), mebi), cbor.Options{}, 0, true},
		{"deep keys with siblings", arrayOf(strings.Repeat("\xa2\x61a\x61b", 250)+"\x00"+strings.Repeat("\x00", 250), mebi), cbor.Options{}, 0, true},
		{"wide map as a key", levels(1, wide), cbor.Options{}, 0, true},
		{"wide map as a key in keys", levels(250, wide), cbor.Options{}, 0, true},
		{"wide map in the values of a key", values(250, wide), cbor.Options{}, 0, true},
		{"odd map as a key in keys", levels(250, odd), cbor.Options{}, 0, true},
		{"odd map in the values of a key", values(250, odd), cbor.Options{}, 0, true},
		{"long text in keys", levels(250, long), cbor.Options{}, 0, true},
		{"long array in keys", levels(250, string(arrayOf("\x00", mebi))), cbor.Options{}, 0, true},
		{"keys and values deep", []byte(strings.Repeat("\xa1", 120) + strings.Repeat("\xa1\x00", 120) + long + strings.Repeat("\x00", 120)), cbor.Options{}, 0, true},
		{"long path", []byte(strings.Repeat("\xa1\x79\x10\x00"+strings.Repeat("/", 4*kibi), 250) + "\x1c"), cbor.Options{}, 0, false},
		{"long odd path", []byte(strings.Repeat("\xa1\x81\x59\x10\x00"+strings.Repeat("/", 4*kibi), 250) + "\x1c"), cbor.Options{}, 0, false},
		{"long item under integer keys", []byte(strings.Repeat("\xa1\x00", 250) + "\x82" + long + "\x1c"), cbor.Options{}, 0, false},
		{"keys of a path in keys", append([]byte("\xa1"), append(levels(250, long), 0x1c)...), cbor.Options{}, 0, false},
	}
}

// small are arrays of items that are larger in Go than encoded.
func small() (tests []hostile) {
	items := []string{"00", "20", "40", "60", "6161", "80", "a0", "8100", "8180", "9fff", "bfff", "5fff", "7fff", "a16000", "a1616100", "a10000", "a1f600",
		"a14000", "a18000", "a1a000", "a1a1000000", "a1a1a100000000", "a1810000", "a1c10000", "a1c60000", "a1c24000", "a1f97e0000", "a260000000", "a160a16000",
		"c100", "c240", "c340", "c600", "d9d9f700", "d90103a0", "d90103a10000", "f6", "f7", "e0", "f93c00", "18ff", "38ff", "190100", "4100", "3bffffffffffffffff"}
	for _, name := range items {
		item, _ := hex.DecodeString(name)
		data := arrayOf(string(item), 128*kibi)
		tests = append(tests, hostile{name, data, cbor.Options{}, 0, true},
			hostile{name + ", indefinite", repeat("\x9f", string(item), 128*kibi/len(item), "\xff"), cbor.Options{}, 0, true},
			hostile{name + ", ordered", data, cbor.Options{Maps: cbor.MapOrdered, CopyBytes: true, AliasText: true}, 0, true})
	}
	return append(tests,
		hostile{"tiny maps", arrayOf("\xa1\x60\x00", mebi), cbor.Options{}, 0, true},
		hostile{"tiny maps in tiny maps", arrayOf(strings.Repeat("\xa1\x60", 250)+"\x00", mebi), cbor.Options{}, maxMapsFactor, true},
		hostile{"tiny maps with integers", repeat("\x9f", strings.Repeat("\xa1\x20", 120)+"\x00", 83, "\xff"), cbor.Options{}, maxMapsFactor, true},
		hostile{"one chain of tiny maps", repeat("", "\xa1\x60", 20_000, "\x00"), deep, maxMapsFactor, true},
		hostile{"empty maps in a map", manyKeys(200_000, func(b []byte, i int) []byte {
			return binary.BigEndian.AppendUint32(append(b, 0x1a), uint32(i))
		}, "\xa0"), cbor.Options{}, 0, true})
}

// strs are strings and numbers of one kind.
func strs() []hostile {
	return []hostile{
		{"200,000 empty chunks of bytes", repeat("\x5f", "\x40", 200_000, "\xff"), cbor.Options{}, 0, true},
		{"200,000 empty chunks of text", repeat("\x7f", "\x60", 200_000, "\xff"), cbor.Options{}, 0, true},
		{"200,000 chunks of one byte", repeat("\x5f", "\x41a", 200_000, "\xff"), cbor.Options{}, 0, true},
		{"200,000 chunks of text as a key", repeat("\xa1\x7f", "\x61a", 200_000, "\xff\x00"), cbor.Options{}, 0, true},
		{"chunks in a key", repeat("\xa1\x81\x7f", "\x61a", 200_000, "\xff\x00"), cbor.Options{}, 0, true},
		{"bignum of 100 KB", repeat("\xc2\x5a\x00\x01\x86\xa0", "\xff", 100_000, ""), cbor.Options{}, 0, true},
		{"negative bignum of 1 MiB", repeat("\xc3\x5a\x00\x10\x00\x00", "\xff", mebi, ""), cbor.Options{}, 0, true},
		{"bignum of chunks", repeat("\xc2\x5f", "\x41\xff", mebi/2, "\xff"), cbor.Options{}, 0, true},
		{"bignum as a key", repeat("\xa1\xc2\x5a\x00\x10\x00\x00", "\xff", mebi, "\x00"), cbor.Options{}, 0, true},
		{"path with a bignum", repeat("\xa1\xc2\x5a\x00\x10\x00\x00", "\xff", mebi, "\x1c"), cbor.Options{}, 0, false},
		{"bignums of 1 KB", arrayOf("\xc2\x59\x04\x00"+strings.Repeat("\xff", 1024), mebi), cbor.Options{}, 0, true},
		{"invalid text", repeat("\x7a\x00\x10\x00\x00", "\xff", mebi, ""), cbor.Options{InvalidUTF8: cbor.ReplaceInvalidUTF8}, 0, true},
		{"fraction of a second", repeat("\xc0\x7a\x00\x10\x00\x152013-03-21T20:04:00.", "9", mebi, "Z"), cbor.Options{}, 0, true},
	}
}

func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute with the race detector, which does not keep to a second")
	}
	groups := map[string]func() []hostile{"claims": claims, "nesting": nesting, "keys": keys, "small": small, "strings": strs}
	for name, group := range groups {
		t.Run(name, func(t *testing.T) {
			for _, h := range group() {
				checkHostile(t, &h)
			}
		})
	}
}

// checkHostile runs each path that holds no more than an item.
func checkHostile(t *testing.T, h *hostile) {
	t.Helper()
	if h.factor == 0 {
		h.factor = maxFactor
	}
	if h.o.MaxDepth > cbor.DefaultMaxDepth {
		h.factor = max(h.factor, maxMapsFactor)
	}
	checkCost(t, h, "Decode", func() error { _, err := h.o.Decode(h.data); return err })
	saved := *h
	if !h.valid && h.o.MaxDepth > 0 && len(h.data) > mebi/4 {
		h.data = h.data[:mebi/4] // quadratic work shows there, too
	}
	checkCost(t, h, "ReadValue", func() error {
		_, err := h.o.NewDecoder(&packetReader{h.data}).ReadValue()
		return err
	})
	*h = saved
	if !h.valid {
		h.valid = h.o.Wellformed(h.data) == nil
	}
	checkCost(t, h, "Wellformed", func() error { return h.o.Wellformed(h.data) })
	*h = saved
	if cbor.Wellformed(h.data) == nil {
		h.valid = true
		checkCost(t, h, "Diagnose", func() error { _, err := cbor.Diagnose(h.data); return err })
	}
	*h = saved
}

// checkCost runs f and checks time and memory. The machine may be busy, so
// that the best of three times counts.
func checkCost(t *testing.T, h *hostile, path string, f func() error) {
	t.Helper()
	var took time.Duration
	for range 3 {
		runtime.GC()
		var err error
		start := time.Now()
		n := allocated(func() { err = f() })
		took = time.Since(start)
		if (err == nil) != h.valid {
			t.Errorf("%s, %s: %.100v, want error: %v", h.name, path, err, !h.valid)
		}
		if limit := h.factor*uint64(len(h.data)) + maxFixed; n > limit {
			t.Errorf("%s, %s: %d bytes allocated for %d, %d times", h.name, path, n, len(h.data), n/uint64(len(h.data)))
			return
		}
		if took <= maxTime {
			return
		}
	}
	t.Errorf("%s, %s: %v for %d bytes", h.name, path, took, len(h.data))
}

// A packetReader reads data as it comes from a network.
type packetReader struct{ data []byte }

func (p *packetReader) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.data[:min(1448, len(p.data))])
	p.data = p.data[n:]
	return n, nil
}
