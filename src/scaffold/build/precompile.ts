import Handlebars from "handlebars";
import { listTemplates, templateOptions } from "../compiled-templates.ts";

/**
 * Returns the module that replaces `compiled-templates.ts` in the bundle of the CLI, with all templates as functions:
 * parsing those of a new kind takes longer than the rest of `create api`.
 */
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

/** Returns an expression; the text itself if it has no variables. */
function precompile(text: string): string {
  return text.includes("{{")
    ? (Handlebars.precompile(text, templateOptions) as string)
    : JSON.stringify(text);
}
