import type { Insert } from "../../scaffold/blueprint.ts";
import type { TemplateContext } from "../../scaffold/compiled-templates.ts";
import type { Ownership } from "../../scaffold/tree.ts";
import type { PluginOptions, Project, Resource } from "../../project/project.ts";

/**
 * A third-party plugin: an npm package exports it by default. Its functions are pure: they say which files and lines
 * belong to a project, and tsbuilder compares what they say before and after a change. So a plugin has neither code
 * that deletes nor code that upgrades.
 */
export interface PluginDefinition {
  /** `grafana.example.com/v1`: a name, and the version of what it scaffolds. */
  readonly key: string;
  /** A summary of its contributions: one sentence without a full stop. */
  readonly summary: string;
  /** Marks the plugin as deprecated, with its replacement; each command that uses the plugin prints it. */
  readonly deprecated?: string;
  /** The folder of its templates, in its own package: `new URL("templates", import.meta.url)`. */
  readonly templates?: URL | string;
  /** Flags that it adds to commands. Their values are its options, which `PROJECT` records. */
  readonly flags?: Readonly<Record<string, PluginFlag>>;
  /** Contributes to every project. */
  readonly init?: (input: ProjectInput) => Contribution | Promise<Contribution>;
  /** Contributes to each kind. */
  readonly createApi?: (input: KindInput) => Contribution | Promise<Contribution>;
  /** Contributes to each kind with webhooks. */
  readonly createWebhook?: (input: KindInput) => Contribution | Promise<Contribution>;
  /** The options after `tsbuilder edit`. Default: the flags that were given overwrite those of the same name. */
  readonly edit?: (input: EditInput) => PluginOptions | Promise<PluginOptions>;
}

/** Declares a plugin, so that its functions are typed. */
export function definePlugin(plugin: PluginDefinition): PluginDefinition {
  return plugin;
}

/** The commands that take flags of plugins. */
export type PluginCommand = "init" | "create api" | "create webhook" | "edit";

/** A flag: parsed, validated, prompted for and shown in the help as those of tsbuilder itself. */
export interface PluginFlag {
  readonly type: "string" | "boolean" | "number" | "list";
  readonly summary: string;
  /** The commands that take it. Those of `create` set it for one kind, the others for the project. */
  readonly commands: readonly PluginCommand[];
  readonly placeholder?: string;
  readonly default?: string | boolean | number;
  readonly choices?: readonly string[];
  /** A pattern for its values. */
  readonly pattern?: RegExp;
  /** Prompted for on a terminal when missing; an error without one. */
  readonly required?: boolean;
  /** The question on a terminal. */
  readonly prompt?: string;
}

/** The input for a project. */
export interface ProjectInput {
  readonly project: Project;
  /** The values of the plugin's flags for the project. */
  readonly options: PluginOptions;
  /** The license header of new source files; may be empty. */
  readonly boilerplate: string;
}

/** The input for a kind. */
export interface KindInput extends ProjectInput {
  readonly resource: Resource;
  /** The values of its flags for this kind. */
  readonly kindOptions: PluginOptions;
}

/** The input of `edit`. */
export interface EditInput {
  readonly project: Project;
  readonly options: PluginOptions;
  /** The flags of the plugin that were given. */
  readonly flags: PluginOptions;
}

/** Files and lines. All of it becomes JSON: functions and the like are lost. */
export interface Contribution {
  /** Folders of templates, relative to the plugin's, with their values. */
  readonly parts?: readonly ContributedPart[];
  readonly files?: readonly ContributedFile[];
  /** Lines above the markers of files. */
  readonly inserts?: readonly Insert[];
}

/** A folder of templates, with the values that they need. */
export interface ContributedPart {
  readonly templates: string;
  readonly context?: TemplateContext;
  /** Default: "yours" */
  readonly ownership?: Ownership;
}

/** A file with its content. */
export interface ContributedFile {
  /** Relative to the project, with forward slashes. */
  readonly path: string;
  readonly content: string;
  /** Default: "yours" */
  readonly ownership?: Ownership;
}
