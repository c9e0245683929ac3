import { createHash } from "node:crypto";
import type { ManifestObject } from "../../ship/manifest.ts";
import { renderBundle } from "../catalog/render-bundle.ts";
import { schemas } from "../catalog/catalog.ts";
import { bundleAnnotations, csvApiVersion, writeYaml } from "../bundle-format.ts";
import type { Bundle } from "../validate/bundle.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { readList } from "../../ship/cluster/kubectl.ts";
import type { OlmPlace, Subscription } from "./olm-cluster.ts";

/** The channel of the catalogs that `run bundle` makes. The bundle's own channels are ignored. */
export const runChannel = "tsbuilder-run-bundle";

export const catalogFile = "catalog.yaml";

/** The labels of objects that tsbuilder may overwrite and delete. */
export const ownLabels = { "app.kubernetes.io/managed-by": "tsbuilder" };

/** A blob of a file-based catalog. */
export interface Blob {
  readonly schema: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

interface Entry {
  readonly name: string;
  readonly replaces?: string;
}

/** Returns the name of the objects that serve the catalog of a package. */
export function catalogName(packageName: string): string {
  return `${packageName}-catalog`;
}

export function packageOf({ annotations }: Bundle): string {
  return annotations.get(bundleAnnotations.package).text!;
}

export function csvNameOf({ csv }: Bundle): string {
  return csv.get("metadata", "name").text!;
}

/** Returns a catalog with a bundle as its only version, or as the version that replaces the last one of `before`. */
export function catalogWith(bundle: Bundle, image: string, before: readonly Blob[] = []): Blob[] {
  const entries = entriesOf(before);
  const head = lastEntry(before);
  const name = csvNameOf(bundle);
  const packageName = packageOf(bundle);
  return [
    { schema: schemas.package, name: packageName, defaultChannel: runChannel },
    {
      schema: schemas.channel,
      package: packageName,
      name: runChannel,
      entries: [...entries, { name, ...(head === undefined ? {} : { replaces: head }) }],
    },
    ...before.filter(({ schema }) => schema === schemas.bundle),
    { ...renderBundle(bundle, image) },
  ];
}

/** Returns the last version in a catalog's channel. */
export function lastEntry(catalog: readonly Blob[]): string | undefined {
  return entriesOf(catalog).at(-1)?.name;
}

function entriesOf(catalog: readonly Blob[]): readonly Entry[] {
  const channel = catalog.find(({ schema }) => schema === schemas.channel);
  return (channel?.["entries"] ?? []) as readonly Entry[];
}

interface ServedCatalog {
  readonly packageName: string;
  readonly namespace: string;
  readonly opmImage: string;
  readonly isRestricted: boolean;
  readonly pullSecret: string | undefined;
}

/** Returns the objects that serve a catalog in the cluster, and tell OLM of it. A change of the catalog replaces the pod. */
export function catalogObjects(blobs: readonly Blob[], served: ServedCatalog): ManifestObject[] {
  const { packageName, namespace, isRestricted } = served;
  const metadata = { name: catalogName(packageName), namespace, labels: ownLabels };
  const labels = { "olm.catalogSource": metadata.name };
  const text = blobs.map(writeYaml).join("---\n");
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const port = 50051;
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { [catalogFile]: text } },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: { "tsbuilder.dev/catalog-hash": hash } },
          spec: {
            ...(isRestricted
              ? { securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } }
              : {}),
            containers: [catalogContainer(served, port)],
            volumes: [
              { name: "catalog", configMap: { name: metadata.name } },
              { name: "cache", emptyDir: {} },
            ],
          },
        },
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: labels, ports: [{ name: "grpc", port }] },
    },
    {
      apiVersion: csvApiVersion,
      kind: "CatalogSource",
      metadata,
      spec: {
        sourceType: "grpc",
        displayName: packageName,
        publisher: "tsbuilder",
        address: `${metadata.name}.${namespace}.svc:${port}`,
        ...secretsOf(served),
      },
    },
  ];
}

function catalogContainer({ opmImage: image, isRestricted }: ServedCatalog, port: number): object {
  return {
    name: "catalog",
    image,
    // No --cache-dir, since opm would reject an empty folder.
    command: ["opm", "serve", "/configs", "--port", String(port)],
    ports: [{ name: "grpc", containerPort: port }],
    readinessProbe: { grpc: { port } },
    volumeMounts: [
      // By subPath: the folder of a whole ConfigMap contains links to folders, which opm would read as files.
      { name: "catalog", mountPath: `/configs/${catalogFile}`, subPath: catalogFile },
      { name: "cache", mountPath: "/tmp" },
    ],
    ...(isRestricted
      ? { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } }
      : {}),
  };
}

function secretsOf({ pullSecret }: Pick<ServedCatalog, "pullSecret">): object {
  return pullSecret === undefined ? {} : { secrets: [pullSecret] };
}

/** Returns the CatalogSource for a catalog in an image, which OLM runs itself. */
export function imageCatalog(
  image: string,
  { packageName, namespace, isRestricted, pullSecret }: Omit<ServedCatalog, "opmImage">,
): ManifestObject {
  return {
    apiVersion: csvApiVersion,
    kind: "CatalogSource",
    metadata: { name: catalogName(packageName), namespace, labels: ownLabels },
    spec: {
      sourceType: "grpc",
      image,
      grpcPodConfig: { securityContextConfig: isRestricted ? "restricted" : "legacy" },
      ...secretsOf({ pullSecret }),
    },
  };
}

/** Returns the Subscription to one version of a package. OLM installs it once its plan is approved. */
export function subscriptionTo(bundle: Bundle, namespace: string, channel: string): ManifestObject {
  const name = packageOf(bundle);
  return {
    apiVersion: csvApiVersion,
    kind: "Subscription",
    metadata: { name, namespace },
    spec: {
      name,
      channel,
      startingCSV: csvNameOf(bundle),
      source: catalogName(name),
      sourceNamespace: namespace,
      installPlanApproval: "Manual",
    },
  };
}

const resources = ["configmap", "deployment.apps", "service", "catalogsource.operators.coreos.com"];

/** Reads the objects of a package's catalog that tsbuilder made. */
export async function readOwnCatalog(
  packageName: string,
  place: OlmPlace,
): Promise<readonly ManifestObject[]> {
  return (await readNamesakes(packageName, place)).filter(isOwn);
}

/** Throws if an object that somebody else made has the name of a catalog's objects. */
export async function refuseForeignCatalog(packageName: string, place: OlmPlace): Promise<void> {
  const foreign = (await readNamesakes(packageName, place)).find((object) => !isOwn(object));
  if (!foreign) return;
  throw new TsbuilderError(
    `tsbuilder did not make the ${foreign.kind} ${place.namespace}/${foreign.metadata.name}, which has the name that the catalog needs`,
    { code: "REFUSED", hint: "delete it, or install into another --namespace" },
  );
}

/** Throws if a package comes from another catalog than that of `run bundle`. */
export function requireOwnCatalog({ metadata, spec }: Subscription, { namespace }: OlmPlace): void {
  if (spec.source === catalogName(spec.name) && spec.sourceNamespace === namespace) return;
  throw new TsbuilderError(
    `${spec.name} comes from the catalog ${spec.sourceNamespace}/${spec.source}, which tsbuilder run bundle did not make`,
    {
      code: "REFUSED",
      hint: `delete its Subscription ${metadata.name} and its ClusterServiceVersion with kubectl, if it is to go`,
    },
  );
}

async function readNamesakes(
  packageName: string,
  { namespace, ...choice }: OlmPlace,
): Promise<readonly ManifestObject[]> {
  const names = resources.map((resource) => `${resource}/${catalogName(packageName)}`);
  return readList<ManifestObject>(choice, ...names, "--namespace", namespace);
}

function isOwn({ metadata }: ManifestObject): boolean {
  const labels = metadata.labels as Readonly<Record<string, string>> | undefined;
  return Object.entries(ownLabels).every(([key, value]) => labels?.[key] === value);
}
