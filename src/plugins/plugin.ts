import type { Project, Resource } from "../project/project.ts";
import type { Blueprint } from "../scaffold/blueprint.ts";

/** What a plugin adds to a project: parts and lines as data. Reading and writing is the scaffolder's. */
export interface Plugin {
  /** What every project has. */
  init(project: Project, inputs: ScaffoldInputs): Blueprint;
  /** What one kind adds: its types and its controllers. */
  createApi(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint;
  /** What the webhooks of one kind add. */
  createWebhook(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint;
}

/** What a project's files depend on beside its `PROJECT` file. */
export interface ScaffoldInputs {
  /** The licence header that new files start with; may be empty. */
  readonly boilerplate: string;
  /** How `package.json` names our packages. */
  readonly packages: PackageSpecifiers;
}

/** The version or file of each of our packages that a project depends on directly. */
export interface PackageSpecifiers {
  readonly runtime: string;
  readonly cluster: string;
  readonly tsbuilder: string;
}
