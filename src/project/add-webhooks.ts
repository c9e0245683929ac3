import { TsbuilderError } from "../shared/errors.ts";
import { listWords } from "../shared/text.ts";
import type { FeatureName } from "./features.ts";
import {
  describeResource,
  hasWebhooks,
  isSameKind,
  isSameResource,
  type Project,
  type Resource,
} from "./project.ts";

/** The webhooks to add. */
export interface WebhookRequest {
  readonly resource: Resource;
  readonly defaulting: boolean;
  readonly validation: boolean;
  readonly conversion: boolean;
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
  const isTracked = project.resources.includes(present);
  return {
    ...project,
    features: withCertificates(project),
    resources: isTracked
      ? project.resources.map((other) => (other === present ? next : other))
      : [...project.resources, next],
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
    const there = [otherHub.version, ...(otherHub.webhooks.spokes ?? [])];
    const missing = [hub.version, ...spokes].filter((version) => !there.includes(version));
    throw new TsbuilderError(`version ${otherHub.version} is already the hub of ${hub.kind}`, {
      code: "ALREADY_EXISTS",
      hint:
        missing.length > 0
          ? `add the spokes there: --version ${otherHub.version} --conversion --spoke ${missing.join(",")}`
          : `it converts ${listWords(there.slice(1), "and")} already`,
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
