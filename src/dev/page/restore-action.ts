import { TsbuilderError } from "../../shared/errors.ts";
import type { OwnCluster } from "../dev-cluster.ts";
import type { RecentRecord } from "../record/recent-record.ts";
import { ActionInput } from "./action-input.ts";
import type { PageAction } from "./page-action.ts";

/** What going back needs. */
export interface RestoreParts {
  readonly cluster: OwnCluster;
  readonly record: RecentRecord;
  /** Since when the cluster has been complete. */
  readonly since: string;
  /** Restarts the operator, with something done while none runs. */
  readonly restart: (meanwhile: () => Promise<void>) => Promise<void>;
  /** Applies the project's config again: the operator is that of the sources as they are now. */
  readonly apply: () => Promise<void>;
}

/** Brings the cluster's objects to what they were at a moment, and restarts the operator, which may remember what followed. */
export function restoreAction({ cluster, record, since, restart, apply }: RestoreParts): PageAction {
  return async (input) => {
    const moment = momentOf(new ActionInput(input).text("at"));
    const states = moment.toISOString() < since ? undefined : record.statesAt(moment);
    if (!states) throw forgotten(moment, record.since > since ? record.since : since);
    await restart(async () => {
      cluster.restore(states);
      await apply();
    });
    return { at: moment.toISOString() };
  };
}

function momentOf(text: string): Date {
  const moment = new Date(text);
  if (!Number.isNaN(moment.getTime()) && moment.getTime() <= Date.now()) return moment;
  throw new TsbuilderError(`"${text}" is not a moment of this session`, {
    code: "INVALID_ARGUMENT",
    hint: "choose one before now, such as 2026-01-01T00:00:00.000Z",
  });
}

function forgotten(moment: Date, since: string): TsbuilderError {
  return new TsbuilderError(`what was at ${moment.toISOString()} is not known`, {
    code: "REFUSED",
    hint: `choose a moment from ${since} on`,
  });
}
