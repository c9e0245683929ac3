import { isObject, setMember } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/** The width up to which a literal is written in one line. */
const width = 80;

/** Formats a JSON value as a TypeScript expression. `indent` is for all lines but the first. */
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

/** An expression that `literal()` writes as it is. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A call with one argument, which may need several lines. */
export class Call extends Code {
  readonly function: string;
  readonly argument: unknown;

  constructor(name: string, argument: unknown) {
    super(`${name}(${inOneLine(argument)})`);
    this.function = name;
    this.argument = argument;
  }
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

/** Formats the key of a member; without brackets, `__proto__` would set the prototype. */
function keyOf(key: string): string {
  if (key === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/u.test(key) ? key : JSON.stringify(key);
}

/** Replaces values that differ between runs, such as uids, by matchers. */
export class StableValues {
  /** The uids, addresses and generated names that the cluster gave to objects. */
  readonly #unstable = new Set<string>();

  /** Learns the values that the cluster gave to an object: its uid, addresses, and generated name unless the test keeps it. */
  see({ metadata, ...object }: KubernetesObject, isNameKept: boolean): void {
    const { spec, status } = object as { readonly spec?: Addresses; readonly status?: Addresses };
    const addresses = [spec?.clusterIP, status?.podIP, status?.hostIP];
    const generated = isGenerated(metadata) && !isNameKept ? [metadata.name] : [];
    for (const value of [metadata.uid, ...addresses, ...generated])
      if (typeof value === "string" && value.length > 5) this.#unstable.add(value);
  }

  /** Returns true if a text probably differs in the next run. */
  isUnstable(text: string): boolean {
    return changingText.test(text) || [...this.#unstable].some((value) => text.includes(value));
  }

  /** Returns a value with matchers for unstable texts, and without uids and resourceVersions. */
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

/** Returns true for names with a random suffix. Pods of StatefulSets have a `generateName`, too, but an ordinal as suffix. */
function isGenerated({ generateName, name = "" }: KubernetesObject["metadata"]): boolean {
  return generateName !== undefined && /^[b-df-hj-np-tv-xz2-9]{5}$/u.test(name.slice(generateName.length));
}

interface Addresses {
  readonly clusterIP?: string;
  readonly podIP?: string;
  readonly hostIP?: string;
}

/** Matches times, uids and hashes. */
const changingText =
  /\d{4}-\d\d-\d\dT\d\d:\d\d|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|\b[\da-f]{16,}\b/u;
