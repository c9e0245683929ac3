/**
 * Bundles for OLM v0, made from a rendered deployment. Begin here: `planBundle` plans all files of one. `assemble-csv.ts`
 * divides the deployment into the ClusterServiceVersion and the manifests beside it. With digests, `findImages` and
 * `replaceImages` change its images first.
 */

import type { Container, EnvVar } from "@tsbuilder/apimachinery/k8s/core/v1";
import { type Part, renderPart } from "../../scaffold/blueprint.ts";
import type { Draft, Tree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import { type ManifestObject, formatManifest } from "../../ship/manifest.ts";
import { type CsvRequest, assembleCsv, sortKeys } from "./assemble-csv.ts";
import {
  annotationsFile,
  bundleAnnotations,
  bundleDockerfileName,
  bundleFolders,
  compressedSize,
  csvAnnotations,
  csvKind,
  largestBundle,
  nearlyTooLarge,
  newChannel,
  shortenBundle,
} from "../bundle-format.ts";
import { bundleDockerfile, readAnnotations, writeAnnotations } from "./bundle-metadata.ts";
import type { ClusterServiceVersion, RelatedImage } from "./csv.ts";
import { type Deployment, isDeployment } from "./webhook-definitions.ts";

export interface BundleRequest extends Omit<CsvRequest, "packageName"> {
  /** The project's name: that of the package, unless a flag or the bundle says otherwise. */
  readonly projectName: string;
  readonly packageName: string | undefined;
  readonly folder: string;
  /** All files of the project, including those that are left out elsewhere. */
  readonly files: Tree;
  /** The channels; if empty, those of the bundle, or `alpha` for a new one. */
  readonly channels: readonly string[];
  readonly defaultChannel: string | undefined;
  /** Write the metadata and the Dockerfile even if they exist. */
  readonly overwrite: boolean;
  readonly now: Date;
}

export interface PlannedBundle {
  /** All manifests of the bundle, in one text. */
  readonly manifests: string;
  readonly notes: readonly string[];
}

/** The tests of the bundle, for operator-sdk's scorecard. */
export const scorecardPart: Part = { key: "olm/scorecard", templates: "olm/scorecard", context: {} };

/** Plans a bundle. Manifests are regenerated, and deleted with their objects; metadata is completed; tests are written once. */
export function planBundle(draft: Draft, request: BundleRequest): PlannedBundle {
  const { folder, files, overwrite, projectName } = request;
  const path = `${folder}/${bundleFolders.metadata}${annotationsFile}`;
  const existing = files.read(path);
  const annotations = readAnnotations(path, existing);
  const packageName = request.packageName ?? annotations[bundleAnnotations.package] ?? projectName;
  const { csv, objects, notes } = assembleCsv({ ...request, packageName });
  refuseReplacingItself(csv);
  const manifests = new Map<string, ManifestObject>([
    [`${packageName}.clusterserviceversion.yaml`, csv],
    ...objects.map(({ fileName, object }) => [fileName, object] as const),
  ]);
  const texts = writeManifests(draft, manifests, request);
  if (overwrite || existing === undefined) {
    const metadata = { ...request, packageName, ...channelsOf(request, annotations) };
    draft.write(path, writeAnnotations(existing, metadata));
  }
  if (overwrite || !draft.has(bundleDockerfileName)) {
    const labels = readAnnotations(path, draft.read(path));
    draft.write(bundleDockerfileName, bundleDockerfile(folder, labels), "generated");
  }
  for (const { path: name, content } of renderPart(scorecardPart)) {
    const file = `${folder}/${bundleFolders.tests}${name}`;
    if (!files.has(file)) draft.write(file, content);
  }
  const text = [...texts.values()].join("---\n");
  return { manifests: text, notes: [...notes, ...noteSize([...texts.values()])] };
}

/** Returns the channels of the request, or else those of the existing bundle, whose default is kept if it is among them. */
function channelsOf(
  { channels, defaultChannel }: BundleRequest,
  annotations: Readonly<Record<string, string>>,
): { readonly channels: readonly string[]; readonly defaultChannel: string | undefined } {
  const before = annotations[bundleAnnotations.channels]?.split(",") ?? [newChannel];
  const chosen = channels.length > 0 ? channels : before;
  const formerly = annotations[bundleAnnotations.defaultChannel];
  const kept = formerly !== undefined && chosen.includes(formerly) ? formerly : undefined;
  if (defaultChannel !== undefined && !chosen.includes(defaultChannel)) {
    throw new TsbuilderError(`the default channel "${defaultChannel}" is not one of ${chosen.join(", ")}`, {
      code: "INVALID_ARGUMENT",
      hint: `add it to the channels: --channels ${[...chosen, defaultChannel].join(",")}`,
    });
  }
  return { channels: chosen, defaultChannel: defaultChannel ?? kept };
}

function refuseReplacingItself({ metadata, spec }: ClusterServiceVersion): void {
  if (spec.replaces !== metadata.name && !spec.skips?.includes(metadata.name)) return;
  throw new TsbuilderError(`${metadata.name} would replace or skip itself`, {
    code: "INVALID_ARGUMENT",
    hint: "set the new version with --version, or name the one before it with --replaces",
  });
}

const generatedHeader = "# Generated by tsbuilder bundle from config/manifests. DO NOT EDIT.\n";

/** Writes the manifests, and returns their texts by path. */
function writeManifests(
  draft: Draft,
  manifests: ReadonlyMap<string, ManifestObject>,
  { folder, files, now }: BundleRequest,
): ReadonlyMap<string, string> {
  const inFolder = (name: string): string => `${folder}/${bundleFolders.manifests}${name}`;
  const texts = new Map<string, string>();
  for (const [name, object] of manifests) {
    const dated = object.kind === csvKind ? withDate(object, { path: inFolder(name), files, now }) : object;
    texts.set(inFolder(name), `${generatedHeader}${formatManifest([dated])}`);
  }
  for (const [path, text] of texts) draft.write(path, text, "generated");
  for (const path of files.list(inFolder("").slice(0, -1))) {
    if (!texts.has(path) && files.read(path)?.startsWith(generatedHeader)) draft.remove(path);
  }
  return texts;
}

/** Sets the annotation `createdAt`. A bundle that is planned again from the same sources keeps its time. */
function withDate(
  csv: ManifestObject,
  { path, files, now }: { readonly path: string; readonly files: Tree; readonly now: Date },
): ManifestObject {
  const before = files.read(path);
  const dated = (date: string): ManifestObject => ({
    ...csv,
    metadata: {
      ...csv.metadata,
      annotations: sortKeys({ ...(csv.metadata["annotations"] as object), [csvAnnotations.createdAt]: date }),
    },
  });
  const [former] = (before === undefined ? [] : readYaml(path, before)) as {
    metadata?: { annotations?: Record<string, string> };
  }[];
  const date = former?.metadata?.annotations?.[csvAnnotations.createdAt];
  const isSame = date !== undefined && `${generatedHeader}${formatManifest([dated(date)])}` === before;
  return dated(isSame ? date : `${now.toISOString().slice(0, 19)}Z`);
}

/** Notes that a bundle is nearly too large. Throws if it is too large for OLM. */
function noteSize(texts: readonly string[]): string[] {
  const size = compressedSize(texts);
  if (size > largestBundle) {
    const message = `the bundle has ${size} bytes, compressed and in base64, and OLM installs at most ${largestBundle}`;
    throw new TsbuilderError(message, { code: "REFUSED", hint: shortenBundle });
  }
  return size > nearlyTooLarge
    ? [`The bundle has ${size} of the ${largestBundle} bytes that OLM installs, compressed and in base64.`]
    : [];
}

/** The names of variables that give the operator the images that it deploys. */
const imageVariable = /^RELATED_IMAGE_(.+)$/u;

/** Returns the images of the operator's containers, and those that it deploys: each once, under a name of its own. */
export function findImages(objects: readonly ManifestObject[]): RelatedImage[] {
  const found = new Map<string, string>();
  const add = (name: string, image: string | undefined): void => {
    if (image === undefined || image === "" || [...found.values()].includes(image)) return;
    let free = name;
    for (let i = 2; found.has(free); i += 1) free = `${name}-${i}`;
    found.set(free, image);
  };
  for (const container of objects.filter(isDeployment).flatMap(containersOf)) {
    add(container.name, container.image);
    for (const { name, value } of container.env ?? []) {
      const [, image] = imageVariable.exec(name) ?? [];
      if (image !== undefined) add(image.toLowerCase().replaceAll("_", "-"), value);
    }
  }
  return [...found].map(([name, image]) => ({ name, image }));
}

/** Replaces the images of the operator's containers, and those in the variables of images that it deploys. */
export function replaceImages(
  objects: readonly ManifestObject[],
  replacements: ReadonlyMap<string, string>,
): ManifestObject[] {
  const replaced = (image: string): string => replacements.get(image) ?? image;
  const changeVariable = (env: EnvVar): EnvVar =>
    env.value !== undefined && imageVariable.test(env.name) ? { ...env, value: replaced(env.value) } : env;
  const changeContainer = (container: Container): Container => ({
    ...container,
    ...(container.image === undefined ? {} : { image: replaced(container.image) }),
    ...(container.env ? { env: container.env.map(changeVariable) } : {}),
  });
  return objects.map((object) => (isDeployment(object) ? withContainers(object, changeContainer) : object));
}

function containersOf({ spec }: Deployment): readonly Container[] {
  const { containers = [], initContainers = [] } = spec.template.spec ?? {};
  return [...containers, ...initContainers];
}

function withContainers(deployment: Deployment, change: (container: Container) => Container): Deployment {
  const { template } = deployment.spec;
  const { containers, initContainers, ...pod } = template.spec!;
  return {
    ...deployment,
    spec: {
      ...deployment.spec,
      template: {
        ...template,
        spec: {
          ...pod,
          containers: containers.map(change),
          ...(initContainers ? { initContainers: initContainers.map(change) } : {}),
        },
      },
    },
  };
}
