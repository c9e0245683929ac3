import { TsbuilderError } from "../shared/errors.ts";
import {
  describeResource,
  hasWebhooks,
  isSameKind,
  noWebhooks,
  type Project,
  type Resource,
} from "./project.ts";

/** Takes a kind, or a version of it, out of a project, with its controllers and webhooks. */
export function removeResource(project: Project, resource: Resource): Project {
  const hub = project.resources.find(
    (other) =>
      other !== resource && isSameKind(other, resource) && other.webhooks.spokes?.includes(resource.version),
  );
  if (hub) {
    throw new TsbuilderError(
      `${describeResource(resource)} is converted to and from version ${hub.version}`,
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

/** Takes one controller out, and a resource that then is of no use. */
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

/** Which webhooks are to go. */
export interface WebhookRemoval {
  readonly defaulting: boolean;
  readonly validation: boolean;
  readonly conversion: boolean;
}

/** Takes webhooks out of a project; without the last one, what serves them is switched off. */
export function removeWebhooks(project: Project, resource: Resource, removal: WebhookRemoval): Project {
  const { webhooks } = resource;
  const missing =
    (removal.defaulting && !webhooks.defaulting && "defaulting") ||
    (removal.validation && !webhooks.validation && "programmatic-validation") ||
    (removal.conversion && webhooks.spokes === undefined && "conversion");
  if (missing) {
    throw new TsbuilderError(`${describeResource(resource)} has no --${missing} webhook`, {
      code: "NOT_FOUND",
      hint: "the PROJECT file lists the webhooks that there are",
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
  const isOfUse = next.origin.type === "own" || next.controllers.length > 0 || hasWebhooks(next);
  return withoutUnservedWebhooks({
    ...project,
    resources: project.resources.flatMap((other) => {
      if (other !== resource) return [other];
      return isOfUse ? [next] : [];
    }),
  });
}

/** What the first webhook switched on goes with the last one, unless something else uses it. */
function withoutUnservedWebhooks(project: Project): Project {
  if (project.resources.some(hasWebhooks)) return project;
  const keepsCertificates = project.features.includes("metrics-tls");
  const unused = new Set<string>(["webhook", "self-signed", ...(keepsCertificates ? [] : ["cert-manager"])]);
  return { ...project, features: project.features.filter((name) => !unused.has(name)) };
}
