package cbor_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/streamcbor/cbor"
)

// TestStableThroughErrors keeps what was returned through errors of the content
// and of the reader, Buffered and Reset, and looks at it at the end.
func TestStableThroughErrors(t *testing.T) {
	o := cbor.Options{AliasText: true}
	d := o.NewDecoder(nil)
	type kept struct{ got, want any }
	var all []kept
	for round := range 12 {
		var in []byte
		var want []string
		for i := range 60 {
			s := strings.Repeat(string(rune('a'+(i+round)%26)), (i*i*i*7+round*131)%40_000)
			want = append(want, s)
			in = append(in, 0x9f, 0x7a, 0, 0, byte(len(s)>>8), byte(len(s)))
			in = append(append(append(in, s...), 0x5a, 0, 0, byte(len(s)>>8), byte(len(s))), s...)
			in = append(in, "\xff\x82\x63abc\x61\xff"...) // then an item with a fault
		}
		d.Reset(&stumblingReader{data: in, size: 1<<uint(round) + 1000, at: len(in) * round / 12})
		for i, s := range want {
			var v any
			var raw cbor.RawMessage
			var err error
			if i%3 == 0 {
				err = again(func() (err error) { raw, err = d.ReadRaw(); return err })
				v, _ = o.Decode(raw)
			} else {
				err = again(func() (err error) { v, err = d.ReadValue(); return err })
			}
			if err != nil {
				t.Fatalf("round %d, item %d: %v", round, i, err)
			}
			all = append(all, kept{v, []any{s, []byte(s)}})
			if i%5 == 0 {
				off, rest := int(d.InputOffset()), d.Buffered()
				all = append(all, kept{rest, in[off : off+len(rest)]})
			}
			err = again(func() error { _, err := d.ReadValue(); return err })
			wantErr(t, "the item with a fault", err, cbor.ErrInvalidUTF8)
		}
	}
	for i, k := range all {
		if diff := diffShort(k.want, k.got); diff != "" {
			t.Fatalf("value %d changed: %s", i, diff)
		}
	}
}

// diffShort compares long strings without a walk through both.
func diffShort(want, got any) string {
	if fmt.Sprintf("%x", want) == fmt.Sprintf("%x", got) {
		return ""
	}
	return fmt.Sprintf("%.80x, want %.80x", got, want)
}

// TestCopyBytes checks that byte strings share no memory with the input, also
// where a TagFunc changes one and the item is read again.
func TestCopyBytes(t *testing.T) {
	flip := func(c any) (any, error) {
		b := c.([]byte)
		for i := range b {
			b[i] ^= 0xff
		}
		return b, nil
	}
	o := cbor.Options{CopyBytes: true, Tags: map[uint64]cbor.TagFunc{6: flip}}
	for _, n := range []int{1, 100, 16384, 16385, 50_000} {
		data := append([]byte{0x82, 0xc6, 0x5a, 0, 0, byte(n >> 8), byte(n)}, make([]byte, n)...)
		data = append(data, 1)
		for _, at := range []int{len(data), len(data) - 1} {
			d := o.NewDecoder(&stumblingReader{data: data, size: 1 << 20, at: at})
			var v any
			err := again(func() (err error) { v, err = d.ReadValue(); return err })
			if err != nil {
				t.Fatal(err)
			}
			if b := v.([]any)[0].([]byte); !bytes.Equal(b, bytes.Repeat([]byte{0xff}, n)) {
				t.Errorf("%d bytes, an error at %d of %d: %.10x, want ff…", n, at, len(data), b)
			}
		}
	}
	data := []byte("\x82\x43abc\x43def\x43ghi\x43jkl")
	d := o.NewDecoderBytes(data)
	v, _ := d.ReadValue()
	b, _ := d.ReadBytes()
	raw, _ := d.ReadRaw()
	clear(data)
	if got := fmt.Sprintf("%s %s %s", v, b, []byte(raw)); got != "[abc def] ghi Cjkl" {
		t.Errorf("after a change of the data: %s", got)
	}
}

// TestBufferedAnywhere takes what was not consumed after each call.
func TestBufferedAnywhere(t *testing.T) {
	for _, tt := range longItems {
		data := append(append([]byte{}, tt.data...), tt.data...)
		for _, w := range ways {
			for _, at := range []int{0, 1, 16384, 20000, len(tt.data) - 1, len(tt.data)} {
				r := &stumblingReader{data: data, size: 5000, at: at}
				d := cbor.NewDecoder(r)
				for range 3 {
					_, err := w.pass(d)
					if err != nil && err != errFlaky {
						t.Fatalf("%s, %s: %v", tt.name, w.name, err)
					}
					off := int(d.InputOffset())
					if got := d.Buffered(); !bytes.Equal(got, data[off:r.pos]) {
						t.Fatalf("%s, %s, an error at %d: %d bytes at %d, want %d", tt.name, w.name, at, len(got), off, r.pos-off)
					}
				}
			}
		}
	}
}

// TestPullAllocsNothing counts the allocations of methods that return no memory.
func TestPullAllocsNothing(t *testing.T) {
	data := bytes.Repeat([]byte("\x83\x19\x01\x00\xf9\x3e\x00\xa1\xf5\xc6\xf6\x65hello\x45hello"), 500)
	r := bytes.NewReader(data)
	d := cbor.NewDecoder(r)
	n := testing.AllocsPerRun(20, func() {
		r.Reset(data)
		d.Reset(r)
		for d.More() {
			d.ReadArrayHeader()
			d.ReadInt64()
			d.ReadFloat64()
			d.ReadMapHeader()
			d.ReadBool()
			d.ReadTag()
			d.ReadNull()
			d.ReadEnd()
			d.ReadEnd()
			if kind, err := d.PeekKind(); kind != cbor.KindText || err != nil {
				t.Fatal(kind, err)
			}
			d.Skip()
			if err := d.Skip(); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for 500 arrays", n)
	}
	text := append([]byte{0x79, 0x10, 0}, make([]byte, 4096)...)
	if n := testing.AllocsPerRun(20, func() { d.ResetBytes(text); d.ReadTextBytes() }); n != 0 {
		t.Errorf("ReadTextBytes from memory: %v allocations", n)
	}
}

// TestFalseClaims sends few bytes behind heads of strings that claim 2^40.
func TestFalseClaims(t *testing.T) {
	const claim = "\x00\x00\x01\x00\x00\x00\x00\x00"
	takers := append(append([]way{}, ways...),
		way{"WriteDiagnostic", func(d *cbor.Decoder) (any, error) { return nil, d.WriteDiagnostic(io.Discard) }, false},
		way{"Chunks", func(d *cbor.Decoder) (v any, err error) {
			for _, err = range d.Chunks() {
			}
			return nil, err
		}, false},
		way{"ReadBytes", reads["ReadBytes"], true}, way{"ReadTextBytes", reads["ReadTextBytes"], true})
	for _, head := range []string{"\x5b", "\x7b", "\x81\x5b", "\x5f\x5b", "\x7f\x7b", "\xc2\x5b", "\xa1\x7b", "\xa1\x5b"} {
		for _, k := range []int{0, 1, 1000, 20_000, 300_000} {
			data := append([]byte(head+claim), make([]byte, k)...)
			for _, w := range takers {
				got := allocated(func() {
					if _, err := w.pass(cbor.NewDecoder(&sizedReader{data: data, size: 1448})); err == nil {
						t.Errorf("%s of %x: no error", w.name, head)
					}
				})
				if limit := 64<<10 + 16*uint64(k); got > limit {
					t.Errorf("%s of %x with %d bytes: %d bytes allocated, more than %d", w.name, head, k, got, limit)
				}
			}
		}
	}
}

// TestRetainedAfterError reads an array by ReadValue after an error of the
// reader in ReadRaw: each byte string still keeps no more than a block alive.
func TestRetainedAfterError(t *testing.T) {
	const n = 20
	data := append([]byte{0x9f}, bytes.Repeat([]byte("\x65hello"), 40_000)...)
	data = append(data, "\x41x\xff"...)
	before := liveHeap()
	var kept [][]byte
	for range n {
		d := cbor.NewDecoder(&stumblingReader{data: data, size: 1 << 20, at: len(data) - 1})
		if _, err := d.ReadRaw(); err != errFlaky {
			t.Fatal(err)
		}
		v, err := d.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, v.([]any)[40_000].([]byte))
	}
	if live := liveHeap() - before; live > n*18<<10+1<<20 {
		t.Errorf("%d small byte strings keep %d bytes alive", n, live)
	}
	runtime.KeepAlive(kept)
}

// TestLongTextBlock reads long text that nothing aliases and then a short byte
// string, which must not keep the memory of the text alive.
func TestLongTextBlock(t *testing.T) {
	const n, size = 20, 1 << 20
	data := append([]byte("\x7a\x00\x10\x00\x00"), bytes.Repeat([]byte("0"), size)...)
	data = append(data, "\x42yz"...)
	before := liveHeap()
	var kept [][]byte
	for range n {
		d := cbor.NewDecoder(bytes.NewReader(data))
		if err := d.Decode(new(short)); err != nil {
			t.Fatal(err)
		}
		b, err := d.ReadBytes()
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, b)
	}
	if live := liveHeap() - before; live > n*36<<10+1<<20 {
		t.Errorf("%d small byte strings keep %d bytes alive", len(kept), live)
	}
	runtime.KeepAlive(kept)
}

// A short takes text and keeps its length.
type short int

func (s *short) UnmarshalText(text []byte) error {
	*s = short(len(text))
	return nil
}

// TestRetainedAliasText keeps one short string of each item of a stream whose
// short strings are far from each other.
func TestRetainedAliasText(t *testing.T) {
	const n = 20
	var data []byte
	for range 100 {
		data = append(append(data, "\x62ab\x59\x40\x00"...), make([]byte, 1<<14)...)
	}
	data = append(append([]byte{0x9f}, data...), 0xff)
	o := cbor.Options{AliasText: true}
	before := liveHeap()
	var kept []any
	for range n {
		v, err := o.NewDecoder(bytes.NewReader(data)).ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, v.([]any)[100])
	}
	if live := liveHeap() - before; live > n*36<<10+1<<20 {
		t.Errorf("%d short strings keep %d bytes alive", n, live)
	}
	runtime.KeepAlive(kept)
}
