// Package cbor decodes CBOR, the Concise Binary Object Representation of RFC
// 8949, and CBOR sequences (RFC 8742), from memory and from streams. It has no
// encoder.
//
// One cursor walks the bytes once. In memory it has all bytes; on an
// [io.Reader] it asks for more when it runs short. All else is built on it, so
// that every path accepts and rejects the same inputs:
//
//   - [Decode], [DecodeFirst] and [DecodeSequence] build values of type any.
//   - [Unmarshal] and [Items] fill structs and other Go values.
//   - A [Decoder] reads whole items, or their heads one by one, from a stream
//     or from memory, and items that are larger than memory.
//   - [Wellformed], [Decoder.Skip] and [Decoder.ReadRaw] only walk.
//   - [Diagnose], [Decoder.WriteDiagnostic] and [Decoder.WriteAnnotated] show
//     what is there.
//
// Each function is also a method of [Options], whose zero value is what the
// functions use.
//
// # Values
//
// Decode returns these types:
//
//	CBOR                                  Go
//	unsigned, negative integer            int64 if it fits; above it uint64, below it *big.Int
//	byte string                           []byte
//	text string                           string
//	array                                 []any, never nil
//	map, every key a text string          map[string]any
//	map, other keys that Go can compare   map[any]any; a byte string as a key is a ByteString
//	map with any other key                Map
//	tag 0, 1                              time.Time
//	tag 2, 3                              *big.Int
//	tag 259                               map[any]any or Map
//	tag 55799                             its content
//	other tags                            Tag
//	float16, float32, float64             float64
//	false, true                           bool
//	null                                  nil
//	undefined, other simple values        Undefined, Simple
//
// Keys that Go cannot compare, or not look up, are arrays, maps, tags of any
// number, integers below int64, and NaN. A date and time of second 60, a leap
// second, is the start of the next minute. [Options] has other maps, tags of
// the user's own, and tags without a meaning.
//
// # Memory
//
// Byte strings of definite length are not copied: they alias the input as
// data[i:j:j], so that append cannot touch it. Later changes of the input show
// through, and one small slice that is retained keeps all of the input alive.
// CopyBytes gives byte strings memory of their own; AliasText makes text
// strings alias the input too, which then must never change again. The caller
// owns all else.
//
// Numbers and short strings of one item share blocks: retaining one of them
// keeps at most 16 KiB alive. From a stream, a byte string aliases a block of
// 16 KiB, or has memory of its own if it is longer. What a Decoder returned is
// never overwritten.
//
// # Errors
//
// Every error of the input is a [*DecodeError] with the offset of the first
// fault in reading order, and where values are built its place as a JSON
// Pointer. It wraps one of the categories [ErrMalformed], [ErrTrailingData],
// [ErrInvalidUTF8], [ErrDuplicateKey], [ErrInvalidTag], [ErrMapKey], [ErrLimit]
// and [ErrType], or [io.ErrUnexpectedEOF]. A clean end is a bare [io.EOF], and
// an error of the reader is passed on as it is. No input makes the package
// panic.
//
// # Limits
//
// Decoding is strict: text must be UTF-8, keys unique, and the content of tags
// as they say. At most 256 arrays, maps and tags may be open; MaxDepth changes
// that. A length from the wire never sizes an allocation by itself: decoding
// into any allocates at most 170 times the input, which tiny maps in each other
// come near, and a false claim costs a small multiple of what has really arrived;
// working memory, a few times 10 KiB, comes on top and is used again.
// There is no limit on the length of an item until MaxItemBytes sets one, which
// is advised for untrusted streams. Hashes of keys are seeded, so that no input
// takes quadratic time.
package cbor

//go:generate go run ./testdata/gen testdata/readings.cborseq
