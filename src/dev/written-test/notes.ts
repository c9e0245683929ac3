/** What a written test leaves out, each said once. */
export class Notes {
  readonly #texts = new Set<string>();

  add(text: string): void {
    this.#texts.add(text);
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }
}
