package cbor

import "math"

// DefaultMaxDepth is the number of arrays, maps and tags that may be open at
// the same time if [Options].MaxDepth is zero.
const DefaultMaxDepth = 256

// maxMaxDepth bounds MaxDepth: values are built by recursion, and so many
// levels fit the stack of a goroutine on every architecture.
const maxMaxDepth = 100_000

// Options says how to decode. The zero value is strict and is what the
// functions of the package use. An Options may be copied and is safe for
// concurrent use.
type Options struct {
	_ struct{} // keyed literals only

	// MaxDepth is the number of arrays, maps and tags that may be open at the
	// same time; 0 means DefaultMaxDepth, more than 100,000 means 100,000. The
	// head that would open one more is an ErrLimit.
	MaxDepth int

	// MaxItemBytes is the most bytes that one encoded top-level item may have;
	// 0 means no limit. Set it for untrusted streams.
	MaxItemBytes int64

	// CopyBytes makes byte strings never share memory with the input.
	CopyBytes bool

	// AliasText makes text strings share memory with the input, which must
	// then never change again: Go strings are immutable, and a map whose keys
	// change is broken.
	AliasText bool

	// Maps says which Go types maps become.
	Maps MapMode

	// AllowDuplicateKeys keeps the last value of a key that comes twice
	// instead of failing with ErrDuplicateKey.
	AllowDuplicateKeys bool

	// InvalidUTF8 says what becomes of text that is not UTF-8.
	InvalidUTF8 UTF8Mode

	// DisallowUnknownFields makes a key that names no field of the target
	// struct an ErrType. It concerns Unmarshal only.
	DisallowUnknownFields bool

	// RawTags takes the built-in meanings from all tags: each one is a Tag,
	// unless Tags has its number.
	RawTags bool

	// Tags gives tags a meaning by their number, also other ones than the
	// built-in. It must not change while it is in use.
	Tags map[uint64]TagFunc
}

// A TagFunc returns the value of a tag from its content, which is as
// [Decode] returns it. The content may alias the input, so that only CopyBytes
// allows the function to change it. An error comes out of the decoder wrapped
// beside [ErrInvalidTag].
type TagFunc func(content any) (any, error)

// A MapMode says which Go types maps become.
type MapMode uint8

const (
	// MapAuto gives map[string]any if every key is text, map[any]any if Go can
	// compare the keys, and Map otherwise.
	MapAuto MapMode = iota
	// MapText gives map[string]any; any other key is an ErrMapKey.
	MapText
	// MapAny gives map[any]any; a key that Go cannot compare is an ErrMapKey.
	MapAny
	// MapOrdered gives Map, in the order of the input.
	MapOrdered
)

// A UTF8Mode says what becomes of text strings that are not valid UTF-8.
type UTF8Mode uint8

const (
	// RejectInvalidUTF8 makes them an ErrInvalidUTF8.
	RejectInvalidUTF8 UTF8Mode = iota
	// ReplaceInvalidUTF8 puts one U+FFFD for each maximal ill-formed subpart
	// (The Unicode Standard, section 3.9).
	ReplaceInvalidUTF8
	// AllowInvalidUTF8 passes them on as they are.
	AllowInvalidUTF8
)

// levels returns how many arrays, maps and tags may be open.
func (o *Options) levels() int {
	if o.MaxDepth == 0 {
		return DefaultMaxDepth
	}
	return min(o.MaxDepth, maxMaxDepth)
}

// check returns the error of a negative limit, at offset off.
func (o *Options) check(off int64) error {
	if o.MaxDepth >= 0 && o.MaxItemBytes >= 0 {
		return nil
	}
	return o.errNegative(off)
}

func (o *Options) errNegative(off int64) error {
	if o.MaxDepth < 0 {
		return errorAt(off, ErrLimit, "Options.MaxDepth is negative: %d", o.MaxDepth)
	}
	return errorAt(off, ErrLimit, "Options.MaxItemBytes is negative: %d", o.MaxItemBytes)
}

// itemEnd returns the offset where an item that begins at off must have ended.
func (o *Options) itemEnd(off int64) int64 {
	if o.MaxItemBytes == 0 || o.MaxItemBytes > math.MaxInt64-off {
		return noEnd
	}
	return off + o.MaxItemBytes
}
