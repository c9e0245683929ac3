import type { PackageManager } from "../../project/package-manager.ts";
import { type Project, type Resource, qualifiedGroup } from "../../project/project.ts";
import type { Blueprint } from "../../scaffold/blueprint.ts";

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
  /** The path of the project in its git repository, if it is not the root: GitHub runs workflows there. */
  readonly place?: string | undefined;
}

/** A version range or tarball path for each of our packages that a project depends on directly. */
export interface PackageSpecifiers {
  readonly runtime: string;
  readonly cluster: string;
  readonly simulation: string;
  readonly tsbuilder: string;
}

type Kind = Pick<Resource, "group" | "domain" | "version" | "kind">;

/** The keys by which a plugin names the parts that it builds, and a command those to write anew or to expect. */
export const partKeys = {
  /** README, workflows and other files of every project. */
  project: "typescript/project",
  /** The test in `test/e2e` that the API server trusts the webhooks. */
  e2eWebhooks: "typescript/webhook-test",
  types: (kind: Kind) => `typescript/types/${identity(kind)}`,
  /** A reference operator: types, first controller, tests and sample. */
  template: (kind: Kind) => `typescript/template/${identity(kind)}`,
  sample: (kind: Kind) => `kustomize/sample/${identity(kind)}`,
  explore: (kind: Kind) => `typescript/explore/${identity(kind)}`,
  controller: (kind: Kind, name: string) => `typescript/controller/${identity(kind)}/${name}`,
  /** The test of a controller of a foreign kind; that of an own kind is in the controller's part. */
  controllerTest: (kind: Kind, name: string) => `typescript/controller/${identity(kind)}/${name}/test`,
  webhook: (kind: Kind, role: WebhookRole) => `typescript/${role}/${identity(kind)}`,
  webhookTest: (kind: Kind, role: WebhookRole) => `typescript/${role}-test/${identity(kind)}`,
};

/** The role of a webhook. A conversion belongs to its spoke, the version that it converts to and from the hub. */
export type WebhookRole = "defaulter" | "validator" | "conversion";

/** Identifies a kind in one version, independent of where its files are. */
const identity = (kind: Kind): string => `${qualifiedGroup(kind)}/${kind.version}/${kind.kind}`;
