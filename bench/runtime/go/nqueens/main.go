package main

import (
	"sync"

	"kumiko/bench/report"
)

const mostQueens = 16

// The rows filled so far, as masks over the columns of the next row.
type board struct {
	columns, leftDiagonals, rightDiagonals uint32
}

func (b board) attacked() uint32 { return b.columns | b.leftDiagonals | b.rightDiagonals }

func (b board) with(queen uint32) board {
	return board{b.columns | queen, (b.leftDiagonals | queen) << 1, (b.rightDiagonals | queen) >> 1}
}

type count struct {
	solutions, placements int
}

func sum(counts []count) count {
	total := count{0, len(counts)}
	for _, part := range counts {
		total.solutions += part.solutions
		total.placements += part.placements
	}
	return total
}

func placeRest(b board, all uint32) count {
	if b.columns == all {
		return count{1, 0}
	}
	var counts [mostQueens]count
	children := 0
	var group sync.WaitGroup
	for free := all &^ b.attacked(); free != 0; free &= free - 1 {
		group.Add(1)
		go func(result *count, next board) {
			*result = placeRest(next, all)
			group.Done()
		}(&counts[children], b.with(free&-free))
		children++
	}
	group.Wait()
	return sum(counts[:children])
}

func serialPlaceRest(b board, all uint32) count {
	if b.columns == all {
		return count{1, 0}
	}
	var counts [mostQueens]count
	children := 0
	for free := all &^ b.attacked(); free != 0; free &= free - 1 {
		counts[children] = serialPlaceRest(b.with(free&-free), all)
		children++
	}
	return sum(counts[:children])
}

func main() {
	n := report.Integer("n", 12)
	serial := report.Integer("serial", 0) == 1
	report.Workers()
	system, run := "go", placeRest
	if serial {
		system, run = "serial-go", serialPlaceRest
	}
	var found count
	seconds := report.Seconds(func() { found = run(board{}, 1<<n-1) })
	report.Print("nqueens", system, seconds, found.placements,
		map[string]int{"solutions": found.solutions, "placements": found.placements})
}
