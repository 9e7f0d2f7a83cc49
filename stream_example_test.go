package cbor_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/streamcbor/cbor"
)

// Items that arrive on a TCP connection are ranged over as they come.
func ExampleItems() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		conn.Write([]byte("\xa2\x64name\x65north\x65value\x15"))
		conn.Write([]byte("\xa2\x64name\x65south\x65value\x18\x1a"))
	}()

	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	type reading struct {
		Name  string `cbor:"name"`
		Value int    `cbor:"value"`
	}
	for r, err := range cbor.Items[reading](cbor.NewDecoder(conn)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Name, r.Value)
	}
	// Output:
	// north 21
	// south 26
}

// The body of an HTTP response of type application/cbor-seq is a stream too.
func ExampleDecoder_ReadValue() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/cbor-seq")
		w.Write([]byte("\x01\x82\x02\x03\x65hello"))
	}))
	defer server.Close()

	resp, err := http.Get(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	d := cbor.Options{MaxItemBytes: 1 << 20}.NewDecoder(resp.Body)
	for {
		v, err := d.ReadValue()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(v)
	}
	// Output:
	// 1
	// [2 3]
	// hello
}

// A deadline that expires loses nothing: the next call goes on with the item.
func ExampleDecoder_ReadValue_deadline() {
	client, server := net.Pipe()
	d := cbor.NewDecoder(client)
	go func() {
		server.Write([]byte("\x83\x01\x02")) // two of three elements
		time.Sleep(50 * time.Millisecond)
		server.Write([]byte("\x03"))
	}()
	client.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_, err := d.ReadValue()
	fmt.Println(err)
	client.SetReadDeadline(time.Time{})
	v, err := d.ReadValue()
	fmt.Println(v, err)
	// Output:
	// read pipe: i/o timeout
	// [1 2 3] <nil>
}

// An array that is larger than memory is summed element by element.
func ExampleDecoder_Array() {
	array := append([]byte{0x9a, 0x00, 0x0f, 0x42, 0x40}, bytes.Repeat([]byte{0x18, 0x2a}, 1_000_000)...)
	d := cbor.NewDecoder(bytes.NewReader(array))
	sum := int64(0)
	for _, err := range d.Array() {
		if err != nil {
			log.Fatal(err)
		}
		n, err := d.ReadInt64()
		if err != nil {
			log.Fatal(err)
		}
		sum += n
	}
	fmt.Println(sum)
	// Output: 42000000
}

// A long byte string goes to a file and is never held whole.
func ExampleDecoder_BytesReader() {
	item := append([]byte{0x5a, 0x00, 0x10, 0x00, 0x00}, make([]byte, 1<<20)...)
	d := cbor.NewDecoder(bytes.NewReader(item))

	f, err := os.Create(filepath.Join(os.TempDir(), "cbor-example"))
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	r, err := d.BytesReader()
	if err != nil {
		log.Fatal(err)
	}
	n, err := io.Copy(f, r)
	fmt.Println(n, err)
	// Output: 1048576 <nil>
}

// One value of a map is read and the others are passed over.
func ExampleDecoder_Map() {
	data := []byte("\xa3\x64name\x65north\x64data\x43abc\x65count\x18\x2a")
	d := cbor.NewDecoderBytes(data)
	for _, err := range d.Map() {
		if err != nil {
			log.Fatal(err)
		}
		key, err := d.ReadTextBytes()
		if err != nil {
			log.Fatal(err)
		}
		if string(key) == "count" {
			fmt.Println(d.ReadInt64())
			break
		}
	}
	// Output: 42 <nil>
}

// The exact bytes of an inner item are what a signature or a hash is over.
func ExampleDecoder_ReadRaw() {
	data := []byte("\x82\xa1\x01\x18\x2a\x43sig") // [{1: 42}, h'736967']
	d := cbor.NewDecoderBytes(data)
	if _, err := d.ReadArrayHeader(); err != nil {
		log.Fatal(err)
	}
	payload, err := d.ReadRaw()
	if err != nil {
		log.Fatal(err)
	}
	signature, err := d.ReadBytes()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x %s %x\n", []byte(payload), signature, sha256.Sum256(payload))
	fmt.Println(d.ReadEnd())
	// Output:
	// a101182a sig e0264ae45063e871ff0877cfbb47806c9e4a7e39afc18b45bd41d2193d3aee03
	// <nil>
}

// Each piece of a string is valid until the next turn of the loop.
func ExampleDecoder_Chunks() {
	d := cbor.NewDecoderBytes([]byte("\x7f\x65strea\x64ming\xff"))
	for piece, err := range d.Chunks() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s\n", piece)
	}
	// Output:
	// strea
	// ming
}

// What was read from the connection and not consumed belongs to the protocol
// that takes it over.
func ExampleDecoder_Buffered() {
	d := cbor.NewDecoder(bytes.NewReader([]byte("\x63yes\r\nEHLO")))
	answer, err := d.ReadText()
	fmt.Printf("%s %v %q\n", answer, err, d.Buffered())
	// Output: yes <nil> "\r\nEHLO"
}

// A Decoder walks any item by its heads.
func ExampleDecoder_PeekKind() {
	d := cbor.NewDecoderBytes([]byte("\x9f\x01\x61a\xc1\x1a\x51\x4b\x67\xb0\xff"))
	if _, err := d.ReadArrayHeader(); err != nil {
		log.Fatal(err)
	}
	for d.More() {
		kind, err := d.PeekKind()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(kind)
		if err := d.Skip(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(d.ReadEnd())
	// Output:
	// unsigned integer
	// text string
	// tag
	// <nil>
}

func ExampleDecoder_WriteDiagnostic() {
	d := cbor.NewDecoderBytes([]byte("\x83\x01\x42\x01\x02\xf9\x3e\x00"))
	if err := d.WriteDiagnostic(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output: [1, h'0102', 1.5]
}

func ExampleDecoder_WriteAnnotated() {
	d := cbor.NewDecoderBytes([]byte("\x82\x18\x2a\x61a"))
	if err := d.WriteAnnotated(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 82                                      -- Array of length 2
	//    182A                                 -- 42
	//    61                                   -- Text string of length 1
	//       61                                -- "a"
}
