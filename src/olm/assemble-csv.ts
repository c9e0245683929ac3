import { compareText } from "@tsbuilder/apimachinery/text";
import type { KindDescription } from "../generators/describe-kinds.ts";
import { describeObject, isCrd, type ManifestObject } from "../ship/manifest.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { csvAnnotations, csvApiVersion, csvKind } from "./bundle-format.ts";
import {
  type BundledObject,
  bundleObjects,
  groupKind,
  isCertManagers,
  issuedSecrets,
} from "./bundled-objects.ts";
import type { ClusterServiceVersion, CsvSpec, InstalledDeployment, RelatedImage } from "./csv.ts";
import { installDeployment, makesCertificate } from "./install-deployment.ts";
import { byMarkers, type Crd, describeCrd, mergeOwned } from "./owned-crds.ts";
import {
  type Accounts,
  bindingNotes,
  isForOwnCertificate,
  isRbac,
  permitNothing,
  splitRoles,
} from "./permissions.ts";
import { type Deployment, isDeployment } from "./served-by.ts";
import { findWebhooks, isWebhookConfiguration } from "./webhook-definitions.ts";

export interface CsvRequest {
  /** The rendered `config/manifests`: the base and the deployment. */
  readonly objects: readonly ManifestObject[];
  /** The rendered samples, of which those of the project's kinds become examples. */
  readonly samples: readonly ManifestObject[];
  readonly packageName: string;
  readonly version: string;
  /** Who made the bundle, and of which sort of project: for statistics of catalogs. */
  readonly builder: string;
  readonly projectLayout: string;
  /** Service accounts beside those of the Deployments whose permissions belong into the bundle. */
  readonly extraServiceAccounts: readonly string[];
  /** What markers say about the project's kinds. */
  readonly kinds: readonly KindDescription[];
  /** All images of the bundle, if it is to list them. */
  readonly relatedImages?: readonly RelatedImage[] | undefined;
}

export interface AssembledBundle {
  readonly csv: ClusterServiceVersion;
  readonly objects: readonly BundledObject[];
  readonly notes: readonly string[];
}

/** Divides a rendered deployment into a ClusterServiceVersion and the manifests beside it. */
export function assembleCsv(request: CsvRequest): AssembledBundle {
  const { base, crds, examples, objects: all } = sortObjects(request);
  const deployments = all.filter(isDeployment);
  const objects = deployments.some(makesCertificate)
    ? all.filter((object) => !isForOwnCertificate(object))
    : all;
  if (deployments.length === 0) throw withoutDeployment();
  const accounts = accountsOf(deployments, request.extraServiceAccounts);
  const roles = splitRoles(objects.filter(isRbac), accounts);
  const webhooks = findWebhooks([...objects, ...crds]);
  const secrets = issuedSecrets(objects);
  const permissions = [...roles.permissions, ...permitNothing(objects, deployments, roles)];
  const hasPermission = new Set(
    [...permissions, ...roles.clusterPermissions].map(({ serviceAccountName }) => serviceAccountName),
  );
  const others = objects.filter(
    (object) =>
      !(isDeployment(object) || isRbac(object) || isWebhookConfiguration(object) || isCertManagers(object)) &&
      object.kind !== "Namespace" &&
      !(object.kind === "ServiceAccount" && hasPermission.has(object.metadata.name)),
  );
  const { bundled, notes } = bundleObjects([...crds, ...roles.others, ...others], webhooks, secrets);
  const isLimited = base.spec.installModes?.some(
    ({ type, supported }) => supported && type !== "AllNamespaces",
  );
  const install = {
    strategy: "deployment",
    spec: {
      ...unlessEmpty("clusterPermissions", roles.clusterPermissions),
      ...unlessEmpty("permissions", permissions),
      deployments: deployments.map((deployment) =>
        installDeployment(deployment, {
          secrets,
          webhooks: webhooks.deployments.has(deployment.metadata.name),
          namespaces: isLimited === true,
        }),
      ),
    },
  } as const;
  const owned = mergeOwned(
    crds.flatMap((crd) => describeCrd(crd, request.kinds)).sort(byMarkers(request.kinds)),
    base.spec.customresourcedefinitions?.owned ?? [],
  );
  const spec: CsvSpec = {
    ...base.spec,
    version: request.version,
    install,
    customresourcedefinitions: { ...base.spec.customresourcedefinitions, ...unlessEmpty("owned", owned) },
    ...unlessEmpty("webhookdefinitions", webhooks.definitions),
    ...unlessEmpty("relatedImages", mergeImages(base.spec.relatedImages, request.relatedImages)),
  };
  const csv: ClusterServiceVersion = {
    apiVersion: csvApiVersion,
    kind: csvKind,
    metadata: {
      ...base.metadata,
      annotations: annotate(base, request, {
        examples,
        namespace: accounts.namespace,
        deployments: install.spec.deployments,
      }),
      name: `${request.packageName}.v${request.version}`,
    },
    spec: sortKeys(spec),
  };
  return {
    csv,
    objects: bundled,
    notes: [
      ...notes,
      ...webhooks.notes,
      ...bindingNotes(roles.others, accounts),
      ...missingExamples(crds, examples),
      ...(isLimited && webhooks.definitions.some(({ conversionCRDs }) => conversionCRDs)
        ? [
            "CRDs are converted: OLM then installs only in the mode AllNamespaces; set the others to false in the base",
          ]
        : []),
    ],
  };
}

interface SortedObjects {
  readonly base: ClusterServiceVersion;
  readonly crds: readonly Crd[];
  readonly examples: readonly ManifestObject[];
  readonly objects: readonly ManifestObject[];
}

function sortObjects({ objects: all, samples }: CsvRequest): SortedObjects {
  const base = all.find(({ kind }) => kind === csvKind) as ClusterServiceVersion | undefined;
  if (!base) {
    throw new TsbuilderError(`config/manifests renders no ${csvKind}`, {
      code: "NOT_FOUND",
      hint: "list the file in bases/ below resources in config/manifests/kustomization.yaml",
    });
  }
  const crds = all.filter(isCrd) as Crd[];
  const kinds = new Set(
    crds.flatMap(({ spec }) => groupKind({ apiVersion: `${spec.group}/`, kind: spec.names.kind })),
  );
  const isExample = (object: ManifestObject): boolean => kinds.has(groupKind(object));
  return {
    base,
    crds,
    examples: [...all, ...samples].filter(isExample).filter(isFirst),
    objects: all.filter((object) => object !== base && !isCrd(object) && !isExample(object)),
  };
}

/** A kustomization of the user may list the samples, too. */
function isFirst(object: ManifestObject, index: number, all: readonly ManifestObject[]): boolean {
  const isSame = (other: ManifestObject): boolean =>
    other.apiVersion === object.apiVersion && describeObject(other) === describeObject(object);
  return all.findIndex(isSame) === index;
}

function withoutDeployment(): TsbuilderError {
  return new TsbuilderError("config/manifests renders no Deployment", {
    code: "NOT_FOUND",
    hint: "list ../default below resources in config/manifests/kustomization.yaml",
  });
}

function accountsOf(deployments: readonly Deployment[], extra: readonly string[]): Accounts {
  const used = deployments.map(({ spec }) => spec.template.spec?.serviceAccountName ?? "default");
  return { names: new Set([...used, ...extra]), namespace: deployments[0]?.metadata.namespace };
}

/** The annotations of the base come last: what it says is meant. */
function annotate(
  { metadata }: ClusterServiceVersion,
  { builder, projectLayout }: CsvRequest,
  found: {
    readonly examples: readonly ManifestObject[];
    readonly namespace: string | undefined;
    readonly deployments: readonly InstalledDeployment[];
  },
): Record<string, string> {
  const { annotations = {} } = metadata as { annotations?: Record<string, string> };
  const containers = found.deployments[0]?.spec.template.spec?.containers ?? [];
  const image = (containers.find(({ name }) => name === "manager") ?? containers[0])?.image;
  const own = {
    [csvAnnotations.examples]: JSON.stringify(found.examples, undefined, 2),
    [csvAnnotations.builder]: builder,
    [csvAnnotations.projectLayout]: projectLayout,
    ...(image === undefined ? {} : { [csvAnnotations.containerImage]: image }),
    ...(found.namespace === undefined ? {} : { [csvAnnotations.suggestedNamespace]: found.namespace }),
    ...annotations,
  };
  return own;
}

function missingExamples(crds: readonly Crd[], examples: readonly ManifestObject[]): string[] {
  const shown = new Set(examples.map(groupKind));
  return crds
    .filter(({ spec }) => !shown.has(groupKind({ apiVersion: `${spec.group}/`, kind: spec.names.kind })))
    .map(({ spec }) => `no example of ${spec.names.kind}: list one in config/samples/kustomization.yaml`);
}

/** What the base lists overrides what was found. */
function mergeImages(
  base: readonly RelatedImage[] = [],
  found: readonly RelatedImage[] = [],
): readonly RelatedImage[] {
  const known = new Set(base.map(({ name }) => name));
  return [...base, ...found.filter(({ name }) => !known.has(name))];
}

function unlessEmpty<Key extends string, Item>(
  key: Key,
  items: readonly Item[],
): { readonly [Name in Key]?: readonly Item[] } {
  return items.length === 0 ? {} : ({ [key]: items } as { [Name in Key]: readonly Item[] });
}

/** Compares keys by their characters, as Go's encoders do. */
export function sortKeys<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b))) as Value;
}
