/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { ApiError } from "@tsbuilder/runtime";
import type { Pass } from "./maria_observed.ts";

/** A problem that the user of a MySQL can fix: it becomes a condition. */
export class Problem extends Error {
  readonly reason: string;
  /** Retried after a while; otherwise the next event of a watched object triggers a retry. */
  readonly retry: boolean;

  constructor(reason: string, message: string, { retry = false } = {}) {
    super(message);
    this.reason = reason;
    this.retry = retry;
  }
}

/** The reason of the one problem that is not reported: the object is about to be deleted. */
export const NAMESPACE_TERMINATING = "NamespaceTerminating";

type Step = (pass: Pass) => Promise<void>;

/** Runs all steps, even if one of them fails. The first error that users can't fix is to be logged and retried. */
export async function goThrough(pass: Pass, steps: readonly Step[]) {
  const problems: Problem[] = [];
  let failure: unknown;
  for (const step of steps) {
    try {
      await step(pass);
    } catch (error) {
      const problem = asProblem(error);
      if (problem) problems.push(problem);
      else failure ??= error;
    }
  }
  return { problems, failure };
}

function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (!(error instanceof ApiError)) return undefined;
  if (error.isAlreadyOwned) return new Problem("NameConflict", error.message, { retry: true });
  const { causes = [] } = error.body.details ?? {};
  if (causes.some(({ reason }) => reason === NAMESPACE_TERMINATING)) {
    return new Problem(NAMESPACE_TERMINATING, error.message);
  }
  if (!error.isInvalid && !error.isForbidden) return undefined;
  return new Problem("ChildRejected", error.message, { retry: true });
}
