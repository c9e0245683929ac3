import { TsbuilderError } from "../shared/errors.ts";

/** Says what to do when a cluster could not start. */
export function explainStart(error: unknown): never {
  if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
  throw new TsbuilderError("the cluster's port is taken", {
    code: "REFUSED",
    hint: "choose another with --port, or leave it away for a free one",
    cause: error,
  });
}
