import { isObject, setMember } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/** An expression that a literal contains as it is. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A call with a value, which may be written in several lines. */
export class Call extends Code {
  readonly function: string;
  readonly argument: unknown;

  constructor(name: string, argument: unknown) {
    super(`${name}(${inOneLine(argument)})`);
    this.function = name;
    this.argument = argument;
  }
}

/** A literal is written in one line if it has at most so many characters. */
const width = 80;

/** Writes a JSON value as a TypeScript expression, whose second and further lines are indented. */
export function literal(value: unknown, indent = ""): string {
  const short = inOneLine(value);
  if (short.length + indent.length <= width) return short;
  if (value instanceof Call) return `${value.function}(${literal(value.argument, indent)})`;
  if (!isNested(value)) return short;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : membersOf(value).map(([key, member]) => `${keyOf(key)}: ${literal(member, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join("")}${indent}${close}`;
}

function inOneLine(value: unknown): string {
  if (value instanceof Code) return value.text;
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(", ")}]`;
  if (!isNested(value)) return JSON.stringify(value);
  const members = membersOf(value).map(([key, member]) => `${keyOf(key)}: ${inOneLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof Code);
}

function membersOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** Without brackets, `__proto__` would set the prototype. */
function keyOf(key: string): string {
  if (key === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/u.test(key) ? key : JSON.stringify(key);
}

/** Replaces what differs between runs by a matcher. */
export class StableValues {
  readonly #names = new Set<string>();

  /** Learns the values that the cluster gave to an object: its uid, its addresses, and its name if that is generated anew. */
  see({ metadata, ...object }: KubernetesObject, isNameKept: boolean): void {
    const { spec, status } = object as { readonly spec?: Addresses; readonly status?: Addresses };
    const addresses = [spec?.clusterIP, status?.podIP, status?.hostIP];
    const generated = isGenerated(metadata) && !isNameKept ? [metadata.name] : [];
    for (const value of [metadata.uid, ...addresses, ...generated])
      if (typeof value === "string" && value.length > 5) this.#names.add(value);
  }

  /** Whether a text is another one in the next run, as far as one can see. */
  isUnstable(text: string): boolean {
    return changing.test(text) || [...this.#names].some((name) => text.includes(name));
  }

  /** A value whose unstable texts, and uids, are matchers. */
  stable(value: unknown): unknown {
    if (typeof value === "string") return this.isUnstable(value) ? new Code("expect.any(String)") : value;
    if (Array.isArray(value)) return value.map((item) => this.stable(item));
    if (!isObject(value) || value instanceof Code) return value;
    const stable: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value))
      if (key !== "uid" && key !== "resourceVersion") setMember(stable, key, this.stable(member));
    return stable;
  }
}

/** Pods of StatefulSets have a `generateName`, too, but names with a number. */
function isGenerated({ generateName, name = "" }: KubernetesObject["metadata"]): boolean {
  return generateName !== undefined && /^[b-df-hj-np-tv-xz2-9]{5}$/u.test(name.slice(generateName.length));
}

interface Addresses {
  readonly clusterIP?: string;
  readonly podIP?: string;
  readonly hostIP?: string;
}

/** Times, uids, and hashes. */
const changing =
  /\d{4}-\d\d-\d\dT\d\d:\d\d|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|\b[\da-f]{16,}\b/u;
