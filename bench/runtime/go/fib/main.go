package main

import (
	"sync"

	"kumiko/bench/report"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	var group sync.WaitGroup
	a := 0
	group.Add(1)
	go func() {
		a = fib(n - 1)
		group.Done()
	}()
	b := fib(n - 2)
	group.Wait()
	return a + b
}

func serialFib(n int) int {
	if n < 2 {
		return n
	}
	return serialFib(n-1) + serialFib(n-2)
}

func main() {
	n := report.Integer("n", 30)
	serial := report.Integer("serial", 0) == 1
	report.Workers()
	system, compute := "go", fib
	if serial {
		system, compute = "serial-go", serialFib
	}
	compute(n) // starts the workers, fills the pools
	value := 0
	seconds := report.Seconds(func() { value = compute(n) })
	report.Print("fib", system, seconds, max(serialFib(n+1)-1, 1), map[string]int{"value": value})
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}
