package main

import (
	"path/filepath"
	"strings"

	"github.com/streamcbor/cbor/testdata/workload"
)

// A contender is one way to do the work of a workload.
type contender struct {
	name string
	do   func() (any, error) // returns what it made, to be compared once
	once bool                // is measured in the first round only, since it takes long
}

// An input is a workload that is ready to run.
type input struct {
	n     int // bytes
	items int // items, by which memory is divided
	by    []contender
}

// A work is a workload, one line of a table. Its input is made before it runs and dropped
// after, so that the heap of one does not change the pace of the collector in another.
type work struct {
	group string
	name  string
	base  string // the contender that the others are compared with; fxamacker if empty
	load  func() input
}

const (
	values    = "Values"
	documents = "Documents"
	streams   = "Streams"
	structs   = "Structs and other Go types"
	walking   = "Without values"
)

// workloads returns all workloads. The folder root is that of the repository; the
// longest inputs are divided by scale.
func workloads(root string, scale int) []work {
	var all []work
	add := func(group string, item workload.Item) {
		all = append(all, work{group: group, name: item.Name, load: func() input {
			data := item.Load()
			return input{len(data), 1, decoders(data, shapeOf(item.Name))}
		}})
	}
	for _, item := range workload.Items() {
		add(values, item)
	}
	docs := workload.Documents(filepath.Join(root, "..", "shared", "bench"))
	for _, item := range docs {
		add(documents, item)
	}
	all = append(all, longDocuments(scale)...)
	all = append(all, streamWorkloads(scale)...)
	all = append(all, structWorkloads(docs, scale)...)
	for _, item := range docs {
		all = append(all, work{group: walking, name: "Wellformed " + item.Name, load: func() input {
			data := item.Load()
			return input{len(data), 1, walkers(data)}
		}})
	}
	return all
}

// The numbers of log records and of tokens, which are divided by a scale.
const (
	recordCount = 100_000
	tokenCount  = 256_000
)

// longDocuments are log records and a vocabulary.
func longDocuments(scale int) []work {
	all := shape{maps: true, text: true}
	records, tokens := recordCount/scale, tokenCount/scale
	return []work{
		{group: documents, name: "log_records", load: func() input {
			data := workload.Array(records, workload.Records(records))
			return input{len(data), records, decoders(data, all)}
		}},
		{group: documents, name: "log_records_sequence", load: func() input {
			data := workload.Records(records)
			return input{len(data), records, sequences(data)}
		}},
		{group: documents, name: "vocabulary_array", load: func() input {
			sequence, _ := workload.Vocabulary(tokens)
			data := workload.Array(tokens, sequence)
			return input{len(data), tokens, decoders(data, all)}
		}},
		{group: documents, name: "vocabulary_map", load: func() input {
			_, data := workload.Vocabulary(tokens)
			return input{len(data), tokens, decoders(data, all)}
		}},
	}
}

// A shape says which of the ways to decode can differ for an item.
type shape struct {
	maps    bool // has maps (or is a document): ordered maps make a difference
	intKeys bool // has maps with integer keys
	text    bool // has text: aliasing makes a difference
}

func shapeOf(name string) shape {
	switch strings.TrimRight(name, "0123456789") {
	case "String", "CborTag":
		return shape{text: true}
	case "Object":
		return shape{maps: true, text: true}
	case "Map":
		return shape{maps: true, intKeys: true}
	case "Undefined", "Null", "Boolean", "Float", "Number", "BigInt", "Date", "Uint8Array", "Array":
		return shape{}
	}
	return shape{maps: true, text: true}
}
