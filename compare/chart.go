package main

import (
	"bytes"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// bars are the workloads of the chart, from top to bottom.
var bars = []struct{ group, name, label string }{
	{documents, "twitter_status", "twitter_status"},
	{documents, "citm_catalog", "citm_catalog"},
	{documents, "canada_geometry", "canada_geometry"},
	{documents, "golang_source", "golang_source"},
	{documents, "synthea_fhir", "synthea_fhir"},
	{documents, "string_unicode", "string_unicode"},
	{documents, "log_records", "100,000 log records"},
	{streams, "log_records", "the same from a stream"},
	{documents, "vocabulary_array", "256,000 tokens"},
	{documents, "vocabulary_map", "256,000 tokens as keys"},
	{structs, "records", "log records into structs"},
	{structs, "citm_catalog", "citm_catalog into structs"},
}

// ways are the bars of each workload. Where one was not measured, the next of its
// names takes its place.
var ways = []struct {
	names []string
	label string
	color color.Color
}{
	{names(ours), "this package", color.RGBA{0x1f, 0x77, 0xb4, 0xff}},
	{names(orderedAlias, alias), "this package, ordered maps, aliased text", color.RGBA{0x7f, 0xb8, 0xe0, 0xff}},
	{names(fxamacker), "fxamacker/cbor", color.RGBA{0xff, 0x7f, 0x0e, 0xff}},
	{names(ugorji), "ugorji/go codec", color.RGBA{0x6a, 0xa8, 0x4f, 0xff}},
	{names(smithyGo), "smithy-go", color.RGBA{0x99, 0x99, 0x99, 0xff}},
}

// chart draws how many times as fast as fxamacker/cbor each is, as SVG.
func chart(results []result) ([]byte, error) {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.X.Label.Text = "times as fast as fxamacker/cbor (longer is faster)"
	p.X.Min = 0
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	grid := plotter.NewGrid()
	grid.Horizontal.Width = 0
	p.Add(grid)

	const thickness = 5.5
	for i, way := range ways {
		series := make(plotter.Values, len(bars))
		for j, b := range bars {
			series[len(bars)-1-j] = speed(results, b.group, b.name, way.names)
		}
		chart, err := plotter.NewBarChart(series, vg.Points(thickness))
		if err != nil {
			return nil, err
		}
		chart.Horizontal = true
		chart.Color = way.color
		chart.LineStyle.Width = 0
		chart.Offset = vg.Points(thickness * (float64(len(ways)-1)/2 - float64(i)))
		p.Add(chart)
		p.Legend.Add(way.label, chart)
	}
	labels := make([]string, len(bars))
	for j, b := range bars {
		labels[len(bars)-1-j] = b.label
	}
	p.NominalY(labels...)
	p.Y.Min, p.Y.Max = -0.6, float64(len(bars))+1.7 // the legend is above the bars

	canvas := vgsvg.NewWith(vgsvg.UseWH(vg.Points(560), vg.Points(34*float64(len(bars))+110)))
	p.Draw(draw.Crop(draw.New(canvas), vg.Points(8), -vg.Points(8), vg.Points(4), -vg.Points(4)))
	var b bytes.Buffer
	_, err := canvas.WriteTo(&b)
	// Most readers lack the font that the widths were taken from; these are as wide.
	const family = "font-family:Liberation Sans"
	return bytes.ReplaceAll(b.Bytes(), []byte(family), []byte(family+",Arial,Helvetica,sans-serif")), err
}

// speed returns the ratio of the first of the names that was measured, or 0.
func speed(results []result, group, name string, names []string) float64 {
	for _, r := range results {
		if r.group != group || r.name != name {
			continue
		}
		for _, by := range names {
			if s, ok := r.faster(by, fxamacker); ok {
				return s.median
			}
		}
	}
	return 0
}
