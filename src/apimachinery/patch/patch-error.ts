/**
 * Why a patch was refused, in the terms that decide the API server's answer:
 * `malformed` is not a patch at all (400), `inapplicable` is one that doesn't fit the object (422),
 * `too-large` breaks a limit (413).
 */
export type PatchFailure = "malformed" | "inapplicable" | "too-large";

/** A patch that was refused. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly failure: PatchFailure;

  constructor(failure: PatchFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}
