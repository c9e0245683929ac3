import type { RuleFinding, Severity } from "../rule-finding.ts";
import { type Position, TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";

/** All rules of bundles by their names, each with the condition that holds in a valid bundle. */
export const rules = {
  "yaml-syntax": error("every file is YAML that an API server can read"),
  "file-size": error("no file is larger than what an API server takes in one request"),
  "one-object": error("every file in manifests/ has exactly one object: OLM reads only the first"),
  "manifest-file": error("manifests/ has only YAML and JSON files, and no folders or hidden files"),
  "bundle-size": error("the manifests fit into 1 MiB when they are compressed and in base64"),
  "bundle-size-near": warning("the manifests, compressed and in base64, leave some room below 1 MiB"),

  "annotations-missing": error("metadata/annotations.yaml has annotations"),
  "annotation-missing": error("the annotations name media type, folders, package and channels"),
  "annotation-unknown": warning("an annotation of a bundle is one that OLM reads"),
  "annotation-value": error("the annotations are texts, and have the values that OLM reads"),
  "annotation-folder": error("the folders that the annotations name are there"),
  "package-name": error("the package has a valid name"),
  "channel-name": error("the channels have valid names, each once"),
  "default-channel": error("the default channel is one of the channels"),
  "default-channel-missing": warning("a bundle in several channels names the default"),
  "scorecard-config": error("the scorecard's configuration is where the annotations say"),
  "label-mismatch": error("the labels in the Dockerfile equal the annotations"),

  "csv-missing": error("there is a ClusterServiceVersion"),
  "csv-duplicate": error("there is only one ClusterServiceVersion"),
  "csv-api-version": error("the ClusterServiceVersion has the API version that OLM serves"),
  "csv-name": error("its name can be a label's value"),
  "csv-name-convention": warning("its name is PACKAGE.vVERSION"),
  "csv-name-release": error("the name of a version with spec.release is PACKAGE-vVERSION-RELEASE"),
  "csv-field": error(
    "its fields have the types and values that OLM reads, and those that are required are there",
  ),
  "csv-unknown-field": warning("it has no fields that OLM drops"),
  "csv-version": error("spec.version is a semantic version"),
  "csv-min-kube-version": error("spec.minKubeVersion is a semantic version"),
  "csv-min-kube-version-missing": warning("spec.minKubeVersion is set"),
  "csv-description": warning(
    "it has a description, provider, maintainers, icon and links for those who choose it",
  ),
  "csv-annotation-case": error("annotations that OLM reads are spelled as OLM spells them"),
  "csv-properties": warning(
    "properties are in metadata/properties.yaml, and not in the annotation olm.properties",
  ),
  "replaces-name": error("spec.replaces and spec.skips are names of other versions"),
  "replaces-version": warning("a replaced or skipped version is a lower one"),
  "skip-range": error("olm.skipRange is a range of versions, without this one"),
  dependency: error("metadata/dependencies.yaml names what OLM can look for"),

  "install-strategy": error("the install strategy is deployment, with at least one"),
  "install-modes": error("the install modes are known, each once, and at least one is supported"),
  "install-modes-missing": warning("every install mode is declared"),
  "deployment-name": error("deployments have valid names, each once"),
  "deployment-selector": error("a deployment's selector selects its own pods"),
  "container-image": error("the containers have valid images"),
  "service-account-missing": error(
    "the service accounts of deployments have permissions, or are in the bundle",
  ),
  "service-account-unused": warning("permissions are for the service account of a deployment"),
  "service-account-conflict": error(
    "OLM creates the service accounts that have permissions, so no manifest may",
  ),
  "permission-rule": error("every rule of permissions has verbs, and resources or URLs"),
  "related-image": error("related images are valid, and a name stands for one image"),
  "related-image-missing": warning("if there are related images, those of the containers are among them"),
  "image-digest": error("with --require-digests: every image has a digest"),

  "crd-invalid": error("an API server accepts the CRDs"),
  "crd-not-owned": error("the CRDs in the bundle are owned"),
  "owned-crd-missing": error("the owned CRDs are in the bundle, with their group, version and kind"),
  "owned-crd-name": error("CRDs are called PLURAL.GROUP"),
  "owned-crd-duplicate": error("each version of a CRD is owned once, and not required, too"),
  "examples-annotation": warning("only one of the annotations alm-examples and olm.examples is there"),
  "examples-json": error("alm-examples is a JSON list of objects"),
  "examples-kind": error("the examples are of kinds that are owned"),
  "examples-schema": error("the examples are valid by the schema of their CRD"),
  "examples-missing": warning("every owned kind has an example"),

  "webhook-name": error("the webhooks have valid names, each once"),
  "webhook-deployment": error("a webhook is served by a deployment of the ClusterServiceVersion"),
  "webhook-port": error("ports are from 1 to 65535, and a named port is one of a container's"),
  "webhook-path": error("the path of a webhook begins with a slash"),
  "webhook-side-effects": error("webhooks have no side effects, or none on a dry run"),
  "webhook-versions": error(
    "webhooks know a version of AdmissionReview or ConversionReview that API servers send",
  ),
  "webhook-rules": error("webhooks that admit have rules, and not for OLM's objects or all groups"),
  "webhook-conversion": error(
    "only conversion webhooks have conversionCRDs, which are owned and have several versions",
  ),
  "webhook-install-modes": error(
    "an operator with a conversion webhook is installed for all namespaces, and only so",
  ),

  "object-type": error("every object has apiVersion and kind"),
  "object-kind": error("OLM creates objects of this kind from a bundle"),
  "object-name": error("objects have valid names"),
  "object-duplicate": error("no two files have the same object"),
  "object-namespace": error("objects have no namespace: OLM chooses it"),
  "object-field": error("objects of built-in kinds have fields of the right types"),
  "object-unknown-field": warning("objects of built-in kinds have no unknown fields"),
  "disruption-budget": error("a PodDisruptionBudget lets nodes be drained"),
  "priority-class": error("a PriorityClass is not the default for the whole cluster"),
  "security-constraints": error(
    "no role may change the SecurityContextConstraints that OpenShift comes with",
  ),
  "disruption-rights": warning("no role may write PodDisruptionBudgets"),
  "api-removed": error(
    "no API that is gone in spec.minKubeVersion, or in the k8s-version that was asked for",
  ),
  "api-removed-later": warning("no API that newer versions of Kubernetes have removed"),

  "hub-provider": error("spec.provider has a name", "operatorhub"),
  "hub-version": error("spec.version is set, and higher than 0.0.0", "operatorhub"),
  "hub-maintainers": error("maintainers have a name and a valid e-mail address", "operatorhub"),
  "hub-links": error("links have a name and a valid URL", "operatorhub"),
  "hub-icon": error("there is one icon, with data and a media type that browsers show", "operatorhub"),
  "hub-capabilities": error("capabilities is one of OLM's levels", "capabilities"),
  "hub-categories": error("categories are among those that consoles know", "categories"),
  "practice-requests": warning("containers request processor time and memory", "good-practices"),
  "practice-descriptions": warning("owned and required CRDs have descriptions", "good-practices"),
  "practice-channels": warning("channels begin with candidate, fast or stable", "good-practices"),
  "practice-crd-rights": warning("the operator may not create CRDs: that is OLM's work", "good-practices"),
  "community-openshift": error(
    "a bundle with APIs that Kubernetes 1.22 removed has olm.maxOpenShiftVersion, below 4.9",
    "community",
  ),
  "multiarch-labels": error("labels for platforms name ones that exist, and say supported", "multiarch"),
  "multiarch-selector": error("node selectors agree with the labels for platforms", "multiarch"),
} as const satisfies Readonly<Record<string, Rule>>;

/** The optional sets of rules, which are checked on request. */
export const optionalSets = {
  operatorhub: "what operatorhub.io asks of a bundle: provider, maintainers, links and icon",
  capabilities: "the annotation capabilities names one of OLM's levels",
  categories: "the annotation categories names those that consoles know",
  "good-practices": "resource requests, descriptions of CRDs, names of channels, no rights to create CRDs",
  community: "an upper bound of OpenShift for a bundle with APIs that Kubernetes 1.22 removed",
  multiarch: "the labels for platforms are ones that consoles know, and don't contradict the node selectors",
} as const;

export type OptionalSet = keyof typeof optionalSets;
export type RuleName = keyof typeof rules;

export interface Rule {
  readonly severity: Severity;
  /** The condition that holds in a valid bundle. */
  readonly about: string;
  /** The optional set of the rule. A rule without a set is always checked. */
  readonly set: OptionalSet | undefined;
}

function error(about: string, set?: OptionalSet): Rule & { severity: "error" } {
  return { severity: "error", about, set };
}

function warning(about: string, set?: OptionalSet): Rule & { severity: "warning" } {
  return { severity: "warning", about, set };
}

/** A broken rule of a bundle, with its position. */
export type BundleFinding = RuleFinding<RuleName>;
export type Findings = Iterable<BundleFinding>;

/** Makes a finding at a place, such as a `Located` value. */
export function finding(
  rule: RuleName,
  { at }: { readonly at: Position },
  message: string,
  hint: string,
): BundleFinding {
  return { rule, severity: rules[rule].severity, message, hint, position: at };
}

/** Describes the optional sets, each with its rules. */
export function describeSets(): string[] {
  return Object.entries(optionalSets).flatMap(([set, about]) => [
    `${set}: ${about}`,
    ...Object.entries(rules)
      .filter(([, rule]) => rule.set === set)
      .map(([name, rule]) => `  ${name} (${rule.severity}): ${rule.about}`),
  ]);
}

/** Returns the optional sets that words such as `name=community`, `community` or `suite=operatorframework` select. */
export function selectSets(words: readonly string[]): OptionalSet[] {
  return [...new Set(words.flatMap(setsOfWord))];
}

const allSets = Object.keys(optionalSets) as OptionalSet[];

function setsOfWord(word: string): readonly OptionalSet[] {
  if (word === "suite=operatorframework") return allSets;
  const name = word.replace(/^name=/u, "");
  const found = allSets.find((set) => set === name || `${set}v2` === name);
  if (found) return [found];
  const meant = didYouMean(name, allSets);
  throw new TsbuilderError(`there is no optional set of rules "${word}"`, {
    code: "INVALID_ARGUMENT",
    hint:
      meant === undefined
        ? "tsbuilder bundle validate --list-optional lists them; suite=operatorframework selects all"
        : `did you mean name=${meant}?`,
  });
}
