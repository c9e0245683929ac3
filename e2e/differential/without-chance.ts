import type { MaskedAnswer } from "../conformance/mask-answer.ts";

interface Status {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly Cause[] };
}

/** One of the reasons why an object is invalid. */
export interface Cause {
  readonly reason?: string;
  readonly field?: string;
  readonly message?: string;
}

/** The causes of an answer, if it has any. */
export function causesOf(answer: MaskedAnswer): readonly Cause[] {
  return (answer.body as Status | null | undefined)?.details?.causes ?? [];
}

/**
 * An answer without what depends on chance in the real server: here and there causes come in the order of a Go map,
 * and a list of nothing is null or empty, depending on whether a cache was ready.
 */
export function withoutChance(answer: MaskedAnswer): MaskedAnswer {
  return withoutOrder(withoutNullItems(answer));
}

function withoutNullItems(answer: MaskedAnswer): MaskedAnswer {
  const { body } = answer;
  if (typeof body !== "object" || body === null || !("items" in body) || body.items !== null) return answer;
  return { ...answer, body: { ...body, items: [] } };
}

function withoutOrder(answer: MaskedAnswer): MaskedAnswer {
  const causes = causesOf(answer);
  if (causes.length < 2) return answer;
  const body = answer.body as Status;
  const sorted = causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { ...answer, body: { ...body, message: "{causes}", details: { ...body.details, causes: sorted } } };
}
