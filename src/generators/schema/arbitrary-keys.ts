import type { SchemaSources, Typed } from "./environment.ts";
import { shapeOf } from "./shape.ts";
import { someMember } from "./some-member.ts";

/** Returns whether keys of this type can have any name, as those of `Record<string, T>`. */
export function areArbitrary(keys: Typed, sources: SchemaSources): boolean {
  return someMember(keys, sources, ({ node, env }) => {
    switch (node.kind) {
      case "keyword":
        return ["string", "number", "any"].includes(node.name);
      case "template":
        return true;
      case "keyof":
        return shapeOf({ node: node.type, env }, sources)?.index !== undefined;
      default:
        return false;
    }
  });
}
