import { TsbuilderError } from "../shared/errors.ts";
import { type FeatureName, featureNames, features } from "./features.ts";
import { describeResource, hasWebhooks, type LicenseName, type Project, qualifiedGroup } from "./project.ts";

/** What `edit` can change; undefined leaves it as it is. */
export interface ProjectEdit {
  readonly multigroup: boolean | undefined;
  readonly namespaced: boolean | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly enable: readonly FeatureName[];
  readonly disable: readonly FeatureName[];
  readonly license: LicenseName | undefined;
  readonly owner: string | undefined;
}

/** Changes a project's layout, scope and features; refuses what can't be. */
export function changeProject(project: Project, edit: ProjectEdit): Project {
  const multigroup = edit.multigroup ?? project.multigroup;
  if (project.multigroup && !multigroup) refuseSeveralGroups(project);
  const namespaced = edit.namespaced ?? (edit.namespaces ? true : project.namespaced);
  if (edit.namespaces && !namespaced) {
    throw new TsbuilderError("--namespaces is for namespaced operators", {
      code: "INVALID_ARGUMENT",
      hint: "leave out --namespaced=false",
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

/** In one folder for all groups, kinds of several groups would share files. */
function refuseSeveralGroups({ resources }: Project): void {
  const own = resources.filter(({ origin }) => origin.type === "own");
  const groups = [...new Set(own.map(qualifiedGroup))];
  if (groups.length > 1) {
    throw new TsbuilderError(`the project has ${groups.length} groups: ${groups.join(", ")}`, {
      code: "REFUSED",
      hint: "several groups need folders of their own; delete the kinds of all groups but one first",
    });
  }
  const files = new Map<string, string>();
  for (const resource of resources) {
    for (const { name } of resource.controllers) {
      const other = files.get(name);
      if (other !== undefined) {
        throw new TsbuilderError(
          `the controllers of ${other} and ${describeResource(resource)} are both "${name}"`,
          {
            code: "REFUSED",
            hint: "they would share a file; delete one of them first",
          },
        );
      }
      files.set(name, describeResource(resource));
    }
  }
}

function changeFeatures(project: Project, { enable, disable }: ProjectEdit): readonly FeatureName[] {
  const both = enable.find((name) => disable.includes(name));
  if (both !== undefined) {
    throw new TsbuilderError(`"${both}" is to be switched on and off`, {
      code: "INVALID_ARGUMENT",
      hint: "name it once",
    });
  }
  const on = new Set([...project.features.filter((name) => !disable.includes(name)), ...enable]);
  for (const name of on) checkFeature(name, on, enable);
  checkWebhookServed(project, on);
  return featureNames.filter((name) => on.has(name));
}

function checkFeature(name: FeatureName, on: ReadonlySet<FeatureName>, enable: readonly FeatureName[]): void {
  const { needs = [], excludes = [] } = features[name] as {
    needs?: readonly FeatureName[];
    excludes?: readonly FeatureName[];
  };
  const missing = needs.filter((other) => !on.has(other));
  if (missing.length > 0) {
    throw new TsbuilderError(`"${name}" needs ${missing.map((other) => `"${other}"`).join(" and ")}`, {
      code: "REFUSED",
      hint: enable.includes(name)
        ? `switch both on: --enable ${[...missing, name].join(",")}`
        : `switch it off, too: --disable ${[name, ...missing].join(",")}`,
    });
  }
  const other = excludes.find((excluded) => on.has(excluded));
  if (other !== undefined) {
    const [wanted, unwanted] = enable.includes(name) ? [name, other] : [other, name];
    throw new TsbuilderError(`"${wanted}" and "${unwanted}" exclude each other`, {
      code: "REFUSED",
      hint: `choose one: --enable ${wanted} --disable ${unwanted}`,
    });
  }
}

/** Webhooks can't be served without a certificate from somebody. */
function checkWebhookServed({ resources }: Project, on: ReadonlySet<FeatureName>): void {
  if (!on.has("webhook") || on.has("cert-manager") || on.has("self-signed")) return;
  const reason = resources.some(hasWebhooks) ? "the project has webhooks, and they" : "webhooks";
  throw new TsbuilderError(`${reason} need a certificate`, {
    code: "REFUSED",
    hint: "let somebody make it: --enable cert-manager or --enable self-signed",
  });
}
