import { readMarkdownLines } from "../markdown-lines.ts";
import { isMarkerLine } from "./marker-line.ts";

/** A tag in a JSDoc comment: `@minimum 1`. */
export interface JsdocTag {
  readonly name: string;
  /** Everything up to the next tag, without surrounding whitespace. */
  readonly text: string;
  /** The offset of the `@` in the file. */
  readonly pos: number;
}

interface Line {
  readonly text: string;
  readonly pos: number;
}

/** Splits the lines of a JSDoc comment into prose, with lines of markers in it, and tags. */
export function splitTags(
  lines: readonly Line[],
  isOurs: (name: string) => boolean,
): { readonly prose: readonly string[]; readonly tags: readonly JsdocTag[] } {
  if (!mayHaveTags(lines)) return { prose: lines.map(({ text }) => text), tags: none };
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

/** Most comments have no tags. */
export function mayHaveTags(lines: readonly Line[]): boolean {
  for (const { text } of lines) if (text.includes("@")) return true;
  return false;
}

const none: readonly JsdocTag[] = [];

/** A line may begin with any tag; our own are also found behind text, as TypeScript does. */
function tagStarts(
  text: string,
  isOurs: (name: string) => boolean,
): { readonly name: string; readonly index: number }[] {
  return [...text.matchAll(token)].flatMap(({ 1: name, index }) =>
    name !== undefined && (index === 0 || isOurs(name)) ? [{ name, index }] : [],
  );
}

/**
 * Code and quoted text, which contain no tags, or a tag. `@scope/name` is a package, and a name with the punctuation of
 * a sentence behind it is part of the sentence.
 */
const token =
  /`[^`]*`|"(?:[^"\\]|\\.)*"|(?<!\S)@([A-Za-z](?:[\w:.-]*[\w:-])?)(?!\.*[\w:/-]|[.,;!?)]+(?:\s|$))/gu;
