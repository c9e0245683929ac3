import type { MaskedAnswer } from "../conformance/mask-answer.ts";
import { protobufType } from "../conformance/protobuf-bodies.ts";

/**
 * The embedded server answers in JSON where a client accepts protobuf as well. The real one's answer was decoded: what
 * protobuf can't tell from nothing, such as null and empty lists, is left out of both, and the types of objects within it.
 */
export function alike(real: MaskedAnswer, embedded: MaskedAnswer): [MaskedAnswer, MaskedAnswer] {
  if (real.type !== protobufType) return [real, embedded];
  const type = "application/json";
  return [
    { ...real, type, body: withoutInnerTypes(withoutEmpty(real.body), true) },
    { ...embedded, body: withoutInnerTypes(withoutEmpty(embedded.body), true) },
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

/** Only the envelope of a message says which type it has, so the claims of a StatefulSet come without one. */
function withoutInnerTypes(value: unknown, isWhole = false): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutInnerTypes(item));
  const isInner = !isWhole && "metadata" in value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isInner || (name !== "apiVersion" && name !== "kind"))
      .map(([name, child]) => [name, withoutInnerTypes(child)]),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === "" || value === 0 || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
