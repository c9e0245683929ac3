import { isObject } from "@tsbuilder/apimachinery/json";
import type { Insert } from "../../scaffold/blueprint.ts";
import { findInsert } from "../../scaffold/insert.ts";
import type { Ownership } from "../../scaffold/tree.ts";
import { shorten, withPlainLineEnds } from "../../shared/text.ts";
import type { ContributedFile, ContributedPart } from "../contract/define-plugin.ts";
import { checkContributedPath } from "./contributed-path.ts";
import { pluginError } from "./plugin-error.ts";

/** A contribution of the right form; `refuseForeign` compares its paths with the project's. */
export interface CheckedContribution {
  readonly parts: readonly Required<ContributedPart>[];
  readonly files: readonly Required<ContributedFile>[];
  readonly inserts: readonly Insert[];
}

/**
 * Checks the form of a plugin's contribution, and throws a TsbuilderError that names the wrong field. The contribution is
 * converted to plain data first, so that no code of the plugin runs later. `place` is the function that returned it.
 */
export function checkContribution(key: string, place: string, returned: unknown): CheckedContribution {
  const value = toData(key, place, returned);
  const reader = new FieldReader(key, place, value, ["parts", "files", "inserts"]);
  const contribution: CheckedContribution = {
    parts: reader.list("parts", ["templates", "context", "ownership"], (part) => ({
      templates: part.text("templates"),
      context: part.texts("context"),
      ownership: part.ownership(),
    })),
    files: reader.list("files", ["path", "content", "ownership"], (file) => ({
      path: file.path("path"),
      content: file.text("content"),
      ownership: file.ownership(),
    })),
    inserts: reader.list("inserts", ["file", "marker", "text"], (insert) => ({
      file: insert.path("file"),
      marker: insert.marker(),
      text: insert.lines(),
    })),
  };
  for (const insert of contribution.inserts) checkFindable(key, insert);
  return contribution;
}

/** Converts a value to plain data. Getters and proxies run here, and never again. */
function toData(key: string, place: string, returned: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(returned ?? {})) as unknown;
  } catch (cause) {
    throw pluginError(key, `what ${place} returned is not plain data`, { cause });
  }
}

/** Reads the fields of an object; an error names the object and the field. */
class FieldReader {
  readonly #key: string;
  readonly #place: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(key: string, place: string, value: unknown, known: readonly string[]) {
    this.#key = key;
    this.#place = place;
    if (!isObject(value)) throw this.#invalid("is not an object");
    const unknown = Object.keys(value).find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw this.#invalid(
        `has the unknown field ${JSON.stringify(shorten(unknown))}; known are ${known.join(", ")}`,
      );
    this.#values = value;
  }

  list<T>(name: string, known: readonly string[], read: (item: FieldReader) => T): T[] {
    const value = this.#get(name) ?? [];
    if (!Array.isArray(value)) throw this.#invalid(`has ${name} that are not a list`);
    return value.map((item, i) =>
      read(new FieldReader(this.#key, `${this.#place}.${name}[${i}]`, item, known)),
    );
  }

  text(name: string): string {
    const value = this.#get(name);
    if (typeof value !== "string") throw this.#invalid(`has no text "${name}"`);
    if (/\p{Surrogate}/u.test(value)) throw this.#invalid(`has a "${name}" that is not text`);
    return value;
  }

  /** A mapping of names to texts: what a template inserts for each name. */
  texts(name: string): Record<string, string> {
    const value = this.#get(name) ?? {};
    if (!isObject(value) || !Object.values(value).every((item) => typeof item === "string"))
      throw this.#invalid(`has a "${name}" with values that are not texts`);
    return value as Record<string, string>;
  }

  path(name: string): string {
    return checkContributedPath(this.#key, this.text(name));
  }

  ownership(): Ownership {
    const value = this.#get("ownership") ?? "yours";
    if (value === "yours" || value === "generated") return value;
    throw this.#invalid('has an ownership that is neither "yours" nor "generated"');
  }

  marker(): string {
    const marker = this.text("marker");
    if (/^[a-z][-a-z0-9/]*$/u.test(marker)) return marker;
    throw this.#invalid(
      `has the marker ${JSON.stringify(shorten(marker))}; a marker is a word like "imports"`,
    );
  }

  /** The lines of an insert, without empty lines around them. */
  lines(): string {
    const text = withPlainLineEnds(this.text("text")).replaceAll(/^\n+|\n+$/gu, "");
    if (text.trim() === "") throw this.#invalid("inserts nothing");
    if (text.includes("+tsbuilder:scaffold:")) throw this.#invalid("inserts a marker");
    return text;
  }

  #get(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  #invalid(what: string): Error {
    return pluginError(this.#key, `${this.#place} ${what}`);
  }
}

/**
 * Refuses lines that can't be found by their syntax, since they could not be removed: a comment has no syntax, and an
 * open string or comment would include the lines below. Tries it with one statement before and one after the lines.
 */
function checkFindable(key: string, insert: Insert): void {
  const isYaml = /\.ya?ml$/u.test(insert.file);
  const first = isYaml ? "- linesBefore" : "linesBefore();";
  const last = isYaml ? "- linesAfter" : "linesAfter();";
  const before = `${first}\n`;
  // The characters that would close an open string or comment may occur anywhere below.
  const text = `${before}${insert.text}\n${last}${isYaml ? "" : " // ` ' \" */"}\n`;
  const end = before.length + insert.text.length + 1;
  const place = findInsert(text, insert);
  const following = findInsert(text, { ...insert, text: last });
  if (place?.start === before.length && place.end === end && following?.start === end) return;
  throw pluginError(
    key,
    `the lines ${JSON.stringify(shorten(insert.text))} could not be found again to remove them`,
    { hint: "insert whole statements, or items of a list in YAML" },
  );
}

const maxFiles = 1000;
const maxCharacters = 10_000_000;

/** Limits the size of all texts that one function contributes, templates included. */
export function checkSize(key: string, place: string, texts: readonly string[]): void {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  if (texts.length > maxFiles)
    throw pluginError(key, `${place} contributes ${texts.length} files, more than ${maxFiles}`);
  if (characters > maxCharacters)
    throw pluginError(key, `${place} contributes ${characters} characters, more than ${maxCharacters}`);
}
