// Gen writes the CBOR sequence readings.cborseq, which stands for the log of a
// few sensors. Each of its items is there for something that decoders meet:
//
//   - a header with times in both tags, 0 and 1
//   - readings: maps with text keys, byte strings, floats of each width and times
//     with fractions
//   - counters that need tags 2 and 3, and the integers next to them
//   - a record with integer keys, as small devices send it
//   - nested arrays and maps, with null, undefined and a simple value
//   - a record of indefinite length throughout, with strings in chunks
//   - unknown tags, nested
//
// It is written by hand, head by head, so that the file holds forms which an
// encoder would not choose. The output is the same on every run.
//
//	go run ./testdata/gen testdata/readings.cborseq
package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
)

// Initial bytes: the major type in the three high bits (RFC 8949, section 3.1).
const (
	uintMajor  = 0 << 5
	negMajor   = 1 << 5
	bytesMajor = 2 << 5
	textMajor  = 3 << 5
	arrayMajor = 4 << 5
	mapMajor   = 5 << 5
	tagMajor   = 6 << 5

	indefinite = 31 // beside a major type
	stop       = 0xff

	null      = 0xf6
	undefined = 0xf7
	yes       = 0xf5
	no        = 0xf4
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], sequence(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func sequence() []byte {
	var b []byte
	b = header(b)
	for i := range 3 {
		b = reading(b, i)
	}
	b = counters(b)
	b = device(b)
	b = nested(b)
	b = streamed(b)
	return tagged(b)
}

// header begins the log: who wrote it, and from when to when.
func header(b []byte) []byte {
	b = head(b, mapMajor, 4)
	b = text(text(b, "station"), "Großer Arber, 1455 m")
	b = text(head(text(b, "from"), tagMajor, 0), "2026-03-29T01:59:59.5+01:00")
	b = head(head(text(b, "to"), tagMajor, 1), uintMajor, 1774746000)
	return octets(text(b, "id"), 0xde, 0xad, 0xbe, 0xef, 0x00, 0x01)
}

// reading is one measurement. The floats take 2, 4 and 8 bytes in turn.
func reading(b []byte, i int) []byte {
	at := 1774746000.25 + float64(i)
	b = head(b, mapMajor, 5)
	b = float64At(head(text(b, "at"), tagMajor, 1), at)
	b = text(text(b, "sensor"), fmt.Sprintf("t%d", i))
	b = text(b, "celsius")
	switch i {
	case 0:
		b = append(b, 0xf9, 0xc4, 0x40) // -4.25
	case 1:
		b = append(b, 0xfa)
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(-4.3125))
	default:
		b = float64At(b, -4.4)
	}
	b = append(text(b, "ok"), yes)
	return octets(text(b, "raw"), byte(i), 0xff, 0x7f, 0x80)
}

// counters holds integers around the edges of 64 bits.
func counters(b []byte) []byte {
	b = head(b, arrayMajor, 7)
	b = head(b, uintMajor, math.MaxInt64)
	b = head(b, uintMajor, math.MaxUint64)
	b = octets(head(b, tagMajor, 2), 1, 0, 0, 0, 0, 0, 0, 0, 0) // 2^64
	b = head(b, negMajor, math.MaxInt64)                        // -2^63
	b = head(b, negMajor, math.MaxUint64)                       // -2^64
	b = octets(head(b, tagMajor, 3), 1, 0, 0, 0, 0, 0, 0, 0, 0) // -2^64 - 1
	return append(b, 0x18, 0x07)                                // 7, in a byte more than it needs
}

// device is a record with integer keys, one of them negative.
func device(b []byte) []byte {
	b = head(b, mapMajor, 3)
	b = text(head(b, uintMajor, 1), "pump")
	b = head(head(b, uintMajor, 2), negMajor, 41) // -42
	b = head(head(b, negMajor, 0), arrayMajor, 2) // key -1
	return head(append(b, no), uintMajor, 70000)
}

// nested has containers in containers, some of them empty.
func nested(b []byte) []byte {
	b = head(b, arrayMajor, 3)
	b = head(b, mapMajor, 2)
	b = head(text(b, "grid"), arrayMajor, 2)
	b = head(head(head(b, arrayMajor, 2), uintMajor, 1), uintMajor, 2)
	b = head(b, arrayMajor, 0)
	b = head(text(b, "none"), mapMajor, 0)
	b = head(b, arrayMajor, 4)
	b = append(b, null, undefined, 0xf0, 0xf8, 0xff) // simple values 16 and 255
	return append(b, 0xf9, 0x7e, 0x00)               // NaN
}

// streamed is a record that a device sent before it knew any length.
func streamed(b []byte) []byte {
	b = append(b, mapMajor|indefinite)
	b = append(text(b, "note"), textMajor|indefinite)
	b = text(text(b, "frost "), "on the mast\n")
	b = append(b, stop)
	b = append(text(b, "trace"), bytesMajor|indefinite)
	b = octets(octets(b, 1, 2, 3), 4, 5)
	b = append(b, stop)
	b = append(text(b, "samples"), arrayMajor|indefinite)
	for _, n := range []uint64{0, 23, 24, 255, 256, 65535, 65536} {
		b = head(b, uintMajor, n)
	}
	return append(b, stop, stop)
}

// tagged is self-described and has tags without a built-in meaning.
func tagged(b []byte) []byte {
	b = head(head(b, tagMajor, 55799), arrayMajor, 3)
	b = octets(head(b, tagMajor, 37), 0x0b, 0x0e, 0x5f, 0x1a, 0x4c, 0x3d, 0x4e, 0x7f, // a UUID
		0x9a, 0x01, 0x5b, 0x6c, 0x7d, 0x8e, 0x9f, 0x10)
	b = text(head(b, tagMajor, 32), "https://example.org/stations/7?a=1&b=2")
	b = head(head(b, tagMajor, 1001), mapMajor, 1) // RFC 9581: extended time
	return head(head(b, uintMajor, 1), uintMajor, 1774746000)
}

// head appends a head with its argument in as few bytes as it takes.
func head(b []byte, major byte, arg uint64) []byte {
	switch {
	case arg < 24:
		return append(b, major|byte(arg))
	case arg <= math.MaxUint8:
		return append(b, major|24, byte(arg))
	case arg <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, major|25), uint16(arg))
	case arg <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, major|26), uint32(arg))
	default:
		return binary.BigEndian.AppendUint64(append(b, major|27), arg)
	}
}

func text(b []byte, s string) []byte { return append(head(b, textMajor, uint64(len(s))), s...) }

func octets(b []byte, s ...byte) []byte { return append(head(b, bytesMajor, uint64(len(s))), s...) }

func float64At(b []byte, f float64) []byte {
	return binary.BigEndian.AppendUint64(append(b, 0xfb), math.Float64bits(f))
}
