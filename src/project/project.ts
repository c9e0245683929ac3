import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import type { FeatureName } from "./features.ts";

/** What was scaffolded: the whole truth from which the project's own files can be made again. */
export interface Project {
  readonly domain: string;
  readonly projectName: string;
  /** Folders per API group: `api/<group>/<version>` instead of `api/<version>`. */
  readonly multigroup: boolean;
  /** The operator watches its own namespace and gets Roles instead of ClusterRoles. */
  readonly namespaced: boolean;
  /** Other namespaces that a namespaced operator watches. */
  readonly namespaces: readonly string[];
  readonly license: LicenseName;
  /** Who stands in the copyright line. */
  readonly owner: string;
  readonly features: readonly FeatureName[];
  readonly resources: readonly Resource[];
  /** The tsbuilder that started the project. */
  readonly cliVersion: string;
}

export type LicenseName = "apache2" | "copyright" | "none" | "file";

/** A kind that the project defines, or works with. */
export interface Resource {
  /** The part of the API group before the domain; may be empty when there is a domain. */
  readonly group: string;
  readonly domain: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string | undefined;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Whose type it is: the project's own, one of Kubernetes, or somebody else's. */
  readonly origin: Origin;
  /** What the types and the controller were made from, where it is more than a skeleton. */
  readonly template: TemplateRecord | undefined;
  readonly controllers: readonly ControllerRecord[];
  readonly webhooks: WebhookRecord;
}

export type Origin =
  | { readonly type: "own" }
  | { readonly type: "core" }
  /** `module` is what the types are imported from: an npm package, or a file of the project's. */
  | { readonly type: "external"; readonly module: string };

/** A reference operator, and what was said to it. */
export interface TemplateRecord {
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
}

export interface ControllerRecord {
  readonly name: string;
}

/** Which webhooks a kind has. */
export interface WebhookRecord {
  readonly defaulting: boolean;
  readonly validation: boolean;
  /** Versions that are converted to and from this one; undefined without conversion. */
  readonly spokes: readonly string[] | undefined;
  readonly defaultingPath: string | undefined;
  readonly validationPath: string | undefined;
}

export const noWebhooks: WebhookRecord = {
  defaulting: false,
  validation: false,
  spokes: undefined,
  defaultingPath: undefined,
  validationPath: undefined,
};

/** A kind of the project's own, plain as can be, with what is said about it. */
export function newResource(
  facts: Pick<Resource, "group" | "domain" | "version" | "kind" | "plural"> & Partial<Resource>,
): Resource {
  return {
    singular: undefined,
    shortNames: [],
    categories: [],
    namespaced: true,
    origin: { type: "own" },
    template: undefined,
    controllers: [],
    webhooks: noWebhooks,
    ...facts,
  };
}

/** The API group as it stands in an apiVersion: group and domain, joined by a dot. */
export function qualifiedGroup({ group, domain }: Pick<Resource, "group" | "domain">): string {
  return [group, domain].filter((part) => part !== "").join(".");
}

/** `group/version, Kind`, as error messages name a resource. */
export function describeResource(resource: Pick<Resource, "group" | "domain" | "version" | "kind">): string {
  return `${apiVersionOf({ group: qualifiedGroup(resource), version: resource.version })}, Kind ${resource.kind}`;
}

/** Tells whether two records stand for the same kind in the same version. */
export function isSameResource(
  a: Pick<Resource, "group" | "domain" | "version" | "kind">,
  b: Pick<Resource, "group" | "domain" | "version" | "kind">,
): boolean {
  return isSameKind(a, b) && a.version === b.version;
}

/** Tells whether two records stand for the same kind, in whatever version. */
export function isSameKind(
  a: Pick<Resource, "group" | "domain" | "kind">,
  b: Pick<Resource, "group" | "domain" | "kind">,
): boolean {
  return a.kind === b.kind && qualifiedGroup(a) === qualifiedGroup(b);
}

export function hasWebhooks({ webhooks }: Resource): boolean {
  return webhooks.defaulting || webhooks.validation || webhooks.spokes !== undefined;
}
