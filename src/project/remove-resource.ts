import { TsbuilderError } from "../shared/errors.ts";
import {
  describeResource,
  hasWebhooks,
  isSameKind,
  noWebhooks,
  type Project,
  type Resource,
} from "./project.ts";

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

/** The webhooks to remove. */
export interface WebhookRemoval {
  readonly defaulting: boolean;
  readonly validation: boolean;
  readonly conversion: boolean;
}

/** Removes webhooks from a project; with the last one, the features that serve them are disabled. */
export function removeWebhooks(project: Project, resource: Resource, removal: WebhookRemoval): Project {
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
  const isOfUse = next.origin.type === "own" || next.controllers.length > 0 || hasWebhooks(next);
  return withoutUnservedWebhooks({
    ...project,
    resources: project.resources.flatMap((other) => {
      if (other !== resource) return [other];
      return isOfUse ? [next] : [];
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
