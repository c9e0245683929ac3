import type { Reconcile } from "../history/history.ts";
import { Outcome } from "./outcome.tsx";
import { ReconcileDetail } from "./reconcile-detail.tsx";
import { usePage } from "./shown.ts";
import { duration, timeOfDay } from "./times.ts";

/** A reconcile in a line; the chosen one with its details below. */
export function ReconcileLine({
  reconcile,
  how: why,
}: {
  readonly reconcile: Reconcile;
  readonly how?: string;
}) {
  const { shown, show } = usePage();
  const isChosen = shown.reconcileID === reconcile.reconcileID;
  const { controller, request, outcome, from, to } = reconcile;
  return (
    <>
      <button
        type="button"
        class="link"
        aria-expanded={isChosen}
        onClick={() => show({ reconcileID: isChosen ? undefined : reconcile.reconcileID, callID: undefined })}
      >
        <time>{timeOfDay(from)}</time> {controller} {request} <Outcome outcome={outcome} /> in{" "}
        {duration(to - from)} {why !== undefined && why !== "" && <span class="dim">({why})</span>}
      </button>
      {isChosen && <ReconcileDetail reconcile={reconcile} />}
    </>
  );
}
