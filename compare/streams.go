package main

import (
	"bytes"
	"io"
	"slices"

	"github.com/streamcbor/cbor"
	"github.com/streamcbor/cbor/testdata/workload"
	"github.com/ugorji/go/codec"
)

// segment is the number of bytes that one read of a TCP connection over Ethernet
// often returns.
const segment = 1448

// A decoder is what the decoders of streams have in common.
type decoder interface{ Decode(v any) error }

// streamWorkloads read from an io.Reader. smithy cannot.
func streamWorkloads(scale int) []work {
	records := recordCount / scale
	inSegments := func(n int) func() input {
		n /= scale
		return func() input {
			data := workload.Array(n, workload.Records(n))
			return input{len(data), n, segmented(data)}
		}
	}
	return []work{
		{group: streams, name: "log_records", load: func() input {
			data := workload.Records(records)
			return input{len(data), records, readers(data, func() io.Reader { return bytes.NewReader(data) })}
		}},
		{group: streams, name: "array of 0.3 MB in segments", load: inSegments(2_000)},
		{group: streams, name: "array of 1.2 MB in segments", load: func() input {
			in := inSegments(8_000)()
			for i := range in.by {
				in.by[i].once = in.by[i].name == fxamacker // takes quadratic time
			}
			return in
		}},
		{group: streams, name: "array of 5 MB in segments", base: memory, load: func() input {
			return without(inSegments(33_000)(), fxamacker)
		}},
		{group: streams, name: "map of 98,304 keys in segments", base: memory, load: func() input {
			data := workload.Keys()
			return without(input{len(data), 98_304, segmented(data)}, fxamacker)
		}},
		{group: streams, name: "byte string of 64 MiB", load: func() input {
			data := workload.Bytes(64 << 20 / scale)
			in := input{len(data), 1, readers(data, func() io.Reader { return bytes.NewReader(data) })}
			return without(in, ordered, orderedAlias, ugorjiUTF8)
		}},
		{group: streams, name: "integers, pulled", load: func() input {
			n := 100_000 / scale
			data := workload.Array(n, bytes.Repeat([]byte{0x19, 1, 2}, n))
			return input{len(data), n, pullers(data)}
		}},
		{group: streams, name: "log_records, skipped", load: func() input {
			data := workload.Records(records)
			return input{len(data), records, skippers(data)}
		}},
	}
}

// without leaves out contenders.
func without(in input, names ...string) input {
	in.by = slices.DeleteFunc(in.by, func(c contender) bool { return slices.Contains(names, c.name) })
	return in
}

// readers are the ways to read all items of a stream as values of type any.
func readers(data []byte, open func() io.Reader) []contender {
	var by []contender
	with := func(name string, o cbor.Options) {
		by = append(by, contender{name: name, do: func() (any, error) { return drain(o.NewDecoder(open()).ReadValue) }})
	}
	with(ours, cbor.Options{})
	with(ordered, orderedOptions)
	with(orderedAlias, orderedAliasOptions)
	decode := func(name string, start func() decoder) {
		by = append(by, contender{name: name, do: func() (any, error) {
			d := start()
			return drain(func() (any, error) {
				var v any
				err := d.Decode(&v)
				return v, err
			})
		}})
	}
	decode(fxamacker, func() decoder { return fx.NewDecoder(open()) })
	plain, checked := codecHandle(true, false, false), codecHandle(true, true, false)
	decode(ugorji, func() decoder { return codec.NewDecoder(open(), plain) })
	decode(ugorjiUTF8, func() decoder { return codec.NewDecoder(open(), checked) })
	return by
}

// segmented reads data a segment at a time, and beside that from memory.
func segmented(data []byte) []contender {
	by := readers(data, func() io.Reader { return workload.Segments(bytes.NewReader(data), segment) })
	return append(by, contender{name: memory, do: func() (any, error) {
		v, err := cbor.Decode(data)
		return tail{1, v}, err
	}})
}

// pullers sum the integers of an array. This package reads them one by one; the
// others, which cannot, fill a slice.
func pullers(data []byte) []contender {
	open := func() io.Reader { return bytes.NewReader(data) }
	slice := func(start func() decoder) func() (any, error) {
		return func() (any, error) {
			var all []int64
			if err := start().Decode(&all); err != nil {
				return nil, err
			}
			var sum int64
			for _, i := range all {
				sum += i
			}
			return sum, nil
		}
	}
	h := codecHandle(true, false, false)
	return []contender{
		{name: ours, do: func() (any, error) {
			d := cbor.NewDecoder(open())
			var sum int64
			for _, err := range d.Array() {
				if err != nil {
					return nil, err
				}
				i, err := d.ReadInt64()
				if err != nil {
					return nil, err
				}
				sum += i
			}
			return sum, nil
		}},
		{name: fxamacker, do: slice(func() decoder { return fx.NewDecoder(open()) })},
		{name: ugorji, do: slice(func() decoder { return codec.NewDecoder(open(), h) })},
	}
}

// skippers pass over the items of a stream. ugorji, which has no such method, gets
// the bytes of each.
func skippers(data []byte) []contender {
	open := func() io.Reader { return bytes.NewReader(data) }
	h := codecHandle(true, false, false)
	return []contender{
		{name: ours, do: func() (any, error) {
			d := cbor.NewDecoder(open())
			return drain(func() (any, error) { return nil, d.Skip() })
		}},
		{name: fxamacker, do: func() (any, error) {
			d := fx.NewDecoder(open())
			return drain(func() (any, error) { return nil, d.Skip() })
		}},
		{name: ugorji, do: func() (any, error) {
			d := codec.NewDecoder(open(), h)
			return drain(func() (any, error) {
				var raw codec.Raw
				return nil, d.Decode(&raw)
			})
		}},
	}
}
