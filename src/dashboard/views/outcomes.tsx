import type { Reconcile } from "../history/history.ts";
import { type Verdict, verdicts } from "../history/webhook-call.ts";

/** How a reconcile ended, by a word, a sign and a colour. */
export function Outcome({ outcome }: { readonly outcome: Reconcile["outcome"] }) {
  return (
    <span class={`outcome ${outcome}`}>
      {outcomeSigns[outcome]} {outcome}
    </span>
  );
}

/** All outcomes, with their colours. */
export function Legend() {
  return (
    <span class="legend">
      {outcomes.map((outcome) => (
        <Outcome key={outcome} outcome={outcome} />
      ))}
    </span>
  );
}

/** A sign for each outcome, for who can't tell the colours apart. */
export const outcomeSigns: Readonly<Record<Reconcile["outcome"], string>> = {
  done: "✓",
  later: "↻",
  again: "↻",
  conflict: "≠",
  error: "✗",
  terminal: "■",
  unfinished: "…",
};

/** From the best to the worst. */
export const outcomes: readonly Reconcile["outcome"][] = [
  "done",
  "later",
  "again",
  "unfinished",
  "conflict",
  "terminal",
  "error",
];

/** What came of a webhook's call, by a word, a sign and a colour. */
export function VerdictWord({ verdict }: { readonly verdict: Verdict }) {
  return (
    <span class={`verdict ${verdict}`}>
      {verdictSigns[verdict]} {verdict}
    </span>
  );
}

/** A sign for each verdict, for who can't tell the colours apart. */
export const verdictSigns: Readonly<Record<Verdict, string>> = {
  allowed: "✓",
  converted: "⇄",
  patched: "±",
  ignored: "!",
  denied: "⊘",
  failed: "✗",
};

/** All verdicts, with their colours. */
export function VerdictLegend() {
  return (
    <span class="legend">
      webhooks
      {verdicts.map((verdict) => (
        <VerdictWord key={verdict} verdict={verdict} />
      ))}
    </span>
  );
}
