/**
 * Why a patch was rejected, which decides the API server's status code:
 * `malformed` is not a patch (400), `inapplicable` doesn't fit the object (422), `too-large` exceeds a limit (413), and
 * `unforeseen` has no code of its own, so that it is an internal error (500).
 */
export type PatchFailure = "malformed" | "inapplicable" | "too-large" | "unforeseen";

/** A rejected patch. */
export class PatchError extends Error {
  override readonly name: string = "PatchError";
  readonly failure: PatchFailure;

  constructor(failure: PatchFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** A JSON patch with a failed `test` operation. */
export class FailedTestError extends PatchError {
  constructor(path: string) {
    super("inapplicable", `testing value ${path} failed: test failed`);
  }
}

/** A patch of the wrong JSON type; the message is that of the API server's Go decoder. */
export function undecodable(value: unknown, goType: string): PatchError {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  const reason = `json: cannot unmarshal ${type} into Go value of type ${goType}`;
  return new PatchError("malformed", `error decoding patch: ${reason}`);
}
