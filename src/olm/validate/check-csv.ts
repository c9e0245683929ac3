import { compareSemver, parseSemver } from "@tsbuilder/apimachinery/semver";
import { isObject } from "@tsbuilder/apimachinery/json";
import { checkLabelValue, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { bundleAnnotations, csvAnnotations, csvApiVersion, csvKind } from "../bundle-format.ts";
import type { Located } from "../located.ts";
import { parseRange } from "../version-range.ts";
import type { Bundle } from "./bundle.ts";
import { type Findings, finding } from "./rules.ts";

/** Checks name, version, description and upgrades of the ClusterServiceVersion. */
export function* checkCsv(bundle: Bundle): Findings {
  const { csv, objects } = bundle;
  if (csv.isMissing) {
    const message = `there is no ${csvKind} in the manifests`;
    yield finding("csv-missing", csv, message, "generate the bundle with tsbuilder bundle");
    return;
  }
  for (const other of objects) {
    if (other.get("kind").value !== csvKind || other.file === csv.file) continue;
    const message = `this is a second ${csvKind}: "${csv.file}" has one, too`;
    const hint = "a bundle is one version: delete the other file";
    yield finding("csv-duplicate", other.get("kind"), message, hint);
  }
  if (csv.get("apiVersion").value !== csvApiVersion) {
    const message = `the apiVersion of a ${csvKind} must be ${csvApiVersion}`;
    yield finding("csv-api-version", csv.get("apiVersion"), message, `set apiVersion: ${csvApiVersion}`);
  }
  yield* checkName(bundle);
  yield* checkVersions(csv);
  yield* checkDescription(csv.get("spec"));
  yield* checkAnnotations(csv.get("metadata", "annotations"));
  yield* checkUpgrades(csv);
}

function* checkName({ csv, annotations }: Bundle): Findings {
  const at = csv.get("metadata", "name");
  const name = at.text ?? "";
  const [reason] = explainName(name);
  const version = csv.get("spec", "version").text;
  const packageName = annotations.get(bundleAnnotations.package).text;
  const release = csv.get("spec", "release").text;
  const [infix, suffix] = release ? ["-v", `-${release}`] : [".v", ""];
  const meant = `${packageName ?? "PACKAGE"}${infix}${version ?? "1.0.0"}${suffix}`;
  if (reason !== undefined) {
    yield finding("csv-name", at, `metadata.name "${name}" ${reason}`, `call it ${meant}`);
  } else if (packageName !== undefined && version !== undefined && name !== meant) {
    const message = `the name "${name}" does not say its package and version${release ? ", with its release" : ""}`;
    const hint = `call it ${meant}, as catalogs and people expect`;
    yield finding(release ? "csv-name-release" : "csv-name-convention", at, message, hint);
  }
}

/** Returns the reasons why a text can't be a ClusterServiceVersion's name. OLM also uses it as the value of a label. */
function explainName(name: string): string[] {
  return [...new Set([...checkSubdomain(name), ...checkLabelValue(name)])];
}

function* checkVersions(csv: Located): Findings {
  const version = csv.get("spec", "version");
  if (parseSemver(version.text ?? "") === undefined) {
    const message = `spec.version ${show(version)} is not a semantic version`;
    yield finding("csv-version", version, message, "use MAJOR.MINOR.PATCH, such as 1.0.0, without a v");
  }
  const minimum = csv.get("spec", "minKubeVersion");
  if (minimum.isMissing || minimum.value === "") {
    const message = "spec.minKubeVersion is not set, so the operator can be installed on every Kubernetes";
    const hint = "set the lowest version that you test, such as 1.28.0";
    yield finding("csv-min-kube-version-missing", minimum, message, hint);
  } else if (parseSemver(minimum.text ?? "") === undefined) {
    const message = `spec.minKubeVersion ${show(minimum)} is not a semantic version`;
    yield finding("csv-min-kube-version", minimum, message, "use MAJOR.MINOR.PATCH, such as 1.28.0");
  }
}

/** The fields that people see before they install an operator, and what each tells them. */
const descriptions = [
  ["displayName", "the name that consoles show"],
  ["description", "what the operator does, in Markdown"],
  ["provider", "who publishes the operator"],
  ["maintainers", "whom users may write to"],
  ["icon", "an image that consoles show"],
  ["links", "where the documentation is"],
] as const;

function* checkDescription(spec: Located): Findings {
  for (const [field, about] of descriptions) {
    const { value } = spec.get(field);
    const isEmpty = value === "" || (Array.isArray(value) && value.length === 0);
    const isNameless = field === "provider" && !spec.get("provider", "name").text;
    if (!spec.get(field).isMissing && !isEmpty && !isNameless) continue;
    const message = `spec.${field} is empty: ${about}`;
    yield finding("csv-description", spec.get(field), message, `set spec.${field} in the base ${csvKind}`);
  }
}

/** The annotations that OLM looks up: their case counts. */
const annotationsOfOlm = [
  "olm.operatorGroup",
  "olm.operatorNamespace",
  "olm.targetNamespaces",
  "olm.providedAPIs",
  csvAnnotations.skipRange,
];

function* checkAnnotations(annotations: Located): Findings {
  for (const [key, value] of annotations.entries) {
    const meant = annotationsOfOlm.find((known) => known.toLowerCase() === key.toLowerCase());
    if (meant !== undefined && meant !== key) {
      const message = `OLM does not read the annotation "${key}"`;
      yield finding("csv-annotation-case", value, message, `it is spelled ${meant}`);
    }
    if (key === "olm.properties") {
      const message = "the annotation olm.properties hides properties in a text";
      yield finding("csv-properties", value, message, "write them to metadata/properties.yaml");
    }
  }
}

/** Checks the versions that this one replaces or skips: `replaces`, `skips` and the annotation `olm.skipRange`. */
function* checkUpgrades(csv: Located): Findings {
  const name = csv.get("metadata", "name").text;
  const ownVersion = parseSemver(csv.get("spec", "version").text ?? "");
  const spec = csv.get("spec");
  const replaces = spec.get("replaces");
  const replaced = replaces.isMissing || replaces.value === "" ? [] : [replaces];
  for (const former of [...replaced, ...spec.get("skips").items]) {
    const [reason] = explainName(former.text ?? "");
    if (reason !== undefined) {
      const message = `${former.path} ${show(former)} ${reason}`;
      const hint = `use the name of another ${csvKind}, such as shop.v1.0.0`;
      yield finding("replaces-name", former, message, hint);
    } else if (former.text === name) {
      const message = `${former.path} names this version itself`;
      yield finding("replaces-name", former, message, "name an earlier version, or omit it");
    } else {
      const version = parseSemver(versionOfName(former.text!) ?? "");
      if (!ownVersion || !version || compareSemver(version, ownVersion) < 0) continue;
      const message = `${former.path} "${former.text}" is not lower than this version`;
      yield finding("replaces-version", former, message, "an upgrade goes to a higher version");
    }
  }
  const range = csv.get("metadata", "annotations", csvAnnotations.skipRange);
  if (range.isMissing) return;
  const isInRange = parseRange(range.text ?? "");
  if (!isInRange) {
    const message = `${csvAnnotations.skipRange} ${show(range)} is not a range of versions`;
    yield finding("skip-range", range, message, 'use one such as ">=1.0.0 <1.2.0"');
  } else if (ownVersion && isInRange(ownVersion)) {
    const message = `${csvAnnotations.skipRange} "${range.text}" contains this version itself`;
    yield finding("skip-range", range, message, `end it below ${spec.get("version").text}`);
  }
}

/** Formats a value of a file for messages, in at most 81 characters. */
export function show({ value, isMissing }: Located): string {
  if (isMissing) return "(not set)";
  const text = isObject(value) ? "{…}" : Array.isArray(value) ? "[…]" : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Returns the version at the end of a ClusterServiceVersion's name: `1.0.0` of `shop.v1.0.0`. */
function versionOfName(name: string): string | undefined {
  return /\.v(\d.*)$/u.exec(name)?.[1];
}
