package cbor

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// The categories of errors in the input, for use with [errors.Is]. A
// [DecodeError] is in exactly one of them, or is an [io.ErrUnexpectedEOF] for
// an item that is cut off; one that wraps an error of user code beside
// [ErrInvalidTag] or [ErrType] is also what that error is.
var (
	// ErrMalformed: the bytes are not well-formed (RFC 8949, section 5.3 and
	// appendix F); no continuation could make them so.
	ErrMalformed = errors.New("not well-formed")
	// ErrTrailingData: bytes follow the item where exactly one was asked for.
	ErrTrailingData = errors.New("data after the item")
	// ErrInvalidUTF8: a text string, or one chunk of it, is not UTF-8
	// (RFC 8949, section 3.1).
	ErrInvalidUTF8 = errors.New("text string is not valid UTF-8")
	// ErrDuplicateKey: a map has the same key twice (RFC 8949, section 5.6).
	ErrDuplicateKey = errors.New("duplicate map key")
	// ErrInvalidTag: the content of a tag is not what the tag allows
	// (RFC 8949, section 3.4), or a [TagFunc] refused it.
	ErrInvalidTag = errors.New("invalid tag content")
	// ErrMapKey: a key does not fit the kind of map that [Options].Maps asks for.
	ErrMapKey = errors.New("map key not allowed")
	// ErrLimit: MaxDepth or MaxItemBytes is exceeded, or negative.
	ErrLimit = errors.New("limit exceeded")
	// ErrType: the item is not of the type asked for, or does not fit it.
	ErrType = errors.New("type mismatch")
)

// A DecodeError describes the first fault of an input in reading order.
type DecodeError struct {
	// Offset is the position in bytes of the first byte of the head at fault,
	// counted from the start of the input or stream: the head or string that
	// is cut off, or the end of the input where a head is missing; the chunk;
	// the tag; the second of two equal keys.
	Offset int64

	// Path is the place in the item being read as a JSON Pointer (RFC 6901),
	// "/3/name" say, with a key that is not text in diagnostic notation. A
	// fault inside a key has the path of its map. Path is filled where values
	// are built; Wellformed, Skip, ReadRaw and single heads leave it empty.
	Path string

	// Err wraps one of the categories or is [io.ErrUnexpectedEOF].
	Err error
}

// Error returns the message, in the form
// "cbor: offset 41, /3/name: what is wrong".
func (e *DecodeError) Error() string {
	b := append([]byte("cbor: offset "), strconv.FormatInt(e.Offset, 10)...)
	if e.Path != "" {
		b = append(append(b, ", "...), e.Path...)
	}
	if e.Err != nil {
		b = append(append(b, ": "...), e.Err.Error()...)
	}
	return string(b)
}

// Unwrap returns e.Err.
func (e *DecodeError) Unwrap() error { return e.Err }

// A fault is a category of error with what was wrong and, when the code of a
// user found it, its error.
type fault struct {
	category error
	msg      string
	cause    error
}

func (f *fault) Error() string {
	if f.cause != nil {
		return f.msg + ": " + f.cause.Error()
	}
	return f.msg
}

func (f *fault) Unwrap() []error {
	if f.cause != nil {
		return []error{f.category, f.cause}
	}
	return []error{f.category}
}

// A foreignEOF is an error of user code that is an io.EOF, which must not look
// like the end of a stream.
type foreignEOF struct{ err error }

func (e *foreignEOF) Error() string        { return e.err.Error() }
func (e *foreignEOF) Is(target error) bool { return target != io.EOF && errors.Is(e.err, target) }
func (e *foreignEOF) As(target any) bool   { return errors.As(e.err, target) }

// notEOF returns err, an error of user code, so that it is no io.EOF.
func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return &foreignEOF{err}
	}
	return err
}

// errorAt returns the error for a fault of the given category at offset off.
// Inlined, it would make the functions of the hot path larger.
//
//go:noinline
func errorAt(off int64, category error, format string, args ...any) error {
	return &DecodeError{Offset: off, Err: &fault{category: category, msg: fmt.Sprintf(format, args...)}}
}
