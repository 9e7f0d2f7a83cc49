package cbor_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/streamcbor/cbor"
)

// streamItems are sequences of items of each kind, in each width, and with each
// kind of fault, in hexadecimal.
var streamItems = []struct{ name, hex string }{
	{"nothing", ""},
	{"integers", "00 17 1818 190100 1a00010000 1b0000000100000000 1bffffffffffffffff 20 37 3818 390100 3a00010000 3b7fffffffffffffff 3bffffffffffffffff"},
	{"floats", "f90001 f93c00 f97e01 fa47c35000 fa7fa00001 fbc010666666666666 fb7ff0000000000001"},
	{"simple values", "f4 f5 f6 f7 e0 f3 f820 f8ff"},
	{"byte strings", "40 4401020304 5803010203 5900021122 5a0000000133 5b000000000000000144 5fff 5f40ff 5f42010243030405580106ff"},
	{"text strings", "60 6449455446 7803e6b0b4 790002c3bc 7fff 7f6673747265616d647c696e67ff 7f60ff 64f0908591"},
	{"arrays", "80 83010203 8301820203820405 9800 9801f6 9a00000001f5 9b000000000000000100 9fff 9f018202039f0405ffff 8180"},
	{"maps", "a0 a201020304 a26161016162820203 bfff bf61610161629f0203ffff bf6346756ef563416d7421ff b80100f6 b900020001 4142f5"},
	{"odd keys", "a2800081f601 a1a00000 a1c24100f4 a1f97e0001 bf4161014162005fff02ff"},
	{"tags", "c11a514b67b0 c074323031332d30332d32315432303a30343a30305a c249010000000000000000 c349010000000000000000 d9d9f7d9d9f783010203 d82076687474703a2f2f7777772e6578616d706c652e636f6d d8184401020304 d90103a16161f5 c6c6c600"},
	{"deep", "9f9f9fbf5f4101ff9f7f6161ffffffffffff 818181818181a1a1000000 00"},
	{"reserved head", "01 1c"},
	{"reserved head inside", "01 8201 5d"},
	{"break at the top level", "8101 ff"},
	{"break in an array", "8201ff"},
	{"break after a key", "bf01ff"},
	{"break after a tag", "9fc1ff"},
	{"indefinite integer", "811f"},
	{"short simple value", "82f814f800"},
	{"chunk of another type", "5f4101616100ff"},
	{"chunk of indefinite length", "5f5f4100ffff"},
	{"chunk with a reserved head", "7f61617cff"},
	{"text that is not UTF-8", "61ff 01 83 01 62c328 02 03 7f61e2629882ff 04 7f 61 80 ff 05"},
	{"duplicate keys", "a200010002 01 82 a3616101616202616103 00 02 a2 80 01 9fff 02 03"},
	{"tags over the wrong content", "c001 01 c1 60 02 82 c2 01 03 03 c06161 04 c1f97e00 05"},
	{"fault behind a fault", "83 61ff c001 1c"},
	{"cut off behind a fault", "83 61ff c001 62"},
	{"count beyond memory", "00 9b7fffffffffffffff 01 02"},
	{"count beyond int64", "00 bbffffffffffffffff 01"},
	{"length beyond memory", "00 5b7fffffffffffffff 01 02"},
	{"length beyond int64", "00 7bffffffffffffffff 01"},
}

// longItems are larger than what is read at once, and have strings of sizes
// beside those of a block.
var longItems = func() []struct {
	name string
	data []byte
} {
	var texts, strs bytes.Buffer
	texts.WriteString("\x9f")
	for i := range 5000 {
		fmt.Fprintf(&texts, "\x69text-%04d", i)
	}
	texts.WriteString("\xff")
	strs.WriteString("\x9f")
	for i, n := range []int{0, 1, 4094, 16380, 16384, 16385, 1, 30000, 2, 70000, 3} {
		strs.WriteString(string([]byte{0x5a + 0x20*byte(i%2), 0, byte(n >> 16), byte(n >> 8), byte(n)}))
		strs.WriteString(strings.Repeat(string(rune('a'+i)), n))
	}
	strs.WriteString("\xff")
	var chunks bytes.Buffer
	chunks.WriteString("\x5f")
	for i := range 60 {
		chunks.WriteString("\x59\x03\xe8" + strings.Repeat(string(rune('A'+i)), 1000))
	}
	chunks.WriteString("\xff")
	return []struct {
		name string
		data []byte
	}{
		{"many texts", append(texts.Bytes(), 1)},
		{"long strings", append(strs.Bytes(), 2)},
		{"one byte string", append([]byte("\x5a\x00\x00\x9c\x40"+strings.Repeat("0123456789", 4000)), 3)},
		{"chunks", append(chunks.Bytes(), 4)},
		{"map", append([]byte("\xa3\x01\x59\x40\x00"+strings.Repeat("x", 1<<14)+"\x02\x79\x40\x01"+strings.Repeat("y", 1<<14+1)+"\x61z\x80"), 5)},
	}
}()

var allWays = append(append(append([]way{}, ways...), walks...), writes...)

// TestStreamIsMemory passes over all items in each way through each reader.
func TestStreamIsMemory(t *testing.T) {
	for _, o := range []cbor.Options{{}, rebuildOptions, {CopyBytes: true, AliasText: true, InvalidUTF8: cbor.AllowInvalidUTF8}} {
		for _, tt := range streamItems {
			checkStream(t, o, tt.name, unhex(t, tt.hex), allWays, 1)
		}
		for _, tt := range longItems {
			checkStream(t, o, tt.name, tt.data, allWays, 1<<12)
		}
	}
}

// checkStream compares the readers of at least the given size with memory.
func checkStream(t *testing.T, o cbor.Options, name string, data []byte, ways []way, size int) {
	t.Helper()
	for _, w := range ways {
		want := trace(o.NewDecoderBytes(data), w)
		for piece, reader := range pieces {
			r := reader(data).(*sizedReader)
			if r.size < size || r.size > len(data) && r.size != 1<<30 {
				continue
			}
			got := trace(o.NewDecoder(r), w)
			sameTrace(t, fmt.Sprintf("%s, %s, %s", name, w.name, piece), want, got)
		}
	}
}

// TestRebuild walks by PeekKind through each reader.
func TestRebuild(t *testing.T) {
	for _, tt := range streamItems {
		data := unhex(t, tt.hex)
		want := trace(rebuildOptions.NewDecoderBytes(data), ways[0])
		for piece, reader := range pieces {
			d := rebuildOptions.NewDecoder(reader(data))
			for i, s := range want {
				v, err := rebuild(d)
				if s.Err != "" {
					if err == nil && !strings.Contains(s.Err, "duplicate") {
						t.Errorf("%s, %s: item %d: no error, want %s", tt.name, piece, i, s.Err)
					}
					break
				}
				if diff := diffValues(s.Value, v, exact); err != nil || diff != "" || d.InputOffset() != s.Off {
					t.Errorf("%s, %s: item %d: %v, offset %d, want %d:\n%s", tt.name, piece, i, err, d.InputOffset(), s.Off, diff)
					break
				}
			}
		}
	}
}

func TestVectorsFromStreams(t *testing.T) {
	n := 0
	for file, vectors := range readVectors(t) {
		for _, v := range vectors {
			if v.Expect == "malformed" || len(v.data) > 512 {
				continue
			}
			n++
			checkStream(t, cbor.Options{}, file+" "+v.Name, v.data, allWays, 1)
		}
	}
	if n < 1000 {
		t.Errorf("%d vectors, want 1000 or more", n)
	}
}

// TestTemporaryErrors has the reader fail once, at each position.
func TestTemporaryErrors(t *testing.T) {
	for _, tt := range streamItems {
		data := unhex(t, tt.hex)
		for _, w := range append(append([]way{}, ways...), walks...) {
			want := trace(cbor.NewDecoderBytes(data), w)
			for at := range len(data) + 1 {
				for _, size := range []int{1, 1 << 20} {
					r := &stumblingReader{data: data, size: size, at: at, with: at%2 == 0 && at > 0}
					what := fmt.Sprintf("%s, %s, an error at %d of %d", tt.name, w.name, at, len(data))
					sameTrace(t, what, want, trace(cbor.NewDecoder(r), w))
				}
			}
		}
	}
}

// TestOtherCallAfterError makes another call than the one that met an error of
// the reader: it has the same item, or the next one where the item was left.
func TestOtherCallAfterError(t *testing.T) {
	for _, tt := range streamItems {
		data := unhex(t, tt.hex)
		for at := 0; at < len(data); at += 3 {
			checkOtherCall(t, tt.name, data, at)
		}
	}
	for _, tt := range longItems {
		t.Run(tt.name, func(t *testing.T) {
			for _, at := range []int{1, 100, 16384, 16385, 20000, 32768, 32769, 39999} {
				if at < len(tt.data) {
					checkOtherCall(t, tt.name, tt.data, at)
				}
			}
		})
	}
}

func checkOtherCall(t *testing.T, name string, data []byte, at int) {
	t.Helper()
	for _, first := range append(append([]way{}, ways...), writes...) {
		for _, then := range append(append([]way{}, ways...), walks...) {
			d := cbor.NewDecoder(&stumblingReader{data: data, size: 1 << 20, at: at})
			mem := cbor.NewDecoderBytes(data)
			start, err := stumble(d, mem, first)
			if err != errFlaky {
				continue // the fault of an item came before that of the reader
			}
			if !first.back && d.InputOffset() > start && (first.name != "Skip" || then.name != "Skip") {
				mem.Skip()
			}
			what := fmt.Sprintf("%s: %s, an error at %d of %d, %s", name, first.name, at, len(data), then.name)
			sameTrace(t, what, trace(mem, then), trace(d, then))
			if t.Failed() {
				return
			}
		}
	}
}

// stumble passes over items until an error of the reader, or another that ends
// d, and returns the offset of the item that met it. Mem follows to that item.
func stumble(d, mem *cbor.Decoder, w way) (start int64, err error) {
	for {
		start = d.InputOffset()
		_, err = w.pass(d)
		if err == io.EOF || err == errFlaky || final(err) {
			return start, err
		}
		mem.Skip()
	}
}

// TestCutOff takes each proper prefix of items that are whole.
func TestCutOff(t *testing.T) {
	for _, tt := range appendixA {
		data := unhex(t, tt.hex)
		for n := 1; n < len(data); n++ {
			for _, w := range allWays {
				want := trace(cbor.NewDecoderBytes(data[:n]), w)
				last := want[len(want)-1]
				if !strings.Contains(last.Err, io.ErrUnexpectedEOF.Error()) {
					t.Errorf("%x, %s: from memory %v, want %v", data[:n], w.name, last, io.ErrUnexpectedEOF)
				}
				for piece, reader := range pieces {
					d := cbor.NewDecoder(reader(data[:n]))
					sameTrace(t, fmt.Sprintf("%x, %s, %s", data[:n], w.name, piece), want, trace(d, w))
					if _, err := d.PeekKind(); !errors.Is(err, io.ErrUnexpectedEOF) {
						t.Errorf("%x, %s, %s: then %v, want %v", data[:n], w.name, piece, err, io.ErrUnexpectedEOF)
					}
				}
			}
		}
	}
}

// TestPromptEverywhere has all bytes of an item and no more: a call that asks
// for another byte fails the test.
func TestPromptEverywhere(t *testing.T) {
	for _, tt := range readTests {
		item := unhex(t, tt.hex)
		for _, size := range []int{1, 1 << 10} {
			for _, w := range append(append([]way{}, ways...), writes...) {
				d := cbor.NewDecoder(noMore(t, w.name+" of "+tt.hex, item, size))
				if _, err := w.pass(d); err != nil {
					t.Errorf("%s of %s: %v", w.name, tt.hex, err)
				}
			}
			for name := range tt.want {
				d := cbor.NewDecoder(noMore(t, name+" of "+tt.hex, item, size))
				reads[name](d)
			}
			d := cbor.NewDecoder(noMore(t, "rebuild "+tt.hex, item, size))
			rebuild(d)
		}
	}
}

// noMore returns a reader of data that fails the test behind it.
func noMore(t *testing.T, what string, data []byte, size int) io.Reader {
	return io.MultiReader(&sizedReader{data: data, size: size}, readerFunc(func([]byte) (int, error) {
		t.Errorf("%s: read more than the item needs", what)
		return 0, io.EOF
	}))
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestDeadlinesInside has a deadline expire inside a head, a string, an array
// and a chunk, while each method is at work, on real connections.
func TestDeadlinesInside(t *testing.T) {
	for _, cut := range []struct{ before, after string }{
		{"\x1b\x00\x00", "\x00\x01\x00\x00\x00\x00"},
		{"\x65he", "llo"},
		{"\x83\x01\x02", "\x03"},
		{"\x5f\x42a", "b\x41c\xff"},
		{"\x5f\x42ab", "\x41c\xff"},
		{"\xa1\x19", "\x01\x00\x02"},
		{"", "\x01"},
	} {
		for name, pair := range connections {
			for _, w := range append(append([]way{}, ways...), walks...) {
				server, client := pair(t)
				expired := make(chan bool)
				go func() {
					io.WriteString(server, cut.before)
					<-expired
					io.WriteString(server, cut.after+"\x07")
					server.Close()
				}()
				client.SetReadDeadline(time.Now().Add(3 * time.Millisecond))
				waits := 0
				r := readerFunc(func(p []byte) (int, error) {
					n, err := client.Read(p)
					if errors.Is(err, os.ErrDeadlineExceeded) {
						waits++
						client.SetReadDeadline(time.Time{})
						close(expired)
						err = errFlaky
					}
					return n, err
				})
				what := fmt.Sprintf("%s, %s of %x|%x", name, w.name, cut.before, cut.after)
				want := trace(cbor.NewDecoderBytes([]byte(cut.before+cut.after+"\x07")), w)
				sameTrace(t, what, want, trace(cbor.NewDecoder(r), w))
				if waits != 1 {
					t.Errorf("%s: %d deadlines", what, waits)
				}
				client.Close()
			}
		}
	}
}

// TestEmptyReads checks how often a reader may return nothing in a row.
func TestEmptyReads(t *testing.T) {
	data := []byte("\x82\x01\x19\x01\x00")
	for at := range len(data) {
		empty := 0
		pos := 0
		d := cbor.NewDecoder(readerFunc(func(p []byte) (int, error) {
			if pos == at && empty > 0 {
				empty--
				return 0, nil
			}
			if pos == len(data) {
				return 0, io.EOF
			}
			p[0] = data[pos]
			pos++
			return 1, nil
		}))
		empty = 1000
		_, err := d.ReadValue()
		wantErr(t, fmt.Sprintf("1000 empty reads at %d", at), err, io.ErrNoProgress)
		empty = 50
		if v, err := d.ReadValue(); fmt.Sprint(v) != "[1 256]" || err != nil {
			t.Errorf("50 empty reads at %d: %v, %v", at, v, err)
		}
	}
}

// TestEndAgain reads again behind io.EOF.
func TestEndAgain(t *testing.T) {
	var b bytes.Buffer
	d := cbor.NewDecoder(&b)
	for i := range 3 {
		_, err := d.ReadValue()
		if err != io.EOF || d.More() {
			t.Errorf("with nothing there: %v", err)
		}
		b.WriteString("\x82\x01\x02")
		if v, err := d.ReadValue(); fmt.Sprint(v) != "[1 2]" || err != nil || d.InputOffset() != int64(3*i+3) {
			t.Errorf("item %d: %v, %v, offset %d", i, v, err, d.InputOffset())
		}
	}
}

// TestLinear counts how often items are parsed, by a TagFunc in each.
func TestLinear(t *testing.T) {
	for _, n := range []int{20_000, 40_000, 80_000} {
		calls := 0
		o := cbor.Options{Tags: map[uint64]cbor.TagFunc{6: func(c any) (any, error) { calls++; return c, nil }}}
		data := append([]byte{0x9a, 0, byte(n >> 16), byte(n >> 8), byte(n)}, bytes.Repeat([]byte{0xc6, 0x18, 0x2a}, n)...)
		for _, size := range []int{1, 2, 7, 1448, 4097} {
			calls = 0
			if _, err := o.NewDecoder(&sizedReader{data: data, size: size}).ReadValue(); err != nil || calls != n {
				t.Errorf("%d items, %d bytes a read: %d calls, %v", n, size, calls, err)
			}
		}
		calls = 0
		d := o.NewDecoder(&stumblingReader{data: data, size: 1448, at: len(data) - 1})
		again(func() error { _, err := d.ReadValue(); return err })
		if calls > 2*n {
			t.Errorf("%d items, one error: %d calls", n, calls)
		}
	}
}

// TestSplitText cuts characters between reads and between chunks.
func TestSplitText(t *testing.T) {
	const s = "aü水𐅑b水ü𐅑"
	one := append([]byte{0x78, byte(len(s))}, s...)
	for piece, reader := range pieces {
		for _, way := range walks[1:3] {
			got, err := way.pass(cbor.NewDecoder(reader(one)))
			if got != s || err != nil {
				t.Errorf("%s, %s: %q, %v", way.name, piece, got, err)
			}
		}
		for cut := range len(s) + 1 {
			data := []byte("\x7f\x78" + string(byte2(cut)) + s[:cut] + "\x78" + string(byte2(len(s)-cut)) + s[cut:] + "\xff")
			whole := strings.ToValidUTF8(s[:cut], "") == s[:cut] && strings.ToValidUTF8(s[cut:], "") == s[cut:]
			for _, way := range []way{walks[1], walks[2], {"ReadText", reads["ReadText"], true}, ways[0]} {
				got, err := way.pass(cbor.NewDecoder(reader(data)))
				switch e := (*cbor.DecodeError)(nil); {
				case whole && (got != s || err != nil):
					t.Errorf("%s, %s, chunks cut at %d: %q, %v", way.name, piece, cut, got, err)
				case !whole && (!errors.Is(err, cbor.ErrInvalidUTF8) || !errors.As(err, &e) || e.Offset != 1):
					t.Errorf("%s, %s, chunks cut at %d: %q, %v, want ErrInvalidUTF8 at 1", way.name, piece, cut, got, err)
				}
			}
		}
	}
}

func byte2(n int) []byte { return []byte{byte(n)} }

// TestParallel has many Decoders at work at once, for the race detector.
func TestParallel(t *testing.T) {
	o := cbor.Options{Maps: cbor.MapOrdered}
	var all []byte
	for _, tt := range appendixA {
		all = append(all, unhex(t, tt.hex)...)
	}
	want := trace(o.NewDecoderBytes(all), ways[0])
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			var d *cbor.Decoder
			for j := range 20 {
				r := &sizedReader{data: all, size: 1 + i*j}
				if d == nil {
					d = o.NewDecoder(r)
				} else {
					d.Reset(r)
				}
				sameTrace(t, "in parallel", want, trace(d, ways[0]))
			}
		})
	}
	wg.Wait()
}
