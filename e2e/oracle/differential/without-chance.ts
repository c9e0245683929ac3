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
 * as the rules of a user always do, and a list of nothing is null or empty, depending on whether a cache was ready.
 */
export function withoutChance(answer: MaskedAnswer): MaskedAnswer {
  const steps = [withoutNullItems, withoutOrderOfRules, withoutOrder, withoutUnknownName];
  return steps.reduce((masked, step) => step(masked), answer);
}

/** The real server stops at the first unknown field, in the order of a Go map. */
function withoutUnknownName(answer: MaskedAnswer): MaskedAnswer {
  const { message } = (answer.body as Status | null | undefined) ?? {};
  if (message === undefined) return answer;
  const masked = message.replaceAll(/[^.\s]+(?=: field not declared in schema)/gu, "{name}");
  return masked === message ? answer : { ...answer, body: { ...(answer.body as Status), message: masked } };
}

function withoutOrderOfRules(answer: MaskedAnswer): MaskedAnswer {
  const body = answer.body as { readonly status?: Record<string, unknown> } | null | undefined;
  const { resourceRules, nonResourceRules } = { ...body?.status };
  if (!Array.isArray(resourceRules) || !Array.isArray(nonResourceRules)) return answer;
  const status = {
    ...body?.status,
    resourceRules: inOrder(resourceRules),
    nonResourceRules: inOrder(nonResourceRules),
  };
  return { ...answer, body: { ...body, status } };
}

function inOrder<T>(values: readonly T[]): T[] {
  return values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
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
  return {
    ...answer,
    body: { ...body, message: "{causes}", details: { ...body.details, causes: inOrder(causes) } },
  };
}
