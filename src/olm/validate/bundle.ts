import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { Tree } from "../../scaffold/tree.ts";
import { type Position, TsbuilderError } from "../../shared/errors.ts";
import {
  annotationsFile,
  bundleAnnotations,
  bundleDockerfileName,
  bundleFolders,
  compressedSize,
  csvKind,
} from "../bundle-format.ts";
import { type Located, missingFile, readDocuments } from "../located.ts";
import { type BundleFinding, finding } from "./rules.ts";

/** The contents of a bundle, as far as they can be read. */
export interface Bundle {
  /** The ClusterServiceVersion, or the first of several. */
  readonly csv: Located;
  /** All objects in `manifests/`, of whatever kind. */
  readonly objects: readonly Located[];
  /** The member `annotations` of `metadata/annotations.yaml`. */
  readonly annotations: Located;
  readonly properties: Located;
  readonly dependencies: Located;
  /** The Dockerfile beside the bundle's folder, or in it; undefined if there is none. */
  readonly dockerfile: Dockerfile | undefined;
  /** Returns whether the bundle has a file, by its path in the bundle. */
  has(path: string): boolean;
  /** The compressed size of all manifests together. */
  readonly compressedSize: number;
}

/**
 * Reads a bundle in a folder of a tree. A file that can't be read becomes a finding, and is missing in the bundle. The tree
 * may have a Dockerfile beside the folder, as bundles in a project do.
 */
export function readBundle(
  tree: Tree,
  folder: string,
): { readonly bundle: Bundle; readonly findings: readonly BundleFinding[] } {
  const findings: BundleFinding[] = [];
  const read = (path: string): Located[] => readFile(tree, `${folder}/${path}`, findings);
  const readOne = (path: string): Located => read(path)[0] ?? missingFile(`${folder}/${path}`);

  const annotations = readOne(`${bundleFolders.metadata}${annotationsFile}`).get("annotations");
  const annotated = annotations.get(bundleAnnotations.manifests).text ?? bundleFolders.manifests;
  const manifests = normalizeFolder(annotated) ?? bundleFolders.manifests.replace(/\/$/u, "");
  const listed = tree.list(`${folder}/${manifests}`).map((path) => path.slice(folder.length + 1));
  findings.push(
    ...listed
      .filter((path) => !isManifest(path, manifests))
      .map((path) => manifestFileFinding(`${folder}/${path}`, manifests)),
  );
  const files = listed.filter((path) => /\.(?:ya?ml|json)$/u.test(path));
  const objects = files.flatMap((path) => {
    const before = findings.length;
    const [object, ...others] = read(path);
    if (!object && findings.length === before) {
      const message = "the file has no object, and opm reads every file";
      findings.push(finding("one-object", missingFile(`${folder}/${path}`), message, "delete the file"));
    }
    if (object && isFirstDocumentEmpty(tree.read(`${folder}/${path}`)!)) {
      const message = "the first document of the file is empty, and OLM reads only the first";
      const hint = "delete the --- before the object";
      findings.push(finding("one-object", object, message, hint));
    }
    for (const other of others) {
      const message = "this is a second object in the file, which OLM does not read";
      findings.push(finding("one-object", other, message, "move it to a file of its own"));
    }
    return object ?? [];
  });
  const texts = files.map((path) => tree.read(`${folder}/${path}`) ?? "");
  const bundle: Bundle = {
    csv:
      objects.find((object) => object.get("kind").value === csvKind) ?? missingFile(`${folder}/${manifests}`),
    objects,
    annotations,
    properties: readOne("metadata/properties.yaml").get("properties"),
    dependencies: readOne("metadata/dependencies.yaml").get("dependencies"),
    dockerfile: findDockerfile(tree, folder),
    has: (path) =>
      tree.has(`${folder}/${path.replace(/\/+$/u, "")}`) ||
      tree.list(`${folder}/${path.replace(/\/+$/u, "")}`).length > 0,
    compressedSize: compressedSize(texts),
  };
  return { bundle, findings };
}

/** Returns whether a file has only comments, such as a license, before its first separator. OLM then finds no object in it. */
function isFirstDocumentEmpty(text: string): boolean {
  const [first = "", ...others] = text.split(/\r?\n---/u);
  return others.length > 0 && first.split(/\r?\n/u).every((line) => /^\s*(?:#.*|---\s*)?$/u.test(line));
}

/** Returns whether opm takes a path in the folder for a manifest: a file directly in it, which is not hidden. */
function isManifest(path: string, manifests: string): boolean {
  return /^[^./][^/]*\.(?:ya?ml|json)$/u.test(path.slice(manifests.length + 1));
}

function manifestFileFinding(path: string, manifests: string): BundleFinding {
  const message = `${manifests}/ may only have .yaml, .yml and .json files: opm reads each file in it as an object, and refuses folders and hidden files`;
  return finding("manifest-file", missingFile(path), message, `delete it, or move it out of ${manifests}/`);
}

/** The most bytes of a request's body that an API server reads. A larger object can't be created. */
const mostRequestBytes = 3 * 1024 * 1024;

/** Reads the documents of a file; none if it is missing. A file that is too large, or not YAML, becomes a finding. */
function readFile(tree: Tree, path: string, findings: BundleFinding[]): Located[] {
  const text = tree.read(path);
  if (text === undefined) return [];
  const start = missingFile(path);
  if (text.length > mostRequestBytes) {
    const message = `the file has ${text.length} characters, but an API server takes ${mostRequestBytes} bytes in a request`;
    findings.push(finding("file-size", start, message, "split it, or leave out descriptions"));
    return [];
  }
  const documents = readDocuments(path, text);
  if (!(documents instanceof TsbuilderError)) return documents;
  findings.push(finding("yaml-syntax", { at: documents.at ?? start.at }, documents.message, documents.hint));
  return [];
}

/** Returns a folder of a bundle without `./` and a slash at its end; undefined if it is outside of the bundle. */
function normalizeFolder(folder: string): string | undefined {
  const steps = folder.split("/").filter((step) => step !== "" && step !== ".");
  return steps.length === 0 || folder.startsWith("/") || steps.includes("..") ? undefined : steps.join("/");
}

/** Returns the name of a bundle's package. The bundle must be valid. */
export function packageNameOf({ annotations }: Pick<Bundle, "annotations">): string {
  return annotations.get(bundleAnnotations.package).text!;
}

/** Returns the name of a bundle's ClusterServiceVersion. The bundle must be valid. */
export function csvNameOf({ csv }: Pick<Bundle, "csv">): string {
  return csv.get("metadata", "name").text!;
}

/** Returns the CRDs of a bundle, without those of API versions that are no longer served. */
export function crdsOf({ objects }: Bundle): Located[] {
  return objects.filter(
    (object) =>
      object.get("kind").value === "CustomResourceDefinition" &&
      object.get("apiVersion").value === "apiextensions.k8s.io/v1",
  );
}

/** Returns the Deployments that the ClusterServiceVersion installs. */
export function deploymentsOf({ csv }: Bundle): Located[] {
  return csv.get("spec", "install", "spec", "deployments").items;
}

/** Returns the containers of a Deployment in a ClusterServiceVersion, init containers included. */
export function containersOf(deployment: Located): Located[] {
  const pod = deployment.get("spec", "template", "spec");
  return [...pod.get("initContainers").items, ...pod.get("containers").items];
}

/** Finds the version that a CRD has for objects of an API version and kind; undefined if none of the CRDs has it. */
export function findCrdVersion(
  crds: readonly Located[],
  apiVersion: string,
  kind: unknown,
): Located | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  const crd = crds.find(
    (candidate) =>
      candidate.get("spec", "group").value === group && candidate.get("spec", "names", "kind").value === kind,
  );
  return crd?.get("spec", "versions").items.find((served) => served.get("name").value === version);
}

/** Returns the descriptions of the CRDs that the ClusterServiceVersion owns or requires. */
export function definedCrds({ csv }: Pick<Bundle, "csv">, side: "owned" | "required"): Located[] {
  return csv.get("spec", "customresourcedefinitions", side).items;
}

/** Returns the APIs that the ClusterServiceVersion owns or requires, as CRDs or by aggregated API servers. */
export function definedKinds(bundle: Pick<Bundle, "csv">, side: "owned" | "required") {
  const text = (api: Located, field: string): string => api.get(field).text ?? "";
  const groups = [
    ...definedCrds(bundle, side).map((at) => ({ at, group: text(at, "name").split(".").slice(1).join(".") })),
    ...bundle.csv
      .get("spec", "apiservicedefinitions", side)
      .items.map((at) => ({ at, group: text(at, "group") })),
  ];
  return groups.map(({ at, group }) => ({ at, group, kind: text(at, "kind"), version: text(at, "version") }));
}

/** Returns the permissions of the operator's service accounts, in namespaces and in the cluster. */
export function permissionsOf({ csv }: Bundle): Located[] {
  const strategy = csv.get("spec", "install", "spec");
  return [...strategy.get("permissions").items, ...strategy.get("clusterPermissions").items];
}

export function versionsOf(crd: Located): string[] {
  return crd.get("spec", "versions").items.flatMap((version) => version.get("name").text ?? []);
}

/** The Dockerfile of a bundle's image, as far as rules are about it. */
interface Dockerfile {
  readonly labels: ReadonlyMap<string, { readonly value: string; readonly at: Position }>;
  readonly at: Position;
}

/** Finds the Dockerfile in the bundle's folder or beside it. */
function findDockerfile(tree: Tree, folder: string): Dockerfile | undefined {
  const parent = folder.includes("/") ? `${folder.slice(0, folder.lastIndexOf("/"))}/` : "";
  const names = [
    `${folder}/Dockerfile`,
    `${folder}/${bundleDockerfileName}`,
    `${parent}${bundleDockerfileName}`,
  ];
  for (const file of names) {
    const text = tree.read(file);
    if (text !== undefined) return readLabels(file, text);
  }
  return undefined;
}

/** A key or a value of a `LABEL`: in quotes, or without blanks. */
const labelWord = String.raw`"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'=\\]+`;
const labelAssignment = new RegExp(`(${labelWord})=((?:${labelWord})?)`, "gu");

/** Reads the labels that a Dockerfile sets, each with its position. */
function readLabels(file: string, text: string): Dockerfile {
  const labels = new Map<string, { value: string; at: Position }>();
  let isLabel = false;
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    if (/^\s*#/u.test(line)) continue;
    const start: string | undefined = isLabel ? undefined : /^\s*LABEL\s+/iu.exec(line)?.[0];
    if (isLabel || start !== undefined) {
      const offset = start?.length ?? 0;
      for (const match of line.slice(offset).matchAll(labelAssignment)) {
        const [, key = "", value = ""] = match;
        const at = { file, line: index + 1, column: offset + match.index + 1 };
        labels.set(unquote(key), { value: unquote(value), at });
      }
    }
    isLabel = (isLabel || start !== undefined) && /\\\s*$/u.test(line);
  }
  return { labels, at: { file, line: 1, column: 1 } };
}

function unquote(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  return text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/gu, "$1") : text;
}
