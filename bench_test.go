package cbor_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	fxcbor "github.com/fxamacker/cbor/v2"
	"github.com/streamcbor/cbor"
	"github.com/streamcbor/cbor/testdata/workload"
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

// benchDocuments are the documents of ../shared/bench (made ones of the same shape
// where the folder is absent), log records and a vocabulary.
func benchDocuments() []workload.Item {
	return append(workload.Documents("../shared/bench"),
		workload.Item{Name: "log_records", Load: func() []byte { return workload.Array(100_000, workload.Records(100_000)) }},
		workload.Item{Name: "vocabulary_array", Load: func() []byte {
			sequence, _ := workload.Vocabulary(256_000)
			return workload.Array(256_000, sequence)
		}},
		workload.Item{Name: "vocabulary_map", Load: func() []byte {
			_, keys := workload.Vocabulary(256_000)
			return keys
		}},
	)
}

// held is live memory beside the benchmarks. Without it, Go collects after every
// 4 MB, and the collector is most of what small items then measure.
func held() []byte { return make([]byte, 64<<20) }

// measure runs f, which passes over n bytes each time.
func measure(b *testing.B, name string, n int, f func() error) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(n))
		b.ReportAllocs()
		for b.Loop() {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDecode decodes each item beside fxamacker/cbor: with the defaults, and
// as ordered maps and with aliased text where the item has maps or text.
func BenchmarkDecode(b *testing.B) {
	defer runtime.KeepAlive(held())
	for _, item := range append(workload.Items(), benchDocuments()...) {
		b.Run(item.Name, func(b *testing.B) {
			data := item.Load()
			measure(b, "cbor", len(data), func() error { _, err := cbor.Decode(data); return err })
			measure(b, "fxamacker", len(data), func() error { var v any; return fxMode.Unmarshal(data, &v) })
			switch kind := data[0] >> 5; {
			case len(data) < 10, kind == 2, strings.HasPrefix(item.Name, "Array"):
				return // neither maps nor text
			case kind != 3:
				ordered := cbor.Options{Maps: cbor.MapOrdered}
				measure(b, "cbor-ordered", len(data), func() error { _, err := ordered.Decode(data); return err })
			}
			alias := cbor.Options{Maps: cbor.MapOrdered, AliasText: true}
			measure(b, "cbor-ordered-alias", len(data), func() error { _, err := alias.Decode(data); return err })
		})
	}
}

// BenchmarkWalk passes over documents and builds nothing.
func BenchmarkWalk(b *testing.B) {
	gigabytes := func(b *testing.B, n int, f func() error) {
		b.SetBytes(int64(n))
		b.ReportAllocs()
		for b.Loop() {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GB/s")
	}
	for _, item := range benchDocuments() {
		b.Run(item.Name, func(b *testing.B) {
			data := item.Load()
			b.Run("Wellformed", func(b *testing.B) {
				gigabytes(b, len(data), func() error { return cbor.Wellformed(data) })
			})
			b.Run("fxamacker", func(b *testing.B) {
				gigabytes(b, len(data), func() error { return fxMode.Wellformed(data) })
			})
			var r bytes.Reader
			d := cbor.NewDecoder(&r)
			b.Run("Skip", func(b *testing.B) {
				gigabytes(b, len(data), func() error {
					r.Reset(data)
					d.Reset(&r)
					return d.Skip()
				})
			})
		})
	}
}

// drain reads all items of a stream.
func drain(newReader func() io.Reader) func() error {
	return func() error {
		d := cbor.NewDecoder(newReader())
		for {
			if _, err := d.ReadValue(); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
}

// fxDrain reads all items of a stream with fxamacker/cbor.
func fxDrain(newReader func() io.Reader) func() error {
	return func() error {
		d := fxMode.NewDecoder(newReader())
		for {
			var v any
			if err := d.Decode(&v); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
}

// BenchmarkStream reads from streams. fxamacker/cbor, which takes quadratic time
// for an item that comes in segments, reads only the smaller array of these.
func BenchmarkStream(b *testing.B) {
	defer runtime.KeepAlive(held())
	b.Run("log_records", func(b *testing.B) {
		records := workload.Records(100_000)
		newReader := func() io.Reader { return bytes.NewReader(records) }
		measure(b, "cbor", len(records), drain(newReader))
		measure(b, "fxamacker", len(records), fxDrain(newReader))
	})
	for _, n := range []int{2_000, 30_000} {
		array := workload.Array(n, workload.Records(n))
		b.Run(fmt.Sprintf("array_%d_KB", len(array)/1000), func(b *testing.B) {
			newReader := func() io.Reader { return workload.Segments(bytes.NewReader(array), 1448) }
			measure(b, "cbor", len(array), drain(newReader))
			measure(b, "cbor-memory", len(array), func() error { _, err := cbor.Decode(array); return err })
			if n < 10_000 {
				measure(b, "fxamacker", len(array), fxDrain(newReader))
			}
		})
	}
	b.Run("map_98304_keys", func(b *testing.B) {
		keys := workload.Keys()
		measure(b, "cbor", len(keys), drain(func() io.Reader { return workload.Segments(bytes.NewReader(keys), 1448) }))
		measure(b, "cbor-memory", len(keys), func() error { _, err := cbor.Decode(keys); return err })
	})
	b.Run("one_byte_reads", func(b *testing.B) {
		for _, n := range []int{20_000, 40_000, 80_000} {
			data := workload.Array(n, bytes.Repeat([]byte{0x18, 0x2a}, n))
			measure(b, fmt.Sprint(n), len(data), drain(func() io.Reader { return workload.Segments(bytes.NewReader(data), 1) }))
		}
	})
	b.Run("64_MiB_byte_string", func(b *testing.B) {
		long := workload.Bytes(64 << 20)
		newReader := func() io.Reader { return bytes.NewReader(long) }
		measure(b, "cbor", len(long), drain(newReader))
		measure(b, "fxamacker", len(long), fxDrain(newReader))
	})
}

// BenchmarkPull reads the integers of one array.
func BenchmarkPull(b *testing.B) {
	const n = 100_000
	data := workload.Array(n, bytes.Repeat([]byte{0x19, 1, 2}, n))
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
