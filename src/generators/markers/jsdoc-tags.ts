import { readMarkdownLines } from "../model/markdown.ts";
import { isMarkerLine, readJson, readNumber } from "./parse-marker.ts";
import { didYouMean, editDistance } from "../../shared/text.ts";
import type { DiagnosticLog, Place } from "../model/diagnostic.ts";
import type { CommentBlock, LeadingComments, Module } from "../loader/index.ts";
import type { MarkerValue } from "../model/schema.ts";
import type { Marker } from "./collect.ts";
import type { MarkerTarget } from "./definition.ts";
import { describeTargets, lookUpMarker } from "./registry.ts";

const validation = "kubebuilder:validation:";

/** The markers that a tag stands for, with their values; or the reason why the tag's text is not a value. */
type Meaning = readonly (readonly [marker: string, value: MarkerValue])[] | string;

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
  // The tag is added to the description; on a kind, it also deprecates the version.
  deprecated: () => [],
};

/** Converts the JSDoc tags of a type or field to markers; in installed packages, tags are only text. */
export function tagMarkers(
  comments: LeadingComments,
  target: Exclude<MarkerTarget, "package">,
  module: Module,
  log: DiagnosticLog,
): Marker[] {
  if (module.file.includes("node_modules/")) return [];
  return listTags(comments).flatMap((tag) => {
    const place: Place = { module, pos: tag.pos };
    const hint = findTagHint(tag.name);
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

/** Returns the text of `@deprecated`, which may be empty; undefined without this tag. */
export function deprecation(comments: LeadingComments): string | undefined {
  return listTags(comments)
    .find(({ name }) => name === "deprecated")
    ?.text.replaceAll(/\s*\n\s*/gu, " ");
}

/** A tag in a JSDoc comment: `@minimum 1`. */
interface JsdocTag {
  readonly name: string;
  /** Everything up to the next tag, without surrounding whitespace. */
  readonly text: string;
  /** The offset of the `@` in the file. */
  readonly pos: number;
}

/** Returns the tags of the last JSDoc comment, which is also the description. */
function listTags(comments: LeadingComments): readonly JsdocTag[] {
  const block: CommentBlock | undefined = comments.adjacent.findLast(({ kind }) => kind === "jsdoc");
  return block && mayHaveTags(block.lines) ? splitTags(block.lines, isSchemaTag).tags : [];
}

/** Returns whether a tag has a meaning for schemas, or was probably meant to have one. */
export function isSchemaTag(name: string): boolean {
  return Object.hasOwn(meanings, name) || findTagHint(name) !== undefined;
}

function readMeaning({ name, text }: JsdocTag): Meaning {
  if (name === "deprecated") return [];
  if (name !== "default" && text.includes("\n")) return "its value is a single line";
  return meanings[name]!(text);
}

function number(name: string): (text: string) => Meaning {
  return (text) => {
    const value = parseNumber(text, "number");
    return value === undefined ? `expected a number, got ${quoted(text)}` : [[`${validation}${name}`, value]];
  };
}

/** Since draft 6 of JSON Schema, the value is the limit itself; before, it is true, and the limit has its own tag. */
function exclusive(limit: "Minimum" | "Maximum"): (text: string) => Meaning {
  return (text) => {
    const excluded: readonly [string, MarkerValue] = [`${validation}Exclusive${limit}`, true];
    const value = parseNumber(text, "number");
    return value === undefined ? flag(text, [excluded]) : [[`${validation}${limit}`, value], excluded];
  };
}

function integer(name: string): (text: string) => Meaning {
  return (text) => {
    const value = /^\d+$/u.test(text) ? parseNumber(text, "int") : undefined;
    return value === undefined
      ? `expected an integer of at least 0, got ${quoted(text)}`
      : [[`${validation}${name}`, value]];
  };
}

function flag(text: string, markers: Exclude<Meaning, string>): Meaning {
  if (text === "" || text === "true") return markers;
  return text === "false" ? [] : `expected true or false, got ${quoted(text)}`;
}

/** A value in backticks may contain an @ or a brace, which would start a tag. */
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

function parseNumber(text: string, type: "int" | "number"): number | bigint | undefined {
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/u.test(text) ? readNumber(text, type) : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Tags of other tools that ask for what a marker or a type does here, in lower case. */
const hintsForOtherTags: Readonly<Record<string, string>> = {
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

/** Tags of JSDoc and TSDoc that are near one of ours. */
const standardTags = new Set(["defaults", "file", "param", "mixin", "returns", "todo", "type"]);

/** Returns a hint for a tag without a meaning that looks like a tag with one. */
function findTagHint(name: string): string | undefined {
  if (Object.hasOwn(meanings, name) || standardTags.has(name)) return undefined;
  const lowerCase = name.toLowerCase();
  if (Object.hasOwn(hintsForOtherTags, lowerCase)) return hintsForOtherTags[lowerCase];
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

/** Splits a JSDoc comment into prose, with markers, and tags; `isOurs` selects the tags that may stand behind text. */
export function splitTags(
  lines: CommentBlock["lines"],
  isOurs: (name: string) => boolean,
): { readonly prose: readonly string[]; readonly tags: readonly JsdocTag[] } {
  if (!mayHaveTags(lines)) return { prose: lines.map(({ text }) => text), tags: [] };
  const prose: string[] = [];
  const tags: { name: string; lines: string[]; pos: number }[] = [];
  const parts = readMarkdownLines(lines.map(({ text }) => text));
  let tag: (typeof tags)[number] | undefined;
  const add = (text: string): void => {
    if (tag) tag.lines.push(text);
    else prose.push(text);
  };
  for (const [at, { text, pos }] of lines.entries()) {
    if (isMarkerLine(text.trim())) tag = undefined;
    const starts = parts[at] === "text" ? tagStarts(text, isOurs) : [];
    const [first] = starts;
    const before = first === undefined ? text : text.slice(0, first.index).trimEnd();
    if (first === undefined || before !== "") add(before);
    for (const [i, { name, index }] of starts.entries()) {
      tag = { name, lines: [], pos: pos + index };
      tags.push(tag);
      add(text.slice(index + 1 + name.length, starts[i + 1]?.index));
    }
  }
  return {
    prose,
    tags: tags.map(({ name, lines: written, pos }) => ({ name, text: written.join("\n").trim(), pos })),
  };
}

/** Returns whether a comment may have tags, without parsing it: most have none. */
function mayHaveTags(lines: CommentBlock["lines"]): boolean {
  for (const { text } of lines) if (text.includes("@")) return true;
  return false;
}

/** Code and quotations, which have no tags, or a tag; `@scope/name` and a name before punctuation are text. */
const token =
  /`[^`]*`|"(?:[^"\\]|\\.)*"|(?<!\S)@([A-Za-z](?:[\w:.-]*[\w:-])?)(?!\.*[\w:/-]|[.,;!?)]+(?:\s|$))/gu;

/** Finds the tags in a line: any at its start, and our own also behind text, as TypeScript does. */
function tagStarts(text: string, isOurs: (name: string) => boolean) {
  return [...text.matchAll(token)].flatMap(({ 1: name, index }) =>
    name !== undefined && (index === 0 || isOurs(name)) ? [{ name, index }] : [],
  );
}
