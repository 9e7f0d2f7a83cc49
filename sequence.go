package cbor

import (
	"io"
	"iter"
)

// DecodeSequence returns an iterator over the items of a CBOR sequence (RFC
// 8742) in data, each as [Decode] returns it. It decodes an item when the loop
// asks for it, and ends after the first error, whose Offset is counted from
// the start of data. Empty data has no items.
//
// Byte strings alias data, as Decode says.
func DecodeSequence(data []byte) iter.Seq2[any, error] {
	return Options{}.DecodeSequence(data)
}

// DecodeSequence is like the function [DecodeSequence], under the options.
func (o Options) DecodeSequence(data []byte) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		var b builder
		b.reset(data, &o)
		for {
			v, err := b.item()
			b.forget(maxKept)
			if err == io.EOF || !yield(v, err) || err != nil {
				b.release() // not deferred: after a panic inside an item it is of no use
				return
			}
		}
	}
}
