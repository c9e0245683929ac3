import { StatusError } from "../../src/cluster/contract/status-error.ts";

/**
 * Returns true for an error of an embedded cluster that is a defect: its requests and controllers may fail with a Status,
 * and with nothing else. A JavaScript error is answered with Go's own words for a panic, so that answers alone don't tell.
 */
export function isUnforeseen(error: unknown): boolean {
  return !(error instanceof Error && error.cause instanceof StatusError);
}

/** Collects the defects; `add` is the `onError` of a cluster. */
export class UnforeseenErrors {
  readonly all: unknown[] = [];

  readonly add = (error: unknown): void => {
    if (isUnforeseen(error)) this.all.push(error);
  };
}
