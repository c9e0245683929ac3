import type { Declared } from "../loader/index.ts";

/** The values of the string constants in a file that are declared with a type, for `k8s:enum`. */
export function stringConstants({ declaration, module }: Declared): string[] {
  return [...module.declarations.values()].flat().flatMap((other) => {
    if (other.kind !== "const" || other.value.kind !== "literal") return [];
    const isOfType = other.type?.kind === "reference" && other.type.name === declaration.name;
    return isOfType && typeof other.value.value === "string" ? [other.value.value] : [];
  });
}
