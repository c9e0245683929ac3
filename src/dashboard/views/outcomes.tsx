import type { Reconcile } from "../history/history.ts";
import { type Verdict, verdicts } from "../history/webhook-call.ts";

/** The outcome of a reconcile as a word, a sign and a colour. */
export function Outcome({ outcome }: { readonly outcome: Reconcile["outcome"] }) {
  return (
    <span class={`outcome ${outcome}`}>
      {outcomeSigns[outcome]} {outcome}
    </span>
  );
}

/** The legend of all outcomes. */
export function Legend() {
  return (
    <span class="legend">
      {outcomes.map((outcome) => (
        <Outcome key={outcome} outcome={outcome} />
      ))}
    </span>
  );
}

/** A sign for each outcome: not everybody can tell the colours apart. */
export const outcomeSigns: Readonly<Record<Reconcile["outcome"], string>> = {
  done: "✓",
  later: "↻",
  again: "↻",
  conflict: "≠",
  error: "✗",
  terminal: "■",
  unfinished: "…",
};

/** All outcomes, from the best to the worst. */
export const outcomes: readonly Reconcile["outcome"][] = [
  "done",
  "later",
  "again",
  "unfinished",
  "conflict",
  "terminal",
  "error",
];

/** The verdict of a webhook call as a word, a sign and a colour. */
export function VerdictWord({ verdict }: { readonly verdict: Verdict }) {
  return (
    <span class={`verdict ${verdict}`}>
      {verdictSigns[verdict]} {verdict}
    </span>
  );
}

/** A sign for each verdict: not everybody can tell the colours apart. */
export const verdictSigns: Readonly<Record<Verdict, string>> = {
  allowed: "✓",
  converted: "⇄",
  patched: "±",
  ignored: "!",
  denied: "⊘",
  failed: "✗",
};

/** The legend of all verdicts. */
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
