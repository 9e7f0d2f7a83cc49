// Package cbor decodes CBOR, the Concise Binary Object Representation of RFC
// 8949.
package cbor

//go:generate go run ./testdata/gen testdata/readings.cborseq
