import type { Part } from "./blueprint.ts";
import { compiledTemplates } from "./compiled-templates.ts";

/** A file rendered from a template. */
export interface RenderedFile {
  /** The template's path relative to its part, which is the same wherever the file is written. */
  readonly template: string;
  readonly path: string;
  readonly content: string;
}

/** Renders all templates of a part. They contain no logic: what is optional is a part of its own, or may be empty. */
export function renderPart({ templates: folder, context }: Part): RenderedFile[] {
  const templates = compiledTemplates(folder);
  if (templates.length === 0) throw new Error(`no template found in templates/${folder}`);
  const below = (path: string): string => path.slice(folder.length + 1);
  return templates.map(({ name, path, content }) => ({
    template: below(name),
    path: below(path(context)),
    content: content(context),
  }));
}
