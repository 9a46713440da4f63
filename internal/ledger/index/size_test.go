package index

import (
	"database/sql/driver"
	"fmt"
	"testing"
)

func TestZSize(t *testing.T) {
	cs := corpus(20000)
	n := 0
	for _, c := range cs {
		n += len(c.Data)
	}
	fmt.Println("data bytes per record", n/len(cs), string(cs[19999].Data))
	db := built(t, cs)
	c, _ := db.acquire()
	err := c.queryOnce("select name, sum(pgsize)/20000, sum(unused)/20000 from dbstat group by 1 order by 2 desc", nil, func(r []driver.Value) error { fmt.Println(r); return nil })
	fmt.Println(err)
}
