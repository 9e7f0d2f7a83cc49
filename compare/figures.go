package main

import (
	"fmt"
	"slices"
	"strings"
)

// A figure is what a way of ours must reach in some workloads, and its goal.
type figure struct {
	group string
	names []string
	by    string
	kind  kind
	than  string  // the other contender; fxamacker if empty
	must  float64 // must be reached
	goal  float64 // none if 0
}

// A kind says what the number of a figure means.
type kind int

const (
	faster    kind = iota // at least so many times as fast as the other
	slower                // at most so many times the time of the other
	allocates             // at most so many times the bytes of the input
)

func names(names ...string) []string { return names }

var figures = []figure{
	{values, names("Undefined", "Null", "Boolean", "Number0"), ours, faster, "", 6, 10},
	{values, names("Float", "Number1", "Number2", "Number4", "Number8"), ours, faster, "", 4.5, 6},
	{values, names("String0"), ours, faster, "", 2.2, 3},
	{values, names("String1"), ours, faster, "", 1.5, 2},
	{values, names("String0", "String1"), alias, faster, "", 4, 6},
	{values, names("Uint8Array0", "Uint8Array1", "Uint8Array2"), ours, faster, "", 3, 0},
	{values, names("Uint8Array4"), ours, faster, "", 10_000, 0},
	{values, names("BigInt0", "BigInt1", "BigInt2", "BigInt4", "BigInt8", "Date", "CborTag"), ours, faster, "", 1.5, 2.5},
	{values, names("Array1", "Array2"), ours, faster, "", 3, 0},
	{values, names("Array4"), ours, faster, "", 2.2, 3.2},
	{values, names("Object1", "Object2", "Object4"), ours, faster, "", 2.8, 3.5},
	{values, names("Object1", "Object2", "Object4"), ordered, faster, "", 4, 6},
	{values, names("Object1", "Object2", "Object4"), orderedAlias, faster, "", 5.5, 8},
	{values, names("Map1", "Map2", "Map4"), ours, faster, "", 1.8, 2.3},
	{values, names("Map1", "Map2"), ordered, faster, "", 5, 7},
	{values, names("Map4"), ordered, faster, "", 4, 0},

	{documents, names("twitter_status", "citm_catalog", "synthea_fhir"), ours, faster, "", 1.7, 2},
	{documents, names("twitter_status", "citm_catalog", "synthea_fhir"), ordered, faster, "", 2.4, 3.4},
	{documents, names("twitter_status", "citm_catalog", "synthea_fhir"), orderedAlias, faster, "", 3, 3.8},
	{documents, names("canada_geometry", "golang_source"), ours, faster, "", 1.5, 2},
	{documents, names("canada_geometry", "golang_source"), ordered, faster, "", 1.8, 2.2},
	{documents, names("canada_geometry", "golang_source"), orderedAlias, faster, "", 2, 2.5},
	{documents, names("string_unicode"), ours, faster, "", 1.4, 1.8},
	{documents, names("string_unicode"), ordered, faster, "", 1.7, 2},
	{documents, names("string_unicode"), orderedAlias, faster, "", 5, 0},
	{documents, names("log_records", "log_records_sequence"), ours, faster, "", 1.5, 2.5},
	{documents, names("log_records", "log_records_sequence"), ordered, faster, "", 2.5, 3.5},
	{documents, names("log_records", "log_records_sequence"), orderedAlias, faster, "", 2.8, 4},
	{documents, names("vocabulary_array"), ours, faster, "", 1.6, 0},
	{documents, names("vocabulary_array"), ordered, faster, "", 1.6, 2},
	{documents, names("vocabulary_array"), orderedAlias, faster, "", 2.8, 3.6},
	{documents, names("vocabulary_map"), ours, faster, "", 2.8, 0},
	{documents, names("vocabulary_map"), ordered, faster, "", 5.5, 8},
	{documents, names("vocabulary_map"), orderedAlias, faster, "", 7.5, 12},

	{streams, names("log_records"), ours, faster, "", 1.5, 2},
	{streams, names("log_records"), ordered, faster, "", 2, 0},
	{streams, names("log_records"), orderedAlias, faster, "", 2.3, 0},
	{streams, names("array of 5 MB in segments"), ours, slower, memory, 1.5, 0},
	{streams, names("map of 98,304 keys in segments"), ours, slower, memory, 2, 0},
	{streams, names("byte string of 64 MiB"), ours, allocates, "", 1.5, 0},

	{structs, names("record", "records", "records from a stream"), ours, faster, "", 1.9, 2.2},
	{structs, names("record", "records", "records from a stream"), alias, faster, "", 2.6, 3},
	{structs, names("header, integer keys"), ours, faster, "", 3.5, 0},
	{structs, names("tuple, toarray", "citm_catalog"), ours, faster, "", 2, 0},
	{structs, names("[]int64", "[]float64"), ours, faster, "", 4, 0},
	{structs, names("map[string]string"), ours, faster, "", 1.8, 0},
	{structs, names("record", "records", "records from a stream", "header, integer keys", "tuple, toarray", "citm_catalog",
		"[]int64", "[]float64", "map[string]string"), ours, faster, ugorjiUTF8, 1, 0},
}

// A judgement is a figure with what one workload reached.
type judgement struct {
	figure
	name    string
	reached spread
}

// judge returns a judgement for each workload of each figure that was measured.
func judge(results []result) []judgement {
	var all []judgement
	for _, f := range figures {
		if f.than == "" {
			f.than = fxamacker
		}
		for _, r := range results {
			if r.group != f.group || !slices.Contains(f.names, r.name) {
				continue
			}
			s, ok := r.measured(f)
			if ok {
				all = append(all, judgement{f, r.name, s})
			}
		}
	}
	return all
}

// measured returns what a figure is about.
func (r result) measured(f figure) (spread, bool) {
	switch f.kind {
	case faster:
		return r.faster(f.by, f.than)
	case slower:
		return r.faster(f.than, f.by) // how many times as fast is the other
	}
	s, ok := r.find(f.by)
	if !ok {
		return spread{}, false
	}
	var times []float64
	for _, x := range s.samples {
		times = append(times, x.bytes/float64(r.n))
	}
	return spreadOf(times), true
}

// verdict compares the median with the figure.
func (j judgement) verdict() string {
	reaches := func(x float64) bool {
		if j.kind == faster {
			return j.reached.median >= x
		}
		return j.reached.median <= x
	}
	switch {
	case !reaches(j.must):
		return "not reached"
	case j.goal != 0 && reaches(j.goal):
		return "reached, and the goal"
	}
	return "reached"
}

// what says what the number of the figure is.
func (j judgement) what() string {
	switch j.kind {
	case faster:
		return "times as fast as " + j.than
	case slower:
		return "times the time of " + j.than
	}
	return "bytes allocated for each of the input"
}

// behind lists where one of ours takes longer than a peer that does the same work
// or less, by more than 10 % and 3 ns.
func behind(results []result) []string {
	var list []string
	for _, r := range results {
		for _, way := range []string{ours, alias} {
			for _, peer := range peers[way] {
				a, ok := r.find(way)
				b, ok2 := r.find(peer)
				if !ok || !ok2 || r.other(peer) {
					continue
				}
				ratio, _ := r.faster(peer, way)
				x, y := a.median(nanoseconds), b.median(nanoseconds)
				if ratio.median > 1.1 && x-y > 3 {
					list = append(list, fmt.Sprintf("%s, %s: %s takes %s times the time of %s, %s and %s%s",
						r.group, r.name, way, ratio, peer, duration(x), duration(y), r.unchecked(peer)))
				}
			}
		}
	}
	return list
}

// other reports whether the peer returns what is less work to make: smithy leaves
// bignums and times as tags, ugorji makes floats of bignums.
func (r result) other(peer string) bool {
	isBig := strings.HasPrefix(r.name, "BigInt")
	return peer == smithyGo && (isBig || r.name == "Date") || peer == ugorji && isBig
}

// unchecked tells whether the peer passes over a check of text that ours makes.
func (r result) unchecked(peer string) string {
	if _, isText := r.find(ugorjiUTF8); isText && (peer == ugorji || peer == ugorjiZero || peer == smithyGo) {
		return " (which checks no UTF-8)"
	}
	return ""
}

// refusals lists the work that a peer cannot do, with its error.
func refusals(results []result) []string {
	var list []string
	for _, r := range results {
		for _, s := range r.series {
			if s.refused != nil {
				list = append(list, fmt.Sprintf("%s, %s: %s: %v", r.group, r.name, s.name, s.refused))
			}
		}
	}
	return list
}
