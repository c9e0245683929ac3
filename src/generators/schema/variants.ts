import { asWritten, type Marker } from "../markers/collect.ts";
import type { SchemaSources, Typed } from "./environment.ts";
import { markersOn } from "./markers-on.ts";
import { followOnce, resolveReference, scopeOf } from "./resolve.ts";
import { declarationsOf, type Property, type Shape } from "./property.ts";
import { joinMembers, shapeOf } from "./shape.ts";
import { isKeyword, unionMembers } from "./union-members.ts";

/**
 * The variants of a union of object types, also of one within an intersection: `A & (B | C)` has the variants `A & B`
 * and `A & C`. An object type is its only variant. Undefined if a member is not an object type.
 */
export function variantsOf(members: readonly Typed[], sources: SchemaSources): Shape[] | undefined {
  const found = members.map((member) => alternatives(member, sources));
  if (found.includes(undefined)) return undefined;
  const known = (found as Alternative[][]).flat();
  if (known.length > 1) reportMarkers(new Set(known.flatMap(({ markers }) => markers)), sources);
  return known.flatMap(({ shape }) => withoutAbsent(shape, sources) ?? []);
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
    return node.kind === "union" ? known.flat() : combinations(known, typed).map(join);
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
function combinations<T>(lists: readonly (readonly T[])[], typed: Typed): T[][] {
  const count = lists.reduce((product, { length }) => product * length, 1);
  if (count > mostVariants) throw new TooManyVariantsError(count, typed);
  return lists.reduce<T[][]>(
    (found, list) => found.flatMap((head) => list.map((item) => [...head, item])),
    [[]],
  );
}

/** Each variant is a condition in a rule, and nobody means to write this many. */
const mostVariants = 256;

/** An intersection of unions has as many variants as the product of theirs. */
export class TooManyVariantsError extends Error {
  override readonly name = "TooManyVariantsError";
  readonly typed: Typed;

  constructor(count: number, typed: Typed) {
    super(`this intersection of unions has ${count} variants, but only ${mostVariants} are supported`);
    this.typed = typed;
  }
}

/**
 * `b?: never` and `b?: undefined` say that a variant has no `b`, which is what a variant without it says. A variant
 * that requires a value of type `never` has no values.
 */
function withoutAbsent(shape: Shape, sources: SchemaSources): Shape | undefined {
  const properties = [...shape.properties.values()];
  const isImpossible = (property: Property): boolean =>
    !property.optional && consistsOf(property, ["never"], sources);
  if (properties.some(isImpossible)) return undefined;
  const present = properties.filter((property) => !consistsOf(property, ["never", "undefined"], sources));
  return { ...shape, properties: new Map(present.map((property) => [property.name, property])) };
}

/** Returns whether a property has no values but null. */
export function isAlwaysNull(property: Property, sources: SchemaSources): boolean {
  return consistsOf(property, ["null", "undefined", "never"], sources);
}

function consistsOf(property: Property, keywords: readonly string[], sources: SchemaSources): boolean {
  return declarationsOf(property).some(
    ({ type, schema }) =>
      !schema &&
      unionMembers(type, sources).every((member) => keywords.some((name) => isKeyword(member, name))),
  );
}

/** The types of a union share one schema, which cannot have the markers of one of them. */
function reportMarkers(markers: Iterable<Marker>, { log }: SchemaSources): void {
  for (const marker of markers) {
    if (!marker.definition.apply) continue;
    log.error(
      marker.place,
      `${asWritten(marker)} has no effect on a type that is a variant of a union`,
      "put it on the field whose type is the union, or on fields of the variant",
    );
  }
}
