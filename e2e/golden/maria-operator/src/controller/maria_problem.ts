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

/** Tells the problems that belong into a condition from errors that are to be retried and logged. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ApiError && error.isAlreadyOwned) {
    return new Problem("NameConflict", error.message, { retry: true });
  }
  if (error instanceof ApiError && (error.isInvalid || error.isForbidden)) {
    return new Problem("ChildRejected", error.message, { retry: true });
  }
  throw error;
}
