/** What is wrong with a marker's text, and where: an offset into the text that was parsed. */
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
