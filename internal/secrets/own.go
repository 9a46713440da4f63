package secrets

// ownRules are rules beside gitleaks': what people paste into notes and gitleaks looks
// for in source alone, or beside the name of its service. What one of gitleaks' finds
// too is told by that one.
var ownRules = [...]rule{
	{
		id: "authorization-basic", regex: `(?i)\bauthorization["'\x60]?\s{0,2}[:=]\s{0,2}["'\x60]?basic\s+([a-z0-9+/_-]{8,}={0,2})`,
		keywords: []string{"authorization"}, word: 8, token: 8,
	},
	{
		id: "docker-hub-token", regex: `\bdckr_[po]at_[\w-]{20,}`,
		keywords: []string{"dckr_"}, word: 29, token: 29,
	},
	{
		id: "mailgun-key", regex: `\bkey-[0-9a-f]{32}\b|(?i:mailgun)[^\n]{0,60}?\b([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b`, entropy: 2.5,
		keywords: []string{"key-", "mailgun"}, word: 36, token: 36,
	},
	{
		id: "new-relic-key", regex: `\b(?:NRAK-[A-Z0-9]{27}|NRJS-[0-9a-f]{19}|NRRA-[0-9a-f]{42}|NRI[IQ]-[\w-]{32}|[0-9a-f]{36}(?:FF)?NRAL)\b`,
		keywords: []string{"nrak-", "nrjs-", "nrra-", "nrii-", "nriq-", "nral"}, word: 24, token: 24,
	},
	{
		// A word of a sentence is not a value: "password: required, at least 12 characters".
		id: "password-value", regex: `(?i)(?:password|passwd|passphrase|\b(?:[\w-]*_)?pwd)["'\x60]?(?:` +
			`(?:=|[ \t]{0,2}(?::=|=>|==?|:)[ \t]{0,2}["'\x60])([^\s"'\x60,;]{4,})` + // joined to it, or quoted
			`|[ \t]{0,2}(?::=|=>|==?|:)[ \t]{1,2}([^\s"'\x60,;]*[0-9!#@^&+][^\s"'\x60,;]*)` + // no word
			`|[ \t]{0,2}:[ \t]{0,2}([^\s"'\x60,;]{6,}?)[.]?[ \t]*(?:\n|$))`, // all that the line says
		keywords: []string{"password", "passwd", "passphrase", "pwd"},
		allowed: []allowlist{{regexes: []string{
			`(?i)^.{0,3}$`,
			`[<>$%{}()\[\]*…\\|]|^[./~:=-]|\.\.\.`, // a variable, a call, a path, a blank
			`(?i)^[a-z_]+(?:\.[a-z_]+)+$`,          // a field of the program's
			`(?i)^(?:the|a|an|your|my|our|new|old|user|db|env|test)?[_-]?(?:pass|passw(?:or)?d|passphrase|secret|token|value|string|text|hash|hashed|input|field|prompt|reset|required|optional|none|null|nil|true|false|yes|no|empty|unknown|unset|missing|wrong|invalid|expired|hidden|redacted|masked|removed|deleted|encrypted|changed?|placeholder|example|dummy|x+)\.?$`,
			`^[0-9]{1,4}(?:[smhd]|ms)?[.)]?$`,
		}}},
	},
	{
		id: "url-credentials", regex: `\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@"'\x60<>]*:([^\s/@"'\x60]+)@[^\s/@]`,
		keywords: []string{"://"},
		allowed: []allowlist{{regexes: []string{
			`[<>${}*…]|^%s$|\.\.\.|^x+$`,
			`(?i)^(?:user|your|my|the)?[_-]?(?:pass|passw(?:or)?d|pw|pwd|secret|token)$`,
		}}},
	},
}

// ruleCount is the number of rules, gitleaks' first.
const ruleCount = len(rules) + len(ownRules)

func ruleAt(i int) *rule {
	if i < len(rules) {
		return &rules[i]
	}
	return &ownRules[i-len(rules)]
}
