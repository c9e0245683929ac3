import { didYouMean, editDistance } from "../../shared/text.ts";
import type { DiagnosticLog, Place } from "../diagnostic.ts";
import type { CommentBlock, LeadingComments, Module } from "../loader/index.ts";
import type { MarkerValue } from "./argument-type.ts";
import type { Marker } from "./collect.ts";
import type { MarkerTarget } from "./definition.ts";
import { type JsdocTag, mayHaveTags, splitTags } from "./jsdoc-tags.ts";
import { readJson, readNumber } from "./read-number.ts";
import { describeTargets, lookUpMarker } from "./registry.ts";

/** A marker with its value, or why the tag's text is not a value. */
type Meaning = readonly (readonly [marker: string, value: MarkerValue])[] | string;

const validation = "kubebuilder:validation:";

/** The tags that JSON Schema generators for TypeScript share, by name. */
const meanings: Readonly<Record<string, (text: string) => Meaning>> = {
  minimum: number("Minimum"),
  maximum: number("Maximum"),
  exclusiveMinimum: exclusive("Minimum"),
  exclusiveMaximum: exclusive("Maximum"),
  multipleOf: number("MultipleOf"),
  minLength: integer("MinLength"),
  maxLength: integer("MaxLength"),
  pattern: (text) => withText(text, `${validation}Pattern`),
  format: (text) => withText(text, `${validation}Format`),
  minItems: integer("MinItems"),
  maxItems: integer("MaxItems"),
  // The API server rejects uniqueItems; a set is its form of it.
  uniqueItems: (text) => flag(text, [["listType", "set"]]),
  minProperties: integer("MinProperties"),
  maxProperties: integer("MaxProperties"),
  title: (text) => withText(text, "kubebuilder:title"),
  default: defaultValue,
  // It is added to the description; on a kind, it also deprecates the version.
  deprecated: () => [],
};

/** Tags of other tools that ask for what a marker or a type does here, in lower case. */
const others: Readonly<Record<string, string>> = {
  min: "write @minimum",
  max: "write @maximum",
  minlen: "write @minLength",
  maxlen: "write @maxLength",
  minvalue: "write @minimum",
  maxvalue: "write @maximum",
  regex: "write @pattern",
  regexp: "write @pattern",
  defaultvalue: "write @default, and the value in JSON",
  nullable: "add | null to the type",
  optional: "add ? to the field",
  required: "remove the ? from the field",
  integer: 'use int32 or int64 from "@tsbuilder/runtime"',
  astype: 'use int32 or int64 from "@tsbuilder/runtime", or +kubebuilder:validation:Type',
};

/** Returns whether a tag has a meaning for schemas, or was probably meant to have one. */
export function isSchemaTag(name: string): boolean {
  return Object.hasOwn(meanings, name) || hintFor(name) !== undefined;
}

/** The markers that the JSDoc tags of a type or field stand for. Tags of installed packages are only text. */
export function tagMarkers(
  comments: LeadingComments,
  target: Exclude<MarkerTarget, "package">,
  module: Module,
  log: DiagnosticLog,
): Marker[] {
  if (module.file.includes("node_modules/")) return [];
  return tagsOf(comments).flatMap((tag) => {
    const place: Place = { module, pos: tag.pos };
    const hint = hintFor(tag.name);
    if (hint !== undefined) log.error(place, `unknown tag "@${tag.name}"`, hint);
    if (!Object.hasOwn(meanings, tag.name)) return [];
    const meaning = readMeaning(tag);
    if (typeof meaning !== "string") return meaning.flatMap(([name, value]) => marker(name, value, place));
    log.error(place, `@${tag.name}: ${meaning}`, "text about it belongs above the first tag");
    return [];
  });

  function marker(name: string, value: MarkerValue, place: Place): Marker[] {
    const found = lookUpMarker(name);
    if (found.kind !== "known") return [];
    const { definition } = found;
    const written = module.text.slice(place.pos).match(/^@[\w-]+/u)?.[0] ?? `+${name}`;
    if (!definition.targets.includes(target)) {
      const message = `${written} is on a ${target}`;
      log.error(place, message, `move it directly above ${describeTargets(definition.targets)}`);
      return [];
    }
    const args = { "": value };
    const problem = definition.check?.(args);
    if (problem === undefined) return [{ name, definition, args, place, written }];
    log.error(place, `${written}: ${problem}`);
    return [];
  }
}

/** The text of `@deprecated`; undefined without this tag. */
export function deprecation(comments: LeadingComments): string | undefined {
  return tagsOf(comments)
    .find(({ name }) => name === "deprecated")
    ?.text.replaceAll(/\s*\n\s*/gu, " ");
}

/** As for descriptions, the last JSDoc comment counts. */
function tagsOf(comments: LeadingComments): readonly JsdocTag[] {
  const block: CommentBlock | undefined = comments.adjacent.findLast(({ kind }) => kind === "jsdoc");
  return block && mayHaveTags(block.lines) ? splitTags(block.lines, isSchemaTag).tags : [];
}

function readMeaning({ name, text }: JsdocTag): Meaning {
  if (name === "deprecated") return [];
  if (name !== "default" && text.includes("\n")) return "its value is a single line";
  return meanings[name]!(text);
}

/** What to write instead of a tag that has no meaning, but looks like one that has. */
function hintFor(name: string): string | undefined {
  if (Object.hasOwn(meanings, name) || standard.has(name)) return undefined;
  const other = name.toLowerCase();
  if (Object.hasOwn(others, other)) return others[other];
  if (/^(?:kubebuilder|tsbuilder|k8s):/u.test(name)) return `write +${name}`;
  if (name.startsWith("items.")) return "markers with items: are for the elements of a list";
  const known = Object.keys(meanings);
  const meant = didYouMean(name, known);
  const isNear =
    meant !== undefined &&
    name.length > 4 &&
    editDistance(name.toLowerCase(), meant.toLowerCase()) <= (name.length > 7 ? 2 : 1);
  return isNear ? `did you mean @${meant}?` : undefined;
}

/** Tags of JSDoc and TSDoc that are near one of ours. */
const standard = new Set(["defaults", "file", "param", "mixin", "returns", "todo", "type"]);

function number(name: string): (text: string) => Meaning {
  return (text) => {
    const value = numberOf(text, "number");
    return value === undefined ? `expected a number, got ${quoted(text)}` : [[`${validation}${name}`, value]];
  };
}

/** The limit itself, as in JSON Schema since draft 6, or true beside a limit, as before. */
function exclusive(limit: "Minimum" | "Maximum"): (text: string) => Meaning {
  return (text) => {
    const excluded: readonly [string, MarkerValue] = [`${validation}Exclusive${limit}`, true];
    const value = numberOf(text, "number");
    return value === undefined ? flag(text, [excluded]) : [[`${validation}${limit}`, value], excluded];
  };
}

function integer(name: string): (text: string) => Meaning {
  return (text) => {
    const value = /^\d+$/u.test(text) ? numberOf(text, "int") : undefined;
    return value === undefined
      ? `expected an integer of at least 0, got ${quoted(text)}`
      : [[`${validation}${name}`, value]];
  };
}

function flag(text: string, markers: Exclude<Meaning, string>): Meaning {
  if (text === "" || text === "true") return markers;
  return text === "false" ? [] : `expected true or false, got ${quoted(text)}`;
}

/** Backticks keep an @ or a brace from being read as something else. */
function withText(text: string, marker: string): Meaning {
  const value = /^`([^`]+)`$/u.exec(text)?.[1] ?? text;
  return value === "" ? "it requires a value" : [[marker, value]];
}

/** JSON; other text on one line is a string. `undefined` and `null` are no defaults. */
function defaultValue(text: string): Meaning {
  const written = /^`([^`]+)`$/u.exec(text)?.[1] ?? text;
  if (written === "") return "it requires a value";
  if (written === "undefined" || written === "null") return [];
  try {
    return [["kubebuilder:default", readJson(written)]];
  } catch {
    if (/[\n[{]/u.test(written)) return `expected JSON, got ${quoted(written)}`;
    return [["kubebuilder:default", written.replace(/^'(.*)'$/u, "$1")]];
  }
}

function numberOf(text: string, type: "int" | "number"): number | bigint | undefined {
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/u.test(text) ? readNumber(text, type) : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
