package cli

// A scene of the demo is a few commands that belong together.
type scene struct {
	what  string
	steps []step
}

// A step is one command of the demo. Its arguments may name, as $name, the ids
// that earlier steps printed.
type step struct {
	args   []string
	name   string // what to call the id that it prints
	agent  string // who runs it, where not the first agent
	status int    // with which it ends
}

func does(args ...string) step               { return step{args: args} }
func names(name string, args ...string) step { return step{args: args, name: name} }

// secondAgent judges for itself, on a branch of its own.
const secondAgent = "grace-agent"

// story is what the demo tells.
var story = []scene{
	{"A repository starts to keep context. Here agents may accept; by default only a person does.", []step{
		does("init", "--review", "any"),
		names("goal", "goal", "add", "Checkout answers within 300 ms at p99"),
		names("task", "task", "add", "Find what makes checkout slow after a deploy", "--path", "checkout/**"),
		does("start", "$task"),
	}},
	{"Three explanations compete.", []step{
		names("cache", "hyp", "add", "Cache stampedes cause the p99 spikes", "--confidence", "0.6"),
		names("retry", "hyp", "add", "The payment client retries without waiting", "--confidence", "0.5"),
		names("pool", "hyp", "add", "The connection pool is too small", "--confidence", "0.3"),
	}},
	{"Evidence speaks against one and for another, and they are judged.", []step{
		names("warm", "evidence", "add", "p99 stays at 900 ms with a warm cache", "--type", "benchmark", "--source", "bench/warm-cache.txt", "--refutes", "$cache"),
		does("refute", "$cache", "--cite", "$warm", "--reason", "p99 is unchanged with a warm cache"),
		does("support", "$retry", "--evidence", "Traces show four calls within 10 ms after each timeout", "--type", "experiment", "--source", "traces/checkout.json",
			"--anchor", "checkout/payment.go:3-3"),
	}},
	{"A decision is made, and replaced by a better one. Another is turned down.", []step{
		names("twice", "decision", "add", "Retry payments twice at once", "--question", "How does the payment client retry?", "--rests-on", "$retry"),
		does("accept", "$twice"),
		names("backoff", "decision", "add", "Retry payments with exponential backoff, three times at most", "--question", "How does the payment client retry?", "--rests-on", "$retry"),
		does("supersede", "$twice", "--by", "$backoff", "--reason", "two calls at once still pile up"),
		does("accept", "$backoff"),
		names("queue", "decision", "add", "Put checkout behind a queue", "--question", "How is load taken off checkout?"),
		does("reject", "$queue", "--reason", "customers wait for the answer: a queue only moves the waiting"),
		does("commit", "-m", "The payment client's retries are the cause"),
	}},
	{"On a branch, a second agent comes to another view of the pool than the first.", []step{
		{args: []string{"switch", "-c", "second-look"}, agent: secondAgent},
		{args: []string{"support", "$pool", "--evidence", "All 20 connections are busy at 11:04", "--source", "metrics/pool.csv"}, agent: secondAgent},
		does("switch", "main"),
		does("refute", "$pool", "--evidence", "Doubling the pool leaves p99 at 900 ms", "--source", "bench/pool-40.txt"),
	}},
	{"The merge keeps both views, as data, until someone settles it.", []step{
		{args: []string{"merge", "second-look"}, status: statusNo},
		{args: []string{"conflicts"}, status: statusNo},
	}},
	{"The next reader gets what holds. What was refuted or rejected is a warning; what was superseded is gone.", []step{
		does("packet"),
	}},
}
