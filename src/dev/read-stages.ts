import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Stage } from "@tsbuilder/cluster";
import { TsbuilderError } from "../shared/errors.ts";

/** Reads a file of Stages; errors in it are reported before anything starts. */
export async function readStages(folder: string, file: string): Promise<readonly Stage[]> {
  const { parseStages } = await import("@tsbuilder/cluster");
  const path = resolve(folder, file);
  const text = readText(path);
  try {
    const stages = parseStages(text);
    if (stages.length > 0) return stages;
  } catch (error) {
    throw new TsbuilderError(`"${path}" contains an invalid Stage: ${(error as Error).message}`, {
      code: "INVALID_ARGUMENT",
      hint: "a Stage selects objects (spec.resourceRef, spec.selector) and sets what happens to them (spec.next), as in KWOK",
      cause: error,
    });
  }
  throw new TsbuilderError(`"${path}" contains no Stage`, {
    code: "INVALID_ARGUMENT",
    hint: "add manifests of kwok.x-k8s.io/v1alpha1, Kind Stage, or omit --stages",
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new TsbuilderError(`cannot read the Stages in "${path}": ${(error as Error).message}`, {
      code: "NOT_FOUND",
      hint: "set a file with --stages",
      cause: error,
    });
  }
}
