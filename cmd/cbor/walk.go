package main

import (
	"errors"

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

// within returns err with the place segment in front of its path, if it is
// about the input.
func within(err error, segment string) error {
	var e *cbor.DecodeError
	if !errors.As(err, &e) {
		return err
	}
	path := "/" + pointerEscaper.Replace(segment) + e.Path
	return &cbor.DecodeError{Offset: e.Offset, Path: path, Err: e.Err}
}
