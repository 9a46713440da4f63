package index

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/git-ctx/git-ctx/records"
)

// A builder fills a database nobody else sees, from all record files at once.
type builder struct {
	conn     *conn
	to       Head
	review   records.Review
	faults   Faults
	docs     int64 // last one given
	postings []posting
	// asked are the lookups that judgements made alone rest on; met are the
	// records whose judgement needs others.
	asked []posting
	met   []int64
}

// A parcel is some files on their way through the build, in order.
type parcel struct {
	changes []Change
	items   []*item
	judged  []judged
	err     error
	ready   chan struct{}
}

// A judged is the judgement on an item alone.
type judged struct {
	st     records.Standing
	asked  []posting
	met    bool
	faults Faults
}

const parcelSize = 128

// build makes the index of a commit from nothing, in a database of its own that
// then takes the place of generation old, which the caller has locked.
func (db *DB) build(ctx context.Context, old string, to Head, review records.Review, changes iter.Seq2[Change, error]) error {
	gen := newGen()
	c, err := create(db.dir, gen)
	if err != nil {
		return err
	}
	b := &builder{conn: c, to: to, review: review, faults: make(Faults)}
	if err = b.fill(ctx, changes); err == nil {
		err = b.complete()
	}
	if err != nil {
		_ = c.close() // it is deleted
		discard(db.dir, gen)
		return err
	}
	if err := c.finish(db.dir); err != nil {
		return err
	}
	switch stood, err := publish(db.dir, gen, old); {
	case err != nil:
		return err
	case !stood:
		return ErrMoved
	}
	return nil
}

// fill stores all files: they are read here, decoded and judged on all
// processors, and written in order by one goroutine, as SQLite wants it.
func (b *builder) fill(ctx context.Context, changes iter.Seq2[Change, error]) error {
	workers := runtime.GOMAXPROCS(0)
	work := make(chan *parcel, workers)
	queue := make(chan *parcel, 2*workers)
	failed := make(chan struct{})
	var failure error // written before failed is closed
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for p := range work {
				p.prepare(b.to, b.review)
				close(p.ready)
			}
		})
	}
	wg.Go(func() {
		for p := range queue {
			<-p.ready
			if failure != nil {
				continue
			}
			if failure = b.write(p); failure != nil {
				close(failed)
			}
		}
	})
	send := func(p *parcel) bool {
		select {
		case <-failed:
			return false
		case work <- p:
		}
		queue <- p
		return true
	}
	err := feed(ctx, changes, send)
	close(work)
	close(queue)
	wg.Wait()
	if failure != nil {
		return failure
	}
	return err
}

// feed cuts the changes into parcels until send refuses one.
func feed(ctx context.Context, changes iter.Seq2[Change, error], send func(*parcel) bool) error {
	p := &parcel{ready: make(chan struct{})}
	for ch, err := range changes {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		ch.Data = bytes.Clone(ch.Data)
		p.changes = append(p.changes, ch)
		if len(p.changes) < parcelSize {
			continue
		}
		if !send(p) {
			return nil
		}
		p = &parcel{ready: make(chan struct{})}
	}
	if len(p.changes) > 0 {
		send(p)
	}
	return nil
}

func (p *parcel) prepare(to Head, review records.Review) {
	for _, ch := range p.changes {
		it := newItem(ch.Path, ch.OID, ch.Data)
		var j judged
		if it.record != nil {
			j.faults = make(Faults)
			if p.err = j.faults.Ask(to.History, it.record, nil); p.err != nil {
				return
			}
			j.st, j.asked, j.met = it.judgeAlone(j.faults.judge(review, to))
		}
		p.items, p.judged = append(p.items, it), append(p.judged, j)
	}
}

func (b *builder) write(p *parcel) error {
	if p.err != nil {
		return p.err
	}
	for i, it := range p.items {
		if it.err != nil {
			if err := b.conn.exec(insertUnreadable, it.path, int64(it.err.Line), int64(it.err.Col), it.err.Msg); err != nil {
				return err
			}
		}
		if it.record == nil {
			continue
		}
		if it.text != noText {
			b.docs++
			it.doc = b.docs
			if err := b.conn.insertText(it); err != nil {
				return err
			}
		}
		if err := b.conn.exec(insertRecord, it.row(p.judged[i].st)...); err != nil {
			return err
		}
		if err := b.conn.exec(insertContent, it.rec, it.oid, it.data); err != nil {
			return err
		}
		maps.Copy(b.faults, p.judged[i].faults)
		if err := b.conn.insertFaults(p.judged[i].faults); err != nil {
			return err
		}
		b.postings = append(b.postings, it.postings...)
		b.asked = append(b.asked, p.judged[i].asked...)
		if p.judged[i].met {
			b.met = append(b.met, it.rec)
		}
	}
	return nil
}

// postingsAtOnce is how many postings one statement stores: most of the cost
// of storing one is that of a statement.
const postingsAtOnce = 64

func (c *conn) insertPostings(ps []posting) error {
	args := make([]driver.Value, 0, 2*len(ps))
	for i := range ps {
		args = append(args, ps[i].key[:], ps[i].rec)
	}
	return c.exec(insertLookup+strings.Repeat(", (?, ?)", len(ps)-1), args...)
}

// complete stores the lookups and judges the records that do not stand alone.
func (b *builder) complete() error {
	slices.SortFunc(b.postings, comparePostings)
	for ps := range slices.Chunk(b.postings, postingsAtOnce) {
		if err := b.conn.insertPostings(ps); err != nil {
			return err
		}
	}
	slices.SortFunc(b.asked, comparePostings)
	i := 0
	for _, q := range b.asked {
		for i < len(b.postings) && bytes.Compare(b.postings[i].key[:], q.key[:]) < 0 {
			i++
		}
		for j := i; j < len(b.postings) && b.postings[j].key == q.key; j++ {
			if b.postings[j].rec != q.rec {
				b.met = append(b.met, q.rec)
				break
			}
		}
	}
	slices.Sort(b.met)
	if err := b.conn.rejudge(&lookups{conn: b.conn}, slices.Compact(b.met), b.faults.judge(b.review, b.to)); err != nil {
		return err
	}
	if err := b.conn.exec(updateMeta, b.to.Commit, string(b.review), b.to.Signers, b.to.note()); err != nil {
		return fmt.Errorf("complete: %w", err)
	}
	return nil
}
