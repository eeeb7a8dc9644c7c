package main

import (
	"sync"

	"kumiko/bench/report"
)

const children = 10

func total(sums *[children]int) int {
	sum := 0
	for _, part := range sums {
		sum += part
	}
	return sum
}

func sumOfLeaves(first, leaves int) int {
	if leaves == 1 {
		return first
	}
	var sums [children]int
	var group sync.WaitGroup
	group.Add(children)
	below := leaves / children
	for i := 0; i < children; i++ {
		go func(i int) {
			sums[i] = sumOfLeaves(first+i*below, below)
			group.Done()
		}(i)
	}
	group.Wait()
	return total(&sums)
}

func serialSumOfLeaves(first, leaves int) int {
	if leaves == 1 {
		return first
	}
	var sums [children]int
	below := leaves / children
	for i := 0; i < children; i++ {
		sums[i] = serialSumOfLeaves(first+i*below, below)
	}
	return total(&sums)
}

func main() {
	leaves := report.Integer("leaves", 1000000)
	serial := report.Integer("serial", 0) == 1
	report.Workers()
	system, run := "go", sumOfLeaves
	if serial {
		system, run = "serial-go", serialSumOfLeaves
	}
	threads := 0
	for level := leaves; level > 1; level /= children {
		threads += level
	}
	sum := 0
	seconds := report.Seconds(func() { sum = run(0, leaves) })
	report.Print("skynet", system, seconds, threads, map[string]int{"sum": sum})
}
