/** Changes of a project's description. Each returns a new one, or throws a TsbuilderError that says why it is refused. */

import { TsbuilderError } from "../shared/errors.ts";
import type { FeatureName, LicenseName, Project, Resource } from "./project.ts";
import {
  defaultControllerName,
  describeResource,
  featureNames,
  features,
  hasWebhooks,
  isDefaultControllerName,
  isSameKind,
  isSameResource,
  kindFile,
  noWebhooks,
  qualifiedGroup,
} from "./project.ts";
import { checkControllerName } from "./validate.ts";
import { listWords } from "../shared/text.ts";

/** The settings that `edit` can change; undefined keeps the current value. */
export interface ProjectEdit {
  readonly multigroup: boolean | undefined;
  readonly namespaced: boolean | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly enable: readonly FeatureName[];
  readonly disable: readonly FeatureName[];
  readonly license: LicenseName | undefined;
  readonly owner: string | undefined;
}

/** Changes a project's layout, scope, features and license header. */
export function changeProject(project: Project, edit: ProjectEdit): Project {
  const multigroup = edit.multigroup ?? project.multigroup;
  if (project.multigroup && !multigroup) refuseSeveralGroups(project);
  const namespaced = edit.namespaced ?? (edit.namespaces ? true : project.namespaced);
  if (edit.namespaces && !namespaced) {
    throw new TsbuilderError("--namespaces requires a namespaced operator", {
      code: "INVALID_ARGUMENT",
      hint: "omit --namespaced=false",
    });
  }
  return {
    ...project,
    multigroup,
    namespaced,
    namespaces: namespaced ? [...new Set(edit.namespaces ?? project.namespaces)].sort() : [],
    features: changeFeatures(project, edit),
    license: edit.license ?? project.license,
    owner: edit.owner ?? project.owner,
  };
}

/** Refuses several groups in one folder: kinds of two groups could have the same files. */
function refuseSeveralGroups({ resources }: Project): void {
  const own = resources.filter(({ origin }) => origin.type === "own");
  const groups = [...new Set(own.map(qualifiedGroup))];
  if (groups.length > 1) {
    throw new TsbuilderError(`the project has ${groups.length} groups: ${groups.join(", ")}`, {
      code: "REFUSED",
      hint: "with several groups, each needs its own folder; first delete the kinds of all groups but one",
    });
  }
  const files = new Map<string, string>();
  for (const resource of resources) {
    for (const { name } of resource.controllers) {
      const other = files.get(name);
      if (other !== undefined) {
        throw new TsbuilderError(
          `the controllers of ${other} and ${describeResource(resource)} are both named "${name}"`,
          { code: "REFUSED", hint: "they would share a file; delete one of them first" },
        );
      }
      files.set(name, describeResource(resource));
    }
  }
}

function changeFeatures(project: Project, { enable, disable }: ProjectEdit): readonly FeatureName[] {
  const contradictory = enable.find((name) => disable.includes(name));
  if (contradictory !== undefined) {
    throw new TsbuilderError(`"${contradictory}" is both enabled and disabled`, {
      code: "INVALID_ARGUMENT",
      hint: "give it once",
    });
  }
  const enabled = new Set([...project.features.filter((name) => !disable.includes(name)), ...enable]);
  for (const name of enabled) checkFeature(name, enabled, enable);
  checkWebhookServed(project, enabled);
  return featureNames.filter((name) => enabled.has(name));
}

function checkFeature(
  name: FeatureName,
  enabled: ReadonlySet<FeatureName>,
  enable: readonly FeatureName[],
): void {
  const { needs = [], excludes = [] } = features[name] as {
    needs?: readonly FeatureName[];
    excludes?: readonly FeatureName[];
  };
  const missing = needs.filter((other) => !enabled.has(other));
  if (missing.length > 0) {
    throw new TsbuilderError(`"${name}" needs ${missing.map((other) => `"${other}"`).join(" and ")}`, {
      code: "REFUSED",
      hint: enable.includes(name)
        ? `enable both: --enable ${[...missing, name].join(",")}`
        : `disable it, too: --disable ${[name, ...missing].join(",")}`,
    });
  }
  const other = excludes.find((excluded) => enabled.has(excluded));
  if (other !== undefined) {
    const [wanted, unwanted] = enable.includes(name) ? [name, other] : [other, name];
    throw new TsbuilderError(`"${wanted}" and "${unwanted}" are mutually exclusive`, {
      code: "REFUSED",
      hint: `choose one: --enable ${wanted} --disable ${unwanted}`,
    });
  }
}

/** Throws if webhooks would have no certificate. */
function checkWebhookServed({ resources }: Project, enabled: ReadonlySet<FeatureName>): void {
  if (!enabled.has("webhook") || enabled.has("cert-manager") || enabled.has("self-signed")) return;
  const reason = resources.some(hasWebhooks) ? "the project has webhooks, and they" : "webhooks";
  throw new TsbuilderError(`${reason} need a certificate`, {
    code: "REFUSED",
    hint: "choose where it comes from: --enable cert-manager or --enable self-signed",
  });
}

interface ApiRequest {
  readonly resource: Resource;
  /** Scaffold the types and manifests of a kind of the project. */
  readonly withResource: boolean;
  readonly withController: boolean;
  readonly controllerName?: string | undefined;
  /** The kinds that the controller owns: see `ControllerRecord`. */
  readonly owns?: readonly string[] | undefined;
  /** Overwrite existing files. */
  readonly force?: boolean;
}

/** Adds a kind, a version of it, or a controller for it to a project. */
export function addResource(project: Project, request: ApiRequest): Project {
  const { resource, withResource, withController, force = false } = request;
  const present = project.resources.find((other) => isSameResource(other, resource));
  if (withResource && present?.origin.type === "own" && !force) {
    throw new TsbuilderError(`the project already has ${describeResource(resource)}`, {
      code: "ALREADY_EXISTS",
      hint: "add --resource=false to add only a controller, or --force to overwrite the files",
    });
  }
  if (withResource) refuseClashes(project, resource);
  const base = withResource
    ? {
        ...resource,
        controllers: present?.controllers ?? [],
        webhooks: present?.webhooks ?? resource.webhooks,
      }
    : (present ?? resource);
  const next = withController ? addController(project, base, request) : base;
  return { ...project, resources: putResource(project, present, next) };
}

/** Puts a resource in the place of the present one, or adds it. */
function putResource({ resources }: Project, present: Resource | undefined, next: Resource): Resource[] {
  return present && resources.includes(present)
    ? resources.map((other) => (other === present ? next : other))
    : [...resources, next];
}

function addController(
  project: Project,
  resource: Resource,
  { controllerName, owns = [], force = false }: ApiRequest,
): Resource {
  // A group and a kind may be too long for one name.
  const name = checkControllerName(controllerName ?? defaultControllerName(project, resource));
  const record = { name, owns: owns.length > 0 ? owns : undefined };
  const exists = resource.controllers.some((controller) => controller.name === name);
  if (exists && force)
    return {
      ...resource,
      controllers: resource.controllers.map((controller) => (controller.name === name ? record : controller)),
    };
  const conflict = project.resources
    .flatMap((other) => other.controllers.map((controller) => ({ name: controller.name, of: other })))
    .find((other) => collides(project, resource, name, other));
  if (!conflict) return { ...resource, controllers: [...resource.controllers, record] };
  throw new TsbuilderError(
    `the controller name "${name}" conflicts with "${conflict.name}" of ${describeResource(conflict.of)}`,
    {
      code: "ALREADY_EXISTS",
      hint: `${isAnotherVersion(conflict.of, resource) ? "one controller does for all versions of a kind: add --controller=false; or " : ""}choose another name: --controller-name ${kindFile(resource)}-${resource.controllers.length > 0 ? "second" : resource.version}`,
    },
  );
}

const isAnotherVersion = (one: Resource, other: Resource): boolean =>
  isSameKind(one, other) && one.version !== other.version;

/** Returns whether the names of two controllers result in the same class or file. */
function collides(
  project: Project,
  resource: Resource,
  name: string,
  other: { readonly name: string; readonly of: Resource },
): boolean {
  const simplify = (text: string, of: Resource): string =>
    isDefaultControllerName(of, text) ? kindFile(of) : text.replaceAll("-", "");
  if (name === other.name) return true;
  const isSameFolder = !project.multigroup || qualifiedGroup(resource) === qualifiedGroup(other.of);
  return isSameFolder && simplify(name, resource) === simplify(other.name, other.of);
}

function refuseClashes(project: Project, resource: Resource): void {
  const { group, domain } = resource;
  if (resource.origin.type === "own" && domain !== "" && `.${group}`.endsWith(`.${domain}`)) {
    throw new TsbuilderError(
      `with the project's domain, the group "${group}" is "${qualifiedGroup(resource)}"`,
      {
        code: "INVALID_NAME",
        hint: `omit the domain: --group ${group.slice(0, -domain.length - 1) || '""'}`,
      },
    );
  }
  const own = project.resources.filter(({ origin }) => origin.type === "own");
  const otherGroup = own.find((other) => qualifiedGroup(other) !== qualifiedGroup(resource));
  if (otherGroup && !project.multigroup) {
    throw new TsbuilderError(
      `the project has the group "${qualifiedGroup(otherGroup)}", so "${qualifiedGroup(resource)}" would be a second one`,
      { code: "REFUSED", hint: "enable several groups first: tsbuilder edit --multigroup" },
    );
  }
  const sameKind = own.find((other) => isSameKind(other, resource));
  if (sameKind && (sameKind.plural !== resource.plural || sameKind.namespaced !== resource.namespaced)) {
    const scope = sameKind.namespaced ? "--namespaced" : "--cluster-scoped";
    throw new TsbuilderError(`${describeResource(resource)} does not match its version ${sameKind.version}`, {
      code: "INVALID_ARGUMENT",
      hint: `all versions of a kind have the same plural and scope: --plural ${sameKind.plural} ${scope}`,
    });
  }
  for (const other of own) {
    if (qualifiedGroup(other) !== qualifiedGroup(resource) || other.kind === resource.kind) continue;
    const name = findSharedName(other, resource);
    if (name === undefined) continue;
    throw new TsbuilderError(`${describeResource(other)} already has the name "${name}"`, {
      code: "ALREADY_EXISTS",
      hint: "names must be unique within a group, including the names of the list kinds: choose another --kind, --plural, --singular or --short-name",
    });
  }
}

/** Returns a name that two kinds share. An API server accepts only one of their CRDs, and files would collide. */
function findSharedName(one: Resource, other: Resource): string | undefined {
  return (
    findCommon(listKindNames(one), listKindNames(other)) ??
    findCommon(listResourceNames(one), listResourceNames(other))
  );
}

const listKindNames = ({ kind }: Resource): string[] => [kind, `${kind}List`];

function listResourceNames(resource: Resource): string[] {
  const { plural, singular, shortNames } = resource;
  return [plural, kindFile(resource), ...(singular === undefined ? [] : [singular]), ...shortNames];
}

function findCommon(some: readonly string[], others: readonly string[]): string | undefined {
  return some.find((name) => others.includes(name));
}

/** Types of webhooks, to add or to remove. */
interface WebhookChoice {
  readonly defaulting: boolean;
  readonly validation: boolean;
  readonly conversion: boolean;
}

interface WebhookRequest extends WebhookChoice {
  readonly resource: Resource;
  readonly spokes: readonly string[];
  readonly defaultingPath: string | undefined;
  readonly validationPath: string | undefined;
  readonly force: boolean;
}

/** Adds webhooks to a kind, and enables the features that serve them; existing webhooks are kept. */
export function addWebhooks(project: Project, request: WebhookRequest): Project {
  const { resource } = request;
  const present = project.resources.find((other) => isSameResource(other, resource)) ?? resource;
  refuseRepeated(present, request);
  if (request.conversion) checkSpokes(project, present, request);
  const { webhooks } = present;
  const next: Resource = {
    ...present,
    webhooks: {
      defaulting: webhooks.defaulting || request.defaulting,
      validation: webhooks.validation || request.validation,
      spokes: request.conversion
        ? [...new Set([...(webhooks.spokes ?? []), ...request.spokes])]
        : webhooks.spokes,
      defaultingPath: request.defaultingPath ?? webhooks.defaultingPath,
      validationPath: request.validationPath ?? webhooks.validationPath,
    },
  };
  return {
    ...project,
    features: withCertificates(project),
    resources: putResource(project, present, next),
  };
}

/** The first webhook enables the features that serve it. A feature that the user disabled later stays disabled. */
function withCertificates({ features, resources }: Project): readonly FeatureName[] {
  if (resources.some(hasWebhooks)) return features;
  const certificates: FeatureName = features.includes("self-signed") ? "self-signed" : "cert-manager";
  return [...new Set<FeatureName>([...features, "webhook", certificates])];
}

function refuseRepeated({ webhooks, ...resource }: Resource, request: WebhookRequest): void {
  if (request.force) return;
  const repeated =
    (request.defaulting && webhooks.defaulting && "defaulting") ||
    (request.validation && webhooks.validation && "programmatic-validation");
  if (!repeated) return;
  throw new TsbuilderError(`${describeResource(resource)} already has a --${repeated} webhook`, {
    code: "ALREADY_EXISTS",
    hint: "add --force to overwrite its files",
  });
}

function checkSpokes(project: Project, hub: Resource, { spokes, force }: WebhookRequest): void {
  if (hub.origin.type !== "own") {
    throw new TsbuilderError(`${describeResource(hub)} is not a kind of this project`, {
      code: "INVALID_ARGUMENT",
      hint: "omit --conversion: only the project that owns a CRD can convert between its versions",
    });
  }
  const versions = project.resources
    .filter((other) => other.origin.type === "own" && isSameKind(other, hub) && other.version !== hub.version)
    .map(({ version }) => version);
  if (spokes.length === 0) {
    throw new TsbuilderError("--conversion needs the versions to convert", {
      code: "INVALID_ARGUMENT",
      hint:
        versions.length > 0
          ? `add --spoke ${versions.join(",")}`
          : `add another version first: tsbuilder create api --group ${hub.group} --version v2 --kind ${hub.kind} --controller=false`,
    });
  }
  const otherHub = project.resources.find(
    (other) => isSameKind(other, hub) && other.version !== hub.version && other.webhooks.spokes !== undefined,
  );
  if (otherHub) {
    const converted = [otherHub.version, ...(otherHub.webhooks.spokes ?? [])];
    const missing = [hub.version, ...spokes].filter((version) => !converted.includes(version));
    throw new TsbuilderError(`version ${otherHub.version} is already the hub of ${hub.kind}`, {
      code: "ALREADY_EXISTS",
      hint:
        missing.length > 0
          ? `add the spokes there: --version ${otherHub.version} --conversion --spoke ${missing.join(",")}`
          : `it converts ${listWords(converted.slice(1), "and")} already`,
    });
  }
  const unknown = spokes.find((spoke) => !versions.includes(spoke));
  if (unknown !== undefined) {
    throw new TsbuilderError(`"${unknown}" is not another version of ${hub.kind} in this project`, {
      code: "INVALID_ARGUMENT",
      hint:
        versions.length > 0
          ? `use one of ${versions.join(", ")}`
          : `add it first: tsbuilder create api --group ${hub.group} --version ${unknown} --kind ${hub.kind} --controller=false`,
    });
  }
  const repeated = spokes.find(
    (spoke, i) => spokes.indexOf(spoke) !== i || hub.webhooks.spokes?.includes(spoke),
  );
  if (repeated !== undefined && !force) {
    throw new TsbuilderError(`the spoke "${repeated}" is given twice, or already has a conversion`, {
      code: "ALREADY_EXISTS",
      hint: "give each version once; use --force to overwrite a conversion",
    });
  }
}

/** Removes a kind, or a version of it, from a project, with its controllers and webhooks. */
export function removeResource(project: Project, resource: Resource): Project {
  const hub = project.resources.find(
    (other) =>
      other !== resource && isSameKind(other, resource) && other.webhooks.spokes?.includes(resource.version),
  );
  if (hub) {
    throw new TsbuilderError(
      `version ${hub.version} is the hub for conversions of ${describeResource(resource)}`,
      {
        code: "REFUSED",
        hint: `delete the conversion first: tsbuilder delete webhook --group ${hub.group} --version ${hub.version} --kind ${hub.kind} --conversion`,
      },
    );
  }
  return withoutUnservedWebhooks({
    ...project,
    resources: project.resources.filter((other) => other !== resource),
  });
}

/** Removes a controller, and its resource if that is no longer used. */
export function removeController(project: Project, resource: Resource, name: string): Project {
  if (!resource.controllers.some((controller) => controller.name === name)) {
    throw new TsbuilderError(`${describeResource(resource)} has no controller "${name}"`, {
      code: "NOT_FOUND",
      hint: `it has ${resource.controllers.map((controller) => controller.name).join(", ") || "none"}`,
    });
  }
  return replaceResource(project, resource, {
    ...resource,
    controllers: resource.controllers.filter((controller) => controller.name !== name),
  });
}

/** Removes webhooks from a project; with the last one, the features that serve them are disabled. */
export function removeWebhooks(project: Project, resource: Resource, removal: WebhookChoice): Project {
  const { webhooks } = resource;
  const missing =
    (removal.defaulting && !webhooks.defaulting && "defaulting") ||
    (removal.validation && !webhooks.validation && "programmatic-validation") ||
    (removal.conversion && webhooks.spokes === undefined && "conversion");
  if (missing) {
    throw new TsbuilderError(`${describeResource(resource)} has no --${missing} webhook`, {
      code: "NOT_FOUND",
      hint: "see the PROJECT file for its webhooks",
    });
  }
  return replaceResource(project, resource, {
    ...resource,
    webhooks: {
      defaulting: webhooks.defaulting && !removal.defaulting,
      validation: webhooks.validation && !removal.validation,
      spokes: removal.conversion ? undefined : webhooks.spokes,
      defaultingPath: removal.defaulting ? noWebhooks.defaultingPath : webhooks.defaultingPath,
      validationPath: removal.validation ? noWebhooks.validationPath : webhooks.validationPath,
    },
  });
}

function replaceResource(project: Project, resource: Resource, next: Resource): Project {
  const isStillUsed = next.origin.type === "own" || next.controllers.length > 0 || hasWebhooks(next);
  return withoutUnservedWebhooks({
    ...project,
    resources: project.resources.flatMap((other) => {
      if (other !== resource) return [other];
      return isStillUsed ? [next] : [];
    }),
  });
}

/** The features enabled by the first webhook are disabled with the last one, unless another feature needs them. */
function withoutUnservedWebhooks(project: Project): Project {
  if (project.resources.some(hasWebhooks)) return project;
  const keepsCertificates = project.features.includes("metrics-tls");
  const unused = new Set<string>(["webhook", "self-signed", ...(keepsCertificates ? [] : ["cert-manager"])]);
  return { ...project, features: project.features.filter((name) => !unused.has(name)) };
}
