import type { ModuleGraph } from "./module-graph.ts";
import type { ConstDeclaration, Expression, Module } from "./syntax.ts";

/** A value that is known without running code. */
export type StaticValue =
  | string
  | number
  | boolean
  | null
  | readonly StaticValue[]
  | { readonly [name: string]: StaticValue | undefined };

/** Constants that refer to each other in a circle have no value, and end at this depth. */
const maxDepth = 20;

/** Evaluates a literal, or a constant of literals, across imports. Returns a NotStatic for everything else. */
export function evaluate(
  expression: Expression,
  module: Module,
  graph: ModuleGraph,
  depth = 0,
): StaticValue | NotStatic {
  const failed = new NotStatic(module, expression.pos);
  if (depth > maxDepth) return failed;
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "array": {
      const items = expression.items.map((item) => evaluate(item, module, graph, depth + 1));
      return items.find((item) => item instanceof NotStatic) ?? (items as StaticValue[]);
    }
    case "object": {
      const result: Record<string, StaticValue> = {};
      for (const { name, value } of expression.properties) {
        const evaluated = evaluate(value, module, graph, depth + 1);
        if (evaluated instanceof NotStatic) return evaluated;
        result[name] = evaluated;
      }
      return result;
    }
    case "name":
      return evaluateName(expression.path, module, graph, depth) ?? failed;
    default:
      return failed;
  }
}

/** Returns whether a constant is a kind: created by `defineKind`, also if imported under another name. */
export function isDefineKind({ value }: ConstDeclaration, module: Module): boolean {
  if (value.kind !== "call") return false;
  return value.callee === "defineKind" || module.imports.get(value.callee)?.name === "defineKind";
}

/** The result for an expression that is not static, with its position. */
export class NotStatic {
  readonly module: Module;
  readonly pos: number;

  constructor(module: Module, pos: number) {
    this.module = module;
    this.pos = pos;
  }
}

/** Evaluates a constant, or a property of one: `defaults.group`. */
function evaluateName(
  path: string,
  module: Module,
  graph: ModuleGraph,
  depth: number,
): StaticValue | NotStatic | undefined {
  const found = findConstant(path, module, graph);
  if (!found) return undefined;
  let value: StaticValue | NotStatic | undefined = evaluate(
    found.declaration.value,
    found.module,
    graph,
    depth + 1,
  );
  for (const step of found.steps) {
    if (typeof value !== "object" || value === null || value instanceof NotStatic) return undefined;
    value = (value as { readonly [name: string]: StaticValue | undefined })[step];
  }
  return value;
}

/** Finds the constant that a name begins with; `steps` is the path from it to a property: `group` in `defaults.group`. */
function findConstant(path: string, module: Module, graph: ModuleGraph) {
  const steps = path.split(".");
  for (let length = steps.length; length > 0; length--) {
    const resolved = graph.resolve(steps.slice(0, length).join("."), module);
    if (resolved?.kind !== "declared") continue;
    const constant = resolved.parts.find(({ declaration }) => declaration.kind === "const");
    if (constant?.declaration.kind !== "const") continue;
    return { declaration: constant.declaration, module: constant.module, steps: steps.slice(length) };
  }
  return undefined;
}

/** Returns whether TypeScript gives a constant, or its elements, literal types: with `as const`, or for a scalar. */
export function hasLiteralType(path: string, module: Module, graph: ModuleGraph, depth = 0): boolean {
  const found = findConstant(path, module, graph);
  if (!found || found.declaration.type || depth > maxDepth) return false;
  const { value, isLiteral } = found.declaration;
  if (isLiteral) return true;
  if (value.kind === "name") {
    return hasLiteralType([value.path, ...found.steps].join("."), found.module, graph, depth + 1);
  }
  return value.kind === "literal" && found.steps.length === 0;
}
