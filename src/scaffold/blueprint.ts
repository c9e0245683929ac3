import type { Ownership } from "./file-change.ts";

/**
 * The files and inserted lines that a project consists of, as data. A command changes the project's description;
 * what it does to the files is the difference of the two blueprints.
 */
export interface Blueprint {
  readonly parts: readonly Part[];
  /** In the order in which they stand at their markers. */
  readonly inserts: readonly Insert[];
  /** Files that generators make for the project: they go when nothing asks for them any more. */
  readonly generated: readonly string[];
}

/** A folder of templates, and the words that fill them. */
export interface Part {
  /** Says which part this is, whatever its paths are: two blueprints are compared by it. */
  readonly key: string;
  /** Folder below `templates/`. */
  readonly templates: string;
  readonly context: TemplateContext;
  readonly ownership?: Ownership;
  /** A file that exists is kept, unless the project could not work with it. */
  readonly ifExists?: "keep" | "refuse";
}

export type TemplateContext = Readonly<Record<string, string>>;

/** Lines that belong above a marker of a file. */
export interface Insert {
  readonly file: string;
  /** `imports` for the marker `+tsbuilder:scaffold:imports`. */
  readonly marker: string;
  /** One or more lines, without the indentation of the marker. */
  readonly text: string;
}

/** Puts blueprints one after another. The same part or line may be asked for more than once. */
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

/** Names an insert: the same line at the same marker is one insert. */
export function insertKey({ file, marker, text }: Insert): string {
  return `${file}\n${marker}\n${text}`;
}
