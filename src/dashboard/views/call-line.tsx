import type { Call } from "../history/history.ts";
import { verdictOf, webhookName } from "../history/verdict.ts";
import { CallDetail } from "./call-detail.tsx";
import { usePage } from "./shown.ts";
import { duration, timeOfDay } from "./times.ts";
import { VerdictWord } from "./verdict.tsx";

/** A call of a webhook in a line; the chosen one with its details below. */
export function CallLine({ call }: { readonly call: Call }) {
  const { shown, show } = usePage();
  const isChosen = shown.callID === call.uid;
  return (
    <>
      <button
        type="button"
        class="link"
        aria-expanded={isChosen}
        onClick={() => show({ callID: isChosen ? undefined : call.uid })}
      >
        <time>{timeOfDay(call.from)}</time> {nameOf(call)} <VerdictWord verdict={verdictOf(call)} /> in{" "}
        {duration(call.to - call.from)}
      </button>
      {isChosen && <CallDetail call={call} />}
    </>
  );
}

function nameOf(call: Call): string {
  const [operation, webhook] = [operationOf(call), webhookName(call)];
  return call.call === "conversion" ? `${webhook} ${operation}` : `${operation} ${webhook}`;
}

/** What the webhook was asked about. */
export function operationOf(call: Call): string {
  if (call.call === "conversion") return `to ${call.apiVersion}`;
  const { operation, subresource, dryRun } = call;
  return `${operation}${subresource === "" ? "" : ` of ${subresource}`}${dryRun ? " (dry run)" : ""}`;
}
