package main

import (
	"slices"
	"strings"

	"github.com/streamcbor/cbor"
)

// elements reads the next item of d, an array, and calls element for each of
// its elements, which it must read.
func elements(d *cbor.Decoder, element func(i int64) error) error {
	if _, err := d.ReadArrayHeader(); err != nil {
		return err
	}
	var i int64
	for ; d.More(); i++ {
		if err := element(i); err != nil {
			return within(err, decimal(i))
		}
	}
	// What More met comes out here: it is about an element that is not there.
	return within(d.ReadEnd(), decimal(i))
}

// pairs reads the next item of d, a map. It calls key and value for each pair,
// which must read them; key returns the key as the path of an error has it.
func pairs(d *cbor.Decoder, key func(i int64) (string, error), value func() error) error {
	if _, err := d.ReadMapHeader(); err != nil {
		return err
	}
	for i := int64(0); d.More(); i++ {
		k, err := key(i)
		if err != nil {
			return err
		}
		if err := value(); err != nil {
			return within(err, k)
		}
	}
	return d.ReadEnd()
}

// An inside is an error of the input with the places where it happened, the
// innermost first. To join them at each level would take quadratic time.
type inside struct {
	err      *cbor.DecodeError
	segments []string
}

func (e *inside) Error() string { return e.err.Error() }

// within returns err with another place around it, if it is about the input.
func within(err error, segment string) error {
	switch e := err.(type) {
	case *inside:
		e.segments = append(e.segments, segment)
	case *cbor.DecodeError:
		return &inside{e, []string{segment}}
	}
	return err
}

// located returns err with the path that within collected.
func located(err error) error {
	e, ok := err.(*inside)
	if !ok {
		return err
	}
	var path strings.Builder
	for _, segment := range slices.Backward(e.segments) {
		path.WriteString("/" + pointerEscaper.Replace(segment))
	}
	return &cbor.DecodeError{Offset: e.err.Offset, Path: path.String(), Err: e.err.Err}
}
