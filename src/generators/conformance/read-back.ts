import { compareText } from "@tsbuilder/apimachinery/text";
import { memoryTree } from "../../scaffold/tree.ts";
import { planManifests } from "../manifests.ts";
import type { GeneratorOptions } from "../options.ts";
import { runExample } from "./example.ts";

/** The properties of an example's `Spec`. */
export async function properties(
  code: string,
  options: GeneratorOptions = {},
): Promise<Record<string, object>> {
  const { spec } = await runExample(code, options);
  const names = Object.keys(spec?.properties ?? {}).sort((a, b) => compareText(a, b));
  return Object.fromEntries(
    names.map((name) => [name, JSON.parse(JSON.stringify(spec?.properties?.[name])) as object]),
  );
}

/** The text of the first file that some sources make. */
export async function manifestsText(
  files: Readonly<Record<string, string>>,
  options: GeneratorOptions = {},
): Promise<string> {
  const { changes } = await planManifests(memoryTree(files), options);
  return changes[0]?.content ?? "";
}
