import type { Reconcile } from "../history/history.ts";
import type { Verdict } from "../history/webhook-call.ts";

/** The outcome of a reconcile as a word, a sign and a colour. */
export function Outcome({ outcome }: { readonly outcome: Reconcile["outcome"] }) {
  return (
    <span class={`outcome ${outcome}`}>
      {outcomeSigns[outcome]} {outcome}
    </span>
  );
}

/** A sign for each outcome, from the best to the worst: not everybody can tell the colours apart. */
export const outcomeSigns: Readonly<Record<Reconcile["outcome"], string>> = {
  done: "✓",
  later: "↻",
  again: "↻",
  unfinished: "…",
  conflict: "≠",
  terminal: "■",
  error: "✗",
};

export const outcomes = Object.keys(outcomeSigns) as Reconcile["outcome"][];

/** The verdict of a webhook call as a word, a sign and a colour. */
export function VerdictWord({ verdict }: { readonly verdict: Verdict }) {
  return (
    <span class={`verdict ${verdict}`}>
      {verdictSigns[verdict]} {verdict}
    </span>
  );
}

/** A sign for each verdict, from the best to the worst. */
export const verdictSigns: Readonly<Record<Verdict, string>> = {
  allowed: "✓",
  converted: "⇄",
  patched: "±",
  ignored: "!",
  denied: "⊘",
  failed: "✗",
};

export const verdicts = Object.keys(verdictSigns) as Verdict[];
