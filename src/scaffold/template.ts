import type { Part, RenderedFile } from "./blueprint.ts";
import { compiledTemplates } from "./compiled-templates.ts";

/** Renders all templates of a part. Templates contain no logic: optional text is another part, or an empty variable. */
export function renderPart(part: Part): readonly RenderedFile[] {
  if ("files" in part) return part.files;
  const { templates: folder, context } = part;
  const templates = compiledTemplates(folder);
  if (templates.length === 0) throw new Error(`no template found in templates/${folder}`);
  const below = (path: string): string => path.slice(folder.length + 1);
  return templates.map(({ name, path, content }) => ({
    template: below(name),
    path: below(path(context)),
    content: content(context),
  }));
}
