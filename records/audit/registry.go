package audit

import "slices"

// registry holds every rule, in the order in which they are documented: what
// must not be so, what should not, what is unfinished.
var registry = []*Rule{
	// The store is unsound.
	unreadableRecord,
	disputedRecord,
	lostSide,
	secret,
	deletedRecord,
	forgedTombstone,
	unattestedVerdict,
	displacedVerdict,
	overruledVerdict,
	loosenedPolicy,
	scopeLeak,
	// Records that their states would assert, and that are in doubt.
	restsOnDead,
	circularBasis,
	unreadableVeto,
	rivalDecisions,
	supportedDespiteRefutation,
	ruledOutAgain,
	supersessionFork,
	supersessionCycle,
	supportedByRetracted,
	contradictingRecords,
	// Asserted records to look at again.
	restsOnSuperseded,
	openChild,
	danglingLink,
	wrongKindLink,
	cyclicLink,
	duplicateOrigin,
	changedSinceReview,
	unreviewedVerdict,
	unsignedAcceptance,
	expiredValidity,
	agentOnlyEvidence,
	confidenceFarOff,
	sameText,
	staleAnchor,
	// Work that is not finished.
	doneWithoutConclusion,
	draftConclusion,
	openHypothesisOnClosedWork,
	hypothesisWithoutEvidence,
	decisionWithoutBasis,
	taskWithoutGoal,
	goalWithoutOpenWork,
	nearDuplicate,
	awaitingReview,
	unsourcedSupport,
	expiredClaim,
	leftBehind,
	// The policy.
	unknownRule,
	idleSuppression,
}

// Rules returns every rule in documentation order.
func Rules() []*Rule { return slices.Clone(registry) }

// Lookup returns the rule of that id, or nil.
func Lookup(id string) *Rule {
	for _, r := range registry {
		if r.ID == id {
			return r
		}
	}
	return nil
}
