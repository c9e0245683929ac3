/** An error in a marker's text, with its offset in the parsed text. */
export class MarkerError extends Error {
  override readonly name = "MarkerError";
  readonly offset: number;
  readonly hint: string | undefined;

  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}
