import { isDeepStrictEqual } from "node:util";
import type { Story } from "../conformance/story.ts";
import type { Difference } from "./compare-servers.ts";
import { type Cause, causesOf } from "./without-chance.ts";

/** Names what differs, so that differences with one reason have one name. */
export function classify({ story, step, real, embedded }: Difference): string {
  const kind = kindOf(story);
  if (real.code !== embedded.code) {
    const said = real.code >= 400 ? real : embedded;
    return `${kind}: ${real.code} is ${embedded.code} here: ${reasonOf(said.body)}`;
  }
  if (!isDeepStrictEqual(real.warnings, embedded.warnings)) {
    const [warning = ""] = difference(real.warnings ?? [], embedded.warnings ?? []);
    return `${kind}: ${step.method} warnings: ${shape(warning)}`;
  }
  if (real.type !== embedded.type) return `${kind}: type ${real.type} is ${embedded.type} here`;
  const missing = difference(causesOf(real).map(nameOf), causesOf(embedded).map(nameOf));
  const added = difference(causesOf(embedded).map(nameOf), causesOf(real).map(nameOf));
  if (missing.length + added.length > 0)
    return `${kind}: ${[...missing.map((name) => `lacks ${name}`), ...added.map((name) => `adds ${name}`)].slice(0, 2).join(", ")}`;
  return `${kind}: ${step.method} ${real.code}: ${firstDifference(real.body, embedded.body)}`;
}

/** The kind that a story is about: its name without the number. */
export function kindOf({ name }: Story): string {
  return name.replace(/ \d+$/u, "");
}

function reasonOf(body: unknown): string {
  const { message = "" } = (body ?? {}) as { message?: string };
  const [cause] = causesOf({ code: 0, type: "", body });
  return cause ? nameOf(cause) : shape(message).slice(0, 120);
}

function nameOf({ field = "", reason = "", message = "" }: Cause): string {
  return `${shape(field)} ${reason} ${shape(message).slice(0, 80)}`;
}

/** A text without the values in it. */
function shape(text = "undefined"): string {
  return text
    .replaceAll(/"(?:[^"\\]|\\.)*"/gu, '"…"')
    .replaceAll(/\[[^\]]*\]/gu, "[…]")
    .replaceAll(/\d+/gu, "0")
    .replaceAll(/\s+/gu, " ");
}

function difference(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((each) => !others.includes(each));
}

/** The path of the first place where two values differ. */
function firstDifference(a: unknown, b: unknown, path = ""): string {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return `${path} ${shape(JSON.stringify(a)).slice(0, 60)} is ${shape(JSON.stringify(b)).slice(0, 60)} here`;
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return `${path} has another length`;
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [x, y] = [(a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]];
    if (!isDeepStrictEqual(x, y)) return firstDifference(x, y, `${path}.${Array.isArray(a) ? "[]" : name}`);
  }
  return path;
}
