import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { yamlLines } from "./yaml-lines.ts";

/** An object as one edits it: without its status, and without what the API server alone sets. */
export function editableYaml(object: KubernetesObject): string {
  const { status: _, metadata, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  const own = Object.fromEntries(Object.entries(metadata).filter(([field]) => !ofTheServer.has(field)));
  const lines = yamlLines({ ...rest, metadata: own });
  return `${lines.map(({ text }) => text).join("\n")}\n`;
}

const ofTheServer = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "selfLink",
]);
