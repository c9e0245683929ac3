import Handlebars from "handlebars";
import { listTemplates, templateOptions } from "../compiled-templates.ts";

/**
 * The module that takes the place of `compiled-templates.ts` in the bundle of the CLI. It holds all templates as
 * functions: to parse those of a new kind takes longer than all else that `create api` does.
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

/** An expression: the text itself if it has no words. */
function precompile(text: string): string {
  return text.includes("{{")
    ? (Handlebars.precompile(text, templateOptions) as string)
    : JSON.stringify(text);
}
