/**
 * The validation of bundles. Begin here: one call for each check. `rules.ts` lists the rules, `bundle.ts` reads the files, and
 * each `check-*.ts` finds broken rules of one subject. README.md says how to add one.
 */

import { checkLabelValue, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { Tree } from "../../scaffold/tree.ts";
import {
  annotationsFile,
  bundleAnnotations as keys,
  bundleFolders,
  bundleMediaType,
  csvAnnotations,
  csvKind,
  largestBundle,
  nearlyTooLarge,
  shortenBundle,
  testMediaType,
} from "../bundle-format.ts";
import { sortFindings } from "../rule-finding.ts";
import { checkCrds, checkExamples, checkObjects, checkOwned } from "./check-objects.ts";
import { checkRemovedApis } from "./removed-apis.ts";
import { checkCsv, show } from "./check-csv.ts";
import { checkBuiltIn, checkCsvFields } from "./check-fields.ts";
import { checkInstall, checkWebhooks } from "./check-install.ts";
import { optionalChecks } from "./check-optional.ts";
import { type BundleFinding, type Findings, type OptionalSet, finding } from "./rules.ts";
import { type Bundle, containersOf, deploymentsOf, readBundle } from "./bundle.ts";
import { properties } from "../catalog/catalog.ts";
import type { Located } from "../located.ts";
import { parseRange } from "../version-range.ts";
import { isValidReference } from "../../ship/images/image-reference.ts";
import { didYouMean } from "../../shared/text.ts";

export interface ValidateOptions {
  /** Sets of rules that not every catalog asks for. */
  readonly optional?: readonly OptionalSet[];
  /** A version of Kubernetes on which the bundle must work, besides its own `minKubeVersion`. */
  readonly kubernetes?: string | undefined;
  /** True if each image must be named by its digest. */
  readonly requireDigests?: boolean;
}

/**
 * Checks a bundle in a folder of a tree, by all rules that hold for every bundle, and by those of the optional sets. It
 * never throws because of the files' content. Findings are sorted by position.
 */
export async function validateBundle(
  tree: Tree,
  folder: string,
  { optional = [], kubernetes, requireDigests = false }: ValidateOptions = {},
): Promise<BundleFinding[]> {
  const { bundle, findings: unreadable } = readBundle(tree, folder);
  const { objects } = bundle;
  const besideCsv = objects.filter((object) => object.get("kind").value !== csvKind);
  const crdFindings = await checkCrds(bundle);
  const filesOfBrokenCrds = new Set(crdFindings.map(({ position }) => position.file));
  const findings = [
    ...unreadable,
    ...checkAnnotations(bundle),
    ...checkCsv(bundle),
    ...(await checkCsvFields(bundle)),
    ...checkInstall(bundle),
    ...checkOwned(bundle),
    ...checkDependencies(bundle),
    ...crdFindings,
    ...checkExamples(bundle, filesOfBrokenCrds),
    ...checkWebhooks(bundle),
    ...checkImages(bundle, { requireDigests }),
    ...checkObjects(bundle),
    ...(await Promise.all(besideCsv.map(checkBuiltIn))).flat(),
    ...checkRemovedApis(bundle, kubernetes),
    ...checkSize(bundle),
    ...optional.flatMap((set) => [...optionalChecks[set](bundle)]),
  ];
  return sortFindings(findings);
}

/** Checks the annotations that tell OLM where everything is in a bundle, and the labels of its image. */
function* checkAnnotations(bundle: Bundle): Findings {
  const { annotations } = bundle;
  if (annotations.entries.length === 0) {
    const message = `metadata/${annotationsFile} has no annotations`;
    yield finding("annotations-missing", annotations, message, "generate the bundle with tsbuilder bundle");
    return;
  }
  const required = [keys.mediaType, keys.manifests, keys.metadata, keys.package, keys.channels];
  for (const key of required.filter((name) => annotations.get(name).isMissing)) {
    const message = `the annotation ${key} is missing`;
    yield finding("annotation-missing", annotations, message, "add it: OLM reads it");
  }
  const prefix = "operators.operatorframework.io.";
  for (const [key, value] of annotations.entries) {
    if (value.text === undefined) {
      const message = `the annotation ${key} is ${show(value)}, and no text`;
      yield finding("annotation-value", value, message, "put its value into quotes");
    }
    if (!key.startsWith(prefix) || Object.values<string>(keys).includes(key)) continue;
    const meant = didYouMean(key, Object.values(keys));
    const hint = meant === undefined ? "delete it" : `did you mean ${meant}?`;
    yield finding("annotation-unknown", value, `nothing reads the annotation ${key}`, hint);
  }
  yield* checkMediaType(annotations.get(keys.mediaType), bundleMediaType);
  yield* checkMediaType(annotations.get(keys.testMediaType), testMediaType);
  for (const key of [keys.manifests, keys.metadata]) yield* checkFolder(annotations.get(key), bundle);
  yield* checkPackage(annotations.get(keys.package));
  yield* checkChannels(annotations);
  yield* checkScorecard(bundle);
  yield* checkLabels(bundle);
}

function* checkMediaType(value: Located, known: string): Findings {
  if (value.isMissing || value.value === known) return;
  yield finding("annotation-value", value, `the media type ${show(value)} is unknown`, `use ${known}`);
}

function* checkFolder(value: Located, bundle: Bundle): Findings {
  const folder = value.text;
  if (folder === undefined || (!folder.includes("..") && !folder.startsWith("/") && bundle.has(folder)))
    return;
  const message = `the bundle has no folder ${show(value)}`;
  yield finding("annotation-folder", value, message, "name a folder of the bundle, such as manifests/");
}

function* checkPackage(value: Located): Findings {
  if (value.isMissing) return;
  const [reason] = checkSubdomain(value.text ?? "");
  if (reason === undefined) return;
  const message = `the package ${show(value)} ${reason}`;
  yield finding("package-name", value, message, "use the operator's name, such as shop-operator");
}

function* checkChannels(annotations: Located): Findings {
  const value = annotations.get(keys.channels);
  const channels = (value.text ?? "").split(",");
  const seen = new Set<string>();
  for (const channel of value.isMissing ? [] : channels) {
    const [reason] = channel === "" ? ["is empty"] : checkLabelValue(channel);
    const why = reason ?? (seen.has(channel) ? "is listed twice" : undefined);
    seen.add(channel);
    if (why === undefined) continue;
    const message = `the channel "${channel}" ${why}`;
    yield finding("channel-name", value, message, "list names between commas: stable,fast");
  }
  const defaultChannel = annotations.get(keys.defaultChannel);
  if (!defaultChannel.isMissing && !channels.includes(defaultChannel.text ?? "")) {
    const message = `the default channel ${show(defaultChannel)} is not one of the bundle's channels`;
    yield finding("default-channel", defaultChannel, message, `use one of ${channels.join(", ")}`);
  } else if (defaultChannel.isMissing && channels.length > 1) {
    const message = "the bundle is in several channels, and none is the default";
    yield finding("default-channel-missing", value, message, `add ${keys.defaultChannel}`);
  }
}

function* checkScorecard(bundle: Bundle): Findings {
  const folder = bundle.annotations.get(keys.testConfig);
  if (folder.text === undefined || bundle.has(`${folder.text.replace(/\/+$/u, "")}/config.yaml`)) return;
  const message = `there is no config.yaml in ${show(folder)}`;
  yield finding("scorecard-config", folder, message, "add it, or delete the annotations of the tests");
}

function* checkLabels({ annotations, dockerfile }: Bundle): Findings {
  if (!dockerfile) return;
  for (const key of Object.values(keys)) {
    const label = dockerfile.labels.get(key);
    const value = annotations.get(key);
    if (label?.value === value.text) continue;
    const message = !label
      ? `the image has no label ${key}=${value.text}`
      : value.isMissing
        ? `metadata/${annotationsFile} has no annotation ${key}: ${label.value}`
        : `the label ${key} is "${label.value}", but the annotation is ${show(value)}`;
    yield finding("label-mismatch", label ?? dockerfile, message, "labels and annotations must be equal");
  }
}

/** The type of a dependency that is an expression in CEL. */
const constraintType = "olm.constraint";

/** The fields of each type of dependency but constraints. */
const dependencyFields = new Map<string, readonly string[]>([
  [properties.gvk, ["group", "version", "kind"]],
  [properties.package, ["packageName", "version"]],
  ["olm.label", ["label"]],
]);

/** Checks the dependencies of a bundle, besides the CRDs that its ClusterServiceVersion requires. */
function* checkDependencies({ dependencies }: Bundle): Findings {
  for (const dependency of dependencies.items) {
    const [type, value] = [dependency.get("type"), dependency.get("value")];
    if (type.text === constraintType) {
      const rule = value.get("cel", "rule");
      const hint = "a constraint has an expression in cel.rule";
      if (!rule.text) yield finding("dependency", value, `${rule.path} ${whyMissing(rule)}`, hint);
      continue;
    }
    const fields = dependencyFields.get(type.text ?? "");
    if (!fields) {
      const message = `OLM looks for nothing of the type ${show(type)}`;
      const hint = `use ${[...dependencyFields.keys(), constraintType].join(", ")}`;
      yield finding("dependency", type, message, hint);
      continue;
    }
    for (const field of fields.filter((name) => !value.get(name).text)) {
      const message = `${value.path}.${field} ${whyMissing(value.get(field))}`;
      const hint = `a dependency of the type ${type.text} has ${fields.join(", ")}`;
      yield finding("dependency", value, message, hint);
    }
    if (type.text === properties.package) yield* checkRange(value.get("version"));
  }
}

/** Returns why a field that must have a text has none, as the end of a message. */
function whyMissing({ isMissing, value }: Located): string {
  return isMissing || value === "" ? "is not set" : "is not a text";
}

function* checkRange(range: Located): Findings {
  if (!range.text || parseRange(range.text)) return;
  const message = `${range.path} ${show(range)} is not a range of versions`;
  yield finding("dependency", range, message, 'use one such as ">=1.0.0 <2.0.0"');
}

/** Checks the images of the operator, and those that it uses. */
function* checkImages(bundle: Bundle, { requireDigests }: { readonly requireDigests: boolean }): Findings {
  const containers = deploymentsOf(bundle)
    .flatMap(containersOf)
    .map((container) => container.get("image"));
  const related = bundle.csv.get("spec", "relatedImages").items;
  for (const image of containers) {
    if (isValidReference(image.text ?? "")) continue;
    const message = `the image ${show(image)} is not a valid reference`;
    yield finding("container-image", image, message, "use registry/repository:tag or @sha256:…");
  }
  const imagesByName = new Map<string, string>();
  for (const entry of related) {
    const [name, image] = [entry.get("name").text ?? "", entry.get("image")];
    if (!isValidReference(image.text ?? "")) {
      const message = `the related image ${show(image)} is not a valid reference`;
      yield finding("related-image", image, message, "use registry/repository@sha256:…");
    } else if (name !== "" && (imagesByName.get(name) ?? image.text) !== image.text) {
      const message = `the name "${name}" stands for another image, too: ${imagesByName.get(name)}`;
      yield finding("related-image", entry.get("name"), message, "give each image a name of its own");
    }
    imagesByName.set(name, image.text ?? "");
  }
  const relatedImages = related.map((entry) => entry.get("image"));
  const listed = new Set(relatedImages.map(({ text }) => text));
  for (const image of related.length > 0 ? containers : []) {
    if (image.text === undefined || listed.has(image.text)) continue;
    const message = `the image ${image.text} is not among spec.relatedImages, so mirrors don't copy it`;
    yield finding("related-image-missing", image, message, "add it to spec.relatedImages");
  }
  if (!requireDigests) return;
  const annotated = bundle.csv.get("metadata", "annotations", csvAnnotations.containerImage);
  for (const image of [...containers, ...relatedImages, ...(annotated.isMissing ? [] : [annotated])]) {
    if (/@sha256:[0-9a-f]{64}$/u.test(image.text ?? "")) continue;
    const message = `the image ${show(image)} has no digest, so it may change`;
    const hint = "generate the bundle with tsbuilder bundle --use-image-digests";
    yield finding("image-digest", image, message, hint);
  }
}

function* checkSize({ csv, compressedSize }: Bundle): Findings {
  if (compressedSize <= nearlyTooLarge) return;
  const isTooLarge = compressedSize > largestBundle;
  const message = `the files in ${bundleFolders.manifests} come to ${compressedSize} bytes, compressed and in base64, and OLM takes ${largestBundle} at most`;
  yield finding(isTooLarge ? "bundle-size" : "bundle-size-near", csv, message, shortenBundle);
}
