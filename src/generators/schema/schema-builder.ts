/**
 * From types to schemas. This file builds named types; `type-schema.ts` converts any other type, `object-schema.ts` the
 * fields that `shape.ts` finds, `variants-schema.ts` unions of objects. `environment.ts` says what a name means,
 * `merge.ts` completes a schema.
 */

import type { Place } from "../model/diagnostic.ts";
import type { Declaration, Declared, ReferenceNode } from "../loader/index.ts";
import { applyMarkers, describe, markersOn } from "./comments.ts";
import { type Schema, limitDescriptions } from "../model/schema.ts";
import {
  type Builder,
  type Environment,
  type SchemaSources,
  type Typed,
  endless,
  placeOf,
  scopeOf,
} from "./environment.ts";
import { mergeInto, settle } from "./merge.ts";
import { objectSchema } from "./object-schema.ts";
import { ownShape, shapeOf } from "./shape.ts";
import { typeSchema } from "./type-schema.ts";

/** Builds schemas from types. Each named type is built once per set of arguments. */
export class SchemaBuilder implements Builder {
  readonly sources: SchemaSources;
  readonly #named = new Map<string, Schema>();
  readonly #building: { key: string; name: string; declaration: Declaration }[] = [];
  /** Anonymous types that are being built. */
  readonly #open = new Set<string>();

  constructor(sources: SchemaSources) {
    this.sources = sources;
  }

  use(typed: Typed): Schema {
    return typeSchema(typed, this);
  }

  finished(typed: Typed): Schema {
    return settle(this.use(typed), placeOf(typed), this.sources.log);
  }

  named(
    parts: readonly Declared[],
    node: ReferenceNode,
    env: Environment,
  ): Schema | { readonly cycle: string[] } {
    const [first] = parts;
    const key = `${first!.module.file}\0${first!.declaration.name}${this.#describeArguments(node, env)}`;
    const known = this.#named.get(key);
    if (known) return known;
    const name = first!.declaration.name;
    const open = this.#building.filter((building) => building.declaration === first!.declaration);
    // The same type, or too many uses of one generic type, is a cycle.
    const repeated = open.find((building) => building.key === key) ?? open[deepestNesting];
    const start = repeated ? this.#building.indexOf(repeated) : -1;
    if (start !== -1)
      return { cycle: [...this.#building.slice(start).map((building) => building.name), name] };
    this.#building.push({ key, name, declaration: first!.declaration });
    try {
      const schema = this.#build(parts, node, env);
      this.#named.set(key, schema);
      return schema;
    } finally {
      this.#building.pop();
    }
  }

  #build(parts: readonly Declared[], node: ReferenceNode, env: Environment): Schema {
    const main = parts.find(({ declaration }) => declaration.kind !== "const") ?? parts[0]!;
    const { log } = this.sources;
    const place: Place = { module: main.module, pos: main.declaration.pos };
    const schema = this.#structure(parts, main, node, env);
    const docs = parts
      .map(({ declaration }) => describe(declaration.comments))
      .find((text) => text !== undefined);
    if (docs !== undefined) schema.description = docs;
    else delete schema.description;
    const markers = parts.flatMap(({ declaration, module }) =>
      markersOn(declaration.comments, "type", module, this.sources),
    );
    applyMarkers(schema, markers, "type", place, log, () => stringConstants(main));
    const limit = markers.find(({ name }) => name === "tsbuilder:maxDescLen")?.args[""];
    const settled = limitDescriptions(
      settle(schema, place, log),
      limit === undefined ? undefined : Number(limit),
    );
    const bases = this.#bases(parts, node, env);
    if (bases.length === 0) return settled;
    const joined: Schema = {};
    for (const part of [...bases, settled]) {
      mergeInto(joined, part, ({ message, hint }) => log.error(place, message, hint));
    }
    const { title, description, externalDocs } = settled;
    return { ...joined, title, description, externalDocs };
  }

  #structure(parts: readonly Declared[], main: Declared, node: ReferenceNode, env: Environment): Schema {
    const { declaration, module } = main;
    const inner = scopeOf(main, node.args, env);
    switch (declaration.kind) {
      case "alias":
        return this.use({ node: declaration.type, env: inner });
      case "enum":
        return this.use({ node: { ...node, args: [] }, env });
      case "const":
        return {};
      default: {
        if (declaration.toJSON) return this.use({ node: declaration.toJSON, env: inner });
        const shape = ownShape(parts, (part) => scopeOf(part, node.args, env));
        const markers = parts.flatMap((part) =>
          markersOn(part.declaration.comments, "type", part.module, this.sources),
        );
        return objectSchema(shape, this, markers, { module, pos: declaration.pos });
      }
    }
  }

  /** The schemas of a type's bases, without the properties that it redeclares. */
  #bases(parts: readonly Declared[], node: ReferenceNode, env: Environment): Schema[] {
    return parts.flatMap((part) => {
      const { declaration } = part;
      if (declaration.kind !== "interface" && declaration.kind !== "class") return [];
      const inner = scopeOf(part, node.args, env);
      const own = new Set(
        declaration.members.flatMap((member) => (member.kind === "property" ? [member.name] : [])),
      );
      return declaration.extends.map((base) => {
        const typed = { node: base, env: inner };
        const settled = this.finished(typed);
        const properties = Object.entries(settled.properties ?? {}).filter(([name]) => !own.has(name));
        const required = settled.required?.filter((name) => !own.has(name));
        return {
          ...settled,
          properties: properties.length > 0 ? Object.fromEntries(properties) : undefined,
          required: required && required.length > 0 ? required : undefined,
        };
      });
    });
  }

  anonymous(typed: Typed): Schema | undefined {
    const shape = shapeOf(typed, this.sources);
    if (!shape) return undefined;
    return this.unlessEndless(typed, () => objectSchema(shape, this, [], placeOf(typed)));
  }

  unlessEndless(typed: Typed, build: () => Schema): Schema {
    const key = describeTyped(typed);
    if (this.#open.has(key)) return endless(typed, "the type contains itself");
    this.#open.add(key);
    try {
      return build();
    } finally {
      this.#open.delete(key);
    }
  }

  #describeArguments({ args }: ReferenceNode, env: Environment): string {
    if (args.length === 0) return "";
    const texts = args.map((arg) => {
      const bound = arg.kind === "reference" ? env.bindings.get(arg.name) : undefined;
      return describeTyped(bound ?? { node: arg, env });
    });
    return `<${texts.join(",")}>`;
  }
}

/** The values of the string constants in a file that are declared with a type, for `k8s:enum`. */
function stringConstants({ declaration, module }: Declared): string[] {
  return [...module.declarations.values()].flat().flatMap((other) => {
    if (other.kind !== "const" || other.value.kind !== "literal") return [];
    const isOfType = other.type?.kind === "reference" && other.type.name === declaration.name;
    return isOfType && typeof other.value.value === "string" ? [other.value.value] : [];
  });
}

/** A generic type that refers to itself with new arguments each time would never end: it is stopped at this depth. */
const deepestNesting = 20;

/** Identifies a type by its position, and the arguments of the generic types around it. */
function describeTyped({ node, env }: Typed, outer: readonly Environment["bindings"][] = []): string {
  const value = node.kind === "literal" ? String(node.value) : "";
  const at = `${env.module.file}@${node.pos}${JSON.stringify(node.kind)}${value}`;
  const { bindings } = env;
  // The default of a parameter refers to the parameters beside it.
  if (bindings.size === 0 || outer.includes(bindings)) return at;
  const inner = [...outer, bindings];
  const args = [...bindings].map(([name, bound]) => `${name}=${describeTyped(bound, inner)}`);
  return `${at}{${args.join(",")}}`;
}
