import { TsbuilderError } from "../shared/errors.ts";
import { defaultControllerName, isDefaultControllerName, kindFile } from "./names.ts";
import {
  describeResource,
  isSameKind,
  isSameResource,
  type Project,
  qualifiedGroup,
  type Resource,
} from "./project.ts";
import { checkControllerName } from "./validate.ts";

/** Options besides the resource itself. */
export interface ApiRequest {
  readonly resource: Resource;
  /** Scaffold the types and manifests of a kind of the project. */
  readonly withResource: boolean;
  readonly withController: boolean;
  readonly controllerName: string | undefined;
  /** Overwrite existing files. */
  readonly force: boolean;
}

/** Adds a kind, a version of it, or a controller for it to a project; throws on conflicts. */
export function addResource(project: Project, request: ApiRequest): Project {
  const { resource, withResource, withController, force } = request;
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
  const next = withController ? addController(project, base, request.controllerName, force) : base;
  const resources = present
    ? project.resources.map((other) => (other === present ? next : other))
    : [...project.resources, next];
  return { ...project, resources };
}

function addController(
  project: Project,
  resource: Resource,
  wanted: string | undefined,
  force: boolean,
): Resource {
  // A group and a kind may be too long for one name.
  const name = checkControllerName(wanted ?? defaultControllerName(project, resource));
  const isThere = resource.controllers.some((controller) => controller.name === name);
  if (isThere && force) return resource;
  const taken = project.resources
    .flatMap((other) => other.controllers.map((controller) => ({ name: controller.name, of: other })))
    .find((other) => collides(project, resource, name, other));
  if (!taken) return { ...resource, controllers: [...resource.controllers, { name }] };
  throw new TsbuilderError(
    `the controller name "${name}" conflicts with "${taken.name}" of ${describeResource(taken.of)}`,
    {
      code: "ALREADY_EXISTS",
      hint: `${isOtherVersion(taken.of, resource) ? "one controller does for all versions of a kind: add --controller=false; or " : ""}choose another name: --controller-name ${kindFile(resource)}-${resource.controllers.length > 0 ? "second" : resource.version}`,
    },
  );
}

const isOtherVersion = (one: Resource, other: Resource): boolean =>
  isSameKind(one, other) && one.version !== other.version;

/** Returns whether names result in the same class or file. */
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
    const name = sharedName(other, resource);
    if (name === undefined) continue;
    throw new TsbuilderError(`${describeResource(other)} already has the name "${name}"`, {
      code: "ALREADY_EXISTS",
      hint: "names must be unique within a group, including the names of the list kinds: choose another --kind, --plural, --singular or --short-name",
    });
  }
}

/** Returns a name that two kinds share. An API server accepts only one of their CRDs, and files would collide. */
function sharedName(one: Resource, other: Resource): string | undefined {
  return common(kindsOf(one), kindsOf(other)) ?? common(wordsOf(one), wordsOf(other));
}

const kindsOf = ({ kind }: Resource): string[] => [kind, `${kind}List`];

function wordsOf(resource: Resource): string[] {
  const { plural, singular, shortNames } = resource;
  return [plural, kindFile(resource), ...(singular === undefined ? [] : [singular]), ...shortNames];
}

function common(some: readonly string[], others: readonly string[]): string | undefined {
  return some.find((name) => others.includes(name));
}
