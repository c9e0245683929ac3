import { type Verdict, verdicts } from "../history/verdict.ts";
import { verdictSigns } from "./verdict-signs.ts";

/** What came of a webhook's call, by a word, a sign and a colour. */
export function VerdictWord({ verdict }: { readonly verdict: Verdict }) {
  return (
    <span class={`verdict ${verdict}`}>
      {verdictSigns[verdict]} {verdict}
    </span>
  );
}

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
