import type { Reconcile } from "../history/history.ts";
import { Outcome } from "./outcomes.tsx";
import { usePage } from "./shown.ts";
import { duration, timeOfDay } from "./texts.ts";
import { callsOf, logOf } from "../history/connections.ts";
import { objectOfCause } from "../../dev/record/recorded.ts";
import { ErrorText, RequestTable } from "./error-text.tsx";
import { Link } from "./messages.tsx";
import { CallList } from "./webhook-call.tsx";
import { PrintedLines } from "./lines.tsx";

interface ReconcileListProps {
  readonly reconciles: readonly Reconcile[];
  /** Returns what a reconcile has to do with an object. */
  readonly howOf?: (reconcile: Reconcile) => string;
}

/** Reconciles, each in one line. */
export function ReconcileList({ reconciles, howOf }: ReconcileListProps) {
  return (
    <ul class="reconciles">
      {reconciles.map((reconcile) => (
        <li key={reconcile.reconcileID}>
          <ReconcileLine reconcile={reconcile} how={howOf?.(reconcile)} />
        </li>
      ))}
    </ul>
  );
}

/** A reconcile in one line; below the chosen reconcile are its details. */
function ReconcileLine({
  reconcile,
  how,
}: {
  readonly reconcile: Reconcile;
  readonly how: string | undefined;
}) {
  const { shown, show } = usePage();
  const isChosen = shown.reconcileID === reconcile.reconcileID;
  const { controller, request, outcome, from, to, groupedBy } = reconcile;
  return (
    <>
      <button
        type="button"
        class="link"
        aria-expanded={isChosen}
        onClick={() => show({ reconcileID: isChosen ? undefined : reconcile.reconcileID, callID: undefined })}
      >
        <time>{timeOfDay(from)}</time> {controller} {request} <Outcome outcome={outcome} /> in{" "}
        {duration(to - from)}{" "}
        {groupedBy !== undefined && <span class="dim">(requests, by their {groupedBy})</span>}{" "}
        {how !== undefined && <span class="dim">({how})</span>}
      </button>
      {isChosen && <ReconcileDetail reconcile={reconcile} />}
    </>
  );
}

/** The causes, the requests, the webhook calls, the end and the log of a reconcile. */
export function ReconcileDetail({ reconcile }: { readonly reconcile: Reconcile }) {
  const { feed } = usePage();
  const { causes, requests, error, stack, requeueAfter, groupedBy } = reconcile;
  const printed = logOf(feed.history, reconcile);
  const calls = callsOf(feed.history, reconcile);
  return (
    <div class="reconcile-detail">
      {groupedBy !== undefined && (
        <p class="dim">
          What the API server saw: requests that belong together by their {groupedBy}. Why they were sent, and
          what was read from a cache, only the operator knows; one on @tsbuilder/runtime tells.
        </p>
      )}
      <h3>Because of</h3>
      {causes.length === 0 ? (
        <p class="dim">no cause is known</p>
      ) : (
        <ul>
          {causes.map((cause) => (
            <li key={cause}>
              <Cause cause={cause} />
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && <ErrorText error={error} stack={stack} />}
      {requeueAfter !== undefined && <p>It runs again after {duration(requeueAfter)}.</p>}
      <h3>Requests</h3>
      {requests.length === 0 ? (
        <p class="dim">none: what it read came from the cache</p>
      ) : (
        <RequestTable key={reconcile.reconcileID} requests={requests} />
      )}
      {calls.length > 0 && (
        <>
          <h3>Webhooks that were asked</h3>
          <CallList calls={calls} />
        </>
      )}
      <h3>Log</h3>
      {printed.length === 0 ? <p class="dim">nothing</p> : <PrintedLines printed={printed} />}
    </div>
  );
}

function Cause({ cause }: { readonly cause: string }) {
  const { feed } = usePage();
  const { kind, key } = objectOfCause(cause) ?? { kind: "", key: "" };
  const [place] = feed.history.placesOf(kind, key);
  if (place === undefined) return <>{cause}</>;
  return <Link to={{ view: "objects", tab: "changes", place }}>{cause}</Link>;
}
