// Values that a schema is likely to admit, small ones first. The caller validates them: branches may exclude each other, and
// CEL rules are ignored.

import { type JSONObject, setMember } from "@tsbuilder/apimachinery/json";
import { compilePattern, itemsOf, type JSONSchema, valuesOf } from "@tsbuilder/apimachinery/schema";

/** A source of choices: the same seed makes the same ones. */
export class Choices {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** Returns a whole number from 0 up to, but not including, a limit. */
  below(limit: number): number {
    this.#state = Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d);
    this.#state = Math.imul((this.#state ^ (this.#state >>> 12)) + 0x9e3779b9, 0x297a2d39);
    return ((this.#state ^ (this.#state >>> 15)) >>> 0) % limit;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

/** How a value is drawn. */
export interface Drawing {
  readonly choices: Choices;
  /** How many of ten optional fields are set. */
  readonly optional: number;
}

/** Draws a value. `name` is that of its field. */
export function drawValue(schema: JSONSchema, drawing: Drawing, name = ""): unknown {
  const { choices } = drawing;
  const plain = chooseBranches(schema, choices);
  if (plain.enum && plain.enum.length > 0) return choices.pick(plain.enum);
  if (plain["x-kubernetes-embedded-resource"] && !plain.properties?.["spec"])
    return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "example" } };
  switch (plain.type || typeWithout(plain, choices)) {
    case "object":
      return drawObject(plain, drawing);
    case "array":
      return drawList(plain, drawing, name);
    case "integer":
    case "number":
      return drawNumber(plain, choices);
    case "boolean":
      return choices.below(2) === 1;
    default:
      return drawText(plain, choices);
  }
}

function typeWithout(schema: Plain, choices: Choices): string {
  if (schema["x-kubernetes-int-or-string"]) return choices.pick(["integer", "string"]);
  if (schema.properties || schema.additionalProperties) return "object";
  if (schema.items) return "array";
  return schema["x-kubernetes-preserve-unknown-fields"] ? "object" : "string";
}

/** A schema with one branch of each alternative merged into it. */
type Plain = Omit<JSONSchema, "allOf" | "anyOf" | "oneOf" | "not"> & {
  readonly patterns: readonly string[];
  /** Fields that a branch that was not chosen, or `not`, requires: they stay absent. */
  readonly absent: ReadonlySet<string>;
};

function chooseBranches(schema: JSONSchema, choices: Choices): Plain {
  let plain: JSONSchema = {};
  const patterns: string[] = [];
  const absent = new Set<string>();
  const add = ({ allOf = [], anyOf = [], oneOf = [], not, ...part }: JSONSchema): void => {
    if (part.pattern !== undefined && part.pattern !== "") patterns.push(part.pattern);
    plain = merge(plain, part);
    allOf.forEach(add);
    if (anyOf.length > 0) add(choices.pick(anyOf));
    if (oneOf.length > 0) {
      const chosen = choices.pick(oneOf);
      add(chosen);
      for (const { required = [] } of oneOf)
        for (const name of required) if (!chosen.required?.includes(name)) absent.add(name);
    }
    for (const { required = [] } of not ? (not.anyOf ?? [not]) : [])
      if (required.length > 0) absent.add(required[0]!);
  };
  add(schema);
  return { ...plain, patterns, absent };
}

function merge(a: JSONSchema, b: JSONSchema): JSONSchema {
  const merged: JSONSchema = { ...a, ...b, required: [...(a.required ?? []), ...(b.required ?? [])] };
  for (const key of ["minimum", "minLength", "minItems", "minProperties"] as const)
    if (a[key] !== undefined && b[key] !== undefined) merged[key] = Math.max(a[key], b[key]);
  for (const key of ["maximum", "maxLength", "maxItems", "maxProperties"] as const)
    if (a[key] !== undefined && b[key] !== undefined) merged[key] = Math.min(a[key], b[key]);
  if (a.enum && b.enum) merged.enum = a.enum.filter((value) => b.enum!.includes(value));
  if (a.properties && b.properties) {
    const both = Object.entries(b.properties).map(([name, schema]) => [
      name,
      Object.hasOwn(a.properties!, name) ? { allOf: [a.properties![name]!, schema] } : schema,
    ]);
    merged.properties = { ...a.properties, ...(Object.fromEntries(both) as Record<string, JSONSchema>) };
  }
  return merged;
}

function drawObject(schema: Plain, drawing: Drawing): unknown {
  const { choices, optional } = drawing;
  const object: JSONObject<unknown> = {};
  // Deeper objects get fewer optional fields.
  const inner: Drawing = { choices, optional: Math.floor(optional / 2) };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (schema.absent.has(name)) continue;
    const isDrawn = schema.required?.includes(name) === true || choices.below(10) < optional;
    if (isDrawn) setMember(object, name, drawValue(property, inner, name));
  }
  const values = valuesOf(schema);
  const least = schema.minProperties ?? 0;
  const size = Math.min(
    schema.maxProperties ?? Infinity,
    Math.max(least, choices.below(10) < optional ? 1 : 0),
  );
  if (!values) return object;
  for (let at = 0; at < mostDrawn && Object.keys(object).length < size; at++)
    setMember(object, `key${at}`, drawValue(values, inner));
  return object;
}

/** No value has more items than this, whatever its schema asks for: it can't be a readable witness. */
const mostDrawn = 2000;

function drawList(schema: Plain, { choices, optional }: Drawing, name: string): unknown[] {
  const items = itemsOf(schema) ?? {};
  const least = Math.min(schema.minItems ?? 0, mostDrawn);
  const size = Math.min(schema.maxItems ?? Infinity, Math.max(least, choices.below(10) < optional ? 1 : 0));
  const identity = schema["x-kubernetes-list-map-keys"] ?? [];
  const isDistinct = schema["x-kubernetes-list-type"] === "set" || identity.length > 0;
  const list: unknown[] = [];
  const seen = new Set<string>();
  for (let tries = 0; list.length < size && tries < 10 * size + 10; tries++) {
    const drawn = drawValue(items, { choices, optional: Math.floor(optional / 2) }, name);
    const item = isDistinct && tries >= list.length + 1 ? numbered(drawn, identity, tries) : drawn;
    const key = JSON.stringify(
      identity.length > 0 ? identity.map((field) => (item as JSONObject<unknown>)[field]) : item,
    );
    if (isDistinct && seen.has(key)) continue;
    seen.add(key);
    list.push(item);
  }
  return list;
}

/** Makes an item differ from another one, in a field if it is an object, by a number at its end. */
export function numbered(item: unknown, keys: readonly string[], number: number): unknown {
  if (typeof item === "string") return `${item}${number}`;
  if (typeof item === "number") return item + number;
  const [key] = keys;
  if (key === undefined || typeof item !== "object" || item === null) return item;
  return { ...item, [key]: numbered((item as JSONObject<unknown>)[key], [], number) };
}

function drawNumber(schema: Plain, choices: Choices): number {
  const { multipleOf: step = 1, minimum = -Infinity, maximum = Infinity } = schema;
  const low = Math.ceil(minimum / step) * step + (schema.exclusiveMinimum ? step : 0);
  const high = Math.floor(maximum / step) * step - (schema.exclusiveMaximum ? step : 0);
  if (low > high) return (minimum + maximum) / 2;
  const start = Number.isFinite(low) ? low : Math.min(high, step);
  return Math.min(high, start + step * choices.pick([0, 0, 1, 2, 7]));
}

/** Texts of the formats that an API server knows, and others that many patterns match. */
const textsOfFormats: Readonly<Record<string, string>> = {
  byte: "YQ==",
  date: "2026-01-01",
  "date-time": "2026-01-01T00:00:00Z",
  duration: "30s",
  email: "a@example.com",
  hostname: "example.com",
  ipv4: "10.0.0.1",
  ipv6: "2001:db8::1",
  cidr: "10.0.0.0/8",
  mac: "00:00:5e:00:53:01",
  uri: "https://example.com",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
};
const commonTexts =
  "a|alpha|1|10|100m|1Gi|30s|1h30m|50%|v1.2.3|1.2.3|/a|a/b|example.com|https://example.com|10.0.0.1|10.0.0.0/8|2026-01-01T00:00:00Z|0 3 * * *|A|Not valid!|".split(
    "|",
  );

function drawText(schema: Plain, choices: Choices): string {
  const { minLength = 0, maxLength = Infinity, patterns } = schema;
  const fits = (text: string): boolean =>
    text.length >= minLength &&
    text.length <= maxLength &&
    patterns.every((pattern) => compilePattern(pattern).test(text));
  const quoted = (schema["x-kubernetes-validations"] ?? []).flatMap(({ rule = "" }) =>
    [...rule.matchAll(/'([^'\\]*)'/gu)].map(([, text]) => text!),
  );
  const formatted = textsOfFormats[schema.format ?? ""];
  if (formatted !== undefined && fits(formatted)) return formatted;
  const fitting = [...quoted, ...commonTexts].filter(fits);
  if (fitting.length > 0 && choices.below(8) > 0)
    return choices.below(2) === 0 ? fitting[0]! : choices.pick(fitting);
  for (let tries = 0; patterns.length > 0 && tries < 40; tries++) {
    const text = drawMatch(choices.pick(patterns), tries % 2 === 0 ? 3 : Math.min(minLength, 3000), choices);
    if (fits(text)) return text;
  }
  return choices.pick(["a", "b", "x"]).repeat(Math.min(Math.max(minLength, 1), maxLength, 100_000));
}

/** Members of RE2's classes, and what stands for nothing. */
const classes: Readonly<Record<string, string>> = {
  d: "0123456789",
  w: "abz09_",
  s: " ",
  D: "a",
  W: "-",
  S: "a",
  p: "a",
  P: "1",
  n: "\n",
  t: "\t",
};

/** Beyond this, repetitions in repetitions would make a text without end. */
const mostAtoms = 5000;

/** Draws a text that a pattern of RE2 is likely to match; what repeats without end does so up to `most` times. */
export function drawMatch(pattern: string, most: number, choices: Choices): string {
  let at = 0;
  let atoms = 0;
  return alternatives();

  /** Reads branches up to the end of their group, and returns the text of one. */
  function alternatives(): string {
    const texts = [sequence()];
    while (pattern[at] === "|") {
      at++;
      texts.push(sequence());
    }
    return choices.pick(texts);
  }

  function sequence(): string {
    let text = "";
    while (at < pattern.length && pattern[at] !== "|" && pattern[at] !== ")") {
      const start = at;
      const first = atom();
      const [low, high] = quantifier();
      const behind = at;
      const times = ++atoms > mostAtoms ? low : low + choices.below(Math.min(high - low, most) + 1);
      if (times > 0) text += first;
      // Each repetition is drawn anew, from the same part of the pattern.
      for (let time = 1; time < times; time++) {
        at = start;
        text += atom();
      }
      at = behind;
    }
    return text;
  }

  function atom(): string {
    const letter = pattern[at++]!;
    if (letter === "^" || letter === "$") return "";
    if (letter === "(") {
      const flags = /^\?(?:P?<\w+>|[a-zA-Z-]*:)/u.exec(pattern.slice(at, at + 40))?.[0] ?? "";
      at += flags.length;
      const text = alternatives();
      at++;
      return text;
    }
    if (letter === "[") return choices.pick(classMembers());
    if (letter === "\\") return choices.pick(escaped());
    return letter === "." ? choices.pick(["a", "b", "1"]) : letter;
  }

  function quantifier(): [low: number, high: number] {
    const [written = "", low, comma, high] =
      /^(?:\{(\d+)(,?)(\d*)\}|[*+?])/u.exec(pattern.slice(at, at + 20)) ?? [];
    at += written.length;
    if (written !== "" && pattern[at] === "?") at++;
    if (low !== undefined) return [Number(low), comma ? (high ? Number(high) : Infinity) : Number(low)];
    return (
      (({ "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] } as const)[written]?.slice() as [
        number,
        number,
      ]) ?? [1, 1]
    );
  }

  function classMembers(): string[] {
    const isNegated = pattern[at] === "^";
    if (isNegated) at++;
    const members: string[] = [];
    do {
      const posix = /^\[:(\w+):\]/u.exec(pattern.slice(at, at + 12));
      if (posix) {
        at += posix[0].length;
        members.push(...Array.from({ digit: "0123456789", upper: "AB", xdigit: "09af" }[posix[1]!] ?? "ab1"));
        continue;
      }
      const one = pattern[at++] === "\\" ? escaped() : [pattern[at - 1]!];
      if (pattern[at] === "-" && pattern[at + 1] !== "]" && at + 1 < pattern.length) {
        at++;
        const last = pattern[at++] === "\\" ? escaped()[0]! : pattern[at - 1]!;
        const [from, to] = [one[0]!.codePointAt(0)!, last.codePointAt(0)!];
        for (let code = from; code <= to && code < from + 64; code++)
          members.push(String.fromCodePoint(code));
      } else members.push(...one);
    } while (at < pattern.length && pattern[at] !== "]");
    at++;
    const others = Array.from("abz09AZ-_./ ").filter((text) => !members.includes(text));
    return isNegated ? (others.length > 0 ? others : ["~"]) : members;
  }

  function escaped(): string[] {
    const letter = pattern[at++] ?? "";
    if ("bBAz".includes(letter)) return [""];
    if (letter === "x") {
      const [written, code] = /^\{?([0-9a-fA-F]+)\}?/u.exec(pattern.slice(at, at + 10)) ?? ["", "41"];
      at += written.length;
      return [String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0xffff))];
    }
    if (letter === "p" || letter === "P")
      at += /^(?:\{\w+\}|\w)/u.exec(pattern.slice(at, at + 20))?.[0].length ?? 0;
    return Array.from(classes[letter] ?? letter);
  }
}
