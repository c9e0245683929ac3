// Finds what `tsbuilder dev --exec` has to know of an operator in any language: its manifests, its ServiceAccount, its kinds. Manifests
// of the folder are data: nothing that they name is run, and no variable that they set reaches the command.

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { visibleText } from "@tsbuilder/apimachinery/text";
import { readYaml } from "../../shared/read-yaml.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { listWords } from "../../shared/text.ts";
import type { ManifestObject } from "../../ship/manifest.ts";
import {
  type Manifests,
  configManifests,
  fileManifests,
  readConfig,
  sortManifests,
} from "../config/manifests.ts";

/** An operator as its manifests describe it. */
export interface FoundOperator {
  readonly name: string;
  readonly account: Account;
  /** The kinds of its CRDs, in their storage version. */
  readonly kinds: readonly OperatorKind[];
  readonly hasWebhooks: boolean;
  /** Reads the manifests anew. */
  readonly manifests: () => Manifests;
  /** The files and folders of the manifests. */
  readonly manifestPaths: readonly string[];
  /** The manifests that are not applied, and why, in words. */
  readonly leftOut: readonly string[];
}

export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** A kind of an operator's CRDs. */
export interface OperatorKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural and group: `guestbooks.web.example.com`. */
  readonly resource: string;
}

/** The manifests and the ServiceAccount of an operator, as a person names them. */
export interface OperatorChoice {
  /** Files and folders of manifests. Default: `config/`, laid out as by kubebuilder. */
  readonly manifests: readonly string[];
  /** `NAMESPACE/NAME`. Default: that of the Deployment in the manifests. */
  readonly serviceAccount: string | undefined;
}

/** Finds an operator by the manifests of a folder. Throws if there are none, or if they don't tell its ServiceAccount. */
export function findOperator(root: string, choice: OperatorChoice): FoundOperator {
  const project = readProjectName(root);
  const name = project ?? nameOfFolder(root);
  const found = choice.manifests.length > 0 ? inFiles(root, choice) : inConfig(root, name, choice);
  checkAccount(found.account);
  const { crds, converted, webhooks } = found.manifests();
  return {
    ...found,
    name,
    kinds: crds.map(kindOf),
    hasWebhooks: webhooks.length > 0 || converted.size > 0,
  };
}

type Found = Pick<FoundOperator, "account" | "manifests" | "manifestPaths" | "leftOut">;

/** In the layout of kubebuilder and operator-sdk, kustomize would set the namespace and prefix all names; the session does neither. */
function inConfig(root: string, name: string, choice: OperatorChoice): Found {
  const manifests = (): Manifests => {
    const all = configManifests(root);
    return deploysWebhooks(root) ? all : { ...all, webhooks: [] };
  };
  const { crds, rbac } = manifests();
  if (crds.length === 0 && rbac.length === 0) {
    throw new TsbuilderError("there are no manifests in config/crd/bases and config/rbac", {
      code: "NOT_FOUND",
      hint: "name them: --manifests dist/install.yaml, or generate them as the project does, such as with make manifests",
    });
  }
  const accounts = rbac.filter(isAccount).map(({ metadata }) => metadata.name);
  const deployed = readConfig(root, "config/manager").flatMap((object) => accountOfPods(object)?.name ?? []);
  const [account] = accounts.length === 1 ? accounts : deployed.filter((each) => accounts.includes(each));
  return {
    account: parseAccount(choice) ?? {
      namespace: `${name}-system`,
      name: account ?? missingAccount(accounts),
    },
    manifests,
    manifestPaths: ["config"],
    leftOut: deploysWebhooks(root) ? [] : ["config/webhook: config/default does not name it"],
  };
}

/**
 * Returns false if the project's own deployment leaves config/webhook out, as kubebuilder has it until a person wants webhooks: the
 * operator would not serve them.
 */
function deploysWebhooks(root: string): boolean {
  const file = "config/default/kustomization.yaml";
  if (!existsSync(join(root, file)) || !existsSync(join(root, "config/webhook"))) return true;
  const [found] = readYaml(file, readFileSync(join(root, file), "utf8"), invalidYaml);
  const { resources, bases, components } = (found ?? {}) as Kustomization;
  const named = [resources, bases, components].flatMap((each) => (Array.isArray(each) ? each : []));
  return named.some((each) => typeof each === "string" && /(?:^|\/)webhook\/?$/u.test(each));
}

/** The lists of a kustomization that name other folders. A clone may have anything there. */
interface Kustomization {
  readonly resources?: unknown;
  readonly bases?: unknown;
  readonly components?: unknown;
}

const invalidYaml = { code: "INVALID_SOURCE", hint: "fix the YAML" } as const;

/** The kinds whose pods are replaced by the command. */
const workloads = new Set(["Deployment", "StatefulSet", "DaemonSet"]);

function inFiles(root: string, choice: OperatorChoice): Found {
  const read = (): readonly ManifestObject[] => fileManifests(root, choice.manifests);
  const objects = read();
  const deployed = objects.flatMap((object) => accountOfPods(object) ?? []);
  const distinct = [...new Map(deployed.map((one) => [formatAccount(one), one])).values()];
  const account = parseAccount(choice) ?? (distinct.length === 1 ? distinct[0] : undefined);
  const operator = account ?? missingAccount(distinct.map(formatAccount));
  const isReplaced = (object: ManifestObject): boolean => {
    const own = accountOfPods(object);
    return own !== undefined && formatAccount(own) === formatAccount(operator);
  };
  return {
    account: operator,
    manifests: () => sortManifests(read().filter((object) => !isReplaced(object))),
    manifestPaths: choice.manifests,
    leftOut: objects
      .filter(isReplaced)
      .map(({ kind, metadata }) => visibleText(`${kind} ${metadata.name}: the command runs in its place`)),
  };
}

/** Returns true for a path, or one below it; both begin at the folder. */
export function isBelow(path: string, folder: string): boolean {
  const trimmed = folder.replace(/^\.\//u, "").replace(/\/+$/u, "");
  return trimmed === "." || trimmed === "" || path === trimmed || path.startsWith(`${trimmed}/`);
}

const isAccount = ({ kind }: ManifestObject): boolean => kind === "ServiceAccount";

interface WorkloadSpec {
  readonly template?: { readonly spec?: { readonly serviceAccountName?: string } };
}

/** Returns the ServiceAccount of a workload's pods; undefined for another object. */
function accountOfPods({ kind, metadata, spec }: ManifestObject): Account | undefined {
  if (!workloads.has(kind)) return undefined;
  const name = (spec as WorkloadSpec | undefined)?.template?.spec?.serviceAccountName ?? "default";
  return { namespace: metadata.namespace ?? "default", name };
}

const formatAccount = ({ namespace, name }: Account): string => `${namespace}/${name}`;

function parseAccount({ serviceAccount }: OperatorChoice): Account | undefined {
  if (serviceAccount === undefined) return undefined;
  const [, namespace, name] = /^([a-z0-9-]+)\/([a-z0-9.-]+)$/u.exec(serviceAccount) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw new TsbuilderError(`"${serviceAccount}" names no ServiceAccount`, {
    code: "INVALID_ARGUMENT",
    hint: "write NAMESPACE/NAME: --service-account shop-system/controller-manager",
  });
}

/** Refuses names that no ServiceAccount has: those of a clone reach the terminal. */
function checkAccount(account: Account): void {
  if (/^[a-z0-9-]+\/[a-z0-9.-]+$/u.test(formatAccount(account))) return;
  throw new TsbuilderError(`${JSON.stringify(formatAccount(account))} names no ServiceAccount`, {
    code: "INVALID_SOURCE",
    hint: "fix the manifests, or say which it is: --service-account NAMESPACE/NAME",
  });
}

function missingAccount(candidates: readonly string[]): never {
  const which = candidates.length === 0 ? "" : `: ${visibleText(listWords(candidates))}?`;
  throw new TsbuilderError(`the manifests don't tell which ServiceAccount the operator has${which}`, {
    code: "INVALID_ARGUMENT",
    hint: "say which: --service-account NAMESPACE/NAME",
  });
}

interface CrdSpec {
  readonly group: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly versions: readonly { readonly name: string; readonly storage?: boolean }[];
}

function kindOf({ spec, metadata }: ManifestObject): OperatorKind {
  const { group, names, versions = [] } = (spec ?? {}) as Partial<CrdSpec>;
  const version = versions.find(({ storage }) => storage)?.name;
  if (group === undefined || names === undefined || version === undefined) {
    throw new TsbuilderError(
      `the CRD "${visibleText(metadata.name)}" has no group, names or storage version`,
      {
        code: "INVALID_SOURCE",
        hint: "generate it anew, or name other manifests with --manifests",
      },
    );
  }
  return { apiVersion: `${group}/${version}`, kind: names.kind, resource: `${names.plural}.${group}` };
}

/** Reads the name in a PROJECT file of tsbuilder, kubebuilder or operator-sdk; undefined without one. */
export function readProjectName(root: string): string | undefined {
  const file = join(root, "PROJECT");
  if (!existsSync(file)) return undefined;
  const [project] = readYaml("PROJECT", readFileSync(file, "utf8"), invalidYaml);
  const { projectName } = (project ?? {}) as { readonly projectName?: unknown };
  return typeof projectName === "string" && isLabel(projectName) ? projectName : undefined;
}

/** Makes a name for Kubernetes of the folder's. */
function nameOfFolder(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "")
    .slice(0, 50);
  return isLabel(name) ? name : "operator";
}

const isLabel = (name: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/u.test(name);
