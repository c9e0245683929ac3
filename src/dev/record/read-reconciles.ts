import { join } from "node:path";
import { refuseStateLinks } from "../../scaffold/state-folder.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { isSessionRunning } from "../lock-session.ts";
import type { RecordedReconcile } from "./reconcile-history.ts";
import { RecordFile } from "./record-file.ts";

/** Which reconciles of the last session to read. */
export interface ReconcileQuery {
  readonly controller?: string | undefined;
  /** The object: `default/db`, or its name alone. */
  readonly request?: string | undefined;
  readonly outcome?: string | undefined;
  /** How many of the last ones; at most, and by default, 100. */
  readonly last?: number | undefined;
}

/** What was found, the oldest one first. */
export interface FoundReconciles {
  /** Whether the session is still running. */
  readonly isRunning: boolean;
  readonly reconciles: readonly RecordedReconcile[];
}

const most = 100;

/** Reads the last reconciles of the session that `tsbuilder dev` runs for a project, or ran last. */
export function readReconciles(root: string, query: ReconcileQuery): FoundReconciles {
  const { controller, request, outcome, last = most } = query;
  const folder = join(root, ".tsbuilder/dev");
  refuseStateLinks(root, "dev");
  const recorded = new RecordFile(folder).read();
  if (!recorded) {
    throw new TsbuilderError("tsbuilder dev has not run an operator in this project", {
      code: "CLUSTER_UNREACHABLE",
      hint: "start it in another terminal: npx tsbuilder dev",
    });
  }
  const reconciles = recorded
    .filter(
      (one) =>
        (controller === undefined || one.controller === controller) &&
        (request === undefined || one.request === request || one.request.endsWith(`/${request}`)) &&
        (outcome === undefined || one.outcome === outcome),
    )
    .slice(-Math.min(Math.max(last, 1), most));
  return { isRunning: isSessionRunning(folder), reconciles };
}
