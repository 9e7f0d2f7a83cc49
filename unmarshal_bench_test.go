package cbor

import (
	"fmt"
	"os"
	"reflect"
	"strconv"
	"testing"

	fxcbor "github.com/fxamacker/cbor/v2"
)

type benchRecord struct {
	Time    int64   `cbor:"time"`
	Level   string  `cbor:"level"`
	Service string  `cbor:"service"`
	Message string  `cbor:"message"`
	Status  int     `cbor:"status"`
	Seconds float64 `cbor:"seconds"`
	Trace   []byte  `cbor:"trace"`
	Retry   bool    `cbor:"retry"`
}

type benchHeader struct {
	Alg         int    `cbor:"1,keyasint"`
	ContentType int    `cbor:"3,keyasint"`
	KeyID       []byte `cbor:"4,keyasint"`
	IV          []byte `cbor:"5,keyasint"`
	PartialIV   []byte `cbor:"6,keyasint"`
	Epoch       int64  `cbor:"-65537,keyasint"`
}

type benchTuple struct {
	_    struct{} `cbor:",toarray"`
	ID   uint64
	X, Y float64
	Name string
	Flag bool
	Blob []byte
}

type (
	citmPrice struct {
		Amount                int    `json:"amount"`
		AudienceSubCategoryID int    `json:"audienceSubCategoryId"`
		SeatCategoryID        int    `json:"seatCategoryId"`
		Extra                 string `json:"extra,omitempty"`
	}
	citmArea struct {
		AreaID   int   `json:"areaId"`
		BlockIDs []int `json:"blockIds"`
	}
	citmSeatCategory struct {
		Areas          []citmArea `json:"areas"`
		SeatCategoryID int        `json:"seatCategoryId"`
	}
	citmPerformance struct {
		EventID        int                `json:"eventId"`
		ID             int                `json:"id"`
		Logo           *string            `json:"logo"`
		Name           *string            `json:"name"`
		Prices         []citmPrice        `json:"prices"`
		SeatCategories []citmSeatCategory `json:"seatCategories"`
		SeatMapImage   *string            `json:"seatMapImage"`
		Start          int64              `json:"start"`
		VenueCode      string             `json:"venueCode"`
	}
	citmEvent struct {
		Description *string `json:"description"`
		ID          int     `json:"id"`
		Logo        *string `json:"logo"`
		Name        string  `json:"name"`
		SubTopicIDs []int   `json:"subTopicIds"`
		SubjectCode *string `json:"subjectCode"`
		Subtitle    *string `json:"subtitle"`
		TopicIDs    []int   `json:"topicIds"`
	}
	citmCatalog struct {
		AreaNames                map[string]string    `json:"areaNames"`
		AudienceSubCategoryNames map[string]string    `json:"audienceSubCategoryNames"`
		BlockNames               map[string]string    `json:"blockNames"`
		Events                   map[string]citmEvent `json:"events"`
		Performances             []citmPerformance    `json:"performances"`
		SeatCategoryNames        map[string]string    `json:"seatCategoryNames"`
		SubTopicNames            map[string]string    `json:"subTopicNames"`
		SubjectNames             map[string]string    `json:"subjectNames"`
		TopicNames               map[string]string    `json:"topicNames"`
		TopicSubTopics           map[string][]int     `json:"topicSubTopics"`
		VenueNames               map[string]string    `json:"venueNames"`
	}
)

// citmDocument returns the catalog document, or a made one of its shape.
func citmDocument(tb testing.TB) []byte {
	if data, err := os.ReadFile("../shared/bench/citm_catalog.cbor"); err == nil {
		return data
	}
	c := citmCatalog{AreaNames: map[string]string{}, Events: map[string]citmEvent{}, TopicSubTopics: map[string][]int{}}
	for i := range 200 {
		id := 138586341 + i
		c.AreaNames[strconv.Itoa(id)] = fmt.Sprintf("Area number %d", i)
		c.TopicSubTopics[strconv.Itoa(id)] = []int{id, id + 1, id + 2}
		c.Events[strconv.Itoa(id)] = citmEvent{ID: id, Name: fmt.Sprintf("Event number %d", i), TopicIDs: []int{id, id + 1}}
		p := citmPerformance{EventID: id, ID: id + 1, Start: 1372701600000, VenueCode: "PLEYEL_PLEYEL"}
		for j := range 3 {
			p.Prices = append(p.Prices, citmPrice{Amount: 90250, AudienceSubCategoryID: 337100890, SeatCategoryID: id + j})
			areas := []citmArea{{AreaID: id}, {AreaID: id + 1}, {AreaID: id + 2}}
			p.SeatCategories = append(p.SeatCategories, citmSeatCategory{Areas: areas, SeatCategoryID: id + j})
		}
		c.Performances = append(c.Performances, p)
	}
	return encode(tb, c)
}

// encode encodes v, with keys in the order of the fields.
func encode(tb testing.TB, v any) []byte {
	data, err := fxcbor.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// BenchmarkUnmarshal compares with fxamacker/cbor; the input is the same.
func BenchmarkUnmarshal(b *testing.B) {
	var records []benchRecord
	ints, floats, names := make([]int64, 100_000), make([]float64, 100_000), map[string]string{}
	for i := range ints {
		ints[i] = int64(i) * 7919 * int64(1-2*(i&1))
		floats[i] = float64(i) * 1.37
	}
	for i := range 1000 {
		names["name of "+strconv.Itoa(i)] = "the value of " + strconv.Itoa(i*i)
		records = append(records, benchRecord{
			Time: 1700000000000 + int64(i), Level: "info", Service: "checkout", Status: 200 + i%300, Retry: i%7 == 0,
			Message: "request to /api/v1/items/" + strconv.Itoa(i) + " was handled", Seconds: float64(i) / 997, Trace: make([]byte, 16),
		})
	}
	run := func(name string, data []byte, typ reflect.Type) {
		modes := []struct {
			name string
			f    func([]byte, any) error
		}{
			{"cbor", Unmarshal}, {"alias", Options{AliasText: true}.Unmarshal}, {"fxamacker", fxcbor.Unmarshal},
		}
		for _, m := range modes {
			b.Run(name+"/"+m.name, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					if err := m.f(data, reflect.New(typ).Interface()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	header := benchHeader{Alg: -7, ContentType: 60, KeyID: []byte("key-11"), IV: make([]byte, 12), PartialIV: []byte{1, 2}, Epoch: 1700000000}
	tuple := benchTuple{ID: 123456, X: 1.25, Y: -7.1, Name: "a point", Flag: true, Blob: make([]byte, 20)}
	headers, tuples := make([]benchHeader, 1000), make([]benchTuple, 1000)
	for i := range headers {
		headers[i], tuples[i] = header, tuple
	}
	run("headers", encode(b, headers), reflect.TypeFor[[]benchHeader]())
	run("tuples", encode(b, tuples), reflect.TypeFor[[]benchTuple]())
	run("record", encode(b, records[77]), reflect.TypeFor[benchRecord]())
	run("records", encode(b, records), reflect.TypeFor[[]benchRecord]())
	run("header", encode(b, header), reflect.TypeFor[benchHeader]())
	run("tuple", encode(b, tuple), reflect.TypeFor[benchTuple]())
	run("citm", citmDocument(b), reflect.TypeFor[citmCatalog]())
	run("ints", encode(b, ints), reflect.TypeFor[[]int64]())
	run("floats", encode(b, floats), reflect.TypeFor[[]float64]())
	run("strings", encode(b, names), reflect.TypeFor[map[string]string]())
}
