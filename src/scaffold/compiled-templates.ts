import { join } from "node:path";
import Handlebars from "handlebars";
import { everythingBelow } from "./tree.ts";

/** The values of a template's variables. */
export type TemplateContext = Readonly<Record<string, string>>;

/** A file of `templates`. Its path is the path of its output, and is a template itself. */
export interface CompiledTemplate {
  readonly name: string;
  readonly path: (context: TemplateContext) => string;
  readonly content: (context: TemplateContext) => string;
}

/** Compiles all templates in a folder of `templates`. In the bundle, `precompiledTemplates` replaces this module. */
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
const templateOptions = { noEscape: true, strict: true, knownHelpersOnly: true };
const compiledTexts = new Map<string, CompiledTemplate["content"]>();

function compile(text: string): CompiledTemplate["content"] {
  if (!text.includes("{{")) return () => text;
  const compiled = compiledTexts.get(text) ?? Handlebars.compile(text, templateOptions);
  compiledTexts.set(text, compiled);
  return compiled;
}

/** Returns the code that replaces this module in the bundle. Its templates are compiled, so that commands start fast. */
export function precompiledTemplates(): string {
  const entries = listTemplates().map(
    ({ name, text }) => `[${[JSON.stringify(name), precompile(name), precompile(text)].join(", ")}]`,
  );
  return `import Handlebars from "handlebars/runtime.js";

const templates = [
${entries.join(",\n")}
];

export function compiledTemplates(folder) {
  return templates
    .filter(([name]) => name.startsWith(folder + "/"))
    .map(([name, path, content]) => ({ name, path: fill(path), content: fill(content) }));
}

const fill = (template) => (typeof template === "string" ? () => template : Handlebars.template(template));
`;
}

/** Returns an expression for a template: a string if the text has no variables. */
function precompile(text: string): string {
  return text.includes("{{")
    ? (Handlebars.precompile(text, templateOptions) as string)
    : JSON.stringify(text);
}
