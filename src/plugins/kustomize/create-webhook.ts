import { configPrefix } from "../../project/names.ts";
import { type Project, qualifiedGroup, type Resource } from "../../project/project.ts";
import { type Blueprint, joinBlueprints } from "../../scaffold/blueprint.ts";
import { line } from "./features.ts";

/** The generated webhook configurations, and the CRD patch for conversion. */
export function createWebhook(project: Project, resource: Resource): Blueprint {
  const { webhooks } = resource;
  return joinBlueprints(
    webhooks.defaulting || webhooks.validation ? configurations(project) : empty,
    webhooks.spokes === undefined ? empty : conversion(project, resource),
  );
}

const empty: Blueprint = { parts: [], inserts: [], generated: [] };

function configurations({ features }: Project): Blueprint {
  if (!features.includes("webhook")) return empty;
  return {
    parts: [],
    inserts: [line("webhook", "resources", "manifests.yaml")],
    generated: ["config/webhook/manifests.yaml"],
  };
}

function conversion(project: Project, resource: Resource): Blueprint {
  if (!project.features.includes("webhook")) return empty;
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
