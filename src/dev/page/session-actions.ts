import type { DevCluster } from "../dev-cluster.ts";
import type { RecentRecord } from "../record/recent-record.ts";
import { applyAction } from "./apply-action.ts";
import { deleteAction } from "./delete-action.ts";
import { failAction } from "./fail-action.ts";
import { leaderAction } from "./leader-action.ts";
import { type LeaderParts, loseLeaderAction } from "./lose-leader-action.ts";
import type { PageActions } from "./page-action.ts";
import { restoreAction, type RestoreParts } from "./restore-action.ts";

/** What a page may do to a session. */
export interface ActionParts
  extends Pick<RestoreParts, "since" | "apply">, Pick<LeaderParts, "ended" | "restartAfter"> {
  readonly cluster: DevCluster;
  /** Without one, there is no way back. */
  readonly record: RecentRecord | undefined;
  /** Restarts the operator when no reload runs, with something done while none runs. */
  readonly restart: (meanwhile?: () => Promise<void>) => Promise<void>;
}

/** The actions of a session. In a cluster that others have, too, only the operator can be restarted. */
export function sessionActions(parts: ActionParts): PageActions {
  const { cluster, record, since, restart, apply } = parts;
  const { sampleNamespace, own } = cluster;
  return {
    restart: async () => restart(),
    ...(own && {
      apply: applyAction(own.client, sampleNamespace),
      delete: deleteAction(own.client),
      fail: failAction(own.failures),
      leader: leaderAction(own),
      "lose-leader": loseLeaderAction({ ...parts, cluster: own }),
      ...(record && { restore: restoreAction({ cluster: own, record, since, restart, apply }) }),
    }),
  };
}
