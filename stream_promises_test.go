package cbor_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/streamcbor/cbor"
)

// A repeatReader gives head, then n bytes c, then tail.
type repeatReader struct {
	head, tail string
	n          int64
	c          byte
}

func (r *repeatReader) Read(p []byte) (int, error) {
	switch {
	case r.head != "":
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	case r.n > 0:
		p = p[:min(int64(len(p)), r.n)]
		for i := range p {
			p[i] = r.c
		}
		r.n -= int64(len(p))
		return len(p), nil
	case r.tail != "":
		n := copy(p, r.tail)
		r.tail = r.tail[n:]
		return n, nil
	}
	return 0, io.EOF
}

// A promptReader gives its pieces one by one and fails the test when it is
// asked for more than the test allows.
type promptReader struct {
	t      *testing.T
	pieces []string
	may    int
}

func (r *promptReader) Read(p []byte) (int, error) {
	if r.may == 0 {
		r.t.Fatal("read more than the item needs")
	}
	r.may--
	n := copy(p, r.pieces[0])
	r.pieces = r.pieces[1:]
	return n, nil
}

func TestPrompt(t *testing.T) {
	r := &promptReader{t: t, pieces: []string{"\x01\x02\x83", "\x01\x02", "\x61a\x5f\x41", "b\xff\xbf\x01\x02\xff"}}
	d := cbor.NewDecoder(r)
	for _, step := range []struct {
		reads int
		want  string
	}{{1, "1"}, {0, "2"}, {2, "[1 2 a]"}, {1, "[98]"}, {0, "map[1:2]"}} {
		r.may = step.reads
		v, err := d.ReadValue()
		if got := fmt.Sprint(v); err != nil || got != step.want {
			t.Fatalf("ReadValue() = %v, %v, want %s", got, err, step.want)
		}
	}
}

// TestDeadlines cuts items into pieces and has the deadline expire between any
// two of them.
func TestDeadlines(t *testing.T) {
	const item = "\xa2\x63key\x9f\x19\x01\x00\x5f\x42ab\x41c\xff\xff\x02\xfb\x3f\xf8\x00\x00\x00\x00\x00\x00"
	const want = `{"key": [_ 256, (_ h'6162', h'63')], 2: 1.5}`
	for name, pipe := range map[string]func(*testing.T) (net.Conn, net.Conn){"pipe": pipePair, "tcp": tcpPair} {
		t.Run(name, func(t *testing.T) {
			for cut := range len(item) {
				server, client := pipe(t)
				step := make(chan bool)
				go func() {
					io.WriteString(server, item[:cut])
					<-step
					io.WriteString(server, item[cut:]+item)
					server.Close()
				}()
				d := cbor.NewDecoder(client)
				client.SetReadDeadline(time.Now().Add(2 * time.Millisecond))
				if _, err := d.ReadValue(); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatalf("cut at %d: error %v, want that of the deadline", cut, err)
				}
				client.SetReadDeadline(time.Time{})
				close(step)
				for range 2 {
					raw, err := d.ReadRaw()
					if err != nil {
						t.Fatalf("cut at %d: %v", cut, err)
					}
					if got, _ := cbor.Diagnose(raw); got != want {
						t.Fatalf("cut at %d: %s, want %s", cut, got, want)
					}
				}
				if _, err := d.ReadValue(); err != io.EOF {
					t.Fatalf("at the end: %v, want io.EOF", err)
				}
				client.Close()
			}
		})
	}
}

func pipePair(t *testing.T) (net.Conn, net.Conn) { return net.Pipe() }

func tcpPair(t *testing.T) (server, client net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no TCP here: %v", err)
	}
	defer l.Close()
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			close(accepted)
			return
		}
		accepted <- c
	}()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	return <-accepted, client
}

// TestStreamMemory checks what strings from a stream allocate.
func TestStreamMemory(t *testing.T) {
	const mib = 1 << 20
	t.Run("64 MiB", func(t *testing.T) {
		got := allocated(func() {
			d := cbor.NewDecoder(&repeatReader{head: "\x5a\x04\x00\x00\x00", n: 64 * mib})
			if s, err := d.ReadBytes(); err != nil || len(s) != 64*mib {
				t.Fatalf("%d bytes, %v", len(s), err)
			}
		})
		if got > 96*mib {
			t.Errorf("allocated %d bytes", got)
		}
	})
	t.Run("64 MiB of text", func(t *testing.T) {
		got := allocated(func() {
			d := cbor.NewDecoder(&repeatReader{head: "\x7a\x04\x00\x00\x00", n: 64 * mib, c: 'x'})
			if s, err := d.ReadText(); err != nil || len(s) != 64*mib {
				t.Fatalf("%d bytes, %v", len(s), err)
			}
		})
		if got > 96*mib {
			t.Errorf("allocated %d bytes", got)
		}
	})
	for _, k := range []int64{0, 1, 100, 5000, 16 << 10, 100_000, mib, 3*mib + 17} {
		got := allocated(func() {
			d := cbor.NewDecoder(&repeatReader{head: "\x5b\x00\x00\x01\x00\x00\x00\x00\x00", n: k})
			if _, err := d.ReadBytes(); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("error %v", err)
			}
		})
		if limit := uint64(64<<10 + 16*k); got > limit {
			t.Errorf("a claim of 2^40 bytes with %d sent allocated %d bytes, more than %d", k, got, limit)
		}
	}
	t.Run("1 GiB in pieces", func(t *testing.T) {
		n := int64(1 << 30)
		if testing.Short() {
			n = 1 << 26
		}
		head := fmt.Sprintf("\x7b%s", be64(n))
		got := allocated(func() {
			d := cbor.NewDecoder(&repeatReader{head: head, n: n, c: 'x', tail: "\x07"})
			r, err := d.BytesReader()
			if err != nil {
				t.Fatal(err)
			}
			if m, err := io.Copy(io.Discard, r); m != n || err != nil {
				t.Fatalf("%d bytes, %v", m, err)
			}
			if v, err := d.ReadInt64(); v != 7 || err != nil {
				t.Fatalf("behind the string: %d, %v", v, err)
			}
			d.Reset(&repeatReader{head: head, n: n, c: 'x', tail: "\x07"})
			m := int64(0)
			for p, err := range d.Chunks() {
				if err != nil {
					t.Fatal(err)
				}
				if m += int64(len(p)); m > n/2 {
					break
				}
			}
			if v, err := d.ReadInt64(); v != 7 || err != nil {
				t.Fatalf("behind the string: %d, %v", v, err)
			}
		})
		if got > 256<<10 {
			t.Errorf("allocated %d bytes", got)
		}
	})
}

func be64(n int64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(n >> (56 - 8*i))
	}
	return b
}

// TestStableMemory keeps what a Decoder returned and looks at it at the end.
func TestStableMemory(t *testing.T) {
	var in bytes.Buffer
	var want []string
	for i := range 20_000 {
		s := strings.Repeat(string(rune('a'+i%26)), i%300)
		want = append(want, s)
		in.WriteByte(0x59 + byte(i%2)*0x20) // byte and text strings in turn
		in.Write([]byte{byte(len(s) >> 8), byte(len(s))})
		in.WriteString(s)
	}
	for _, r := range readers {
		d := cbor.Options{AliasText: true}.NewDecoder(r.wrap(bytes.NewReader(in.Bytes())))
		var got []any
		for len(got) < len(want) {
			var v any
			err := again(func() (err error) {
				switch i := len(got); i % 6 {
				case 0, 1:
					v, err = d.ReadValue()
				case 2:
					v, err = d.ReadBytes()
				case 3:
					v, err = d.ReadTextBytes()
				case 4:
					v, err = d.ReadBytes()
					d.Buffered()
				default:
					v, err = d.ReadRaw()
				}
				return err
			})
			if err != nil {
				t.Fatalf("%s: item %d: %v", r.name, len(got), err)
			}
			got = append(got, v)
		}
		for i, v := range got {
			s, ok := v.(string)
			switch v := v.(type) {
			case []byte:
				s, ok = string(v), true
			case cbor.RawMessage:
				s, ok = string(v[3:]), true
			}
			if !ok || s != want[i] {
				t.Fatalf("%s: item %d changed", r.name, i)
			}
		}
	}
}

// TestRetainedBlocks checks that small byte strings keep no more than a block
// of 16 KiB alive each.
func TestRetainedBlocks(t *testing.T) {
	const n = 200
	item := append([]byte{0x82, 0x41, 'x', 0x5a, 0, 1, 0, 0}, make([]byte, 1<<16)...)
	d := cbor.NewDecoder(bytes.NewReader(bytes.Repeat(item, n)))
	before := liveHeap()
	var kept [][]byte
	for range n {
		v, err := d.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, v.([]any)[0].([]byte))
	}
	if live := liveHeap() - before; live > n*18<<10+1<<20 {
		t.Errorf("%d small byte strings keep %d bytes alive", n, live)
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(d)
}

func liveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestPullAllocs(t *testing.T) {
	const n = 2_000_000
	in := bytes.Repeat([]byte{0x19, 0x12, 0x34}, n)
	head := []byte{0x9a, byte(n >> 24), byte(n >> 16 & 0xff), byte(n >> 8 & 0xff), byte(n & 0xff)}
	for _, nested := range []bool{false, true} {
		r := io.Reader(bytes.NewReader(in))
		if nested {
			r = io.MultiReader(bytes.NewReader(head), r)
		}
		sum := int64(0)
		got := allocated(func() {
			d := cbor.NewDecoder(r)
			if nested {
				for _, err := range d.Array() {
					v, err2 := d.ReadInt64()
					if err != nil || err2 != nil {
						t.Fatal(err, err2)
					}
					sum += v
				}
				return
			}
			for {
				v, err := d.ReadInt64()
				if err == io.EOF {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				sum += v
			}
		})
		if sum != n*0x1234 {
			t.Errorf("sum %d", sum)
		}
		if got > 32<<10 {
			t.Errorf("nested %v: allocated %d bytes", nested, got)
		}
	}
}
