import type { Part } from "./blueprint.ts";
import type { Tree } from "./tree.ts";

/** A file rendered from a template. */
export interface RenderedFile {
  /** The template's path relative to its part, which is the same wherever the file is written. */
  readonly template: string;
  readonly path: string;
  readonly content: string;
}

/**
 * Renders all templates of a part. A template's path is the path of its output, and is a template itself. Templates
 * contain no logic: what is optional is a part of its own, or a variable that may be empty.
 */
export function renderPart(part: Part, templates: Tree): RenderedFile[] {
  const files = templates.list(part.templates).filter((file) => file.endsWith(".hbs"));
  if (files.length === 0) throw new Error(`no template found in templates/${part.templates}`);
  return files.map((file) => {
    const template = file.slice(part.templates.length + 1, -".hbs".length);
    return { template, path: render(template, part), content: render(templates.read(file)!, part) };
  });
}

/** `{{word}}`, or `\{{` for two braces that are meant. */
const expression = /\\\{\{|\{\{(?:(\w+)\}\})?/gu;

/** A word missing in the context is a bug, not an empty string. */
function render(template: string, { context, templates }: Part): string {
  return replaceWords(template, (word) => {
    if (Object.hasOwn(context, word)) return context[word]!;
    throw new Error(`templates/${templates} uses {{${word}}}, which it does not get`);
  });
}

/** Replaces the words between double braces; throws an error if anything else stands between them. */
export function replaceWords(template: string, replace: (word: string) => string): string {
  return template.replaceAll(expression, (text, word: string | undefined, at: number) => {
    if (text.startsWith("\\")) return "{{";
    if (word !== undefined) return replace(word);
    const line = template.slice(0, at).split("\n").length;
    throw new Error(`"${template.slice(at).split("}}")[0]}}}" at line ${line}`);
  });
}
