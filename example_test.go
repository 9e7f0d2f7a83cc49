package cbor_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net/netip"

	"github.com/streamcbor/cbor"
)

// fromHex returns the bytes of an example.
func fromHex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		log.Fatal(err)
	}
	return b
}

func ExampleDecode() {
	// {"sensor": "t0", "at": 1(1774746000), "raw": h'00ff'}
	data := fromHex("a36673656e736f72627430626174c11a69c87990637261774200ff")
	v, err := cbor.Decode(data)
	if err != nil {
		log.Fatal(err)
	}
	m := v.(map[string]any)
	fmt.Printf("%T %[1]v\n", m["sensor"])
	fmt.Printf("%T %[1]v\n", m["at"])
	fmt.Printf("%T %[1]v\n", m["raw"])
	// Output:
	// string t0
	// time.Time 2026-03-29 01:00:00 +0000 UTC
	// []uint8 [0 255]
}

// Byte strings alias the input: they cost no copy, and show later changes.
func ExampleDecode_memory() {
	data := fromHex("43010203") // h'010203'
	v, _ := cbor.Decode(data)
	c, _ := cbor.Options{CopyBytes: true}.Decode(data)
	data[1] = 9
	fmt.Println(v, c)
	// Output: [9 2 3] [1 2 3]
}

func ExampleDecodeFirst() {
	v, rest, err := cbor.DecodeFirst(fromHex("820102" + "6161"))
	fmt.Println(v, len(rest), err)
	// Output: [1 2] 2 <nil>
}

func ExampleDecodeSequence() {
	for v, err := range cbor.DecodeSequence(fromHex("01" + "626f6b" + "8102" + "82")) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(v)
	}
	// Output:
	// 1
	// ok
	// [2]
	// cbor: offset 7, /0: unexpected EOF
}

func ExampleWellformed() {
	fmt.Println(cbor.Wellformed(fromHex("8201f6")))
	fmt.Println(cbor.Wellformed(fromHex("8201ff")))
	// Output:
	// <nil>
	// cbor: offset 2: not well-formed: break outside an indefinite-length item, or after a map key
}

func ExampleDiagnose() {
	s, err := cbor.Diagnose(fromHex("bf6161c249010000000000000000" + "62c3bc5f41014102ffff" + "f6"))
	fmt.Println(s, err)
	// Output:
	// {_ "a": 18446744073709551616, "ü": (_ h'01', h'02')}
	// null <nil>
}

// The order of a map is kept in a Map.
func ExampleOptions() {
	o := cbor.Options{
		MaxDepth: 16,
		Maps:     cbor.MapOrdered,
	}
	v, err := o.Decode(fromHex("a2617a01616102")) // {"z": 1, "a": 2}
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range v.(cbor.Map) {
		fmt.Println(e.Key, e.Value)
	}
	// Output:
	// z 1
	// a 2
}

// A TagFunc gives a tag a meaning: here tag 52, an IPv4 address (RFC 9164).
func ExampleOptions_tags() {
	o := cbor.Options{Tags: map[uint64]cbor.TagFunc{
		52: func(content any) (any, error) {
			b, ok := content.([]byte)
			if !ok || len(b) != 4 {
				return nil, errors.New("an address has four bytes")
			}
			return netip.AddrFrom4([4]byte(b)), nil
		},
	}}
	fmt.Println(o.Decode(fromHex("d83444c0000201")))
	fmt.Println(o.Decode(fromHex("d83443c00002")))
	// Output:
	// 192.0.2.1 <nil>
	// <nil> cbor: offset 0: invalid content of tag 52: an address has four bytes
}

// A map with an array as a key cannot be a map of Go.
func ExampleMap_Get() {
	v, err := cbor.Decode(fromHex("a3820102f5" + "07626f6b" + "420102f4")) // {[1, 2]: true, 7: "ok", h'0102': false}
	if err != nil {
		log.Fatal(err)
	}
	m := v.(cbor.Map)
	fmt.Println(m.Get(7))
	fmt.Println(m.Get([]byte{1, 2}))
	fmt.Println(m.Get("7"))
	fmt.Println(m[0].Key)
	// Output:
	// ok true
	// false true
	// <nil> false
	// [1 2]
}

func ExampleDecodeError() {
	_, err := cbor.Decode(fromHex("a16161820062ff00")) // {"a": [0, a text string that is not UTF-8]}
	var e *cbor.DecodeError
	if errors.As(err, &e) {
		fmt.Println(e.Offset, e.Path, errors.Is(err, cbor.ErrInvalidUTF8))
	}
	_, err = cbor.Decode(fromHex("a1616182"))
	fmt.Println(errors.Is(err, io.ErrUnexpectedEOF), err)
	_, err = cbor.Decode(nil)
	fmt.Println(err == io.EOF)
	// Output:
	// 5 /a/1 true
	// true cbor: offset 4, /a/0: unexpected EOF
	// true
}
