package workload_test

import (
	"bytes"
	"testing"

	"github.com/streamcbor/cbor"
	"github.com/streamcbor/cbor/testdata/workload"
)

// TestDocuments checks that the documents which are made have the shapes and, within a
// factor of two, the lengths of those that they stand for.
func TestDocuments(t *testing.T) {
	want := map[string]struct {
		n   int
		key string
	}{
		"twitter_status": {402_814, "statuses"}, "citm_catalog": {342_373, "performances"}, "canada_geometry": {136_524, "features"},
		"golang_source": {1_313_427, "tree"}, "synthea_fhir": {997_628, "entry"}, "string_unicode": {17_758, "Arabic"},
	}
	for _, d := range workload.Documents("nowhere") {
		data := d.Load()
		w := want[d.Name]
		if len(data) < w.n/2 || len(data) > 2*w.n {
			t.Errorf("%s has %d bytes; it stands for %d", d.Name, len(data), w.n)
		}
		v, err := cbor.Decode(data)
		if m, _ := v.(map[string]any); err != nil || m[w.key] == nil {
			t.Errorf("%s: no key %q, error %v", d.Name, w.key, err)
		}
		if !bytes.Equal(data, d.Load()) {
			t.Errorf("%s is not the same when it is made again", d.Name)
		}
	}
}

func TestVocabulary(t *testing.T) {
	const count = 10_000
	sequence, keys := workload.Vocabulary(count)
	v, err := cbor.Decode(keys)
	if m, _ := v.(map[string]any); err != nil || len(m) != count {
		t.Fatalf("%d keys of %d, error %v", len(m), count, err)
	}
	n, marked := 0, 0
	for v, err := range cbor.DecodeSequence(sequence) {
		if err != nil {
			t.Fatal(err)
		}
		n += len(v.(string))
		if v.(string)[0] >= 0x80 {
			marked++
		}
	}
	if mean := float64(n) / float64(count); mean < 13.5 || mean > 14.5 {
		t.Errorf("tokens have %.1f bytes on average, want 14", mean)
	}
	if marked < count/2 {
		t.Errorf("%d of %d tokens begin with U+2581, want more than half", marked, count)
	}
}

func TestRecords(t *testing.T) {
	n := 0
	for v, err := range cbor.DecodeSequence(workload.Records(100)) {
		if m, _ := v.(map[string]any); err != nil || len(m) != 8 {
			t.Fatalf("record %d is %v, error %v", n, v, err)
		}
		n++
	}
	if n != 100 {
		t.Errorf("%d records, want 100", n)
	}
}
