import Handlebars from "handlebars";
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

const compiled = new Map<string, Handlebars.TemplateDelegate>();

/** Strict: a variable missing in the context is a bug, not an empty string. */
function render(template: string, { context }: Part): string {
  if (!template.includes("{{")) return template;
  let renderTemplate = compiled.get(template);
  if (!renderTemplate) {
    renderTemplate = Handlebars.compile(template, { noEscape: true, strict: true, knownHelpersOnly: true });
    compiled.set(template, renderTemplate);
  }
  return renderTemplate(context);
}
