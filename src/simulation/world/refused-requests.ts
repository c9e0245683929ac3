interface Answer {
  readonly status: number;
}

/**
 * The API server's refusals. As long as nothing changes, the server refuses the same request in the same way, and operators retry
 * one for months: most of a run's time went into writes that no retry makes valid.
 */
export class RefusedRequests<A extends Answer> {
  readonly #answers = new Map<string, { readonly answer: A; readonly isRepeated: boolean }>();
  #changes = 0;

  /** Returns the answer to a request. The server handles it, unless it has refused it twice since the last change. */
  async answer(request: string, handle: () => Promise<A>): Promise<A> {
    const kept = this.#answers.get(request);
    if (kept?.isRepeated) return kept.answer;
    const changesBefore = this.#changes;
    const answer = await handle();
    // What the server derives from its state, such as the kinds that CRDs define, may follow a change in a later turn: that is why
    // the first refusal isn't enough.
    if (dependsOnState(answer) && this.#changes === changesBefore)
      this.#answers.set(request, { answer, isRepeated: kept !== undefined });
    return answer;
  }

  /** Forgets all refusals: the state has changed, or a webhook was asked, whose answer the state doesn't decide. */
  forget(): void {
    this.#changes++;
    this.#answers.clear();
  }
}

/** Returns whether an answer is a refusal that only depends on the state. One with 429 ends by itself. */
function dependsOnState({ status }: Answer): boolean {
  return status >= 400 && status < 500 && status !== 429;
}
