import type { MaskedAnswer } from "../conformance/mask-answer.ts";
import { protobufType } from "../conformance/protobuf-bodies.ts";

/**
 * The embedded server answers in JSON where a client accepts protobuf as well. The real one's answer was decoded: what
 * protobuf can't tell from nothing, such as null and empty lists, is left out of both.
 */
export function alike(real: MaskedAnswer, embedded: MaskedAnswer): [MaskedAnswer, MaskedAnswer] {
  if (real.type !== protobufType) return [real, embedded];
  const type = "application/json";
  return [
    { ...real, type, body: withoutEmpty(real.body) },
    { ...embedded, body: withoutEmpty(embedded.body) },
  ];
}

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutEmpty);
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, child]) => [name, withoutEmpty(child)] as const)
      .filter(([, child]) => !isEmpty(child)),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === "" || value === 0 || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
