import { formatMicroTime } from "@tsbuilder/apimachinery/time";
import type { Client } from "@tsbuilder/runtime";
import { TsbuilderError } from "../../shared/errors.ts";
import type { OwnCluster } from "../dev-cluster.ts";
import type { HeldLease } from "../operator-leases.ts";
import type { OperatorProcess } from "../operator-process.ts";
import { sessionEnds } from "../session-ends.ts";
import type { PageAction } from "./page-action.ts";

/** What losing the leader needs. */
export interface LeaderParts {
  readonly cluster: Pick<OwnCluster, "client" | "leases">;
  readonly operator: Pick<OperatorProcess, "endsAfter" | "restart">;
  /** Ends the wait for the operator: the session stops. */
  readonly signal: AbortSignal;
  /** How long the operator may take to end; in milliseconds. */
  readonly patience?: number;
}

const patienceMilliseconds = 30_000;

/** Who takes the Lease, and for how many seconds after the next process has seen that. */
const [otherHolder, leaseSeconds] = ["another-replica", 5];

/**
 * Gives the operator's Lease to another holder, as if another replica had taken over: the operator ends, and is started
 * again, as a cluster would start it. The other holder doesn't renew the Lease, so that the new process leads after a while.
 */
export function loseLeaderAction({
  cluster: { client, leases },
  operator,
  signal,
  patience = patienceMilliseconds,
}: LeaderParts): PageAction {
  return async () => {
    const { held } = leases;
    if (!held) throw noLease(leases.hasLed);
    const limit = AbortSignal.timeout(patience);
    const isEnded = await operator.endsAfter(
      () => take(client, held, otherHolder, leaseSeconds),
      AbortSignal.any([signal, limit]),
    );
    if (signal.aborted) throw sessionEnds();
    if (isEnded) return operator.restart();
    await take(client, held, "", 1);
    throw runsOn(patience);
  };
}

async function take(
  client: Client,
  { namespace, name }: HeldLease,
  holderIdentity: string,
  leaseDurationSeconds: number,
): Promise<void> {
  const kind = await client.mapper.kindFor({ apiVersion: "coordination.k8s.io/v1", kind: "Lease" });
  const now = formatMicroTime(Date.now());
  const spec = { holderIdentity, leaseDurationSeconds, acquireTime: now, renewTime: now };
  await client.patch(kind, { namespace, name }, { merge: { spec } });
}

function noLease(hasLed: boolean): TsbuilderError {
  return new TsbuilderError(`the operator holds no Lease${hasLed ? " at the moment" : ""}`, {
    code: "REFUSED",
    hint: hasLed
      ? "wait until it leads again"
      : "start dev with leader election: tsbuilder dev -- --leader-elect",
  });
}

function runsOn(patience: number): TsbuilderError {
  return new TsbuilderError(
    `the operator still runs ${patience / 1000} s after another replica took its Lease`,
    {
      code: "REFUSED",
      hint: "it must end then: let manager.start() reject, or end the process after it",
    },
  );
}
