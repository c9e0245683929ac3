import type { Marker } from "../markers/collect.ts";
import type { SchemaSources, Typed } from "./environment.ts";
import { markersOn } from "./markers-on.ts";
import { followOnce, resolveReference, scopeOf } from "./resolve.ts";
import { declarationsOf, type Property, type Shape } from "./property.ts";
import { joinMembers, shapeOf } from "./shape.ts";

/**
 * The variants of a union of object types, also of one within an intersection: `A & (B | C)` has the variants `A & B`
 * and `A & C`. An object type is its only variant. Undefined if a member is not an object type.
 */
export function variantsOf(members: readonly Typed[], sources: SchemaSources): Shape[] | undefined {
  const found = members.map((member) => alternatives(member, sources));
  if (found.includes(undefined)) return undefined;
  const known = (found as Alternative[][]).flat();
  if (known.length > 1) reportMarkers(new Set(known.flatMap(({ markers }) => markers)), sources);
  return known.flatMap(({ shape }) => withoutAbsent(shape) ?? []);
}

/** An object type, and the markers of the named types that it consists of. */
interface Alternative {
  readonly shape: Shape;
  readonly markers: readonly Marker[];
}

function alternatives(typed: Typed, sources: SchemaSources): Alternative[] | undefined {
  const { node, env } = typed;
  if (node.kind === "union" || node.kind === "intersection") {
    const members = node.members.map((member) => alternatives({ node: member, env }, sources));
    if (members.includes(undefined)) return undefined;
    const known = members as Alternative[][];
    return node.kind === "union" ? known.flat() : combinations(known).map(join);
  }
  if (node.kind !== "reference") return asAlternative(typed, [], sources);
  const resolved = resolveReference(node, env, sources);
  if (resolved.kind === "bound") return alternatives(resolved.typed, sources);
  if (resolved.kind !== "declared") return asAlternative(typed, [], sources);
  const markers = resolved.parts.flatMap(({ declaration, module }) =>
    markersOn(declaration.comments, "type", module, sources),
  );
  const alias = resolved.parts.find(({ declaration }) => declaration.kind === "alias");
  if (alias?.declaration.kind !== "alias") return asAlternative(typed, markers, sources);
  const { declaration } = alias;
  const type = { node: declaration.type, env: scopeOf(alias, node.args, env) };
  const found = followOnce(declaration, () => alternatives(type, sources));
  return found?.map((one) => ({ ...one, markers: [...markers, ...one.markers] }));
}

function asAlternative(
  typed: Typed,
  markers: readonly Marker[],
  sources: SchemaSources,
): Alternative[] | undefined {
  const shape = shapeOf(typed, sources);
  return shape && [{ shape, markers }];
}

function join(parts: readonly Alternative[]): Alternative {
  return {
    shape: joinMembers(parts.map(({ shape }) => shape)),
    markers: parts.flatMap(({ markers }) => markers),
  };
}

/** All ways to take one item from each list. */
function combinations<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>(
    (found, list) => found.flatMap((head) => list.map((item) => [...head, item])),
    [[]],
  );
}

/**
 * `b?: never` and `b?: undefined` say that a variant has no `b`, which is what a variant without it says. A variant
 * that requires a value of type `never` has no values.
 */
function withoutAbsent(shape: Shape): Shape | undefined {
  const properties = [...shape.properties.values()];
  if (properties.some((property) => !property.optional && isKeyword(property, "never"))) return undefined;
  const present = properties.filter(
    (property) => !isKeyword(property, "never") && !isKeyword(property, "undefined"),
  );
  return { ...shape, properties: new Map(present.map((property) => [property.name, property])) };
}

function isKeyword(property: Property, name: string): boolean {
  return declarationsOf(property).some(({ type: { node } }) => node.kind === "keyword" && node.name === name);
}

/** The types of a union share one schema, which cannot have the markers of one of them. */
function reportMarkers(markers: Iterable<Marker>, { log }: SchemaSources): void {
  for (const { name, definition, place, written = `+${name}` } of markers) {
    if (!definition.apply) continue;
    log.error(
      place,
      `${written} has no effect on a type that is a variant of a union`,
      "put it on the field whose type is the union, or on fields of the variant",
    );
  }
}
