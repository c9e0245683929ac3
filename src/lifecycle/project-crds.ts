import { posix } from "node:path";
import { type CRDConversion, defaultNames } from "@tsbuilder/apimachinery/crd";
import { isObject, memberOf } from "@tsbuilder/apimachinery/json";
import { placeOf } from "../generators/crd/check-crd.ts";
import { toJson } from "../generators/crd/custom-resource-definition.ts";
import { generateCrds } from "../generators/crd/generate-crds.ts";
import { crdFolder } from "../generators/manifests.ts";
import type { Diagnostic } from "../generators/model/diagnostic.ts";
import { projectOptions } from "../generators/model/options.ts";
import { ProjectSources } from "../generators/sources/project-sources.ts";
import { crdsOf, readCrds } from "../generators/types/read-crds.ts";
import type { Tree } from "../scaffold/tree.ts";
import type { Position } from "../shared/errors.ts";
import { readYaml } from "../shared/read-yaml.ts";
import { positionAt } from "../shared/text.ts";
import type { ApiChange, ComparedCrd } from "./compare-crds.ts";

/** The CRDs that are generated from the current sources of a project. */
export interface ProjectCrds {
  readonly crds: readonly ComparedCrd[];
  /** The errors and warnings of the generators. If there is an error, there are no CRDs. */
  readonly diagnostics: readonly Diagnostic[];
  /** Finds the line of TypeScript that causes a change; undefined for a kind that has no types any more. */
  positionOf(change: Pick<ApiChange, "crd" | "field">): Position | undefined;
}

/** Generates the CRDs of a project from its types and markers, in memory. */
export async function projectCrds(tree: Tree): Promise<ProjectCrds> {
  const sources = await ProjectSources.load(tree, projectOptions(tree));
  const generated = sources.hasSyntaxErrors ? [] : generateCrds(sources);
  sources.checkMarkers();
  const crds = sources.log.hasErrors ? [] : generated.map(({ crd }) => toJson(crd) as unknown as ComparedCrd);
  for (const { spec } of crds) defaultNames(spec);
  return {
    crds: withConversions(crds, tree),
    diagnostics: sources.log.sorted(),
    positionOf({ crd, field }) {
      const one = generated.find(({ crd: { metadata } }) => metadata.name === crd);
      if (!one) return undefined;
      const { module, pos } = placeOf(field, one);
      return positionAt(module.file, module.text, pos);
    },
  };
}

/** Reads the generated CRDs of a project from its files, such as those of an earlier commit. */
export async function generatedCrds(tree: Tree): Promise<ComparedCrd[]> {
  const folder = crdFolder(tree, {});
  const files = tree.list(folder).filter((path) => posix.dirname(path) === posix.normalize(folder));
  return withConversions(await crdsIn(files.map((path) => [path, tree.read(path) ?? ""])), tree);
}

/**
 * Reads the CRDs in YAML files, and ignores files without a CRD. Throws a TsbuilderError for an invalid CRD. In the templates of a
 * chart, template actions are removed first. That is enough if they only label a CRD or decide whether it is installed.
 */
export async function crdsIn(files: Iterable<readonly [path: string, text: string]>): Promise<ComparedCrd[]> {
  const crds: ComparedCrd[] = [];
  for (const [path, written] of files) {
    if (!/\.(?:ya?ml|json)$/u.test(path) || !/CustomResourceDefinition/u.test(written)) continue;
    const isTemplate = /(?:^|\/)templates\//u.test(path) && written.includes("{{");
    const text = isTemplate ? withoutActions(written) : written;
    const hint = isTemplate
      ? "render the chart with helm template --include-crds, and compare with its output"
      : "fix the file";
    const values = readYaml(path, text, { code: "INVALID_SOURCE", hint });
    if (values.some((value) => crdsOf(value).length > 0)) crds.push(...(await readCrds(path, text)));
  }
  return crds;
}

/** Removes lines that consist of a template action, and replaces other actions by a text. */
function withoutActions(text: string): string {
  return text.replaceAll(/^[ \t]*\{\{.*\}\}[ \t]*$/gmu, "").replaceAll(/\{\{.*?\}\}/gu, "x");
}

const patchFolder = "config/crd/patches";

/** Sets the conversions that the patches of kustomize add to the CRDs. */
function withConversions(crds: readonly ComparedCrd[], tree: Tree): ComparedCrd[] {
  const conversions = new Map<unknown, CRDConversion>();
  for (const path of tree.list(patchFolder)) {
    for (const patch of /\.ya?ml$/u.test(path) ? readYaml(path, tree.read(path) ?? "") : []) {
      if (!isObject(patch) || !isObject(patch["metadata"]) || !isObject(patch["spec"])) continue;
      const conversion = memberOf(patch["spec"], "conversion");
      if (isObject(conversion))
        conversions.set(patch["metadata"]["name"], conversion as unknown as CRDConversion);
    }
  }
  return crds.map((crd) => {
    const conversion = conversions.get(crd.metadata.name);
    return conversion ? { ...crd, spec: { ...crd.spec, conversion } } : crd;
  });
}
