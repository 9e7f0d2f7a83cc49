package cbor_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/streamcbor/cbor"
)

// A randomReader gives pieces of random sizes with errors in between.
type randomReader struct {
	data []byte
	rand *rand.Rand
}

func (r *randomReader) Read(p []byte) (int, error) {
	switch r.rand.IntN(8) {
	case 0:
		return 0, errFlaky
	case 1:
		return 0, nil
	}
	n := copy(p[:min(len(p), 1<<r.rand.IntN(14))], r.data)
	r.data = r.data[n:]
	switch {
	case len(r.data) == 0 && (n == 0 || r.rand.IntN(2) == 0):
		return n, io.EOF
	case r.rand.IntN(8) == 0:
		return n, errFlaky
	}
	return n, nil
}

// rebuild reads the next item head by head into what ReadValue returns under
// rebuildOptions.
func rebuild(d *cbor.Decoder) (v any, err error) {
	retry := func(f func() error) {
		if err == nil {
			err = again(f)
		}
	}
	var kind cbor.Kind
	retry(func() (err error) { kind, err = d.PeekKind(); return err })
	if err != nil {
		return nil, err
	}
	switch kind {
	case cbor.KindUint:
		var u uint64
		retry(func() (err error) { u, err = d.ReadUint64(); return err })
		if v = u; u>>63 == 0 {
			v = int64(u)
		}
	case cbor.KindNegInt:
		retry(func() (err error) { v, err = d.ReadInt64(); return err })
		if errors.Is(err, cbor.ErrType) { // below int64
			err = nil
			retry(func() (err error) { v, err = d.ReadValue(); return err })
		}
	case cbor.KindBytes:
		retry(func() (err error) { v, err = d.ReadBytes(); return err })
	case cbor.KindText:
		retry(func() (err error) { v, err = d.ReadText(); return err })
	case cbor.KindArray:
		retry(func() (err error) { _, err = d.ReadArrayHeader(); return err })
		a := []any{}
		for more(d, &err) {
			var e any
			if e, err = rebuild(d); err == nil {
				a = append(a, e)
			}
		}
		retry(d.ReadEnd)
		v = a
	case cbor.KindMap:
		retry(func() (err error) { _, err = d.ReadMapHeader(); return err })
		m := cbor.Map{}
		for more(d, &err) {
			var e cbor.Entry
			if e.Key, err = rebuild(d); err == nil {
				e.Value, err = rebuild(d)
			}
			if s, ok := e.Key.([]byte); ok {
				e.Key = cbor.ByteString(s)
			}
			m = append(m, e)
		}
		retry(d.ReadEnd)
		v = m
	case cbor.KindTag:
		var t cbor.Tag
		retry(func() (err error) { t.Number, err = d.ReadTag(); return err })
		if err == nil {
			t.Content, err = rebuild(d)
		}
		v = t
	case cbor.KindBool:
		retry(func() (err error) { v, err = d.ReadBool(); return err })
	case cbor.KindNull:
		retry(d.ReadNull)
	case cbor.KindUndefined, cbor.KindSimple:
		retry(func() (err error) { v, err = d.ReadSimple(); return err })
	case cbor.KindFloat:
		retry(func() (err error) { v, err = d.ReadFloat64(); return err })
	case cbor.KindEnd:
		err = errors.New("an end where an item should be")
	}
	return v, err
}

// more is d.More, but for errors of the reader.
func more(d *cbor.Decoder, err *error) bool {
	for *err == nil {
		if d.More() {
			return true
		}
		var kind cbor.Kind
		kind, *err = d.PeekKind()
		switch {
		case *err == errFlaky:
			*err = nil
		case kind == cbor.KindEnd:
			return false
		}
	}
	return false
}

var rebuildOptions = cbor.Options{RawTags: true, Maps: cbor.MapOrdered}

// calls are ways to pass the next item, each with what it returns.
var calls = []func(d *cbor.Decoder) (any, error){
	func(d *cbor.Decoder) (any, error) { return d.ReadValue() },
	func(d *cbor.Decoder) (any, error) { return d.ReadRaw() },
	func(d *cbor.Decoder) (any, error) { return nil, d.Skip() },
	rebuild,
	func(d *cbor.Decoder) (v any, err error) { return v, d.Decode(&v) },
	func(d *cbor.Decoder) (any, error) {
		r, err := d.BytesReader()
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = again(func() error { _, err := io.Copy(&b, r); return err })
		return b.String(), err
	},
	func(d *cbor.Decoder) (any, error) { return d.ReadArrayHeader() },
	func(d *cbor.Decoder) (any, error) { return d.ReadMapHeader() },
	func(d *cbor.Decoder) (any, error) { return d.ReadTag() },
	func(d *cbor.Decoder) (any, error) { return nil, d.ReadEnd() },
	func(d *cbor.Decoder) (any, error) { return d.ReadTextBytes() },
	func(d *cbor.Decoder) (any, error) { return d.ReadFloat64() },
	func(d *cbor.Decoder) (any, error) { return d.PeekKind() },
}

// FuzzStream makes the same calls over memory and over a stream of random
// pieces and errors.
func FuzzStream(f *testing.F) {
	for _, tt := range appendixA {
		f.Add(unhex(f, tt.hex), []byte{0, 1, 2, 3}, uint64(1))
		f.Add(unhex(f, tt.hex+tt.hex), []byte{6, 3, 7, 0, 8, 9, 12}, uint64(2))
	}
	f.Fuzz(func(t *testing.T, data, script []byte, seed uint64) {
		mem := rebuildOptions.NewDecoderBytes(data)
		r := &randomReader{data, rand.New(rand.NewPCG(seed, 1))}
		str := rebuildOptions.NewDecoder(r)
		for i, c := range script {
			call := calls[int(c)%len(calls)]
			want, wantErr := call(mem)
			var got any
			err := again(func() (err error) { got, err = call(str); return err })
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("call %d (%d): error %v from a stream, %v from memory", i, c, err, wantErr)
			}
			if d := diffValues(want, got, exact); err == nil && d != "" {
				t.Fatalf("call %d (%d): memory - stream +\n%s", i, c, d)
			}
			if err == nil && mem.InputOffset() != str.InputOffset() || mem.Depth() != str.Depth() {
				t.Fatalf("call %d (%d): offset %d and %d, depth %d and %d", i, c,
					mem.InputOffset(), str.InputOffset(), mem.Depth(), str.Depth())
			}
		}
	})
}

// FuzzRebuild checks that a walk by PeekKind rebuilds what ReadValue returns.
func FuzzRebuild(f *testing.F) {
	for _, tt := range appendixA {
		f.Add(unhex(f, tt.hex))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want, err := rebuildOptions.Decode(data)
		if err != nil {
			return
		}
		for _, d := range []*cbor.Decoder{
			rebuildOptions.NewDecoderBytes(data),
			rebuildOptions.NewDecoder(&randomReader{data, rand.New(rand.NewPCG(1, uint64(len(data))))}),
		} {
			got, err := rebuild(d)
			if d := diffValues(want, got, exact); err != nil || d != "" {
				t.Fatalf("error %v, value - rebuilt +\n%s", err, d)
			}
		}
	})
}

// FuzzStreamMixed does not repeat the call that met an error of the reader: the
// next call of the script has what that one would have had.
func FuzzStreamMixed(f *testing.F) {
	for i, tt := range streamItems {
		f.Add(unhex(f, tt.hex), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, uint64(i))
	}
	for i, tt := range longItems[2:4] {
		f.Add(tt.data, []byte{1, 0, 1, 4, 6, 1, 0, 10, 1, 2}, uint64(i))
	}
	f.Fuzz(func(t *testing.T, data, script []byte, seed uint64) {
		mem := rebuildOptions.NewDecoderBytes(data)
		str := rebuildOptions.NewDecoder(&randomReader{data, rand.New(rand.NewPCG(seed, 2))})
		for i, c := range script {
			c %= byte(len(calls))
			passes := c == 2 || c == 3 || c == 5 // these go on with what they began
			var got any
			got, err := calls[c](str)
			if err == errFlaky && !passes {
				continue
			}
			if err == errFlaky {
				err = again(func() (err error) { got, err = calls[c](str); return err })
			}
			want, wantErr := calls[c](mem)
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("call %d (%d): error %v from a stream, %v from memory", i, c, err, wantErr)
			}
			if d := diffValues(want, got, exact); err == nil && d != "" {
				t.Fatalf("call %d (%d): memory - stream +\n%s", i, c, d)
			}
			if err == nil && mem.InputOffset() != str.InputOffset() || mem.Depth() != str.Depth() {
				t.Fatalf("call %d (%d): offset %d and %d, depth %d and %d", i, c,
					mem.InputOffset(), str.InputOffset(), mem.Depth(), str.Depth())
			}
		}
	})
}
