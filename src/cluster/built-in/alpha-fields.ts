import type { BuiltInKind } from "../kinds/built-in-kind.ts";
import { readField } from "../kinds/cells/read-field.ts";
import type { Strategy } from "../registry/resource.ts";

/** Fields of pods and their templates whose feature gates are off by default. */
const alphaFields = ["schedulingGroup"];

/** The server records who set a field whose feature is off, but does not store it. */
export function dropAlphaFields(
  { resource, podTemplate }: BuiltInKind,
  { prepareForCreate, prepareForUpdate }: Partial<Strategy>,
): Partial<Strategy> {
  const path = resource === "pods" ? "spec" : podTemplate && `${podTemplate}.spec`;
  if (!path) return {};
  const drop = (object: object): void => {
    const spec = readField<Record<string, unknown>>(object, path) ?? {};
    for (const field of alphaFields) delete spec[field];
  };
  return {
    prepareForCreate(object, write) {
      prepareForCreate?.(object, write);
      drop(object);
    },
    prepareForUpdate(object, old, write) {
      prepareForUpdate?.(object, old, write);
      drop(object);
    },
  };
}
