import { join } from "node:path";
import Handlebars from "handlebars";
import { everythingBelow } from "./tree.ts";

export type TemplateContext = Readonly<Record<string, string>>;

/** A file of `templates`. Its path is the path of its output, and is a template itself. */
export interface CompiledTemplate {
  readonly name: string;
  readonly path: (context: TemplateContext) => string;
  readonly content: (context: TemplateContext) => string;
}

/** Compiles all templates in a folder. In the bundle they are compiled already: see `build/precompile.ts`. */
export function compiledTemplates(folder: string): CompiledTemplate[] {
  return listTemplates(folder).map(({ name, text }) => ({
    name,
    path: compile(name),
    content: compile(text),
  }));
}

const templates = everythingBelow(join(import.meta.dirname, "../../templates"));

/** Lists names and texts of the templates in a folder, or of all. */
export function listTemplates(folder = ""): { readonly name: string; readonly text: string }[] {
  return templates
    .list(folder)
    .filter((file) => file.endsWith(".hbs"))
    .map((file) => ({ name: file.slice(0, -".hbs".length), text: templates.read(file)! }));
}

/** Strict: a variable missing in the context is a bug, not an empty string. */
export const templateOptions = { noEscape: true, strict: true, knownHelpersOnly: true };

const known = new Map<string, CompiledTemplate["content"]>();

function compile(text: string): CompiledTemplate["content"] {
  if (!text.includes("{{")) return () => text;
  const compiled = known.get(text) ?? Handlebars.compile(text, templateOptions);
  known.set(text, compiled);
  return compiled;
}
