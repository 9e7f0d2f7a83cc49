package main

import (
	"errors"
	"io"
	"math"
	"reflect"

	smithy "github.com/aws/smithy-go/encoding/cbor"
	fxcbor "github.com/fxamacker/cbor/v2"
	"github.com/streamcbor/cbor"
	"github.com/ugorji/go/codec"
)

// The contenders. A name that begins with "cbor" is this package; "alias" is its
// AliasText, "ordered" its MapOrdered.
const (
	ours         = "cbor"
	alias        = "cbor alias"
	ordered      = "cbor ordered"
	orderedAlias = "cbor ordered alias"
	memory       = "cbor in memory" // beside a stream of the same bytes
	fxamacker    = "fxamacker"
	ugorji       = "ugorji"
	ugorjiUTF8   = "ugorji UTF-8" // with its check of UTF-8, which is off by default
	ugorjiZero   = "ugorji ZeroCopy"
	smithyGo     = "smithy"
)

// peers pairs each way of ours with those of others that do the same work or less.
var peers = map[string][]string{
	ours:  {fxamacker, ugorji, ugorjiUTF8, smithyGo},
	alias: {ugorjiZero},
}

var (
	orderedOptions      = cbor.Options{Maps: cbor.MapOrdered}
	aliasOptions        = cbor.Options{AliasText: true}
	orderedAliasOptions = cbor.Options{Maps: cbor.MapOrdered, AliasText: true}
)

// fx has its limits raised, without which it refuses some of the items.
var fx = func() fxcbor.DecMode {
	m, err := fxcbor.DecOptions{
		MaxNestedLevels: 1000, MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return m
}()

// codecHandle returns a handle with ugorji's defaults but for the options. Maps with
// text keys become map[string]any, for which it has a fast path.
func codecHandle(textKeys, utf8, zeroCopy bool) *codec.CborHandle {
	h := &codec.CborHandle{}
	h.ValidateUnicode, h.ZeroCopy = utf8, zeroCopy
	h.ReaderBufferSize = 16 << 10
	if textKeys {
		h.MapType = reflect.TypeFor[map[string]any]()
	}
	return h
}

// decoders are the ways to decode one item in memory into a value of type any.
func decoders(data []byte, s shape) []contender {
	by := []contender{{name: ours, do: func() (any, error) { return cbor.Decode(data) }}}
	with := func(name string, o cbor.Options) {
		by = append(by, contender{name: name, do: func() (any, error) { return o.Decode(data) }})
	}
	if s.text {
		with(alias, aliasOptions)
	}
	if s.maps {
		with(ordered, orderedOptions)
	}
	if s.maps && s.text {
		with(orderedAlias, orderedAliasOptions)
	}
	by = append(by, contender{name: fxamacker, do: func() (any, error) {
		var v any
		err := fx.Unmarshal(data, &v)
		return v, err
	}})
	codecs := func(name string, h *codec.CborHandle) {
		d := codec.NewDecoderBytes(nil, h) // reused, as its documentation advises
		by = append(by, contender{name: name, do: func() (any, error) {
			var v any
			d.ResetBytes(data)
			err := d.Decode(&v)
			return v, err
		}})
	}
	codecs(ugorji, codecHandle(!s.intKeys, false, false))
	if s.text {
		codecs(ugorjiUTF8, codecHandle(!s.intKeys, true, false))
		codecs(ugorjiZero, codecHandle(!s.intKeys, false, true))
	}
	return append(by, contender{name: smithyGo, do: func() (any, error) { return smithy.Decode(data) }})
}

// A tail is what reading several items returns: their number and the last of them.
type tail struct {
	count int
	last  any
}

// sequences are the ways to decode a sequence in memory. smithy has none.
func sequences(data []byte) []contender {
	var by []contender
	with := func(name string, o cbor.Options) {
		by = append(by, contender{name: name, do: func() (any, error) {
			var t tail
			for v, err := range o.DecodeSequence(data) {
				if err != nil {
					return nil, err
				}
				t = tail{t.count + 1, v}
			}
			return t, nil
		}})
	}
	with(ours, cbor.Options{})
	with(alias, aliasOptions)
	with(ordered, orderedOptions)
	with(orderedAlias, orderedAliasOptions)
	by = append(by, contender{name: fxamacker, do: func() (any, error) {
		var t tail
		for rest := data; len(rest) > 0; t.count++ {
			var v any
			var err error
			if rest, err = fx.UnmarshalFirst(rest, &v); err != nil {
				return nil, err
			}
			t.last = v
		}
		return t, nil
	}})
	codecs := func(name string, h *codec.CborHandle) {
		d := codec.NewDecoderBytes(nil, h)
		by = append(by, contender{name: name, do: func() (any, error) {
			d.ResetBytes(data)
			return drain(func() (any, error) {
				if d.NumBytesRead() == len(data) {
					return nil, io.EOF
				}
				var v any
				err := d.Decode(&v)
				return v, err
			})
		}})
	}
	codecs(ugorji, codecHandle(true, false, false))
	codecs(ugorjiUTF8, codecHandle(true, true, false))
	codecs(ugorjiZero, codecHandle(true, false, true))
	return by
}

// drain calls next until io.EOF.
func drain(next func() (any, error)) (any, error) {
	var t tail
	for {
		v, err := next()
		if errors.Is(err, io.EOF) { // ugorji wraps it
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		t = tail{t.count + 1, v}
	}
}

// walkers check that an item is well-formed. The others have no such function.
func walkers(data []byte) []contender {
	return []contender{
		{name: ours, do: func() (any, error) { return nil, cbor.Wellformed(data) }},
		{name: fxamacker, do: func() (any, error) { return nil, fx.Wellformed(data) }},
	}
}
