import type { DevCluster } from "../dev-cluster.ts";
import type { OperatorProcess } from "../operator-process.ts";
import type { RecentRecord } from "../record/recent-record.ts";
import { applyAction } from "./apply-action.ts";
import { deleteAction } from "./delete-action.ts";
import { failAction } from "./fail-action.ts";
import { leaderAction } from "./leader-action.ts";
import { loseLeaderAction } from "./lose-leader-action.ts";
import { moveClockAction } from "./move-clock-action.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import type { PageAction, PageActions } from "./page-action.ts";
import { restoreAction, type RestoreParts } from "./restore-action.ts";

/** What a page may do to a session. */
export interface ActionParts extends Pick<RestoreParts, "since" | "apply"> {
  readonly cluster: DevCluster;
  readonly operator: Pick<OperatorProcess, "restart" | "endsAfter" | "moveClock">;
  /** Without one, there is no way back. */
  readonly record: RecentRecord | undefined;
  /** Does something to the operator when no reload runs; the signal is aborted once a reload waits for it. */
  readonly between: <T>(work: (awaited: AbortSignal) => Promise<T>) => Promise<T>;
  /** Aborted when the session stops. */
  readonly signal: AbortSignal;
}

/** The actions of a session. In a cluster that others have, too, only the operator can be restarted. */
export function sessionActions(parts: ActionParts): PageActions {
  const { cluster, operator, record, since, between, apply, signal } = parts;
  const { sampleNamespace, own } = cluster;
  const restart = (meanwhile?: () => Promise<void>): Promise<void> =>
    between(() => operator.restart(meanwhile));
  return {
    restart: async () => restart(),
    ...(own && {
      apply: applyAction(own.client, sampleNamespace),
      delete: deleteAction(own.client),
      fail: failAction(own),
      leader: leaderAction(own),
      "lose-leader": whole(loseLeaderAction({ cluster: own, operator, signal }), between),
      "move-clock": oneAtATime(
        moveClockAction({ cluster: own, operator, between, signal }),
        "the clock is being moved already",
      ),
      ...(record && { restore: restoreAction({ cluster: own, record, since, restart, apply }) }),
    }),
  };
}

/** An action that is done between reloads. */
function whole(action: PageAction, between: ActionParts["between"]): PageAction {
  return (input) => between(() => action(input));
}
