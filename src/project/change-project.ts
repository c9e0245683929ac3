import { TsbuilderError } from "../shared/errors.ts";
import { type FeatureName, featureNames, features } from "./features.ts";
import { describeResource, hasWebhooks, type LicenseName, type Project, qualifiedGroup } from "./project.ts";

/** The settings that `edit` can change; undefined keeps the current value. */
export interface ProjectEdit {
  readonly multigroup: boolean | undefined;
  readonly namespaced: boolean | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly enable: readonly FeatureName[];
  readonly disable: readonly FeatureName[];
  readonly license: LicenseName | undefined;
  readonly owner: string | undefined;
}

/** Changes a project's layout, scope and features; throws on invalid combinations. */
export function changeProject(project: Project, edit: ProjectEdit): Project {
  const multigroup = edit.multigroup ?? project.multigroup;
  if (project.multigroup && !multigroup) refuseSeveralGroups(project);
  const namespaced = edit.namespaced ?? (edit.namespaces ? true : project.namespaced);
  if (edit.namespaces && !namespaced) {
    throw new TsbuilderError("--namespaces requires a namespaced operator", {
      code: "INVALID_ARGUMENT",
      hint: "omit --namespaced=false",
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

/** Refuses several groups in one folder: kinds of two groups could have the same files. */
function refuseSeveralGroups({ resources }: Project): void {
  const own = resources.filter(({ origin }) => origin.type === "own");
  const groups = [...new Set(own.map(qualifiedGroup))];
  if (groups.length > 1) {
    throw new TsbuilderError(`the project has ${groups.length} groups: ${groups.join(", ")}`, {
      code: "REFUSED",
      hint: "with several groups, each needs its own folder; first delete the kinds of all groups but one",
    });
  }
  const files = new Map<string, string>();
  for (const resource of resources) {
    for (const { name } of resource.controllers) {
      const other = files.get(name);
      if (other !== undefined) {
        throw new TsbuilderError(
          `the controllers of ${other} and ${describeResource(resource)} are both named "${name}"`,
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
    throw new TsbuilderError(`"${both}" is both enabled and disabled`, {
      code: "INVALID_ARGUMENT",
      hint: "give it once",
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
        ? `enable both: --enable ${[...missing, name].join(",")}`
        : `disable it, too: --disable ${[name, ...missing].join(",")}`,
    });
  }
  const other = excludes.find((excluded) => on.has(excluded));
  if (other !== undefined) {
    const [wanted, unwanted] = enable.includes(name) ? [name, other] : [other, name];
    throw new TsbuilderError(`"${wanted}" and "${unwanted}" are mutually exclusive`, {
      code: "REFUSED",
      hint: `choose one: --enable ${wanted} --disable ${unwanted}`,
    });
  }
}

/** Throws if webhooks would have no certificate. */
function checkWebhookServed({ resources }: Project, on: ReadonlySet<FeatureName>): void {
  if (!on.has("webhook") || on.has("cert-manager") || on.has("self-signed")) return;
  const reason = resources.some(hasWebhooks) ? "the project has webhooks, and they" : "webhooks";
  throw new TsbuilderError(`${reason} need a certificate`, {
    code: "REFUSED",
    hint: "choose where it comes from: --enable cert-manager or --enable self-signed",
  });
}
