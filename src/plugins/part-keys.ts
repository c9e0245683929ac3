import { qualifiedGroup, type Resource } from "../project/project.ts";

type Kind = Pick<Resource, "group" | "domain" | "version" | "kind">;

/** Identifies a kind in one version, independent of where its files are. */
const identity = (kind: Kind): string => `${qualifiedGroup(kind)}/${kind.version}/${kind.kind}`;

/**
 * The keys of the parts of a kind in one version. Plugins build parts with them, and commands name the parts that
 * `--force` overwrites.
 */
export const partKeys = {
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

/** A conversion belongs to the version that it converts to and from the hub: the spoke. */
export type WebhookRole = "defaulter" | "validator" | "conversion";
