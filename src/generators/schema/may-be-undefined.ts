import type { SchemaSources, Typed } from "./environment.ts";
import { indexedProperty } from "./literals.ts";
import { declarationsOf, type Property } from "./property.ts";
import { someMember } from "./some-member.ts";

/** Returns whether undefined is a value of a property's type: JSON has no such value, so the field may be absent. */
export function mayBeUndefined(property: Property, sources: SchemaSources): boolean {
  return declarationsOf(property).every(
    ({ type, isDefined }) => !isDefined && includesUndefined(type, sources),
  );
}

function includesUndefined(type: Typed, sources: SchemaSources): boolean {
  return someMember(type, sources, (member) => {
    if (member.node.kind === "keyword") return member.node.name === "undefined";
    const property = indexedProperty(member, sources);
    return property !== undefined && (property.optional || mayBeUndefined(property, sources));
  });
}
