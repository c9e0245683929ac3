import { configPrefix } from "../../project/names.ts";
import { type Project, qualifiedGroup, type Resource } from "../../project/project.ts";
import { type Blueprint, emptyBlueprint, joinBlueprints } from "../../scaffold/blueprint.ts";
import { line } from "./features.ts";

/** The generated webhook configurations, and the CRD patch for conversion. */
export function createWebhook(project: Project, resource: Resource): Blueprint {
  if (!project.features.includes("webhook")) return emptyBlueprint;
  const { webhooks } = resource;
  return joinBlueprints(
    webhooks.defaulting || webhooks.validation ? configurations() : emptyBlueprint,
    webhooks.spokes === undefined ? emptyBlueprint : conversion(project, resource),
  );
}

function configurations(): Blueprint {
  return {
    parts: [],
    inserts: [line("webhook", "resources", "manifests.yaml")],
    generated: ["config/webhook/manifests.yaml"],
  };
}

function conversion(project: Project, resource: Resource): Blueprint {
  const { kind, plural } = resource;
  const prefix = configPrefix(project, resource);
  return {
    parts: [
      {
        key: `kustomize/conversion/${qualifiedGroup(resource)}/${kind}`,
        templates: "kustomize/create-webhook/conversion",
        context: { configPrefix: prefix, kind, plural, qualifiedGroup: qualifiedGroup(resource) },
      },
    ],
    inserts: [line("crd", "conversion-patches", `path: patches/webhook_in_${prefix}${plural}.yaml`)],
    generated: [],
  };
}
