package cbor_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	fxcbor "github.com/fxamacker/cbor/v2"
	"github.com/streamcbor/cbor"
)

// fxMode is fxamacker/cbor with its limits raised, without which it refuses
// some of the items, and its defaults otherwise.
var fxMode = func() fxcbor.DecMode {
	m, err := fxcbor.DecOptions{MaxNestedLevels: 1000, MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32}.DecMode()
	if err != nil {
		panic(err)
	}
	return m
}()

func appendHead(b []byte, major byte, arg uint64) []byte {
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

func appendText(b []byte, s string) []byte { return append(appendHead(b, 3, uint64(len(s))), s...) }

// A benchItem is one encoded item with its name.
type benchItem struct {
	name string
	data []byte
}

// benchClasses are the lengths of items whose names end in the digit: in the
// middle of those whose head has so many bytes of argument.
var benchClasses = []struct{ digit, n int }{{0, 12}, {1, 140}, {2, 4096}, {4, 98_304}}

// benchItems has the items of the benchmark of a decoder with views.
func benchItems() []benchItem {
	items := []benchItem{
		{"Undefined", []byte{0xf7}}, {"Null", []byte{0xf6}}, {"Boolean", []byte{0xf5}},
		{"Float", []byte("\xfb\x40\x09\x21\xfb\x54\x44\x2d\x18")},
		{"Date", []byte("\xc1\x1a\x51\x4b\x67\xb0")},
		{"CborTag", []byte("\xd8\x2a\x82\x01\x63abc")},
	}
	for _, n := range []struct {
		digit int
		value uint64
	}{{0, 7}, {1, 200}, {2, 40_000}, {4, 3_000_000_000}, {8, 1 << 53}} {
		items = append(items, benchItem{fmt.Sprint("Number", n.digit), appendHead(nil, 0, n.value)})
		b := bytes.TrimLeft(binary.BigEndian.AppendUint64(nil, n.value), "\x00")
		items = append(items, benchItem{fmt.Sprint("BigInt", n.digit), append(appendHead([]byte{0xc2}, 2, uint64(len(b))), b...)})
	}
	for _, c := range benchClasses {
		name := func(kind string) string { return fmt.Sprint(kind, c.digit) }
		n := uint64(c.n)
		items = append(items, benchItem{name("String"), appendText(nil, strings.Repeat("abcdefgh ijk", c.n/12+1)[:c.n])})
		bytes := c.n
		if c.digit == 4 {
			bytes = 16 << 20
		}
		items = append(items, benchItem{name("Uint8Array"), append(appendHead(nil, 2, uint64(bytes)), make([]byte, bytes)...)})
		array, object, mapping := appendHead(nil, 4, n), appendHead(nil, 5, n), appendHead([]byte{0xd9, 1, 3}, 5, n)
		for i := range n {
			array = appendHead(array, 0, i%1000)
			object = appendHead(appendText(object, fmt.Sprint("key", i)), 0, i)
			mapping = appendHead(appendHead(mapping, 0, i), 0, i)
		}
		items = append(items, benchItem{name("Array"), array}, benchItem{name("Object"), object}, benchItem{name("Map"), mapping})
	}
	return items
}

// benchDocuments has the documents of ../shared/bench, or generated ones where
// the folder is absent, the log records and a vocabulary.
func benchDocuments(tb testing.TB) []benchItem {
	var items []benchItem
	for _, name := range []string{"twitter_status", "citm_catalog", "canada_geometry", "golang_source", "synthea_fhir", "string_unicode"} {
		data, err := os.ReadFile("../shared/bench/" + name + ".cbor")
		if err != nil {
			tb.Logf("%v; a generated document takes its place", err)
			data = logRecords(1000)
		}
		items = append(items, benchItem{name, data})
	}
	const tokens = 256_000
	array, keys := appendHead(nil, 4, tokens), appendHead(nil, 5, tokens)
	for i := range uint64(tokens) {
		token := fmt.Sprintf("\u2581token%x", uint32(i)*2654435761>>8)
		array = appendText(array, token)
		keys = appendHead(appendText(keys, token), 0, i)
	}
	return append(items, benchItem{"vocabulary_array", array}, benchItem{"vocabulary_map", keys},
		benchItem{"log_records", append(appendHead(nil, 4, 1000), logRecords(1000)...)})
}

// logRecords returns a sequence of n maps of 8 fields.
func logRecords(n int) []byte {
	var b []byte
	for i := range uint64(n) {
		b = appendHead(b, 5, 8)
		b = appendHead(appendText(b, "time"), 0, 1_700_000_000+i)
		b = appendText(appendText(b, "level"), "info")
		b = appendText(appendText(b, "host"), "web-17.example.net")
		b = appendText(appendText(b, "path"), "/api/v1/items")
		b = appendHead(appendText(b, "status"), 0, 200)
		b = appendHead(appendText(b, "bytes"), 0, i*37)
		b = binary.BigEndian.AppendUint64(append(appendText(b, "seconds"), 0xfb), math.Float64bits(float64(i)*0.001))
		b = appendText(appendText(b, "message"), fmt.Sprint("request ", i, " done"))
	}
	return b
}

// BenchmarkDecode decodes each item beside fxamacker/cbor.
func BenchmarkDecode(b *testing.B) {
	ordered := cbor.Options{Maps: cbor.MapOrdered}
	alias := cbor.Options{Maps: cbor.MapOrdered, AliasText: true}
	for _, item := range append(benchItems(), benchDocuments(b)...) {
		for _, by := range []struct {
			name   string
			decode func() error
		}{
			{"cbor", func() error { _, err := cbor.Decode(item.data); return err }},
			{"cbor-ordered", func() error { _, err := ordered.Decode(item.data); return err }},
			{"cbor-ordered-alias", func() error { _, err := alias.Decode(item.data); return err }},
			{"fxamacker", func() error { var v any; return fxMode.Unmarshal(item.data, &v) }},
		} {
			b.Run(item.name+"/"+by.name, func(b *testing.B) {
				b.SetBytes(int64(len(item.data)))
				b.ReportAllocs()
				for b.Loop() {
					if err := by.decode(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkWalk passes over documents and builds nothing.
func BenchmarkWalk(b *testing.B) {
	for _, item := range benchDocuments(b) {
		b.Run("Wellformed/"+item.name, func(b *testing.B) {
			b.SetBytes(int64(len(item.data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := cbor.Wellformed(item.data); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("Skip/"+item.name, func(b *testing.B) {
			b.SetBytes(int64(len(item.data)))
			b.ReportAllocs()
			var r bytes.Reader
			d := cbor.NewDecoder(&r)
			for b.Loop() {
				r.Reset(item.data)
				d.Reset(&r)
				if err := d.Skip(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A segments reader gives n bytes at a time, as TCP may.
type segments struct {
	r io.Reader
	n int
}

func (s segments) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.n)]) }

// benchStream reads data from new readers, beside fxamacker/cbor where that can.
func benchStream(b *testing.B, data []byte, beside bool, newReader func() io.Reader) {
	run := func(name string, drain func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := drain(); err != io.EOF {
					b.Fatal(err)
				}
			}
		})
	}
	run("cbor", func() (err error) {
		d := cbor.NewDecoder(newReader())
		for err == nil {
			_, err = d.ReadValue()
		}
		return err
	})
	if beside {
		run("fxamacker", func() (err error) {
			d := fxMode.NewDecoder(newReader())
			for err == nil {
				var v any
				err = d.Decode(&v)
			}
			return err
		})
	}
}

// BenchmarkStream reads from streams. fxamacker/cbor, which takes quadratic time
// for an item that comes in segments, reads only the small ones of these.
func BenchmarkStream(b *testing.B) {
	records := logRecords(100_000)
	b.Run("log_records", func(b *testing.B) {
		benchStream(b, records, true, func() io.Reader { return bytes.NewReader(records) })
	})
	for _, n := range []uint64{3_000, 45_000} {
		array := append(appendHead(nil, 4, n), logRecords(int(n))...)
		b.Run(fmt.Sprintf("array_%d_KB/segments", len(array)/1000), func(b *testing.B) {
			benchStream(b, array, n < 10_000, func() io.Reader { return segments{bytes.NewReader(array), 1448} })
		})
		b.Run(fmt.Sprintf("array_%d_KB/memory", len(array)/1000), func(b *testing.B) {
			b.SetBytes(int64(len(array)))
			for b.Loop() {
				if _, err := cbor.Decode(array); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	keys := benchItems()
	object := keys[len(keys)-2]
	b.Run("map_98304_keys/segments", func(b *testing.B) {
		d := cbor.NewDecoder(nil)
		b.SetBytes(int64(len(object.data)))
		for b.Loop() {
			d.Reset(segments{bytes.NewReader(object.data), 1448})
			if _, err := d.ReadValue(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, n := range []int{20_000, 40_000, 80_000} {
		data := append(appendHead(nil, 4, uint64(n)), bytes.Repeat([]byte{0x18, 0x2a}, n)...)
		b.Run(fmt.Sprintf("one_byte_reads_%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := cbor.NewDecoder(segments{bytes.NewReader(data), 1}).ReadValue(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	long := append(appendHead(nil, 2, 64<<20), make([]byte, 64<<20)...)
	b.Run("64_MiB_byte_string", func(b *testing.B) {
		benchStream(b, long, true, func() io.Reader { return bytes.NewReader(long) })
	})
}

// BenchmarkPull reads the integers of one array.
func BenchmarkPull(b *testing.B) {
	const n = 100_000
	data := append(appendHead(nil, 4, n), bytes.Repeat([]byte{0x19, 1, 2}, n)...)
	d := cbor.NewDecoder(nil)
	var r bytes.Reader
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r.Reset(data)
		d.Reset(&r)
		for _, err := range d.Array() {
			if err != nil {
				b.Fatal(err)
			}
			if _, err := d.ReadInt64(); err != nil {
				b.Fatal(err)
			}
		}
	}
}
