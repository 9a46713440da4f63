package o200k

import "container/heap"

// countPiece counts the tokens of a piece that no token crosses the ends of: its
// bytes, joined two neighbours at a time, those first that make the token of
// least rank, of several the leftmost.
func countPiece(s string) int {
	if len(s) == 1 || rank(s) != noRank {
		return 1
	}
	m := newMerger(s)
	n := len(s)
	for len(m.pairs) > 0 {
		p := heap.Pop(&m.pairs).(pair)
		if m.rank[p.at] != p.rank {
			continue // one of the two was joined to another since
		}
		m.join(p.at)
		n--
	}
	return n
}

// A merger joins the parts of a piece. A part goes by the offset it begins at.
type merger struct {
	s          string
	prev, next []int32  // the neighbours; next of the last is len(s)
	rank       []uint32 // of the token that a part makes with the next; noRank if none
	pairs      pairHeap
}

// A pair is a part that can be joined with the next.
type pair struct {
	rank uint32
	at   int32
}

func newMerger(s string) *merger {
	n := len(s)
	m := &merger{s: s, prev: make([]int32, n+1), next: make([]int32, n+1), rank: make([]uint32, n+1)}
	for i := range n + 1 {
		m.prev[i], m.next[i] = int32(i)-1, int32(i)+1
	}
	for i := range n {
		if r := m.weigh(int32(i)); r != noRank {
			m.pairs = append(m.pairs, pair{r, int32(i)})
		}
	}
	heap.Init(&m.pairs)
	return m
}

// weigh sets and returns the rank of a part with the next.
func (m *merger) weigh(at int32) uint32 {
	m.rank[at] = noRank
	if next := int(m.next[at]); next < len(m.s) {
		m.rank[at] = rank(m.s[at:m.next[next]])
	}
	return m.rank[at]
}

// join joins a part with the next.
func (m *merger) join(at int32) {
	gone := m.next[at]
	m.next[at] = m.next[gone]
	m.prev[m.next[at]] = at
	m.rank[gone] = noRank
	for _, p := range [2]int32{at, m.prev[at]} {
		if p < 0 {
			continue
		}
		if r := m.weigh(p); r != noRank {
			heap.Push(&m.pairs, pair{r, p})
		}
	}
}

// A pairHeap has the pair to join first at its top.
type pairHeap []pair

func (h pairHeap) Len() int      { return len(h) }
func (h pairHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *pairHeap) Push(x any)   { *h = append(*h, x.(pair)) }

func (h pairHeap) Less(i, j int) bool {
	if h[i].rank != h[j].rank {
		return h[i].rank < h[j].rank
	}
	return h[i].at < h[j].at
}

func (h *pairHeap) Pop() any {
	last := len(*h) - 1
	p := (*h)[last]
	*h = (*h)[:last]
	return p
}
