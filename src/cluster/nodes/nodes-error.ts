/** Thrown if nodes can't be started on a machine; the hint says what to do. */
export class NodesError extends Error {
  override readonly name = "NodesError";
  readonly code = "ENODES";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
