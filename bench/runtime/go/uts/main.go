package main

import (
	"encoding/binary"
	"sync"

	"kumiko/bench/report"
)

const mostChildren = 8

// The tree of ../../uts_tree.hpp.
type tree struct {
	rootChildren int
	children     int
	probability  float64
	seed         uint32
}

type node struct {
	state [20]byte
	depth int
}

func (t *tree) root() node {
	var message [20]byte
	binary.BigEndian.PutUint32(message[16:], t.seed)
	return node{sha1(message[:]), 0}
}

func child(parent *node, index int) node {
	var message [24]byte
	copy(message[:], parent.state[:])
	binary.BigEndian.PutUint32(message[20:], uint32(index))
	return node{sha1(message[:]), parent.depth + 1}
}

func (t *tree) childrenOf(n *node) int {
	value := binary.BigEndian.Uint32(n.state[16:]) & 0x7fffffff
	if float64(value)/2147483648 < t.probability {
		return t.children
	}
	return 0
}

type extent struct {
	nodes int
	depth int
}

func sum(n *node, below []extent) extent {
	total := extent{1, n.depth}
	for _, part := range below {
		total.nodes += part.nodes
		if part.depth > total.depth {
			total.depth = part.depth
		}
	}
	return total
}

func explore(t *tree, n node) extent {
	children := t.childrenOf(&n)
	if children == 0 {
		return extent{1, n.depth}
	}
	var below [mostChildren]extent
	return exploreChildren(t, &n, below[:children])
}

func exploreChildren(t *tree, n *node, below []extent) extent {
	var group sync.WaitGroup
	group.Add(len(below))
	for i := range below {
		go func(i int) {
			below[i] = explore(t, child(n, i))
			group.Done()
		}(i)
	}
	group.Wait()
	return sum(n, below)
}

func serialExplore(t *tree, n node) extent {
	children := t.childrenOf(&n)
	if children == 0 {
		return extent{1, n.depth}
	}
	var below [mostChildren]extent
	return serialExploreChildren(t, &n, below[:children])
}

func serialExploreChildren(t *tree, n *node, below []extent) extent {
	for i := range below {
		below[i] = serialExplore(t, child(n, i))
	}
	return sum(n, below)
}

func main() {
	t := tree{
		rootChildren: report.Integer("b0", 2000),
		children:     8,
		probability:  report.Real("q", 0.124875),
		seed:         42,
	}
	serial := report.Integer("serial", 0) == 1
	report.Workers()
	system, run := "go", exploreChildren
	if serial {
		system, run = "serial-go", serialExploreChildren
	}
	var found extent
	seconds := report.Seconds(func() {
		root := t.root()
		found = run(&t, &root, make([]extent, t.rootChildren))
	})
	report.Print("uts", system, seconds, found.nodes,
		map[string]int{"nodes": found.nodes, "depth": found.depth})
}
