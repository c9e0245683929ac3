/**
 * Evaluates the JSONPath that printer columns and selectable fields use: `.spec.replicas`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.spec.ports[*].port`, `.metadata.labels['a\.b']`.
 */
export function readPath(root: unknown, path: string): unknown[] {
  let values: unknown[] = [root];
  for (const step of parsePath(path)) values = values.flatMap((value) => takeStep(value, step));
  return values.filter((value) => value !== undefined && value !== null);
}

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  | { readonly kind: "filter"; readonly path: string; readonly operator: string; readonly value: unknown };

const parsedPaths = new Map<string, readonly Step[]>();

function parsePath(path: string): readonly Step[] {
  let steps = parsedPaths.get(path);
  if (!steps) {
    steps = [...scanSteps(path.replace(/^\{|\}$/g, ""))];
    parsedPaths.set(path, steps);
  }
  return steps;
}

/** A step of a path: a filter, an index, a quoted field or a plain one. */
const stepPattern =
  /\.?\[\?\(\s*@([^=!<>\s]+)\s*(==|!=|<=|>=|<|>)?\s*("[^"]*"|'[^']*'|[^)\s]*)\s*\)\]|\.?\[(\*|-?\d+)\]|\.?\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]|\.((?:[^.[\]\\]|\\.)+)/g;

function* scanSteps(path: string): Generator<Step> {
  for (const match of path.matchAll(stepPattern)) {
    const [, filter, operator = "", value = "", index, single, double, field] = match;
    if (filter !== undefined) yield { kind: "filter", path: filter, operator, value: parseLiteral(value) };
    else if (index === "*" || field === "*") yield { kind: "all" };
    else if (index !== undefined) yield { kind: "index", index: Number(index) };
    else yield { kind: "field", name: (single ?? double ?? field!).replace(/\\(.)/g, "$1") };
  }
}

/** The value in a filter; undefined if there is none. */
function parseLiteral(text: string): unknown {
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text === "true" || text === "false") return text === "true";
  return text === "" ? undefined : Number(text);
}

function takeStep(value: unknown, step: Step): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  switch (step.kind) {
    case "field":
      return [(value as Record<string, unknown>)[step.name]];
    case "index":
      return Array.isArray(value) ? [value.at(step.index)] : [];
    case "all":
      return Object.values(value);
    case "filter":
      return (Array.isArray(value) ? value : []).filter((item) => matchesFilter(item, step));
  }
}

function matchesFilter(item: unknown, { path, operator, value }: Step & { kind: "filter" }): boolean {
  const [actual] = readPath(item, path);
  if (operator === "") return actual !== undefined;
  if (operator === "==") return actual === value;
  if (operator === "!=") return actual !== value;
  // Values of different types have no order.
  if (typeof actual !== typeof value || typeof actual === "object") return false;
  const [a, b] = [actual as number, value as number];
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}
