import { join } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import type { RecordedReconcile } from "./reconcile-history.ts";
import { RecordFile } from "./record-file.ts";

/** Which reconciles of the last session to read. */
export interface ReconcileQuery {
  readonly controller?: string | undefined;
  /** The object: `default/db`, or its name alone. */
  readonly request?: string | undefined;
  readonly outcome?: string | undefined;
  /** The last ones; at most, and by default, 100. */
  readonly last?: number | undefined;
}

const most = 100;

/** Reads the last reconciles of the session that `tsbuilder dev` runs for a project, or ran last; the oldest one first. */
export function readReconciles(root: string, query: ReconcileQuery): readonly RecordedReconcile[] {
  const { controller, request, outcome, last = most } = query;
  const recorded = new RecordFile(join(root, ".tsbuilder/dev")).read();
  if (!recorded) {
    throw new TsbuilderError("tsbuilder dev has not run an operator in this project", {
      code: "CLUSTER_UNREACHABLE",
      hint: "start it in another terminal: npx tsbuilder dev",
    });
  }
  return recorded
    .filter(
      (one) =>
        (controller === undefined || one.controller === controller) &&
        (request === undefined || one.request === request || one.request.endsWith(`/${request}`)) &&
        (outcome === undefined || one.outcome === outcome),
    )
    .slice(-Math.min(Math.max(last, 1), most));
}
