import { TsbuilderError } from "../../shared/errors.ts";
import { type ClusterChoice, kubectl, runKubectl } from "./kubectl.ts";
import { formatManifest, isCrd, type ManifestObject } from "../manifest.ts";
import { runTool } from "../tool.ts";

/** The field manager of everything that tsbuilder deploys. */
export const fieldManager = "tsbuilder";

export interface ApplyOptions extends ClusterChoice {
  readonly dryRun?: boolean | undefined;
}

/**
 * Applies objects with server-side apply, CRDs first: they may exceed the annotation of a client-side apply (256 KiB),
 * and must exist before any of their objects.
 */
export async function applyObjects(
  objects: readonly ManifestObject[],
  options: ApplyOptions,
): Promise<string[]> {
  const crds = objects.filter(isCrd);
  const others = objects.filter((object) => !isCrd(object));
  const applied = await apply(crds, options);
  if (crds.length > 0 && others.length > 0 && !options.dryRun) {
    const names = crds.map(({ metadata }) => `customresourcedefinition/${metadata.name}`);
    await runKubectl(options, ["wait", "--for", "condition=Established", "--timeout", "60s", ...names]);
  }
  return [...applied, ...(await apply(others, options))];
}

const serverSide = ["--server-side", "--force-conflicts", "--field-manager", fieldManager];

/** Returns the diff between objects and the cluster; empty if there is none. */
export async function diffObjects(
  objects: readonly ManifestObject[],
  choice: ClusterChoice,
): Promise<string> {
  const args = ["diff", ...serverSide, "--filename", "-"];
  const call = kubectl(choice, args, formatManifest(objects));
  try {
    await runTool(call);
    return "";
  } catch (error) {
    const difference = readDifference(error);
    if (difference === undefined) throw error;
    return difference;
  }
}

async function apply(objects: readonly ManifestObject[], options: ApplyOptions): Promise<string[]> {
  if (objects.length === 0) return [];
  const args = ["apply", ...serverSide, ...(options.dryRun ? ["--dry-run=server"] : []), "--filename", "-"];
  const { stdout } = await runKubectl(options, args, formatManifest(objects));
  return lines(stdout);
}

/** Splits the output of kubectl into lines, without empty ones. */
export function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** `kubectl diff` exits with 1 if there are differences, and with more if it failed. */
function readDifference(error: unknown): string | undefined {
  if (!(error instanceof TsbuilderError) || typeof error.cause !== "object") return undefined;
  const { exitCode, stdout } = error.cause as { exitCode?: number; stdout?: unknown };
  return exitCode === 1 && typeof stdout === "string" && stdout !== "" ? stdout : undefined;
}
