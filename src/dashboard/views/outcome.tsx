import type { Reconcile } from "../history/history.ts";
import { outcomes, outcomeSigns } from "./outcomes.ts";

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
