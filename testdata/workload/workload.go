// Package workload makes the inputs of the benchmarks: of the package's own and
// of the comparison with other packages. Each input is the same on every run.
package workload

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// An Item is one data item with the name that benchmarks show.
type Item struct {
	Name string
	Load func() []byte // makes or reads the encoded item
}

// AppendHead appends the shortest head of the major type with the argument (RFC 8949,
// section 3).
func AppendHead(b []byte, major byte, arg uint64) []byte {
	switch {
	case arg < 24:
		return append(b, major<<5|byte(arg))
	case arg < 1<<8:
		return append(b, major<<5|24, byte(arg))
	case arg < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, major<<5|25), uint16(arg))
	case arg < 1<<32:
		return binary.BigEndian.AppendUint32(append(b, major<<5|26), uint32(arg))
	}
	return binary.BigEndian.AppendUint64(append(b, major<<5|27), arg)
}

// AppendText appends a text string.
func AppendText(b []byte, s string) []byte { return append(AppendHead(b, 3, uint64(len(s))), s...) }

// Bytes returns a byte string of n bytes.
func Bytes(n int) []byte { return append(AppendHead(nil, 2, uint64(n)), make([]byte, n)...) }

// Array returns an array of count items, which are given as a sequence.
func Array(count int, sequence []byte) []byte {
	return append(AppendHead(nil, 4, uint64(count)), sequence...)
}

// classes are the lengths of the items whose names end in the digit, which is the
// number of bytes that the argument of the head takes after the first.
var classes = []struct{ digit, n int }{{0, 12}, {1, 140}, {2, 4096}, {4, 98_304}}

// values are the integers of the items whose names end in the digit.
var values = []struct {
	digit int
	value uint64
}{{0, 7}, {1, 200}, {2, 40_000}, {4, 3_000_000_000}, {8, 1 << 53}}

// Items returns the items of a benchmark that goes through kinds and lengths.
func Items() []Item {
	scalar := func(name, data string) Item { return Item{name, func() []byte { return []byte(data) }} }
	items := []Item{
		scalar("Undefined", "\xf7"), scalar("Null", "\xf6"), scalar("Boolean", "\xf5"),
		scalar("Float", "\xfb\x40\x09\x21\xfb\x54\x44\x2d\x18"),
	}
	for _, v := range values {
		items = append(items, Item{fmt.Sprint("Number", v.digit), func() []byte { return AppendHead(nil, 0, v.value) }})
	}
	for _, v := range values {
		items = append(items, Item{fmt.Sprint("BigInt", v.digit), func() []byte {
			b := bytes.TrimLeft(binary.BigEndian.AppendUint64(nil, v.value), "\x00")
			return append(AppendHead([]byte{0xc2}, 2, uint64(len(b))), b...)
		}})
	}
	items = append(items, scalar("Date", "\xc1\x1a\x51\x4b\x67\xb0"), scalar("CborTag", "\xd8\x2a\x82\x01\x63abc"))
	for _, kind := range []struct {
		name string
		make func(n int) []byte
	}{{"String", text}, {"Uint8Array", octets}, {"Array", array}, {"Object", object}, {"Map", mapping}} {
		for _, c := range classes {
			items = append(items, Item{fmt.Sprint(kind.name, c.digit), func() []byte { return kind.make(c.n) }})
		}
	}
	return items
}

// Keys returns a map of 98,304 text keys.
func Keys() []byte { return object(classes[len(classes)-1].n) }

func text(n int) []byte { return AppendText(nil, strings.Repeat("abcdefgh ijk", n/12+1)[:n]) }

// octets returns a byte string. The longest is as long as a picture, so that a copy
// of it shows.
func octets(n int) []byte {
	if n >= 1<<16 {
		n = 16 << 20
	}
	return Bytes(n)
}

func array(n int) []byte {
	b := AppendHead(nil, 4, uint64(n))
	for i := range uint64(n) {
		b = AppendHead(b, 0, i%1000)
	}
	return b
}

func object(n int) []byte {
	b := AppendHead(nil, 5, uint64(n))
	for i := range uint64(n) {
		b = AppendHead(AppendText(b, fmt.Sprint("key", i)), 0, i)
	}
	return b
}

// mapping returns a map with integer keys behind tag 259, which says that keys
// are of any type.
func mapping(n int) []byte {
	b := AppendHead([]byte{0xd9, 0x01, 0x03}, 5, uint64(n))
	for i := range uint64(n) {
		b = AppendHead(AppendHead(b, 0, i), 0, i)
	}
	return b
}

// Records returns a sequence of count log records: maps of 8 fields, in the order time,
// level, service, message, status, seconds, trace, retry.
func Records(count int) []byte {
	levels := []string{"info", "info", "info", "warn", "debug", "error"}
	services := []string{"checkout", "search", "catalog", "accounts"}
	var b []byte
	for i := range uint64(count) {
		b = AppendHead(b, 5, 8)
		b = AppendHead(AppendText(b, "time"), 0, 1_700_000_000_000+i)
		b = AppendText(AppendText(b, "level"), levels[i%6])
		b = AppendText(AppendText(b, "service"), services[i%4])
		b = AppendText(AppendText(b, "message"), fmt.Sprintf("request to /api/v1/items/%d was handled", i*7))
		b = AppendHead(AppendText(b, "status"), 0, 200+i%300)
		b = append(AppendText(b, "seconds"), 0xfb)
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(float64(i%1000)/997))
		b = AppendHead(AppendText(b, "trace"), 2, 16)
		b = binary.BigEndian.AppendUint64(b, i*0x9e3779b97f4a7c15)
		b = binary.BigEndian.AppendUint64(b, i*0xc2b2ae3d27d4eb4f)
		b = append(AppendText(b, "retry"), 0xf4|byte(i%2))
	}
	return b
}

// Segments returns a reader that gives at most n bytes of r at a time, as a network
// connection may.
func Segments(r io.Reader, n int) io.Reader { return segments{r, n} }

type segments struct {
	r io.Reader
	n int
}

func (s segments) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.n)]) }
