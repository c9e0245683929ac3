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

/** The real server names several causes in the order of a Go map here and there, so order is not compared. */
export function withoutOrder(answer: MaskedAnswer): MaskedAnswer {
  const causes = causesOf(answer);
  if (causes.length < 2) return answer;
  const body = answer.body as Status;
  const sorted = causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { ...answer, body: { ...body, message: "{causes}", details: { ...body.details, causes: sorted } } };
}
