/**
 * Why a patch was refused, in the terms that decide the API server's answer:
 * `malformed` is not a patch at all (400), `inapplicable` is one that doesn't fit the object (422),
 * `too-large` breaks a limit (413).
 */
export type PatchFailure = "malformed" | "inapplicable" | "too-large";

/** A patch that was refused. */
export class PatchError extends Error {
  override readonly name: string = "PatchError";
  readonly failure: PatchFailure;

  constructor(failure: PatchFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** A JSON patch whose `test` does not hold. */
export class FailedTestError extends PatchError {
  constructor(path: string) {
    super("inapplicable", `testing value ${path} failed: test failed`);
  }
}

/** A patch of the wrong JSON type, in the words of the API server, which are those of Go's decoder. */
export function undecodable(value: unknown, goType: string): PatchError {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return new PatchError(
    "malformed",
    `error decoding patch: json: cannot unmarshal ${type} into Go value of type ${goType}`,
  );
}
