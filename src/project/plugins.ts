import { TsbuilderError } from "../shared/errors.ts";
import { isSameResource, type Project } from "./project.ts";

const keyPattern =
  /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\/v\d+(?:-(?:alpha|beta))?$/u;

export function checkPluginKey(key: string): string {
  if (key.length <= 253 && keyPattern.test(key)) return key;
  throw new TsbuilderError(`invalid plugin key "${key}"`, {
    code: "INVALID_NAME",
    hint: "a key is a name in lower case and a version, for example grafana.example.com/v1 or v1-alpha",
  });
}

/** Removes plugins by their keys; throws for one that the project does not have. */
export function removePlugins(project: Project, keys: readonly string[]): Project {
  const unknown = keys.find((key) => !project.plugins.some((use) => use.key === key));
  if (unknown === undefined)
    return { ...project, plugins: project.plugins.filter(({ key }) => !keys.includes(key)) };
  throw new TsbuilderError(`the project has no plugin "${unknown}"`, {
    code: "NOT_FOUND",
    hint:
      project.plugins.length === 0
        ? "it has no third-party plugins"
        : `it has ${project.plugins.map(({ key }) => key).join(", ")}`,
  });
}

/** Removes the settings of kinds that the project does not have, and plugins that are left with no kind. */
export function prunePlugins(project: Project): Project {
  if (project.plugins.length === 0) return project;
  const plugins = project.plugins
    .map((use) => ({
      ...use,
      resources: use.resources.filter((one) =>
        project.resources.some((resource) => isSameResource(one, resource)),
      ),
    }))
    .filter((use) => use.isInLayout || use.resources.length > 0);
  return { ...project, plugins };
}

/**
 * Returns whether the text of `PROJECT` may name plugins, without parsing it: most projects have none, and must not pay
 * for them.
 */
export function mayHavePlugins(text: string): boolean {
  return /^plugins:/mu.test(text) || !/^layout:\s*\n\s*- [^\n]*\n(?!\s*- )/mu.test(text);
}
