import { type TemplateContext, compiledTemplates } from "./compiled-templates.ts";
import type { Ownership } from "./tree.ts";

/** The files and inserted lines of a project. Files change by the difference between two blueprints. */
export interface Blueprint {
  readonly parts: readonly Part[];
  /** In the order of their lines at the markers. */
  readonly inserts: readonly Insert[];
  /** Files that generators write; they are deleted when no part requires them any more. */
  readonly generated: readonly string[];
}

/** Files that belong together: rendered from templates, or texts that a third-party plugin contributes. */
export type Part = TemplatePart | TextPart;

interface PartBase {
  /** Identifies the part in two blueprints, whatever its paths. */
  readonly key: string;
  readonly ownership?: Ownership;
  /** An existing file is kept, unless the project would not work with it. */
  readonly ifExists?: "keep" | "refuse";
}

/** A folder of templates with its context. */
export interface TemplatePart extends PartBase {
  /** Folder in `templates/`. */
  readonly templates: string;
  readonly context: TemplateContext;
}

/** Files whose content is ready, without a template. */
export interface TextPart extends PartBase {
  readonly files: readonly RenderedFile[];
}

/** A file of a part. */
export interface RenderedFile {
  /** The template's path relative to its part, which is the same wherever the file is written. */
  readonly template: string;
  readonly path: string;
  readonly content: string;
}

/** Lines to insert above a marker in a file. */
export interface Insert {
  readonly file: string;
  /** `imports` for the marker `+tsbuilder:scaffold:imports`. */
  readonly marker: string;
  /** One or more lines, without the indentation of the marker. */
  readonly text: string;
  /** The project works without the lines, so that a file whose marker is gone stays as it is. */
  readonly isOptional?: boolean;
}

export const emptyBlueprint: Blueprint = { parts: [], inserts: [], generated: [] };

/** Creates a blueprint of one part, from a folder of templates. */
export function part(key: string, templates: string, context: TemplateContext): Blueprint {
  return { ...emptyBlueprint, parts: [{ key, templates, context }] };
}

/** Joins blueprints. Of parts with one key the last counts, and equal inserts count once. */
export function joinBlueprints(...blueprints: readonly Blueprint[]): Blueprint {
  const parts = new Map(blueprints.flatMap(({ parts: own }) => own).map((part) => [part.key, part]));
  const inserts = new Map(
    blueprints.flatMap(({ inserts: own }) => own).map((insert) => [insertKey(insert), insert]),
  );
  return {
    parts: [...parts.values()],
    inserts: [...inserts.values()],
    generated: [...new Set(blueprints.flatMap(({ generated }) => generated))],
  };
}

/** Identifies an insert: the same line at the same marker is the same insert. */
export function insertKey({ file, marker, text }: Insert): string {
  return `${file}\n${marker}\n${text}`;
}

/**
 * Renders all templates of a part. Templates contain no logic: optional text is another part, or an empty variable. Throws
 * for a folder without templates, and for a variable that the context does not have.
 */
export function renderPart(part: Part): readonly RenderedFile[] {
  if ("files" in part) return part.files;
  const { templates: folder, context } = part;
  const templates = compiledTemplates(folder);
  if (templates.length === 0) throw new Error(`no template found in templates/${folder}`);
  const relativeToPart = (path: string): string => path.slice(folder.length + 1);
  return templates.map(({ name, path, content }) => ({
    template: relativeToPart(name),
    path: relativeToPart(path(context)),
    content: content(context),
  }));
}
