import type { PackageManager } from "../project/package-manager.ts";
import type { Project, Resource } from "../project/project.ts";
import type { Blueprint } from "../scaffold/blueprint.ts";

/**
 * The parts and inserts that a plugin adds to a project, as data. Reading and writing files is up to the scaffolder.
 */
export interface Plugin {
  /** For every project. */
  init(project: Project, inputs: ScaffoldInputs): Blueprint;
  /** For each kind: its types and controllers. */
  createApi(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint;
  /** For each kind with webhooks. */
  createWebhook(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint;
}

/** Inputs of the templates that are not in the `PROJECT` file. */
export interface ScaffoldInputs {
  /** The license header of new files; may be empty. */
  readonly boilerplate: string;
  /** The specifiers of our packages in `package.json`. */
  readonly packages: PackageSpecifiers;
  /** Installs the project's packages. Default: npm. */
  readonly manager?: PackageManager;
}

/** A version range or tarball path for each of our packages that a project depends on directly. */
export interface PackageSpecifiers {
  readonly runtime: string;
  readonly cluster: string;
  readonly simulation: string;
  readonly tsbuilder: string;
}
