package main

import "fmt"

func Example() {
	s, err := run()
	if err != nil {
		fmt.Println(err)
		return
	}
	s.report()
	// Output:
	// 100000 readings over 4 connections, 3 of them broken inside a reading
	// attic: mean 20.00
	// cellar: mean 20.25
	// garden: mean 20.50
	// kitchen: mean 20.75
}
