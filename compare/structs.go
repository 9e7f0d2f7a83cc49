package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/streamcbor/cbor"
	"github.com/streamcbor/cbor/testdata/workload"
	"github.com/ugorji/go/codec"
)

type record struct {
	Time    int64   `cbor:"time" codec:"time"`
	Level   string  `cbor:"level" codec:"level"`
	Service string  `cbor:"service" codec:"service"`
	Message string  `cbor:"message" codec:"message"`
	Status  int     `cbor:"status" codec:"status"`
	Seconds float64 `cbor:"seconds" codec:"seconds"`
	Trace   []byte  `cbor:"trace" codec:"trace"`
	Retry   bool    `cbor:"retry" codec:"retry"`
}

// header is like the headers of COSE. ugorji takes integer keys from a field of the
// struct, hence the second type.
type (
	header struct {
		Alg         int    `cbor:"1,keyasint"`
		ContentType int    `cbor:"3,keyasint"`
		KeyID       []byte `cbor:"4,keyasint"`
		IV          []byte `cbor:"5,keyasint"`
		PartialIV   []byte `cbor:"6,keyasint"`
		Epoch       int64  `cbor:"-65537,keyasint"`
	}
	codecHeader struct {
		//lint:ignore U1000 read by reflection
		_struct     bool   `codec:",int"`
		Alg         int    `codec:"1"`
		ContentType int    `codec:"3"`
		KeyID       []byte `codec:"4"`
		IV          []byte `codec:"5"`
		PartialIV   []byte `codec:"6"`
		Epoch       int64  `codec:"-65537"`
	}
)

// tuple is a struct that is encoded as an array, likewise in two types.
type (
	tuple struct {
		_    struct{} `cbor:",toarray"`
		ID   uint64
		X, Y float64
		Name string
		Flag bool
		Blob []byte
	}
	codecTuple struct {
		//lint:ignore U1000 read by reflection
		_struct bool `codec:",toarray"`
		ID      uint64
		X, Y    float64
		Name    string
		Flag    bool
		Blob    []byte
	}
)

type (
	catalog struct {
		AreaNames                map[string]string `json:"areaNames"`
		AudienceSubCategoryNames map[string]string `json:"audienceSubCategoryNames"`
		BlockNames               map[string]string `json:"blockNames"`
		Events                   map[string]event  `json:"events"`
		Performances             []performance     `json:"performances"`
		SeatCategoryNames        map[string]string `json:"seatCategoryNames"`
		SubTopicNames            map[string]string `json:"subTopicNames"`
		SubjectNames             map[string]string `json:"subjectNames"`
		TopicNames               map[string]string `json:"topicNames"`
		TopicSubTopics           map[string][]int  `json:"topicSubTopics"`
		VenueNames               map[string]string `json:"venueNames"`
	}
	event struct {
		Description *string `json:"description"`
		ID          int     `json:"id"`
		Logo        *string `json:"logo"`
		Name        string  `json:"name"`
		SubTopicIDs []int   `json:"subTopicIds"`
		SubjectCode *string `json:"subjectCode"`
		Subtitle    *string `json:"subtitle"`
		TopicIDs    []int   `json:"topicIds"`
	}
	performance struct {
		EventID        int            `json:"eventId"`
		ID             int            `json:"id"`
		Logo           *string        `json:"logo"`
		Name           *string        `json:"name"`
		Prices         []price        `json:"prices"`
		SeatCategories []seatCategory `json:"seatCategories"`
		SeatMapImage   *string        `json:"seatMapImage"`
		Start          int64          `json:"start"`
		VenueCode      string         `json:"venueCode"`
	}
	price struct {
		Amount                int `json:"amount"`
		AudienceSubCategoryID int `json:"audienceSubCategoryId"`
		SeatCategoryID        int `json:"seatCategoryId"`
	}
	seatCategory struct {
		Areas          []area `json:"areas"`
		SeatCategoryID int    `json:"seatCategoryId"`
	}
	area struct {
		AreaID   int   `json:"areaId"`
		BlockIDs []int `json:"blockIds"`
	}
)

// structWorkloads fill Go values of types that are known.
func structWorkloads(docs []workload.Item, scale int) []work {
	numbers, records := 100_000/scale, recordCount/scale
	typed := func(name string, items int, into func([]byte) []contender, load func() []byte) work {
		return work{group: structs, name: name, load: func() input {
			data := load()
			return input{len(data), items, into(data)}
		}}
	}
	all := []work{
		typed("record", 1, into[record, record], func() []byte { return workload.Records(1) }),
		typed("records", 1000, into[[]record, []record], func() []byte { return workload.Array(1000, workload.Records(1000)) }),
		{group: structs, name: "records from a stream", load: func() input {
			data := workload.Records(records)
			return input{len(data), records, recordReaders(data)}
		}},
		typed("header, integer keys", 1, into[header, codecHeader], headerData),
		typed("tuple, toarray", 1, into[tuple, codecTuple], tupleData),
	}
	for _, item := range docs {
		if item.Name == "citm_catalog" {
			all = append(all, typed(item.Name, 1, into[catalog, catalog], item.Load))
		}
	}
	return append(all,
		typed("[]int64", numbers, into[[]int64, []int64], func() []byte {
			b := workload.AppendHead(nil, 4, uint64(numbers))
			for i := range uint64(numbers) {
				b = workload.AppendHead(b, byte(i&1), i*7919)
			}
			return b
		}),
		typed("[]float64", numbers, into[[]float64, []float64], func() []byte {
			b := workload.AppendHead(nil, 4, uint64(numbers))
			for i := range numbers {
				b = appendFloat(b, float64(i)*1.37)
			}
			return b
		}),
		typed("map[string]string", 1000, into[map[string]string, map[string]string], func() []byte {
			b := workload.AppendHead(nil, 5, 1000)
			for i := range 1000 {
				b = workload.AppendText(b, fmt.Sprint("name of ", i))
				b = workload.AppendText(b, fmt.Sprint("the value of ", i*i))
			}
			return b
		}),
	)
}

func appendFloat(b []byte, f float64) []byte {
	return binary.BigEndian.AppendUint64(append(b, 0xfb), math.Float64bits(f))
}

func headerData() []byte {
	b := workload.AppendHead(nil, 5, 6)
	b = workload.AppendHead(workload.AppendHead(b, 0, 1), 1, 6) // -7
	b = workload.AppendHead(workload.AppendHead(b, 0, 3), 0, 60)
	b = append(workload.AppendHead(b, 0, 4), "\x46key-11"...)
	b = append(workload.AppendHead(b, 0, 5), workload.Bytes(12)...)
	b = append(workload.AppendHead(b, 0, 6), workload.Bytes(2)...)
	return workload.AppendHead(workload.AppendHead(b, 1, 65536), 0, 1_700_000_000)
}

func tupleData() []byte {
	b := workload.AppendHead(workload.AppendHead(nil, 4, 6), 0, 123_456)
	b = workload.AppendText(appendFloat(appendFloat(b, 1.25), -7.1), "a point")
	return append(append(b, 0xf5), workload.Bytes(20)...)
}

// into are the ways to decode one item in memory into a new T, or for ugorji a new U,
// which has the same fields.
func into[T, U any](data []byte) []contender {
	codecs := func(name string, h *codec.CborHandle) contender {
		d := codec.NewDecoderBytes(nil, h)
		return contender{name: name, do: func() (any, error) {
			v := new(U)
			d.ResetBytes(data)
			return v, d.Decode(v)
		}}
	}
	return []contender{
		{name: ours, do: func() (any, error) { v := new(T); return v, cbor.Unmarshal(data, v) }},
		{name: alias, do: func() (any, error) { v := new(T); return v, aliasOptions.Unmarshal(data, v) }},
		{name: fxamacker, do: func() (any, error) { v := new(T); return v, fx.Unmarshal(data, v) }},
		codecs(ugorji, codecHandle(true, false, false)),
		codecs(ugorjiUTF8, codecHandle(true, true, false)),
		codecs(ugorjiZero, codecHandle(true, false, true)),
	}
}

// recordReaders read log records from a stream, each into a new struct.
func recordReaders(data []byte) []contender {
	with := func(name string, start func(*bytes.Reader) decoder) contender {
		return contender{name: name, do: func() (any, error) {
			d := start(bytes.NewReader(data))
			return drain(func() (any, error) { v := new(record); return v, d.Decode(v) })
		}}
	}
	plain, checked := codecHandle(true, false, false), codecHandle(true, true, false)
	return []contender{
		with(ours, func(r *bytes.Reader) decoder { return cbor.NewDecoder(r) }),
		with(alias, func(r *bytes.Reader) decoder { return aliasOptions.NewDecoder(r) }),
		with(fxamacker, func(r *bytes.Reader) decoder { return fx.NewDecoder(r) }),
		with(ugorji, func(r *bytes.Reader) decoder { return codec.NewDecoder(r, plain) }),
		with(ugorjiUTF8, func(r *bytes.Reader) decoder { return codec.NewDecoder(r, checked) }),
	}
}
