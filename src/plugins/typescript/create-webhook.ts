import type { Project, Resource } from "../../project/project.ts";
import type { Blueprint } from "../../scaffold/blueprint.ts";
import type { Surroundings } from "../plugin.ts";

export function createWebhook(
  _project: Project,
  _resource: Resource,
  _surroundings: Surroundings,
): Blueprint {
  return { parts: [], inserts: [], generated: [] };
}
