import { createHash } from "node:crypto";
import type { ManifestObject } from "../../ship/manifest.ts";
import { renderBundle } from "../catalog/render-bundle.ts";
import { schemas } from "../catalog/catalog-format.ts";
import { bundleAnnotations, csvApiVersion } from "../bundle-format.ts";
import type { Bundle } from "../validate/bundle.ts";
import { writeYaml } from "../write-yaml.ts";

/** The channel of catalogs that hold what is run: those that the bundle names are ignored. */
export const runChannel = "tsbuilder-run-bundle";
export const catalogFile = "catalog.yaml";

/** What is labelled so can be overwritten and deleted. */
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

/** The name of what serves the catalog of a package. */
export function catalogName(packageName: string): string {
  return `${packageName}-catalog`;
}

export function packageOf({ annotations }: Bundle): string {
  return annotations.get(bundleAnnotations.package).text!;
}

export function csvNameOf({ csv }: Bundle): string {
  return csv.get("metadata", "name").text!;
}

/** A catalog in which a bundle is the only version, or that which replaces the last one of a catalog. */
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

/** The version at the end of a catalog's channel. */
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

/** What serves a catalog in the cluster, and makes OLM ask it. A change of the catalog replaces the pod. */
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
    // With --cache-dir, opm would refuse a folder that is empty.
    command: ["opm", "serve", "/configs", "--port", String(port)],
    ports: [{ name: "grpc", containerPort: port }],
    readinessProbe: { grpc: { port } },
    volumeMounts: [
      // The folder of a whole ConfigMap has links to folders, which opm would read as files.
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

/** A catalog that an image holds, which OLM runs itself. */
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

/** Asks OLM for one version of a package, which is installed once its plan is approved. */
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
