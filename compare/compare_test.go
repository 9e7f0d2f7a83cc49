package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"

	smithy "github.com/aws/smithy-go/encoding/cbor"
	fxcbor "github.com/fxamacker/cbor/v2"
	"github.com/streamcbor/cbor"
	"github.com/ugorji/go/codec"
)

// TestAll runs each workload for one short round: the contenders must agree, and
// each figure must be about something that was measured.
func TestAll(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes about 20 seconds")
	}
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	o, err := parse([]string{"-short"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	results, err := runAll(root, o, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workloads(root, o.scale) {
		if !strings.Contains(out.String(), "\n"+w.name+" ") {
			t.Errorf("%s, %s is not in the tables", w.group, w.name)
		}
	}
	n := 0
	for _, f := range figures {
		n += len(f.names)
	}
	if got := len(judge(results)); got != n {
		t.Errorf("%d of %d figures are about workloads that were measured", got, n)
	}
	for _, line := range refusals(results) {
		if !strings.HasPrefix(line, "Values, Map") || !strings.Contains(line, ": smithy: ") {
			t.Errorf("refused, not known before: %s", line)
		}
	}
	for _, b := range bars {
		for _, way := range ways {
			if way.label != "smithy-go" && speed(results, b.group, b.name, way.names) <= 0 {
				t.Errorf("chart: no bar of %s for %s", way.label, b.label)
			}
		}
	}
	svg, err := chart(results)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("chart: %v", err)
		}
	}
	if !bytes.Contains(svg, []byte("256,000 tokens as keys")) {
		t.Error("chart: a label is not there")
	}
}

func TestAgree(t *testing.T) {
	returns := func(name string, v any, err error) contender {
		return contender{name: name, do: func() (any, error) { return v, err }}
	}
	fault := errors.New("fault")
	for _, test := range []struct {
		name    string
		by      []contender
		refused int
		want    string // part of the error
	}{
		{"all kinds of numbers", []contender{
			returns(ours, int64(7), nil), returns(fxamacker, uint64(7), nil), returns(ugorji, 7.0, nil), returns(smithyGo, smithy.Uint(7), nil),
		}, 0, ""},
		{"bignum", []contender{
			returns(ours, big.NewInt(200), nil), returns(fxamacker, *big.NewInt(200), nil), returns(ugorji, 200.0, nil),
			returns(smithyGo, &smithy.Tag{ID: 2, Value: smithy.Slice{200}}, nil),
		}, 0, ""},
		{"undefined", []contender{returns(ours, cbor.Undefined, nil), returns(fxamacker, nil, nil), returns(smithyGo, &smithy.Undefined{}, nil)}, 0, ""},
		{"map", []contender{
			returns(ours, map[string]any{"a": []byte{1}}, nil), returns(ordered, cbor.Map{{Key: "a", Value: []byte{1}}}, nil),
			returns(fxamacker, map[any]any{"a": []byte{1}}, nil), returns(smithyGo, smithy.Map{"a": smithy.Slice{1}}, nil),
		}, 0, ""},
		{"tag", []contender{
			returns(ours, cbor.Tag{Number: 42, Content: "a"}, nil), returns(fxamacker, fxcbor.Tag{Number: 42, Content: "a"}, nil),
			returns(ugorji, codec.RawExt{Tag: 42, Value: "a"}, nil), returns(smithyGo, &smithy.Tag{ID: 42, Value: smithy.String("a")}, nil),
		}, 0, ""},
		{"structs", []contender{returns(ours, &tuple{ID: 1}, nil), returns(ugorji, &codecTuple{ID: 1}, nil)}, 0, ""},
		{"structs that differ", []contender{returns(ours, &tuple{ID: 1}, nil), returns(ugorji, &codecTuple{ID: 2}, nil)}, 0, "disagree at /ID"},
		{"a peer refuses", []contender{returns(ours, true, nil), returns(smithyGo, nil, fault)}, 1, ""},
		{"ours refuses", []contender{returns(ours, true, nil), returns(alias, nil, fault)}, 0, "cbor alias: fault"},
		{"text and byte string", []contender{returns(ours, "a", nil), returns(ugorji, []byte("a"), nil)}, 0, "disagree"},
		{"value in a list", []contender{
			returns(ours, []any{int64(1), "a"}, nil), returns(ugorji, []any{int64(1), "b"}, nil),
		}, 0, "disagree at /1"},
		{"number of items", []contender{returns(ours, tail{2, "a"}, nil), returns(ugorji, tail{3, "a"}, nil)}, 0, "disagree at /0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			refused, err := agree(test.by)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Fatalf("error %v, want one with %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, err := range refused {
				if err != nil {
					n++
				}
			}
			if n != test.refused {
				t.Errorf("%d contenders refused, want %d", n, test.refused)
			}
		})
	}
}

func TestSpread(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   spread
		text   string
	}{
		{[]float64{3}, spread{3, 3, 3, 1}, "3 (once)"},
		{[]float64{5, 1, 3, 2, 4}, spread{3, 2, 4, 5}, "3 (2–4)"},
		{[]float64{4, 1, 3, 2}, spread{2.5, 1.75, 3.25, 4}, "2.5 (1.75–3.25)"},
	} {
		if got := spreadOf(test.values); got != test.want || got.String() != test.text {
			t.Errorf("spread of %v is %v (%q), want %v (%q)", test.values, got, got, test.want, test.text)
		}
	}
}

// measured returns a result with one sample for each name.
func measured(group, name string, ns map[string]float64) result {
	r := result{work: work{group: group, name: name, base: fxamacker}, n: 100, items: 1}
	for _, by := range columns {
		if x, ok := ns[by]; ok {
			r.series = append(r.series, series{name: by, samples: []sample{{ns: x, bytes: 140, allocs: 1}}})
		}
	}
	return r
}

func TestJudge(t *testing.T) {
	results := []result{
		measured(values, "Null", map[string]float64{ours: 10, fxamacker: 100}),
		measured(values, "Boolean", map[string]float64{ours: 10, fxamacker: 60}),
		measured(values, "Number0", map[string]float64{ours: 10, fxamacker: 59}),
		measured(streams, "array of 5 MB in segments", map[string]float64{ours: 151, memory: 100}),
		measured(streams, "byte string of 64 MiB", map[string]float64{ours: 1}),
	}
	want := map[string]string{
		"Null": "reached, and the goal", "Boolean": "reached", "Number0": "not reached",
		"array of 5 MB in segments": "not reached", "byte string of 64 MiB": "reached",
	}
	got := judge(results)
	if len(got) != len(want) {
		t.Errorf("%d judgements, want %d", len(got), len(want))
	}
	for _, j := range got {
		if j.verdict() != want[j.name] {
			t.Errorf("%s: %s, want %s", j.name, j.verdict(), want[j.name])
		}
	}
}

func TestBehind(t *testing.T) {
	got := behind([]result{
		measured(values, "Float", map[string]float64{ours: 33, fxamacker: 31}),   // within 3 ns
		measured(values, "String1", map[string]float64{ours: 109, ugorji: 100}),  // within 10 %
		measured(values, "Date", map[string]float64{ours: 200, smithyGo: 100}),   // smithy makes no time
		measured(values, "Array4", map[string]float64{ours: 300, smithyGo: 200}), // the one to be told
	})
	if len(got) != 1 || !strings.HasPrefix(got[0], "Values, Array4: cbor takes 1.5 (once) times the time of smithy, 300 ns and 200 ns") {
		t.Errorf("behind: %q", got)
	}
}

func TestReplace(t *testing.T) {
	page := "before\n" + begin + "\nold\n" + end + "\nafter\n"
	got, err := replace([]byte(page), []byte("new\n"))
	if want := strings.Replace(page, "old", "new", 1); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if _, err := replace([]byte("before\n"+begin+"\n"), nil); err == nil {
		t.Error("no error without the line that ends the part")
	}
}

func TestUnits(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{duration(8.26), "8.26 ns"}, {duration(1234), "1.23 µs"}, {duration(56_700_000), "56.7 ms"}, {duration(2e9), "2 s"},
		{size(0), "0 B"}, {size(1500), "1.5 kB"}, {size(16_777_216), "16.8 MB"}, {short(100.4), "100"}, {short(1), "1"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, args := range []string{"x", "-rounds=0", "-time=0", "-heap=-1", "-run=(", "-write -run=Map", "-write -short", "-unknown"} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
	o, err := parse([]string{"-rounds", "3", "-time", "5ms", "-run", "^Values"}, io.Discard)
	if err != nil || o.rounds != 3 || o.time.Milliseconds() != 5 || !o.match.MatchString("Values, Null") || o.scale != 1 {
		t.Errorf("got %+v, %v", o, err)
	}
}
