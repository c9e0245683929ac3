import type { Reconcile } from "../history/history.ts";
import type { Tone } from "@tsbuilder/apimachinery/meta";
import type { Verdict } from "../../dev/record/webhook-call.ts";
import { toneWords } from "../../dev/view/standing.ts";

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

const toneSigns: Readonly<Record<Tone, string>> = { bad: "✗", busy: "◐", good: "✓", none: "·" };

/** How something stands, as one sign and a colour; screen readers get the word. */
export function Mark({ tone }: { readonly tone: Tone }) {
  return (
    <span class={`mark ${tone}`}>
      <span aria-hidden="true">{toneSigns[tone]}</span>
      <span class="hidden"> {toneWords[tone]} </span>
    </span>
  );
}

/** A kind as an icon: its initials, as kubectl shortens the names of kinds. */
export function KindIcon({ kind }: { readonly kind: string }) {
  return (
    <span class="icon" title={kind} aria-hidden="true">
      {kind.replaceAll(/[^A-Z]/gu, "").slice(0, 3) || kind.slice(0, 1)}
    </span>
  );
}

/** The key of an object, whose namespace matters less than its name. */
export function Key({ of }: { readonly of: string }) {
  const [name, namespace] = of.split("/").toReversed();
  return (
    <>
      {namespace !== undefined && <span class="dim">{namespace}/</span>}
      {name}
    </>
  );
}
