/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { ApiError } from "@tsbuilder/runtime";

/** Something that keeps a MySQL from what it asks for, and that its owner can mend: it becomes a condition. */
export class Problem extends Error {
  readonly reason: string;
  /** Tried again after a while; without it, a change of what is watched is what helps. */
  readonly retry: boolean;

  constructor(reason: string, message: string, { retry = false } = {}) {
    super(message);
    this.reason = reason;
    this.retry = retry;
  }
}

/** The reason of the one problem that is not told: nobody is left to read it. */
export const NAMESPACE_GOES = "NamespaceTerminating";

/** What came of a pass. */
export interface Outcome {
  readonly problems: readonly Problem[];
  /** The first error that is no problem of the owner's: it is logged, and the pass made again. */
  readonly failure: unknown;
}

/** Goes through all steps: one that fails does not keep the others from their work. */
export async function goThrough(...steps: readonly (() => Promise<void>)[]): Promise<Outcome> {
  const problems: Problem[] = [];
  let failure: unknown;
  for (const step of steps) {
    try {
      await step();
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
  if (error instanceof ApiError && error.isAlreadyOwned) {
    return new Problem("NameConflict", error.message, { retry: true });
  }
  if (error instanceof ApiError && error.body.details?.causes?.some(isNamespaceGoing)) {
    return new Problem(NAMESPACE_GOES, error.message);
  }
  if (error instanceof ApiError && (error.isInvalid || error.isForbidden)) {
    return new Problem("ChildRejected", error.message, { retry: true });
  }
  return undefined;
}

function isNamespaceGoing({ reason }: { readonly reason?: string | undefined }): boolean {
  return reason === NAMESPACE_GOES;
}
