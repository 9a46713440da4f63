package main

// A term is one thing with several names. Records use the first two; the third
// is what a reader may call it who has read none of them, and no record has it.
type term struct {
	names [3]string
	// values are what may be decided of an aspect, and options its evidence compares.
	values []string
}

// A component is a part of the project; its files lie in internal/<dir>.
type component struct {
	term
	dir, file string
}

func names(a, b, c string, values ...string) term { return term{[3]string{a, b, c}, values} }

var components = []component{
	{names("page cache", "lookaside store", "hot tier"), "cache", "lru.go"},
	{names("job queue", "work backlog", "dispatcher"), "queue", "lease.go"},
	{names("login service", "sign-on front end", "authentication"), "login", "session.go"},
	{names("invoice printer", "billing renderer", "receipts"), "invoice", "layout.go"},
	{names("search index", "full-text catalogue", "finder"), "index", "segment.go"},
	{names("mail gateway", "notification relay", "outbound messages"), "mail", "smtp.go"},
	{names("upload handler", "file intake", "attachments"), "upload", "chunk.go"},
	{names("report builder", "statistics exporter", "charts"), "report", "pivot.go"},
	{names("config loader", "settings reader", "preferences"), "config", "merge.go"},
	{names("payment adapter", "card processor link", "checkout"), "payment", "charge.go"},
	{names("event log", "journal", "audit trail"), "journal", "append.go"},
	{names("rate limiter", "request throttle", "abuse guard"), "limit", "bucket.go"},
	{names("schema migrator", "table upgrader", "database evolution"), "migrate", "plan.go"},
	{names("image resizer", "thumbnail maker", "pictures"), "image", "scale.go"},
	{names("web crawler", "site fetcher", "spider"), "crawl", "frontier.go"},
	{names("sync client", "device replicator", "offline mode"), "sync", "delta.go"},
	{names("plugin host", "extension runner", "add-ons"), "plugin", "sandbox.go"},
	{names("metrics pipe", "telemetry collector", "monitoring"), "metrics", "scrape.go"},
	{names("text editor", "document surface", "scribble pane"), "editor", "cursor.go"},
	{names("geo locator", "address resolver", "maps"), "geo", "tile.go"},
	{names("stock ledger", "inventory book", "warehouse"), "stock", "count.go"},
	{names("price engine", "tariff calculator", "discounts"), "price", "rule.go"},
	{names("chat hub", "conversation broker", "banter rooms"), "chat", "room.go"},
	{names("backup agent", "snapshot writer", "disaster recovery"), "backup", "pack.go"},
}

var aspects = []term{
	names("eviction policy", "expiry rule", "how old entries go", "LRU", "segmented LRU", "ARC", "CLOCK-Pro", "random replacement"),
	names("retry strategy", "repeat schedule", "what happens after a failure", "fixed pauses", "exponential backoff", "jittered backoff", "no retries", "a retry budget"),
	names("wire format", "serialization", "bytes on the network", "JSON", "protobuf", "CBOR", "msgpack", "Avro"),
	names("lock scheme", "mutual exclusion", "concurrent access", "one mutex", "sharded mutexes", "a single writer goroutine", "optimistic versions", "advisory file locks"),
	names("storage engine", "persistence", "where data lives", "SQLite", "Postgres", "bbolt", "flat files", "Badger"),
	names("timeout", "deadline", "patience with slow peers", "two seconds", "ten seconds", "a deadline from the caller", "thirty seconds", "an adaptive limit"),
	names("partitioning", "sharding", "splitting by tenant", "hash of the tenant", "range of the key", "one shard only", "rendezvous hashing", "by calendar month"),
	names("key rotation", "credential renewal", "ageing secrets", "yearly by hand", "weekly by cron", "on each deploy", "a managed vault", "short-lived certificates"),
	names("log level", "verbosity", "amount of diagnostics", "warnings only", "sampled debug lines", "structured info lines", "per-request traces", "errors with context"),
	names("batch size", "chunking", "grouping of work", "64 rows", "500 rows", "one row", "4 MiB blocks", "what arrives in 20 ms"),
	names("compression", "packing", "shrinking payloads", "gzip", "zstd level 3", "no compression", "snappy", "brotli for text"),
	names("pagination", "paging", "long result lists", "offset and limit", "keyset cursors", "opaque tokens", "a hard cap of 200", "streamed results"),
	names("consistency", "read freshness", "seeing own updates", "read from the primary", "bounded staleness", "session tokens", "quorum reads", "last write wins"),
	names("test doubles", "fakes", "simulated collaborators", "hand-written fakes", "recorded traffic", "an in-memory server", "containers", "contract tests"),
	names("rollout", "release train", "shipping to users", "all at once", "a one percent canary", "blue and green fleets", "feature flags", "region by region"),
	names("error reporting", "failure surface", "telling people it broke", "panic and restart", "typed errors", "error codes", "a dead letter box", "retry hints for callers"),
	names("memory budget", "heap bound", "footprint", "256 MiB", "a quarter of the machine", "no bound", "512 MiB with spill", "arena allocation"),
	names("access check", "permission model", "who may do it", "role lists", "capability tokens", "per-object grants", "a policy file", "owner only"),
}

// symptoms are what goes wrong; their names work like those of a term.
var symptoms = []term{
	names("slow starts", "a long warm-up", "sluggish boot"),
	names("lost updates", "vanished writes", "missing edits"),
	names("latency spikes", "p99 peaks", "hiccups"),
	names("memory growth", "a creeping heap", "running out of RAM"),
	names("duplicate entries", "double rows", "repeated items"),
	names("stuck workers", "hung goroutines", "frozen processes"),
	names("stale answers", "outdated replies", "old results"),
	names("broken encodings", "garbled text", "mojibake"),
	names("disk pressure", "a full volume", "no space left"),
	names("flaky tests", "red builds by chance", "unreliable CI"),
}

// culprits are suspected causes that turn out wrong or right.
var culprits = []string{
	"the garbage collector", "DNS lookups", "TLS handshakes", "the kernel's page cache", "clock skew", "connection pool starvation",
	"a missing index", "log flushing", "the load balancer's drain", "JSON decoding", "lock convoys", "cron overlap", "NUMA placement", "retransmits",
}

// remarks fill bodies with what projects write beside the matter itself.
var remarks = []string{
	"We looked at it in the weekly meeting and nobody objected.",
	"Operations asked for a dashboard before the next release.",
	"The numbers come from the staging cluster with a week of replayed requests.",
	"Older clients stay supported until the end of the year.",
	"A feature switch allows to go back within minutes.",
	"The change is small and touches two packages.",
	"Support has seen four tickets about it since spring.",
	"We measured on the small machines, which are half of the fleet.",
	"Documentation for operators needs a paragraph.",
	"The alternative would need another team for a quarter.",
	"Nothing else depends on the old behaviour as far as grep can tell.",
	"It costs one more dependency, which has no dependencies itself.",
	"The first attempt failed in review because of naming.",
	"Two customers run a fork and must be told.",
}

// chores are titles of work that decides nothing; %c is a component, %a an aspect.
var chores = []string{
	"Rename the %a flags of the %c", "Document the %a of the %c", "Add a dashboard for the %c", "Bump the dependencies of the %c",
	"Split the %c's largest file", "Move the %c's tests beside its code", "Fix a typo in the %c's help", "Review the %a of the %c with operations",
}

// asides are observations that share words with a matter and settle nothing.
var asides = []string{
	"Talked about the %a of the %c, no outcome", "A customer asked how the %c does its %a", "The %c logs its %a at start",
	"Somebody's blog compares ways to do %a for a %c", "The %c was idle all weekend, its %a untested",
}
