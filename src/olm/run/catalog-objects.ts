/** The objects by which `run bundle` has OLM install a version: a catalog, what serves it in the cluster, and a Subscription. */

import { createHash } from "node:crypto";
import type { ManifestObject } from "../../ship/manifest.ts";
import { csvApiVersion, writeYaml } from "../bundle-format.ts";
import { schemas } from "../catalog/catalog.ts";
import { renderBundle } from "../catalog/render-bundle.ts";
import { type Bundle, csvNameOf, packageNameOf } from "../validate/bundle.ts";

/** A blob of a file-based catalog. */
export interface Blob {
  readonly schema: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

/** The channel of the catalogs that `run bundle` makes. The bundle's own channels are ignored. */
export const runChannel = "tsbuilder-run-bundle";

/** Returns a catalog with a bundle as its only version, or as the version that replaces the last one of `replaced`. */
export function catalogWith(bundle: Bundle, image: string, replaced: readonly Blob[] = []): Blob[] {
  const entries = channelEntries(replaced);
  const head = lastEntry(replaced);
  const name = csvNameOf(bundle);
  const packageName = packageNameOf(bundle);
  return [
    { schema: schemas.package, name: packageName, defaultChannel: runChannel },
    {
      schema: schemas.channel,
      package: packageName,
      name: runChannel,
      entries: [...entries, { name, ...(head === undefined ? {} : { replaces: head }) }],
    },
    ...replaced.filter(({ schema }) => schema === schemas.bundle),
    { ...renderBundle(bundle, image) },
  ];
}

/** Returns the name of the last version of a catalog that `catalogWith` made. */
export function lastEntry(catalog: readonly Blob[]): string | undefined {
  return channelEntries(catalog).at(-1)?.name;
}

interface Entry {
  readonly name: string;
  readonly replaces?: string;
}

function channelEntries(catalog: readonly Blob[]): readonly Entry[] {
  const channel = catalog.find(({ schema }) => schema === schemas.channel);
  return (channel?.["entries"] ?? []) as readonly Entry[];
}

/** The file of the catalog, in its ConfigMap and in the folder that opm serves. */
export const catalogFile = "catalog.yaml";

/** Returns the name of the objects that serve the catalog of a package. */
export function catalogName(packageName: string): string {
  return `${packageName}-catalog`;
}

/** The labels of objects that tsbuilder may overwrite and delete. */
export const managedLabels = { "app.kubernetes.io/managed-by": "tsbuilder" };

/** The port of opm, by which OLM reads the catalog. */
const grpcPort = 50_051;

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
  const metadata = { name: catalogName(packageName), namespace, labels: managedLabels };
  const labels = { "olm.catalogSource": metadata.name };
  const catalog = blobs.map(writeYaml).join("---\n");
  const hash = createHash("sha256").update(catalog).digest("hex").slice(0, 16);
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { [catalogFile]: catalog } },
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
            containers: [catalogContainer(served)],
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
      spec: { selector: labels, ports: [{ name: "grpc", port: grpcPort }] },
    },
    {
      apiVersion: csvApiVersion,
      kind: "CatalogSource",
      metadata,
      spec: {
        sourceType: "grpc",
        displayName: packageName,
        publisher: "tsbuilder",
        address: `${metadata.name}.${namespace}.svc:${grpcPort}`,
        ...secretsOf(served),
      },
    },
  ];
}

function catalogContainer({ opmImage: image, isRestricted }: ServedCatalog): object {
  return {
    name: "catalog",
    image,
    // No --cache-dir, since opm would reject an empty folder.
    command: ["opm", "serve", "/configs", "--port", String(grpcPort)],
    ports: [{ name: "grpc", containerPort: grpcPort }],
    readinessProbe: { grpc: { port: grpcPort } },
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
    metadata: { name: catalogName(packageName), namespace, labels: managedLabels },
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
  const name = packageNameOf(bundle);
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
