package main

import (
	"bufio"
	"encoding/binary"
	"math"
	"net"
	"time"

	"github.com/streamcbor/cbor"
)

var sensors = []string{"attic", "cellar", "garden", "kitchen"}

// send sends all readings to the server, over as many connections as it takes.
func send(addr string) error {
	for {
		done, err := sendFrom(addr)
		if done || err != nil {
			return err
		}
	}
}

// sendFrom connects, asks where to begin, and sends until all is sent or the
// connection breaks.
func sendFrom(addr string) (done bool, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	next, err := cbor.NewDecoder(conn).ReadUint64()
	if err != nil {
		return false, err
	}
	w := bufio.NewWriter(conn)
	var b []byte
	for i := next; i < total; i++ {
		b = appendReading(b[:0], i)
		half := len(b) / 2
		switch {
		case i > next && i%breakEvery == 0:
			w.Write(b[:half])
			return false, w.Flush()
		case i > next && i%stallEvery == 0:
			w.Write(b[:half])
			if err := w.Flush(); err != nil {
				return false, err
			}
			time.Sleep(stall)
			b = b[half:]
		}
		if _, err := w.Write(b); err != nil {
			return false, err
		}
	}
	return true, w.Flush()
}

// appendReading appends reading i in CBOR.
func appendReading(b []byte, i uint64) []byte {
	sensor := sensors[i%uint64(len(sensors))]
	b = append(b, 0xa4) // map of 4 pairs
	b = appendUint(append(b, 1), 0, i)
	b = appendUint(append(b, 2, 0xc1), 0, 1774746000+i) // tag 1: seconds since 1970
	b = append(appendUint(append(b, 3), 3, uint64(len(sensor))), sensor...)
	b = append(b, 4, 0xfb) // float64
	return binary.BigEndian.AppendUint64(b, math.Float64bits(20+float64(i%uint64(len(sensors)))/4))
}

// appendUint appends a head of the major type with n as its argument.
func appendUint(b []byte, major byte, n uint64) []byte {
	if n < 24 {
		return append(b, major<<5|byte(n))
	}
	return binary.BigEndian.AppendUint64(append(b, major<<5|27), n)
}
